"""Ana and Bob with homes of their own and clones of one repository, who answer one question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.project.config import read_environment
from tests.support.mcp_agent import Agent
from tests.support.players import Player
from tests.support.repository import commit, git, repository

CLR = "CLR-1-001"
YES, NO = "YES drop the table", "NO keep the table"
ASK = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--topic", "The table")


class Team:
    """Ana and Bob, a clone each."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        git(root, "init", "-q", "--bare", "-b", "main", "remote")
        self.ana, self.bob = (self._join(name, patch) for name in ("ana", "bob"))

    def _join(self, name: str, patch: pytest.MonkeyPatch) -> Player:
        player = Player(self.root / name, patch)
        player.folder = self.root / name / "clone"
        return player

    def begin(self) -> None:
        """Let Ana's engineer ask a person, and both have it."""
        repository(self.ana.folder)
        git(self.ana.folder, "remote", "add", "origin", str(self.root / "remote"))
        self.say(self.ana, "issue", "create", "--title", "Old tables")
        self.say(self.ana, *ASK, "--to", PERSON, "--question", "May we drop the old table?")
        self.push(self.ana)
        git(self.root, "clone", "-q", str(self.root / "remote"), str(self.bob.folder))
        self.say(self.bob, "trust", "--yes")

    def say(self, who: Player, *words: str, role: str = "", code: int = 0) -> str:
        """Run a command as somebody; return what it says, in one line."""
        who.play(role)
        left, said = who.agentx(*words)
        assert left == code, said
        return " ".join(said.split())

    def merge(self) -> None:
        """Let both have what both said, and Ana look at it."""
        self.push(self.ana)
        self.push(self.bob)
        git(self.ana.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        self.say(self.ana, "trust", "--yes")

    def push(self, who: Player) -> None:
        """Commit what there is, take in what others pushed, and push."""
        commit(who.folder, "said")
        git(who.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main", check=False)
        git(who.folder, "push", "-q", "origin", "HEAD:main")


def look_everywhere(team: Team) -> dict[str, str]:
    """Return what Ana and her agents are shown of the question, place by place."""
    ana = team.ana
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "engineer"}))
    return {
        "inbox": team.say(ana, "clarify", "inbox"),
        "role's inbox": team.say(ana, "clarify", "inbox", "engineer"),
        "first screen": team.say(ana),
        "status": team.say(ana, "status"),
        "wait": team.say(ana, "clarify", "wait", CLR, role="engineer"),
        "threads": team.say(ana, "clarify", "--issue", "1"),
        "json": team.say(ana, "clarify", "--issue", "1", "--json"),
        "recall": team.say(ana, "recall", "--issue", "1", role="engineer"),
        "recall without a role": team.say(ana, "recall"),
        "tool": agent.call("inbox", role="engineer"),
    }


def ask_anew(team: Team) -> None:
    """Let Ana's YES be settled, and Bob, asked the same anew, say NO."""
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "origin", "main")
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    anew = (*ASK, "--to", PERSON, "--question", "May we drop the old table?", "--ask-anyway")
    team.say(team.bob, *anew)
    team.say(team.bob, "clarify", "answer", "CLR-1-002", NO, "--as-person")


def wait(team: Team, name: str = CLR) -> str:
    """Return what the asker is told who waits."""
    return team.say(team.ana, "clarify", "wait", name, role="engineer")


def name_other(who: Player, team: Team) -> str:
    """Return the writer that is not one's own."""
    writers = json.loads(team.say(who, "trust", "--show", "--json"))["writers"]
    return str(next(each["writer"] for each in writers if not each["own"]))
