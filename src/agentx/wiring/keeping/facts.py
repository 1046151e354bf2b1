"""The files of a project that hold facts, by where they lie, and how each kind is read.

What a backup and an export carry beside the log, and what `doctor` reads through. No symbolic
link is followed; what is being written (`.*.tmp`), locks and our own log are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from agentx.host.files import plain
from agentx.host.files.below.walking import walk_files
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.project.project import Project

_LEFT_OUT = (".lock", ".tmp", ".guard", "-wal", "-shm")


class FactPlace(StrEnum):
    """Whose folder a file lies in."""

    PROJECT = "project"
    STORE = "store"


@frozen
class FactFile:
    """A file that holds facts."""

    place: FactPlace
    name: str  # below its place, with slashes
    path: Path


def list_fact_files(project: Project) -> Iterator[FactFile]:
    """Yield every file of facts, in a fixed order."""
    root = project.root
    for folder in (project.paths.own, project.paths.run_memory):
        for path in _walk(folder):
            name = path.relative_to(root).as_posix()
            if not name.startswith(".agentx/logs/"):
                yield FactFile(place=FactPlace.PROJECT, name=name, path=path)
    store = project.store
    for path in (store.scheduler, store.spending, store.github_queue, store.faults):
        if plain.is_file(path):
            yield _of_store(project, path)
    for folder in (store.root / "runs", store.private, store.lines_held, store.walks):
        for path in _walk(folder):
            if path.name != "agentx.jsonl":
                yield _of_store(project, path)


def list_view_files(project: Project) -> Iterator[FactFile]:
    """Yield the files of the views that an export carries, so that it answers with the same scores.

    What is found is the same without them; how high it scores depends on how an index came to be.
    """
    store = project.store
    for folder in (store.text_index, store.root / "recalled"):
        for path in _walk(folder):
            yield _of_store(project, path)


def base_of(project: Project, place: FactPlace) -> Path:
    """Return the folder that a place is."""
    return project.root if place is FactPlace.PROJECT else project.store.root


def _of_store(project: Project, path: Path) -> FactFile:
    name = path.relative_to(project.store.root).as_posix()
    return FactFile(place=FactPlace.STORE, name=name, path=path)


def _walk(folder: Path) -> Iterator[Path]:
    try:
        for path in walk_files(folder):
            if not path.name.endswith(_LEFT_OUT):
                yield path
    except (OSError, AgentXError):
        return
