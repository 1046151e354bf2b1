"""Goal: what a hook acknowledged reaches the right project's log, whatever homes, folders and
repositories are moved, replaced or broken meanwhile, and what waits is told with its reason.

Method: the real hook and the real commands, with two homes of one user that share a fallback.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.house import House, prompt


class Homes:
    """One project, two homes of its user, one temporary folder."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.spare = house.root / "spare"
        (house.root / "other").mkdir()

    def env(self, home: str) -> dict[str, str]:
        return {"HOME": str(self.house.root / home)}

    def data(self, home: str) -> Path:
        return self.house.root / home / ".local" / "share" / "agent-memory"

    def close(self, home: str) -> None:
        """Let nothing be written into a home's data folder; kept aside, as a full disk would."""
        data = self.data(home)
        data.parent.mkdir(parents=True, exist_ok=True)
        if data.is_dir():
            data.rename(data.with_name("closed"))
        data.write_text("", encoding="utf-8")

    def open(self, home: str) -> None:
        data = self.data(home)
        data.unlink()
        if data.with_name("closed").is_dir():
            data.with_name("closed").rename(data)
        else:
            data.mkdir()

    def hook(self, home: str, name: str, cwd: Path | None = None) -> None:
        done = self.house.hook(prompt(name, prompt_id=name), env=self.env(home), cwd=cwd)
        assert done.returncode == 0

    def ask(
        self, home: str, *arguments: str, cwd: Path | None = None, expect: int | None = 0
    ) -> Any:
        done = self.house.agentx(*arguments, "--json", env=self.env(home), cwd=cwd, expect=expect)
        return json.loads(done.stdout)

    def texts(self, home: str, cwd: Path | None = None) -> list[str]:
        return sorted(event["text"] for event in self.ask(home, "events", cwd=cwd)["events"])

    def waiting(self, home: str, cwd: Path | None = None) -> dict[str, int]:
        groups = self.ask(home, "status", cwd=cwd)["waiting"]
        return {group["why"]: group["records"] for group in groups}


@pytest.fixture
def homes(house: House) -> Homes:
    return Homes(house)


@pytest.mark.promise("capture.right-store")
def test_a_sync_of_another_home_leaves_what_is_not_its_own(homes: Homes) -> None:
    homes.close("home")
    homes.hook("home", "one")
    homes.ask("other", "sync")
    homes.hook("home", "two")

    assert homes.waiting("other") == {"other-home": 2}
    assert homes.texts("other") == []
    said = homes.house.agentx("doctor", env=homes.env("other"), expect=None).stdout
    assert str(homes.data("home")) in said
    assert "All is well" not in said

    homes.open("home")
    assert homes.waiting("home") == {"next": 2}
    assert homes.texts("home") == ["one", "two"]
    assert homes.waiting("home") == homes.waiting("other") == {}


def test_each_home_takes_its_own_of_a_folder_that_both_use(homes: Homes) -> None:
    for home in ("home", "other"):
        homes.close(home)
        homes.hook(home, f"of {home}")
        homes.open(home)

    assert homes.texts("other") == ["of other"]
    assert homes.texts("home") == ["of home"]


def test_what_an_older_hook_left_in_the_fallback_is_taken(homes: Homes) -> None:
    homes.close("home")
    homes.hook("home", "old")
    homes.open("home")
    (folder,) = homes.spare.iterdir()
    (record,) = (folder / "new").iterdir()
    data = f',"data":{json.dumps(str(homes.data("home")))}'.encode()
    assert data in record.read_bytes()
    record.write_bytes(record.read_bytes().replace(data, b""))
    (folder / "directory").write_bytes(os.fsencode(homes.house.project))
    # As the version before left it, when it was drained under another home.
    (folder / "store").write_text("/elsewhere/shop-0\nshop-0\n", encoding="utf-8")

    assert homes.texts("home") == ["old"]


def test_what_waits_for_a_home_that_is_gone_is_told_and_can_be_adopted(homes: Homes) -> None:
    homes.close("home")
    homes.hook("home", "kept")
    shutil.rmtree(homes.house.root / "home")

    assert homes.waiting("other") == {"home-gone": 1}
    found = homes.ask("other", "doctor", expect=4)
    assert not found["well"]
    (mend,) = [check["mend"] for check in found["checks"] if "which is not there" in check["says"]]
    assert f"agentx sync --adopt {homes.data('home')}" in mend

    assert homes.ask("other", "sync", "--adopt", str(homes.data("home")))["stored"] == 1
    assert homes.texts("other") == ["kept"]
    homes.house.agentx("sync", "--adopt", "/nowhere", env=homes.env("other"), expect=2)
    homes.house.agentx("sync", "--adopt", str(homes.house.project), expect=2)


