"""Goal: nothing in a repository is opened through a link, at any level, to read or to write.

Method: real links, hard links, pipes and sparse files below a repository's `.agentx`, and a
treasure outside of it that must keep its bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.host.documents.json_file import json_file
from agentx.host.files import plain
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.below import finding, walking
from agentx.host.files.ground import find_ground, make_folders
from agentx.host.files.journal import Journal
from agentx.host.files.logfile import LogFile
from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from agentx.kernel.errors import UnsafePath

SECRET = b"the key to everything\n"


@pytest.fixture
def treasure(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "key").write_bytes(SECRET)
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder


def _edit(path: Path) -> None:
    with json_file(path, SystemClock()).editing() as document:
        document["x"] = 1


def _lock(path: Path) -> None:
    with locked(path, owner="test", clock=SystemClock()) as held:
        held.write(path, b"x")


WAYS_TO_WRITE: dict[str, Callable[[Path], object]] = {
    "replace": lambda path: replace_file(path, b"x"),
    "append": lambda path: Journal(path, SystemClock()).append([{"x": 1}]),
    "open": lambda path: os.close(plain.open_to_write(path, os.O_RDWR | os.O_TRUNC)),
    "edit": _edit,
    "lock": _lock,
    "make a folder": make_private_directory,
}
WAYS_TO_READ: dict[str, Callable[[Path], object]] = {
    "read": plain.read_bytes,
    "open": lambda path: plain.open_to_read(path).close(),
    "document": lambda path: json_file(path, SystemClock()).read(),
    "journal": lambda path: list(Journal(path, SystemClock()).records()),
    "stat": plain.look,
    "exists": plain.exists,
}
LEVELS = {
    "the root": (".agentx", "", "key"),
    "a folder": (".agentx/state", "", "key"),
    "the file": (".agentx/state/key", "key", ""),
    "memory of runs": (".agent-memory/runs", "", "key"),
}


def _lay(repository: Path, treasure: Path, level: str) -> Path:
    at, leads_to, rest = LEVELS[level]
    link = repository / at
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(treasure / leads_to)
    return link / rest if rest else link


@pytest.mark.promise("strangers.no-links")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", [*WAYS_TO_WRITE, *(f"{way} " for way in WAYS_TO_READ)])
def test_no_way_to_a_file_leads_through_a_link(
    repository: Path, treasure: Path, way: str, level: str
) -> None:
    path = _lay(repository, treasure, level)
    go = WAYS_TO_READ[way.strip()] if way.endswith(" ") else WAYS_TO_WRITE[way]

    with pytest.raises(UnsafePath) as refused:
        go(path)

    assert "symbolic link" in refused.value.message
    assert str(repository / LEVELS[level][0]) in refused.value.message
    assert refused.value.hint
    assert [each.name for each in treasure.iterdir()] == ["key"]
    assert (treasure / "key").read_bytes() == SECRET


def test_a_link_in_the_place_of_a_lock_or_of_its_guard_is_not_followed(
    repository: Path, treasure: Path
) -> None:
    for suffix in (".lock", ".guard.lock", ".queue.lock"):
        path = repository / ".agentx" / f"file{suffix}-case"
        path.parent.mkdir(exist_ok=True)
        path.with_name(path.name + suffix).symlink_to(treasure / "made")

        with pytest.raises(UnsafePath):
            _lock(path)
        path.with_name(path.name + suffix).unlink()

    assert [each.name for each in treasure.iterdir()] == ["key"]


def test_our_log_is_not_written_through_a_link_and_says_nothing(
    repository: Path, treasure: Path
) -> None:
    log = repository / ".agentx" / "logs" / "agentx.jsonl"
    log.parent.mkdir(parents=True)
    log.symlink_to(treasure / "key")

    LogFile(log, SystemClock()).record("info", "told")

    assert (treasure / "key").read_bytes() == SECRET


@pytest.mark.parametrize("way", ["append", "open"])
def test_a_file_with_another_name_is_parted_from_it_before_it_is_written(
    repository: Path, treasure: Path, way: str
) -> None:
    path = repository / ".agentx" / "pending.jsonl"
    path.parent.mkdir()
    path.hardlink_to(treasure / "key")

    WAYS_TO_WRITE[way](path)

    assert (treasure / "key").read_bytes() == SECRET
    assert not path.samefile(treasure / "key")


def test_the_folders_above_the_ground_may_be_links(repository: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "by-another-name"
    elsewhere.symlink_to(repository)

    replace_file(elsewhere / ".agentx" / "issues" / "1.json", b"{}")

    assert plain.read_bytes(repository / ".agentx/issues/1.json") == b"{}"
    with locked(elsewhere / ".agentx/issues/1.json", owner="test", clock=SystemClock()) as held:
        held.write(repository / ".agentx/issues/1.json", b"[]")
    assert plain.read_bytes(elsewhere / ".agentx/issues/1.json") == b"[]"


def test_files_of_the_users_own_home_may_be_links(treasure: Path, tmp_path: Path) -> None:
    dotfile = tmp_path / "config.toml"
    dotfile.symlink_to(treasure / "key")

    assert plain.read_bytes(dotfile) == SECRET


def test_a_ground_that_is_given_guards_every_other_file(repository: Path, treasure: Path) -> None:
    (repository / ".claude").symlink_to(treasure)
    (repository / "CLAUDE.md").symlink_to(treasure / "key")

    for name in (".claude/key", "CLAUDE.md"):
        with pytest.raises(UnsafePath):
            plain.read_bytes(repository / name, ground=repository)
        with pytest.raises(UnsafePath):
            replace_file(repository / name, b"x", ground=repository)
    with pytest.raises(UnsafePath, match="is not in"):
        plain.read_bytes(treasure / "key", ground=repository)

    assert (treasure / "key").read_bytes() == SECRET


def test_a_way_back_up_is_refused(repository: Path, treasure: Path) -> None:
    (repository / ".agentx").mkdir()

    with pytest.raises(UnsafePath, match="leads out"):
        plain.read_bytes(repository / ".agentx" / ".." / ".." / "home" / "key")


def test_a_pipe_is_refused_at_once(repository: Path) -> None:
    path = repository / ".agentx" / "config.toml"
    path.parent.mkdir()
    os.mkfifo(path)

    for go in (plain.read_bytes, lambda path: plain.open_to_write(path, os.O_WRONLY)):
        with pytest.raises(UnsafePath, match="no plain file"):
            go(path)  # who opened it would wait for ever


def test_a_file_without_end_is_refused_unread(repository: Path) -> None:
    path = repository / ".agentx" / "config.toml"
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(UnsafePath, match="larger than"):
        plain.read_bytes(path)


def test_a_folder_full_of_files_names_what_it_leaves_out(repository: Path, treasure: Path) -> None:
    folder = repository / ".agentx" / "issues"
    (folder / "sub").mkdir(parents=True)
    (folder / "2.json").write_bytes(b"{}")
    (folder / "1.json").write_bytes(b"{}")
    (folder / "3.json").symlink_to(treasure / "key")
    os.mkfifo(folder / "4.json")

    listing = plain.list_folder(folder)

    assert listing.files == ("1.json", "2.json")
    assert listing.folders == ("sub",)
    assert listing.refused == ("3.json", "4.json")
    assert list(walking.walk_refused(repository / ".agentx")) == [
        folder / "3.json",
        folder / "4.json",
    ]


def test_removing_and_renaming_touch_no_more_than_the_name(
    repository: Path, treasure: Path
) -> None:
    folder = repository / ".agentx" / "old"
    folder.mkdir(parents=True)
    (folder / "link").symlink_to(treasure)
    (repository / ".agentx" / "leading-out").symlink_to(treasure)

    with pytest.raises(UnsafePath):
        plain.remove(repository / ".agentx" / "leading-out" / "key")
    with pytest.raises(UnsafePath):
        plain.remove_tree(repository / ".agentx" / "leading-out")
    with pytest.raises(UnsafePath):
        plain.rename(repository / ".agentx" / "leading-out" / "key", folder / "key")
    plain.remove_tree(folder)

    assert not folder.exists()
    assert (treasure / "key").read_bytes() == SECRET


def test_missing_folders_are_made_private_and_not_through_a_link(
    repository: Path, treasure: Path
) -> None:
    make_folders(repository / ".agentx" / "a" / "b", private=True)
    (repository / ".agent-memory").symlink_to(treasure)

    assert (repository / ".agentx" / "a").stat().st_mode & 0o777 == 0o700
    with pytest.raises(UnsafePath):
        make_folders(repository / ".agent-memory" / "runs", private=True)
    assert not (treasure / "runs").exists()


def test_the_ground_is_known_from_the_path() -> None:
    assert find_ground(Path("/r/.agentx/issues/1.json")) == Path("/r")
    assert find_ground(Path("/r/.AgentX/issues/1.json")) == Path("/r")
    assert find_ground(Path("/r/.agentx")) == Path("/r")
    assert find_ground(Path(".agent-memory/runs")) == Path()
    assert find_ground(Path("/r/agentx/.agentxy")) is None


def test_a_walk_leaves_no_descriptor_open(repository: Path, treasure: Path) -> None:
    (repository / ".agentx").symlink_to(treasure)
    descriptors = Path("/dev/fd")
    before = len(list(descriptors.iterdir()))

    for _ in range(50):
        with pytest.raises(UnsafePath):
            plain.read_bytes(repository / ".agentx" / "key")
        with pytest.raises(UnsafePath):
            make_folders(repository / ".agentx" / "x" / "y", private=True)
        assert not plain.exists(repository / ".agent-memory" / "runs" / "x")

    assert len(list(descriptors.iterdir())) == before


def test_a_way_down_names_links_on_it_and_what_is_gone_is_nothing(
    repository: Path, treasure: Path
) -> None:
    top = repository / ".agentx" / "lanes"
    for name in ("one", "two"):
        (top / name / "events" / "executor").mkdir(parents=True)
        (top / name / "events" / "executor" / "1.jsonl").write_text("{}\n")
    (top / "three").mkdir()
    (top / "four").symlink_to(treasure)
    (top / "two" / "events" / "linked").symlink_to(treasure)
    (top / "two" / "events" / "executor" / "2.jsonl").symlink_to(treasure / "key")
    way, refused = (finding.ANY, "events", finding.ANY), list[Path]()

    found = finding.find_on_way(top, way, suffix=".jsonl", refused=refused)

    assert found == [top / name / "events" / "executor" / "1.jsonl" for name in ("one", "two")]
    events = top / "two" / "events"
    assert refused == [top / "four", events / "linked", events / "executor" / "2.jsonl"]
    looked = finding.look_on_way(top, way, suffix=".jsonl")
    assert [(Path(name), seen.st_size) for name, seen in looked] == [(each, 3) for each in found]
    assert finding.find_on_way(top / "none", way, suffix=".jsonl") == []
    (top / "one" / "events").rename(top / "events")
    (top / "one" / "events").symlink_to(top / "events")
    with pytest.raises(UnsafePath, match="symbolic link"):
        finding.find_on_way(top, way, suffix=".jsonl")
