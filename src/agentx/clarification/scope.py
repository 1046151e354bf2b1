"""Who may ask whom, what, and how often: everything that is checked before a question is kept.

The guards are data, in the order they speak; the first that refuses decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agentx.clarification.errors import ScopeViolation, scope_violation
from agentx.clarification.model import PERSON, Clarification, NewQuestion
from agentx.clarification.watch.awaiting import fold_words
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.limits import (
    CLARIFY_ROUNDS_BLOCKING_MAX,
    CLARIFY_ROUNDS_NON_BLOCKING_MAX,
    CLARIFY_SLA_MINUTES_DEFAULT,
    CLARIFY_TEXT_CHARS_MAX,
    CLARIFY_TOPIC_CHARS_MAX,
)
from agentx.kernel.text import shows_something
from agentx.kernel.values import frozen
from agentx.redaction.redact import redact


@frozen
class Scope:
    """What an agent's workflow step lets it ask. `rounds_max` may lower the cap, never raise it."""

    can_clarify: tuple[str, ...] = ()
    rounds_max: int | None = None
    sla_minutes: int = CLARIFY_SLA_MINUTES_DEFAULT
    blocking_allowed: bool = True


@frozen
class ScopeGuard:
    """One condition on a request."""

    name: str
    refuses: Callable[[NewQuestion, Scope, frozenset[str]], AgentXError | None]


@frozen
class Put:
    """A question that was put; one that was open already is joined."""

    state: Clarification
    is_new: bool


def permit(
    request: NewQuestion,
    scope: Scope,
    agents: frozenset[str],
    guards: tuple[ScopeGuard, ...] | None = None,
) -> NewQuestion:
    """Return the request as it may be put: trimmed, and non-blocking where the step says so.

    Raises: ScopeViolation, InvalidValue.
    """
    trimmed = replace(request, topic=request.topic.strip(), question=request.question.strip())
    for guard in SCOPE_GUARDS if guards is None else guards:
        refusal = guard.refuses(trimmed, scope, agents)
        if refusal is not None:
            raise refusal
    return replace(trimmed, blocking=trimmed.blocking and scope.blocking_allowed)


def rounds_of(request: NewQuestion, scope: Scope) -> int:
    """Return how many rounds a request may take: the cap, or fewer."""
    cap = CLARIFY_ROUNDS_BLOCKING_MAX if request.blocking else CLARIFY_ROUNDS_NON_BLOCKING_MAX
    wanted = (cap, scope.rounds_max or cap, request.rounds_max or cap)
    return max(1, min(wanted))


def find_same(open_now: Iterable[Clarification], request: NewQuestion) -> Clarification | None:
    """Return the open clarification that asks the same of the same, or None."""
    wanted = fold_words(redact(request.topic), redact(request.question))
    return next(
        (
            state
            for state in open_now
            if (state.asker, state.to, state.blocking)
            == (request.asker, request.to, request.blocking)
            and state.is_active
            and not state.issue_mark.is_another(request.issue_mark)
            and fold_words(state.topic, state.question) == wanted
        ),
        None,
    )


def check_text(name: str, text: str, chars_max: int = CLARIFY_TEXT_CHARS_MAX) -> str:
    """Return a text that may be kept, trimmed.

    Raises: InvalidValue when it is empty or too long.
    """
    trimmed = text.strip()
    if not shows_something(trimmed):
        what = "holds nothing that can be seen" if trimmed else "is empty"
        raise InvalidValue(f"the {name} {what}", hint="say it in a few words")
    if len(trimmed) > chars_max:
        raise InvalidValue(
            f"the {name} has {len(trimmed):,} characters, {chars_max:,} are allowed",
            hint="say it shorter, or put the rest into a file of the project and name it",
        )
    return trimmed


def _unknown_asker(
    request: NewQuestion, _scope: Scope, agents: frozenset[str]
) -> AgentXError | None:
    if request.asker in agents:
        return None
    return InvalidValue(
        f"{request.asker[:60]!r} is not an agent", hint=f"agents are: {', '.join(sorted(agents))}"
    )


def _asks_oneself(
    request: NewQuestion, scope: Scope, _agents: frozenset[str]
) -> AgentXError | None:
    if request.asker != request.to:
        return None
    allowed = tuple(agent for agent in scope.can_clarify if agent != request.asker)
    return scope_violation(request.asker, request.to, allowed)


def _out_of_scope(
    request: NewQuestion, scope: Scope, _agents: frozenset[str]
) -> ScopeViolation | None:
    # A workflow says which agents may be asked. People can be asked by everybody.
    if request.to in (*scope.can_clarify, PERSON):
        return None
    return scope_violation(request.asker, request.to, scope.can_clarify)


def _bad_topic(request: NewQuestion, _scope: Scope, _agents: frozenset[str]) -> AgentXError | None:
    return _bad_text("topic", request.topic, CLARIFY_TOPIC_CHARS_MAX)


def _bad_question(
    request: NewQuestion, _scope: Scope, _agents: frozenset[str]
) -> AgentXError | None:
    return _bad_text("question", request.question, CLARIFY_TEXT_CHARS_MAX)


def _bad_text(name: str, text: str, chars_max: int) -> AgentXError | None:
    try:
        check_text(name, text, chars_max)
    except InvalidValue as refusal:
        return refusal
    return None


SCOPE_GUARDS: tuple[ScopeGuard, ...] = (
    ScopeGuard(name="known-asker", refuses=_unknown_asker),
    ScopeGuard(name="not-oneself", refuses=_asks_oneself),
    ScopeGuard(name="in-scope", refuses=_out_of_scope),
    ScopeGuard(name="topic", refuses=_bad_topic),
    ScopeGuard(name="question", refuses=_bad_question),
)
