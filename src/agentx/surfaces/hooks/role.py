"""The role that a session plays, as far as a hook can tell.

    AGENTX_AGENT  >  what was set for the session  >  what was noted for its folder

`project.roles.played` decides the same for everybody else. What a project says is noted in the
spool folder by whoever drains it; in a folder that nobody has settled the role is left open.
"""

import os

from agentx.kernel.places import (
    NO_ROLE,
    OPEN_ROLE,
    data_root,
    encode_name,
    origin_of,
    role_note,
    settle_role_name,
    spool_root,
)
from agentx.surfaces.hooks.checkout import branch_of, read_small
from agentx.surfaces.hooks.spool import Caller


def take_role(call: Caller, named: bytes) -> None:
    """Let a call know its role, or that it is open."""
    said = settle_role_name(os.environ.get("AGENTX_AGENT", "")) or _of_session(call, named)
    noted = said or _find_noted(call)
    call.is_role_open = noted == OPEN_ROLE
    call.agent = "" if noted in (NO_ROLE, OPEN_ROLE) else noted


def _of_session(call: Caller, named: bytes) -> str:
    data = data_root(os.environ)
    if not os.path.isdir(os.path.join(data, "roles")):
        return ""  # hardly anybody sets one
    from agentx.surfaces.hooks.payload import session_of

    session = session_of(named)
    return settle_role_name(read_small(role_note(data, call.harness, session)) or "")


def _find_noted(call: Caller) -> str:
    """Return what was noted for a folder, or for the repository around it."""
    noted = _read_note(call.cwd, call.project)
    if noted == OPEN_ROLE:
        top = branch_of(call.cwd)[0]
        noted = _read_note(top, call.project) if top and top != call.cwd else OPEN_ROLE
    return noted


def _read_note(directory: str, project: str) -> str:
    folder = os.path.join(spool_root(os.environ), encode_name(origin_of(directory, project)))
    noted = read_small(os.path.join(folder, "role"))
    if noted is None:
        return "" if os.path.exists(os.path.join(folder, "store")) else OPEN_ROLE
    return settle_role_name(noted)
