"""How things stand for a role: what waits for an answer, its issue, what can be begun.

Several lines may point to the same place: they say where to go, not what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import fold_text, preview
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.recall.limits import CLARIFY_INBOX_MAX
from agentx.recall.section.moment import Present
from agentx.recall.section.render import RecallLine

if TYPE_CHECKING:
    from agentx.clarification.model import Clarification
    from agentx.work.model import AgentStatus, Issue
    from agentx.work.port import OpenQuestion

QUESTIONS = "Questions and answers for you"
PERSONS = "Questions that wait for the user"  # told where no role is played: it is the user's
WORK = "Work"

_READY_SHOWN = 5
_TITLE_CHARS_MAX = 100
_TEXT_CHARS_MAX = 280
_COMMAND_CHARS = 60
_SAID_CHARS_MIN = 80  # however much was asked


def _nothing(_role: str) -> tuple[Clarification, ...]:
    return ()


@frozen
class RunAnswer:
    """What a person answered to a run's question, as it is told."""

    id: str
    stage: str  # another one with each answer
    run_id: str
    text: str
    at_ms: int


@frozen
class Standing:
    """The open issues, what agents are doing, and what is asked, at one moment."""

    issues: tuple[Issue, ...] = ()
    agents: tuple[AgentStatus, ...] = ()
    asked: tuple[Clarification, ...] = ()
    inbox: Callable[[str], tuple[Clarification, ...]] = _nothing
    of_runs: tuple[tuple[str, int], ...] = ()  # what runs ask the person, and since when
    run_answers: tuple[RunAnswer, ...] = ()  # what people answered lately to what runs asked
    # An issue that waits for an answer cannot be begun.
    blocking: Mapping[int, tuple[OpenQuestion, ...]] = field(default_factory=dict)

    def speakers(self) -> tuple[str, ...]:
        """Return the roles for which a question or an answer may wait."""
        ends = dict.fromkeys(role for one in self.asked for role in (one.to, one.asker))
        return tuple(role for role in ends if role != PERSON_ROLE)

    def stages(self) -> dict[str, str]:
        """Return a name for how far each question has come: each answer is told anew."""
        told = {each.id: each.stage for each in self.run_answers}
        if not self.asked:
            return told
        from agentx.clarification.watch.inbox import name_stage  # noqa: PLC0415  most projects ask nothing

        return told | {state.id: name_stage(state) for state in self.asked}

    def roles(self) -> tuple[str, ...]:
        """Return every role that is told something of its own."""
        return tuple(dict.fromkeys((*self.speakers(), *self._issue_of())))

    def lines(self, now: Present, role: str) -> Iterator[RecallLine]:
        """Yield what stands for a role, most urgent first."""
        yield from self._questions(now, role)
        yield from self._run_answers(now)
        yield from self._list_waited_for(now, role) if role else self._run_questions(now)
        for line in self.work(role):
            yield now.line(
                group=WORK,
                text=line,
                doc_id="agentx ready",
                at_ms=now.now_ms,
                is_of_now=True,
                source="issues",
                tokens=estimate(line),
            )

    def work(self, role: str = "") -> tuple[str, ...]:
        """Return what a session of a role is told of issues; nothing where there are none."""
        if not self.issues:
            return ()
        from agentx.work.ready import queue  # noqa: PLC0415  most projects have no issues

        mine = self._issue_of().get(role)
        lines = [f"Your issue: {_say(issue)}" for issue in self.issues if issue.number == mine]
        ready = queue(self.issues, self.blocking).ready
        lines.extend(f"Ready to begin: {_say(issue)}" for issue in ready[:_READY_SHOWN])
        if len(ready) > _READY_SHOWN:
            lines.append(f"{len(ready) - _READY_SHOWN} more: agentx ready")
        return tuple(lines)

    def _issue_of(self) -> dict[str, int]:
        """Return the roles that have an issue of their own, and are not done with it."""
        if not self.agents:
            return {}
        from agentx.work.model import AgentState  # noqa: PLC0415  most projects have no roles

        return {
            each.agent: each.issue
            for each in self.agents
            if each.issue is not None and AgentState.DONE not in (each.state, each.returns_to)
        }

    def _questions(self, now: Present, role: str) -> Iterator[RecallLine]:
        group, who = (QUESTIONS, role) if role else (PERSONS, PERSON_ROLE)
        waiting = self.inbox(who) if role else (*self.inbox(who), *self._list_contested())
        for state in waiting[:CLARIFY_INBOX_MAX]:
            yield now.line(
                group=group,
                text=_question(state, role),
                doc_id=state.id,
                at_ms=state.thread[-1].at_ms if state.thread else state.created_ms,
                source=f"{_name_source(state, role)}, {state.issue_now or f'issue {state.issue}'}",
                tokens=estimate(state.question),
            )
        rest = waiting[CLARIFY_INBOX_MAX:]
        if rest:
            command = f"agentx clarify inbox {role}".strip()
            yield now.line(
                group=group,
                text=f"{len(rest)} more: {command}",
                doc_id=command,
                at_ms=now.now_ms,
                is_of_now=True,
                source="clarifications",
                tokens=sum(estimate(state.question) for state in rest),
            )

    def _list_waited_for(self, now: Present, role: str) -> Iterator[RecallLine]:
        """Yield what holds a role up: whom it asked and waits for, but where it is told of that."""
        seen = self.inbox(role) if self.asked else ()
        held = (one for one in self.asked if one.asker == role and one.holds_its_asker)
        for state in [one for one in held if one not in seen][:CLARIFY_INBOX_MAX]:
            yield now.line(
                group=WORK,
                text=_say_waited_for(state),
                doc_id=state.id,
                at_ms=state.thread[-1].at_ms if state.thread else state.created_ms,
                source=state.issue_now or f"issue {state.issue}",
                tokens=estimate(state.question),
            )

    def _list_contested(self) -> tuple[Clarification, ...]:
        """Return what is settled and contested: who plays no role goes by it, too."""
        if not self.asked:
            return ()
        from agentx.clarification.contested import keep_contested  # noqa: PLC0415  somebody asked

        return keep_contested(state for state in self.asked if not state.waits_for_person)

    def _run_answers(self, now: Present) -> Iterator[RecallLine]:
        """Yield what people answered: it is for whoever works on the run."""
        for each in self.run_answers[-CLARIFY_INBOX_MAX:]:
            yield now.line(
                group=QUESTIONS,
                text=each.text,
                doc_id=each.id,
                at_ms=each.at_ms,
                source=f"run {each.run_id}",
                tokens=estimate(each.text),
            )

    def _run_questions(self, now: Present) -> Iterator[RecallLine]:
        for says, at_ms in self.of_runs[:CLARIFY_INBOX_MAX]:
            yield now.line(
                group=PERSONS,
                text=says,
                doc_id="agentx clarify inbox",
                at_ms=at_ms,
                source="run",
                tokens=estimate(says),
            )


