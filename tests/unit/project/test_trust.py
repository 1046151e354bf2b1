"""The marker, the record in the user's folder, and what AgentX may trust by itself."""

from __future__ import annotations

import json
import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentx.host.system import system_entropy
from agentx.kernel.paths import ProjectPaths
from agentx.project.claims import (
    claim_data,
    claim_private,
    may_write_acting,
    note_place,
    trust_written,
)
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.settlement import is_settled
from agentx.project.trust.holdings import list_holdings
from agentx.project.trust.marker import make_marker, read_marker
from agentx.project.trust.trust import ActingState
from tests.support.repository import commit, git, repository


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def opened(folder: Path, home: Path) -> Project:
    return open_project(folder, read_environment({"HOME": str(home), "PATH": os.environ["PATH"]}))


def shipped(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_repository_that_nobody_spoke_of_is_a_strangers(tmp_path: Path, home: Path) -> None:
    project = opened(repository(tmp_path / "shop"), home)

    assert project.trust.record() is None
    assert project.trust.is_bare
    assert not project.trust.has_private
    assert not project.trust.has_data


def test_worktrees_and_subfolders_share_the_marker_and_a_clone_carries_none(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop", readme="hello\n")
    (shop / "sub").mkdir()
    git(shop, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert claim_data(opened(tmp_path / "side", home), "issue create")

    git(tmp_path, "clone", "-q", str(shop), str(tmp_path / "clone"))

    assert stat.S_IMODE((shop / ".git" / "agentx.json").stat().st_mode) == 0o600
    assert opened(shop, home).trust.has_data
    assert opened(shop / "sub", home).trust.has_data
    assert not opened(tmp_path / "clone", home).trust.has_data


def test_a_moved_and_a_copied_repository_keep_trust_and_a_new_clone_in_its_place_has_none(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "--bare", str(shop), str(tmp_path / "origin.git"))
    claim_data(opened(shop, home), "issue create")

    shutil.copytree(shop, tmp_path / "copy")
    shop.rename(tmp_path / "moved")
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), str(shop))

    assert opened(tmp_path / "copy", home).trust.has_data
    assert opened(tmp_path / "moved", home).trust.has_data
    assert not opened(shop, home).trust.has_data


def test_a_marker_that_comes_from_outside_trusts_nothing(tmp_path: Path, home: Path) -> None:
    own = repository(tmp_path / "own")
    claim_data(opened(own, home), "issue create")
    other = repository(tmp_path / "other")
    marker = other / ".git" / "agentx.json"

    marker.symlink_to(own / ".git" / "agentx.json")
    assert not opened(other, home).trust.has_data
    marker.unlink()
    marker.write_text(json.dumps({"mark": "0" * 32, "project_id": "own"}), encoding="utf-8")
    assert not opened(other, home).trust.has_data
    for said in ('{"mark": "../own", "project_id": "x"}', "[" * 4_000, "x" * 5_000, "\x00"):
        marker.write_text(said, encoding="utf-8")
        assert read_marker(marker) is None


def test_a_marker_that_is_a_pipe_or_a_device_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")

    assert read_marker(tmp_path / "pipe") is None
    assert read_marker(tmp_path / "device") is None


def test_two_processes_that_make_a_marker_make_one(tmp_path: Path) -> None:
    path = tmp_path / "agentx.json"

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: make_marker(path, "shop", system_entropy), range(40)))

    assert {marker.mark for marker in made} == {read_marker(path).mark}  # type: ignore[union-attr]  # it is there
    assert [entry.name for entry in tmp_path.iterdir()] == ["agentx.json"]


