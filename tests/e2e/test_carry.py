"""Goal: a memory moves to another machine in one file, whatever its folder is called there; a log
of which nothing is left is told to be gone.

Method: two homes and two folders, the real commands.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.house import House, prompt


def _lived_in(root: Path) -> House:
    house = House(root)
    house.hook(prompt("we keep the ledger in Postgres", cwd=str(house.project)))
    house.json("issue", "create", "--title", "the ledger")
    house.json("sync")
    return house


def test_an_export_becomes_the_memory_of_another_folder_on_another_machine(tmp_path: Path) -> None:
    old = _lived_in(tmp_path / "old")
    file = tmp_path / "memory.agentx"
    old.json("export", str(file))
    new = House(tmp_path / "new")
    shutil.move(new.project, new.project.with_name("till"))
    new.project = new.project.with_name("till")

    said = new.agentx("restore", str(file)).stdout

    assert "this folder is the project shop-" in said
    asked = ("events", "search ledger", "issue list", "toc")
    for command in asked:
        words = (*command.split(), "--json")
        assert new.agentx(*words).stdout == old.agentx(*words).stdout
    new.hook(prompt("and the till too", session="s-2", cwd=str(new.project)))
    new.json("sync")
    assert len(new.events()) == len(old.events()) + 1


def test_a_folder_with_a_memory_of_its_own_is_asked_first(tmp_path: Path) -> None:
    old, new = _lived_in(tmp_path / "old"), House(tmp_path / "new")
    file = tmp_path / "memory.agentx"
    old.json("export", str(file))
    new.hook(prompt("another story", cwd=str(new.project)))
    new.json("sync")

    refused = new.json("restore", str(file), expect=3)

    assert "no longer be shown here" in refused["error"]["message"]
    assert [event["text"] for event in new.events()] == ["another story"]


def test_a_log_of_which_nothing_is_left_is_told_to_be_gone(tmp_path: Path) -> None:
    house = _lived_in(tmp_path)
    house.json("scheduler", "run", "backup")
    (db,) = house.data.root.glob("shop-*/db")
    shutil.rmtree(db)

    house.agentx("events", expect=4)
    said = house.agentx("doctor", "--fix", "--yes", expect=None).stdout

    assert "gone: everything that was in the log alone" in said
    assert "`agentx restore " in said
    (kept,) = house.data.kept.rglob("*.agentx")
    house.agentx("restore", str(kept), "--yes")
    assert [event["text"] for event in house.events()] == ["we keep the ledger in Postgres"]


def test_what_people_decided_since_is_said_before_it_is_taken_back(tmp_path: Path) -> None:
    house, file = _lived_in(tmp_path), tmp_path / "memory.agentx"
    asked = "ask --issue 1 --from engineer --to human --topic buy"
    house.agentx("clarify", *asked.split(), "--question", "May we buy it?")
    house.agentx("export", str(file))
    house.agentx("clarify", "resolve", "CLR-1-001", "No, never", "--as-person")

    says = 'CLR-1-001 buy: "No, never" would be pending again'
    for words in ((), ("--json",), ("--yes",)):
        done = house.agentx("restore", str(file), *words, expect=0 if words == ("--yes",) else 3)
        assert says in done.stderr
    assert [one["status"] for one in house.json("clarify", "--issue", "1")["clarifications"]] == [
        "pending"
    ]
