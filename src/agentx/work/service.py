"""The verbs of issues, the same wherever they are kept."""

from __future__ import annotations

from collections.abc import Callable

from agentx.kernel.bus import Bus
from agentx.kernel.clock import Clock
from agentx.work import dependencies, issues, ready
from agentx.work.model import Edit, Issue, IssueChanged, NewIssue, Status
from agentx.work.port import BlockingQuestions, IssueStore


class Issues:
    """Every verb of issues, over any store."""

    def __init__(self, store: IssueStore, clock: Clock, bus: Bus) -> None:
        self._store = store
        self._clock = clock
        self._bus = bus

    def create(self, new: NewIssue) -> Issue:
        """Keep a new issue.

        Raises: InvalidValue.
        """
        return self._tell(self._store.create(issues.check_new(new)))

    def get(self, number: int) -> Issue:
        """Return one issue.

        Raises: NotFound.
        """
        return self._store.get(number)

    def all(self, *, with_closed: bool = True) -> tuple[Issue, ...]:
        """Return the issues by number."""
        return self._store.all(with_closed=with_closed)

    def edit(self, number: int, edit: Edit) -> Issue:
        """Change an issue.

        Raises: NotFound, InvalidValue, IllegalTransition.
        """
        now = self._clock.now_ms()
        return self._change(number, lambda issue: issues.edit(issue, edit, at_ms=now))

    def close(self, number: int) -> Issue:
        """Close an issue; one that was being validated is done.

        Raises: NotFound.
        """
        now = self._clock.now_ms()
        return self._change(number, lambda issue: issues.close(issue, at_ms=now))

    def reopen(self, number: int) -> Issue:
        """Open an issue again.

        Raises: NotFound.
        """
        now = self._clock.now_ms()
        return self._change(number, lambda issue: issues.reopen(issue, at_ms=now))

    def comment(self, number: int, body: str, *, author: str = "") -> Issue:
        """Say something on an issue.

        Raises: NotFound, InvalidValue.
        """
        return self._tell(self._store.comment(number, issues.check_comment(body), author=author))

    def standing(self, number: int) -> dependencies.IssueStanding:
        """Say what an issue waits for and what waits for it.

        Raises: NotFound.
        """
        known = self._store.all()
        if all(issue.number != number for issue in known):
            self._store.get(number)
        return dependencies.standing(number, known)

    def queue(self, questions: BlockingQuestions) -> ready.Queue:
        """Say what can be begun now."""
        return ready.queue(self._store.all(), questions())

    def _change(self, number: int, decide: Callable[[Issue], Issue]) -> Issue:
        was: list[Status] = []  # a store may decide again, on what another one wrote

        def decide_seen(issue: Issue) -> Issue:
            was.append(issue.status)
            return decide(issue)

        changed = self._store.change(number, decide_seen)
        return self._tell(changed, was[-1] if was else None)

    def _tell(self, issue: Issue, was: Status | None = None) -> Issue:
        self._bus.tell(IssueChanged(number=issue.number, was=was, now=issue.status))
        return issue
