"""What the user wants never to be captured: folders with all below them, and projects by their id.

One note for all projects, where hooks look too (`spool/excluded`, a path or an id a line): a hook
writes nothing of such a folder, a drain throws away what lies there from before, and an import
passes over it. A setting (`capture.exclude`, paths and globs) does the same for drains and imports;
hooks do not read settings.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.kernel.errors import InvalidValue, LimitError, NotFound
from agentx.kernel.ids import project_id
from agentx.kernel.paths import DataPaths
from agentx.kernel.places import is_excluded_by
from agentx.project.limits import EXCLUDED_BYTES_MAX
from agentx.project.project import Project
from agentx.project.settings import CaptureSettings
from agentx.project.settlement import read_lines


def list_excluded(data: DataPaths) -> tuple[str, ...]:
    """Return the folders and projects that are never captured."""
    return tuple(line for line in read_lines(data.excluded) if line)


def is_excluded(data: DataPaths, directory: str, project: str = "") -> bool:
    """Tell whether nothing of a directory, or of its project, is to be captured."""
    lines = list_excluded(data)
    if not lines:
        return False
    places = {directory, os.path.realpath(directory)} if directory else {""}
    return any(is_excluded_by(lines, place, project) for place in places)


def list_patterns(project: Project) -> tuple[str, ...]:
    """Return the folders and globs that the settings of a project exclude, and our own CLIs'."""
    said = project.config.section(CaptureSettings).exclude
    named = (Path(one.strip()).expanduser() for one in said.split(",") if one.strip())
    return str(project.data.clis), *(
        str(one) if one.parts[0].startswith("*") else os.path.normpath(project.root / one)
        for one in named
    )


def fits_any(patterns: Sequence[str], directory: str) -> bool:
    """Tell whether a directory, or one above it, is one of some folders or globs."""
    if not patterns:
        return False
    places = [
        str(place)
        for name in {directory, os.path.realpath(directory)}
        if directory
        for place in (Path(name), *Path(name).parents)
    ]
    return any(
        place == pattern or fnmatchcase(place, pattern) for pattern in patterns for place in places
    )


def is_left_out(project: Project, directory: str, project_name: str = "") -> bool:
    """Tell whether the user's list or the settings keep a directory out."""
    return is_excluded(project.data, directory, project_name) or fits_any(
        list_patterns(project), directory
    )


def exclude(data: DataPaths, what: str, *, here: Path) -> tuple[str, ...]:
    """Note that a folder or a project is never captured; return what was noted.

    Raises: InvalidValue for what is neither, LimitError.
    """
    names = _names_of(what, here)
    _write(data, [*list_excluded(data), *names])
    return names


def include(data: DataPaths, what: str, *, here: Path) -> tuple[str, ...]:
    """Let a folder or a project be captured again; return what was noted of it.

    Raises: NotFound when it was not excluded.
    """
    names = {what, *_names_of(what, here)}
    known = list_excluded(data)
    gone = tuple(line for line in known if line in names)
    if not gone:
        raise NotFound(f"{what} is not excluded", hint="`agentx exclude --list` shows what is")
    _write(data, [line for line in known if line not in names])
    return gone


def _names_of(what: str, here: Path) -> tuple[str, ...]:
    """Return a folder as it is named and as it really is, or a project's id."""
    given = Path(what).expanduser()
    if "/" in what or what.startswith((".", "~")) or (here / given).is_dir():
        if any(char in what for char in "\n\0"):
            raise InvalidValue(f"{what!r} cannot be noted: it has an end of line in it")
        named = os.path.normpath(here / given)
        return tuple(dict.fromkeys((named, os.path.realpath(named))))
    return (project_id(what),)


def _write(data: DataPaths, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in dict.fromkeys(lines))
    raw = text.encode("utf-8", "surrogateescape")
    if len(raw) > EXCLUDED_BYTES_MAX:
        raise LimitError("too much is excluded", hint="exclude a folder above them")
    replace_file(data.excluded, raw)