def test_a_worktree_that_was_removed_leaves_its_words_with_its_repository(homes: Homes) -> None:
    tree = homes.house.root / "work" / "shop-feature"
    homes.house.git("worktree", "add", "-q", str(tree))
    homes.hook("home", "settled", cwd=tree)
    homes.ask("home", "sync", cwd=tree)
    homes.hook("home", "late", cwd=tree)
    never = homes.house.root / "work" / "shop-never"
    homes.house.git("worktree", "add", "-q", str(never))
    homes.hook("home", "never settled", cwd=never)
    shutil.rmtree(tree)
    shutil.rmtree(never)

    assert homes.texts("home") == ["late", "settled"]
    assert homes.waiting("home") == {"directory-gone": 1}
    homes.ask("home", "sync", "--adopt", str(never))
    assert homes.texts("home") == ["late", "never settled", "settled"]


def test_what_was_said_in_a_folder_that_was_just_removed_is_nobody_elses(house: House) -> None:
    gone = house.root / "work" / "gone"
    gone.mkdir()
    said = json.dumps(prompt("the pier stays", cwd=str(gone)))
    line = "cd ../gone && rmdir ../gone && exec agentx-hook --harness codex"
    sent = subprocess.run(
        ["sh", "-c", line],
        input=said.encode(),
        cwd=house.project,
        env=house.environment,
        check=True,
    )

    house.agentx("sync")
    assert sent.returncode == 0
    assert house.events() == []

    gone.mkdir()
    house.agentx("sync", cwd=gone)
    assert [event["text"] for event in house.json("events", cwd=gone)["events"]] == [
        "the pier stays"
    ]


def test_a_record_that_names_no_place_goes_to_nobody_who_drains(house: House) -> None:
    house.hook(prompt("the mole stays", cwd="."))
    [record] = house.data.spools.glob("*/new/*.evt")
    raw = record.read_bytes().replace(str(house.project).encode(), b".", 1)
    folder = house.data.spools / "%2E"
    (folder / "new").mkdir(parents=True)
    (folder / "directory").write_bytes(b".")
    (folder / "new" / record.name).write_bytes(raw)
    record.unlink()

    house.agentx("sync")

    assert house.events() == []
    [group] = house.json("status")["waiting"]
    assert (group["records"], group["why"]) == (1, "other-project")


def test_the_project_that_a_session_was_told_it_has_decides_whoever_drains(homes: Homes) -> None:
    house = homes.house
    named = {"MEMORY_PROJECT_ID": "mine"}
    other = house.root / "work" / "other"
    other.mkdir()
    house.hook(prompt("named", prompt_id="p1"), env=named)
    house.hook(prompt("plain", prompt_id="p2"))
    house.hook(prompt("elsewhere", prompt_id="p3"), cwd=other)

    taken = json.loads(house.agentx("events", "--json", env=named).stdout)["events"]
    assert [event["text"] for event in taken] == ["named"]
    assert [event["text"] for event in house.events()] == ["plain"]
    events = house.json("events", cwd=other)["events"]
    assert [event["text"] for event in events] == ["elsewhere"]


def test_a_shell_that_shares_one_store_takes_nothing_of_other_projects(homes: Homes) -> None:
    house = homes.house
    other = house.root / "work" / "other"
    other.mkdir()
    house.hook(prompt("elsewhere", prompt_id="p1"), cwd=other)
    house.agentx("sync", env={"AGENTX_STORAGE_MODE": "unified"})

    assert [event["text"] for event in house.json("events", cwd=other)["events"]] == ["elsewhere"]


def test_folders_that_cannot_be_drained_are_named_and_stop_nobody(house: House) -> None:
    others = [house.root / "work" / name for name in ("linked", "odd", "nameless", "filed")]
    for number, folder in enumerate(others):
        folder.mkdir()
        house.hook(prompt(f"of {folder.name}", prompt_id=f"q{number}"), cwd=folder)
    linked, odd, nameless, filed = (house.data.spool(str(folder)) for folder in others)
    linked.root.rename(house.root / "aside")
    linked.root.symlink_to(house.root / "aside")
    shutil.rmtree(odd.new)
    odd.new.symlink_to(house.root / "aside" / "new")
    nameless.directory.unlink()
    (record,) = nameless.new.iterdir()
    record.write_bytes(b"no header at all")
    shutil.rmtree(filed.new)
    filed.new.write_text("", encoding="utf-8")
    own = house.data.spool(str(house.project))
    house.hook(prompt("mine", prompt_id="p1"))
    (own.new / "folder.evt").mkdir()
    (own.new / "link.evt").symlink_to("/etc/hostname")
    os.mkfifo(own.new / "pipe.evt")

    assert house.json("sync")["stored"] == 1
    assert [event["text"] for event in house.events()] == ["mine"]
    found = house.json("doctor", expect=4)
    says = [group["says"] for group in found["waiting"]]
    for spool in (linked, odd, nameless, filed, own):
        assert any(str(spool.root) in line for line in says), spool
    assert (house.root / "aside" / "new").is_dir()


def test_a_record_that_is_larger_than_any_is_moved_aside(house: House) -> None:
    house.hook(prompt("mine", prompt_id="p1"))
    own = house.data.spool(str(house.project))
    with (own.new / "0000000000001-1-aa.evt").open("wb") as file:
        file.truncate(3 * 1024**3)

    assert house.json("sync") == {**house.json("sync"), "stored": 1, "files": 1, "refused": 1}
    assert len(list(own.refused.iterdir())) == 1


