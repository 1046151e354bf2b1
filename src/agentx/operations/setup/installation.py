"""What `setup` needs to know of this installation: which launcher, which MCP command."""

from __future__ import annotations

import sys
from pathlib import Path

import agentx
from agentx.kernel.clock import Clock
from agentx.operations.setup.programs.hook_launcher import launcher_text
from agentx.operations.setup.programs.mcp_launcher import command_text
from agentx.operations.setup.setup import SetupInputs
from agentx.project.config import Environment
from agentx.project.project import Project


def setup_inputs(project: Project) -> SetupInputs:
    """Return how agent CLIs are to call this installation."""
    return inputs_for(project.environment, project.clock)


def inputs_for(environment: Environment, clock: Clock) -> SetupInputs:
    """Return the same, whatever the settings of a project say."""
    return SetupInputs(
        homes=environment.homes,
        data=environment.data,
        clock=clock,
        launcher_text=launcher_text(sys.executable, str(hook_program())),
        command_text=command_text(sys.executable, environment.variables),
        mcp_command=(str(environment.data.command), "mcp"),
    )


def hook_program() -> Path:
    """Return the file that is the hook."""
    return Path(agentx.__file__).resolve().parent / "surfaces" / "hooks" / "main.py"
