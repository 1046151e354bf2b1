"""A ledger as JSON and back: the fields of the format, and a reason for what is not one.

Fields beside those of the format are ours (`slaMinutes`, `retries`, `retry`, `wentStale`, `reason`,
`summary`, `uid`, `formerly`, `stem`, `issueMark`, an entry's `late`, `via` and `uid`); most are
absent where they say nothing. A row or an entry that cannot be read harms itself alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar

from agentx.clarification.model import (
    CONFIDENCES,
    STANDINGS,
    UNJUDGED,
    AnswerWorth,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    Reason,
    Retry,
)
from agentx.clarification.ways import WAY_MISSED, read_missed, write_way
from agentx.kernel.clock import Millis, from_iso, to_iso
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.ids import UNMARKED, ClarificationId, IssueMark, parse_clarification_id
from agentx.kernel.limits import CLARIFY_SLA_MINUTES_DEFAULT
from agentx.kernel.roles import is_speaker

VERSION = 1
# What is left out where it says nothing.
_OURS = (
    *("retries", "wentStale", "reason", "summary", "retry", "uid", "formerly", "stem"),
    "issueMark",
)
_FORMAT = (
    *("id", "from", "to", "topic", "blocking", "status", "round", "maxRounds", "created"),
    *("staleAfter", "resolvedAt", "thread", "slaMinutes"),
)
ROW_FIELDS = frozenset((*_FORMAT, *_OURS))
WORTH_FIELDS = ("standing", "confidence", "remaining")
_OVER, _TO_ASKED = "over", "toAsked"
ENTRY_FIELDS = frozenset(
    {
        *("round", "from", "type", "body", "timestamp", "late", "via", WAY_MISSED, "uid"),
        _TO_ASKED,
        *(_OVER, *WORTH_FIELDS),
    }
)

Row = dict[str, Any]
Word = TypeVar("Word", bound=StrEnum)
Kind = TypeVar("Kind", str, int, bool, list[Any])


def rows_of(document: object, issue: int) -> tuple[dict[str, Row], list[str]]:
    """Return the rows of a ledger by their ids, in order, and what is wrong with others.

    Raises: DamagedLedger when it is not this issue's, UnknownVersion.
    """
    if not isinstance(document, dict):
        raise DamagedLedger("an object was expected")
    version = document.get("version", VERSION)
    if version != VERSION:
        raise UnknownVersion(
            f"it has version {str(version)[:40]} and this AgentX knows {VERSION}",
            hint="update AgentX, or take the file away",
        )
    number = read_field(document, "issueNumber", int, "the ledger")
    if number != issue:
        raise DamagedLedger(f"issueNumber is {number}, the file is of issue {issue}")
    rows: dict[str, Row] = {}
    faults: list[str] = []
    for row in read_field(document, "clarifications", list, "the ledger"):
        try:
            known = id_of(row, issue)
        except DamagedLedger as error:
            faults.append(error.message)
            continue
        if known in rows:
            faults.append(f"two clarifications are {known}")
            continue
        rows[known] = row
    return rows, faults


class UnknownVersion(CorruptRecord):
    """A newer version wrote something that this one cannot read."""


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
        "thread": [entry_json(entry) for entry in state.thread],
        "slaMinutes": state.sla_minutes,
    }
    values = (
        *(state.retries, state.went_stale, state.reason, state.summary, _retry_json(state)),
        *(state.uid, state.formerly, state.stem, mark_json(state.issue_mark)),
    )
    ours = zip(_OURS, values, strict=True)
    return row | {name: value for name, value in ours if value}


def mark_json(mark: IssueMark) -> Row:
    """Write which issue was meant."""
    said = {"title": mark.title, "created": mark.created}
    return {name: value for name, value in said.items() if value}


def mark_of(row: object) -> IssueMark:
    """Read which issue was meant; what is none of our words says nothing."""
    if not isinstance(row, dict):
        return UNMARKED
    title, created = row.get("title"), row.get("created")
    return IssueMark(
        title=title if isinstance(title, str) else "",
        created=created if isinstance(created, str) else "",
    )


def _retry_json(state: Clarification) -> Row | None:
    if state.retry is None:
        return None
    row = {"at": to_iso(state.retry.at_ms)}
    said = {"runner": state.retry.runner, "outcome": state.retry.outcome}
    return row | {name: value for name, value in said.items() if value}


def entry_json(entry: Entry) -> Row:
    """Write an entry of a thread."""
    row = {
        "round": entry.round,
        "from": entry.speaker,
        "type": str(entry.type),
        "body": entry.body,
        "timestamp": to_iso(entry.at_ms),
    }
    ours = {"late": entry.late, **write_way(entry.via), **worth_json(entry.worth)}
    ours |= {"uid": entry.uid, _OVER: entry.is_over, _TO_ASKED: entry.to_asked}
    return row | {name: value for name, value in ours.items() if value}


def worth_json(worth: AnswerWorth) -> Row:
    """Write how good an answer is."""
    said = zip(WORTH_FIELDS, (worth.standing, worth.confidence, worth.remaining), strict=True)
    return {name: value for name, value in said if value}


def worth_of(row: Row) -> AnswerWorth:
    """Read how good an answer is; what is none of our words says nothing."""
    if not ("standing" in row or "confidence" in row or "remaining" in row):
        return UNJUDGED
    standing, confidence, remaining = (row.get(name) for name in WORTH_FIELDS)
    return AnswerWorth(
        standing=standing if standing in STANDINGS else "",
        confidence=confidence if confidence in CONFIDENCES else "",
        remaining=remaining if isinstance(remaining, str) else "",
    )


def clarification_of(row: Row, issue: int, faults: list[str] | None = None) -> Clarification:
    """Read a clarification; an entry that nobody understands is left out and named.

    Raises: DamagedLedger that names the field.
    """
    return read_row(id_of(row, issue), row, issue, faults)


def read_row(
    known: ClarificationId, row: Row, issue: int, faults: list[str] | None
) -> Clarification:
    """Read a clarification whose name is known; as `clarification_of`.

    Raises: DamagedLedger.
    """
    where, resolved = known, row.get("resolvedAt")
    return Clarification(
        id=known,
        issue=issue,
        asker=read_speaker(row, "from", where),
        to=read_speaker(row, "to", where),
        topic=read_field(row, "topic", str, where),
        blocking=read_field(row, "blocking", bool, where),
        status=read_word(row, "status", ClarificationStatus, where),
        round=read_field(row, "round", int, where),
        rounds_max=read_field(row, "maxRounds", int, where),
        created_ms=read_moment(row, "created", where),
        stale_after_ms=read_moment(row, "staleAfter", where),
        resolved_ms=None if resolved is None else read_moment(row, "resolvedAt", where),
        thread=tuple(_entries(read_field(row, "thread", list, where), where, faults)),
        sla_minutes=read_field(row, "slaMinutes", int, where, CLARIFY_SLA_MINUTES_DEFAULT),
        retries=read_field(row, "retries", int, where, 0),
        went_stale=read_field(row, "wentStale", int, where, 0),
        reason=None if row.get("reason") is None else read_word(row, "reason", Reason, where),
        summary=read_field(row, "summary", str, where, ""),
        retry=_retry_of(row.get("retry"), where),
        uid=read_field(row, "uid", str, where, ""),
        formerly=read_field(row, "formerly", str, where, ""),
        stem=read_field(row, "stem", str, where, ""),
        issue_mark=mark_of(row.get("issueMark")),
    )


def _entries(rows: list[object], where: str, faults: list[str] | None) -> Iterator[Entry]:
    for row in rows:
        try:
            yield entry_of(row, where)
        except DamagedLedger as error:
            if faults is not None:
                faults.append(error.message)


def _retry_of(row: object, where: str) -> Retry | None:
    if row is None:
        return None
    if not isinstance(row, dict):
        raise DamagedLedger(f"{where}: retry is no object")
    return Retry(
        at_ms=read_moment(row, "at", where),
        runner=read_field(row, "runner", str, where, ""),
        outcome=read_field(row, "outcome", str, where, ""),
    )


def id_of(row: object, issue: int) -> ClarificationId:
    """Return the id of a row.

    Raises: DamagedLedger when it has none of this issue.
    """
    if not isinstance(row, dict):
        raise DamagedLedger("a clarification is no object")
    try:
        known, of_issue, _ = parse_clarification_id(read_field(row, "id", str, "a clarification"))
    except InvalidValue as error:
        raise DamagedLedger(error.message) from None
    if of_issue != issue:
        raise DamagedLedger(f"{known} is not of issue {issue}")
    return known


def entry_of(row: object, where: str) -> Entry:
    """Read an entry of a thread.

    Raises: DamagedLedger.
    """
    if not isinstance(row, dict):
        raise DamagedLedger(f"{where}: an entry of its thread is no object")
    speaker = read_speaker(row, "from", where)
    if not speaker:
        raise DamagedLedger(f"{where}: an entry of its thread is nobody's")
    return Entry(
        round=read_field(row, "round", int, where),
        speaker=speaker,
        type=read_word(row, "type", EntryType, where),
        body=read_field(row, "body", str, where),
        at_ms=read_moment(row, "timestamp", where),
        late=read_field(row, "late", bool, where, False),
        via=read_missed(row) or read_field(row, "via", str, where, ""),
        worth=worth_of(row),
        uid=read_field(row, "uid", str, where, ""),
        is_over=row.get(_OVER) is True,
        to_asked=read_field(row, _TO_ASKED, str, where, ""),
    )


def read_field(
    row: Row, name: str, kind: type[Kind], where: str, default: Kind | None = None
) -> Kind:
    """Return a field of a kind.

    Raises: DamagedLedger.
    """
    value = row.get(name, default)
    if type(value) is kind:  # as nearly all are
        return value
    # A truth value is a number to Python, and no number of rounds to us.
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not fits:
        raise DamagedLedger(f"{where}: {name} is not {_KINDS[kind]}")
    return value  # type: ignore[return-value]  # just looked at


def read_speaker(row: Row, name: str, where: str, default: str | None = None) -> str:
    """Return who speaks or is spoken to.

    Raises: DamagedLedger for what looks like a person's name and is not.
    """
    value = read_field(row, name, str, where, default)
    if not is_speaker(value):
        raise DamagedLedger(f"{where}: {name}: nobody can be called {value[:60]!a}")
    return value


def read_word(row: Row, name: str, kind: type[Word], where: str) -> Word:
    """Return a field that is one of some words.

    Raises: DamagedLedger.
    """
    try:
        return kind(read_field(row, name, str, where))
    except DamagedLedger:
        raise
    except ValueError:
        words = ", ".join(kind)
        raise DamagedLedger(f"{where}: {name} is {row[name]!r}, none of {words}") from None


@lru_cache(maxsize=1_000)  # a question's times are those of its thread
def _read_time(text: str) -> Millis:
    return from_iso(text)


def read_moment(row: Row, name: str, where: str) -> Millis:
    """Return a field that is a time.

    Raises: DamagedLedger.
    """
    text = read_field(row, name, str, where)
    try:
        return _read_time(text)
    except (ValueError, OverflowError):
        raise DamagedLedger(f"{where}: {name} is no time: {text[:40]!r}") from None


_KINDS: dict[type[object], str] = {
    str: "a text",
    int: "a number",
    bool: "true or false",
    list: "a list",
}
