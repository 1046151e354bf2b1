"""What each agent CLI lets a hook say, and how much of it.

| agent CLI   | object                                    | cap                                |
| Claude Code | hookSpecificOutput, additionalContext     | 10,000 characters of stdout        |
| Codex       | the same; an unknown key makes it invalid | 2,500 tokens, so 7,500 bytes       |
| Gemini CLI  | the same; stdout must be nothing else     | none documented: 10,000 characters |
| Copilot     | additionalContext                         | 10 KB                              |
| OpenCode    | context, read by our own plugin           | ours: 10,000 characters            |

An agent CLI that is not in the table is told nothing. At a prompt and at a call of a tool, the
first three and OpenCode take the same object, with the name of that event. The hook reads this
table while an agent waits, so nothing is imported here.
"""

_CONTEXT = (b'{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":', b"}}")


class HookOutput:
    """The object that an agent CLI expects, and its cap."""

    __slots__ = ("after", "before", "cap", "counts_bytes", "digest_chars", "digest_tokens")

    def __init__(
        self,
        shape: tuple[bytes, bytes],
        cap: int,
        *,
        counts_bytes: bool = False,
        digest_chars: int = 9_000,
        digest_tokens: int = 2_400,
    ) -> None:
        self.before, self.after = shape  # what stands around the text
        self.cap = cap  # of all that is printed
        self.counts_bytes = counts_bytes
        # What is prepared for it, with room for the JSON around it.
        self.digest_chars = digest_chars
        self.digest_tokens = digest_tokens


OUTPUTS = {
    "claude-code": HookOutput(_CONTEXT, 10_000),
    "codex": HookOutput(
        _CONTEXT, 7_500, counts_bytes=True, digest_chars=7_000, digest_tokens=2_200
    ),
    "gemini": HookOutput(_CONTEXT, 10_000),
    "copilot": HookOutput(
        (b'{"additionalContext":', b"}"), 10_240, counts_bytes=True, digest_chars=8_000
    ),
    "opencode": HookOutput((b'{"context":', b"}"), 10_000),
}


def shape_at(harness: str, event: str) -> tuple[bytes, bytes] | None:
    """Return what stands around a text that is told at an event; None where none is taken in."""
    if harness in ("claude-code", "codex", "gemini") and event.isalpha() and event.isascii():
        before = b'{"hookSpecificOutput":{"hookEventName":"%b","additionalContext":'
        return before % event.encode("ascii"), b"}}"
    own = OUTPUTS.get(harness) if harness == "opencode" else None
    return (own.before, own.after) if own is not None else None
