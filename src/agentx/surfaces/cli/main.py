"""The way in from a terminal.

`agentx --version` is answered and `agentx mcp`, for which every session of an agent CLI waits,
is begun here, before click is imported; everything else is `root`.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from agentx import __version__

# As type checkers know it: `typing` would be a third of the time that `--version` takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# Starting makes tens of thousands of objects that stay; to look through them for garbage after
# every 700 new ones, as Python does, takes a good part of the start. Most commands end before
# there is any.
_GARBAGE_OBJECTS = 100_000


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code."""
    _open_streams()
    if not __debug__:
        sys.stderr.write("agentx: assertions carry weight here: run python without -O\n")
        sys.exit(2)
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]):
        sys.stdout.write(f"agentx {__version__}\n")
        sys.exit(0)
    if given == ["mcp"] and arguments is None:
        # The same words as `commands.behind.mcp`, which knows the options.
        os.execv(sys.executable, [sys.executable, "-P", "-m", "agentx.surfaces.mcp"])  # noqa: S606  as there
    gc.set_threshold(_GARBAGE_OBJECTS)
    from agentx.surfaces.cli.root import run  # click, which the version does not wait for

    try:
        run(given)
    except SystemExit as leaving:
        if arguments is None:
            _leave_at_once(leaving.code)
        raise


def _open_streams() -> None:
    """Let what is told go nowhere where somebody closed a stream: no file takes its place."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _leave_at_once(code: object) -> None:
    """Leave without taking apart what the system takes back anyway; return if that cannot be.

    To take hundreds of modules apart takes as long as a twentieth of a command.
    """
    threading = sys.modules.get("threading")
    if threading is None or not isinstance(code, int):
        return
    if any(not one.daemon for one in threading.enumerate() if one is not threading.main_thread()):
        return  # somebody is still at work, and is waited for
    atexit._run_exitfuncs()  # noqa: SLF001  what others asked to be done is done
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return  # the usual way says what is wrong
    os._exit(code)


if __name__ == "__main__":
    main()
