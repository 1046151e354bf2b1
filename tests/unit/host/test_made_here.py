"""What git holds of a folder: made here, or brought from elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.host.git.facts import commit as commit_of
from agentx.host.git.made_here import is_made_here
from agentx.host.git.own_branch import BranchStep, OwnBranch
from tests.support.repository import commit, git, repository

KEPT = ".agentx/questions/1/abc.jsonl"
GIFT = ".agentx/questions/1/evil.jsonl"


def write(folder: Path, name: str, *lines: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def is_ours(shop: Path) -> bool:
    head = commit_of(shop) or ""
    return is_made_here(shop, shop / ".git", ".agentx", ".agent-memory", head=head)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a repository with questions of one's own, and a stranger's clone with a gift."""
    place = tmp_path_factory.mktemp("house")
    shop = repository(place / "shop")
    write(shop, ".gitattributes", "*.jsonl merge=union")
    write(shop, KEPT, "one")
    commit(shop, "one")
    shutil.rmtree(shop / ".git" / "hooks")  # examples
    git(place, "clone", "-q", str(shop), str(place / "theirs"))
    theirs = place / "theirs"
    write(theirs, KEPT, "one", "a stranger's line")
    commit(theirs, "changed")
    write(theirs, GIFT, "gift")
    commit(theirs, "a gift")
    (place / "gift.patch").write_text(git(theirs, "format-patch", "--stdout", "HEAD~2") + "\n")
    git(shop, "remote", "add", "theirs", str(theirs))
    git(shop, "fetch", "-q", "theirs")
    git(shop, "checkout", "-q", "-b", "feature")
    write(shop, ".agentx/issues/7.json", "{", "seven", "}")
    write(shop, KEPT, "one", "feature")
    commit(shop, "feature")
    git(shop, "checkout", "-q", "main")
    write(shop, KEPT, "one", "two")
    commit(shop, "two")
    return place


@pytest.fixture
def shop(house: Path, tmp_path: Path) -> Path:
    """Give a copy of the repository, with git's log of what was done in it."""
    return shutil.copytree(house / "shop", tmp_path / "shop")


Story = Callable[[Path], object]


def staged_anew(shop: Path) -> None:
    write(shop, KEPT, "one", "two", "three")
    write(shop, ".agentx/issues/9.json", "{", "nine", "}")
    git(shop, "add", "--all")


def locked(shop: Path) -> None:
    staged_anew(shop)
    write(shop, ".git/index.lock")


def rebased(shop: Path) -> None:
    git(shop, "checkout", "-q", "--detach", "feature")
    git(shop, "rebase", "-q", "main")


def picked_by_hand(shop: Path) -> None:
    git(shop, "checkout", "-q", "--detach")
    write(shop, ".agentx/issues/7.json", "{", "another seven", "}")
    commit(shop, "another seven")
    git(shop, "cherry-pick", "feature", check=False)


def put_aside(shop: Path) -> None:
    write(shop, ".agentx/issues/5.json", "five")
    git(shop, "stash", "-q", "--include-untracked")
    git(shop, "stash", "pop", "-q", "--index")
    git(shop, "add", "--all")


def kept_beside(shop: Path) -> None:
    """Stage what AgentX keeps on a branch of its own, too."""
    staged_anew(shop)
    kept = {name: (shop / name).read_bytes() for name in (KEPT, ".agentx/issues/9.json")}
    step = BranchStep(saying="Keep it", at_s=1_700_000_000, files=kept)
    OwnBranch(shop, shop / ".git", "agent-memory").commit(step)


def detached(*words: str) -> Story:
    def do(shop: Path) -> None:
        git(shop, "checkout", "-q", "--detach")
        git(shop, *words, check=False)

    return do


