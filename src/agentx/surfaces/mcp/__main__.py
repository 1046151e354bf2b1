"""The MCP server as a program: `python -m agentx.surfaces.mcp`, which `agentx mcp` becomes.

stdout is the protocol. While the server runs, whatever else is written there goes to
stderr, and it ends when its client hangs up.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentx.project.config import read_environment
from agentx.surfaces.mcp.desk import Desk
from agentx.surfaces.mcp.server import build


def main(arguments: list[str]) -> int:
    """Serve the project of a folder (default: here) until the client hangs up."""
    directory = Path(arguments[0]) if arguments else Path.cwd()
    try:
        build(Desk(directory, read_environment())).run("stdio")
    except (KeyboardInterrupt, BrokenPipeError):
        return 0
    except BaseExceptionGroup as errors:
        # The client went away while it was being answered; nobody is left to be told.
        _, others = errors.split((BrokenPipeError, KeyboardInterrupt))
        if others is not None:
            raise others from None
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
