"""Goal: settings of git that are kept are what git says, however they come about and change.

Method: real repositories, compared with git itself; what is asked of git is counted.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.host.git.command import GitReply, ask_git, read_git
from agentx.host.git.kept.settings import find_setting, has_promisor, list_remotes
from tests.support.repository import git, repository

Change = Callable[[Path, Path], object]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Path:
    return repository(tmp_path / "shop")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return which questions git is asked."""
    words: list[str] = []

    def note_ask(path: Path, *said: str) -> GitReply | None:
        words.append(said[0])
        return ask_git(path, *said)

    def note_read(path: Path, *said: str) -> GitReply:
        words.append(said[0])
        return read_git(path, *said)

    monkeypatch.setattr("agentx.host.git.kept.settings.ask_git", note_ask)
    monkeypatch.setattr("agentx.host.git.kept.settings.read_git", note_read)
    return words


def _say(root: Path, *words: str) -> str:
    """Return what git says, with the settings of the user alone."""
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, timeout=60)
    return done.stdout.removesuffix("\n")


def _agrees(root: Path) -> None:
    names = _say(root, "remote").splitlines()
    assert list(list_remotes(root)) == names
    for name in (*names, "none"):
        key = f"remote.{name}.url"
        assert find_setting(root, key) == _say(root, "config", "--get", key)
    assert find_setting(root, "user.name") == _say(root, "config", "--get", "user.name")
    said = _say(root, "config", "--get-regexp", r"^remote\..*\.promisor$")
    assert has_promisor(root) == bool(said)


def _write(path: Path, text: str) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_text(text)


CHANGES: dict[str, Change] = {
    "a remote": lambda root, _: git(root, "remote", "add", "origin", "/x y"),
    "several, with dots": lambda root, _: [
        git(root, "remote", "add", name, f"/{name}") for name in ("up.stream", "b", "A")
    ],
    "two addresses": lambda root, _: [
        git(root, "config", "--add", "remote.origin.url", url) for url in ("/1", "/2")
    ],
    "what was left out": lambda root, _: git(root, "config", "remote.origin.promisor", "true"),
    "a name": lambda root, _: git(root, "config", "user.name", "Mira Ö\nK"),
    "a name of the user's": lambda _, home: _write(home / ".gitconfig", "[user]\nname = Ana\n"),
    "the user's other file": lambda _, home: _write(
        home / ".config" / "git" / "config", "[user]\nname = Ana\n[remote]\npushDefault = x\n"
    ),
    "a remote of the user's": lambda _, home: _write(
        home / ".gitconfig", '[remote "origin"]\nprune = true\n'
    ),
    "a file that is included": lambda _, home: (
        _write(home / "more", "[user]\nname = Bo\n"),
        _write(home / ".gitconfig", "[include]\npath = more\n"),
    ),
    "a remote as git once kept it": lambda root, _: _write(
        root / ".git" / "remotes" / "old", "URL: /old\n"
    ),
    "settings that git cannot read": lambda root, _: _write(root / ".git" / "config", "[core\n"),
    "no value": lambda root, _: _write(
        root / ".git" / "config", '[core]\nbare = false\n[user]\nname\n[remote "r"]\nurl\n'
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_kept_is_what_git_says_before_and_after_a_change(
    root: Path, home: Path, change: Change
) -> None:
    _agrees(root)

    change(root, home)
    _agrees(root)

    (root / ".git" / "config").write_text('[remote "last"]\nurl = /last\n')
    (home / ".gitconfig").unlink(missing_ok=True)
    _agrees(root)


def test_git_is_asked_once_until_something_changes(root: Path, asked: list[str]) -> None:
    git(root, "remote", "add", "origin", "/x")

    for _ in range(3):
        assert list_remotes(root) == ("origin",)
        assert find_setting(root, "remote.origin.url") == "/x"
    assert asked == ["config"]

    git(root, "config", "user.name", "Mira")
    assert find_setting(root, "user.name") == "Mira"
    assert asked == ["config", "config"]


def test_where_other_files_count_too_git_is_asked_each_time(
    root: Path, home: Path, asked: list[str]
) -> None:
    included = home / "more"
    _write(home / ".gitconfig", f"[include]\npath = {included}\n")
    for name in ("Ana", "Bob"):
        included.write_text(f"[user]\nname = {name}\n")
        assert find_setting(root, "user.name") == name

    git(root, "worktree", "add", "-q", str(root / "tree"))
    asked.clear()
    for _ in range(2):
        assert list_remotes(root / "tree") == ()
    assert asked == ["remote", "remote"]
