"""Where hooks leave what they captured, as plain text: the hook has no time for `pathlib`.

The first place is the user's data folder. When it cannot be written (a full disk,
a read-only home) a folder under the system's temporary directory takes its part;
whoever drains the spool reads all of them.
"""

# ruff: noqa: PTH117, PTH111, PTH118

import os.path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108  the folder beneath is private and checked


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
    """Return the folders that stand in for `spool_root`, in the order in which they are tried."""
    chosen = environ.get("TMPDIR", "")
    places = (chosen, *_TEMPORARY) if os.path.isabs(chosen) else _TEMPORARY
    return tuple(
        dict.fromkeys(
            os.path.join(os.path.normpath(place), f"agentx-spool-{uid}") for place in places
        )
    )
