"""To answer, to resolve, to escalate: what people and agents do to an open question.

Nobody signs for somebody else (`speaking`).
"""

from __future__ import annotations

from agentx.agents.hub.hub import Hub
from agentx.clarification.contested import find_contesting
from agentx.clarification.model import (
    HUB,
    PERSON,
    UNJUDGED,
    AnswerWorth,
    Clarification,
    ClarificationStatus,
)
from agentx.clarification.watch.awaiting import name_asked
from agentx.clarification.watch.taken import list_copies
from agentx.kernel.errors import NotFound
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.operations.questions.routing import hub_of
from agentx.operations.questions.speaking import check_speaker, refuse_speaker
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import (
    find_shown,
    open_clarifications,
    speaker_named,
    tell_state,
    tell_unseen,
)
from agentx.wiring.keeping.export import list_exports, list_set_aside
from agentx.wiring.kept.forgotten import note_forgotten
from agentx.wiring.kept.known import find_known, forget_left, list_left
from agentx.wiring.kept.logged import blank_logged
from agentx.wiring.section import renew_notices
from agentx.wiring.trust.changed_replies import forget_changes
from agentx.wiring.work import is_github


def answer(
    project: Project,
    clarification_id: str,
    text: str,
    *,
    by: str = "",
    worth: AnswerWorth = UNJUDGED,
    caller: WhoCalls,
) -> Clarification:
    """Answer a question: as the role that calls, else as who is waited for.

    That is who was asked, or a person once one was called: whoever sits at a terminal then is it.

    Raises: ClarificationNotFound, IllegalTransition, InvalidValue, LockTimeout; NotThePerson for
        who speaks for somebody else.
    """
    hub = hub_of(project)
    state = _find_meant(project, hub, clarification_id, caller)
    said = speaker_named(project, by)
    is_called = state.status is ClarificationStatus.ESCALATED and caller.is_person
    speaker = said or caller.role or (PERSON if is_called else state.to)
    check_speaker(project, caller, speaker, clarification_id)
    done = hub.answer(name_asked(state), text, by=speaker, via=_name_way(caller), worth=worth)
    return tell_state(project, done)


def resolve(
    project: Project, clarification_id: str, text: str = "", *, by: str = "", caller: WhoCalls
) -> Clarification:
    """Settle a clarification: an answered one as its asker, any other as a person.

    A person who says otherwise than was answered settles it as a person, in their own words.

    Raises: as `answer`.
    """
    hub = hub_of(project)
    state = _find_meant(project, hub, clarification_id, caller)
    said = speaker_named(project, by)
    is_agents = state.status is ClarificationStatus.ANSWERED and not (
        caller.is_person and _takes_back(state, text)
    )
    is_agents |= caller.is_agent and not state.is_active  # it is told that it is over
    speaker = said or (caller.role or state.asker if is_agents else PERSON)
    check_speaker(project, caller, speaker, clarification_id)
    done = hub.resolve(name_asked(state), text, by=speaker, via=_name_way(caller))
    return tell_state(project, done)


def _takes_back(state: Clarification, text: str) -> bool:
    """Tell whether a text is another than what was answered, or says what holds against one.

    Who says again what was said for them and nobody confirmed, confirms it.
    """
    in_doubt = state.answered is not None and bool(state.answered.doubt)
    is_other = text.split() != state.answer.split() or find_contesting(state) is not None
    return bool(text.strip()) and (is_other or in_doubt)


def accept(
    project: Project, clarification_id: str, *, by: str = "", source: str = "", caller: WhoCalls
) -> Clarification:
    """Settle a question as its asker with what memory answers it with; a person's, as a person.

    `source` is from where they were told that memory has it: they take that, and nothing else.

    Raises: NotFound when memory does not (any more), and as `answer`.
    """
    hub = hub_of(project)
    state = _find_meant(project, hub, clarification_id, caller)
    is_persons = state.to == PERSON
    asker = PERSON if is_persons else caller.role or state.asker
    speaker = asker if is_persons else speaker_named(project, by) or asker
    check_speaker(project, caller, speaker, clarification_id)
    known = find_known(project, state) if state.is_unanswered else None
    if known is None:
        why = "memory has no answer to it" if state.is_unanswered else f"it is {state.status}"
        raise NotFound(f"{state.id}: {why}", hint=f"agentx clarify --issue {state.issue}")
    if source not in ("", known.grip):
        told = preview(known.text, 200)
        raise NotFound(
            f"{state.id}: memory answers it otherwise by now, from {known.grip}: {told!r}, "
            f"by {known.by}",
            hint=f"to take that: agentx clarify accept {state.typed} {known.grip}",
        )
    said = f"{known.text} ({known.by}, {known.grip})"
    if is_persons:  # what a person is asked, a person says
        done = hub.answer(name_asked(state), said, by=PERSON, via=_name_way(caller))
    else:
        way = _name_way(caller)
        done = hub.accept(state.exact, said, source=known.grip, by=speaker, via=way)
    return tell_state(project, done)


