"""Goal: git is asked without ever getting in the way. Method: real repositories, hostile names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentx.host.git import facts as git
from agentx.host.git.heads import has_branches

NAMES = [
    "plain",
    "two words",
    "-rf",
    "$(touch x);'\"",
    "\u4e2d\u6587 \U0001f600",
    "line\nbreak",
    ".hid",
]


def _git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=60,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    return root


def _commit(root: Path) -> None:
    _git(root, "commit", "-q", "--allow-empty", "-m", "first")


def test_every_subfolder_and_worktree_gives_the_same_root(repository: Path, tmp_path: Path) -> None:
    _commit(repository)
    (repository / "a" / "b").mkdir(parents=True)
    tree = tmp_path / "tree"
    _git(repository, "worktree", "add", "-q", "-b", "side", str(tree))
    (tree / "sub").mkdir()
    link = tmp_path / "link"
    link.symlink_to(repository)

    places = [repository, repository / "a" / "b", tree, tree / "sub", link, repository / ".git"]

    assert [git.repository(place) for place in places] == [repository] * 6


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_a_folder_is_just_a_name(tmp_path: Path, name: str) -> None:
    root = tmp_path.resolve() / name
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")

    assert git.repository(root) == root
    assert sorted(file.name for file in tmp_path.iterdir()) == [name]


def test_a_submodule_is_its_own_repository(repository: Path, tmp_path: Path) -> None:
    _commit(repository)
    other = tmp_path.resolve() / "other"
    other.mkdir()
    _git(other, "init", "-q", "-b", "main")
    _commit(other)
    _git(
        repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
        str(other), "sub",
    )  # fmt: skip

    assert git.repository(repository / "sub") == repository / "sub"


def test_bare_and_separated_repositories_have_a_root(tmp_path: Path) -> None:
    bare = tmp_path.resolve() / "bare.git"
    bare.mkdir()
    _git(bare, "init", "-q", "--bare")
    apart = tmp_path.resolve() / "apart"
    apart.mkdir()
    _git(apart, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"))

    assert git.repository(bare) == bare
    assert git.repository(apart) == apart


def test_worktrees_of_a_bare_repository_share_the_oldest_of_them(
    repository: Path, tmp_path: Path
) -> None:
    _commit(repository)
    bare, claimed = tmp_path.resolve() / "shop.bare", tmp_path.resolve() / "claimed"
    _git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    places = [tmp_path.resolve() / name for name in ("b", "a", "c")]
    for place in places:
        _git(bare, "worktree", "add", "-q", "-b", place.name, str(place))
    claim = bare / "worktrees" / "0"
    claim.mkdir()
    (claim / "gitdir").write_text(f"{claimed}/.git\n", encoding="utf-8")
    (claim / "commondir").write_text("../..\n", encoding="utf-8")
    os.utime(claim / "commondir", (0, 0))
    _git(tmp_path, "clone", "-q", str(repository), str(claimed))

    assert [git.repository(each) for each in (*places, bare)] == [places[0]] * 4
    _git(bare, "worktree", "remove", str(places[0]))
    assert git.repository(places[2]) == places[1]
    shutil.rmtree(places[1])  # it is not there, whatever git still lists
    assert git.repository(places[2]) == places[2]


def test_what_is_no_repository_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    for place in (tmp_path, tmp_path / "missing", tmp_path / "file", Path("nul\0byte")):
        assert git.repository(place) is None
        assert git.branch(place) is None
        assert git.commit(place) is None
        assert git.remote_url(place) is None


def test_a_damaged_repository_is_none(repository: Path) -> None:
    (repository / ".git" / "HEAD").write_bytes(b"\xff\xff")

    assert git.repository(repository) is None


def test_a_machine_without_git_knows_the_folder_and_no_more(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert git.repository(repository) == repository
    assert git.branch(repository) == ""
    assert git.commit(repository) is None


def test_a_git_that_hangs_is_waited_for_no_longer(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 300\n", encoding="ascii")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "GIT_WAIT_MS", 100)

    assert git.commit(repository) is None
    assert git.remote_url(repository) is None


def test_the_environment_of_a_hook_does_not_lead_astray(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    _git(other, "init", "-q", "-b", "wrong")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))

    assert git.repository(repository) == repository
    assert git.branch(repository) == "main"


def test_the_branch_is_told_before_the_first_commit_and_is_empty_when_detached(
    repository: Path,
) -> None:
    assert git.branch(repository) == "main"
    assert git.commit(repository) is None

    _commit(repository)
    _git(repository, "checkout", "-q", "-b", "feat/\u00fc-\U0001f600")
    assert git.branch(repository) == "feat/\u00fc-\U0001f600"

    _git(repository, "checkout", "-q", "--detach")
    assert git.branch(repository) == ""
    assert len(git.commit(repository) or "") == 40


def test_the_remote_is_told_without_its_credentials(repository: Path) -> None:
    assert git.remote_url(repository) is None

    _git(repository, "remote", "add", "upstream", "git@example.org:team/x.git")
    assert git.remote_url(repository) == "git@example.org:team/x.git"

    _git(repository, "remote", "add", "origin", "https://me:token@example.org/team/x.git")
    assert git.remote_url(repository) == "https://example.org/team/x.git"


def test_a_repository_has_branches_once_something_is_committed_or_fetched(tmp_path: Path) -> None:
    common = tmp_path / ".git"
    assert not has_branches(common)
    (common / "refs" / "heads").mkdir(parents=True)
    assert not has_branches(common)

    (common / "refs" / "remotes" / "origin").mkdir(parents=True)
    assert has_branches(common)
    (common / "refs" / "remotes" / "origin").rmdir()
    (common / "packed-refs").touch()
    assert has_branches(common)
