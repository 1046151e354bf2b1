"""A home with nothing in it, and what to install there."""

from __future__ import annotations

from pathlib import Path

from agentx.adapters.homes import Homes
from agentx.adapters.port import FileEdit, SetupRequest, SetupScope

MCP_COMMAND = ("/opt/agentx/bin/agentx", "mcp")


def homes_in(home: Path) -> Homes:
    """Return where the agent CLIs of a home keep their things."""
    return Homes(
        home=home,
        claude_code=home / ".claude",
        codex=home / ".codex",
        gemini=home / ".gemini",
        opencode_config=home / ".config" / "opencode",
        opencode_db=home / ".local" / "share" / "opencode" / "opencode.db",
        copilot=home / ".copilot",
        vscode=(home / ".config" / "Code" / "User",),
    )


def request_in(
    home: Path,
    *,
    scope: SetupScope = SetupScope.USER,
    program: str = "/home/ada/.local/share/agent-memory/bin/agentx-hook",
    mcp: bool = False,
    uninstall: bool = False,
    allowed_tools: tuple[str, ...] = (),
) -> SetupRequest:
    """Return a request for a home; its project is the folder `project` in it."""
    return SetupRequest(
        homes=homes_in(home),
        scope=scope,
        project_root=home / "project",
        hook_command=(program,),
        mcp_command=MCP_COMMAND if mcp else (),
        uninstall=uninstall,
        allowed_tools=allowed_tools,
    )


def write(edits: tuple[FileEdit, ...]) -> None:
    """Put edits on the disk, byte for byte."""
    for edit in edits:
        if edit.after is None:
            edit.path.unlink(missing_ok=True)
            continue
        edit.path.parent.mkdir(parents=True, exist_ok=True)
        edit.path.write_bytes(edit.after.encode())
