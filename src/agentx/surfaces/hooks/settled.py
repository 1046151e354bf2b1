"""Where the memory of a directory is, as a drain has settled it, and who serves it now."""

import os

from agentx.kernel.places import (
    MARKER_NAME,
    SETTINGS_STAMP,
    are_changed,
    data_root,
    encode_name,
    origin_of,
    spool_root,
)
from agentx.surfaces.hooks.checkout import branch_of, find_git, read_raw, read_small

_PRESENCE_BYTES_MAX = 4_096
_STAMP_BYTES_MAX = 65_536
_KIND, _SOCKET = 0o170000, 0o140000
_OF_OTHERS = 0o077


def find_spool(directory: str, named: str) -> str:
    """Return the spool folder of a directory, for the project that was named if one was."""
    return os.path.join(spool_root(os.environ), encode_name(origin_of(directory, named)))


def find_store(directory: str, named: str) -> tuple[str, str]:
    """Return the folder of the store and the project in it; both are empty where none is known.

    What is known of a repository is not known of another one that lies in its place now.
    """
    spool = find_spool(directory, named)
    return _read_store(spool) if named or _is_marked(directory, spool) else ("", "")


def find_store_near(directory: str, named: str) -> tuple[str, str]:
    """Return the same, of the repository where nothing is known of a folder in it.

    Nor of the repository, where it is a new worktree, or was moved: then as it was known before.
    """
    found = find_store(directory, named)
    if found[0]:
        return found
    top = branch_of(directory)[0]
    found = find_store(top, named) if top and top != directory else found
    return found if found[0] or named else _find_store_before(directory)


def _find_store_before(directory: str) -> tuple[str, str]:
    git = find_git(directory)
    mark = _read_text(os.path.join(git, MARKER_NAME), "mark") if git else ""
    if not mark.isalnum():
        return "", ""
    root = _read_text(os.path.join(data_root(os.environ), "trust", f"{mark}.json"), "root")
    if not os.path.isabs(root):
        return "", ""
    other = os.path.realpath(find_git(root) or root)
    is_copy = mark == _read_text(os.path.join(other, MARKER_NAME), "mark")
    if is_copy and other != os.path.realpath(git):
        return "", ""  # with a memory of its own
    spool = find_spool(root, "")
    return _read_store(spool) if mark == _read_mark(spool) else ("", "")


def _read_store(spool: str) -> tuple[str, str]:
    settled = read_small(os.path.join(spool, "store"))
    store, _, project = (settled or "").strip().partition("\n")
    return (store, project.strip()) if os.path.isabs(store) else ("", "")


def _is_marked(directory: str, spool: str) -> bool:
    mark = _read_mark(spool)
    git = find_git(directory) if mark else ""
    return not git or mark in (read_small(os.path.join(git, MARKER_NAME)) or "")


def _read_mark(spool: str) -> str:
    return (read_small(os.path.join(spool, "mark")) or "").strip()


def _read_text(path: str, name: str) -> str:
    """Return a text that a file of ours in JSON has by a name; empty where it has none."""
    rest = (read_small(path) or "").partition(f'"{name}"')[2].lstrip(" :")
    if not rest.startswith('"'):
        return ""
    from _json import scanstring  # as `json` has it, without what reads everything else

    try:
        return str(scanstring(rest, 1)[0])
    except ValueError:
        return ""


def find_digests(store: str, project: str) -> str:
    """Return the folder of what was prepared; projects that share a store have one each."""
    folder = os.path.join(store, "digests")
    own = os.path.join(folder, encode_name(project))
    return own if project and os.path.isdir(own) else folder


def are_settings_changed(folder: str) -> bool:
    """Tell whether a file of settings is another one than when all in a folder was prepared."""
    return are_changed(read_raw(os.path.join(folder, SETTINGS_STAMP), _STAMP_BYTES_MAX) or b"")


def find_hatch(store: str) -> str:
    """Return the socket on which a daemon answers for a store; empty where none can be trusted.

    What it says is put before an agent: it must be a socket of this user that nobody else opens.
    """
    said = read_small(os.path.join(store, "daemon.json"), _PRESENCE_BYTES_MAX) or ""
    path = said.partition('"hatch": "')[2].partition('"')[0]
    if not os.path.isabs(path) or "\\" in path:
        return ""
    try:
        there = os.lstat(path)
    except (OSError, ValueError):
        return ""
    is_ours = there.st_uid == os.getuid() and not there.st_mode & _OF_OTHERS
    return path if is_ours and there.st_mode & _KIND == _SOCKET else ""
