"""What sessions of the loop hold of what is forgotten: they are no part of the log, and stay.

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
from agentx.kernel.clock import from_iso
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.operations.capture.quoting import Quote, runs_of
from agentx.project.project import Project
from agentx.wiring.loop.desk import list_session_files, read_session_file

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
    """Yield the sessions of the loop that hold what is looked for."""
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


def _quote(path: Path, says: str) -> Quote:
    return Quote(
        kind="session of the loop",
        id=path.stem,
        says=says,
        mend=f"its whole conversation goes with: rm {shlex.quote(str(path))}",
    )
