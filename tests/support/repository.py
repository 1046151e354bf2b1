"""A small real git repository for tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

_WHO = ("-c", "user.name=Mira", "-c", "user.email=mira@example.org")
UNTIDIED = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")  # each a process, or two
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", *UNTIDIED)
WAIT_S = 60


def git(folder: Path, *words: str, check: bool = True) -> str:
    """Run git; return what it says."""
    done = subprocess.run(
        ["git", *_WHO, *_QUIET, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert not check or done.returncode == 0, f"git {' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def repository(folder: Path, **files: str) -> Path:
    """Make a repository with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "begin", **(files or {"readme": "hello\n"}))
    return folder


def commit(folder: Path, saying: str, **files: str) -> None:
    """Write files and commit everything; `a_py` is written as `a.py`."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", saying)
