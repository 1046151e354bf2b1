"""What is being clarified: the active questions, one issue's threads, what is late or stuck.

Every one of them runs the monitor first: there may be no process in the background that would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import starmap

from agentx.clarification.contested import find_unconfirmed, is_contested
from agentx.clarification.model import (
    PERSON,
    UNKNOWN,
    Clarification,
    ClarificationStatus,
    Ledger,
    Reason,
)
from agentx.clarification.rendering import name_speaker
from agentx.clarification.summary import (
    ask_again,
    tell_contested,
    tell_meanwhile,
    tell_overruled,
    tell_unconfirmed,
)
from agentx.clarification.watch.inbox import inbox_among
from agentx.clarification.watch.matters import find_asked_again
from agentx.clarification.watch.monitor import MonitorReport
from agentx.kernel.errors import AgentXError
from agentx.kernel.text import fold_text
from agentx.kernel.values import frozen
from agentx.operations.questions import held
from agentx.operations.questions.routing import watch
from agentx.project.project import Project
from agentx.project.roles.caller import Via, find_caller
from agentx.project.settings import NotifySettings
from agentx.wiring.clarifications import (
    find_shown,
    inbox,
    keep_signed,
    list_contested,
    list_overruled,
    list_told,
    list_untrusted,
    open_clarifications,
    speaker_named,
    tell_states,
)
from agentx.wiring.hub import is_unsent, open_hub, run_monitor
from agentx.wiring.listeners.notify import check_command
from agentx.wiring.runs import (
    RunQuestion,
    find_shown_asks,
    list_run_questions,
)
from agentx.wiring.told.asks import (
    list_contested_asks,
    list_contradicted,
    list_unconfirmed_asks,
)
from agentx.wiring.told.inbox_lines import list_own_told
from agentx.wiring.trust.changed_replies import list_changes, say_unknown
from agentx.wiring.trust.issue_marks import AskedIssues
from agentx.wiring.trust.lost_words import drop_told, list_lost_words
from agentx.work.port import RATE_LIMIT

_NAMED_MAX = 3
_LATE = frozenset({Reason.STALE, Reason.STUCK, Reason.DEADLOCK})


@frozen
class Overview:
    """Clarifications, oldest first, and what the monitor has just found."""

    clarifications: tuple[Clarification, ...]
    monitor: MonitorReport
    now_ms: int
    notes: tuple[str, ...] = ()  # what the person must know beside them
    run_questions: tuple[RunQuestion, ...] = ()  # what runs ask the person
    withheld: int = 0  # so many more wait, in what lies in the repository and is not trusted


def active(project: Project) -> Overview:
    """Return every active clarification."""
    found = watch(project)
    # Nothing is done about what a stranger's repository asks, but it is shown as such.
    is_trusted = project.trust.has_data
    states = found.active if is_trusted else open_clarifications(project).survey().active
    shown = tell_states(project, _in_turn(states))
    missing = held.tell_missing(project)
    return Overview(
        clarifications=shown,
        monitor=found,
        now_ms=project.clock.now_ms(),
        notes=(f"{missing}; for others: {held.WRITES_BACK}",) if missing else (),
        run_questions=list_run_questions(project) if is_trusted else (),
    )


def late(project: Project) -> Overview:
    """Return those that are stale, and those that a person was called for because they were."""
    found = run_monitor(project)
    wanted = tuple(
        state
        for state in found.active
        if state.status is ClarificationStatus.STALE
        or state.retries > 0
        or (state.status is ClarificationStatus.ESCALATED and state.reason in _LATE)
    )
    shown = tell_states(project, _in_turn(wanted))
    return Overview(clarifications=shown, monitor=found, now_ms=project.clock.now_ms())


def thread(project: Project, issue: int) -> Ledger:
    """Return all that was asked and said about an issue.

    Raises: CorruptRecord when its ledger is damaged; it is moved aside.
    """
    # Read first: of this ledger a fault is said aloud, of others the monitor only takes note.
    open_clarifications(project).ledger(issue)
    watch(project)
    ledger = open_clarifications(project).ledger(issue)
    asked = _list_of(project, issue)
    others = tuple(state for state in ledger if state.id not in {each.id for each in asked})
    return replace(ledger, clarifications=tell_states(project, (*asked, *others)))


def _list_of(project: Project, issue: int) -> tuple[Clarification, ...]:
    """Return what was asked of an issue: also before it got its number.

    Raises: CorruptRecord when its ledger is damaged.
    """
    asked, room = AskedIssues(project), open_clarifications(project)
    found = [*room.ledger(issue)]
    others = room.ledgers() if asked.may_move else ()
    found += (state for ledger in others if ledger.issue != issue for state in ledger)
    return tuple(state for state in found if asked.find_number(state) == issue)


def say_unread(seen: Overview) -> str:
    """Return that nobody knows what waits, where a ledger cannot be read."""
    if not seen.monitor.closed:
        return ""
    issues = ", ".join(f"#{issue}" for issue in seen.monitor.closed)
    return f"The questions of {issues} cannot be read: whatever waits there still waits."


def inbox_of(project: Project, who: str) -> Overview:
    """Return what a role, or the person, has to see to.

    In a repository that is not trusted a person sees what they, or a writer whom they trust,
    signed; so does a role, in the words of such alone. How much waits beside that is counted.

    Raises: InvalidValue for what is no role.
    """
    found = watch(project)
    is_told = project.trust.has_data
    speaker = speaker_named(project, who)
    waiting = shown = inbox(project, speaker)
    if not is_told:
        shown = inbox_among(list_own_told(project), speaker)
        if speaker == PERSON:
            shown = keep_signed(project, waiting)
    notes: tuple[str, ...] = ()
    if is_told and speaker == PERSON:
        overruled = (*map(tell_overruled, list_overruled(project)), *list_contradicted(project))
        contested = (
            *starmap(tell_contested, list_contested(project)),
            *list_contested_asks(project),
        )
        untrusted = (*_tell_untrusted(list_untrusted(project)), *contested)
        changed = list_changes(project, open_clarifications(project).ledger)
        unknown = filter(None, (say_unknown(project),))
        unseen = (*_list_unconfirmed(project), *list_unconfirmed_asks(project)[-_NAMED_MAX:])
        notes = (*overruled, *untrusted, *unseen, *unknown, *changed, *list_lost_words(project))
    asked = list_run_questions(project) if speaker == PERSON else ()
    return Overview(
        clarifications=shown,
        monitor=found,
        now_ms=project.clock.now_ms(),
        notes=notes,
        run_questions=asked if is_told else (),
        withheld=max(len(waiting) - len(shown), 0) + (0 if is_told else len(asked)),
    )


def note_told(project: Project, seen: Overview | Iterable[Clarification]) -> None:
    """Note what a person at a terminal was shown: a name means that to them from now on."""
    if find_caller(project).via is not Via.TERMINAL:
        return
    if isinstance(seen, Overview):
        asked = [(one.run_id, one.asked) for one in seen.run_questions]
        find_shown_asks(project).note_told(asked)
        drop_told(project, seen.notes)
        seen = seen.clarifications
    find_shown(project).note_told(seen)


def _tell_untrusted(states: tuple[Clarification, ...]) -> Iterator[str]:
    """Yield how much writers ask the person further whom they do not trust."""
    if states:
        count = "1 more question waits" if len(states) == 1 else f"{len(states):,} more wait"
        names = ", ".join(state.id for state in states[:_NAMED_MAX])
        yield (
            f"{count} for you, of a writer that you do not trust ({names}): agentx trust --show, "
            "then agentx trust --writer NAME"
        )


def _list_unconfirmed(project: Project) -> tuple[str, ...]:
    """Return the last that stands as a person's word, and only a program said for them lately.

    What is contested by what was surely said, or decided otherwise since, is told as that.
    """
    told = list_told(open_clarifications(project).survey())
    found = tell_states(project, [each for each in told if find_unconfirmed(each) is not None])
    plain = [each for each in found if not (is_contested(each) or each.decided_later)]
    return tuple(filter(None, map(tell_unconfirmed, plain)))[-_NAMED_MAX:]


def say_withheld(seen: Overview) -> str:
    """Return how much waits that is not shown here, and how it is; nothing where all is shown."""
    if not seen.withheld:
        return ""
    what = "question waits" if seen.withheld == 1 else "questions wait"
    more = "more " if seen.clarifications else ""
    return (
        f"{seen.withheld:,} {more}{what} in what lies in the repository, which is not trusted: "
        "agentx trust --show, then agentx trust"
    )


def list_waiting(project: Project, issue: int) -> tuple[str, ...]:
    """Return what waits for a person on an issue, whoever closes it.

    Raises: CorruptRecord when its ledger is damaged.
    """
    return tuple(state.id for state in _list_of(project, issue) if state.waits_for_person)


def tell_asked_again(state: Clarification) -> str:
    """Return what a person said before to what a thread asks again; nothing where it is new."""
    again = find_asked_again(state)
    word = None if again is None else again.persons_word
    if again is None or word is None:
        return ""
    return f"{again.question} -> {fold_text(word.body)} ({name_speaker(word)})"


def tell_said_elsewhere(state: Clarification) -> str:
    """Return of what waits what people said to the same elsewhere; mostly nothing."""
    return tell_meanwhile(state)


def say_given_up(state: Clarification) -> str:
    """Return why a question was given up, and what to do; nothing for one that was not."""
    return ask_again(state) if state.status is ClarificationStatus.ABANDONED else ""


def say_unnotified(project: Project, state: Clarification) -> str:
    """Return that the person was not notified of what waits for them, where they wish to be."""
    if not (state.waits_for_person and project.config.section(NotifySettings).command.strip()):
        return ""
    try:
        check_command(project)
    except AgentXError as error:
        return f"nobody was notified: {error.message}"
    return ""


def say_unsent(project: Project, state: Clarification) -> str:
    """Return that GitHub does not know yet what was said here; nothing where it does."""
    if not is_unsent(project, state.issue):
        return ""
    why = project.patience.why_lost
    outage = f"GitHub {why}" if RATE_LIMIT in why else "offline: GitHub was not reached"
    return f"{outage}; {state.id} is kept here, and sent there later"


def say_unheld(project: Project, state: Clarification) -> str:
    """Return that git could take back what was said; nothing where it cannot."""
    return held.say_unheld(project, state.issue, state.id)


def list_others(project: Project, state: Clarification) -> tuple[str, ...]:
    """Return whom else an asker may ask, where who was asked does not know."""
    answered = state.answered
    if state.status is not ClarificationStatus.ANSWERED or answered is None:
        return ()
    return open_hub(project).list_others(state) if answered.worth.standing == UNKNOWN else ()


def _in_turn(states: tuple[Clarification, ...]) -> tuple[Clarification, ...]:
    return tuple(
        sorted(states, key=lambda state: (state.created_ms, state.issue, len(state.id), state.id))
    )
