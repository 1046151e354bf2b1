"""A small real git repository for tests."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

_WHO = ("-c", "user.name=Mira", "-c", "user.email=mira@example.org")
UNTIDIED = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")  # each a process, or two
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", *UNTIDIED)
WAIT_S = 200


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

    def make(place: Path) -> None:
        place.mkdir()
        git(place, "init", "-q", "-b", "main")
        commit(place, "begin", **(files or {"readme": "hello\n"}))

    return _lay_copy(folder, repr(sorted(files.items())), make)


def bare_remote(folder: Path, **files: str) -> Path:
    """Make a bare repository that others are cloned from, with one commit."""

    def make(place: Path) -> None:
        seed = repository(place.with_name("seed"), **files)
        alone = ("-q", "--bare", "-c", "receive.autogc=false")
        git(place.parent, "clone", *alone, str(seed), place.name)

    return _lay_copy(folder, f"bare {sorted(files.items())}", make)


def _lay_copy(folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    """Lay a copy of a repository that is made once in this process, and known by a name."""
    kept = _copies()
    if name not in kept:
        place = Path(tempfile.mkdtemp(dir=_shelf().name)) / "repository"
        make(place)
        for sample in place.rglob("hooks/*.sample"):
            sample.unlink()
        kept[name] = place
    shutil.copytree(kept[name], folder, symlinks=True)
    return folder


@cache
def _copies() -> dict[str, Path]:
    return {}


@cache
def _shelf() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="agentx-repositories-")


def commit(folder: Path, saying: str, **files: str) -> None:
    """Write files and commit everything; `a_py` is written as `a.py`."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", saying)
