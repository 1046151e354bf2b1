"""The one place that decides which role is played.

    what is said for the moment (`--agent`)  >  AGENTX_AGENT  >  the session's own  >  the setting
    `agents.role`: the user's for this project, the repository's if it is trusted, the user's

The hook decides by the same order (`surfaces.hooks.role`); of the settings it knows what was noted
for it. Some agent CLIs say to what they start which session it is. `none` at any place means no
role, whatever stands further down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agentx.host.files.plain import read_text
from agentx.kernel.errors import InvalidValue
from agentx.kernel.paths import DataPaths
from agentx.kernel.places import NO_ROLE, role_note, settle_role_name
from agentx.kernel.values import frozen
from agentx.project.config import ROLE_KEY, ROLE_VARIABLE, Config, load_config
from agentx.project.project import Project

OPTION, SESSION, ENVIRONMENT = "option", "session", "environment"
_NOTE_BYTES_MAX = 4_096

# Which variable an agent CLI says it with, to the commands that its agent runs.
_VARIABLES = {"CLAUDE_CODE_SESSION_ID": "claude-code", "CODEX_THREAD_ID": "codex"}


@frozen
class SessionName:
    """A session, by the agent CLI that runs it and what that calls it."""

    harness: str
    session_id: str

    def note(self, data: DataPaths) -> Path:
        """Where it stands which role was set for it."""
        return Path(role_note(str(data.root), self.harness, self.session_id))


def find_own_session(variables: Mapping[str, str]) -> SessionName | None:
    """Return the session that a command was run in; None where that is not said, or said twice."""
    said = [
        SessionName(harness=harness, session_id=variables[name])
        for name, harness in _VARIABLES.items()
        if variables.get(name)
    ]
    # An agent CLI that another one started hands on what it was told itself.
    return said[0] if len(said) == 1 else None


@frozen
class PlayedRole:
    """A role, and what said so: `option`, `environment`, `session`, a file of settings, nobody."""

    role: str = ""
    source: str = ""

    @property
    def is_said(self) -> bool:
        """Whether it was said to this process or this session, and not to a whole project."""
        return self.source in (OPTION, ENVIRONMENT, SESSION)


def decide_role(
    project: Project, said: str = "", *, session: SessionName | None = None
) -> PlayedRole:
    """Return the role that is played here; `session` where it is known of which one it is asked."""
    row = project.config.rows[ROLE_KEY]
    set_for = find_own_session(project.environment.variables) if session is None else session
    given = (
        (said, OPTION),
        (str(row.value) if row.source == ENVIRONMENT else "", ENVIRONMENT),
        (_read_set(project, set_for) if set_for is not None else "", SESSION),
        (str(row.value), row.source),
    )
    for name, source in given:
        role = settle_role_name(name)
        if role:
            return PlayedRole(role="" if role == NO_ROLE else role, source=source)
    return PlayedRole()


def _read_set(project: Project, session: SessionName) -> str:
    """Return the role that was set for a session; empty where none was."""
    try:
        return read_text(session.note(project.data), bytes_max=_NOTE_BYTES_MAX)
    except (OSError, ValueError):
        return ""


def require_role(project: Project, said: str) -> str:
    """Return the role that is played here.

    Raises: InvalidValue where there is none.
    """
    role = decide_role(project, said).role
    if not role:
        raise InvalidValue(
            "nobody says which role it is",
            hint="give --agent ROLE, or set one: agentx agent role ROLE --here",
        )
    return role


def find_setting_role(project: Project) -> str:
    """Return the role that sessions of a project play unless they say otherwise."""
    return read_setting_role(leave_out_said(project).config)


def leave_out_said(project: Project) -> Project:
    """Return a project without the role that is said to this process: it is no other's."""
    if project.config.rows[ROLE_KEY].source != ENVIRONMENT:
        return project
    said = project.environment.variables
    others = {name: value for name, value in said.items() if name != ROLE_VARIABLE}
    unsaid = replace(project.environment, variables=others)
    config = load_config(unsaid, project.identity.natural, project.trust)
    return replace(project, environment=unsaid, config=config)


def read_setting_role(config: Config) -> str:
    """Return the role that settings say; nothing for none."""
    role = settle_role_name(str(config.rows[ROLE_KEY].value))
    return "" if role == NO_ROLE else role
