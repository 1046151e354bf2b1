"""What somebody else wrote into the ledger's file, as events: a tool, an old version, a person.

The file is held against what it was made from (`made`), so that only what they changed counts: rows
and entries that are new, changed or gone, fields of ours and of theirs. A file that does not say
what it was made from may be older than the events: then nothing of it takes anything away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agentx.clarification.model import PERSON, Entry
from agentx.clarification.store.fold import Folded
from agentx.clarification.store.ledger_json import (
    ENTRY_FIELDS,
    ROW_FIELDS,
    DamagedLedger,
    Row,
    as_json,
    entry_of,
    id_of,
    rows_of,
)
from agentx.clarification.store.merging import hear
from agentx.clarification.store.question_events import (
    LEDGER,
    NUMBER_MAX,
    QuestionEventKind,
    say_fact,
)
from agentx.clarification.store.shortening import is_short_of
from agentx.clarification.store.told import ToldQuestion, fact_said, key_entry
from agentx.clarification.store.view import VIEW_FIELDS
from agentx.clarification.ways import FILE
from agentx.kernel.clock import from_iso, to_iso
from agentx.kernel.ids import digest, is_ulid, parse_clarification_id, ulid
from agentx.kernel.values import frozen

_NEVER_EDITED = frozenset({"id", "uid", "formerly", "stem", "thread"})
# What says how far a question has come, and who waits for whom.
_STATUS_FIELDS = frozenset({"status", "resolvedAt", "reason", "blocking", "to"})


@frozen(kw_only=False)
class LedgerChange:
    """An event that is not written yet."""

    question: str
    kind: QuestionEventKind
    detail: Row


@frozen(kw_only=False)
class Base:
    """What a file is held against: the events that it was made from, as they counted then."""

    folded: Folded
    is_exact: bool  # just these; else all there are now, and what is not in the file is newer


def list_changes(
    document: Row, now: Folded, base: Base, *, may_be_old: bool = True
) -> Iterator[LedgerChange]:
    """Yield what somebody else wrote; `base` is what the file is held against.

    `may_be_old` where nobody signed here yet: a ledger without events is an earlier version's.

    Raises: DamagedLedger, UnknownVersion.
    """
    is_old = may_be_old and not now.told
    for change in _list_changes(document, now, base):
        # It stood in the file: who keeps it did not say it.
        is_said = is_old and change.kind is QuestionEventKind.TAKEN
        yield change if is_said else replace(change, detail={**change.detail, "via": FILE})


def _list_changes(document: Row, now: Folded, base: Base) -> Iterator[LedgerChange]:
    rows, _ = rows_of(document, now.issue)
    seen: set[str] = set()
    for known, row in rows.items():
        uid = _find(known, row, now, base)
        seen.add(uid)
        told, before = now.told.get(uid), base.folded.told.get(uid)
        if told is None:
            # An offshoot, where its asker was trusted: its lines are told of its thread here.
            if before is None or any(_compare(row, before, before, is_exact=base.is_exact)):
                yield _take(uid, known, row)
        elif not told.is_gone:
            is_exact = base.is_exact and before is not None
            yield from _compare(row, told, before or told, is_exact=is_exact)
    strange = [row for row in document["clarifications"] if _is_strange(row, now.issue)]
    seen.update(row["uid"] for row in strange if _has_uid(row, now))
    if base.is_exact:
        for uid, told in base.folded.told.items():
            if uid not in seen and not told.is_gone and uid in now.told:
                yield LedgerChange(uid, QuestionEventKind.REMOVED, {})
    for row in strange:
        if not _has_uid(row, now) and row not in now.strange.values():
            yield LedgerChange(LEDGER, QuestionEventKind.ODD, {"entry": {"row": row}})
    yield from _list_beside(document, base)


def _find(known: str, row: Row, now: Folded, base: Base) -> str:
    """Return which question a row is."""
    uid = row.get("uid")
    if isinstance(uid, str) and uid in now.told:
        return uid
    for folded in (base.folded, now):
        told = _find_named(folded, known)
        state = None if told is None else told.state
        if told is not None and (state is None or row.get("created") == to_iso(state.created_ms)):
            return told.uid
    if isinstance(uid, str) and is_ulid(uid):
        return uid
    # The same row, taken over in two clones, is one question.
    parts = (row.get(name) for name in ("id", "from", "to", "topic", "created"))
    return ulid(_read_created(row), digest(str(now.issue), *map(str, parts), size=10))


def _find_named(folded: Folded, known: str) -> ToldQuestion | None:
    told = folded.told.values()
    return next((each for each in told if each.id == known and not each.is_gone), None)


def _take(uid: str, known: str, row: Row) -> LedgerChange:
    number = min(parse_clarification_id(known)[2], NUMBER_MAX)
    row = {name: value for name, value in row.items() if name not in {"uid", "formerly", "stem"}}
    detail = {"timestamp": to_iso(_read_created(row)), "number": number, "row": row}
    return LedgerChange(uid, QuestionEventKind.TAKEN, detail)


def _read_created(row: Row) -> int:
    try:
        return max(from_iso(str(row.get("created"))), 0)
    except (ValueError, OverflowError):
        return 0


# --- one row --------------------------------------------------------------------------------


def _compare(
    row: Row, told: ToldQuestion, reference: ToldQuestion, *, is_exact: bool
) -> Iterator[LedgerChange]:
    """Yield what was changed in a row of a known question, held against what it said."""
    if reference.state is None or told.state is None:
        yield from _compare_unclear(row, told)
        return
    words = _Words(row, reference, told)
    for entry, beside in words.new:
        kind, detail = say_fact(fact_said(entry, reference.state.reason), reference.state)
        if kind is QuestionEventKind.ESCALATED:
            detail = {**detail, "text": entry.body}
        if beside:
            detail = {**detail, "beside": beside}
        yield LedgerChange(told.uid, kind, detail)
    for odd in words.odd:
        yield LedgerChange(told.uid, QuestionEventKind.ODD, {"entry": odd})
    if is_exact and words.gone:
        yield LedgerChange(told.uid, QuestionEventKind.REMOVED, {"entries": words.gone})
    new = [entry for entry, _ in words.new]
    changed = dict(_list_fields(row, reference, new, is_exact=is_exact))
    detail = {"fields": changed} if changed else {}
    if words.changed:
        detail["words"] = words.changed
    if detail:
        yield LedgerChange(told.uid, QuestionEventKind.EDITED, detail)


def _compare_unclear(row: Row, told: ToldQuestion) -> Iterator[LedgerChange]:
    """Take what can be read now of a row that could not be."""
    shown = told.page()
    changed = {
        name: row.get(name)
        for name in {*row, *shown} - _NEVER_EDITED
        if row.get(name) != shown.get(name)
    }
    if changed:
        yield LedgerChange(
            told.uid, QuestionEventKind.EDITED, {"fields": dict(sorted(changed.items()))}
        )


def _list_fields(
    row: Row, reference: ToldQuestion, new: list[Entry], *, is_exact: bool
) -> Iterator[tuple[str, Any]]:
    """Yield the fields that say neither what they said nor what follows from what was said."""
    assert reference.state is not None, "looked at before"
    before, state = reference.page(), reference.state
    for entry in new:
        state = hear(state, fact_said(entry, state.reason))
    after = as_json(state) | reference.unclear
    # What is said that a person did, no file does.
    is_claimed = any(entry.speaker == PERSON for entry in new)
    kept = _NEVER_EDITED | (_STATUS_FIELDS if is_claimed else frozenset())
    for name in sorted({*row, *before} - kept):
        value = row.get(name)
        if any(_is_equal(value, known.get(name)) for known in (before, after)):
            continue
        is_theirs = name not in ROW_FIELDS and name in row
        is_new = name == "status" and value not in reference.statuses
        if is_exact or is_theirs or is_new:
            yield name, value


def _is_equal(one: object, other: object) -> bool:
    """Tell whether two fields say the same; a moment may be written in two ways."""
    # A truth value is a number to Python, and none of ours.
    if one == other:
        return isinstance(one, bool) == isinstance(other, bool)
    if not (isinstance(one, str) and isinstance(other, str)):
        return False
    try:
        return from_iso(one) == from_iso(other)
    except (ValueError, OverflowError):
        return False


class _Words:
    """The entries of a row, held against those it had."""

    def __init__(self, row: Row, reference: ToldQuestion, now: ToldQuestion) -> None:
        assert reference.state is not None, "looked at before"
        assert now.state is not None, "looked at before"
        self.new: list[tuple[Entry, Row]] = []  # with what stood beside our fields
        self.odd: list[Row] = []
        self.changed: dict[str, Row] = {}
        entries = row.get("thread")
        left = dict(zip(reference.heard, reference.state.thread, strict=True))
        said = dict(zip(reference.heard, reference.said, strict=True))
        strange = list(reference.strange.values()) + list(now.strange.values())
        rest: list[tuple[Entry, Row]] = []
        for raw in entries if isinstance(entries, list) else ():
            try:
                entry = entry_of(raw, now.id)
            except DamagedLedger:
                if isinstance(raw, dict) and raw not in strange:
                    self.odd.append(raw)
                continue
            name = next((name for name, one in left.items() if _is_same(one, entry)), None)
            if name is None:
                rest.append((entry, raw))
                continue
            del left[name]
            self._note_beside(name, raw, said[name])
        known = set(map(key_entry, now.state.thread))
        for entry, raw in rest:
            name = next((name for name, one in left.items() if _is_mended(one, entry)), None)
            if name is not None:
                known_one = left.pop(name)
                words = {"body": known_one.body, **said[name]}
                changed = _differ(words, {"body": entry.body, **_list_theirs(raw)})
                self.changed |= {name: changed} if changed else {}
            elif key_entry(entry) not in known:
                self.new.append((entry, _list_theirs(raw)))
        odd_gone = [name for name, one in reference.strange.items() if one not in _rows(entries)]
        self.gone = [*left, *odd_gone]

    def _note_beside(self, name: str, raw: Row, said: Row) -> None:
        theirs = _list_theirs(raw)
        if theirs != said:
            self.changed[name] = _differ(said, theirs)


def _list_theirs(raw: Row) -> Row:
    return {name: value for name, value in raw.items() if name not in ENTRY_FIELDS}


def _rows(entries: object) -> list[object]:
    return entries if isinstance(entries, list) else []


def _is_same(one: Entry, other: Entry) -> bool:
    """Tell whether an entry is one that is known; a copy may have it whole from before."""
    is_same = key_entry(one) == key_entry(other)
    return is_same or (_is_mended(one, other) and is_short_of(one.body, other.body))


def _is_mended(one: Entry, other: Entry) -> bool:
    """Tell whether only the words of an entry were changed."""
    return (one.type, one.speaker, one.at_ms) == (other.type, other.speaker, other.at_ms)


def _differ(before: Row, after: Row) -> Row:
    names = sorted({*before, *after})
    return {
        name: after.get(name) for name in names if before.get(name, None) != after.get(name, None)
    }


# --- beside the rows ------------------------------------------------------------------------


def _is_strange(row: object, issue: int) -> bool:
    try:
        id_of(row, issue)
    except DamagedLedger:
        return True
    return False


def _has_uid(row: object, now: Folded) -> bool:
    """Tell whether a row is a question of ours whose name was spoilt."""
    return isinstance(row, dict) and row.get("uid") in now.told


def _list_beside(document: Row, base: Base) -> Iterator[LedgerChange]:
    before = base.folded.beside
    theirs = {name: value for name, value in document.items() if name not in VIEW_FIELDS}
    gone = dict.fromkeys(set(before) - set(theirs)) if base.is_exact else {}
    changed = {name: value for name, value in theirs.items() if before.get(name) != value}
    if changed or gone:
        yield LedgerChange(
            LEDGER, QuestionEventKind.EDITED, {"fields": dict(sorted({**changed, **gone}.items()))}
        )
