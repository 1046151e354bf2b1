"""Who plays which role, as the setting `agents.runner` says it.

    claude-code                            everybody
    claude-code, architect=codex           everybody, but the architect
    product-manager=person                 only the product manager; the others are not run

A role that nobody plays is not run: its questions wait for its next session.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentx.kernel.errors import InvalidValue
from agentx.kernel.places import ROLE_ALIASES
from agentx.kernel.values import frozen

# What a setting or a command may name; `scripted` needs a script, so only a command can.
PLAYERS = ("claude-code", "codex", "gemini", "opencode", "loop", "person")


@frozen
class Cast:
    """Which runner plays which role."""

    everybody: str = ""
    by_role: Mapping[str, str]

    def player_of(self, role: str) -> str:
        """Return the name of the runner that plays a role, or nothing."""
        return self.by_role.get(role, self.everybody)


def read_cast(text: str) -> Cast:
    """Read the setting `agents.runner`.

    Raises: InvalidValue.
    """
    everybody = ""
    by_role: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        role, equals, player = (each.strip().lower() for each in part.rpartition("="))
        if player not in PLAYERS:
            raise InvalidValue(
                f"agents.runner: {player!r} is not a runner", hint=f"one of: {', '.join(PLAYERS)}"
            )
        if equals:
            by_role[ROLE_ALIASES.get(role, role)] = player
        else:
            everybody = player
    return Cast(everybody=everybody, by_role=by_role)
