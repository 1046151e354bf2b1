"""Clones of one bare remote with real git, each of another person with a home of their own."""

from __future__ import annotations

from pathlib import Path

from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from tests.support.repository import bare_remote, git
from tests.support.trusting import trusted


class Clones:
    """Clones of one bare remote, each of another person."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remote = bare_remote(folder / "remote.git", a_py="a = 1\n")

    def clone(
        self, name: str, *, depth: int = 0, has_contents: bool = True, **more: str
    ) -> Project:
        cut = ("--depth", str(depth), "--no-single-branch") if depth else ()
        if not has_contents:
            git(self.remote, "config", "uploadpack.allowFilter", "true")
            cut = (*cut, "--filter=blob:none")
        git(
            self.folder,
            "clone",
            "-q",
            *cut,
            self.remote.as_uri() if cut else str(self.remote),
            name,
        )
        known = {
            "HOME": str(self.folder / f"home-{name}"),
            "PATH": "/usr/bin:/bin",
            "AGENTX_SPARE_SPOOL": str(self.folder / f"spare-{name}"),
            **more,
        }
        return trusted(open_project(self.folder / name, read_environment(known)))

    def let_overtake(self, branch: str, commit: str) -> None:
        """Let the next push meet a branch that moved after the remote had told where it is."""
        moves = f"env -u GIT_QUARANTINE_PATH git update-ref refs/heads/{branch} {commit}"
        self.set_hook(f'{moves}\nrm "$0"')

    def set_hook(self, does: str) -> None:
        """Let the remote do something before it takes a push."""
        hook = self.remote / "hooks" / "pre-receive"
        hook.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        hook.chmod(0o755)
