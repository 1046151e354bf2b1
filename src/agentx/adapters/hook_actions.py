"""What an agent CLI is about to do, or has just done, as its hook says it; and commands told apart.

| agent CLI   | told before a call   | told after a call                                 |
| Claude Code | PreToolUse           | PostToolUseFailure                                |
| Codex       | PreToolUse           | PostToolUse; nothing in it says that a call failed |
| Gemini CLI  | takes no context     | AfterTool                                         |
| OpenCode    | takes no context     | tool.execute.after, by our own plugin             |

Copilot is told nothing here: a hook before its calls that fails denies them. The hook reads this
while an agent waits, so nothing is imported.
"""

BEFORE = {"claude-code": (b'"PreToolUse"',), "codex": (b'"PreToolUse"',)}
AFTER = {
    "claude-code": (b'"PostToolUseFailure"',),
    "codex": (b'"PostToolUse"',),
    "gemini": (b'"AfterTool"',),
    "opencode": (b'"tool.execute.after"',),
}
PROMPTS = {
    "claude-code": (b'"UserPromptSubmit"',),
    "codex": (b'"UserPromptSubmit"',),
    "gemini": (b'"BeforeAgent"',),
    "opencode": (b'"chat.message"',),
}

_SHELLS = frozenset(
    ("bash", "shell", "powershell", "exec_command", "local_shell", "run_shell_command")
)
_EDITORS = frozenset(
    (
        *("edit", "write", "multiedit", "notebookedit", "apply_patch", "patch", "replace"),
        *("write_file", "create", "str_replace"),
    )
)
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
_COMMAND_CHARS_MAX = 4_000
_STREAMS = frozenset(("2>&1", "1>&2", ">/dev/null", "2>/dev/null", "&>/dev/null", "1>/dev/null"))
_SIGNS = frozenset("&|;\n")
_FOLDERS = ("cd ", "pushd ", "export ", "source ", "set ")
# In no command that anybody types: what stands in quotes is not taken for a command.
JOINT = " \x01 "


def is_shell(tool: str) -> bool:
    """Tell whether a tool runs commands."""
    return tool.lower() in _SHELLS


def is_editor(tool: str) -> bool:
    """Tell whether a tool changes files."""
    return tool.lower() in _EDITORS


def list_patched(patch: str) -> list[str]:
    """Return the files that a patch changes."""
    lines = patch.split("\n") if "*** Begin Patch" in patch else []
    return [line.partition(": ")[2].strip() for line in lines if line.startswith(_PATCHED)]


def join_commands(text: str) -> str:
    """Return what a line runs, command after command, each between two joints.

    Blanks are single; variables that are set, streams and changes of the folder are left out. So
    two lines that run the same are the same, and what one command begins with is found in it.
    """
    kept = [_tidy(part) for part in _split(text[:_COMMAND_CHARS_MAX])]
    named = [part for part in kept if part and not part.startswith(_FOLDERS)]
    return JOINT + "".join([part + JOINT for part in named]) if named else ""


def _split(text: str) -> list[str]:
    """Return the parts of a line between `&&`, `||`, `|`, `;` and line ends outside of quotes."""
    if _SIGNS.isdisjoint(text):
        return [text]
    parts: list[str] = []
    begin, quote, escaped = 0, "", False
    for at, sign in enumerate(text):
        if escaped:
            escaped = False
        elif sign == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'`":
            quote = sign
        elif (
            sign in _SIGNS and text[at - 1 : at] not in (">", "<") and text[at + 1 : at + 2] != ">"
        ):
            parts.append(text[begin:at])
            begin = at + 1
    parts.append(text[begin:])
    return parts


def _tidy(part: str) -> str:
    words = [word for word in part.split() if word not in _STREAMS]
    while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        del words[0]
    return " ".join(words)
