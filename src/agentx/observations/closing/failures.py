"""What a later session mended of what failed in an earlier one.

    "`go build ./cmd/gateway` failed: ...; Not seen fixed"    later `go build ./...` passes

Law: a failure falls only if the same check passed, or a wider one of the same program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentx.exchanges.passing import list_checks, picks_failed, takes_in
from agentx.exchanges.places import is_apart
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.observations.closing.doings import Doings, Passed
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import shorten

_LOOKED_AT_MAX = 500
_FILES_TOLD_MAX = 4
_COMMAND_CHARS = 120
_RUN_AGAIN = "It passed when it was run again."
_FAILED = compile_late(r"\A`(?P<command>.+?)` failed\b(?: in (?P<folder>[^\s:;(,]+))?")
_UNMENDED = compile_late(r";? ?Not seen fixed in this session\b\.?(?: Tried: [^;\n]*)?")


def find_mending(content: str, at_ms: Millis, passed: Iterable[Passed]) -> Passed | None:
    """Return the first run after a failure that shows that it is mended."""
    failed = _FAILED.match(content)
    if failed is None or not _UNMENDED.search(content):
        return None
    # What was cut is not known whole: it is compared with nothing.
    wanted = () if "\u2026" in failed["command"] else list_checks(failed["command"])
    rows = content.replace("; ", "\n").split(" failed", 1)[-1].replace(": ", "\n")
    left = set(wanted)
    for one in passed if wanted else ():
        if one.at_ms > at_ms and not is_apart(failed["folder"] or "", one.folder):
            left -= {
                check
                for check in left
                if takes_in(check, one.checks) or picks_failed(check, one.checks, rows)
            }
            if not left:
                return one
    return None


def tell_mended(content: str, by: Passed) -> str:
    """Return what failed with what mended it."""
    head = _UNMENDED.split(content, maxsplit=1)[0].rstrip(" .;")
    if not by.files:
        own = _FAILED.match(head)
        # What was run before it in one line is what it took.
        if own is not None and by.ran.endswith(f"&& {own['command']}"):
            return f"{head}; Fixed by: `{shorten(by.ran, _COMMAND_CHARS)}`"
        after = _find_helping(head, by.commands)
        return f"{head}; It passed after `{after}`" if after else f"{head}; {_RUN_AGAIN}"
    return f"{head}; Fixed by: {', '.join(by.files[-_FILES_TOLD_MAX:])}"


def _find_helping(failed: str, commands: Sequence[str]) -> str:
    """Return the last command before a check passed that is about what had failed."""
    own = _FAILED.match(failed)
    about = terms(failed[own.end() :]) - terms(own["command"]) if own else frozenset[str]()
    helping = (each for each in reversed(commands) if about & terms(each))
    found = next(helping, "")
    return found if len(found) <= _COMMAND_CHARS and "\n" not in found else ""


def find_mended(store: ObservationStore, doings: Doings) -> dict[str, tuple[Observation, Finding]]:
    """Return by their ids the failures that a session mended, each with what tells so now."""
    filters = SearchFilters(
        category=Category.ERROR, superseded=False, pinned=False, limit=_LOOKED_AT_MAX
    )
    ids = [row.id for row in store.search_by_filters(filters) if _FAILED.match(row.summary)]
    if not ids or not doings.passed:
        return {}
    found: dict[str, tuple[Observation, Finding]] = {}
    for one in store.get_by_ids(ids):
        by = find_mending(one.content.split("\n", 1)[0], one.timestamp_ms, doings.passed)
        if by is not None:
            content = tell_mended(one.content.split("\n", 1)[0], by)
            found[one.id] = (
                one,
                Finding(
                    category=Category.ERROR,
                    content=content,
                    summary=content,
                    event_ids=by.event_ids,
                    at_ms=by.at_ms,
                    files=by.files[-_FILES_TOLD_MAX:],
                ),
            )
    return found
