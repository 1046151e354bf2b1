"""A home in which the installed hook is called by itself, and what it left there."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from agentx.capture.spool_record import SpoolRecord, parse
from agentx.kernel.paths import DataPaths, SpoolPaths

HOOK = Path(sys.executable).with_name("agentx-hook")


@dataclass
class HookHome:
    """A home of its own, and what the hook left in it."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work = self.root / "work"
        self.temporary = self.root / "tmp"
        for folder in (self.work, self.temporary):
            folder.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "XDG_DATA_HOME": str(self.root / "data"),
            "TMPDIR": str(self.temporary),
            "AGENTX_SPARE_SPOOL": str(self.temporary / "spare"),
            "AGENTX_STORAGE_WAIT_MS": "30000",  # all of it, on any machine
            "AGENTX_DAEMON_AUTO": "false",
        }

    @property
    def data(self) -> DataPaths:
        return DataPaths(self.root / "data" / "agent-memory")

    @property
    def spool(self) -> SpoolPaths:
        return self.data.spool(str(self.work))

    def hook(
        self,
        payload: bytes,
        *arguments: str,
        program: tuple[str, ...] = (str(HOOK),),
        limits: dict[int, int] | None = None,
        **environment: str,
    ) -> bytes:
        """Run the hook; it must exit 0 and say nothing on stderr. Return what it printed."""

        def limited() -> None:
            for what, limit in (limits or {}).items():
                resource.setrlimit(what, (limit, limit))

        done = subprocess.run(
            [*program, *(arguments or ("--harness", "claude-code"))],
            input=payload,
            capture_output=True,
            cwd=self.work,
            env={**self.environment, **environment},
            preexec_fn=limited if limits else None,
            timeout=60,
        )
        assert done.returncode == 0
        assert not done.stderr, done.stderr.decode(errors="replace")
        return done.stdout

    def records(self, spools: Path | None = None) -> list[SpoolRecord]:
        """Return what lies in the spool, in order; and see that nothing is half written."""
        files = sorted((spools or self.data.spools).glob("*/new/*"))
        records = [parse(path.read_bytes(), path.name) for path in files]
        assert all(record.whole for record in records)
        return records
