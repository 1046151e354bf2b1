"""The errors of the protocol: the codes and sentences that scripts and agents know.

Each is an error of the house with the code that the specification gives it; everywhere else
an error has the lower case code of its kind.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import Clarification
from agentx.clarification.watch.awaiting import name_asked, say_asked
from agentx.host.limits import LOCK_LAST_WAIT_MS, LOCK_TRIES_MAX
from agentx.kernel.errors import (
    AgentUnavailable,
    InvalidValue,
    LimitError,
    LockHeld,
    NameMoved,
    NotFound,
    UnavailableError,
    say_kept,
)
from agentx.kernel.text import fold_text, preview

_TOPIC_CHARS_MAX = 60


class ScopeViolation(InvalidValue):
    """An agent asked somebody it may not ask."""

    code = "SCOPE_VIOLATION"


class ClarificationNotFound(NotFound):
    """No ledger has it."""

    code = "NOT_FOUND"


class LockTimeout(LockHeld):
    """Others kept the ledger for too long."""

    code = "LOCK_TIMEOUT"


class MaxRoundsExceeded(LimitError):
    """Two agents did not come to terms; a person was called."""

    code = "MAX_ROUNDS_EXCEEDED"


class ClarificationUnanswered(AgentUnavailable):
    """The agent that was asked gave no answer; a person was called."""

    code = "AGENT_ERROR"


class NotThePerson(InvalidValue):
    """Somebody would speak for a person, or for another role."""

    code = "NOT_THE_SPEAKER"


def scope_violation(asker: str, to: str, allowed: Iterable[str]) -> ScopeViolation:
    """Say whom the asker may ask."""
    return ScopeViolation(
        f"Agent '{asker}' cannot clarify with '{to}'. Allowed: [{', '.join(allowed)}]",
        hint="`can_clarify` of the agent's workflow step says whom it may ask",
    )


def not_found(clarification_id: str) -> ClarificationNotFound:
    """Say that no ledger has it."""
    return ClarificationNotFound(
        f"Clarification {clarification_id} not found in ledger.",
        hint="`agentx clarify` lists the active ones",
    )


def name_moved(name: str, meant: Iterable[Clarification | None]) -> NameMoved:
    """Say what a name means and meant, and what means nothing else; None is what is gone."""
    known = list(meant)
    here = [state for state in known if state is not None]
    is_one_topic = len({state.topic for state in here}) < len(here)  # asked on one thread
    is_one_question = len({state.asked_last for state in here}) < len(here)  # of two issues

    def quote(state: Clarification) -> str:
        said = preview(state.asked_last if is_one_topic else state.topic, _TOPIC_CHARS_MAX)
        title = state.issue_mark.title if is_one_topic and is_one_question else ""
        return (
            f"'{said}' of the issue '{preview(title, _TOPIC_CHARS_MAX)}'" if title else f"'{said}'"
        )

    now = [f"is {quote(state)} now, and " for state in here if state.id == name]
    was = [f"{quote(state)}, which is {state.id} now" for state in here if state.id != name]
    was += ["one that is not in this folder"] * (len(here) < len(known))
    exact = (f"{name_asked(state)} for {quote(state)}" for state in here)
    return NameMoved(
        f"{name} {''.join(now)}was another question here before: {'; '.join(was)}",
        hint=f"say which you mean: {', or '.join(exact)}",
    )


def refuse_unseen(state: Clarification, why: str) -> NameMoved:
    """Say what is asked under a name, to who was not shown just that."""
    return NameMoved(
        f"{state.id} {why}; it asks now: '{fold_text(say_asked(state))}' "
        f"(topic: {preview(state.topic, _TOPIC_CHARS_MAX)})",
        hint=f"to answer that: {name_asked(state)}; `agentx clarify inbox` shows all of it",
    )


def lock_timeout(name: str, held: LockHeld) -> LockTimeout:
    """Say which ledger others kept."""
    seconds = LOCK_LAST_WAIT_MS / 1000
    return LockTimeout(
        f"Failed to acquire lock for {name} after {LOCK_TRIES_MAX} retries ({seconds:g}s timeout).",
        hint=f"{held.message}; {held.hint}",
    )


def view_unwritten(error: UnavailableError, *, has_words: bool) -> UnavailableError:
    """Say that what was said is kept, where only the view of it could not be written."""
    if has_words:
        done, again = "it is forgotten, but this file still has its words", "the words go with"
        return say_kept(error, done, f"{again} the next command that can write it")
    return say_kept(error)


def max_rounds_exceeded(state: Clarification) -> MaxRoundsExceeded:
    """Say that a person was called."""
    return MaxRoundsExceeded(
        f"{state.id} reached max rounds ({state.rounds_max}). Auto-escalated",
        hint=f"a person settles it: agentx clarify resolve {state.typed} TEXT",
    )


def report_unanswered(state: Clarification, reason: str) -> ClarificationUnanswered:
    """Say that the agent gave no answer, and why."""
    return ClarificationUnanswered(
        f"Agent '{state.to}' failed to answer {state.id}: {reason}. Auto-escalated",
        hint=f"a person settles it: agentx clarify resolve {state.typed} TEXT",
    )
