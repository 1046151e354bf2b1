"""To ask another agent, to answer, and to see what waits: the clarification protocol for agents.

The same verbs as `agentx clarify`. What other agents wrote is fenced as data.
"""

from __future__ import annotations

from agentx.clarification.data import KnownAnswer
from agentx.clarification.model import PERSON, AnswerWorth, Clarification, NewQuestion
from agentx.clarification.rendering import (
    find_asked,
    listing,
    name_decider,
    name_speaker,
    say_contrary,
    say_decision,
    say_worth,
    stream,
)
from agentx.kernel.clock import SECOND_MS
from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX, CLARIFY_TOPIC_CHARS_MAX
from agentx.kernel.text import hang, preview
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions.known import list_known_lines, word_accept
from agentx.operations.questions.waiting import WaitLook
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.runs.rendering import list_claims
from agentx.surfaces.mcp import answer as answers
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.hints import speak_hint
from agentx.surfaces.mcp.wire.calls import check_wanted, tell_far


def ask(
    desk: Desk,
    *,
    question: str,
    issue: int | None = None,
    asker: str = "",
    to: str = "",
    topic: str = "",
    follow_up: str = "",
    blocking: bool = True,
    wait_seconds: int = 0,
    ask_anyway: bool = False,
) -> str:
    """Ask an upstream agent what its requirement, design or decision means, through the hub."""
    waiting = None
    if wait_seconds:

        def see(look: WaitLook) -> None:
            check_wanted()  # the question stays; who asked can look with `inbox`
            said = f"; it says: {preview(look.words[-1], 200)}" if look.words else ""
            tell_far(look.waited_ms // SECOND_MS, wait_seconds, f"{look}{said}")

        waiting = clarify_ask.Waiting(wait_ms=wait_seconds * SECOND_MS, apart=True, seen=see)
    project = desk.project()
    caller = find_caller(project, by_mcp=True)
    asker = asker or caller.role
    known: list[KnownAnswer] = []
    if follow_up:
        state = clarify_ask.follow_up(
            project, follow_up, question, by=asker, waiting=waiting, told=_nobody, caller=caller
        )
    elif issue is None:
        raise InvalidValue("an issue is missing", hint="give issue, asker, to and topic")
    else:
        request = NewQuestion(
            issue=issue, asker=asker, to=to, topic=topic, question=question, blocking=blocking
        )
        offered = None if ask_anyway else known.append
        state = clarify_ask.ask(
            project, request, waiting=waiting, told=_nobody, offered=offered, caller=caller
        )
    told = [f"  {line}" for each in known for line in list_known_lines(each)]
    if known:
        accept = f"Accept: `answer` with id={state.typed}, accept=true, source={known[0].grip}."
        if known[0].asked_of == PERSON:
            accept = f"The user accepts it in a terminal: {word_accept(known[0], state.typed)}."
        told.append(f"  {accept} Else: ask_anyway=true")
    return answers.answer(["\n".join([_line(state), *told, *_tell_unsent(project, state)])])


def answer(
    desk: Desk,
    *,
    id: str,  # noqa: A002  what the agent reads
    text: str = "",
    resolve: bool = False,
    accept: bool = False,
    source: str = "",
    role: str = "",
    standing: str = "",
    confidence: str = "",
    remaining: str = "",
) -> str:
    """Answer a question that waits for you, or settle one of yours that was answered."""
    project = desk.project()
    caller = find_caller(project, by_mcp=True)
    if accept:
        state = clarify_settle.accept(project, id, source=source, by=role, caller=caller)
    elif resolve:
        state = clarify_settle.resolve(project, id, text, by=role, caller=caller)
    else:
        worth = AnswerWorth(standing=standing, confidence=confidence, remaining=remaining)
        state = clarify_settle.answer(project, id, text, by=role, worth=worth, caller=caller)
    return answers.answer(["\n".join([_line(state), *_tell_unsent(project, state)])])


def inbox(desk: Desk, *, role: str = "") -> str:
    """Show questions that wait for a role or `human`, and what became of its own; else all."""
    project = desk.project()
    who = role or find_caller(project, by_mcp=True).role
    seen = clarify_read.inbox_of(project, who) if who else clarify_read.active(project)
    closed = seen.monitor.closed_issues
    rows = [
        _line(state)
        + ("\n  Its issue is closed." if state.issue in closed and not state.issue_now else "")
        for state in seen.clarifications
    ]
    rows += [
        f"{one.asked.id} of the run {one.run_id}, {one.asked.actor} asks: "
        f"{hang(one.asked.question)}\n"
        f"  the user answers it in a terminal: {one.command}"
        + "".join(f"\n  {claim}" for claim in list_claims(one.asked))
        for one in seen.run_questions
    ]
    withheld = f"{clarify_read.say_withheld(seen)} (the user's word)" if seen.withheld else ""
    head = withheld or clarify_read.say_unread(seen)
    if not (rows or head):
        # What a role asked waits for others: that it is active says no word of it.
        nobody = f"Nothing waits for {'the user' if who == PERSON else who}."
        head = nobody if who else listing((), seen.now_ms)
    return answers.answer(rows, head=head, more="Ask for one role.")


def describe_thread(project: Project, issue: str) -> str:
    """Return the active clarifications, or all that was said about an issue.

    Raises: InvalidValue.
    """
    wanted = issue.strip().removeprefix("#")
    if not wanted:
        seen = clarify_read.active(project)
        return listing(seen.clarifications, seen.now_ms)
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 10):
        raise InvalidValue(f"{issue[:40]!r} is no issue number", hint="such as 42")
    threads = tuple(clarify_read.thread(project, int(wanted)))
    if not threads:
        return f"Nobody asked anything about issue {wanted}."
    said = [
        f"{state.typed} [{state.status}]{_say_issue(state)}\n\n{stream(state)}" for state in threads
    ]
    open_now = tuple(state for state in threads if state.is_active)
    return "\n\n".join([*said, listing(open_now, project.clock.now_ms())])


