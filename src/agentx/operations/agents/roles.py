"""The roles of a project, and their instructions as files that can be edited."""

from __future__ import annotations

from agentx.agents.roles.texts import read_shipped
from agentx.host.files.atomic import replace_file
from agentx.kernel.roles import ROLES
from agentx.kernel.values import frozen
from agentx.project.claims import claim_data, trust_written
from agentx.project.project import Project
from agentx.wiring.runners import role_texts


@frozen
class RoleRow:
    """One role in a list."""

    name: str
    own: bool
    about: str


def list_roles(project: Project) -> tuple[RoleRow, ...]:
    """Return every role with what it is for."""
    roles = role_texts(project)
    own = roles.own_names()
    return tuple(
        RoleRow(name=name, own=name in own, about=_about(roles.text(name)))
        for name in roles.names()
    )


def show_role(project: Project, name: str) -> str:
    """Return a role's instructions.

    Raises: InvalidValue.
    """
    return role_texts(project).text(name)


def copy_roles(project: Project) -> tuple[str, ...]:
    """Write the instructions that ship into the project, where it has none; return whose."""
    claim_data(project, "agent roles")
    paths = {name: project.paths.roles / f"{name}.md" for name in ROLES}
    missing = tuple(name for name, path in paths.items() if not project.trust.exists(path))
    for name in missing:
        text = read_shipped(name).encode()
        trust_written(project, paths[name], text, "agent roles")
        replace_file(paths[name], text, mode=0o644)
    return missing


def _about(text: str) -> str:
    """Return the first sentence after the heading."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith("#")), "")
