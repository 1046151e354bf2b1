"""What git took out of the files of questions, and what it still could: both are named."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from agentx.host.files.plain import exists, is_folder, list_folder
from agentx.project.project import Project
from agentx.wiring.clarifications import list_unheld, open_clarifications

_NAMED_MAX = 5


def put_back(project: Project) -> tuple[str, ...]:
    """Write into the files again what git took out of them; return of which questions.

    Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
    """
    return open_clarifications(project).put_back()


def tell_missing(project: Project) -> str:
    """Say of which questions lines are in no file now; nothing where all are there."""
    if not is_folder(project.held_questions):
        return ""
    names = open_clarifications(project).survey().missing
    if not names:
        return ""
    return (
        f"{_list(names)}: not all that was said is in the files here now "
        "(git took it out, or another branch has it); it counts here all the same"
    )


def tell_unheld(project: Project) -> str:
    """Say what git could take back, since nothing is held against it; nothing where all is held."""
    if not any(map(is_folder, project.asked)):
        return ""
    shut, names = _find_shut(project), list_unheld(project)
    if not (shut or names):
        return ""
    where = f"{shut or project.held_questions} cannot be written"
    if not names:
        return f"{where}: what is said next could be taken back by git"
    return (
        f"{_list(names)}: in the files of the repository alone, and git could take it back: {where}"
    )


def say_unheld(project: Project, issue: int, name: str) -> str:
    """Say of what was said just now that git could take it back; nothing where it is held."""
    if name not in list_unheld(project, issue):
        return ""
    where = _find_shut(project) or project.held_questions
    return f"{name} is kept, but not held against git: {where} cannot be written (agentx doctor)"


def _find_shut(project: Project) -> Path | None:
    """Return the folder of what is held that cannot be written, if one cannot."""
    folder = project.held_questions
    issues = list_folder(folder).folders if is_folder(folder) else ()
    known = (folder.parent, folder, *(folder / name for name in issues))
    return next((each for each in known if exists(each) and not _is_open(each)), None)


def _is_open(folder: Path) -> bool:
    return is_folder(folder) and os.access(folder, os.W_OK | os.X_OK)


def _list(names: Iterable[str]) -> str:
    known = tuple(names)
    more = f" and {len(known) - _NAMED_MAX} more" if len(known) > _NAMED_MAX else ""
    return f"{', '.join(known[:_NAMED_MAX])}{more}"


HOLDS = "make that folder writable, or free some space: the next look holds it"
WRITES_BACK = "agentx clarify put-back"  # for others to get it
