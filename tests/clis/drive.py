"""Runs the real agent CLIs headless, each in a throw-away home, against a scripted model.

A place is a home with its XDG folders, a temporary folder and a git repository. A CLI
sees nothing else of the machine: its environment is empty but for what is listed here.
The place's temporary folder lies beside the home, because Codex distrusts a home that
lies inside it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clis.scripted_model import ScriptedModel

RUN_SECONDS_MAX = 120

Call = tuple[Sequence[str], Mapping[str, str]]

CLIS = Path(os.environ.get("AGENTX_CLIS") or Path.home() / ".cache" / "agentx-clis")
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini": "gemini", "opencode": "opencode"}


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a command."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Place:
    """A home and a repository that nobody else has."""

    root: Path
    has_daemon: bool = False  # hooks send for one

    @property
    def home(self) -> Path:
        """The home folder."""
        return self.root / "home"

    @property
    def repo(self) -> Path:
        """The git repository that the agents work in."""
        return self.root / "proj"

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Everything that a command in this place knows of the machine."""
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "AGENTX_SPARE_SPOOL": str(self.root / "spare"),
            "AGENTX_STORAGE_WAIT_MS": "30000",  # all of it, on any machine
            "AGENTX_DAEMON_AUTO": str(self.has_daemon).lower(),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "NO_PROXY": "127.0.0.1,localhost",
            **(extra or {}),
        }

    def run(self, arguments: Sequence[str], extra: Mapping[str, str] | None = None) -> Ran:
        """Run a command in the repository until it ends; it and its children never outlive this."""
        process = subprocess.Popen(
            arguments,
            cwd=self.repo,
            env=self.environment(extra),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=RUN_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(
                f"{arguments[0]} did not end: {out[-2000:]} {err[-2000:]}"
            ) from None
        return Ran(process.returncode, out, err)


def place(root: Path, *, has_daemon: bool = False) -> Place:
    """Make a new home and a repository with one commit."""
    # Codex gives a command that it runs a /dev of its own: nothing that lies there is seen.
    assert not root.is_relative_to("/dev"), f"set TMPDIR to a folder outside /dev, not {root}"
    made = Place(root, has_daemon)
    for folder in (made.home, made.repo, root / "tmp"):
        folder.mkdir(parents=True)
    name = ("-c", "user.name=Dev", "-c", "user.email=dev@example.com")
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        (*name, "commit", "--quiet", "--allow-empty", "--message=start"),
    ):
        ran = made.run(("git", *arguments))
        assert ran.code == 0, ran.err
    return made


def program(harness: str) -> str | None:
    """Return the path of a CLI's program, or None when it is not installed."""
    return shutil.which(PROGRAMS[harness], path=str(CLIS / "bin"))


def ask(
    harness: str,
    where: Place,
    model: ScriptedModel,
    prompt: str,
    *,
    go_on: bool = False,
    more: Sequence[str] = (),
) -> Ran:
    """Let a CLI answer one prompt, in a new session or in the one before it."""
    found = program(harness)
    assert found is not None, f"{harness} is not installed: run scripts/install-clis"
    arguments, extra = _PREPARE[harness](where, model, prompt, go_on)
    ran = where.run((found, *arguments, *more), extra)
    assert ran.code == 0, f"{harness} ended with {ran.code}: {ran.out[-2000:]} {ran.err[-2000:]}"
    return ran


def _claude_code(where: Place, model: ScriptedModel, prompt: str, go_on: bool) -> Call:
    allowed = ("--allowedTools", "Bash,mcp__agentx")
    arguments = ["-p", prompt, "--permission-mode", "acceptEdits", *allowed]
    return [*arguments, "--continue"] if go_on else arguments, {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "dummy",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }


def _codex(where: Place, model: ScriptedModel, prompt: str, go_on: bool) -> Call:
    settings = {
        "model": "scripted",
        "model_provider": "local",
        "approval_policy": "never",
        "sandbox_mode": "danger-full-access",
        "model_providers.local.name": "local",
        "model_providers.local.base_url": f"{model.url}/v1",
        "model_providers.local.wire_api": "responses",
        "model_providers.local.env_key": "LOCAL_KEY",
    }
    (where.home / ".codex").mkdir(exist_ok=True)
    arguments = ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"]
    for name, value in settings.items():
        arguments += ["-c", f'{name}="{value}"']
    if go_on:
        arguments += ["resume", "--last"]
    return [*arguments, prompt], {
        "LOCAL_KEY": "dummy",
        "CODEX_HOME": str(where.home / ".codex"),
    }


def _gemini(where: Place, model: ScriptedModel, prompt: str, go_on: bool) -> Call:
    merge(
        where.home / ".gemini" / "settings.json",
        {"security": {"auth": {"selectedType": "gemini-api-key"}}},
    )
    # Without a model it first asks a router, and stalls.
    arguments = ["-m", "gemini-2.5-flash", "-p", prompt, "--yolo", "--skip-trust"]
    return [*arguments, "--resume", "latest"] if go_on else arguments, {
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_API_KEY": "dummy",
    }


def _opencode(where: Place, model: ScriptedModel, prompt: str, go_on: bool) -> Call:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "local",
        "options": {"baseURL": f"{model.url}/v1", "apiKey": "dummy"},
        "models": {"scripted": {"name": "scripted"}},
    }
    # With any plugin at all, OpenCode waits until it has fetched a package that ours does not
    # use, for 70 seconds where there is no network. This is what it leaves when it has it.
    fetched = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    folder = where.home / ".config" / "opencode"
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    merge(folder / "package-lock.json", fetched)
    merge(
        where.repo / "opencode.json",
        {
            "provider": {"local": provider},
            "model": "local/scripted",
            "small_model": "local/scripted",
            "autoupdate": False,
            "share": "disabled",
        },
    )
    arguments = ["run", "--continue", prompt] if go_on else ["run", prompt]
    return arguments, {"OPENCODE_DISABLE_MODELS_FETCH": "1"}


_PREPARE: dict[str, Callable[[Place, ScriptedModel, str, bool], Call]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
}


def merge(path: Path, settings: dict[str, Any]) -> None:
    """Add top-level settings to a JSON file, beside what is in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    there = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps(there | settings, indent=2), "utf-8")
