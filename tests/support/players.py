"""Who calls a command in this process: a person's script, somebody with a role, or an agent CLI."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path

import pytest

from agentx.host.ancestry import Ancestor
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.project.roles import caller
from agentx.surfaces.cli.root import run as run_agentx


class Player:
    """Runs commands in a project of its own, as whoever it plays."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.folder = root / "shop"
        (self.folder / ".agentx").mkdir(parents=True)
        self.known = {
            "HOME": str(root / "home"),
            "PATH": "/usr/bin:/bin",
            "AGENTX_SPARE_SPOOL": str(root / "spare"),  # and not what lies in this machine's
        }
        self.known["AGENTX_DAEMON_AUTO"] = "false"
        self.project = open_project(self.folder, read_environment(self.known))

    def play(self, role: str = "", *, below: str | None = None) -> None:
        """Be who calls: with a role, or below an agent CLI that was told one, or none."""
        told = {"AGENTX_AGENT": below} if below else {}
        above = Ancestor(name="claude", arguments=("claude",), variables=told)
        self.patch.setattr(caller, "list_ancestors", lambda: iter([] if below is None else [above]))
        for name in os.environ.keys() - {"PATH"}:
            self.patch.delenv(name)
        for name, value in {**self.known, **({"AGENTX_AGENT": role} if role else {})}.items():
            self.patch.setenv(name, value)

    def agentx(self, *words: str, piped: str = "") -> tuple[int, str]:
        """Run a command; return what it left with, and all that it said."""
        out = io.StringIO()
        self.patch.chdir(self.folder)
        self.patch.setattr(sys, "stdin", io.StringIO(piped))
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
            pytest.raises(SystemExit) as left,
        ):
            run_agentx(list(words))
        return int(left.value.code or 0), out.getvalue()
