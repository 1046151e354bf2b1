"""Where a session begins, asks or ends: see that a daemon of the project runs; wait for none.

    somebody listens on its hatch, not older than we are   nothing is done
    somebody was just sent for                             nothing is done
    else                                                   `agentx daemon start --by-hook`, alone

What may start, where, and how many, is for the program that is started to decide: the agent CLI
does not wait for that. It is started as if from a fresh login: what the session says to Python, to
git or to this agent is said to one session, and a repository may stand behind it.
"""

import os
import sys

from agentx import __version__
from agentx.kernel.places import SAID_TO_AGENTS, encode_name, is_no, is_older, origin_of, spool_root
from agentx.surfaces.hooks.spool import Caller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NOTE_BYTES_MAX = 4_096
_AGAIN_MS = 10_000
_REST_DIGITS_MAX = 7
_NULL = "/dev/null"
_KIND, _FILE = 0o170000, 0o100000
# What is said to one session, and to nobody who serves them all.
_OF_SESSION = (
    *("AGENTX_AGENT", "AGENTX_REPLAY_MS", "CLAUDECODE", "CLAUDE_PROJECT_DIR"),
    *("GEMINI_PROJECT_DIR", "PWD", "OLDPWD", "_", *SAID_TO_AGENTS),
)
# Python would import from where these say, and git would look elsewhere.
_OF_PROGRAMS = ("PYTHON", "__PYVENV", "GIT_")


def call_daemon(call: Caller) -> None:
    """See that a daemon runs, or is about to."""
    said = os.environ.get
    if not is_no(said("CI", "")) or is_no(said("AGENTX_DAEMON_AUTO") or "yes"):
        return
    folder = os.path.join(spool_root(os.environ), encode_name(origin_of(call.cwd, call.project)))
    if _listens(_read(os.path.join(folder, "store")).partition("\n")[0]):
        return
    if not os.path.isdir(folder) or _is_called(os.path.join(folder, "called")):
        return
    import _signal  # type: ignore[import-not-found]  # as `signal` has it, which imports `enum`

    command = (sys.executable, "-P", "-m", "agentx.surfaces.cli.main", "daemon", "start")
    os.posix_spawn(
        sys.executable,
        (*command, "--by-hook", "--project", call.cwd),
        {
            name: value
            for name, value in os.environ.items()
            if name not in _OF_SESSION and not name.startswith(_OF_PROGRAMS)
        },
        file_actions=(
            (os.POSIX_SPAWN_OPEN, 0, _NULL, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, _NULL, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, 1, 2),
            *((os.POSIX_SPAWN_CLOSE, number) for number in _list_inherited()),
        ),
        setsid=True,
        setsigmask=(),
        setsigdef=(_signal.SIGTERM, _signal.SIGINT, _signal.SIGCHLD),
    )


def _list_inherited() -> "Iterator[int]":
    """Yield what whoever called the hook left open for it: nobody may wait for our end of it."""
    for name in os.listdir("/dev/fd"):
        try:
            if int(name) > 2 and os.get_inheritable(int(name)):
                yield int(name)
        except OSError:
            pass  # the one that listed them


def _listens(store: str) -> bool:
    """Tell whether a daemon that is not older than we are answers for a store."""
    presence = _read(os.path.join(store, "daemon.json")) if os.path.isabs(store) else ""
    path = _read_value(presence, "hatch")
    if not path or "\\" in path or is_older(_read_value(presence, "version"), __version__):
        return False
    import _socket  # as `socket` has it, which imports ten times as much

    caller = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        caller.setblocking(False)
        caller.connect(path)
    except BlockingIOError:
        return True  # so many ask that one more has to wait
    except OSError:
        return False
    finally:
        caller.close()
    return True


def _is_called(stamp: str) -> bool:
    """Tell whether somebody was sent for just now; if not, note that we do it."""
    import time

    now = time.time()
    try:
        seen = os.lstat(stamp)
        # One that was sent for and may not serve says there for how long none will.
        said = _read(stamp)
        rest_ms = int(said) if said.isdecimal() and len(said) < _REST_DIGITS_MAX else _AGAIN_MS
        if 0 <= now - seen.st_mtime < rest_ms / 1000:
            return True
        if seen.st_mode & _KIND != _FILE:
            os.unlink(stamp)  # a link leads elsewhere, and a pipe would keep us waiting
    except OSError:
        pass
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open(stamp, flags, 0o600)
    try:
        os.utime(file, (now, now))
    finally:
        os.close(file)
    return False


def _read_value(presence: str, name: str) -> str:
    return presence.partition(f'"{name}": "')[2].partition('"')[0]


def _read(path: str) -> str:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            return os.fsdecode(os.read(file, _NOTE_BYTES_MAX))
        finally:
            os.close(file)
    except OSError:
        return ""