OWN: dict[str, Story] = {
    "staged": staged_anew,
    "staged, and kept on a branch of ours": kept_beside,
    "taken out of git": lambda shop: git(shop, "rm", "-q", "--cached", KEPT),
    "a squash of one's own": detached("merge", "-q", "--squash", "feature"),
    "a merge of one's own": detached("merge", "-q", "--no-edit", "feature"),
    "a merge of one's own to be committed": detached("merge", "-q", "--no-commit", "feature"),
    "a revert": detached("revert", "--no-edit", "HEAD"),
    "a revert to be committed": detached("revert", "--no-commit", "HEAD"),
    "a pick of one's own": detached("cherry-pick", "feature"),
    "a pick with a conflict": picked_by_hand,
    "a rebase of one's own": rebased,
    "one's own file of another branch": detached("checkout", "feature", "--", ".agentx"),
    "a commit taken back": detached("reset", "-q", "--soft", "HEAD~1"),
    "put aside and back": put_aside,
    "an index that is locked": locked,
    "all before a first commit": lambda shop: git(shop, "checkout", "-q", "--orphan", "new"),
}


@pytest.mark.parametrize("story", OWN)
def test_what_was_made_here_is_ones_own_committed_or_staged(shop: Path, story: str) -> None:
    OWN[story](shop)
    assert is_ours(shop)


def gone_on(shop: Path) -> None:
    """Stage a stranger's file, with a line of one's own below it."""
    git(shop, "checkout", "-q", "theirs/main", "--", ".agentx")
    write(shop, GIFT, "gift", "mine")
    git(shop, "add", "--all")


def fetched_by_address(shop: Path) -> None:
    address = git(shop, "config", "remote.theirs.url")
    git(shop, "remote", "remove", "theirs")
    git(shop, "fetch", "-q", address, "main")
    git(shop, "read-tree", "FETCH_HEAD")


def taken_back(shop: Path) -> None:
    """Stage what a pull brought that was undone, and that nothing names any more."""
    pull = ("pull", "-q", "--no-rebase", "--no-edit")
    git(shop, *pull, git(shop, "config", "remote.theirs.url"), "main")
    git(shop, "remote", "remove", "theirs")
    git(shop, "reset", "-q", "--soft", "HEAD~1")
    (shop / ".git" / "FETCH_HEAD").unlink()


def applied(shop: Path) -> None:
    git(shop, "checkout", "-q", "--detach")
    patch = Path(git(shop, "config", "remote.theirs.url")).parent / "gift.patch"
    git(shop, "am", "-q", "-3", str(patch), check=False)


def borrowed(shop: Path) -> None:
    git(shop, "rm", "-q", "-r", ".agentx")
    address = git(shop, "config", "remote.theirs.url")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", address, ".agentx")


FOREIGN: dict[str, Story] = {
    "a merge": detached("merge", "-q", "--no-edit", "theirs/main"),
    "a merge to be committed": detached("merge", "-q", "--no-commit", "theirs/main"),
    "a squash to be committed": detached("merge", "-q", "--squash", "theirs/main"),
    "a pull": detached("pull", "-q", "--no-rebase", "--no-edit", "theirs", "main"),
    "a rebase": detached("rebase", "-q", "theirs/main"),
    "a pick": detached("cherry-pick", "theirs/main"),
    "a pick to be committed": detached("cherry-pick", "-n", "theirs/main"),
    "a pick that was merged": detached("cherry-pick", "-n", "theirs/main~1"),
    "a file": detached("checkout", "theirs/main", "--", ".agentx"),
    "a file, gone on with": gone_on,
    "a branch": lambda shop: git(shop, "checkout", "-q", "theirs/main"),
    "a branch begun anew": detached("checkout", "-q", "--orphan", "new", "theirs/main"),
    "a branch, uncommitted": detached("reset", "-q", "--soft", "theirs/main"),
    "what has no name here": fetched_by_address,
    "a pull taken back": taken_back,
    "patches": applied,
    "another repository": borrowed,
}


@pytest.mark.parametrize("story", FOREIGN)
def test_what_came_from_elsewhere_is_not_ones_own_staged_or_committed(
    shop: Path, story: str
) -> None:
    FOREIGN[story](shop)
    assert not is_ours(shop)
