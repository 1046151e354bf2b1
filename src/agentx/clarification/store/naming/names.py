"""What names meant here before: a merge may give one to another question.

A name that nobody has any more leads to the question that had it. One that means another now is
refused to who decides by it; with `@` and its uid a question is named for good: that of the thread,
or that of what was asked last on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from agentx.clarification.model import EntryType
from agentx.clarification.store.ledger_json import Row
from agentx.kernel.ids import clarification_id
from agentx.kernel.values import frozen

Names = Mapping[str, tuple[str, ...]]  # of each name the questions that it meant


@frozen(kw_only=False)
class NamesShown:
    """What names meant here so far: which threads, and what was asked last on each."""

    names: Names
    asked: Mapping[str, str]
    words: Mapping[str, str] = field(default_factory=dict)  # digests of what a person was shown


NOTHING_SHOWN = NamesShown({}, {})


def list_shown(rows: Iterable[object], before: Names) -> NamesShown:
    """Return what each name meant here: in the rows of a view, and before that."""
    shown = dict(before)
    last: dict[str, str] = {}
    for row in rows:
        name, uid = (row.get("id"), row.get("uid")) if isinstance(row, dict) else (None, None)
        if isinstance(row, dict) and isinstance(name, str) and isinstance(uid, str):
            shown[name] = tuple(dict.fromkeys((*shown.get(name, ()), uid)))
            asked = _list_asked(row)
            last |= {name: asked[-1]} if asked else {}
    return NamesShown(shown, last)


def keep_names(
    shown: NamesShown, issue: int, also: Mapping[int, str], rows: Mapping[str, Row]
) -> dict[str, tuple[str, ...]]:
    """Return what names meant that do not mean it now."""
    claimed: dict[str, str] = {clarification_id(issue, number): uid for number, uid in also.items()}
    kept: dict[str, tuple[str, ...]] = {}
    for name in sorted({*shown.names, *claimed}):
        uids = (*shown.names.get(name, ()), *((claimed[name],) if name in claimed else ()))
        now = rows.get(name, {})
        asked = shown.asked.get(name, "")
        if asked and asked not in _list_asked(now):  # an offshoot took it along
            uids = (*uids, *(row["uid"] for row in rows.values() if asked in _list_asked(row)))
        left = tuple(uid for uid in dict.fromkeys(uids) if uid != now.get("uid"))
        if left:
            kept[name] = left
    return kept


def _list_asked(row: Row) -> list[str]:
    """Return what was asked on a thread after its first question, by what it is known by."""
    thread = row.get("thread")
    entries = thread if isinstance(thread, list) else ()
    return [
        entry["uid"]
        for entry in entries
        if isinstance(entry, dict)
        and entry.get("type") in _ASKING
        and entry.get("late") is not True
        and isinstance(entry.get("uid"), str)
    ]


_ASKING = (EntryType.QUESTION, EntryType.ESCALATION)


def find_row(rows: Mapping[str, Row], names: Names, wanted: str) -> Row | None:
    """Return the row with a name, or that had it, or None; `@` and its uid name it for good."""
    if wanted in rows:
        return rows[wanted]
    name, at, which = wanted.partition("@")
    if at:
        formerly = (row for row in rows.values() if wanted == row.get("formerly"))
        return next(formerly, None) or _find_uid(rows, which) or _find_asked(rows, which)
    had = [row for uid in names.get(name, ()) if (row := _find_uid(rows, uid)) is not None]
    return had[0] if len(had) == 1 else None


def list_meant(rows: Mapping[str, Row], names: Names, wanted: str) -> tuple[Row | None, ...]:
    """Return what else a plain name meant here before; None stands for what is gone."""
    had = tuple(_find_uid(rows, uid) for uid in names.get(wanted, ()))
    here = tuple(row for row in had if row is not None)
    if wanted in rows:
        return had
    return here if len(here) > 1 else ()


def _find_asked(rows: Mapping[str, Row], uid: str) -> Row | None:
    """Return the one thread on which a question is the last that was asked, or None."""
    found = [row for row in rows.values() if _list_asked(row)[-1:] == [uid]]
    return found[0] if len(found) == 1 else None


def _find_uid(rows: Mapping[str, Row], uid: str) -> Row | None:
    return next((row for row in rows.values() if row.get("uid") == uid), None)
