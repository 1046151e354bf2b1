"""The processes above this one: what they were called with, and what was said to them.

A process can empty its own environment, but not that of whoever started it. What cannot be read is
not there: another user's, or a system that does not tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from agentx.kernel.values import frozen

_DEPTH_MAX = 64
_BYTES_MAX = 1 << 20
_PARENT, _BEGAN = 1, 19  # of what stands behind the name


@frozen
class Ancestor:
    """A process above this one."""

    name: str  # as it calls itself
    arguments: tuple[str, ...]
    variables: dict[str, str]


def list_ancestors(begin: int = 0) -> Iterator[Ancestor]:
    """Yield the processes above this one (or above another), the nearest first."""
    return list_line(_look_at(begin or os.getpid()).parent)


def list_line(begin: int) -> Iterator[Ancestor]:
    """Yield a process and those above it, the nearest first."""
    pid = begin
    for _ in range(_DEPTH_MAX):
        if pid <= 1:
            return
        seen = _look_at(pid)
        yield _read_ancestor(pid, seen.name, seen.began)
        pid = seen.parent


class _Process(NamedTuple):
    """What the system says of a process at one go."""

    name: str = ""
    parent: int = 0
    began: str = ""


def _look_at(pid: int) -> _Process:
    # The name in parentheses may hold anything, even parentheses: count from the last one.
    before, _, after = _read(pid, "stat").rpartition(b")")
    fields = after.decode("ascii", "replace").split()
    if len(fields) <= _BEGAN or not fields[_PARENT].isdigit():
        return _Process()
    name = before.partition(b"(")[2].decode("utf-8", "replace").strip()
    return _Process(name, int(fields[_PARENT]), fields[_BEGAN])


@lru_cache(_DEPTH_MAX)  # a driver asks at every word; what becomes another program is named so
def _read_ancestor(pid: int, name: str, _began: str) -> Ancestor:
    variables = (text.partition("=") for text in _read_texts(pid, "environ"))
    return Ancestor(
        name=name,
        arguments=tuple(_read_texts(pid, "cmdline")),
        variables={name: value for name, _, value in variables if name},
    )


def _read_texts(pid: int, name: str) -> list[str]:
    return [text.decode("utf-8", "replace") for text in _read(pid, name).split(b"\0") if text]


def _read(pid: int, name: str) -> bytes:
    try:
        # As text and without a buffer: every word that is said of a run asks for many.
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:  # noqa: PTH123  see above
            return file.read(_BYTES_MAX) or b""
    except OSError:
        return b""
