"""A throw-away home with a project in it, driven through the real commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from agentx.demo import sample
from agentx.kernel.paths import DataPaths
from tests.support.kept import KeptFolder
from tests.support.repository import UNTIDIED
from tests.support.zygote import zygote

BIN = Path(sys.executable).parent
WAIT_S = 200  # on a machine ten times slower, too


class House:
    """One user with one project."""

    def __init__(self, root: Path, *, git: bool = True) -> None:
        self.root = root
        self.home = root / "home"
        self.project = root / "work" / "shop"
        self.home.mkdir(parents=True)
        self.project.mkdir(parents=True)
        self.data = DataPaths(self.home / ".local" / "share" / "agent-memory")
        if git:
            self.git("init", "-q", "-b", "main")
            self.git("commit", "-q", "--allow-empty", "-m", "begin")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of everything that runs here."""
        return {
            "HOME": str(self.home),
            "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "GIT_AUTHOR_NAME": "Mira",
            "GIT_AUTHOR_EMAIL": "mira@example.org",
            "GIT_COMMITTER_NAME": "Mira",
            "GIT_COMMITTER_EMAIL": "mira@example.org",
            "COLUMNS": "120",
            "AGENTX_SPARE_SPOOL": str(self.root / "spare"),
            "AGENTX_DAEMON_AUTO": "false",  # whoever wants one says so
            "AGENTX_STORAGE_WAIT_MS": "30000",  # a busy machine is no reason to read less
        }

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """Run git in the project."""
        done = subprocess.run(
            ["git", *UNTIDIED, *arguments],
            cwd=cwd or self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=WAIT_S,
        )
        return done.stdout.strip()

    def agentx(
        self,
        *arguments: str,
        cwd: Path | None = None,
        expect: int | None = 0,
        env: dict[str, str] | None = None,
        said: str = "",
        is_enough: Callable[[str], bool] = lambda _written: True,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a process of its own; `expect` is its exit code.

        What is said is on its stdin, which stays open until it has written enough.
        """
        done = zygote().run(
            list(arguments),
            cwd=cwd or self.project,
            env={**self.environment, **(env or {})},
            timeout_s=WAIT_S,
            said=said,
            is_enough=is_enough,
        )
        if expect is not None:
            assert done.returncode == expect, (
                f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
            )
        return done

    def script(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the installed command, from its first line on; it must end with 0."""
        return subprocess.run(
            [str(BIN / "agentx"), *arguments],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=WAIT_S,
        )

    def json(self, *arguments: str, expect: int | None = 0, cwd: Path | None = None) -> Any:
        """Run a command and read the JSON it writes."""
        return json.loads(self.agentx(*arguments, "--json", expect=expect, cwd=cwd).stdout)

    def hook(
        self,
        payload: dict[str, Any] | bytes,
        harness: str = "claude-code",
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Call the hook as an agent CLI would."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return subprocess.run(
            [str(BIN / "agentx-hook"), "--harness", harness],
            input=raw,
            cwd=cwd or self.project,
            env={**self.environment, **(env or {})},
            capture_output=True,
            check=False,
            timeout=WAIT_S,
        )

    def events(self, *arguments: str) -> list[dict[str, Any]]:
        """Return the log."""
        found: list[dict[str, Any]] = self.json("events", "--limit", "10000", *arguments)["events"]
        return found


class KeptHouse:
    """A house that is furnished once, and lent to each test as it was then, in the same place."""

    def __init__(self, root: Path, furnish: Callable[[House], object]) -> None:
        def make(place: Path) -> House:
            house = House(place / "house")
            furnish(house)
            return house

        self._kept = KeptFolder(root, make)
        self.house = self._kept.lend()

    def lend(self) -> Iterator[House]:
        """Lend the house; nothing may run in it when it comes back."""
        self.put_back()
        yield self.house
        leave_quiet(self.house)

    def put_back(self) -> None:
        """Put everything back as it was."""
        self._kept.put_back()


def import_sample(house: House) -> None:
    """Lay the transcripts of the sample where the agent CLIs would, and import them."""
    for path, text in sample.transcript_files(house.project):
        target = house.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    house.agentx("import")


def leave_quiet(house: House) -> None:
    """See to it that nothing runs in a house when a test is over."""
    if processes_of(house.home):
        house.agentx("daemon", "stop", expect=None)
        assert processes_of(house.home) == []


def prompt(
    text: str, *, session: str = "s-1", prompt_id: str = "", cwd: str = "/w"
) -> dict[str, Any]:
    """Return a prompt as Claude Code reports it."""
    return {
        "session_id": session,
        "transcript_path": "",
        "cwd": cwd,
        "prompt_id": prompt_id or f"p-{crc32(text.encode(errors='replace'))}",
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }


def processes_of(home: Path) -> list[int]:
    """Return the processes that still run with this home: there must be none after a test."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                environ = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"HOME={home}".encode() in environ.split(b"\0"):
                found.append(int(entry.name))
    return found
