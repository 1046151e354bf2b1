"""What questions came to, kept as decisions: of all that are settled, whoever settled them, once.

A colleague's decision comes with a pull, one's own with another checkout, or it was settled while
nobody could keep it: killed, or before the repository was trusted. It is kept where its repository
is trusted and somebody vouches for the word, with who said it. Where the ledger then says something
else than was kept here, that is replaced: memory follows the ledger, which says the same in every
clone. What a person took away stays away (`vouched.taken_away`). How the files were is noted, so
that nothing is read again that is as it was.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from agentx.clarification.model import Clarification
from agentx.clarification.store.ledgers import LedgerStore
from agentx.host.files.plain import is_folder, list_folder, look
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import digest
from agentx.observations.model import Observation
from agentx.observations.settings import MemorySettings
from agentx.observations.store.paths import ObservationPaths
from agentx.project.project import Project
from agentx.wiring.clarifications import make_pen
from agentx.wiring.kept.followed import follow_drops
from agentx.wiring.kept.forgotten import take_out_forgotten
from agentx.wiring.kept.known import Outcome, choose_kept, keep_outcomes, list_decided
from agentx.wiring.kept.looked_at import (
    LOOKS,
    DecidedNote,
    look_at_ledgers,
    look_at_others,
    read_note,
    write_note,
)
from agentx.wiring.observations import open_observations, open_vouched
from agentx.wiring.vouched.outcomes import find_question, is_kept_of, says_same
from agentx.wiring.vouched.sayers import name_decision


def keep_decisions(project: Project) -> int:
    """Keep what settled questions came to, as far as memory has not got it; return how many.

    Raises: LockHeld, UnavailableError.
    """
    if not (project.trust.has_data and any(map(is_folder, project.asked))):
        return 0
    note = read_note(project)
    store = LedgerStore(project.paths, project.clock, make_pen(project))
    looks, others = look_at_ledgers(project), look_at_others(project)
    taken_away = _look_at(project.data.taken_away)
    if (note.place, note.taken_away) == (_find_place(project), taken_away):
        changed = {issue for issue, now in looks.items() if note.looks.get(issue) != now}
        is_same = (note.others, note.memory) == (others, _look_at_memory(project))
        if not changed and is_same:
            return 0
    else:
        changed = set(
            looks
        )  # another memory has none of it, and what was brought back is to be kept
    kept = 0
    with closing(open_observations(project)) as room, closing(open_vouched(project)) as vouched:
        if not room.is_enabled:
            return 0
        if note.taken_away != taken_away:
            follow_drops(project, vouched)
        lost = vouched.list_lost()
        of_lost = {name.split("-")[1] for name in lost}
        issues = sorted(map(int, changed | (of_lost & looks.keys())))
        take_out_forgotten(project, room, vouched, store, issues)
        for issue in issues:
            here = room.store.get_by_issue(issue)
            unkept = _list_unkept(project, store, issue, here, lost)
            for each, done in keep_outcomes(project, room, unkept):
                if not done.is_done:  # somebody else writes: at the next sync
                    return kept
                kept += done.made is not None
                if done.made is not None and each.is_lost:
                    vouched.note_found(each.state.id)
    place, memory = _find_place(project), _look_at_memory(project)
    write_note(
        project,
        DecidedNote(
            looks=looks,
            others=others,
            place=place,
            memory=memory,
            taken_away=taken_away,
            by=LOOKS,
        ),
    )
    return kept


def _list_unkept(
    project: Project,
    store: LedgerStore,
    issue: int,
    here: Iterable[Observation],
    lost: Container[str],
) -> Iterator[Outcome]:
    """Yield what questions of an issue came to, where memory has not got it, or has another.

    Only those that somebody vouches for. What is kept as it is needs nobody to be judged.
    """
    kept: dict[str, list[Observation]] = {}
    for one in here:
        kept.setdefault(find_question(one), []).append(one)
    found: list[tuple[Clarification, tuple[Observation, ...]]] = []
    try:
        for state in store.read(issue):
            named, decided = kept.get(state.id, ()), list_decided(state)
            olds = ((pair, choose_kept(named, pair[0], decided)) for pair in decided)
            found += ((each, old) for (each, came), old in olds if not _is_kept(old, came))
        judged = store.list_judged(issue, {each.uid for each, _ in found}) if found else ()
    except CorruptRecord:
        return
    for each, old in found:
        decision = name_decision(project, each, judged, vouched=True)
        if decision is not None:
            yield Outcome(
                state=each,
                decision=decision,
                kept=tuple(one for one in old if is_kept_of(one, each, decision)),
                is_lost=each.id in lost,
                named=frozenset(one.id for one in kept.get(each.id, ())),
            )


def _is_kept(kept: Iterable[Observation], decision: Observation) -> bool:
    """Tell whether memory says of a question just what it came to."""
    standing = [one for one in kept if not one.superseded_by]
    return len(standing) == 1 and says_same(standing[0], decision)


def _find_place(project: Project) -> str:
    """Return what is another where memory is kept elsewhere, or was begun anew."""
    folder = project.observations
    seen = (look(folder), look(ObservationPaths(folder).database))
    backend = project.config.section(MemorySettings).backend
    return f"{backend} {[each and each.st_ino for each in seen]}"


def _look_at_memory(project: Project) -> str:
    """Return what changes when the files of memory do, or the record of what people had kept."""
    folder = project.observations
    names = list_folder(folder).files if is_folder(folder) else ()
    return _look_at(project.store.persons, *(folder / name for name in names))


def _look_at(*paths: Path) -> str:
    seen = map(look, paths)
    looks = [each and (each.st_ino, each.st_size, each.st_mtime_ns) for each in seen]
    return digest(repr(looks)).hex()
