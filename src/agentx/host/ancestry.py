"""The processes above this one: what they were called with, and what was said to them.

A process can empty its own environment, but not that of whoever started it. What cannot be read is
not there: another user's, or a system that does not tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from agentx.kernel.values import frozen

_DEPTH_MAX = 64
_BYTES_MAX = 1 << 20


@frozen
class Ancestor:
    """A process above this one."""

    name: str  # as it calls itself
    arguments: tuple[str, ...]
    variables: dict[str, str]


def list_ancestors(begin: int = 0) -> Iterator[Ancestor]:
    """Yield the processes above this one (or above another), the nearest first."""
    pid = _find_parent(begin or os.getpid())
    for _ in range(_DEPTH_MAX):
        if pid <= 1:
            return
        variables = (text.partition("=") for text in _read_texts(pid, "environ"))
        yield Ancestor(
            name=_read(pid, "comm").decode("utf-8", "replace").strip(),
            arguments=tuple(_read_texts(pid, "cmdline")),
            variables={name: value for name, _, value in variables if name},
        )
        pid = _find_parent(pid)


def _find_parent(pid: int) -> int:
    # The name in parentheses may hold anything, even parentheses: count from the last one.
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 and fields[1].isdigit() else 0


def _read_texts(pid: int, name: str) -> list[str]:
    return [text.decode("utf-8", "replace") for text in _read(pid, name).split(b"\0") if text]


def _read(pid: int, name: str) -> bytes:
    try:
        # As text and without a buffer: every word that is said of a run asks for some thirty.
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:  # noqa: PTH123  see above
            return file.read(_BYTES_MAX) or b""
    except OSError:
        return b""
