"""Agent X: the hub through which agents ask each other, and the only way they do."""

from agentx.agents.hub.artifacts import artifacts_of
from agentx.agents.hub.boundary import finishing, starting
from agentx.agents.hub.hub import Hub, Switchboard
from agentx.agents.hub.standing import settled_status

__all__ = ["Hub", "Switchboard", "artifacts_of", "finishing", "settled_status", "starting"]
