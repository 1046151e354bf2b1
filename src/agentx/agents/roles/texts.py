"""Where a role's instructions come from: the project's own text first, else the one that ships.

A project's text is `.agentx/agents/<role>.md`; a file there also makes a role of its
own. What ships is copied there only when asked for, so that it can be edited.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from agentx.agents.limits import ROLE_TEXT_BYTES_MAX
from agentx.kernel.errors import InvalidValue, UnavailableError
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
        try:
            stems = sorted(path.stem for path in self._folder.glob(f"*{_SUFFIX}"))
        except OSError:
            return ()
        return tuple(stem for stem in stems if is_role_name(stem))

    def name_role(self, text: str) -> str:
        """Return a role's one name.

        Raises: InvalidValue.
        """
        return role_name(text, self.names())

    def text(self, role: str) -> str:
        """Return a role's instructions.

        Raises: InvalidValue, UnavailableError.
        """
        name = self.name_role(role)
        if name not in self.own_names():
            return read_shipped(name)
        path = self._folder / f"{name}{_SUFFIX}"
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise UnavailableError(
                f"{path}: cannot be read ({error.strerror or error})",
                hint="make it readable for this user, then try again",
            ) from error
        if len(raw) > ROLE_TEXT_BYTES_MAX:
            raise InvalidValue(
                f"{path}: {len(raw):,} bytes are too many for a role's instructions",
                hint=f"at most {ROLE_TEXT_BYTES_MAX:,}: they are sent with every question",
            )
        return raw.decode("utf-8", "replace")


def read_shipped(role: str) -> str:
    """Return the instructions that ship for a role."""
    assert role in SHIPPED_ROLES, f"{role} does not ship"
    return (resources.files(__package__) / f"{role}{_SUFFIX}").read_text(encoding="utf-8")
