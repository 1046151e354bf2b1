"""What memory knows of a question: the ledgers and the observations of a project, searched; and
what a settled question leaves behind there.

Neither needs the store or a daemon. What cannot be read is done without: whoever asks, asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from agentx.clarification.contested import is_contested
from agentx.clarification.data import KnownAnswer
from agentx.clarification.events import ClarificationEvent
from agentx.clarification.model import PERSON, Clarification, NewQuestion
from agentx.clarification.store.ledgers import LedgerStore
from agentx.host.files.plain import is_file
from agentx.kernel.errors import AgentXError
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.limits import OBSERVATIONS_PER_CAPTURE_MAX
from agentx.observations.model import Category, Observation
from agentx.observations.service import Observations
from agentx.observations.validity.staleness import list_changed_since
from agentx.project.project import Project
from agentx.recall.known.answers import Known, find_known_answer, list_decisions, read_decision
from agentx.recall.limits import KNOWN_FILES_MAX, KNOWN_MEMORIES_MAX
from agentx.views.sessions.file_history import GitFileHistory
from agentx.wiring.clarifications import make_pen, name_overruling, open_clarifications
from agentx.wiring.observations import open_observations, prepare_observations
from agentx.wiring.trust.issue_marks import AskedIssues
from agentx.wiring.vouched.outcomes import (
    find_matter,
    find_question,
    find_same,
    is_kept_of,
    list_ids,
    list_kept,
    list_names_of,
    list_overtaken,
    list_uids,
)
from agentx.wiring.vouched.sayers import name_decision
from agentx.wiring.vouched.store import VouchedStore

_PATH = compile_late(r"(?<![\w/.~-])(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z]\w{0,7}(?![\w/])")


def find_known(project: Project, state: Clarification) -> KnownAnswer | None:
    """Return what answers a question that was kept, and is proven and stands; else None."""
    if not project.trust.has_data:
        return None
    request = NewQuestion(
        issue=state.issue,
        asker=state.asker,
        to=state.to,
        topic=state.topic,
        question=state.question,
        issue_mark=state.issue_mark,
    )
    try:
        asked = open_clarifications(project).list_all()
        found = find_known_answer(request, Known(clarifications=asked), itself=state.id)
        words = (f"{state.topic} {state.question}", "" if found is None else found.text)
        known = Known(clarifications=asked, memories=_search(project, words))
        found = find_known_answer(request, known, itself=state.id)
        if found is None or _is_taken_back(project, asked, found):
            return None
        return None if _is_in_doubt(project, asked, found) else _look_at_files(project, found)
    except (AgentXError, OSError) as error:
        project.log.record("warning", "clarification-known", message=str(error))
        return None


def _is_in_doubt(project: Project, asked: Iterable[Clarification], found: KnownAnswer) -> bool:
    """Tell whether something speaks against what is offered: also against what it is a copy of."""
    state = next((each for each in asked if each.id == found.grip), None)
    if state is None:
        return False
    [told] = name_overruling(project, (state,))
    return is_contested(told) or bool(told.decided_later)


def _is_taken_back(project: Project, asked: Iterable[Clarification], found: KnownAnswer) -> bool:
    """Tell whether a person took what is offered out of memory, or has it there in other words."""
    state = next((each for each in asked if each.id == found.grip), None)
    decision = None if state is None else read_decision(state)
    if state is None or decision is None:
        return False
    with closing(open_observations(project)) as room:
        store, name = room.store, next(list_names_of(state, decision))
        if isinstance(store, VouchedStore) and (
            store.is_taken_away(name) or store.taken_away.holds(list_uids(state), decision)
        ):
            return True
        kept = store.get_by_id(name)
        return kept is not None and bool(kept.mended_ms) and find_same((kept,), decision) is None


def keep_decision(project: Project, event: ClarificationEvent) -> Observation | None:
    """Keep what a question came to as a decision, which recall tells; once.

    Also what a person said before it asked further. Return what it came to, where that is new.

    What was taken from memory is there already.

    Raises: LockHeld, UnavailableError.
    """
    if not project.trust.has_data:
        return None  # what a stranger's repository says is no decision of ours
    state = open_clarifications(project).find(event.clarification_id)
    store = LedgerStore(project.paths, project.clock, make_pen(project))
    decided = list_decided(state)
    if not decided:
        return None
    judged, made = store.list_judged(state.issue, {state.uid}), None
    with closing(open_observations(project)) as room:
        named = list_kept(room.store.get_by_issue(state.issue), state.id)
        for each, _ in decided:
            decision = name_decision(project, each, judged)
            if decision is not None:
                old = choose_kept(named, each, decided)
                old = tuple(one for one in old if is_kept_of(one, each, decision))
                outcome = Outcome(state=each, decision=decision, kept=old)
                done = keep_outcome(project, room, outcome).made
                made = done if each is state else made
    return made


def list_decided(state: Clarification) -> tuple[tuple[Clarification, Observation], ...]:
    """Return what a thread came to, and before; what was taken from memory is there already."""
    return tuple(pair for pair in list_decisions(state) if not is_from_memory(pair[0]))


def choose_kept(
    named: Iterable[Observation],
    of: Clarification,
    decided: Iterable[tuple[Clarification, Observation]],
) -> tuple[Observation, ...]:
    """Return those memories of a thread that are of one thing which it asks.

    What is of none for sure is of what the thread came to.
    """
    pairs = tuple(decided)
    found = ((one, find_matter(one, pairs)) for one in named)
    return tuple(one for one, it in found if it is of or (it is None and not of.asked_on))


def find_persons_decision(project: Project, one: Observation) -> Clarification | None:
    """Return the question that a memory tells a person's decision of; None for any other memory.

    Of a thread it is what was asked then. It has the number that its issue has now.
    """
    name = find_question(one) if one.agent == PERSON else ""
    if not name:
        return None
    try:
        state = open_clarifications(project).find(name)
    except AgentXError:
        return None  # not asked on this branch: nothing says otherwise here
    state = find_matter(one, list_decisions(state)) or state
    if state.persons_word is None:
        return None
    return replace(state, issue=AskedIssues(project).find_number(state) or state.issue)


def is_from_memory(state: Clarification) -> bool:
    """Tell whether a question was answered by what memory knew."""
    return state.answered is not None and bool(state.answered.source)


@frozen
class Outcome:
    """What a settled question came to, and what is kept of it."""

    state: Clarification
    decision: Observation
    kept: tuple[Observation, ...] = ()
    is_lost: bool = False  # memory had it, or has it in other words
    named: frozenset[str] = frozenset()  # what else memory has of its thread


@frozen(kw_only=False)
class KeptOutcome:
    """What became of an outcome: the memory of it, if one was made, and whether it is settled."""

    made: Observation | None
    is_done: bool = True  # not where somebody else writes


def keep_outcome(project: Project, room: Observations, outcome: Outcome) -> KeptOutcome:
    """Keep what a question came to, where something else is kept of it, or nothing is.

    What a person took away stays away. Whoever keeps it at the same time keeps the same one.

    Raises: UnavailableError, LockHeld.
    """
    state, decision, old = outcome.state, outcome.decision, outcome.kept
    overtaken, same = list_overtaken(old, state, decision), find_same(old, decision)
    made = None
    is_standing = any(not one.superseded_by for one in old)  # what a person wrote anew is theirs
    if same is None and room.is_enabled and (overtaken or outcome.is_lost or not is_standing):
        if _is_taken_away(room, outcome):
            return KeptOutcome(None)
        name, same = _find_place(room, state, decision)
        if same is None:
            done = _capture(project, room, (replace(decision, id=name),))
            if done is None:
                return KeptOutcome(None, is_done=False)
            made = next(iter(done), None)
    now = same or made
    if now is not None:
        supersede(room, overtaken, now, outcome.named)
    return KeptOutcome(made)


def keep_outcomes(
    project: Project, room: Observations, outcomes: Iterable[Outcome]
) -> Iterator[tuple[Outcome, KeptOutcome]]:
    """Keep what questions of one issue came to, each as `keep_outcome` does; yield what became.

    What nothing is kept of is written together: each write reads what lies there.

    Raises: UnavailableError, LockHeld.
    """
    together: dict[str, tuple[Outcome, Observation]] = {}
    for outcome in outcomes:
        new = None if outcome.kept else _find_new(room, outcome)
        if new is not None and _fits(new, [one for _, one in together.values()]):
            together[new.id] = (outcome, new)
            continue
        yield from _keep_together(project, room, together)
        together = {}
        if new is None:
            yield outcome, keep_outcome(project, room, outcome)
        else:
            together = {new.id: (outcome, new)}
    yield from _keep_together(project, room, together)


def _find_new(room: Observations, outcome: Outcome) -> Observation | None:
    """Return what is to be kept of a question of which nothing is; None where nothing may be."""
    if not room.is_enabled or _is_taken_away(room, outcome):
        return None
    name, same = _find_place(room, outcome.state, outcome.decision)
    return replace(outcome.decision, id=name) if same is None else None


def _fits(new: Observation, others: Sequence[Observation]) -> bool:
    """Tell whether a memory may be written with others: of one sayer, and of another name."""
    is_other = all(one.id != new.id and one.agent == new.agent for one in others)
    return is_other and len(others) < OBSERVATIONS_PER_CAPTURE_MAX


def _keep_together(
    project: Project, room: Observations, together: Mapping[str, tuple[Outcome, Observation]]
) -> Iterator[tuple[Outcome, KeptOutcome]]:
    if not together:
        return
    done = _capture(project, room, [one for _, one in together.values()])
    made = {one.id: one for one in done or ()}
    for name, (outcome, _) in together.items():
        yield outcome, KeptOutcome(made.get(name), is_done=done is not None)


def _capture(
    project: Project, room: Observations, new: Sequence[Observation]
) -> tuple[Observation, ...] | None:
    """Keep memories of one sayer and one issue, with the files that they name."""
    prepare_observations(project)
    full = [replace(one, files=list_files_named(project, one.content)) for one in new]
    return room.capture(full, agent=full[0].agent, issue=full[0].issue_number)


def _is_taken_away(room: Observations, outcome: Outcome) -> bool:
    store, state, decision = room.store, outcome.state, outcome.decision
    if not isinstance(store, VouchedStore):
        return False
    store.begin_record()  # what a file says from now on is held against it
    name = next(list_names_of(state, decision))
    is_gone = not outcome.is_lost and store.is_taken_away(name)
    return is_gone or store.taken_away.holds(list_uids(state), decision)


def _find_place(
    room: Observations, state: Clarification, decision: Observation
) -> tuple[str, Observation | None]:
    """Return under which name a decision is kept; and it, where somebody kept it just now.

    Two who keep it at once keep one. What lies under its name by hand is not it.
    """
    for name in list_names_of(state, decision):
        there = room.store.get_by_id(name)
        same = None if there is None else find_same((there,), decision)
        if there is None or same is not None:
            return name, same
    raise AssertionError("there is always a next name")


def supersede(
    room: Observations,
    overtaken: Iterable[Observation],
    by: Observation,
    named: Iterable[str] = (),
) -> None:
    """Mark what a question came to before as replaced by what it came to.

    What was replaced so, or by what else is named of the thread, and is what it came to after all,
    stands again.

    Raises: LockHeld, UnavailableError.
    """
    marked = [replace(one, superseded_by=by.id) for one in overtaken]
    if by.superseded_by in {*named, *(one.id for one in marked)}:
        marked.append(replace(by, superseded_by=""))
    if marked:
        room.store.amend(marked)


def list_left(project: Project, states: Iterable[Clarification]) -> tuple[str, ...]:
    """Return the ids of the memories that questions left behind, in the archive too.

    A memory is known by the question's name, and by its own id: who made it before a merge may have
    called the question otherwise.

    Raises: UnavailableError.
    """
    found: list[str] = []
    with closing(open_observations(project)) as room:
        for state in states:
            # An original in the archive goes with what it was merged into.
            olds = (one for one in room.store.archive() if one.issue_number == state.issue)
            memories = (*room.store.get_by_issue(state.issue), *olds)
            found += (one.id for one in list_kept(memories, state.id))
            decided = list_decided(state) if state.uid else ()
            called = {name for each in decided for name in list_ids(*each)}
            found += (one.id for one in memories if one.id in called)
    return tuple(dict.fromkeys(found))


def forget_left(project: Project, names: Iterable[str]) -> None:
    """Take away memories that questions left behind.

    Raises: LockHeld, UnavailableError.
    """
    from agentx.wiring.keeping.tombstones import bury_observations  # noqa: PLC0415  who forgets

    gone = tuple(names)
    bury_observations(project, gone)
    with closing(open_observations(project)) as room:
        room.forget(gone)


def list_files_named(project: Project, text: str) -> tuple[str, ...]:
    """Return the files of a project that a text names."""
    names = dict.fromkeys(name for name in _PATH.findall(text) if ".." not in name)
    there = (name for name in names if is_file(project.root / name))
    return tuple(there)[:KNOWN_FILES_MAX]


def _search(project: Project, texts: Iterable[str]) -> tuple[Observation, ...]:
    """Return the memories that are near to some texts."""
    with closing(open_observations(project)) as room:
        store = room.store
        if not store.count_standing():
            return ()
        found = (store.search(text, KNOWN_MEMORIES_MAX) for text in filter(None, texts))
        return store.get_by_ids(dict.fromkeys(row.id for rows in found for row in rows))


def _look_at_files(project: Project, found: KnownAnswer) -> KnownAnswer:
    files = list_files_named(project, f"{found.asked} {found.text}")
    if not files:
        return found
    seen = Observation(
        id=found.grip,
        agent="",
        issue_number=found.issue,
        category=Category.DECISION,
        content=found.text,
        summary="",
        tokens=0,
        timestamp_ms=found.at_ms,
        session_id="",
        files=files,
    )
    history = GitFileHistory(project.root, since_ms=found.at_ms)
    return replace(found, changed_files=list_changed_since(seen, history))
