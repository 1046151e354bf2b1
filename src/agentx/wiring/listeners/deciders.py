"""Whom the user named on GitHub: who is told there, and whose words decide."""

from __future__ import annotations

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late
from agentx.project.config import variable_of
from agentx.project.project import Project
from agentx.work.settings import GithubSettings

_LOGIN = compile_late(r"[A-Za-z0-9][A-Za-z0-9-]*(?:/[A-Za-z0-9._-]+)?")
# What decides whose words count.
_SETTINGS = ("work.mode", "github.repository", "github.base_url", "github.notify")


def list_people(project: Project) -> tuple[str, ...]:
    """Return whom the user named: who is told there, and whose replies count.

    Raises: InvalidValue.
    """
    said = project.config.section(GithubSettings).notify
    names = [name.strip().removeprefix("@") for name in said.split(",") if name.strip()]
    wrong = next((name for name in names if _LOGIN.fullmatch(name) is None), None)
    if wrong is not None:
        raise InvalidValue(
            f"github.notify: {wrong[:40]!r} is not a name on GitHub", hint="such as ada,org/team"
        )
    return tuple(names)


def list_deciders(project: Project) -> tuple[tuple[str, ...], str]:
    """Return whose words on GitHub count; and why nobody's do, where not the user says whose.

    Raises: InvalidValue where a name is none.
    """
    people = tuple(name for name in list_people(project) if "/" not in name)
    said = [variable_of(key) for key in _SETTINGS if _is_said(project, key)]
    if people and said:
        why = f"people's replies are not taken while {said[0]} is set: say it in your settings"
        return (), why
    return people, ""


def _is_said(project: Project, key: str) -> bool:
    return variable_of(key) in project.environment.variables
