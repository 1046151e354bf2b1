"""Goal: what lies in a folder is written whole, also what changed within a second."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentx.host.git.mending.snapshot import take_snapshot, write_files

LONG_AGO_S = 1_700_000_000


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


def _write_then(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, (LONG_AGO_S, LONG_AGO_S))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository whose index was written in the second of the file that it notes."""
    root = tmp_path.resolve()
    _git(root, "init", "-q", "-b", "main")
    _git(root, "config", "core.trustctime", "false")  # that time nobody can set
    _write_then(root / "b.py", "b = 1\n")
    _git(root, "add", "b.py")
    _git(root, "commit", "-q", "-m", "first")
    os.utime(root / ".git" / "index", (LONG_AGO_S, LONG_AGO_S))
    return root


def test_a_change_in_the_second_in_which_git_noted_the_file_is_seen(root: Path) -> None:
    _write_then(root / "b.py", "b = 2\n")  # as long as before

    assert _git(root, "show", f"{write_files(root)}:b.py") == "b = 2"
    assert _git(root, "show", f"{take_snapshot(root).commit}:b.py") == "b = 2"