def test_a_directory_that_now_belongs_to_another_repository_is_settled_anew(house: House) -> None:
    sub = house.project / "packages" / "api"
    sub.mkdir(parents=True)
    house.hook(prompt("of the shop", prompt_id="p1"), cwd=sub)
    house.json("sync")
    house.git("init", "-q", cwd=sub)
    house.hook(prompt("of its own", prompt_id="p2"), cwd=sub)

    house.json("sync")

    assert [event["text"] for event in house.json("events", cwd=sub)["events"]] == ["of its own"]
    assert [event["text"] for event in house.events()] == ["of the shop"]


def test_a_home_that_was_moved_keeps_its_notes_and_what_was_spooled_for_it(homes: Homes) -> None:
    inside = homes.house.root / "home" / "src" / "shop"
    inside.mkdir(parents=True)
    homes.house.git("init", "-q", cwd=inside)
    homes.hook("home", "before", cwd=inside)
    homes.ask("home", "sync", cwd=inside)
    homes.hook("home", "in its spool", cwd=inside)
    homes.close("home")
    homes.hook("home", "in the fallback", cwd=inside)
    homes.open("home")

    (homes.house.root / "home").rename(homes.house.root / "moved")

    moved = homes.house.root / "moved" / "src" / "shop"
    assert homes.texts("moved", cwd=moved) == ["before", "in its spool", "in the fallback"]
    assert homes.waiting("moved", cwd=moved) == {}
    assert homes.ask("moved", "doctor", cwd=moved, expect=None) is not None


def _texts(house: House, cwd: Path) -> list[str]:
    return sorted(event["text"] for event in house.json("events", cwd=cwd)["events"])


@pytest.mark.promise("capture.moved")
def test_a_repository_that_was_moved_keeps_its_memory_and_leaves_none_in_its_place(
    house: House,
) -> None:
    sub = house.project / "sub"
    sub.mkdir()
    house.hook(prompt("before", prompt_id="p1"))
    house.json("sync")
    name = house.json("status")["project_id"]
    house.hook(prompt("waiting", prompt_id="p2"))
    house.hook(prompt("waiting below", prompt_id="p3"), cwd=sub)
    moved, place = house.root / "work" / "moved", house.project
    place.rename(moved)

    assert _texts(house, moved) == ["before", "waiting", "waiting below"]
    status = house.json("status", cwd=moved)
    assert (status["project_id"], status["rule"]) == (name, "its marker")

    # Somebody else's repository in its place has neither its name nor its memory.
    place.mkdir()
    house.git("init", "-q", cwd=place)
    house.hook(prompt("a stranger", prompt_id="p4"), cwd=place)
    assert _texts(house, place) == ["a stranger"]
    house.hook(prompt("after", prompt_id="p5"), cwd=moved)
    assert _texts(house, moved) == ["after", "before", "waiting", "waiting below"]

    again = house.root / "again"
    moved.rename(again)
    assert house.json("status", cwd=again)["project_id"] == name
    assert len(_texts(house, again)) == 4


def test_a_copy_of_a_repository_has_a_memory_of_its_own_and_is_told(house: House) -> None:
    house.hook(prompt("of the first", prompt_id="p1"))
    house.json("sync")
    name = house.json("status")["project_id"]
    copy = house.root / "work" / "copy"
    shutil.copytree(house.project, copy)

    assert f"a copy of {house.project}" in house.agentx("doctor", cwd=copy, expect=None).stdout
    house.hook(prompt("of the copy", prompt_id="p2"), cwd=copy)
    assert _texts(house, copy) == ["of the copy"]
    assert _texts(house, house.project) == ["of the first"]
    house.project.rename(house.root / "work" / "moved")
    assert house.json("status", cwd=house.root / "work" / "moved")["project_id"] == name
    assert _texts(house, copy) == ["of the copy"]


def test_what_waits_for_one_reason_is_told_in_one_line_however_many_folders(homes: Homes) -> None:
    homes.close("home")
    homes.hook("home", "one")
    homes.open("home")
    (folder,) = homes.spare.iterdir()
    for number in range(38):
        left = shutil.copytree(folder, homes.spare / f"left-{number:02}")
        gone = f"/gone/project-{number:02}\0\0/gone/home-{number:02}/agentx"
        (left / "directory").write_bytes(os.fsencode(gone))

    told = homes.ask("home", "doctor", expect=4)
    assert len([one for one in told["waiting"] if one["why"] == "home-gone"]) == 38
    for command in ("sync", "status", "doctor"):
        done = homes.house.agentx(command, env=homes.env("home"), expect=None)
        lines = [line for line in done.stdout.splitlines() if "/gone/" in line]
        assert len(lines) == 1, done.stdout
        assert "38 records written for 38 homes that are not there" in lines[0]
        assert lines[0].count("/gone/") == 3
        assert "and 35 more" in lines[0]
        assert len(done.stdout.splitlines()) < 60
