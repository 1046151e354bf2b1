"""Names that Copilot CLI spells in more than one way, and what they have in common.

A hook that was registered under a camelCase name gets camelCase fields and the tools'
own names; under a PascalCase name, snake_case fields and the names Claude Code gives
to the same tools. The session's events always have the tools' own names.
"""

from __future__ import annotations

from typing import Any

from agentx.adapters.shapes import objects, parse
from agentx.adapters.tools import ToolUse, exit_code
from agentx.kernel.text import compile_late

SHELL = "Bash"
_CLAUDE_NAMES = {
    "bash": SHELL,
    "powershell": SHELL,
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


# A command that ran to its end is a success to Copilot CLI, however it ended.
_EXITED = compile_late(r"<exited with exit code (-?\d{1,10})>\s*\Z")


def find_exit_code(words: str, result: Any = None) -> int | None:
    """Return how a command ended: from what the terminal says, else from its text."""
    contents = objects(result.get("contents")) if isinstance(result, dict) else []
    for part in contents:
        code = part.get("exitCode")
        if isinstance(code, int) and not isinstance(code, bool):
            return code
    said = _EXITED.search(words[-80:])
    return int(said[1]) if said else exit_code(words)


def tool_use(name: str, arguments: Any) -> ToolUse:
    """Return the use of a tool under its common name. Hooks give no id, so it has none."""
    return ToolUse(name=_CLAUDE_NAMES.get(name.lower(), name), arguments=parse(arguments))
