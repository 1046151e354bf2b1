"""Where a session begins or ends: see that a daemon of the project runs, without waiting for one.

    somebody listens on its hatch, of this version   nothing is done
    somebody was just sent for                       nothing is done
    else                                             `agentx daemon start --by-hook`, on its own

What may start, where, and how many, is for the program that is started to decide: the agent CLI
does not wait for that.
"""

import os
import sys

from agentx import __version__
from agentx.kernel.places import encode_name, origin_of, spool_root
from agentx.surfaces.hooks.spool import Caller

_NOTE_BYTES_MAX = 4_096
_AGAIN_MS = 10_000
_OFF = ("0", "false", "no", "off")
_NULL = "/dev/null"
# What is said to one session, and to nobody who serves them all.
_OF_SESSION = ("AGENTX_AGENT", "AGENTX_REPLAY_MS", "CLAUDECODE", "CLAUDE_PROJECT_DIR")


def call_daemon(call: Caller) -> None:
    """See that a daemon runs, or is about to."""
    said = os.environ.get
    if said("CI") or said("AGENTX_DAEMON_AUTO", "").strip().lower() in _OFF:
        return
    folder = os.path.join(spool_root(os.environ), encode_name(origin_of(call.cwd, call.project)))
    if _listens(_read(os.path.join(folder, "store")).partition("\n")[0]):
        return
    if not os.path.isdir(folder) or _is_called(os.path.join(folder, "called")):
        return
    kept = {name: value for name, value in os.environ.items() if name not in _OF_SESSION}
    command = (sys.executable, "-P", "-m", "agentx.surfaces.cli.main", "daemon", "start")
    os.posix_spawn(
        sys.executable,
        (*command, "--by-hook", "--project", call.cwd),
        kept,
        file_actions=(
            (os.POSIX_SPAWN_OPEN, 0, _NULL, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, _NULL, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ),
        setsid=True,
    )


def _listens(store: str) -> bool:
    """Tell whether a daemon of our version answers for a store."""
    presence = _read(os.path.join(store, "daemon.json")) if os.path.isabs(store) else ""
    _, _, rest = presence.partition('"hatch": "')
    path = rest.partition('"')[0]
    if not path or "\\" in path or f'"version": "{__version__}"' not in presence:
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
        if 0 <= now - os.stat(stamp).st_mtime < _AGAIN_MS / 1000:
            return True
    except OSError:
        pass
    file = os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.utime(file, (now, now))
    finally:
        os.close(file)
    return False


def _read(path: str) -> str:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            return os.read(file, _NOTE_BYTES_MAX).decode("utf-8", "replace")
        finally:
            os.close(file)
    except OSError:
        return ""