def _question(state: Clarification, role: str) -> str:
    """Return what a session is told of a clarification, and what can be done about it."""
    from agentx.clarification.model import ClarificationStatus  # noqa: PLC0415  somebody asked
    from agentx.clarification.rendering import (  # noqa: PLC0415  as above
        find_asked,
        name_matter,
        say_decision,
        say_next,
        say_worth,
    )
    from agentx.clarification.summary import (  # noqa: PLC0415  as above
        say_begun,
        say_later,
        say_meanwhile,
        say_overruled,
    )

    if not role and state.waits_for_person:
        verb = "answer" if state.is_unanswered else "resolve"
        command = f"agentx clarify {verb} {state.typed} TEXT"
        about = f"{_about(state, find_asked(state))}{say_meanwhile(state)}"
        return f"{about} -- the user decides in a terminal: {command}"
    if state.to == role and state.is_unanswered:
        about = f"{_about(state, state.question)}{say_meanwhile(state)}"
        return f"{about} -- answer with: agentx clarify answer {state.typed} TEXT"
    if state.status is ClarificationStatus.ESCALATED:
        goes_on = "wait for it" if state.holds_its_asker else "go on with what is known"
        about = f"{_about(state, find_asked(state))}{say_meanwhile(state)}"
        return f"brought to a person: {about} -- {goes_on}"
    if state.resolution is not None:
        matter = name_matter(state, state.decision)
        chars = max(_TEXT_CHARS_MAX - _COMMAND_CHARS - len(matter), _SAID_CHARS_MIN)
        decided = say_decision(state, chars_max=chars)
        return f"decided: {matter}: {fold_text(decided)}"
    matter = name_matter(state, state.answered)
    against = f"{say_overruled(state)}{say_later(state)}{say_begun(state)}"
    about = f"{_about(state, state.answer, matter)}{against}"
    worth = "" if state.answered is None else say_worth(state.answered)
    return f"answered{worth}: {about} -- {say_next(state)}"


def _say_waited_for(state: Clarification) -> str:
    """Return what a role is told that cannot go on: for whom it waits, and with what."""
    from agentx.clarification.rendering import find_asked  # noqa: PLC0415  somebody asked
    from agentx.clarification.summary import say_meanwhile  # noqa: PLC0415  as above

    who = "a person" if state.waits_on == PERSON_ROLE else state.waits_on
    about = f"{_about(state, find_asked(state))}{say_meanwhile(state)}"
    return f"You wait for {who}, {state.id}: {about} -- agentx clarify wait {state.typed}"


def _about(state: Clarification, said: str, matter: str = "") -> str:
    from agentx.clarification.summary import preview_said  # noqa: PLC0415  somebody asked

    about = preview(matter or state.topic, _TITLE_CHARS_MAX)
    chars = max(_TEXT_CHARS_MAX - _COMMAND_CHARS - len(about), _SAID_CHARS_MIN)
    return f"{about}: {preview_said(state, said, chars)}"


def _name_source(state: Clarification, role: str) -> str:
    """Return whose words a line tells."""
    settled = state.resolution
    if settled is not None and state.asker == role:
        return settled.speaker_shown
    if state.asker != role:
        return state.asker
    return state.to if state.answered is None else state.answered.speaker_shown


def _say(issue: Issue) -> str:
    from agentx.work.labels import priority_of  # noqa: PLC0415  most projects have no issues

    priority = priority_of(issue.labels)
    rank = f", {priority}" if priority else ""
    return f"#{issue.number} {preview(issue.title, _TITLE_CHARS_MAX)} ({issue.status}{rank})"
