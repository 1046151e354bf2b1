"""The way in from a terminal.

`agentx --version` is answered here, before click is imported; everything else is `root`.
"""

from __future__ import annotations

import gc
import sys

from agentx import __version__

# As type checkers know it: `typing` would be a third of the time that `--version` takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# Starting makes tens of thousands of objects that stay; to look through them for garbage after
# every 700 new ones, as Python does, takes a good part of the start.
_GARBAGE_OBJECTS = 20_000


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code."""
    if not __debug__:
        sys.stderr.write("agentx: assertions carry weight here: run python without -O\n")
        sys.exit(2)
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]):
        sys.stdout.write(f"agentx {__version__}\n")
        sys.exit(0)
    gc.set_threshold(_GARBAGE_OBJECTS)
    from agentx.surfaces.cli.root import run  # click, which the version does not wait for

    run(given)


if __name__ == "__main__":
    main()
