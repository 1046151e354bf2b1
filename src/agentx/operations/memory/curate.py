"""What a person says of single memories: keep it, tell it always, say it better, drop it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from agentx.clarification.model import Clarification
from agentx.clarification.summary import word_ask
from agentx.kernel.clock import Millis
from agentx.kernel.errors import ConflictError, InvalidValue
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import cut, preview, shows_something, without_recall
from agentx.kernel.values import frozen
from agentx.observations.ids import parse_observation_id, shorten_id
from agentx.observations.limits import (
    OBSERVATION_SUMMARY_CHARS_MAX,
    OBSERVATIONS_PINNED_TOLD_MAX,
)
from agentx.observations.model import Category, Dropped, Marking, Observation, SearchFilters
from agentx.observations.tidying.dropping import drop, find_dropped, refuse_dropped, undrop
from agentx.observations.tidying.overviews import is_overview
from agentx.project.project import Project
from agentx.recall.section.notices import leave_out
from agentx.redaction.redact import redact
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.known import find_persons_decision
from agentx.wiring.observations import open_observations
from agentx.wiring.trust.persons_word import guard_persons, require_person

_WHY_CHARS_MAX = 300
_NAMED_MAX = 3


@frozen
class PinReply:
    """What is pinned now."""

    id: str
    pinned: bool
    summary: str
    total: int  # pinned in this project
    told_max: int  # of them, as many as are told at the start of every session


@frozen
class DropReply:
    """What a person dropped, and what that kept out since."""

    id: str
    at_ms: Millis
    why: str
    kept_out: int  # like it, and not kept
    last_ms: Millis | None  # when the last of these was said
    text: str  # empty when it was forgotten
    stands: str = ""  # where a person decided it all the same, and what to do about that


@frozen
class UndropReply:
    """What came back."""

    id: str
    restored: bool  # its text was there still
    kept_out: int  # like it, and not brought back


def memory_pin(project: Project, observation_id: str, *, pinned: bool = True) -> PinReply:
    """Have an observation told always, never merged and never faded; or no longer.

    Raises: NotFound, InvalidValue, ConflictError, LockHeld, UnavailableError; NotThePerson for an
        agent, where a person said it.
    """
    if pinned:
        _refuse_overview(project, observation_id)
    said = Marking(id=observation_id, pinned=pinned, reviewed=pinned or None)
    now = _mark(project, said, "pin" if pinned else "unpin")
    with closing(open_observations(project)) as room:
        total = len(room.store.search_by_filters(SearchFilters(pinned=True)))
    return PinReply(
        id=now.id,
        pinned=now.pinned,
        summary=now.summary,
        total=total,
        told_max=OBSERVATIONS_PINNED_TOLD_MAX,
    )


def memory_keep(project: Project, observation_id: str) -> Observation:
    """Note that a person looked at an observation and wants it kept as it is.

    Raises: as `memory_pin`.
    """
    return _mark(project, Marking(id=observation_id, reviewed=True), "keep")


def memory_edit(project: Project, observation_id: str, text: str) -> Observation:
    """Say an observation in other words; where it is known from stays.

    Raises: NotFound, InvalidValue, LockHeld, UnavailableError; ConflictError for what a person
        decided in a question, too; NotThePerson for an agent, where a person said it.
    """
    content = cut(redact(without_recall(text)).strip(), OBSERVATION_CHARS_MAX)
    if not shows_something(content):
        raise InvalidValue(
            "there is nothing to remember", hint="to take it away use `agentx memory drop ID`"
        )
    summary = preview(content, OBSERVATION_SUMMARY_CHARS_MAX)
    said = Marking(id=observation_id, reviewed=True, content=content, summary=summary)
    return _mark(project, said, "edit")


def memory_drop(project: Project, observation_id: str, *, why: str = "") -> DropReply:
    """Take an observation out, and keep its like out from now on; `memory_undrop` undoes it.

    Raises: NotFound, InvalidValue, ConflictError, LimitError, LockHeld, UnavailableError;
        NotThePerson for an agent, where a person said it.
    """
    with closing(open_observations(project)) as room:
        found, archived = room.get(observation_id)
        guard_persons(project, room.store, found, "drop")
        if archived:
            refuse_dropped(room.store, found.id)
            raise _refuse_merged(found.id)
        said = preview(why, _WHY_CHARS_MAX)
        noted = drop(room.store, found, why=said, at_ms=project.clock.now_ms())
        room.let_stand((found.id,))
    leave_out(project.store, found.id)
    decided = find_persons_decision(project, found)
    return replace(_tell(noted, found), stands="" if decided is None else _say_stands(decided))


def memory_undrop(project: Project, observation_id: str) -> UndropReply:
    """Bring a dropped observation back; its like is kept again.

    Raises: NotFound, InvalidValue, LockHeld, UnavailableError; NotThePerson for an agent, where a
        person said it.
    """
    with closing(open_observations(project)) as room:
        dropped = find_dropped(room.store, observation_id)
        name = dropped[0] if len(dropped) == 1 else room.name_in_full(observation_id)
        whose = parse_observation_id(name).agent
        old = room.store.get_archived(name)
        if old is not None:
            guard_persons(project, room.store, old, "undrop")
        elif whose == PERSON_ROLE:  # only the record has it
            what = f"what becomes of {name}, which a person said"
            require_person(project, what, hint=f"agentx memory undrop {name}", about=name)
        noted, restored = undrop(room.store, name)
        if not restored and keep_decisions(project):  # what a question came to stands in its ledger
            restored = room.store.get_by_id(name) is not None
    return UndropReply(id=name, restored=restored, kept_out=len(noted.kept_out))


def memory_dropped(project: Project) -> tuple[DropReply, ...]:
    """Return what was dropped, newest first."""
    with closing(open_observations(project)) as room:
        noted = sorted(room.store.drops.read().dropped.values(), key=lambda one: -one.at_ms)
        return tuple(_tell(each, room.store.get_archived(each.id)) for each in noted)


def _mark(project: Project, marking: Marking, does: str) -> Observation:
    with closing(open_observations(project)) as room:
        found, archived = room.get(marking.id)
        guard_persons(project, room.store, found, does)
        if marking.content is not None:
            _refuse_decided(project, found)
        marked = () if archived else room.store.mark((replace(marking, id=found.id),))
        if not marked:
            refuse_dropped(room.store, found.id)
            raise _refuse_merged(found.id)
    if marking.content is not None:
        leave_out(project.store, found.id)
    return marked[0]


def _refuse_decided(project: Project, found: Observation) -> None:
    """Refuse to have memory say otherwise than the person decided: the question would still say it.

    Raises: ConflictError.
    """
    decided = find_persons_decision(project, found)
    if decided is not None:
        raise ConflictError(
            f"{found.id} tells what a person decided in {decided.id}, which stands there",
            hint=f"{_say_anew(decided)}; "
            f"to take it out of memory: agentx memory drop {shorten_id(found.id)}",
        )


def _say_stands(decided: Clarification) -> str:
    return f"{decided.id} still says so to who asked; {_say_anew(decided)}"


def _say_anew(decided: Clarification) -> str:
    anew = f"{word_ask(decided, PERSON_ROLE)} --ask-anyway"
    return f"to decide otherwise have it asked anew, and answer that: {anew}"


def _refuse_overview(project: Project, observation_id: str) -> None:
    """Say of what sums up a session what to pin instead, since nobody is told it.

    Raises: NotFound, InvalidValue, ConflictError.
    """
    with closing(open_observations(project)) as room:
        found, archived = room.get(observation_id)
        if archived or not is_overview(found):
            return
        others = room.store.get_by_issue(found.issue_number)
        same = [
            each
            for each in others
            if each.session_id == found.session_id
            and not (is_overview(each) or each.superseded_by or each.pinned)
        ]
    best = sorted(same, key=lambda one: (one.category is not Category.DECISION, -one.timestamp_ms))
    names = ", ".join(shorten_id(one.id) for one in best[:_NAMED_MAX])
    raise ConflictError(
        f"{found.id} sums up a session and is told to nobody",
        hint=f"pin what it sums up: {names}" if names else "write it down: `agentx memory add`",
    )


def _refuse_merged(observation_id: str) -> ConflictError:
    return ConflictError(
        f"{observation_id} was merged into another observation",
        hint="`agentx memory search` finds that one by the same words",
    )


def _tell(noted: Dropped, found: Observation | None) -> DropReply:
    times = [parse_observation_id(each).timestamp_ms for each in noted.kept_out]
    return DropReply(
        id=noted.id,
        at_ms=noted.at_ms,
        why=noted.why,
        kept_out=len(times),
        last_ms=max(times, default=None),
        text=found.content if found else "",
    )