def _line(state: Clarification) -> str:
    topic = preview(state.topic, CLARIFY_TOPIC_CHARS_MAX)
    shown = f"- {state.typed} [{state.status}] {state.asker} -> {state.to}: {topic}"
    shown += _say_issue(state)
    shown += f"\n  Q: {preview(find_asked(state), CLARIFY_TEXT_CHARS_MAX)}"
    answered = state.answered
    if answered is not None and state.status != "pending":
        by = "" if answered.speaker_shown == state.to else f" ({name_speaker(answered)})"
        to = state.question_of(answered)
        before = "" if to == find_asked(state) else f" (to: {preview(to, 200)})"
        said = preview(answered.body, CLARIFY_TEXT_CHARS_MAX)
        shown += f"\n  A{by}{before}{say_worth(answered)}: {said}"
        shown += say_contrary(state)
        if answered.worth.remaining:
            shown += f"\n  Still open: {preview(answered.worth.remaining, CLARIFY_TEXT_CHARS_MAX)}"
    if state.claim is not None:
        claimed = preview(state.claim.body, CLARIFY_TEXT_CHARS_MAX)
        shown += f"\n  Claimed ({name_speaker(state.claim)}, settles nothing): {claimed}"
    if beside := clarify_read.tell_said_elsewhere(state):
        shown += f"\n  {beside[0].upper()}{beside[1:]}"
    if state.waits_for_person:
        waits = "wait for it" if state.holds_its_asker else "go on with what is known"
        shown += f"\n  A person is asked to decide; {state.asker}: {waits}"
    given_up = clarify_read.say_given_up(state)
    if given_up:
        shown += f"\n  Given up: {speak_hint(given_up)}"
    settled = state.resolution
    if settled is not None:
        decided = say_decision(state, named=True, chars_max=CLARIFY_TEXT_CHARS_MAX)
        shown += f"\n  Decided by {name_decider(state)}: {decided}"
    return shown


def _say_issue(state: Clarification) -> str:
    return f"\n  Its issue: {state.issue_now}" if state.issue_now else ""


def _tell_unsent(project: Project, state: Clarification) -> tuple[str, ...]:
    said = clarify_read.say_unsent(project, state), clarify_read.say_unheld(project, state)
    return tuple(f"  {text}" for text in said if text)


def _nobody(_entry: str) -> None:
    """Tell nobody: the reply says it all."""
