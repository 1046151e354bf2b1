"""What names meant to this user, kept in their own data folder: a view can be taken away.

    <checkout>-<issue>.json   what names meant in a checkout: {"names": {name: [uid, ...]},
                              "asked": {name: uid of what was asked last}}
    person-<issue>.json       the last that a person was shown under a name, in any checkout or
                              clone of the repository: the same, with one uid each, and "words",
                              digests of what was asked

No word of a question stands in them. What was forgotten is taken out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from agentx.clarification.errors import refuse_unseen
from agentx.clarification.model import Clarification
from agentx.clarification.store.ledger_json import Row
from agentx.clarification.store.naming.names import (
    NOTHING_SHOWN,
    Names,
    NamesShown,
    keep_names,
    list_shown,
)
from agentx.clarification.watch.awaiting import (
    find_awaited,
    is_asked_further,
    is_to_be_answered,
    name_asked,
    sum_up_asked,
)
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import look, read_bytes
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
    # The folders of all that the repository is known by: clones share one, or more. None: ours.
    find_clones: Callable[[], tuple[Path, ...]] | None = None

    def list_before(self, issue: int, rows: Mapping[str, Row], *, by_person: bool = False) -> Names:
        """Return what else names meant: here, of what is still here; to a person, whatever it was.

        Who is told last what a name means knows it, so of a person only the last counts.
        """
        uids = {row.get("uid") for row in rows.values()}
        here = keep_names(self._read(self.place, issue), issue, {}, rows)
        found = {name: tuple(uid for uid in had if uid in uids) for name, had in here.items()}
        told = keep_names(self._read_told(issue), issue, {}, rows) if by_person else {}
        return join_names(found, told)

    def keep(
        self, issue: int, rows: Mapping[str, Row], names: Names, gone: Collection[str]
    ) -> None:
        """Note what names mean in a view that is written, and meant before."""
        before = self._read(self.place, issue)
        known = join_names(keep_names(before, issue, {}, rows), names)
        self._write(self.place, issue, before, list_shown(rows.values(), known), gone)
        if gone:
            told = self._read_told(issue)
            if any(uid in gone for uids in told.names.values() for uid in uids):
                self._write_told(issue, told, gone)

    def note_told(self, states: Iterable[Clarification]) -> None:
        """Note what a person was shown, each under its name."""
        by_issue: dict[int, list[Clarification]] = {}
        for state in states:
            if state.uid:
                by_issue.setdefault(state.issue, []).append(state)
        for issue, known in by_issue.items():
            told = self._read_told(issue)
            names: dict[str, tuple[str, ...]] = dict(told.names)
            asked: dict[str, str] = dict(told.asked)
            words: dict[str, str] = dict(told.words)
            for state in known:
                words[state.id] = words[name_asked(state)] = sum_up_asked(state)
                names[state.id], asked[state.id] = (state.uid,), find_awaited(state)
                if asked[state.id] in (state.uid, state.stem):  # the first is known by its thread
                    del asked[state.id]
            self._write_told(issue, NamesShown(names, asked, words))

    def find_told(self, issue: int, name: str) -> str:
        """Return which question a person was shown last under a name; nothing where none was."""
        told = self._read_told(issue)
        return told.asked.get(name) or next(iter(told.names.get(name, ())[-1:]), "")

    def check_seen(self, name: str, state: Clarification, why: str = "") -> None:
        """See that a person was shown what is asked now, if they were shown anything under a name.

        `why` says that they were not. The refusal shows it, with the name that means only that.

        Raises: NameMoved.
        """
        if not is_to_be_answered(state):
            return
        told = self._read_told(state.issue)
        words, exact = told.words.get(name, ""), name.partition("@")[2]
        if (words and words != sum_up_asked(state)) or (exact and is_asked_further(state, exact)):
            why = "is asked otherwise than you were shown"
        if why:
            now = {**told.words, name_asked(state): sum_up_asked(state)}
            self._write_told(state.issue, NamesShown(told.names, told.asked, now))
            raise refuse_unseen(state, why)

    def _list_folders(self) -> tuple[Path, ...]:
        if self.folder is None or self.find_clones is None:
            return () if self.folder is None else (self.folder,)
        return self.find_clones()

    def _read_told(self, issue: int) -> NamesShown:
        """Return what a person was shown; of several records the newest says last."""
        folders = self._list_folders()
        if len(folders) > 1:
            seen = {folder: look(self._place(folder, _PERSON, issue)) for folder in folders}
            folders = tuple(sorted(folders, key=lambda each: _age(seen[each])))
        names: dict[str, tuple[str, ...]] = {}
        asked: dict[str, str] = {}
        words: dict[str, str] = {}
        for folder in folders:
            found = self._read_in(self._place(folder, _PERSON, issue))
            for name in found.names:
                asked.pop(name, "")
            names |= found.names
            asked |= found.asked
            words |= found.words
        return NamesShown(names, asked, words)

    def _write_told(self, issue: int, shown: NamesShown, gone: Container[str] = ()) -> None:
        for folder in self._list_folders():
            path = self._place(folder, _PERSON, issue)
            self._write_in(path, self._read_in(path), shown, gone)

    def _read(self, whose: str, issue: int) -> NamesShown:
        if self.folder is None:
            return NOTHING_SHOWN
        return self._read_in(self._place(self.folder, whose, issue))

    @staticmethod
    def _read_in(path: Path) -> NamesShown:
        try:
            raw = read_bytes(path, bytes_max=_BYTES_MAX)
            return msgspec.json.decode(raw, type=NamesShown)
        except (OSError, ValueError, AgentXError, RecursionError):
            return NOTHING_SHOWN  # none yet, or damaged: as if nothing had been shown

    def _write(
        self, whose: str, issue: int, before: NamesShown, shown: NamesShown, gone: Container[str]
    ) -> None:
        if self.folder is not None:
            self._write_in(self._place(self.folder, whose, issue), before, shown, gone)

    @staticmethod
    def _write_in(path: Path, before: NamesShown, shown: NamesShown, gone: Container[str]) -> None:
        left = {
            name: kept
            for name, uids in list(shown.names.items())[-_NAMES_MAX:]
            if (kept := tuple(uid for uid in uids if uid not in gone)[-_UIDS_MAX:])
        }
        asked = {name: uid for name, uid in shown.asked.items() if name in left}
        words = {
            name: known
            for name, known in list(shown.words.items())[-_NAMES_MAX:]
            if name in left or ("@" in name and name.partition("@")[2] not in gone)
        }
        if before == NamesShown(left, asked, words):
            return
        with suppress(AgentXError, OSError):  # what the view says holds without it
            make_private_directory(path.parent)
            page = msgspec.json.encode(NamesShown(left, asked, words))
            replace_file(path, page, is_synced=False)

    @staticmethod
    def _place(folder: Path, whose: str, issue: int) -> Path:
        return folder / f"{whose}-{issue}.json"


def _age(seen: os.stat_result | None) -> int:
    return 0 if seen is None else seen.st_mtime_ns


def name_for_good(state: Clarification, list_moved: Callable[[], Names]) -> Clarification:
    """Return a question with the name that commands take, where its own meant another here."""
    return replace(state, goes_by=name_asked(state) if list_moved().get(state.id) else "")


def join_names(first: Names, second: Names) -> dict[str, tuple[str, ...]]:
    """Return what each name meant by either."""
    names = dict.fromkeys((*first, *second))
    joined = {name: (*first.get(name, ()), *second.get(name, ())) for name in names}
    return {name: tuple(dict.fromkeys(uids)) for name, uids in joined.items() if uids}
