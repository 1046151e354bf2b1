"""Set the role that a session or a project plays, and say which one counts."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.places import NO_ROLE, settle_role_name
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.recall.stretch import find_session
from agentx.operations.setup.settings import SettingPlace, set_setting, unset_setting
from agentx.project.config import ROLE_KEY
from agentx.project.project import Project, open_project
from agentx.project.roles.of_session import clear_session_role, set_session_role
from agentx.project.roles.played import (
    SessionName,
    decide_role,
    find_own_session,
    leave_out_said,
)
from agentx.wiring.runners import role_texts


@frozen
class RoleReply:
    """The role that counts, what said so, and for whom it was asked or set."""

    role: str
    source: str  # as `PlayedRole` has it
    harness: str = ""
    session_id: str = ""  # empty for the project
    changed: bool = False


def show_played(
    project: Project, session: SessionName | None = None, *, of_project: bool = False
) -> RoleReply:
    """Say which role is played here, by one session or in this project, and what said so."""
    own = find_own_session(project.environment.variables)
    if session is None and not of_project:
        return _say(project, own)
    return _say(project if session == own and own else leave_out_said(project), session)


def set_played(project: Project, role: str, session: SessionName | None = None) -> RoleReply:
    """Set the role of a session, from its next event on, or of all that work in this project.

    Raises: InvalidValue for what is no role, UnavailableError.
    """
    wanted = settle_role_name(role)
    name = NO_ROLE if wanted == NO_ROLE else role_texts(project).name_role(role)
    if session is not None:
        set_session_role(project.data, session, name, project.clock)
        return replace(show_played(project, session), changed=True)
    place = SettingPlace.HERE
    set_setting(project.environment, project.directory, ROLE_KEY, name, place)
    return replace(show_played(_again(project), of_project=True), changed=True)


def clear_played(project: Project, session: SessionName | None = None) -> RoleReply:
    """Take back what was set for a session, or by the user for this project."""
    if session is not None:
        was_set = clear_session_role(project.data, session)
        return replace(show_played(project, session), changed=was_set)
    done = unset_setting(project.environment, project.directory, ROLE_KEY, SettingPlace.HERE)
    return replace(show_played(_again(project), of_project=True), changed=done.removed)


def name_session(project: Project, memory: Memory, named: str) -> SessionName:
    """Return the session of a name, or of what its name begins with.

    Raises: NotFound, InvalidValue when several begin so.
    """
    own = find_own_session(project.environment.variables)
    if own is not None and own.session_id == named:
        return own  # it may have begun a moment ago
    found = find_session(memory, named)
    if found is None:
        raise NotFound(f"no session {named[:80]}", hint="`agentx sessions` lists them")
    return SessionName(harness=found.harness, session_id=found.session_id)


def require_session(project: Project) -> SessionName:
    """Return the session that a command was run in.

    Raises: InvalidValue where it was run in none.
    """
    own = find_own_session(project.environment.variables)
    if own is None:
        raise InvalidValue(
            "for whom? this is not run in a session that says which one it is",
            hint="--here for all sessions of this project, --session ID for one of them",
        )
    return own


def _again(project: Project) -> Project:
    return open_project(project.directory, project.environment)


def _say(project: Project, session: SessionName | None) -> RoleReply:
    of_whom = session or SessionName(harness="", session_id="")
    played = decide_role(project, session=of_whom)
    return RoleReply(
        role=played.role,
        source=played.source,
        harness=of_whom.harness,
        session_id=of_whom.session_id,
    )