def test_what_is_no_marker_is_replaced_and_a_link_is_not_written_through(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.write_text("mine", encoding="utf-8")
    (tmp_path / "agentx.json").symlink_to(profile)

    made = make_marker(tmp_path / "agentx.json", "shop", system_entropy)

    assert read_marker(tmp_path / "agentx.json") == made
    assert profile.read_text(encoding="utf-8") == "mine"


def test_another_home_trusts_nothing(tmp_path: Path, home: Path) -> None:
    shop = repository(tmp_path / "shop")
    claim_data(opened(shop, home), "issue create")
    (tmp_path / "elsewhere").mkdir()

    assert not opened(shop, tmp_path / "elsewhere").trust.has_data


def test_a_folder_without_git_keeps_its_marker_in_its_state(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()

    claim_data(opened(folder, home), "issue create")

    assert opened(folder, home).trust.has_data
    assert (folder / ".agentx" / "state" / "agentx.json").is_file()


def test_only_what_stood_empty_is_claimed(tmp_path: Path, home: Path) -> None:
    shop = repository(tmp_path / "shop")
    shipped(shop, ".agentx/issues/1.json", "{}")

    assert not claim_private(opened(shop, home))
    assert not claim_data(opened(shop, home), "issue create")
    assert opened(shop, home).trust.record() is None


def test_a_private_claim_does_not_trust_data_that_a_pull_brings(tmp_path: Path, home: Path) -> None:
    shop = repository(tmp_path / "shop")
    assert claim_private(opened(shop, home))

    shipped(shop, ".agentx/issues/1.json", "{}")
    project = opened(shop, home)

    assert project.trust.has_private
    assert not project.trust.has_data
    assert not claim_data(project, "issue create")


def test_a_first_issue_after_a_private_claim_is_trusted(tmp_path: Path, home: Path) -> None:
    shop = repository(tmp_path / "shop")
    claim_private(opened(shop, home))
    (shop / ".agentx" / "memory").mkdir(parents=True)

    assert claim_data(opened(shop, home), "issue create")
    assert opened(shop, home).trust.has_private


def test_what_acts_is_trusted_by_its_content(tmp_path: Path, home: Path) -> None:
    shop = repository(tmp_path / "shop")
    settings = shipped(shop, ".agentx/config.toml", "[toc]\n")
    role = shipped(shop, ".agentx/agents/engineer.md", "obey\n")
    project = opened(shop, home)
    assert project.trust.read_acting(settings) is None
    assert not may_write_acting(project, settings)

    trust_written(project, settings, settings.read_bytes(), "trust")
    assert project.trust.read_acting(settings) == b"[toc]\n"
    assert may_write_acting(project, settings)
    assert not project.trust.has_data

    settings.write_text("[llm]\n", encoding="utf-8")
    (shop / ".agentx" / "workflows").mkdir()
    (shop / ".agentx" / "workflows" / "x.toml").symlink_to("/etc/hostname")
    states = {file.path: file.state for file in project.trust.acting_files()}
    kept = {file.path: file.trusted for file in project.trust.acting_files()}

    assert project.trust.read_acting(settings) is None
    assert states == {
        ".agentx/config.toml": ActingState.CHANGED,
        ".agentx/workflows/x.toml": ActingState.UNREADABLE,
        ".agentx/agents/engineer.md": ActingState.NEW,
    }
    assert kept[".agentx/config.toml"] == b"[toc]\n"
    assert project.trust.name_of(role) == ".agentx/agents/engineer.md"


def test_what_cannot_be_noted_is_not_claimed(tmp_path: Path, home: Path) -> None:
    shop = repository(tmp_path / "shop")
    project = opened(shop, home)
    (shop / ".git" / "agentx.json").mkdir()

    assert not claim_data(project, "issue create")
    assert not claim_private(project)
    assert project.trust.record() is None


def test_private_folders_are_in_the_repository_where_nothing_stood(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop")
    project = opened(shop, home)

    assert project.private.place("memory") == shop / ".agentx" / "memory"
    claim_private(project)
    (shop / ".agentx" / "memory").mkdir(parents=True)
    assert project.private.place("memory") == shop / ".agentx" / "memory"


def test_private_folders_of_a_strangers_repository_are_in_the_store(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop")
    shipped(shop, ".agentx/memory/issue-0.json", "{}")

    assert opened(shop, home).private.place("memory").is_relative_to(home)


def test_a_tracked_private_folder_is_never_ours_and_the_choice_stays(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop")
    project = opened(shop, home)
    claim_private(project)
    assert project.private.list_tracked() == ()
    shipped(shop, ".agentx/memory/issue-0.json", "{}")
    project.store.root.mkdir(parents=True)
    commit(shop, "a pull brings it")

    place = project.private.place("memory")
    assert place == project.store.root / "private" / "memory"
    assert project.private.place("sessions") == shop / ".agentx" / "sessions"
    place.mkdir(parents=True)
    git(shop, "rm", "-q", "--cached", ".agentx/memory/issue-0.json")
    assert project.private.list_tracked() == ()
    assert project.private.place("memory") == place


@pytest.mark.parametrize(
    "tracked", [".agentx", ".AgentX/Memory/x.json", ".agentx/memory/deep/x.json"]
)
def test_whatever_way_git_tracks_a_private_folder_it_is_seen(
    tmp_path: Path, home: Path, tracked: str
) -> None:
    shop = repository(tmp_path / "shop")
    project = opened(shop, home)
    claim_private(project)
    if tracked == ".agentx":
        (shop / tracked).symlink_to("elsewhere")
    else:
        shipped(shop, tracked, "{}")
    commit(shop, "a pull brings it")

    if not os.path.lexists(shop / ".agentx"):
        (shop / ".agentx").mkdir()
    assert "memory" in project.private.list_tracked()


def test_without_git_a_marker_is_believed_where_its_folder_was_moved_and_not_in_a_second_one(
    tmp_path: Path, home: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    claim_data(opened(folder, home), "issue create")

    shutil.copytree(folder, tmp_path / "copy")
    copy = opened(tmp_path / "copy", home)
    assert not copy.trust.has_data
    settings = tmp_path / "copy" / ".agentx" / "config.toml"
    trust_written(copy, settings, b"", "config set")
    assert not copy.trust.has_data
    assert opened(folder, home).trust.has_data

    folder.rename(tmp_path / "moved")
    assert opened(tmp_path / "moved", home).trust.has_data


def test_what_is_not_there_is_no_holding(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    shipped(folder, ".agentx/issues/1.json", '{"comments": [{"author": "ada"}]}')
    shipped(folder, ".agentx/issues/2.json", "[" * 9)

    (held,) = list_holdings(ProjectPaths(folder))

    assert (held.kind, held.count, held.authors, held.unreadable) == ("issues", 1, ("ada",), 1)


def test_one_in_the_place_of_a_moved_one_parts_from_it_whoever_came_first(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop")
    note_place(opened(shop, home))
    name = opened(shop, home).id
    shop.rename(tmp_path / "moved")
    repository(shop)
    note_place(opened(shop, home))  # used before the other was opened again
    assert opened(shop, home).id == name  # as one would be that was cloned anew

    note_place(opened(tmp_path / "moved", home))
    assert opened(tmp_path / "moved", home).id == name
    parted = opened(shop, home)
    assert parted.id != name
    assert is_settled(parted)  # its hooks print nothing of the other from now on
    note_place(parted)
    shutil.rmtree(tmp_path / "moved")
    assert opened(shop, home).id == parted.id


def test_another_repository_in_the_place_of_one_that_left_has_a_memory_of_its_own(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "--bare", str(shop), str(tmp_path / "origin.git"))
    note_place(opened(shop, home))
    name = opened(shop, home).id
    (noted,) = (home / ".local/share/agent-memory/spool").glob("*/mark")
    marker = read_marker(shop / ".git" / "agentx.json")
    assert marker is not None
    assert noted.read_text(encoding="utf-8").strip() == marker.mark  # hooks look at it
    shop.rename(tmp_path / "moved")  # and not used there yet

    repository(shop, readme="of another project\n")
    second = opened(shop, home).id
    assert second != name
    note_place(opened(shop, home))
    shop.rename(tmp_path / "second")
    repository(shop, readme="a third one\n")
    assert len({name, second, opened(shop, home).id}) == 3

    shutil.rmtree(shop)
    git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "second"), str(tmp_path / "second.git"))
    git(tmp_path, "clone", "-q", str(tmp_path / "second.git"), str(shop))
    assert opened(shop, home).id == second  # the second is back
    shutil.rmtree(shop)
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), str(shop))
    assert opened(shop, home).id == name
    assert opened(tmp_path / "moved", home).id == name


def test_a_repository_without_a_commit_is_not_the_one_that_lay_there(
    tmp_path: Path, home: Path
) -> None:
    shop = repository(tmp_path / "shop")
    note_place(opened(shop, home))
    name = opened(shop, home).id
    shutil.rmtree(shop)
    shop.mkdir()
    git(shop, "init", "-q")

    assert opened(shop, home).id != name
    git(shop, "remote", "add", "origin", "https://example.org/other.git")
    assert opened(shop, home).id != name


def test_what_tells_a_repository_apart_is_noted_once_it_has_a_commit(
    tmp_path: Path, home: Path
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    git(shop, "init", "-q")
    note_place(opened(shop, home))
    name = opened(shop, home).id
    commit(shop, "begin", a_py="x = 1\n")
    note_place(opened(shop, home))
    shutil.rmtree(shop)
    repository(shop, readme="of another project\n")

    assert opened(shop, home).id != name


def test_what_git_brought_is_not_told_by_a_word_of_ours(tmp_path: Path, home: Path) -> None:
    theirs = repository(tmp_path / "theirs", readme="hello\n")
    git(tmp_path, "clone", "-q", str(theirs), str(tmp_path / "shop"))
    shop = tmp_path / "shop"
    project = opened(shop, home)

    def is_told() -> bool:
        return project.trust.has_data

    assert claim_data(project, "issue create")
    shipped(shop, ".agentx/issues/1.json", "{}")
    assert is_told()
    git(shop, "add", "--all")
    assert is_told()
    git(shop, "commit", "-q", "-m", "ours")
    assert is_told()
    git(shop, "rm", "-q", "--cached", ".agentx/issues/1.json")
    assert is_told()
    git(shop, "reset", "-q")
    git(shop, "commit", "-q", "--amend", "-m", "ours, better said")
    assert is_told()

    # Git forgets what was done here after some months.
    git(shop, "reflog", "expire", "--expire=now", "--all")
    assert is_told()
    shipped(shop, ".agentx/issues/2.json", "{}")
    git(shop, "add", "--all")
    assert is_told()
    commit(shop, "more")
    assert is_told()

    shipped(theirs, ".agent-memory/ltm/events/evil.jsonl", "{}")
    commit(theirs, "a gift")
    git(shop, "fetch", "-q", "origin")
    assert is_told()
    for words in (
        ("merge", "-q", "--no-edit", "origin/main"),
        ("merge", "-q", "--no-commit", "origin/main"),
        ("merge", "-q", "--squash", "origin/main"),
        ("cherry-pick", "origin/main"),
        ("rebase", "-q", "origin/main"),
        ("checkout", "-q", "origin/main", "--", ".agent-memory"),
    ):
        before = git(shop, "rev-parse", "HEAD")
        git(shop, *words)
        assert not is_told(), words
        git(shop, "reset", "-q", "--hard", before)
        assert is_told(), words


def test_what_was_once_there_and_is_gone_is_not_ones_own_when_it_comes_back(
    tmp_path: Path, home: Path
) -> None:
    theirs = repository(tmp_path / "theirs", readme="hello\n")
    evil = shipped(theirs, ".agentx/issues/9.json", "evil\n")
    commit(theirs, "a gift")
    evil.unlink()
    commit(theirs, "taken away")
    git(tmp_path, "clone", "-q", str(theirs), str(tmp_path / "shop"))
    shop = tmp_path / "shop"
    project = opened(shop, home)
    assert claim_data(project, "issue create")
    shipped(shop, ".agentx/issues/1.json", "{}")
    assert project.trust.has_data
    git(shop, "checkout", "-q", "HEAD~1", "--", ".agentx")
    assert not project.trust.has_data


def test_nothing_untold_is_promised_of_what_is_never_ours(tmp_path: Path, home: Path) -> None:
    shop = repository(tmp_path / "shop", readme="hello\n")
    shipped(shop, ".agentx/memory/issue-1.json", "{}")
    assert opened(shop, home).private.has_untold()
    commit(shop, "memory")
    assert not opened(shop, home).private.has_untold()
