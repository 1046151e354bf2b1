"""What a daemon's refusal means here: by its code, the very class that was raised over there."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.errors import AgentXError

RESTART = (
    "`agentx daemon stop`, then try again: without a daemon, commands open the store themselves"
)


def error_named(code: str, message: str, hint: str) -> AgentXError | None:
    """Return the error that has a code; None for a code that is not known here."""
    kind = _kinds().get(code)
    return None if kind is None else kind(message, hint=hint)


def _kinds() -> dict[str, type[AgentXError]]:
    # A room may have a kind of its own for an error of the house: what travels is the house's.
    return {kind.code: kind for kind in _tree(AgentXError) if "code" in vars(kind)}


def _tree(kind: type[AgentXError]) -> Iterator[type[AgentXError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)
