"""Goal: an agent's status follows the drawn state machine, whatever happens in which order.

Method: a rule-based machine plays assignments, questions and answers, and compares every
step with the table and with a plain account of what is open.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from agentx.kernel.clock import Millis
from agentx.kernel.errors import IllegalTransition
from agentx.work.agent_states import MOVES, Open, answers, began, fail, finish, settle, waits
from agentx.work.model import AgentState, AgentStatus

S = AgentState


def test_the_table_holds_what_is_specified() -> None:
    for here, there in (
        (S.IDLE, S.WORKING),
        (S.WORKING, S.CLARIFYING),
        (S.CLARIFYING, S.WORKING),
        (S.WORKING, S.BLOCKED_CLARIFICATION),
        (S.BLOCKED_CLARIFICATION, S.WORKING),
        (S.WORKING, S.DONE),
        (S.WORKING, S.STUCK),
        (S.STUCK, S.WORKING),
        (S.IDLE, S.CLARIFYING),
        (S.DONE, S.CLARIFYING),
        (S.CLARIFYING, S.IDLE),
        (S.CLARIFYING, S.DONE),
    ):
        assert there in MOVES[here]
    for here, there in ((S.IDLE, S.DONE), (S.BLOCKED_CLARIFICATION, S.DONE), (S.STUCK, S.DONE)):
        assert there not in MOVES[here]


class Agent(RuleBasedStateMachine):
    """One agent through its life."""

    def __init__(self) -> None:
        super().__init__()
        self.status = AgentStatus(agent="engineer")
        self.before = self.status
        self.now = 0
        self.questions = 0

    def _at(self) -> Millis:
        self.now += 1
        return Millis(self.now)

    def _open(self) -> Open:
        self.questions += 1
        return Open(clarification_id=f"CLR-7-{self.questions:03}", other="architect", issue=7)

    def _become(self, after: AgentStatus) -> None:
        self.before, self.status = self.status, after

    @rule(issue=st.integers(1, 3))
    def begin(self, issue: int) -> None:
        self._become(began(self.status, issue=issue, at_ms=self._at()))
        assert self.status.state is not S.IDLE

    @rule()
    def finish(self) -> None:
        try:
            self._become(finish(self.status, at_ms=self._at()))
        except IllegalTransition:
            assert self.status.state not in (S.WORKING, S.DONE)
        else:
            assert S.DONE in (self.status.state, self.status.returns_to)

    @rule()
    def fail(self) -> None:
        try:
            self._become(fail(self.status, at_ms=self._at()))
        except IllegalTransition:
            assert self.status.state not in (S.WORKING, S.STUCK)
        else:
            assert self.status.state is S.STUCK

    @rule()
    def ask(self) -> None:
        first = self.status.state is not S.BLOCKED_CLARIFICATION
        question = self._open()
        oldest = self.status.clarification_id
        self._become(waits(self.status, question, at_ms=self._at()))
        assert self.status.state is S.BLOCKED_CLARIFICATION
        assert self.status.clarification_id == (question.clarification_id if first else oldest)

    @rule()
    def be_asked(self) -> None:
        was = self.status
        self._become(answers(was, self._open(), at_ms=self._at()))
        if was.state in (S.IDLE, S.WORKING, S.DONE):
            assert (self.status.state, self.status.returns_to) == (S.CLARIFYING, was.state)
        else:
            assert self.status == was

    @precondition(lambda self: self.status.clarification_id is not None)
    @rule(more=st.booleans())
    def settle(self, more: bool) -> None:
        was = self.status
        assert was.clarification_id is not None
        following = self._open() if more else None
        self._become(settle(was, was.clarification_id, at_ms=self._at(), following=following))
        if following is not None:
            assert self.status.state is was.state
            assert self.status.clarification_id == following.clarification_id
        elif was.state is S.CLARIFYING:
            assert self.status.state is was.returns_to
        else:
            assert self.status.state is S.WORKING

    @rule()
    def settle_another(self) -> None:
        was = self.status
        self._become(settle(was, "CLR-9-999", at_ms=self._at()))
        assert self.status == was

    @invariant()
    def moves_are_of_the_table(self) -> None:
        here, there = self.before.state, self.status.state
        via_work = there is S.BLOCKED_CLARIFICATION and S.WORKING in MOVES[here]
        assert here is there or there in MOVES[here] or via_work

    @invariant()
    def fields_say_what_the_state_says(self) -> None:
        status = self.status
        assert (status.waiting_on is not None) == (status.state is S.BLOCKED_CLARIFICATION)
        assert (status.responding_to is not None) == (status.state is S.CLARIFYING)
        assert (status.returns_to is not None) == (status.state is S.CLARIFYING)
        in_question = status.state in (S.CLARIFYING, S.BLOCKED_CLARIFICATION)
        assert (status.clarification_id is not None) == in_question


TestAgent = Agent.TestCase
TestAgent.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
