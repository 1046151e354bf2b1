"""What git is told of the memory in a checkout: how it merges, and what is not committed."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, look, read_bytes

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


def lay_union(folder: Path) -> None:
    """Say beside files of facts that they merge to all lines, where git's folder is apart."""
    path = folder / ".gitattributes"
    if not exists(path):
        replace_file(path, _FACTS + b"\n*.jsonl merge=union\n", 0o644)


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
    _add(common, _EXCLUDED, _head_of(branch), patterns)


def include(common: Path, branch: str) -> None:
    """Take back what `exclude` said.

    Raises: OSError, UnavailableError.
    """
    before, head = _read(common, _EXCLUDED), _head_of(branch)
    lines = before.splitlines()
    if head in lines:
        at = lines.index(head)
        rest = lines[at + 1 :]
        ours = next((place for place, line in enumerate(rest) if line[:1] != b"/"), len(rest))
        kept = (*lines[:at], *rest[ours:])
        _write(common, _EXCLUDED, b"".join(line + b"\n" for line in kept))


def unite(common: Path, patterns: Iterable[str]) -> None:
    """Say to git that files of facts merge to all lines of both, in all of a clone's checkouts.

    In git's own folder: a file beside the facts would stand in the way of a pull of a colleague's.

    Raises: OSError, UnavailableError.
    """
    _add(common, _MERGED, _FACTS, (f"{pattern} merge=union" for pattern in patterns))


_EXCLUDED = "exclude"
_MERGED = "attributes"
_FACTS = b"# Written by AgentX. Events are facts that only grow."


def _head_of(branch: str) -> bytes:
    return f"# AgentX keeps these on the branch {branch}.".encode()


def _add(common: Path, name: str, head: bytes, lines: Iterable[str]) -> None:
    before = _read(common, name)
    if head not in before.splitlines():
        gap = b"" if not before or before.endswith(b"\n") else b"\n"
        ours = (head, *(line.encode() for line in lines))
        _write(common, name, before + gap + b"\n".join(ours) + b"\n")


def _read(common: Path, name: str) -> bytes:
    path = common / "info" / name
    return read_bytes(path, ground=common) if exists(path, ground=common) else b""


def _write(common: Path, name: str, content: bytes) -> None:
    path = common / "info" / name
    seen = look(path, ground=common)
    mode = 0o644 if seen is None else stat.S_IMODE(seen.st_mode)
    replace_file(path, content, mode, ground=common)
