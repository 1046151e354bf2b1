"""Which rows of a ledger somebody may have to hear of, seen at a glance: most are long settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentx.clarification.contested import is_contesting_word
from agentx.clarification.model import ACTIVE, PERSON, ClarificationStatus, EntryType
from agentx.clarification.watch.awaiting import is_untrusted_question
from agentx.kernel.roles import UNCONFIRMED
from agentx.prose.same.wording import Folded, key_topic

_SETTLED = frozenset(str(status) for status in ClarificationStatus if status not in ACTIVE)


def list_unheard(rows: Mapping[str, dict[str, Any]], day: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows that are open, that others settled since a day, or that may be contested."""
    doubted = {_key(row) for row in rows.values() if _is_in_doubt(row, day)}
    return [
        (name, row)
        for name, row in rows.items()
        if not _is_past(row, day) or (doubted and _key(row) in doubted)
    ]


def _key(row: dict[str, Any]) -> Folded:
    """Return what is asked about: what is asked twice has the same."""
    return key_topic(str(row.get("topic")))


def _is_in_doubt(row: dict[str, Any], day: str) -> bool:
    """Tell whether something was said as a person since a day that nobody saw them say."""
    return any(
        (each.get("from"), each.get("via")) == (PERSON, UNCONFIRMED) and _is_since(each, day)
        for each in _list_entries(row)
    )


def _is_past(row: dict[str, Any], day: str) -> bool:
    """Tell whether nobody has to hear of a row: settled before a day, or by its asker alone."""
    settled = row.get("resolvedAt")
    if not is_settled(row) or _is_contested(row, day):
        return False
    return not isinstance(settled, str) or settled[: len(day)] < day or _is_settled_alone(row)


def _is_contested(row: dict[str, Any], day: str) -> bool:
    """Tell whether something was said as a person since a day that does not count."""
    return any(
        is_contesting_word(each.get("type"), each.get("from"), each.get("via"))
        and _is_since(each, day)
        for each in _list_entries(row)
    )


def _list_entries(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    thread = row.get("thread")
    if isinstance(thread, list):
        yield from (entry for entry in thread if isinstance(entry, dict))


def _is_since(entry: dict[str, Any], day: str) -> bool:
    return str(entry.get("timestamp", ""))[: len(day)] >= day


def _is_settled_alone(row: dict[str, Any]) -> bool:
    """Tell whether nobody but its asker settled a row, as far as it can be read at a glance.

    Where people answered more than once they may contradict each other, and what a writer asks
    further who is not trusted may have to be seen.
    """
    thread, asker = row.get("thread"), row.get("from")
    if not (isinstance(thread, list) and all(isinstance(entry, dict) for entry in thread)):
        return False
    said = [(entry.get("type"), entry.get("from")) for entry in thread]
    if any(is_untrusted_question(entry.get("type"), entry.get("via")) for entry in thread):
        return False
    is_alone = all(kind != EntryType.RESOLUTION or by == asker for kind, by in said)
    return is_alone and said.count((EntryType.ANSWER, PERSON)) <= 1


def is_settled(row: dict[str, Any]) -> bool:
    """Tell whether nobody has to do anything about a row any more."""
    status = row.get("status")
    return isinstance(status, str) and status in _SETTLED
