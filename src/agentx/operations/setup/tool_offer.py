"""The offer to let Claude Code use the tools that only read without asking: no, unless a person
says yes.
"""

from __future__ import annotations

from agentx.adapters.claude_code.permissions import find_refusals, is_allowed, rules_for
from agentx.adapters.port import SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.kernel.capture import Harness
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.setup import Setup, SetupReply, setup, setup_request
from agentx.project.project import Project
from agentx.project.toolsets import READ_ONLY


def describe_offer(project: Project, scope: SetupScope) -> str:
    """Return what a person is asked; nothing where it is so already, or refused on purpose."""
    homes = project.environment.homes
    if is_allowed(homes, project.root, READ_ONLY) or find_refusals(homes, project.root):
        return ""
    wanted = _make_request(project, scope)
    edits = ADAPTERS[Harness.CLAUDE_CODE].edits(setup_request(setup_inputs(project), wanted))
    rules = "\n".join(f"    {rule}" for rule in rules_for(READ_ONLY))
    return (
        "Claude Code asks before each use of a tool. Those of AgentX\n"
        "that only read could be let through, by these rules in\n"
        f"permissions.allow of {edits[0].path}\n{rules}\n"
        f"Out again: agentx setup {Harness.CLAUDE_CODE} --uninstall\nLet it read without asking?"
    )


def allow_tools(project: Project, scope: SetupScope) -> SetupReply:
    """Put the rules in.

    Raises: as `setup`.
    """
    return setup(setup_inputs(project), _make_request(project, scope))


def _make_request(project: Project, scope: SetupScope) -> Setup:
    return Setup(
        harness=Harness.CLAUDE_CODE, project_root=project.root, scope=scope, allow_tools=True
    )
