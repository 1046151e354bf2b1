"""The page as a program: `python -m agentx.surfaces.page`, which `agentx view` becomes.

    python -m agentx.surfaces.page [--port N] [--no-open] [--json] [FOLDER]

It says its link on stdout, once, and ends with the terminal, on Ctrl-C, or when nobody has looked
for half an hour.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from types import FrameType

from agentx.kernel.errors import AgentXError
from agentx.kernel.text import printable
from agentx.operations.upkeep.home.link import leave_link, take_link_away
from agentx.project.config import read_environment
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.serving import open_server
from agentx.surfaces.page.showing import show_in_browser

_IDLE_SECONDS = 30 * 60
_LOOK_SECONDS = 1.0


def main(arguments: Sequence[str]) -> int:
    """Serve the page of a folder (default: here) until nobody wants it any more."""
    rest = list(arguments)
    is_opened = "--no-open" not in rest
    as_json = "--json" in rest
    rest = [each for each in rest if each not in ("--no-open", "--json")]
    port = 0
    if rest[:1] == ["--port"]:
        port = int(rest[1])
        del rest[:2]
    ending = Event()
    _listen_to_signals(ending)
    try:
        desk = PageDesk(Path(rest[0] if rest else "."), read_environment())
        server = open_server(desk, port)
    except (AgentXError, OSError) as error:
        hint = f"\nhint: {error.hint}" if isinstance(error, AgentXError) and error.hint else ""
        print(f"agentx: {printable(str(error))}{hint}", file=sys.stderr)
        return 6
    desk.call_daemon()
    thread = Thread(target=server.serve_forever, name="agentx-page", daemon=True)
    thread.start()
    told = {"link": server.link, "port": server.server_port}
    said = json.dumps(told) if as_json else f"The page is at\n\n  {server.link}\n"
    print(said, flush=True)
    print("The link lets one browser in, once. Ctrl-C ends the page.", file=sys.stderr)
    left = leave_link(desk.project, server.link, server.server_port) if is_opened else None
    if left is not None and not show_in_browser(left):
        print("No program here opens a browser: open the link yourself.", file=sys.stderr)
    try:
        while not ending.wait(_LOOK_SECONDS):
            if server.idle_seconds() > _IDLE_SECONDS:
                print("nobody looked for half an hour: the page ends", file=sys.stderr)
                break
    finally:
        if left is not None:
            take_link_away(left)
        server.close()
    return 0


def _listen_to_signals(ending: Event) -> None:
    def end(_number: int, _frame: FrameType | None) -> None:
        ending.set()

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, end)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    # At once: a view that works still holds nothing that a crash would break.
    os._exit(code)
