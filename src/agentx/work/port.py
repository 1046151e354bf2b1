"""What the verbs ask of the places where work is kept.

`IssueStore` has two implementations, files and GitHub, and one contract suite.
Every change is a pure function of what is there, called under the lock or after a
fresh read, so that nobody writes over what they have not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from agentx.kernel.values import frozen
from agentx.work.model import AgentStatus, Issue, NewIssue

# In why nothing can be sent: GitHub is there, and lets nobody ask more for a while.
RATE_LIMIT = "rate limit is used up"


class IssueStore(Protocol):
    """Where issues are kept."""

    def create(self, new: NewIssue) -> Issue:
        """Keep a new issue; its number is nobody else's."""
        ...

    def get(self, number: int) -> Issue:
        """Return one issue with its comments.

        Raises: NotFound.
        """
        ...

    def all(self, *, with_closed: bool = True) -> tuple[Issue, ...]:
        """Return the issues by number; comments may be left out."""
        ...

    def change(self, number: int, decide: Callable[[Issue], Issue]) -> Issue:
        """Replace an issue by what `decide` makes of it; what it raises leaves all as it was.

        Raises: NotFound.
        """
        ...

    def comment(self, number: int, body: str, *, author: str = "") -> Issue:
        """Add a comment.

        Raises: NotFound.
        """
        ...


class AgentStatusStore(Protocol):
    """Where it is kept what agents are doing."""

    def all(self) -> tuple[AgentStatus, ...]:
        """Return every agent that was ever at work, by name; one on several issues by each."""
        ...

    def list_of(self, agent: str) -> tuple[AgentStatus, ...]:
        """Return what one agent does on each issue; one never heard of is idle."""
        ...

    def get(self, agent: str, issue: int | None = None) -> AgentStatus:
        """Return one agent, on an issue or as others see it first; one never heard of is idle."""
        ...

    def change(
        self,
        agent: str,
        decide: Callable[[AgentStatus], AgentStatus],
        issue: int | None = None,
    ) -> AgentStatus:
        """Replace a status by what `decide` makes of it, under the lock; return what is kept.

        `decide` is called once and must not wait for anybody. What it raises leaves the file as
        it was; the same value back writes nothing.
        """
        ...


@frozen
class OpenQuestion:
    """What the ready queue must know of a blocking clarification that is open."""

    id: str  # such as CLR-7-001
    to: str  # who has to say something: the agent that was asked, or `human`
    is_unread: bool = False  # nobody knows what waits: it is the ledger that cannot be read


# Issue number -> its blocking open clarifications, oldest first. The ledgers answer it.
BlockingQuestions = Callable[[], Mapping[int, tuple[OpenQuestion, ...]]]


def say_outage(why: str) -> str:
    """Return why nothing reached GitHub; a limit is not being offline. Nothing where all did."""
    return why if not why or RATE_LIMIT in why else f"offline: {why}"
