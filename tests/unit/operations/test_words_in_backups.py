"""Goal: what people said is in every backup, also where no session was ever captured.

Method: real commands in process; the user's store of the project is thrown away and read back.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.players import Player
from tests.support.repository import commit, git, repository


def test_words_that_git_took_away_come_back_from_a_backup_without_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, monkeypatch)
    player.folder = repository(tmp_path / "repository")
    player.play()

    def say(*words: str) -> str:
        code, said = player.agentx(*words)
        assert code == 0, said
        return " ".join(said.split())

    assert "0 kept" in say("scheduler", "run", "backup"), "there is nothing yet"
    commit(player.folder, "before")
    say("issue", "create", "--title", "Old tables")
    asked = ("--from", "engineer", "--to", "human", "--topic", "T", "--question", "Drop it?")
    say("clarify", "ask", "--issue", "1", *asked)
    say("clarify", "answer", "CLR-1-001", "NO keep it", "--as-person")
    git(player.folder, "clean", "-qfdx")
    assert "NO keep it" in say("clarify", "wait", "CLR-1-001"), "it is held"

    assert "1 kept" in say("scheduler", "run", "backup")
    data = Path(player.known["HOME"]) / ".local/share/agent-memory"
    [backup] = (data / "kept").rglob("*.agentx")
    [held] = [path.parent for path in data.glob("*/held")]
    shutil.rmtree(held)
    assert player.agentx("clarify", "wait", "CLR-1-001")[0] != 0
    say("restore", str(backup), "--yes")
    assert "NO keep it" in say("clarify", "wait", "CLR-1-001")
