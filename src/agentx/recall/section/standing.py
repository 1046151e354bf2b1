"""How things stand for a role: what waits for an answer, its issue, what can be begun.

Several lines may point to the same place: they say where to go, not what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from agentx.kernel.text import preview
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.recall.limits import CLARIFY_INBOX_MAX
from agentx.recall.section.moment import Present
from agentx.recall.section.render import RecallLine

if TYPE_CHECKING:
    from agentx.clarification.model import Clarification
    from agentx.work.model import AgentStatus, Issue
    from agentx.work.port import OpenQuestion

QUESTIONS = "Questions that wait for you"
WORK = "Work"

_READY_SHOWN = 5
_TITLE_CHARS_MAX = 100
_TEXT_CHARS_MAX = 280
_COMMAND_CHARS = 60


def _nothing(_role: str) -> tuple[Clarification, ...]:
    return ()


@frozen
class Standing:
    """The open issues, what agents are doing, and what is asked, at one moment."""

    issues: tuple[Issue, ...] = ()
    agents: tuple[AgentStatus, ...] = ()
    asked: tuple[Clarification, ...] = ()
    inbox: Callable[[str], tuple[Clarification, ...]] = _nothing
    # An issue that waits for an answer cannot be begun.
    blocking: Mapping[int, tuple[OpenQuestion, ...]] = field(default_factory=dict)

    def speakers(self) -> tuple[str, ...]:
        """Return the roles for which a question or an answer may wait."""
        return tuple(dict.fromkeys(role for one in self.asked for role in (one.to, one.asker)))

    def roles(self) -> tuple[str, ...]:
        """Return every role that is told something of its own."""
        return tuple(dict.fromkeys((*self.speakers(), *self._issue_of())))

    def lines(self, now: Present, role: str) -> Iterator[RecallLine]:
        """Yield what stands for a role, most urgent first."""
        yield from self._questions(now, role)
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
        waiting = self.inbox(role)
        for state in waiting[:CLARIFY_INBOX_MAX]:
            yield now.line(
                group=QUESTIONS,
                text=_question(state, role),
                doc_id=state.id,
                at_ms=state.created_ms,
                source=f"{state.asker if state.to == role else state.to}, issue {state.issue}",
                tokens=estimate(state.question),
            )
        rest = waiting[CLARIFY_INBOX_MAX:]
        if rest:
            yield now.line(
                group=QUESTIONS,
                text=f"{len(rest)} more: agentx clarify inbox {role}",
                doc_id=f"agentx clarify inbox {role}",
                at_ms=now.now_ms,
                is_of_now=True,
                source="clarifications",
                tokens=sum(estimate(state.question) for state in rest),
            )


def _question(state: Clarification, role: str) -> str:
    said = state.question if state.to == role else state.answer
    about = preview(f"{state.topic}: {said}", _TEXT_CHARS_MAX - _COMMAND_CHARS)
    if state.to == role:
        return f"{about} -- answer with: agentx clarify answer {state.id} TEXT"
    return f"answered: {about} -- settle with: agentx clarify resolve {state.id}"


def _say(issue: Issue) -> str:
    from agentx.work.labels import priority_of  # noqa: PLC0415  most projects have no issues

    priority = priority_of(issue.labels)
    rank = f", {priority}" if priority else ""
    return f"#{issue.number} {preview(issue.title, _TITLE_CHARS_MAX)} ({issue.status}{rank})"