def escalate(
    project: Project, clarification_id: str, text: str = "", *, by: str = "", caller: WhoCalls
) -> Clarification:
    """Call a person.

    Raises: as `answer`.
    """
    hub = hub_of(project)
    state = _find_meant(project, hub, clarification_id, caller)
    speaker = speaker_named(project, by) or caller.role or (PERSON if caller.is_person else HUB)
    if speaker != HUB:
        check_speaker(project, caller, speaker, clarification_id)
    return tell_state(project, hub.escalate(state.exact, text, by=speaker))


@frozen
class ForgottenQuestion:
    """What was forgotten with a question, and what was not."""

    with_it: tuple[str, ...] = ()  # what shared its thread, and is forgotten
    also_in: tuple[str, ...] = ()  # questions that were answered with its words
    posted_on: int | None = None  # the issue on GitHub on which it was told, too
    exports: tuple[str, ...] = ()  # files written before, which nobody can reach from here
    copies: tuple[str, ...] = ()  # what a restore or a mending put aside


def list_sharing(project: Project, clarification_id: str, *, caller: WhoCalls) -> tuple[str, ...]:
    """Return the questions that share the thread of one, and are forgotten with it.

    Raises: ClarificationNotFound.
    """
    state = _find_meant(project, hub_of(project), clarification_id, caller)
    return _name_others(state, _list_family(project, state))


def forget(project: Project, clarification_id: str, *, caller: WhoCalls) -> ForgottenQuestion:
    """Take a question out of every file, for good: no merge brings it back.

    What shares its thread goes with it. What was answered with its words is named: that is a
    question of its own.

    Raises: ClarificationNotFound, LockTimeout; NotThePerson for an agent.
    """
    if caller.is_agent:
        refuse_speaker(project, caller, PERSON, clarification_id)
    hub = hub_of(project)
    state = _find_meant(project, hub, clarification_id, caller)
    shared = _list_family(project, state)
    others = _name_others(state, shared)
    left, copies = list_left(project, shared), _list_copies(project, shared)
    hub.forget(state.exact)
    note_forgotten(project)
    forget_left(project, left)
    forget_changes(project, (each.uid for each in shared))
    known = ((str(each.id), each.formerly.partition("@")[0]) for each in shared)
    blank_logged(project, {name for names in known for name in names if name})
    renew_notices(project)
    for name in (clarification_id, *others):
        record_act(project, AuditAct.FORGOTTEN, clarification=name, by="clarify forget")
    posted_on = state.issue if is_github(project) else None
    return ForgottenQuestion(
        with_it=others,
        also_in=copies,
        posted_on=posted_on,
        exports=list_exports(project),
        copies=list_set_aside(project),
    )


def _list_family(project: Project, state: Clarification) -> list[Clarification]:
    """Return a question with all that shares its thread."""
    stem = state.stem or state.uid
    ledger = open_clarifications(project).ledger(state.issue)
    return [each for each in ledger if stem in (each.uid, each.stem)]


def _name_others(state: Clarification, family: list[Clarification]) -> tuple[str, ...]:
    return tuple(str(each.id) for each in family if each.uid != state.uid)


def _list_copies(project: Project, gone: list[Clarification]) -> tuple[str, ...]:
    """Return the questions that were answered from memory with what some others came to."""
    uids = {state.uid for state in gone}
    others = (each for each in open_clarifications(project).list_all() if each.uid not in uids)
    return tuple(str(state.id) for state in list_copies(others, gone))


def _find_meant(
    project: Project, hub: Hub, clarification_id: str, caller: WhoCalls
) -> Clarification:
    state = hub.find_meant(clarification_id, by_person=caller.is_person)
    if caller.via is Via.TERMINAL and "@" not in clarification_id:
        find_shown(project).check_seen(state.id, state, tell_unseen(project, state))
    return state


def _name_way(caller: WhoCalls) -> str:
    return caller.agent or str(caller.via)
