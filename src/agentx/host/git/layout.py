"""What git is told of the memory in a checkout: how it merges, and what is not committed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, read_bytes

_ATTRIBUTES = """\
# Written by AgentX. Events are facts that only grow; all else is made from them again.
*.jsonl merge=union
*.yaml merge=union
*.md merge=union
runs/*/artifacts/* merge=union
"""
# Temporaries of a write that was killed, folders on their way out, and locks of other tools are
# nobody's facts.
_IGNORED = "# Written by AgentX.\n*.tmp\n*.lock\n*.guard\narchive/*.leaving/\n"


def lay_out(folder: Path) -> None:
    """Say to git how the memory in a folder is merged; a file that is there is left alone."""
    for path, text in ((folder / ".gitattributes", _ATTRIBUTES), (folder / ".gitignore", _IGNORED)):
        if not exists(path):
            replace_file(path, text.encode())


def hide(folder: Path) -> None:
    """Say to git that nothing in a folder is committed; what says otherwise is left alone."""
    path = folder / ".gitignore"
    if not exists(path):
        replace_file(path, b"*\n")


def exclude(common: Path, branch: str, patterns: Iterable[str]) -> None:
    """Say to git that code branches leave out what a branch of its own keeps.

    In git's own folder: no checkout and no clean takes it away, and no file of the user's changes.

    Raises: OSError, UnavailableError.
    """
    path, before, head = _look_at_excluded(common, branch)
    if head not in before.splitlines():
        lines = (head, *(pattern.encode() for pattern in patterns))
        gap = b"" if not before or before.endswith(b"\n") else b"\n"
        replace_file(path, before + gap + b"\n".join(lines) + b"\n", 0o644, ground=common)


def include(common: Path, branch: str) -> None:
    """Take back what `exclude` said.

    Raises: OSError, UnavailableError.
    """
    path, before, head = _look_at_excluded(common, branch)
    lines = before.splitlines()
    if head in lines:
        at = lines.index(head)
        rest = lines[at + 1 :]
        ours = next((place for place, line in enumerate(rest) if line[:1] != b"/"), len(rest))
        kept = (*lines[:at], *rest[ours:])
        replace_file(path, b"".join(line + b"\n" for line in kept), 0o644, ground=common)


def _look_at_excluded(common: Path, branch: str) -> tuple[Path, bytes, bytes]:
    path = common / "info" / "exclude"
    before = read_bytes(path, ground=common) if exists(path, ground=common) else b""
    return path, before, f"# AgentX keeps these on the branch {branch}.".encode()
