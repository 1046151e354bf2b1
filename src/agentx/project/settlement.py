"""Which store a spool folder belongs to: settled once and noted beside the spool, for hooks too."""

from __future__ import annotations

from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.kernel.paths import SpoolPaths
from agentx.project.project import Project


def settle(project: Project) -> None:
    """Note which store this project's folder belongs to, so that its hooks find their digest."""
    for directory in {str(project.root), str(project.directory)}:
        note_settled(project.data.spool(directory), directory, str(project.store.root), project.id)


def is_settled(project: Project) -> bool:
    """Tell whether this project's folder is known to belong to its store."""
    noted = read_lines(project.data.spool(str(project.root)).store)
    return noted == [str(project.store.root), project.id]


def note_settled(paths: SpoolPaths, directory: str, store: str, project: str) -> None:
    """Note the store's folder and the project of a working directory, if they are not noted yet."""
    if read_lines(paths.store) != [store, project]:
        replace_file(paths.store, f"{store}\n{project}\n".encode("utf-8", "surrogateescape"))
    if not read_lines(paths.directory):
        replace_file(paths.directory, directory.encode("utf-8", "surrogateescape"))


def read_lines(path: Path) -> list[str]:
    """Return the lines of a note; none where there is no such note."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
