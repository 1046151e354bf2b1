"""Which agent sends what comes by a connection on this machine, if one does.

What leaves as soon as it has sent is not found, nor is what another user runs: a page goes by its
link and its cookie then.
"""

from __future__ import annotations

from agentx.host.ancestry import list_line
from agentx.host.peers import Place, list_holders
from agentx.kernel.places import NO_ROLE, settle_role_name
from agentx.project.config import ROLE_VARIABLE
from agentx.project.roles.caller import find_agent


def find_sending_agent(near: Place, far: Place) -> str:
    """Return the agent CLI at or above who connects from `near` to `far`, or the role it has."""
    for pid in list_holders(near, far):
        line = tuple(list_line(pid))
        agent, _ = find_agent(line)
        said = line[0].variables.get(ROLE_VARIABLE, "") if line else ""
        role = settle_role_name(said)
        if agent or role not in ("", NO_ROLE):
            return agent or role
    return ""
