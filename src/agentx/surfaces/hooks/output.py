"""The one object that a hook prints at session start, within the cap of its agent CLI."""

from agentx.adapters.hook_output import OUTPUTS
from agentx.surfaces.hooks.spool import quote

_LEFT_OUT = "({count} lines left out to fit; `agentx recall` shows all)"
_LEFT_OUT_CHARS_MAX = 80


def announcement(harness: str, text: str) -> tuple[bytes, int]:
    """Return what to print, and how many lines of the text are told; nothing if none can be."""
    output = OUTPUTS.get(harness)
    if output is None:
        return b"", 0
    room = output.cap - len(output.before) - len(output.after) - len(b'""')
    fitted, told = _fit(text, room, counts_bytes=output.counts_bytes)
    return (output.before + quote(fitted) + output.after, told) if told else (b"", 0)


def _fit(text: str, room: int, *, counts_bytes: bool) -> tuple[str, int]:
    """Cut a text at the end of a line; its last line closes the fence and is always kept."""

    def size(part: str) -> int:
        # As it is printed: an escape is longer than what it stands for.
        printed = quote(part)[1:-1]
        return len(printed) if counts_bytes else len(printed.decode())

    if size(text) <= room:
        return text, text.count("\n") + 1
    *lines, fence = text.rstrip().split("\n")
    room -= size("\n" + fence) + _LEFT_OUT_CHARS_MAX
    kept = 0
    for line in lines:
        room -= size(line + "\n")
        if room < 0:
            break
        kept += 1
    left_out = _LEFT_OUT.format(count=len(lines) - kept)
    return "\n".join((*lines[:kept], left_out, fence)), kept
