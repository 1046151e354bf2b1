"""Goal: what a person decided is told once where a memory was carried, and counts once trusted.

Method: two homes with keys of their own; real commands in process: ask, decide, export, restore.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.model import PERSON
from tests.support.players import Player
from tests.support.repository import commit, git, repository

pytestmark = pytest.mark.promise("clarify.signed")

CLR = "CLR-1-001"
NO = "NO keep the table"
ASK = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--topic", "The table")


class Move:
    """A user with an old laptop and a new one."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.old, self.new = (Player(root / name, patch) for name in ("old", "new"))
        self.old.folder = repository(root / "old" / "clone")
        self.say(self.old, "issue", "create", "--title", "Old tables")
        self.say(self.old, *ASK, "--to", PERSON, "--question", "May we drop the old table?")
        commit(self.old.folder, "asked")
        self.say(self.old, "clarify", "resolve", CLR, NO, "--as-person")

    def say(self, who: Player, *words: str) -> str:
        who.play()
        code, said = who.agentx(*words)
        assert code == 0, said
        return said

    def carry(self) -> None:
        """Export on the old laptop, and restore on the new one."""
        file = self.root / "memory.agentx"
        self.say(self.old, "export", str(file))
        self.say(self.new, "restore", str(file), "--yes")

    def say_something(self) -> list[dict[str, Any]]:
        """Ask something else on the new laptop; return what was taken from the view by that."""
        words = ("--to", "architect", "--question", "And the index?")
        self.say(self.new, *ASK[:-1], "The index", *words)
        files = (self.new.folder / ".agentx/questions/1").glob("*.jsonl")
        lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return [line for line in lines if line.get("via") == "file" or line["type"] == "taken"]

    def look(self) -> dict[str, Any]:
        rows = json.loads(self.say(self.new, "clarify", "--issue", "1", "--json"))
        found: dict[str, Any] = next(row for row in rows["clarifications"] if row["id"] == CLR)
        return found

    def trust_old(self) -> None:
        writers = json.loads(self.say(self.new, "trust", "--show", "--json"))["writers"]
        [old] = [one["writer"] for one in writers if not one.get("own")]
        self.say(self.new, "trust", "--writer", old, "--yes")


@pytest.fixture
def move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Move:
    return Move(tmp_path, monkeypatch)


def list_noes(row: dict[str, Any]) -> list[str]:
    return [entry.get("via", "") for entry in row["thread"] if entry["body"] == NO]


def test_a_restored_view_is_nobodys_edit(move: Move) -> None:
    move.carry()
    assert move.look()["status"] == "pending", "the old key is not trusted here yet"
    assert move.say_something() == []
    assert list_noes(move.look()) == ["untrusted"]

    move.trust_old()
    told = move.look()
    assert (told["status"], list_noes(told)) == ("resolved", ["unconfirmed"])


def test_what_git_took_and_the_view_has_is_told_once(move: Move) -> None:
    git(move.old.folder, "checkout", "-q", ".")
    assert "NO keep" in move.say(move.old, "clarify", "--issue", "1"), "it is held"
    move.carry()
    move.say_something()
    assert len(list_noes(move.look())) == 1

    move.trust_old()
    told = move.look()
    assert (told["status"], list_noes(told)) == ("resolved", ["unconfirmed"])


def test_what_a_tool_wrote_before_is_carried(move: Move) -> None:
    view = move.old.folder / ".agentx/state/clarifications/issue-1.json"
    found = json.loads(view.read_text())
    found["clarifications"][0]["colour"] = "red"
    view.write_text(json.dumps(found))
    move.carry()
    [edit] = move.say_something()
    assert (edit["type"], edit["fields"]) == ("edited", {"colour": "red"})


def test_a_view_without_events_is_all_there_is(move: Move) -> None:
    move.carry()
    shutil.rmtree(move.new.folder / ".agentx/questions")
    assert [line["type"] for line in move.say_something()] == ["taken"]
    assert len(list_noes(move.look())) == 1
