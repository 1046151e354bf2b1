"""Goal: who forgets a question is told, before and after, of every other that goes with it.

Method: one thread that two people's clones follow up, so that it becomes two questions; real git,
real commands in process.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from agentx.surfaces.cli.commands.work import clarify
from tests.support.contesting import CLR, NO, Team, name_other
from tests.support.players import Player
from tests.support.repository import git

OFFSHOOT = "CLR-1-002"


def follow_up(team: Team, who: Player, question: str, said: str) -> None:
    asked = ("clarify", "ask", "--follow-up", CLR, "--question", question)
    team.say(who, *asked, role="engineer")
    team.say(who, "clarify", "answer", CLR, said, "--as-person")
    team.say(who, "clarify", "resolve", CLR, role="engineer")


def test_what_goes_with_a_question_is_named_before_and_after(
    begun: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = begun
    ana, bob = team.ana, team.bob
    team.say(ana, "clarify", "answer", CLR, NO, "--as-person")
    team.push(ana)
    git(bob.folder, "pull", "-q", "origin", "main")
    team.say(bob, "trust", "--writer", name_other(bob, team), "--yes")
    follow_up(team, ana, "May I rename it?", "NO, never rename it")
    follow_up(team, bob, "Which word is it?", "xyzzy")
    team.merge()
    team.say(ana, "trust", "--writer", name_other(ana, team), "--yes")

    asked: list[str] = []

    def leave(text: str, **_: object) -> None:
        asked.append(text)
        raise SystemExit(1)

    with monkeypatch.context() as patched:
        patched.setattr(clarify, "confirm", leave)
        patched.setattr(clarify, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
        for name in (OFFSHOOT, CLR):
            assert ana.agentx("clarify", "forget", name)[0] == 1
    assert asked == [
        f"Forget {OFFSHOOT}, and {CLR} of its thread, with all that was said?",
        f"Forget {CLR}, and {OFFSHOOT} of its thread, with all that was said?",
    ]

    assert json.loads(team.say(ana, "clarify", "forget", OFFSHOOT, "--json")) == {
        "forgotten": OFFSHOOT,
        "with_it": [CLR],
        "also_in": [],
        "exports": [],
        "copies": [],
    }
    acts = [json.loads(line) for line in ana.project.data.audit.read_text().splitlines()]
    gone = [each["clarification"] for each in acts if each["event"] == "forgotten"]
    assert gone == [OFFSHOOT, CLR]


def test_what_goes_alone_goes_without_a_word_of_others(begun: Team) -> None:
    team = begun
    said = team.say(team.ana, "clarify", "forget", CLR, "--yes")
    assert said == f"forgot {CLR}"


@pytest.mark.parametrize("is_settled", [False, True])
def test_no_file_has_its_words_once_it_is_forgotten(begun: Team, *, is_settled: bool) -> None:
    team, ana = begun, begun.ana
    team.say(ana, "clarify", "answer", CLR, "xyzzy, by all means", "--as-person")
    if is_settled:
        team.say(ana, "clarify", "resolve", CLR, role="engineer")
    team.say(ana, "sync")
    assert list_holding(team.root / "ana", b"xyzzy")
    team.say(ana, "clarify", "forget", CLR, "--yes")
    assert list_holding(team.root / "ana", b"xyzzy") == []


def list_holding(root: Path, word: bytes) -> list[str]:
    """Return the files that hold a word, but for what was committed."""
    files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return [str(path) for path in files if word in path.read_bytes()]
