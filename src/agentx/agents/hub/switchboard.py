"""What the hub must know to put a question through."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from agentx.agents.runners.port import Reference, Runner
from agentx.clarification.model import Clarification
from agentx.clarification.scope import Scope
from agentx.kernel.values import frozen

NumberOf = Callable[[Clarification], int | None]


def _as_asked() -> NumberOf:
    return attrgetter("issue")


def _as_it_is(state: Clarification) -> Clarification:
    return state


@frozen
class Switchboard:
    """What the hub must know to put a question through."""

    agents: frozenset[str]
    scope_of: Callable[[int, str], Scope]  # issue, asker
    runner_of: Callable[[str], Runner | None]  # role
    instructions_of: Callable[[str], str]  # role
    artifacts_of: Callable[[int], tuple[Reference, ...]]  # issue
    is_closed: Callable[[int], bool]  # issue
    check_issue: Callable[[int], None] = lambda _issue: None  # raises for one that is not there
    # Which number the issue of a question has now; None where another has its own.
    look_at_issues: Callable[[], NumberOf] = _as_asked
    # A question with what speaks by now against what was said in it.
    tell_against: Callable[[Clarification], Clarification] = _as_it_is
