"""What people decided and told memory that a restore would take back: said before it is done.

Also what was asked since, whose askers go on waiting. The questions, runs, lessons and memory of
the file are laid out beside, read, and removed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from agentx.clarification.model import Clarification
from agentx.clarification.store.ledgers import LedgerStore
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.json_text import parse_json
from agentx.host.files.parcel import Parcel
from agentx.host.files.plain import exists, is_folder, remove_tree
from agentx.kernel.errors import AgentXError, CorruptRecord
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.observations.model import Observation
from agentx.observations.port import ObservationStore
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.paths import ObservationPaths
from agentx.project.project import Project
from agentx.wiring.clarifications import make_pen
from agentx.wiring.keeping import backup
from agentx.wiring.keeping.carrying import FILE, check_file
from agentx.wiring.keeping.keyring import load_keys
from agentx.wiring.keeping.salvage import mint_free
from agentx.wiring.kept.lost_answers import find_lost_of_runs
from agentx.wiring.observations import open_vouched
from agentx.wiring.vouched.outcomes import find_question

_HELD = "held/questions"
_QUESTIONS = (".agentx/questions/", ".agentx/state/clarifications/", f"{_HELD}/")
_MEMORY = (".agentx/memory/", "private/")
_RUNS = ".agent-memory/"
_WORK = "restoring-"  # swept with what a restore leaves that was killed
_WORDS_CHARS = 80


@frozen
class RestoreLoss:
    """What a restore would take back of what people said."""

    questions: tuple[str, ...] = ()  # each with what it would be then
    answers: tuple[str, ...] = ()  # to runs, likewise
    memories: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()  # asked since, and not answered


def find_loss(project: Project, path: Path, *, passphrase: str = "") -> RestoreLoss:
    """Return what people decided, and told memory, that an export has not got.

    Raises: InvalidValue, DataError for a file that is none of ours, UnavailableError.
    """
    said = _list_said(project)
    places = (*project.asked, project.paths.run_memory)
    if not (said or any(map(is_folder, places))) or not is_folder(project.store.root):
        return RestoreLoss()
    work = project.store.root / f"{_WORK}{mint_free(project, 'replaced-')}"
    make_private_directory(work)
    try:
        with closing(Parcel(path, passphrase=passphrase)) as parcel:
            laid = _lay(project, parcel, work)
        pen = make_pen(project)
        now = LedgerStore(project.paths, project.clock, pen)
        there = ProjectPaths(work / "project")
        then = LedgerStore(there, project.clock, replace(pen, held=work / "store" / _HELD))
        asked, before = tuple(_read(now)), {one.uid or one.id: one for one in _read(then)}
        of_runs = find_lost_of_runs(project, there, StorePaths(work / "store"))
        return RestoreLoss(
            questions=tuple(_compare(asked, before)),
            answers=of_runs.answers,
            memories=tuple(_list_gone(project, laid, work / "words", said)),
            lessons=of_runs.lessons,
            waiting=(*_list_waiting(asked, before), *of_runs.questions),
        )
    finally:
        with suppress(OSError, AgentXError):  # it is swept with what a restore leaves
            remove_tree(work)


def _lay(project: Project, parcel: Parcel, work: Path) -> frozenset[Path]:
    """Lay out what matters; return the folders of memory."""
    held = load_keys(project) if parcel.about.get("kind") == backup.KIND else {}
    parts: dict[Path, list[bytes]] = {}
    joined: dict[Path, list[Any]] = {}
    for carried in parcel.records():
        opened = backup.open_sealed(carried, held) if carried[:1] == [backup.SEALED] else carried
        match opened:
            case [backup.OBSERVATION, str(name), bytes(said)]:
                joined.setdefault(_place(work, name), []).append(parse_json(said))
            case [kind, *_] if kind == FILE:
                part = check_file(opened)
                if part.name.startswith((*_QUESTIONS, *_MEMORY, _RUNS)):
                    parts.setdefault(_place(work, part.name), []).append(part.part)
            case _:
                pass
    for path, pieces in parts.items():
        whole = b"".join(pieces)
        make_private_directory(path.parent)
        more = joined.get(path)
        replace_file(path, backup.join_observations(whole, more) if more else whole)
    return frozenset(path.parent for path in parts if path.parent.name == "memory")


def _place(work: Path, name: str) -> Path:
    folder = "project" if name.startswith((".agentx/", _RUNS)) else "store"
    return work / folder / PurePosixPath(name)


def _read(store: LedgerStore) -> Iterator[Clarification]:
    for stamp in store.stamps():
        try:
            yield from store.read(stamp.issue)
        except CorruptRecord:
            continue


def _list_waiting(
    now: Iterable[Clarification], before: Mapping[str, Clarification]
) -> Iterator[str]:
    """Yield the questions that wait for an answer and are not in the file."""
    for state in now:
        if (
            state.persons_word is None
            and state.holds_its_asker
            and (state.uid or state.id) not in before
        ):
            asked = preview(state.asked_last, _WORDS_CHARS)
            yield f"{state.id} {state.topic}: {asked} ({state.asker} asks {state.to})"


def _compare(now: Iterable[Clarification], before: Mapping[str, Clarification]) -> Iterator[str]:
    """Yield the questions that people decided and that are not so in the file."""
    for state in now:
        word = state.persons_word
        if word is None:
            continue
        was = before.get(state.uid or state.id)
        if was is None:
            becomes = "would be gone"
        elif was.persons_word is None:
            becomes = f"would be {was.status} again"
        elif was.persons_word.body != word.body:
            becomes = f'would be decided otherwise: "{preview(was.persons_word.body, 40)}"'
        else:
            continue
        yield f'{state.id} {state.topic}: "{preview(word.body, _WORDS_CHARS)}" {becomes}'


def _list_said(project: Project) -> tuple[Observation, ...]:
    """Return what people told memory themselves."""
    if not exists(project.observations):
        return ()
    try:
        with closing(open_vouched(project)) as store:
            found = tuple(store.everything())
    except AgentXError:
        return ()
    return tuple(one for one in found if one.agent == PERSON_ROLE and not find_question(one))


def _list_gone(
    project: Project, folders: Iterable[Path], words: Path, said: tuple[Observation, ...]
) -> Iterator[str]:
    ids = [one.id for one in said]
    there: set[str] = set()
    for folder in folders:
        with ExitStack() as opened:
            for store in _open(project, folder, words):
                opened.enter_context(closing(store))
                there |= {one.id for one in store.get_by_ids(ids) if one.agent == PERSON_ROLE}
    for one in said:
        if one.id not in there:
            yield preview(one.content, _WORDS_CHARS)


def _open(project: Project, folder: Path, words: Path) -> Iterator[ObservationStore]:
    clock = project.clock
    yield JsonObservationStore(folder, clock=clock, entropy=project.entropy, view_folder=words)
    database = ObservationPaths(folder).database
    if exists(database):
        from agentx.observations.store.sqlite.store import SqliteObservationStore  # noqa: PLC0415  few have one

        yield SqliteObservationStore(database, clock=clock, view_folder=words)
