"""How clarifications look on a screen: a table, an inbox, the threads of an issue, one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentx.clarification.model import PERSON, Clarification, ClarificationStatus, Entry
from agentx.clarification.rendering import (
    GO_ON,
    explain_escalation,
    find_asked,
    find_decided,
    name_decider,
    name_question,
    name_speaker,
    next_actions,
    say_contrary,
    say_decision,
    say_worth,
    show_words,
    terminal,
)
from agentx.kernel.clock import age
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import preview, preview_ends, printable
from agentx.kernel.vouching.standing import SAID_FOR_PERSON, Vouching
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions.known import list_known_lines
from agentx.runs.rendering import list_claims
from agentx.surfaces.cli import render
from agentx.surfaces.cli.layout import flatten, lay

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.clarification.data import KnownAnswer
    from agentx.surfaces.dates import Dates

_Row = tuple[str, str, str]  # what it is, what somebody said, and what is told of that

_CLAIMS_MAX = 3
_SHOWN_MAX = 100  # nobody reads on; a program takes them all
_TOPIC_CHARS_MAX, _WORDS_CHARS_MAX = 200, 4_000
_SAID_CHARS_MAX = 3_000  # what must be told with words is not cut off
_STYLES = {
    ClarificationStatus.PENDING: "yellow",
    ClarificationStatus.ANSWERED: "cyan",
    ClarificationStatus.STALE: "magenta",
    ClarificationStatus.ESCALATED: "bold red",
    ClarificationStatus.RESOLVED: "green",
    ClarificationStatus.ABANDONED: "dim",
}


def draw_overview(screen: Console, seen: clarify_read.Overview, which: str) -> None:
    """Draw clarifications as a table, and what can be done next."""
    if not seen.clarifications:
        screen.print(clarify_read.say_unread(seen) or f"No clarifications {which}.")
        return
    table = render.table("ID", "STATUS", "ROUND", "FROM -> TO", "ASKED", "TOPIC")
    for state in seen.clarifications[:_SHOWN_MAX]:
        table.add_row(
            state.id,
            str(state.status),
            f"{state.round}/{state.rounds_max}",
            f"{state.asker} -> {state.to}",
            age(state.created_ms, now_ms=seen.now_ms),
            f"{'[blocks] ' if state.holds_its_asker else ''}{state.topic}",
            style=_STYLES[state.status],
        )
    screen.print(table)
    _say_more(screen, len(seen.clarifications), "agentx clarify --issue N, or --json")
    screen.print("\nnext:", style="dim")
    for state in seen.clarifications[:5]:
        screen.print(f"  {next_actions(state)[0]}", style="dim")
    screen.print(f"  agentx clarify --issue {seen.clarifications[0].issue}", style="dim")


def _say_more(screen: Console, count: int, where: str, what: str = "more") -> None:
    """Say how many are not shown, and where they are."""
    if count > _SHOWN_MAX:
        line = f"\nand {count - _SHOWN_MAX:,} {what}: {where}"
        screen.print(line, style="dim", soft_wrap=True)


def draw_inbox(screen: Console, seen: clarify_read.Overview, who: str) -> None:
    """Draw what somebody has to see to, each with what to know and to type."""
    if not (seen.clarifications or seen.run_questions):
        but = " but to read this:" if seen.notes else "."
        nobody = f"Nothing waits for {'you' if who == PERSON else who}{but}"
        says = clarify_read.say_unread(seen) or clarify_read.say_withheld(seen) or nobody
        screen.print(says, soft_wrap=bool(seen.withheld))
    for at, state in enumerate(seen.clarifications[:_SHOWN_MAX]):
        if at:
            screen.print()
        when = age(state.created_ms, now_ms=seen.now_ms)
        is_closed = state.issue in seen.monitor.closed_issues and not state.issue_now
        closed = ", which is closed" if is_closed else ""
        facts = f"{state.status}, asked {when}, issue #{state.issue}{closed}"
        head = render.text(state.id, style=_STYLES[state.status]).append("  ")
        topic = preview(flatten(state.topic), _TOPIC_CHARS_MAX)
        for line in lay(head, render.text(f"{topic}  ({facts})"), screen.width):
            screen.print(line)
        _draw_rows(screen, _list_words(state, who))
        is_persons = state.status is ClarificationStatus.ESCALATED and who != PERSON
        for action in () if is_persons else next_actions(state)[:1]:
            # A command is copied whole, so it is not cut.
            screen.print(f"  {'next':<8}{action}", style="dim", soft_wrap=True)
    _say_more(screen, len(seen.clarifications), f"agentx clarify inbox {who} --json")
    _draw_run_questions(screen, seen)
    if (seen.clarifications or seen.run_questions) and seen.withheld:
        screen.print(f"\n{clarify_read.say_withheld(seen)}", style="yellow", soft_wrap=True)
    for note in seen.notes:
        screen.print()
        said = render.text(printable(note), style="yellow")
        for line in lay(render.text(""), said, screen.width):
            screen.print(line)


def _draw_run_questions(screen: Console, seen: clarify_read.Overview) -> None:
    """Draw what runs ask the person, each with what to know and to type."""
    for at, one in enumerate(seen.run_questions[:_SHOWN_MAX]):
        if at or seen.clarifications:
            screen.print()
        asked = one.asked
        facts = f"asked {age(asked.at_ms, now_ms=seen.now_ms)}, run {one.run_id}"
        head = render.text(asked.id, style="bold red").append("  ")
        title = preview(flatten(one.title), _TOPIC_CHARS_MAX)
        for line in lay(head, render.text(f"{title}  ({facts})"), screen.width):
            screen.print(line)
        rows = [("asks", f"{asked.actor}{' (waits for it)' if asked.blocking else ''}")]
        rows += [("what", asked.question), ("tried", "; ".join(asked.tried))]
        rows += [("needs", asked.needed), ("options", "; ".join(asked.options))]
        rows += [("claims", claim) for claim in list_claims(asked)[:_CLAIMS_MAX]]
        _draw_rows(screen, [(name, said, "") for name, said in rows if said])
        screen.print(f"  {'next':<8}{one.command}", style="dim", soft_wrap=True)


def _draw_rows(screen: Console, rows: list[_Row]) -> None:
    for name, said, ours in rows:
        lead = render.text(f"  {name:<8}", style="dim")
        quoted = flatten(said)
        words = preview_ends(flatten(f"{said}{ours}"), _WORDS_CHARS_MAX)  # anybody writes files
        for line in lay(lead, render.text(words), screen.width, quoted=len(quoted)):
            screen.print(line)


def _list_words(state: Clarification, who: str) -> list[_Row]:
    """Return what somebody must know to see to it, each with what it is."""
    rows = [("asks", f"{state.asker}{' (waits for it)' if state.holds_its_asker else ''}", "")]
    rows.append(("what", find_asked(state), ""))
    if state.issue_now:
        rows.append(("issue", "", state.issue_now))
    answer, by = preview_ends(state.answer, _SAID_CHARS_MAX), _say_answerer(state)
    asked = "" if state.answered is None else state.question_of(state.answered)
    if answer and (state.is_unanswered or asked != find_asked(state)):  # to what was asked before
        rows.append(("before", preview_ends(f"{asked} -> {answer}", _SAID_CHARS_MAX), by))
        answer = ""
    elif find_asked(state) != state.question:
        rows.append(("before", state.question, ""))
    if answer:
        rows.append(("answer", answer, by))
    if before := clarify_read.tell_asked_again(state):
        rows.append(("before", preview_ends(before, _SAID_CHARS_MAX), ""))
    if state.status is ClarificationStatus.ESCALATED:
        rows.append(("why", explain_escalation(state), ""))
    if state.claim is not None:
        claimed = state.claim.body or GO_ON
        rows.append(("claimed", claimed, f" ({name_speaker(state.claim)})"))
        if state.claim.via == Vouching.UNTRUSTED:
            rows.append(("by", "", "a writer that you do not trust: agentx trust --show"))
    if beside := clarify_read.tell_said_elsewhere(state):
        rows.append(("since" if state.decided_meanwhile else "before", beside, ""))
    if state.resolution is not None:
        words, decided = find_decided(state), say_decision(state, named=True)
        told = f"{decided.removeprefix(words)} ({name_decider(state)})"
        rows.append(("decided", words, told))
    return rows if who != state.asker else rows[1:]


def _say_answerer(state: Clarification) -> str:
    """Return who answered where that is not who was asked."""
    answered = state.answered
    if answered is None:
        return ""
    is_theirs = answered.speaker_shown == state.to
    who = "" if is_theirs else f" ({name_speaker(answered)})"
    return f"{who}{say_worth(answered)}{say_contrary(state)}"


def draw_thread(
    screen: Console, issue: int, states: tuple[Clarification, ...], dates: Dates
) -> None:
    """Draw the threads of an issue."""
    if not states:
        screen.print(f"Nobody asked anything about issue {issue}.")
        return
    for state in states[-_SHOWN_MAX:]:
        # The colours are the renderer's own; everything else in it was made printable.
        screen.print(render.read_colours(terminal(state, colour=True, say_time=dates.say)))
        if state.issue_now:
            screen.print(printable(f"issue: {state.issue_now}"), style="yellow", soft_wrap=True)
        for action in next_actions(state)[:1]:
            screen.print(f"next: {action}", style="dim", soft_wrap=True)
        screen.print()
    _say_more(screen, len(states), f"agentx clarify --issue {issue} --json", "earlier")


def _draw_question(screen: Console, state: Clarification, word: Entry | None) -> None:
    """Draw what something was said to, where the thread has several questions."""
    question = name_question(state, word)
    if question:
        render.print_hanging(screen, printable(f"asked: {question}"), style="dim")


def draw_asked(
    screen: Console,
    state: Clarification,
    *,
    wanted: bool,
    others: tuple[str, ...] = (),
    known: KnownAnswer | None = None,
) -> None:
    """Draw what became of a question that was put or waited for, and what memory knows of it."""
    line = f"{state.id} {state.status}: {state.asker} -> {state.to}"
    screen.print(line, style=_STYLES[state.status], soft_wrap=True)
    if state.issue_now:
        screen.print(printable(f"issue: {state.issue_now}"), style="yellow", soft_wrap=True)
    if wanted and not state.blocking:
        screen.print("not blocking: the workflow step does not let it block", style="dim")
    settled = state.resolution
    if settled is not None:
        _draw_question(screen, state, state.decision)
        decided = f"decided by {name_decider(state)}: {say_decision(state, named=True)}"
        render.print_hanging(screen, show_words(decided))
        said = state.answered
        if settled is state.decision and settled.speaker != PERSON and said is not None:
            answered = f"answered by {name_speaker(said)}: {show_words(said.body)}"
            worth = printable(say_worth(said))
            render.print_hanging(screen, f"{answered}{worth}", style="dim")
    elif state.answered is not None and state.answer and not state.is_unanswered:
        _draw_question(screen, state, state.answered)
        answered = f"answered by {name_speaker(state.answered)}: {show_words(state.answer)}"
        told = f"{say_worth(state.answered)}{say_contrary(state)}"
        render.print_hanging(screen, f"{answered}{printable(told)}")
    if beside := clarify_read.tell_said_elsewhere(state):
        render.print_hanging(screen, printable(beside))
    if known is not None:
        for line in list_known_lines(known, state.typed):
            render.print_hanging(screen, printable(line))
        return
    if state.status is ClarificationStatus.ESCALATED:
        _draw_called(screen, state)
        return
    given_up = clarify_read.say_given_up(state)
    if given_up:
        render.print_hanging(screen, printable(given_up))
    # Who put it does not answer it.
    waits = (f"agentx clarify wait {state.typed}",)
    after = waits if state.is_unanswered else next_actions(state, others)
    for action in after[:1]:
        screen.print(f"\nnext: {action}", style="dim", soft_wrap=True)


def _draw_called(screen: Console, state: Clarification) -> None:
    """Tell who asked why a person was called, and what that means for them."""
    why = printable(explain_escalation(state))
    if not state.holds_its_asker:
        screen.print(f"{why}\ngo on with what is known: a person may still decide", soft_wrap=True)
        return
    screen.print(why, soft_wrap=True)
    screen.print(f"\nnext: agentx clarify wait {state.typed}", style="dim", soft_wrap=True)


def draw_done(screen: Console, state: Clarification, said: str) -> None:
    """Draw what was done to a clarification, and what was answered or settled."""
    line = f"{state.id} {said}: {preview(flatten(state.topic), _TOPIC_CHARS_MAX)}"
    screen.print(line, style=_STYLES[state.status], soft_wrap=True)
    if said != "escalated" and state.thread:
        word = state.thread[-1]
        asked = preview_ends(flatten(state.question_of(word)), _TOPIC_CHARS_MAX)
        render.print_hanging(screen, f"asked: {asked}", style="dim")
        if word.doubt == UNCONFIRMED:
            screen.print(f"kept as: {SAID_FOR_PERSON}", style="yellow", soft_wrap=True)
    if state.status is ClarificationStatus.ESCALATED and said == "escalated":
        screen.print(printable(state.summary), soft_wrap=True)
