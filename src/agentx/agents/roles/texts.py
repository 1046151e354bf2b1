"""Where a role's instructions come from: the project's own text first, else the one that ships.

A project's text is `.agentx/agents/<role>.md`; a file there also makes a role of its
own. What ships is copied there only when asked for, so that it can be edited.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from agentx.agents.store import list_names, read_role_text
from agentx.kernel.roles import SHIPPED_ROLES, is_role_name, role_name

_SUFFIX = ".md"


class RoleTexts:
    """The roles of a project and their instructions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> tuple[str, ...]:
        """Return every role: those that ship, then the project's own."""
        own = (name for name in self.own_names() if name not in SHIPPED_ROLES)
        return (*SHIPPED_ROLES, *own)

    def own_names(self) -> tuple[str, ...]:
        """Return the roles for which the project has a text."""
        stems = list_names(self._folder, _SUFFIX)
        return tuple(stem for stem in stems if is_role_name(stem))

    def name_role(self, text: str) -> str:
        """Return a role's one name.

        Raises: InvalidValue.
        """
        return role_name(text, self.names())

    def text(self, role: str) -> str:
        """Return a role's instructions.

        Raises: InvalidValue, UnavailableError, UnsafePath.
        """
        name = self.name_role(role)
        if name not in self.own_names():
            return read_shipped(name)
        return read_role_text(self._folder / f"{name}{_SUFFIX}")


def read_shipped(role: str) -> str:
    """Return the instructions that ship for a role."""
    assert role in SHIPPED_ROLES, f"{role} does not ship"
    return (resources.files(__package__) / f"{role}{_SUFFIX}").read_text(encoding="utf-8")
