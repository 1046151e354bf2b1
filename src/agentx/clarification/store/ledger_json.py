"""A ledger as JSON and back: the fields of the format, and a reason for what is not one.

Fields beside those of the format are ours (`slaMinutes`, `retries`, `retry`, `wentStale`,
`reason`, `summary`, an entry's `late` and `via`); they are left out where they say nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeVar

from agentx.clarification.model import (
    ACTIVE,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    Ledger,
    Reason,
    Retry,
)
from agentx.kernel.clock import Millis, from_iso, to_iso
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.ids import ClarificationId, parse_clarification_id
from agentx.kernel.limits import CLARIFY_SLA_MINUTES_DEFAULT

# What is left out where it says nothing.
OURS = ("retries", "wentStale", "reason", "summary", "retry")

Row = dict[str, Any]
Word = TypeVar("Word", bound=StrEnum)
Kind = TypeVar("Kind", str, int, bool, list[Any])


def ledger_of(document: object, issue: int) -> Ledger:
    """Read a ledger.

    Raises: DamagedLedger that names what is wrong.
    """
    rows = rows_of(document, issue)
    return Ledger(
        issue=issue, clarifications=tuple(clarification_of(row, issue) for row in rows.values())
    )


def open_of(document: object, issue: int, since_ms: int) -> tuple[Clarification, ...]:
    """Read only what is active of a ledger, and what others decided since a moment.

    Most of most ledgers is settled, and long ago.

    Raises: DamagedLedger, for what had to be looked at.
    """
    day = to_iso(since_ms)[: len("2026-01-01")]
    looked_at = (
        clarification_of(row, issue)
        for row in rows_of(document, issue).values()
        if not _is_settled_before(row, day)
    )
    return tuple(state for state in looked_at if state.is_active or state.was_decided_for_asker)


def _is_settled_before(row: Row, day: str) -> bool:
    settled = row.get("resolvedAt")
    return is_settled(row) and (not isinstance(settled, str) or settled[: len(day)] < day)


def is_settled(row: Row) -> bool:
    """Tell whether nobody has to do anything about a row any more."""
    status = row.get("status")
    return isinstance(status, str) and status in _SETTLED


def rows_of(document: object, issue: int) -> dict[str, Row]:
    """Return the rows of a ledger by their ids, in order, without looking into them.

    Raises: DamagedLedger when it is not this issue's, or an id is none or comes twice.
    """
    if not isinstance(document, dict):
        raise DamagedLedger("an object was expected")
    number = _field(document, "issueNumber", int, "the ledger")
    if number != issue:
        raise DamagedLedger(f"issueNumber is {number}, the file is of issue {issue}")
    rows: dict[str, Row] = {}
    for row in _field(document, "clarifications", list, "the ledger"):
        if not isinstance(row, dict):
            raise DamagedLedger("a clarification is no object")
        known = _id_of(row, issue)
        if known in rows:
            raise DamagedLedger(f"two clarifications are {known}")
        rows[known] = row
    return rows


class DamagedLedger(CorruptRecord, ValueError):
    """What was read is no ledger."""


def as_json(state: Clarification) -> Row:
    """Write a clarification."""
    row: Row = {
        "id": state.id,
        "from": state.asker,
        "to": state.to,
        "topic": state.topic,
        "blocking": state.blocking,
        "status": str(state.status),
        "round": state.round,
        "maxRounds": state.rounds_max,
        "created": to_iso(state.created_ms),
        "staleAfter": to_iso(state.stale_after_ms),
        "resolvedAt": None if state.resolved_ms is None else to_iso(state.resolved_ms),
        "thread": [_entry_json(entry) for entry in state.thread],
        "slaMinutes": state.sla_minutes,
    }
    values = (state.retries, state.went_stale, state.reason, state.summary, _retry_json(state))
    ours = zip(OURS, values, strict=True)
    return row | {name: value for name, value in ours if value}


def _retry_json(state: Clarification) -> Row | None:
    if state.retry is None:
        return None
    row = {"at": to_iso(state.retry.at_ms)}
    said = {"runner": state.retry.runner, "outcome": state.retry.outcome}
    return row | {name: value for name, value in said.items() if value}


def _entry_json(entry: Entry) -> Row:
    row = {
        "round": entry.round,
        "from": entry.speaker,
        "type": str(entry.type),
        "body": entry.body,
        "timestamp": to_iso(entry.at_ms),
    }
    ours = {"late": entry.late, "via": entry.via}
    return row | {name: value for name, value in ours.items() if value}


def clarification_of(row: Row, issue: int) -> Clarification:
    """Read a clarification.

    Raises: DamagedLedger that names the field.
    """
    known = where = _id_of(row, issue)
    resolved = row.get("resolvedAt")
    return Clarification(
        id=known,
        issue=issue,
        asker=_field(row, "from", str, where),
        to=_field(row, "to", str, where),
        topic=_field(row, "topic", str, where),
        blocking=_field(row, "blocking", bool, where),
        status=_word(row, "status", ClarificationStatus, where),
        round=_field(row, "round", int, where),
        rounds_max=_field(row, "maxRounds", int, where),
        created_ms=_moment(row, "created", where),
        stale_after_ms=_moment(row, "staleAfter", where),
        resolved_ms=None if resolved is None else _moment(row, "resolvedAt", where),
        thread=tuple(_entry(each, where) for each in _field(row, "thread", list, where)),
        sla_minutes=_field(row, "slaMinutes", int, where, CLARIFY_SLA_MINUTES_DEFAULT),
        retries=_field(row, "retries", int, where, 0),
        went_stale=_field(row, "wentStale", int, where, 0),
        reason=None if row.get("reason") is None else _word(row, "reason", Reason, where),
        summary=_field(row, "summary", str, where, ""),
        retry=_retry_of(row.get("retry"), where),
    )


def _retry_of(row: object, where: str) -> Retry | None:
    if row is None:
        return None
    if not isinstance(row, dict):
        raise DamagedLedger(f"{where}: retry is no object")
    return Retry(
        at_ms=_moment(row, "at", where),
        runner=_field(row, "runner", str, where, ""),
        outcome=_field(row, "outcome", str, where, ""),
    )


def _id_of(row: Row, issue: int) -> ClarificationId:
    try:
        known, of_issue, _ = parse_clarification_id(_field(row, "id", str, "a clarification"))
    except InvalidValue as error:
        raise DamagedLedger(error.message) from None
    if of_issue != issue:
        raise DamagedLedger(f"{known} is not of issue {issue}")
    return known


def _entry(row: object, where: str) -> Entry:
    if not isinstance(row, dict):
        raise DamagedLedger(f"{where}: an entry of its thread is no object")
    return Entry(
        round=_field(row, "round", int, where),
        speaker=_field(row, "from", str, where),
        type=_word(row, "type", EntryType, where),
        body=_field(row, "body", str, where),
        at_ms=_moment(row, "timestamp", where),
        late=_field(row, "late", bool, where, False),
        via=_field(row, "via", str, where, ""),
    )


def _field(row: Row, name: str, kind: type[Kind], where: str, default: Kind | None = None) -> Kind:
    value = row.get(name, default)
    # A truth value is a number to Python, and no number of rounds to us.
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not fits:
        raise DamagedLedger(f"{where}: {name} is not {_KINDS[kind]}")
    return value  # type: ignore[return-value]  # just looked at


def _word(row: Row, name: str, kind: type[Word], where: str) -> Word:
    try:
        return kind(_field(row, name, str, where))
    except DamagedLedger:
        raise
    except ValueError:
        words = ", ".join(kind)
        raise DamagedLedger(f"{where}: {name} is {row[name]!r}, none of {words}") from None


def _moment(row: Row, name: str, where: str) -> Millis:
    text = _field(row, name, str, where)
    try:
        return from_iso(text)
    except (ValueError, OverflowError):
        raise DamagedLedger(f"{where}: {name} is no time: {text[:40]!r}") from None


_SETTLED = frozenset(str(status) for status in ClarificationStatus if status not in ACTIVE)
_KINDS: dict[type[object], str] = {
    str: "a text",
    int: "a number",
    bool: "true or false",
    list: "a list",
}
