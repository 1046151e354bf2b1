"""Where a role's instructions come from: the project's own text first, else the one that ships.

A project's text is `.agentx/agents/<role>.md`; a file there also makes a role of its
own. One that is not trusted is not there. What ships is copied there only when asked for,
so that it can be edited.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

from agentx.agents.limits import ROLE_TEXT_BYTES_MAX
from agentx.agents.store import list_names
from agentx.kernel.errors import InvalidValue
from agentx.kernel.roles import PERSON_ROLE, RESERVED_ROLES, SHIPPED_ROLES, is_role_name, role_name

_SUFFIX = ".md"


class RoleTexts:
    """The roles of a project and their instructions."""

    def __init__(self, folder: Path, read: Callable[[Path], bytes | None]) -> None:
        self._folder = folder
        self._read = read  # None for a text that may not be used

    def names(self) -> tuple[str, ...]:
        """Return every role: those that ship, then the project's own."""
        own = (name for name in self.own_names() if name not in SHIPPED_ROLES)
        return (*SHIPPED_ROLES, *own)

    def own_names(self) -> tuple[str, ...]:
        """Return the roles for which the project has a text."""
        return tuple(
            stem
            for stem in list_names(self._folder, _SUFFIX)
            if is_role_name(stem)
            and stem not in RESERVED_ROLES
            and self._read(self._path(stem)) is not None
        )

    def list_refused(self) -> tuple[Path, ...]:
        """Return the texts that would make a role of a name that is reserved; none is used."""
        found = set(list_names(self._folder, _SUFFIX)) & set(RESERVED_ROLES)
        return tuple(self._path(name) for name in sorted(found) if not self._is_copy(name))

    def _is_copy(self, name: str) -> bool:
        """Tell whether a text is what ships, which an earlier version copied."""
        raw = self._read(self._path(name)) if name in SHIPPED_ROLES else None
        return raw is not None and raw == read_shipped(name).encode()

    def name_role(self, text: str) -> str:
        """Return a role's one name.

        Raises: InvalidValue.
        """
        refused = next((path for path in self.list_refused() if path.stem == text.strip()), None)
        if refused is not None and refused.stem == PERSON_ROLE:
            raise InvalidValue(
                f"{PERSON_ROLE} is a person: no agent plays it, and it asks nobody",
                hint=f"rename {refused}: the name is reserved, and the file is not used",
            )
        return role_name(text, self.names())

    def text(self, role: str) -> str:
        """Return a role's instructions.

        Raises: InvalidValue.
        """
        name = self.name_role(role)
        raw = None if name in RESERVED_ROLES else self._read(self._path(name))
        if raw is None:
            return read_shipped(role_name(name, SHIPPED_ROLES))
        if len(raw) > ROLE_TEXT_BYTES_MAX:
            raise InvalidValue(
                f"{self._path(name)}: {len(raw):,} bytes are too many for a role's instructions",
                hint=f"at most {ROLE_TEXT_BYTES_MAX:,}: they are sent with every question",
            )
        return raw.decode("utf-8", "replace")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{_SUFFIX}"


def read_shipped(role: str) -> str:
    """Return the instructions that ship for a role."""
    assert role in SHIPPED_ROLES, f"{role} does not ship"
    return (resources.files(__package__) / f"{role}{_SUFFIX}").read_text(encoding="utf-8")
