"""The files that agents are given: role texts, artifacts of an issue, scripts of a runner.

They lie in the repository, which may be a stranger's: no link is followed.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.files.plain import list_folder, open_to_read, read_text
from agentx.kernel.errors import UnsafePath


def list_names(folder: Path, suffix: str) -> tuple[str, ...]:
    """Return the names of the files with a suffix, without it; a link counts, and is refused later.

    Raises: UnsafePath when a link leads to the folder.
    """
    try:
        found = list_folder(folder)
    except UnsafePath:
        raise
    except OSError:
        return ()
    names = sorted((*found.files, *found.refused))
    return tuple(name.removesuffix(suffix) for name in names if name.endswith(suffix))


def read_head(path: Path, root: Path, bytes_max: int) -> str:
    """Return the beginning of a file below a root; nothing for what is no readable file."""
    try:
        with open_to_read(path, ground=root) as file:
            return file.read(bytes_max).decode("utf-8", "replace")
    except OSError:
        return ""


def read_script_text(path: Path, ground: Path | None) -> str:
    """Return the text of a script.

    Raises: OSError, UnicodeDecodeError.
    """
    return read_text(path, ground=ground)
