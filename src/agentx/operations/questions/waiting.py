"""To wait: for an answer or a decision, for as long as allowed; nothing is lost by leaving off.

Who waits has seen a question, and waits for what becomes of that one: by whatever name it goes
after a merge, and also while git has taken it out of the folder (a stash, another branch, a rebase
that stopped).

Whoever waits looks after the rest meanwhile: what is late, circling or deadlocked is found within
seconds, whether or not anything else runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.clarification.errors import report_unanswered
from agentx.clarification.model import (
    PERSON,
    Clarification,
    ClarificationStatus,
    Entry,
    Reason,
)
from agentx.clarification.rendering import explain_escalation, stream_entry
from agentx.clarification.watch.awaiting import cut_after_answer, find_awaited, has_asked
from agentx.kernel.bus import Say
from agentx.kernel.clock import HOUR_MS, SECOND_MS, age
from agentx.kernel.text import printable
from agentx.kernel.values import frozen
from agentx.operations.limits import CLARIFY_POLL_MS, CLARIFY_WATCH_EVERY_MS
from agentx.operations.questions.routing import find_words, is_being_asked, watch
from agentx.operations.questions.words import WordsHeard
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications, tell_state
from agentx.wiring.work import open_agents
from agentx.work.model import AgentState


@frozen
class WaitLook:
    """What is seen by who waits: for whom, since when, and what that one does."""

    clarification_id: str
    typed: str  # the same, as commands take it
    waits_on: str
    asked_ms: int  # for how long it was asked
    waited_ms: int
    doing: str
    words: tuple[str, ...] = ()  # what it said since the last look

    def __str__(self) -> str:
        who = "a person" if self.waits_on == PERSON else self.waits_on
        return f"{self.clarification_id} waits for {who}, asked {_say_asked(self.asked_ms)}; " + (
            self.doing
        )


SeeWait = Callable[[WaitLook], None]


def see_nothing(_look: WaitLook) -> None:
    """Look away."""


def wait(
    project: Project,
    clarification_id: str,
    *,
    wait_ms: int,
    told: Say,
    seen: SeeWait = see_nothing,
) -> Clarification:
    """Wait until the asker of a question can go on, or for as long as allowed.

    Raises: ClarificationNotFound, CorruptRecord; NameMoved for a name that meant another question
        here before; ClarificationUnanswered when its target failed.
    """
    watch(project)
    state = open_clarifications(project).find_meant(clarification_id)
    return await_outcome(project, state, project.clock.now_ms() + wait_ms, told, seen)


def await_outcome(
    project: Project,
    state: Clarification,
    until_ms: int,
    told: Say,
    seen: SeeWait = see_nothing,
) -> Clarification:
    """Wait until the asker can go on, or until a moment; the stream is told of what is said.

    Every few seconds it is seen for whom is waited, and what that one does.

    Raises: as `wait`.
    """
    clock, awaited, is_gone = project.clock, find_awaited(state), False
    words = WordsHeard(find_words(project, state.id))
    watched_ms = began_ms = clock.now_ms()
    if is_waited_for(state) and began_ms < until_ms:
        seen(_look(project, state, began_ms))
    try:
        while is_waited_for(state) and clock.now_ms() < until_ms:
            clock.sleep_ms(min(CLARIFY_POLL_MS, max(until_ms - clock.now_ms(), 1)))
            if clock.now_ms() - watched_ms >= CLARIFY_WATCH_EVERY_MS:
                watch(project)
                watched_ms = clock.now_ms()
                seen(_look(project, state, began_ms))
            new = words.read_new()
            if new:
                seen(replace(_look(project, state, began_ms), words=new))
            found = find_awaiting(project, state, awaited)
            if found is None:
                if not is_gone:
                    told(_say_gone(state))
                is_gone = True
                continue
            if found.id != state.id:
                told(f"[Agent X] {state.id} is {found.id} now: {printable(found.question)}")
            is_gone, state = False, _tell_new(state, found, awaited, told)
    except KeyboardInterrupt:
        _say_open(state, told)
        raise
    if state.status is ClarificationStatus.ESCALATED and state.reason is Reason.AGENT_ERROR:
        raise report_unanswered(state, explain_escalation(state))
    if is_waited_for(state):
        _say_open(state, told)
    return tell_state(project, state)


def find_awaiting(project: Project, state: Clarification, awaited: str) -> Clarification | None:
    """Return the thread on which a question stands now; None where it is not in the folder.

    Raises: ClarificationNotFound when there is no such thread, CorruptRecord.
    """
    clarifications = open_clarifications(project)
    found = clarifications.find(state.exact)
    if has_asked(found, awaited):
        return found
    ledger = clarifications.ledger(state.issue)
    return next((each for each in ledger if has_asked(each, awaited)), None)


def _tell_new(state: Clarification, found: Clarification, awaited: str, told: Say) -> Clarification:
    """Tell what was said since; return the question as it is, or as it was once it was answered."""
    after = cut_after_answer(found, awaited)
    known = {_key(entry) for entry in state.thread}
    for entry in after.thread:
        if _key(entry) not in known:
            told(stream_entry(after, entry))
    return after


def _key(entry: Entry) -> tuple[object, ...]:
    return entry.type, entry.speaker, entry.at_ms, entry.body


def _say_gone(state: Clarification) -> str:
    return (
        f"[Agent X] what {state.id} asks is not in this folder now (a git stash, another branch, "
        "or a rebase that stopped?): waiting until it is back and answered"
    )


def is_waited_for(state: Clarification) -> bool:
    """Tell whether the asker has something to wait for."""
    return state.is_unanswered or state.holds_its_asker


def _look(project: Project, state: Clarification, began_ms: int) -> WaitLook:
    now_ms = project.clock.now_ms()
    asked_ms = max((entry.at_ms for entry in state.asked), default=state.created_ms)
    return WaitLook(
        clarification_id=state.id,
        typed=state.typed,
        waits_on=state.waits_on,
        asked_ms=max(now_ms - asked_ms, 0),
        waited_ms=max(now_ms - began_ms, 0),
        doing=_say_doing(project, state),
    )


def _say_doing(project: Project, state: Clarification) -> str:
    """Return what who is waited for does, as far as anybody knows."""
    if state.waits_for_person:
        return "the user decides: agentx clarify inbox"
    if is_being_asked(project, state.id):
        return "it is being asked now"
    status = open_agents(project).get(state.to)
    about = f" on #{status.issue}" if status.issue is not None else ""
    match status.state:
        case AgentState.WORKING:
            return f"it works{about} and is told at its next prompt"
        case AgentState.BLOCKED_CLARIFICATION:
            return f"it waits itself for {status.waiting_on or 'an answer'}"
        case AgentState.CLARIFYING | AgentState.IDLE | AgentState.DONE | AgentState.STUCK:
            return "it is told at its next prompt or session start"


def _say_asked(ms: int) -> str:
    """Return how long ago it was asked: who watches sees it go on, while it is not long."""
    seconds = ms // SECOND_MS
    return f"{seconds // 60}:{seconds % 60:02} ago" if ms < HOUR_MS else age(0, now_ms=ms)


def _say_open(state: Clarification, told: Say) -> None:
    told(
        f"[Agent X] {state.id} waits for {state.waits_on} still: agentx clarify wait {state.typed}"
    )
