"""Names and places that the hook computes too: it has no time for `pathlib`.

What a hook captured goes to the user's data folder. When that cannot be written (a full
disk, a read-only home) a folder under the system's temporary directory takes its part;
whoever drains the spool reads all of them.
"""

# ruff: noqa: PTH117, PTH111, PTH118

import os.path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NAME_BYTES_MAX = 200
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108  the folder beneath is private and checked


def encode_name(name: str) -> str:
    """Return a file name that stands for any text, the same one every time.

    Letters, digits, `.`, `_` and `-` stay; the rest is `%XX`. A leading dot is encoded, so that
    neither `..` nor a hidden file can come out. A long name ends in a hash.
    """
    raw = name.encode("utf-8", "surrogateescape")
    text = "".join([chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in raw])
    if text.startswith("."):
        text = "%2E" + text[1:]
    if len(text) <= _NAME_BYTES_MAX:
        return text or "%"
    from hashlib import blake2b  # noqa: PLC0415  only long names need it, and it is slow to import

    return text[: _NAME_BYTES_MAX - 33] + "~" + blake2b(raw, digest_size=16).hexdigest()


def origin_of(directory: str, project: str = "", data: str = "") -> str:
    """Return what a spool folder stands for, as its note says and its name encodes it.

    That is the working directory; after a NUL the project that `MEMORY_PROJECT_ID` named, and after
    another the data folder that could not be written, where one of the two is to be told.
    """
    return f"{directory}\0{project}\0{data}".rstrip("\0")


def is_excluded_by(lines: "Iterable[str]", directory: str, project: str) -> bool:
    """Tell whether a list of folders and projects names a directory, one above it, or a project."""
    for line in lines:
        if line.startswith("/"):
            if directory == line or directory.startswith(line.rstrip("/") + "/"):
                return True
        elif line and line == project:
            return True
    return False


def data_root(environ: "Mapping[str, str]") -> str:
    """Return `$XDG_DATA_HOME/agent-memory`, or its place in the home directory."""
    data_home = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data_home):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            # Without `HOME` the password database knows; `~` is left where even that does not.
            home = os.path.expanduser("~")
        data_home = os.path.join(home, ".local", "share")
    return os.path.join(data_home, "agent-memory")


def spool_root(environ: "Mapping[str, str]") -> str:
    """Return the folder of all spool folders."""
    return os.path.join(data_root(environ), "spool")


def fallback_spool_roots(environ: "Mapping[str, str]", uid: int) -> tuple[str, ...]:
    """Return the folders that stand in for `spool_root`, in the order in which they are tried.

    What everybody knows comes first: whoever drains may have another `TMPDIR` than the hook had.
    """
    given = environ.get("AGENTX_SPARE_SPOOL", "")
    if os.path.isabs(given):
        return (os.path.normpath(given),)
    chosen = environ.get("TMPDIR", "")
    places = (*_TEMPORARY, chosen) if os.path.isabs(chosen) else _TEMPORARY
    return tuple(
        dict.fromkeys(
            os.path.join(os.path.normpath(place), f"agentx-spool-{uid}") for place in places
        )
    )
