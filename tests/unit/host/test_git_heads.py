"""Goal: what is read from git's own files is what git says, and of all else git is asked.

Method: repositories in every shape, real git beside what we read.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from agentx.host.git import command
from agentx.host.git.work import commit_of, git_files, is_shallow_clone
from agentx.kernel.errors import UnavailableError

NAMES = ("index", "index.lock", "locked", "logs/HEAD", "MERGE_HEAD", "rebase-apply/applying")
SHARED = ("shallow", "worktrees")


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout.strip() if done.returncode == 0 else ""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    _git(root, "commit", "-q", "--allow-empty", "-m", "first")
    _git(root, "branch", "agent/one")
    return root


def _keep(root: Path) -> Path:
    return root


def _pack(root: Path) -> Path:
    _git(root, "pack-refs", "--all")
    _git(root, "repack", "-ad")
    return root


def _pack_and_go_on(root: Path) -> Path:
    _pack(root)
    _git(root, "commit", "-q", "--allow-empty", "-m", "second")
    return root


def _detach(root: Path) -> Path:
    _git(root, "checkout", "-q", "--detach")
    return root


def _stand_below(root: Path) -> Path:
    (root / "below").mkdir()
    return root / "below"


def _link(root: Path) -> Path:
    _git(root, "worktree", "add", "-q", str(root.parent / "linked"), "agent/one")
    return root.parent / "linked"


def _lead_elsewhere(root: Path) -> Path:
    (root / ".git/refs/heads/agent/one").write_text("ref: refs/heads/main\n")
    return root


def _lose_commit(root: Path) -> Path:
    lost = "1" * 40
    (root / ".git/refs/heads/agent/one").write_text(f"{lost}\n")
    return root


def _begin_anew(root: Path) -> Path:
    _git(root, "checkout", "-q", "--orphan", "new")
    return root


def _use_longer_names(root: Path) -> Path:
    other = root.parent / "longer"
    other.mkdir()
    _git(other, "init", "-q", "-b", "main", "--object-format=sha256")
    _git(other, "commit", "-q", "--allow-empty", "-m", "first")
    return other


def _hold_no_repository(root: Path) -> Path:
    """A `.git` that git does not take for one: it looks further up."""
    (root / "in/.git").mkdir(parents=True)
    (root / "in/.git/HEAD").write_text("ref: refs/heads/agent/one\n")
    return root / "in"


def _hold_no_branches(root: Path) -> Path:
    """A `.git` without a place for branches: git looks further up."""
    (root / "in/.git/objects").mkdir(parents=True)
    (root / "in/.git/HEAD").write_text("ref: refs/heads/main\n")
    return root / "in"


def _empty_head(root: Path) -> Path:
    (root / "in/.git/objects").mkdir(parents=True)
    (root / "in/.git/refs").mkdir()
    (root / "in/.git/HEAD").write_text("")
    return root / "in"


def _spoil(root: Path, spoil: Callable[[bytes], bytes]) -> Path:
    tip = _git(root, "rev-parse", "main")
    path = root / ".git/objects" / tip[:2] / tip[2:]
    path.chmod(0o644)
    path.write_bytes(spoil(path.read_bytes()))
    return root


def _lose_power(root: Path) -> Path:
    """What a crash leaves of a commit that was just made: a file with nothing in it."""
    return _spoil(root, lambda _data: b"")


def _lose_half(root: Path) -> Path:
    return _spoil(root, lambda data: data[: len(data) // 2])


def _name_a_tag(root: Path) -> Path:
    _git(root, "tag", "-a", "-m", "x", "v1")
    (root / ".git/refs/heads/agent/one").write_text(f"{_git(root, 'rev-parse', 'v1')}\n")
    return root


@pytest.mark.parametrize(
    "shape",
    [
        _hold_no_branches,
        _empty_head,
        _lose_power,
        _lose_half,
        _name_a_tag,
        _keep,
        _pack,
        _pack_and_go_on,
        _detach,
        _stand_below,
        _link,
        _lead_elsewhere,
        _lose_commit,
        _begin_anew,
        _use_longer_names,
        _hold_no_repository,
    ],
)
def test_what_is_read_is_what_git_says(root: Path, shape: Callable[[Path], Path]) -> None:
    folder = shape(root)

    for name in (
        *("HEAD", "refs/heads/main", "refs/heads/agent/one", "refs/heads/none", "main"),
        *("refs/heads/../heads/main", "refs/heads/main~1", "refs/heads/", "refs/heads/agent"),
    ):
        said = _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        assert commit_of(folder, name) == said, name
    names = (*NAMES, *SHARED)
    told = [folder / _git(folder, "rev-parse", "--git-path", name) for name in names]
    assert [each.resolve() for each in git_files(folder, names)] == [x.resolve() for x in told]


@pytest.mark.parametrize(
    "name", ["main.lock", ".hid/x", "in.lock/x", "a b", "dot.", "a\u00e9", "-x", "a.b", "x+y_1"]
)
def test_a_file_is_a_branch_only_where_git_takes_it_for_one(root: Path, name: str) -> None:
    tip, path = _git(root, "rev-parse", "HEAD"), root / ".git/refs/heads" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{tip}\n")

    said = _git(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}^{{commit}}")
    assert commit_of(root, f"refs/heads/{name}") == said


@pytest.fixture
def asked() -> Iterator[list[tuple[str, ...]]]:
    calls: list[tuple[str, ...]] = []
    run = command._run

    def note(path: Path, settings: object, words: tuple[str, ...], *rest: object, **more: object):  # type: ignore[no-untyped-def]
        calls.append(words)
        return run(path, settings, words, *rest, **more)  # type: ignore[arg-type]

    with patch.object(command, "_run", note):
        yield calls


@pytest.mark.parametrize("shape", [_keep, _link])
def test_an_ordinary_checkout_is_read_without_git(
    root: Path, shape: Callable[[Path], Path], asked: list[tuple[str, ...]]
) -> None:
    folder = shape(root)

    assert commit_of(folder, "HEAD") == commit_of(folder, "refs/heads/main") != ""
    assert git_files(folder, NAMES)
    assert not is_shallow_clone(folder)
    assert asked == []


def test_outside_of_git_git_is_asked_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="not a git repository"):
        git_files(tmp_path, NAMES)
