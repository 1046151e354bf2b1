"""What sessions of the loop, and ways of issues, hold of what is forgotten: no part of the log.

Each is named with what takes it away. One that cannot be read is named, too: nobody knows what it
says.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.conversation.forgotten.spans import fold_all, fold_words
from agentx.conversation.model import Event
from agentx.kernel.clock import from_iso, to_iso
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.operations.capture.quoting import Quote, runs_of
from agentx.project.project import Project
from agentx.wiring.loop.desk import list_session_files, read_session_file
from agentx.wiring.walking.walks import list_walk_files, open_walk

_UNREAD = "a session of the loop that cannot be read: nobody knows what it says"
_LINE_CHARS_MAX = 100


@frozen
class LoopWords:
    """What is looked for: the words of a query, a session, a span, and what is said in events."""

    query: str = ""
    session_id: str = ""
    since_ms: int | None = None
    until_ms: int | None = None
    said: Collection[tuple[str, ...]] = ()

    def find(self, session_id: str, document: object) -> str | None:
        """Return what of a session is looked for; None where nothing is."""
        if self.session_id == session_id:
            return "the whole session"
        wanted = fold_words(self.query)
        is_span = self.since_ms is not None or self.until_ms is not None
        if is_span and not self._overlaps(document):
            return None
        if is_span and not wanted:
            return "it was at work then"
        for text in fold_all(document):
            if (wanted and wanted in text) or any(map(self.said.__contains__, runs_of(text))):
                at = max(text.find(wanted), 0)
                return preview(text[at:], _LINE_CHARS_MAX)
        return None

    def _overlaps(self, document: object) -> bool:
        """Tell whether a session was at work in the span, or may have been."""
        meta = document.get("meta") if isinstance(document, dict) else None
        if not isinstance(meta, dict):
            return True
        with suppress(InvalidValue):
            began = from_iso(str(meta.get("createdAt")))
            ended = from_iso(str(meta.get("updatedAt")))
            is_after = self.until_ms is not None and began >= self.until_ms
            return not (is_after or (self.since_ms is not None and ended < self.since_ms))
        return True


def gather_runs(events: Collection[Event]) -> frozenset[tuple[str, ...]]:
    """Return the runs of words that events say."""
    return frozenset(run for event in events for run in runs_of(event.text))


def find_in_loops(project: Project, wanted: LoopWords) -> Iterator[Quote]:
    """Yield the sessions of the loop, and the ways of issues, that hold what is looked for."""
    for path in list_session_files(project):
        try:
            document = json.loads(read_session_file(path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError, AgentXError):
            yield _quote(path, _UNREAD)
            continue
        says = wanted.find(path.stem, document)
        if says is not None:
            yield _quote(path, says)
    for path in list_walk_files(project):
        yield from _find_in_walk(project, path, wanted)


def _find_in_walk(project: Project, path: Path, wanted: LoopWords) -> Iterator[Quote]:
    try:
        events = open_walk(project, int(path.stem)).read()
        reports = [[each.report, each.reason, *each.errors] for each in events]
        meta = {
            "createdAt": to_iso(min(each.at_ms for each in events)),
            "updatedAt": to_iso(max(each.at_ms for each in events)),
        }
        is_said = wanted.session_id in {each.session for each in events if each.session}
        document = {"meta": meta, "reports": reports}
        says = "it reports" if is_said else wanted.find(path.stem, document)
    except (ValueError, OSError, AgentXError):
        says = "it cannot be read: nobody knows what it says"
    if says is not None:
        yield Quote(
            kind="way of an issue",
            id=f"#{path.stem}",
            says=says,
            mend=f"what agents reported on it goes with: rm {shlex.quote(str(path))}",
        )


def _quote(path: Path, says: str) -> Quote:
    return Quote(
        kind="session of the loop",
        id=path.stem,
        says=says,
        mend=f"its whole conversation goes with: rm {shlex.quote(str(path))}",
    )
