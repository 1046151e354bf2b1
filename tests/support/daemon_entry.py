"""A daemon over a memory in a dictionary, as a program: for tests of its life.

python -m tests.support.daemon_entry STORE_FOLDER [option=value ...]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from agentx.daemon.address import tcp
from agentx.daemon.life import DaemonPlan, run_daemon
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError, ConflictError
from agentx.kernel.paths import StorePaths
from agentx.surfaces.cli.commands.behind.daemon import open_servers
from tests.support.drafts import draft
from tests.support.fake_memory import FakeMemory


class WallClock:
    """The time of the machine."""

    def now_ms(self) -> Millis:
        """Return the time now."""
        return Millis(time.time_ns() // 1_000_000)

    def sleep_ms(self, duration_ms: int) -> None:
        """Wait."""
        time.sleep(duration_ms / 1000)


def opened(options: dict[str, str]) -> FakeMemory:
    """Return the memory that the options ask for."""
    if "refuse" in options:
        raise AgentXError(options["refuse"])
    if "hang_ms" in options:
        time.sleep(int(options["hang_ms"]) / 1000)
    memory = FakeMemory()
    if "append_ms" in options:

        def take_long() -> None:
            Path(sys.argv[1], "appending").touch()
            time.sleep(int(options["append_ms"]) / 1000)

        memory.before_append = take_long
    memory.spooled = [draft("from the spool")] if "spooled" in options else []
    return memory


def main() -> int:
    """Run the daemon; return the exit code of the command line."""
    options = dict(option.split("=", 1) for option in sys.argv[2:])
    plan = DaemonPlan(
        store=StorePaths(Path(sys.argv[1])),
        short_folder=Path(options.get("short_folder", "/nowhere")),
        tcp=tcp(options["tcp"]) if "tcp" in options else None,
        idle_exit_ms=int(options.get("idle_exit_ms", "0")),
        log_to_file="to_log" in options,
        root=Path(options["root"]) if "root" in options else None,
    )
    try:
        reason = run_daemon(plan, lambda: opened(options), open_servers, clock=WallClock())
    except AgentXError as error:
        sys.stderr.write(f"{error.message}\nhint: {error.hint}\n")
        return 3 if isinstance(error, ConflictError) else 1
    sys.stderr.write(f"ended: {reason}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
