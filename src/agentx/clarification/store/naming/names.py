"""What names meant here before: a merge may give one to another question.

A name that nobody has any more leads to the question that had it. One that means another now is
refused to who decides by it; with `@` and its uid a question is named for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentx.clarification.store.ledger_json import Row
from agentx.kernel.ids import clarification_id

Names = Mapping[str, tuple[str, ...]]  # of each name the questions that it meant


def list_shown(rows: Iterable[object], before: Names) -> Names:
    """Return what each name meant here: in the rows of a view, and before that."""
    shown = dict(before)
    for row in rows:
        name, uid = (row.get("id"), row.get("uid")) if isinstance(row, dict) else (None, None)
        if isinstance(name, str) and isinstance(uid, str):
            shown[name] = tuple(dict.fromkeys((*shown.get(name, ()), uid)))
    return shown


def keep_names(
    shown: Names, issue: int, also: Mapping[int, str], rows: Mapping[str, Row]
) -> dict[str, tuple[str, ...]]:
    """Return what names meant that do not mean it now."""
    claimed: dict[str, str] = {clarification_id(issue, number): uid for number, uid in also.items()}
    kept: dict[str, tuple[str, ...]] = {}
    for name in sorted({*shown, *claimed}):
        uids = (*shown.get(name, ()), *((claimed[name],) if name in claimed else ()))
        now = rows.get(name, {}).get("uid")
        left = tuple(uid for uid in dict.fromkeys(uids) if uid != now)
        if left:
            kept[name] = left
    return kept


def find_row(rows: Mapping[str, Row], names: Names, wanted: str) -> Row | None:
    """Return the row with a name, or that had it, or None; `@` and its uid name it for good."""
    if wanted in rows:
        return rows[wanted]
    name, at, which = wanted.partition("@")
    if at:
        return next(
            (row for row in rows.values() if wanted == row.get("formerly")),
            _find_uid(rows, which),
        )
    had = [row for uid in names.get(name, ()) if (row := _find_uid(rows, uid)) is not None]
    return had[0] if len(had) == 1 else None


def list_meant(rows: Mapping[str, Row], names: Names, wanted: str) -> tuple[Row | None, ...]:
    """Return what else a plain name meant here before; None stands for what is gone."""
    had = tuple(_find_uid(rows, uid) for uid in names.get(wanted, ()))
    here = tuple(row for row in had if row is not None)
    if wanted in rows:
        return had
    return here if len(here) > 1 else ()


def _find_uid(rows: Mapping[str, Row], uid: str) -> Row | None:
    return next((row for row in rows.values() if row.get("uid") == uid), None)
