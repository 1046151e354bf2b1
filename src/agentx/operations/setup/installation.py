"""What `setup` needs to know of this installation: which launcher, which MCP command."""

from __future__ import annotations

import sys
from pathlib import Path

import agentx
from agentx.operations.setup.programs.hook_launcher import launcher_text
from agentx.operations.setup.programs.mcp_launcher import command_text
from agentx.operations.setup.setup import SetupInputs
from agentx.project.project import Project


def setup_inputs(project: Project) -> SetupInputs:
    """Return how agent CLIs are to call this installation."""
    return SetupInputs(
        homes=project.environment.homes,
        data=project.data,
        clock=project.clock,
        launcher_text=launcher_text(sys.executable, str(hook_program())),
        command_text=command_text(sys.executable, project.environment.variables),
        mcp_command=(str(project.data.command), "mcp"),
    )


def hook_program() -> Path:
    """Return the file that is the hook."""
    return Path(agentx.__file__).resolve().parent / "surfaces" / "hooks" / "main.py"
