"""What each agent CLI lets a hook say at session start, and how much of it.

| agent CLI   | object                                    | cap                                |
| Claude Code | hookSpecificOutput, additionalContext     | 10,000 characters of stdout        |
| Codex       | the same; an unknown key makes it invalid | 2,500 tokens, so 7,500 bytes       |
| Gemini CLI  | the same; stdout must be nothing else     | none documented: 10,000 characters |
| Copilot     | additionalContext                         | 10 KB                              |
| OpenCode    | context, read by our own plugin           | ours: 10,000 characters            |

An agent CLI that is not in the table is told nothing.
"""

from agentx.surfaces.hooks.spool import quoted

_CONTEXT = (b'{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":', b"}}")
# harness -> what stands before and after the text, the cap, and whether it counts bytes
_SHAPES = {
    "claude-code": (*_CONTEXT, 10_000, False),
    "codex": (*_CONTEXT, 7_500, True),
    "gemini": (*_CONTEXT, 10_000, False),
    "copilot": (b'{"additionalContext":', b"}", 10_240, True),
    "opencode": (b'{"context":', b"}", 10_000, False),
}
_LEFT_OUT = "({count} lines left out to fit; `agentx recall` shows all)"
_LEFT_OUT_CHARS_MAX = 80


def announcement(harness: str, digest: str) -> bytes:
    """Return the one object to print; nothing if this agent CLI cannot be told."""
    shape = _SHAPES.get(harness)
    if shape is None:
        return b""
    before, after, cap, in_bytes = shape
    room = cap - len(before) - len(after) - len(b'""')
    text = _fitted(digest, room, in_bytes=in_bytes)
    return before + quoted(text) + after if text else b""


def _fitted(text: str, room: int, *, in_bytes: bool) -> str:
    """Cut a text at the end of a line; its last line closes the fence and is always kept."""

    def size(part: str) -> int:
        # As it is printed: an escape is longer than what it stands for.
        printed = quoted(part)[1:-1]
        return len(printed) if in_bytes else len(printed.decode())

    if size(text) <= room:
        return text
    *lines, fence = text.rstrip().split("\n")
    room -= size("\n" + fence) + _LEFT_OUT_CHARS_MAX
    kept = 0
    for line in lines:
        room -= size(line + "\n")
        if room < 0:
            break
        kept += 1
    left_out = _LEFT_OUT.format(count=len(lines) - kept)
    return "\n".join((*lines[:kept], left_out, fence)) if kept else ""
