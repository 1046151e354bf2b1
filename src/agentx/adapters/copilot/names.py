"""Names that Copilot CLI spells in more than one way, and what they have in common.

A hook that was registered under a camelCase name gets camelCase fields and the tools'
own names; under a PascalCase name, snake_case fields and the names Claude Code gives
to the same tools. The session's events always have the tools' own names.
"""

from __future__ import annotations

from typing import Any

from agentx.adapters.shapes import parse
from agentx.adapters.tools import ToolUse

_CLAUDE_NAMES = {
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "ask_user": "AskUserQuestion",
    "update_todo": "TodoWrite",
    "task": "Agent",
}


def tool_use(name: str, arguments: Any) -> ToolUse:
    """Return the use of a tool under its common name. Hooks give no id, so it has none."""
    return ToolUse(name=_CLAUDE_NAMES.get(name.lower(), name), arguments=parse(arguments))
