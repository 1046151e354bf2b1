"""What names meant to this user, kept in their own data folder: a view can be taken away.

    <checkout>-<issue>.json   what names meant in a checkout: {"names": {name: [uid, ...]},
                              "asked": {name: uid of what was asked last}}
    person-<issue>.json       the last that a person was shown under a name, in any checkout: the
                              same, with one uid each

No word of a question stands in them. What was forgotten is taken out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agentx.clarification.model import Clarification
from agentx.clarification.store.ledger_json import Row
from agentx.clarification.store.naming.names import (
    NOTHING_SHOWN,
    Names,
    NamesShown,
    keep_names,
    list_shown,
)
from agentx.clarification.watch.awaiting import find_awaited
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import read_bytes
from agentx.kernel.errors import AgentXError

_BYTES_MAX = 1_000_000
_NAMES_MAX = 2_000  # of an issue, the last ones
_UIDS_MAX = 8  # of a name, the last ones
_PERSON = "person"


@dataclass(frozen=True, slots=True)
class ShownNames:
    """What names of questions meant to one user in one checkout, and to them as a person."""

    folder: Path | None = None  # None where nothing is to be kept
    place: str = ""  # what the checkout is known by

    def list_before(self, issue: int, rows: Mapping[str, Row], *, by_person: bool = False) -> Names:
        """Return what else names meant: here, of what is still here; to a person, whatever it was.

        Who is told last what a name means knows it, so of a person only the last counts.
        """
        uids = {row.get("uid") for row in rows.values()}
        here = keep_names(self._read(self.place, issue), issue, {}, rows)
        found = {name: tuple(uid for uid in had if uid in uids) for name, had in here.items()}
        told = keep_names(self._read(_PERSON, issue), issue, {}, rows) if by_person else {}
        return join_names(found, told)

    def keep(self, issue: int, rows: Mapping[str, Row], names: Names, gone: Container[str]) -> None:
        """Note what names mean in a view that is written, and meant before."""
        before = self._read(self.place, issue)
        known = join_names(keep_names(before, issue, {}, rows), names)
        self._write(self.place, issue, before, list_shown(rows.values(), known), gone)
        told = self._read(_PERSON, issue)
        if any(uid in gone for uids in told.names.values() for uid in uids):
            self._write(_PERSON, issue, told, told, gone)

    def note_told(self, states: Iterable[Clarification]) -> None:
        """Note what a person was shown, each under its name."""
        by_issue: dict[int, list[Clarification]] = {}
        for state in states:
            if state.uid:
                by_issue.setdefault(state.issue, []).append(state)
        for issue, known in by_issue.items():
            before = self._read(_PERSON, issue)
            names: dict[str, tuple[str, ...]] = dict(before.names)
            asked: dict[str, str] = dict(before.asked)
            for state in known:
                names[state.id], asked[state.id] = (state.uid,), find_awaited(state)
                if asked[state.id] in (state.uid, state.stem):  # the first is known by its thread
                    del asked[state.id]
            self._write(_PERSON, issue, before, NamesShown(names, asked), ())

    def find_told(self, issue: int, name: str) -> str:
        """Return which question a person was shown last under a name; nothing where none was."""
        told = self._read(_PERSON, issue)
        return told.asked.get(name) or next(iter(told.names.get(name, ())[-1:]), "")

    def _read(self, whose: str, issue: int) -> NamesShown:
        if self.folder is None:
            return NOTHING_SHOWN
        try:
            raw = read_bytes(self._place(self.folder, whose, issue), bytes_max=_BYTES_MAX)
            return msgspec.json.decode(raw, type=NamesShown)
        except (OSError, ValueError, AgentXError, RecursionError):
            return NOTHING_SHOWN  # none yet, or damaged: as if nothing had been shown

    def _write(
        self, whose: str, issue: int, before: NamesShown, shown: NamesShown, gone: Container[str]
    ) -> None:
        if self.folder is None:
            return
        left = {
            name: kept
            for name, uids in list(shown.names.items())[-_NAMES_MAX:]
            if (kept := tuple(uid for uid in uids if uid not in gone)[-_UIDS_MAX:])
        }
        asked = {name: uid for name, uid in shown.asked.items() if name in left}
        if before == NamesShown(left, asked):
            return
        with suppress(AgentXError, OSError):  # what the view says holds without it
            make_private_directory(self.folder)
            page = msgspec.json.encode({"names": left, "asked": asked})
            replace_file(self._place(self.folder, whose, issue), page, is_synced=False)

    @staticmethod
    def _place(folder: Path, whose: str, issue: int) -> Path:
        return folder / f"{whose}-{issue}.json"


def join_names(first: Names, second: Names) -> dict[str, tuple[str, ...]]:
    """Return what each name meant by either."""
    names = dict.fromkeys((*first, *second))
    joined = {name: (*first.get(name, ()), *second.get(name, ())) for name in names}
    return {name: tuple(dict.fromkeys(uids)) for name, uids in joined.items() if uids}
