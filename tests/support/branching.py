"""A git repository to try branches in."""

from __future__ import annotations

import subprocess
from pathlib import Path

_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_AUTHOR_NAME": "Mira",
    "GIT_AUTHOR_EMAIL": "mira@example.org",
    "GIT_COMMITTER_NAME": "Mira",
    "GIT_COMMITTER_EMAIL": "mira@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


class Repository:
    """A repository with one commit on `main`."""

    def __init__(self, folder: Path, branch: str = "main") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", branch)
        self.commit("begin", "a.py")

    @property
    def common(self) -> Path:
        return self.folder / ".git"

    def git(self, *words: str, at: str = "") -> str:
        dated = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env={**_ENVIRONMENT, "HOME": str(self.folder), **dated},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout.strip()

    def commit(self, what: str, *files: str, at: str = "") -> str:
        """Add a line to files and commit it; return the commit."""
        for name in files:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{what}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", what, at=at)
        return self.tip("HEAD")

    def tip(self, name: str) -> str:
        return self.git("rev-parse", name)

    def branch(self, name: str, *whats: str) -> str:
        """Make a branch with commits and go back; return its last commit."""
        before = self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.git("checkout", "-q", "-b", name)
        for what in whats:
            self.commit(what, "b.py", f"{what}.py")
        tip = self.tip("HEAD")
        self.git("checkout", "-q", before)
        return tip
