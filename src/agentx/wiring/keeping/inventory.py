"""Which files of facts a project had when somebody last looked: so that one that is gone is told.

    {"version": 2, "roots": {root: {name: ["2026-11-15T10:00:00.000Z", size], ...}}}

A size is in bytes; of questions in lines, as forgetting and shortening leave as many of them.

A person may take a file away, and git does so whenever it switches branches; so what is missing is
only noted, for some days, with how to bring it back. `doctor` begins the inventory; a sync and a
backup keep it up to date. Each worktree has its own. It is made again when it is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Literal

import msgspec

from agentx.host.files.atomic import replace_file
from agentx.host.files.json_text import page_of
from agentx.host.files.plain import is_folder, look, read_bytes
from agentx.kernel.clock import DAY_MS, HOUR_MS, to_iso
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.keeping.facts import FactPlace, list_fact_files

_TOLD_DAYS = 7
_VERSION = 2
_ROOTS_MAX = 50
# Written once and kept, or only ever longer. Observations have a manifest of their own.
_QUESTIONS = ".agentx/questions/"
_KEPT = (".agentx/issues/", _QUESTIONS, ".agent-memory/")
_RUNS = ".agent-memory/runs/"
_SUFFIXES = (".json", ".jsonl", ".gz")

_Files = dict[str, tuple[str, int]]  # when each was seen last, and its size


@frozen
class MissingFile:
    """A file that was there, or was longer."""

    name: str  # below the project's folder
    seen: str  # when it was there last
    is_shorter: bool = False


def take_inventory(project: Project, *, is_due: bool = True) -> tuple[MissingFile, ...]:
    """Return what is missing since somebody last looked, and note what is there now.

    When it is not due, only an inventory that was begun and is older than an hour is renewed.
    """
    now_ms = project.clock.now_ms()
    noted = look(project.store.inventory)
    is_old = noted is not None and now_ms - noted.st_mtime * 1000 > HOUR_MS
    if not (is_due or is_old) or not is_folder(project.store.root):
        return ()
    roots = _read(project)
    before = roots.get(str(project.root), {})
    now, oldest = to_iso(now_ms), to_iso(now_ms - _TOLD_DAYS * DAY_MS)
    here: _Files = {name: (now, size) for name, size in _list_kept(project)}
    gone = {
        name: (seen, size)
        for name, (seen, size) in before.items()
        if seen > oldest and _is_less(here.get(name), name, size) and not _is_packed(project, name)
    }
    roots.pop(str(project.root), None)
    roots[str(project.root)] = dict(sorted({**here, **gone}.items()))
    newest = dict(list(roots.items())[-_ROOTS_MAX:])
    with suppress(AgentXError):  # it is a help only; the next one tries again
        replace_file(project.store.inventory, page_of({"version": _VERSION, "roots": newest}))
    return tuple(
        MissingFile(name=name, seen=seen, is_shorter=name in here)
        for name, (seen, _) in sorted(gone.items())
    )


def _list_kept(project: Project) -> Iterator[tuple[str, int]]:
    for file in list_fact_files(project):
        if not _is_kept(file.place, file.name):
            continue
        with suppress(OSError, AgentXError):
            found = look(file.path, ground=project.root)
            if found is not None and file.name.startswith(_QUESTIONS):
                yield file.name, read_bytes(file.path, ground=project.root).count(b"\n")
            elif found is not None:
                yield file.name, found.st_size


def _is_kept(place: FactPlace, name: str) -> bool:
    return place is FactPlace.PROJECT and name.startswith(_KEPT) and name.endswith(_SUFFIXES)


def _is_less(here: tuple[str, int] | None, name: str, size: int) -> bool:
    return here is None or (name.endswith(".jsonl") and here[1] < size)


def _is_packed(project: Project, name: str) -> bool:
    """Tell whether a file lies in the archive of its run now."""
    if not name.startswith(_RUNS):
        return False
    run = name.removeprefix(_RUNS).partition("/")[0]
    archive = project.paths.run_memory / "archive" / f"{run}.tar.gz"
    return look(archive, ground=project.root) is not None


def _read(project: Project) -> dict[str, _Files]:
    try:
        return _decoder.decode(read_bytes(project.store.inventory)).roots
    except (OSError, AgentXError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}


class _Inventory(msgspec.Struct):
    version: Literal[2]
    roots: dict[str, _Files]


_decoder = msgspec.json.Decoder(_Inventory)
