"""Goal: what is found without git is what git says; whatever is not plain is left to git.

Method: real repositories, changed in ways that move them or that git refuses.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.host.git.plain import Plain, find_plain


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def common(folder: Path) -> Path | None:
    said = run(folder, "rev-parse", "--git-common-dir")
    return (folder / said).resolve() if said else None


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "project"
    (root / "a" / "b").mkdir(parents=True)
    run(root, "init", "-q", "-b", "main")
    run(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


def test_a_plain_repository_is_found_from_every_folder_of_it(
    repository: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(repository / "a")

    places = (repository, repository / "a" / "b", link / "b")

    assert [find_plain(place) for place in places] == [Plain(repository / ".git")] * 3
    assert [common(place) for place in places] == [repository / ".git"] * 3


def test_a_detached_head_is_a_head(repository: Path) -> None:
    run(repository, "checkout", "-q", "--detach")

    assert find_plain(repository) == Plain(repository / ".git")
    assert common(repository) == repository / ".git"


def move_files(root: Path) -> None:
    run(root, "config", "core.worktree", "../elsewhere")


def make_bare(root: Path) -> None:
    run(root, "config", "core.bare", "true")


def include(root: Path) -> None:
    run(root, "config", "include.path", "/nowhere")


def extend(root: Path) -> None:
    (root / ".git/config").write_text("[core]\nrepositoryformatversion = 1\n[extensions]\nx = y\n")


def grow(root: Path) -> None:
    with (root / ".git/config").open("a") as file:
        file.write("# x\n" * 20_000)


def spoil_head(root: Path) -> None:
    (root / ".git/HEAD").write_text("nothing\n")


def link_head(root: Path) -> None:
    (root / ".git/HEAD").rename(root / "head")
    (root / ".git/HEAD").symlink_to(root / "head")


def pipe_head(root: Path) -> None:
    (root / ".git/HEAD").unlink()
    os.mkfifo(root / ".git/HEAD")


def remove_objects(root: Path) -> None:
    (root / ".git/objects").rename(root / "objects")


def link_folder(root: Path) -> None:
    (root / ".git").rename(root.parent / "apart.git")
    (root / ".git").symlink_to(root.parent / "apart.git")


def point_elsewhere(root: Path) -> None:
    (root / ".git").rename(root.parent / "apart.git")
    (root / ".git").write_text("gitdir: ../apart.git\n")


def share(root: Path) -> None:
    (root / ".git/commondir").write_text("../../elsewhere\n")


def give_away(root: Path) -> None:
    os.chown(root / ".git", 4711, 4711)


@pytest.mark.parametrize(
    "change",
    [
        move_files,
        make_bare,
        include,
        extend,
        grow,
        spoil_head,
        link_head,
        pipe_head,
        remove_objects,
        link_folder,
        point_elsewhere,
        share,
        pytest.param(give_away, marks=pytest.mark.skipif(os.getuid() != 0, reason="only root may")),
    ],
)
def test_what_is_not_plain_is_left_to_git(repository: Path, change: Callable[[Path], None]) -> None:
    change(repository)

    assert find_plain(repository / "a") is None


def test_worktrees_submodules_and_bare_ones_are_left_to_git(
    repository: Path, tmp_path: Path
) -> None:
    tree, bare = tmp_path / "tree", tmp_path / "bare.git"
    run(repository, "worktree", "add", "-q", "-b", "side", str(tree))
    run(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    places = (tree, bare, bare / "refs", repository / ".git", repository / ".git/objects")

    assert [find_plain(place) for place in places] == [None] * 5
    assert None not in [common(place) for place in places]


def test_a_folder_without_a_repository_is_known_to_have_none(tmp_path: Path) -> None:
    assert find_plain(tmp_path) == Plain(None)
    assert common(tmp_path) is None


def test_a_folder_that_is_gone_is_no_answer(tmp_path: Path) -> None:
    assert find_plain(tmp_path / "gone") is None
