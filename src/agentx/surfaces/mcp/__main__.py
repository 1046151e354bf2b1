"""The MCP server as a program: `python -m agentx.surfaces.mcp`, which `agentx mcp` becomes.

    python -m agentx.surfaces.mcp [--tools LIST] [FOLDER]

stdout is the protocol. While the server runs, whatever else is written there goes to
stderr, and it ends when its client hangs up.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from agentx.project.toolsets import AUTO, parse_toolsets
from agentx.surfaces.mcp.offered.toolsets import Toolsets, list_watched
from agentx.surfaces.mcp.performing import LatePerformer
from agentx.surfaces.mcp.wire.lines import take_over
from agentx.surfaces.mcp.wire.open_folder import OpenFolder, is_adrift
from agentx.surfaces.mcp.wire.server import McpServer


def main(arguments: list[str]) -> int:
    """Serve the project of a folder (default: here) until the client hangs up."""
    rest = list(arguments)
    said = os.environ.get("AGENTX_MCP_TOOLS", "")
    if rest[:1] == ["--tools"]:
        said = rest[1] if rest[1:] else ""
        del rest[:2]
    try:
        lines = take_over()
    except OSError as error:
        print(f"agentx: an MCP server talks over stdin and stdout: {error}", file=sys.stderr)
        return 2
    performer = LatePerformer(rest[0] if rest else "")
    toolsets = _open_toolsets(said, performer)

    def move(folder: str) -> None:
        performer.move(folder)
        toolsets.move(list_watched(folder, _find_config_home()))

    lost = not rest and is_adrift(performer.directory, os.environ)
    server = McpServer(lines, toolsets, performer, OpenFolder(is_adrift=lost, moved=move))
    with suppress(KeyboardInterrupt):
        server.serve()
    return 0


def _find_config_home() -> str:
    given = os.environ.get("XDG_CONFIG_HOME", "")
    return given if given.startswith("/") else f"{os.environ.get('HOME', '')}/.config"


def _open_toolsets(said: str, performer: LatePerformer) -> Toolsets:
    known = os.environ.get
    try:
        parse_toolsets(said)
    except ValueError as error:
        print(f"agentx: {error} is no toolset", file=sys.stderr)
        said = AUTO
    return Toolsets(
        said,
        has_role=bool(known("AGENTX_AGENT")),
        watched=list_watched(performer.directory, _find_config_home()),
        look=performer.look_at_use,
    )


if __name__ == "__main__":
    code = main(sys.argv[1:])
    if sys.stderr is not None:
        sys.stderr.flush()
    # At once: what still works on a thread holds nothing that a crash would break.
    os._exit(code)
