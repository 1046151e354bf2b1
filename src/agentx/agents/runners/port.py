"""How the house asks an agent something, whoever or whatever plays its role.

A runner is a person at the terminal, a script, or an agent CLI run without a
terminal. It is given everything in one `Ask` and gives one `Reply`. It holds no
lock and keeps nothing: who asks records the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from agentx.agents.limits import AGENT_ASK_WAIT_MS
from agentx.kernel.bus import Say
from agentx.kernel.values import frozen
from agentx.llm.port import Usage


class Wants(StrEnum):
    """What is asked for."""

    ANSWER = "answer"  # of a question: reads, changes nothing
    WORK = "work"  # on an issue: may change files


class AnswerStanding(StrEnum):
    """How good an answer is."""

    RESOLVED = "resolved"
    PARTIAL = "partial"
    UNKNOWN = "unknown"
    NEEDS_HUMAN = "needs-human"


@frozen
class Reference:
    """A text that a question is about: an ADR, a PRD, a specification, an issue."""

    name: str  # its path in the project, or what it is
    text: str


@frozen
class Utterance:
    """One entry of the thread so far."""

    speaker: str
    kind: str  # question, answer, resolution, escalation
    body: str


@frozen
class Ask:
    """Everything an agent is told when it is asked."""

    role: str  # who is asked
    instructions: str  # the text of that role
    question: str
    asked_by: str = ""
    topic: str = ""
    issue: int | None = None
    clarification_id: str = ""
    thread: tuple[Utterance, ...] = ()
    against: str = ""  # what speaks by now against what was said in it, or was said to the same
    artifacts: tuple[Reference, ...] = ()
    recalled: str = ""  # the recall section, fenced
    wants: Wants = Wants.ANSWER
    time_limit_ms: int = AGENT_ASK_WAIT_MS
    heard: Say | None = None  # is told what the agent says on the way, where that is known
    began: Callable[[int], None] | None = None  # is told which process plays it, where one does
    spent: Callable[[Usage, str], None] | None = None  # is told what was used up without an answer
    how_to_work: str = ""  # where it is other than for work on an issue
    variables: Mapping[str, str] = field(default_factory=dict)  # for its environment, besides


@frozen
class Reply:
    """What came back. `answer` is the text for the asker; `text` is all that was said."""

    answer: str
    standing: AnswerStanding = AnswerStanding.RESOLVED
    evidence: tuple[str, ...] = ()
    remaining: str = ""  # what a follow-up must ask
    confidence: str = ""  # low, medium, high; nothing where it was not said
    is_judged: bool = False  # it was said how good it is
    text: str = ""
    runner: str = ""
    session_id: str = ""
    took_ms: int = 0
    model: str = ""
    usage: Usage | None = None  # where it was said


class Runner(Protocol):
    """One way to ask an agent."""

    @property
    def name(self) -> str:
        """Such as `claude-code`, `person`, `scripted`."""
        ...

    def run(self, ask: Ask) -> Reply:
        """Ask, and wait for the reply no longer than the ask allows.

        Raises: AgentUnavailable when there was none: not installed, failed, empty, too late.
        """
        ...
