"""A bare repository and its worktrees are one project, whichever of them come and go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentx.project.claims import claim_data
from agentx.project.config import read_environment
from agentx.project.moves import find_original
from agentx.project.project import Project, open_project
from tests.support.repository import bare_remote, git


def look(folder: Path, root: Path) -> Project:
    return open_project(folder, read_environment({"HOME": str(root / "home"), "PATH": os.defpath}))


@pytest.mark.parametrize("is_claimed", [True, False])
def test_it_keeps_its_name_while_worktrees_come_and_go(tmp_path: Path, is_claimed: bool) -> None:
    bare = bare_remote(tmp_path / "shop.git")
    for name in ("main", "feat"):
        git(bare, "worktree", "add", "-q", "-b", f"on-{name}", str(tmp_path / name))
    first = look(tmp_path / "feat", tmp_path)
    assert (first.root, first.id) == (tmp_path / "main", look(bare, tmp_path).id)
    if is_claimed:
        claim_data(first, "tests")

    git(bare, "worktree", "remove", "--force", str(tmp_path / "main"))
    without = look(tmp_path / "feat", tmp_path)
    git(bare, "worktree", "add", "-q", str(tmp_path / "main"), "on-main")
    again = look(tmp_path / "main", tmp_path)

    assert (without.root, again.root) == (tmp_path / "feat", tmp_path / "feat")
    assert {first.id, without.id, again.id} == {first.id}
    assert find_original(again.root, again.trust) is None


def test_what_was_kept_in_the_bare_folder_stays_where_it_is(tmp_path: Path) -> None:
    bare = bare_remote(tmp_path / "shop.git")
    (bare / ".agentx").mkdir()
    before = look(bare, tmp_path)

    git(bare, "worktree", "add", "-q", "-b", "on-main", str(tmp_path / "main"))

    after = look(tmp_path / "main", tmp_path)
    assert (after.id, after.root) == (before.id, bare)


@pytest.mark.parametrize("name", [".bare", ".git"])
def test_the_folder_above_its_worktrees_leads_to_them(tmp_path: Path, name: str) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    bare = bare_remote(shop / name)
    if name != ".git":
        (shop / ".git").write_text(f"gitdir: ./{name}\n", encoding="utf-8")
    git(bare, "worktree", "add", "-q", "-b", "on-main", str(shop / "main"))

    assert {look(each, tmp_path).root for each in (shop, bare, shop / "main")} == {shop / "main"}
    (named,) = {look(each, tmp_path).id for each in (shop, bare, shop / "main")}
    assert named.startswith("shop-" if name == ".git" else "bare-")
