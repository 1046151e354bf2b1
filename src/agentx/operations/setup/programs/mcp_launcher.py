"""The `agentx` that agent CLIs start as their MCP server: a few lines of shell.

`agentx setup` writes it to one place that stays the same across versions and virtual
environments, so that settings files need not change. Some agent CLIs start their servers
with an empty environment, so it says itself where the user keeps data and settings.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

_KEPT = ("XDG_DATA_HOME", "XDG_CONFIG_HOME")


def command_text(python: str, variables: Mapping[str, str]) -> str:
    """Return the launcher that starts `agentx` with the interpreter `python`."""
    exports = "".join(
        f"export {name}=${{{name}:-{shlex.quote(variables[name])}}}\n"
        for name in _KEPT
        if variables.get(name, "").startswith("/")
    )
    return f"""#!/bin/sh
# Written by `agentx setup`: what agent CLIs start to ask their memory.
python={shlex.quote(python)}
{exports}if [ ! -x "$python" ]; then
    echo "agentx: $python is gone; run \\`agentx setup\\` again" >&2
    exit 1
fi
case "$*" in mcp) exec "$python" -P -m agentx.surfaces.mcp ;; esac # without a second start
exec "$python" -P -m agentx.surfaces.cli.main "$@"
"""
