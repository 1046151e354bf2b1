"""What `setup` needs to know of this installation: which launcher, which MCP command."""

from __future__ import annotations

import sys
from pathlib import Path

from agentx.app.operations.setup import SetupInputs
from agentx.app.project import Project
from agentx.surfaces import hooks
from agentx.surfaces.cli.launcher import command_text
from agentx.surfaces.hooks.launcher import launcher_text


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
    return Path(hooks.__file__).resolve().with_name("main.py")
