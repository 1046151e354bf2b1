"""What a loop asks of the house: to recall, to keep a decision, to ask through the hub.

A question that nobody can answer now has no outcome yet: the session waits. When it is taken up,
the ledger says what became of the question, so that it is never put twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentx.agents.loop.limits import LOOP_RECALL_TOKENS
from agentx.agents.loop.model import LoopSession
from agentx.agents.loop.port import ToolOutcome
from agentx.agents.loop.tools.box import HouseTools
from agentx.clarification.contested import is_contested
from agentx.clarification.errors import ClarificationUnanswered
from agentx.clarification.model import (
    PARTIAL,
    UNKNOWN,
    Clarification,
    ClarificationStatus,
    NewQuestion,
)
from agentx.clarification.rendering import (
    explain_escalation,
    say_contrary,
    say_decision,
    say_worth,
    tell_called,
)
from agentx.kernel.bus import Say
from agentx.kernel.errors import ConflictError, NotFound
from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX
from agentx.kernel.text import cut, preview
from agentx.memory.port import Memory
from agentx.observations.model import Category
from agentx.operations.memory.write import NewObservation, memory_add
from agentx.operations.questions import ask as questions
from agentx.operations.questions import settle
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.redaction.redact import redact
from agentx.wiring.clarifications import open_clarifications, tell_state


class LoopHouse:
    """The house, as one session of a role on an issue may use it."""

    def __init__(
        self,
        project: Project,
        session: LoopSession,
        open_memory: Callable[[], Memory],
        told: Say,
    ) -> None:
        self._project = project
        self._role = session.agent
        self._issue = session.issue
        self._session_id = session.id
        self._open_memory = open_memory
        self._told = told

    def tools(self) -> HouseTools:
        """Return what the loop calls."""
        return HouseTools(recall=self._recall, decide=self._decide, ask=self._ask, hear=self._hear)

    def _recall(self, about: str) -> ToolOutcome:
        request = RecallRequest(
            agent=self._role,
            issue=self._issue,
            context=about,
            budget_tokens=LOOP_RECALL_TOKENS,
        )
        with self._open_memory() as memory:
            found = recall(self._project, memory, request)
        brief = f"{preview(about, 60)!r}: {found.lines} lines"
        return ToolOutcome(text=found.text or "(nothing is remembered of it)", brief=brief)

    def _decide(self, decision: str) -> ToolOutcome:
        kept = memory_add(
            self._project,
            NewObservation(
                text=decision,
                agent=self._role,
                issue=self._issue,
                category=Category.DECISION,
                session_id=self._session_id,
            ),
        )
        return ToolOutcome(text=f"kept as {kept.id}", brief=preview(decision, 100))

    def _ask(self, given: Mapping[str, Any], left_ms: int) -> ToolOutcome:
        blocking = bool(given.get("blocking", True))
        # Whoever plays the target is asked at once, as long as the sitting lasts; nobody is waited
        # for.
        waiting = questions.Waiting(asked_ms=left_ms) if blocking else None
        follows = str(given.get("follows", ""))
        try:
            if follows:
                state = questions.follow_up(
                    self._project,
                    follows,
                    str(given["question"]),
                    by=self._role,
                    waiting=waiting,
                    told=self._told,
                )
            else:
                state = questions.ask(
                    self._project,
                    NewQuestion(
                        issue=self._issue,
                        asker=self._role,
                        to=str(given["to"]),
                        topic=str(given["topic"]),
                        question=str(given["question"]),
                        blocking=blocking,
                    ),
                    waiting=waiting,
                    told=self._told,
                )
        except (ClarificationUnanswered, ConflictError):
            found = self._find(given)
            if found is None:
                raise
            state = found
        if not blocking and state.is_unanswered:
            text = f"{state.id} is put to {state.to}; go on with what is known meanwhile"
            return ToolOutcome(text=text, brief=f"{state.id} to {state.to}, not waited for")
        return self._tell(state)

    def _hear(self, given: Mapping[str, Any], waits_for: str, left_ms: int) -> ToolOutcome | None:
        if waits_for:
            try:
                state = open_clarifications(self._project).find(waits_for)
            except NotFound:
                text = f"{waits_for} is no longer there: go on with what is known"
                return ToolOutcome(text=text, failed=True)
        else:
            found = self._find(given)
            if found is None:
                return self._ask(given, left_ms)  # it was never put
            state = found
        if state.is_unanswered and state.blocking and not state.waits_for_person:
            return self._ask({**given, "follows": ""} if state.round < 2 else given, left_ms)
        return self._tell(state)

    def _find(self, given: Mapping[str, Any]) -> Clarification | None:
        """Return the question of a call as the ledger has it."""
        wanted = redact(str(given["question"])).split()
        ledger = open_clarifications(self._project).ledger(self._issue)
        mine = [each for each in ledger if each.asker == self._role]
        return next((each for each in reversed(mine) if each.question.split() == wanted), None)

    def _tell(self, state: Clarification) -> ToolOutcome:
        if state.is_unanswered or state.holds_its_asker:
            return self._tell_open(state)
        known = tell_state(self._project, state)
        match state.status:
            case ClarificationStatus.RESOLVED:
                return _answer(state, f"It was decided: {say_decision(known)}")
            case ClarificationStatus.ANSWERED:
                return self._take(known)
            case ClarificationStatus.ESCALATED:
                why = explain_escalation(state)
                told = f"A person was called ({why}){tell_called(known)}. Go on with what is known."
                return _answer(state, told)
            case _:
                return _answer(state, "It was given up. Go on with what is known.")

    def _tell_open(self, state: Clarification) -> ToolOutcome:
        if state.waits_for_person:
            why = explain_escalation(state)
            about = f" ({why})" if why else ""
            text = f"{state.id} waits for a person{about}: agentx clarify inbox"
        else:
            text = f"{state.id} waits for {state.to}: agentx clarify answer {state.typed} TEXT"
        brief = f"{state.id}: {preview(state.question, 80)}"
        return ToolOutcome(
            text=text,
            brief=brief,
            waits_for=state.exact,
            calls_person=state.status is ClarificationStatus.ESCALATED,
        )

    def _take(self, state: Clarification) -> ToolOutcome:
        """Tell an answer; one that answers is settled, one that does not may be asked further."""
        said = state.answered
        worth = say_worth(said) if said else ""
        speaker = said.speaker_shown if said else state.to
        words = f"{cut(state.answer, CLARIFY_TEXT_CHARS_MAX)}{say_contrary(state)}"
        if said and said.worth.standing in (PARTIAL, UNKNOWN):
            left = f" What is left: {said.worth.remaining}" if said.worth.remaining else ""
            more = f"{left}\nTo ask further, name follows={state.typed}."
            return _answer(state, f"{speaker} answers{worth}: {words}{more}")
        if is_contested(state) or state.decided_later:
            left = "It is not settled: ask a person (to: human) before you rely on it."
            return _answer(state, f"{speaker} answers{worth}: {words}\n{left}")
        caller = WhoCalls(via=Via.AGENT, role=self._role)
        settle.resolve(self._project, state.exact, by=self._role, caller=caller)
        self._told(f"[{self._role}] {state.id} resolved. Continuing...")
        return _answer(state, f"{speaker} answers{worth}: {words}")


def _answer(state: Clarification, text: str) -> ToolOutcome:
    return ToolOutcome(text=f"{state.id}: {text}", brief=f"{state.id}: {preview(text, 120)}")
