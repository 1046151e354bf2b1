"""The demo's throw-away home: a user, a repository, and the real commands run in it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.demo import sample
from agentx.demo.sample.likeness import Payload
from agentx.demo.sample.timeline import SampleSession
from agentx.operations.setup.installation import hook_program
from agentx.project.config import read_environment

_WAIT_S = 120


class DemoStage:
    """One home with one project in it."""

    def __init__(self, folder: Path, python: str) -> None:
        self.home = folder / "home"
        self.project = folder / "tidebook"
        self._python = python

    @property
    def environment(self) -> dict[str, str]:
        kept = read_environment().variables
        outside = {name: kept[name] for name in ("PATH", "LANG", "TERM", "COLUMNS") if name in kept}
        spare = str(self.home / "spare")  # nothing of the demo may be left outside its folder
        return {
            **outside,
            "HOME": str(self.home),
            "AGENTX_SPARE_SPOOL": spare,
            "AGENTX_STORAGE_WAIT_MS": "30000",  # all of it, on any machine
            "AGENTX_DAEMON_AUTO": "false",  # and no process either
            "TZ": "UTC",
        }

    @property
    def environment_line(self) -> str:
        """What a person types before a command to be in this home."""
        return f"cd {self.project} && HOME={self.home}"

    def set_up(self, past: Iterable[SampleSession]) -> None:
        """Make the home, the repository and the history of some sessions."""
        self.home.mkdir(parents=True)
        self.project.mkdir()
        for folder in (".claude", ".codex", ".gemini"):
            (self.home / folder).mkdir()
        subprocess.run(
            ["git", "init", "-q", "-b", "main", str(self.project)],
            env=self.environment,
            check=False,
            timeout=_WAIT_S,
        )
        self.leave_transcripts(past)

    def leave_transcripts(self, chosen: Iterable[SampleSession]) -> None:
        """Write what the agent CLIs would have left on disk."""
        for path, text in sample.transcript_files(self.project, tuple(chosen)):
            target = self.home / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def calls(self, live: Iterable[SampleSession]) -> Iterator[tuple[SampleSession, int, Payload]]:
        """Yield every hook call of some sessions."""
        for session in live:
            for at_ms, payload in sample.hook_calls(session, self.project, home=self.home):
                yield session, at_ms, payload

    def hook(self, session: SampleSession, at_ms: int, payload: Payload) -> None:
        """Call the real hook, at the time it happened."""
        subprocess.run(
            [self._python, "-I", "-S", str(hook_program()), "--harness", session.harness],
            input=json.dumps(payload).encode(),
            cwd=self.project,
            env={
                **self.environment,
                "AGENTX_REPLAY_MS": str(at_ms),
                "AGENTX_AGENT": session.role,
            },
            stdout=subprocess.DEVNULL,  # what it tells is for the agent
            check=False,
            timeout=_WAIT_S,
        )

    def run(self, *arguments: str, quiet: bool = False) -> None:
        """Run a command of AgentX in this home."""
        subprocess.run(
            [self._python, "-m", "agentx.surfaces.cli.main", *arguments],
            cwd=self.project if self.project.exists() else None,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if quiet else None,
            stderr=subprocess.DEVNULL if quiet else None,
            check=False,
            timeout=_WAIT_S,
        )

    def view(self) -> None:
        """Show the page on this home until somebody ends it."""
        kept = read_environment().variables
        shown = {
            name: kept[name] for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER") if name in kept
        }
        with suppress(KeyboardInterrupt):
            subprocess.run(
                [self._python, "-P", "-m", "agentx.surfaces.page", str(self.project)],
                cwd=self.project,
                env={**self.environment, **shown},
                check=False,
            )

    def first_grip(self, node_id: str) -> str:
        """Return the evidence of the first line of a node."""
        node = json.loads(self._make_digest_input("toc", node_id, "--depth", "0", "--json"))
        return str(node["bullets"][0]["grip_ids"][0])

    def anywhere(self, text: str) -> bool:
        """Tell whether a text is in any file AgentX wrote, or in any event."""
        data = self.home / ".local" / "share" / "agent-memory"
        needle = text.encode()
        if any(needle in path.read_bytes() for path in data.rglob("*") if path.is_file()):
            return True
        told = self._make_digest_input("events", "--json", "--limit", "10000")
        return needle in told or json.dumps(text)[1:-1].encode() in told

    def _make_digest_input(self, *arguments: str) -> bytes:
        return subprocess.run(
            [self._python, "-m", "agentx.surfaces.cli.main", *arguments],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            check=False,
            timeout=_WAIT_S,
        ).stdout
