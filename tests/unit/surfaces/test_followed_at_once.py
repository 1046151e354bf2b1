"""Goal: memory tells what a colleague decided as soon as their word counts, whatever is looked at.

Method: Ana and Bob with homes of their own and clones of one repository. Ana's YES is kept; Bob
says NO, and Ana trusts him. What he decides later comes with a pull, and the first thing that she
looks at tells it; nothing is written into the repository by looking.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest

from agentx.project.config import read_environment
from agentx.wiring.kept import decided
from tests.support.contesting import ASK, CLR, NO, YES, Team
from tests.support.mcp_agent import Agent
from tests.support.repository import commit, git

pytestmark = pytest.mark.promise("clarify.signed")


def ask_tool(team: Team, tool: str, **words: object) -> str:
    return Agent(team.ana.folder, read_environment(team.ana.known)).call(tool, **words)


LOOKS: dict[str, Callable[[Team], str]] = {
    "memory list": lambda team: team.say(team.ana, "memory", "list"),
    "memory search": lambda team: team.say(team.ana, "memory", "search", "Thing"),
    "recall": lambda team: team.say(team.ana, "recall", "--issue", "1"),
    "hook start": lambda team: team.say(team.ana, "hook", "start", "--issue", "1", role="engineer"),
    "observations": lambda team: ask_tool(team, "observations"),
    "memory list after the first screen": lambda team: (
        team.say(team.ana) and team.say(team.ana, "memory", "list")
    ),
    "recall after the inbox": lambda team: (
        team.say(team.ana, "clarify", "inbox") and team.say(team.ana, "recall", "--issue", "1")
    ),
}


@pytest.fixture
def team(begun: Team) -> Team:
    """Return a team in which Ana's YES is in her memory, and Bob, who said NO, is a stranger."""
    team = begun
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    team.say(team.bob, "clarify", "resolve", CLR, NO, "--as-person")
    pull(team)
    team.say(team.ana, "trust", "--yes")
    return team


def pull(team: Team) -> None:
    """Bring what Bob said into Ana's clone, as a merge does that has no conflict."""
    questions = ".agentx/questions"
    shutil.copytree(team.bob.folder / questions, team.ana.folder / questions, dirs_exist_ok=True)
    commit(team.ana.folder, "said")


def trust_bob(team: Team, *more: str) -> None:
    writers = json.loads(team.say(team.ana, "trust", "--show", "--json"))["writers"]
    [bob] = [one["writer"] for one in writers if not one["own"]]
    team.say(team.ana, "trust", "--writer", bob, "--yes", *more)


def tells(said: str, word: str) -> bool:
    """Tell whether a word is told as what holds; a list shows what was replaced, and says so."""
    return any("superseded)" not in part[-100:] for part in said.split(word)[:-1])


def look_at(team: Team, look: str) -> str:
    before = git(team.ana.folder, "status", "--porcelain")
    said = LOOKS[look](team)
    assert git(team.ana.folder, "status", "--porcelain") == before, f"{look} writes there"
    return said


def test_memory_follows_whom_the_user_trusts(team: Team) -> None:
    yes, no = f"The table: {YES}", f"The table: {NO}"
    for change, holds, other in (((), no, yes), (("--revoke",), yes, no), ((), no, yes)):
        trust_bob(team, *change)
        for look in ("memory list", "recall"):
            said = look_at(team, look)
            assert tells(said, holds), f"{look}: {said}"
            assert not tells(said, other), f"{look}: {said}"


def test_memory_follows_a_pull_at_the_first_look(team: Team) -> None:
    trust_bob(team)
    for turn, look in enumerate(LOOKS):
        topic = f"Thing {turn}"
        words = ("--to", "human", "--question", f"May we do {turn}?", "--json")
        asked = json.loads(team.say(team.bob, *ASK[:-1], topic, *words))
        decided = f"only number {turn}"
        team.say(team.bob, "clarify", "resolve", asked["id"], decided, "--as-person")
        pull(team)
        said = look_at(team, look)
        assert tells(said, f"{topic}: {decided}"), f"{look}: {said}"


def test_a_look_goes_through_the_ledgers_only_where_others_said_something(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust_bob(team)
    look_at(team, "memory list")
    taken: list[str] = []
    monkeypatch.setattr(decided, "keep_decisions", lambda project: taken.append(project.id))
    asked = ("--to", "architect", "--question", "Which index?")
    team.say(team.ana, *ASK[:-1], "The index", *asked)
    for look in ("memory list", "memory search", "recall"):
        LOOKS[look](team)
    assert taken == []
    team.say(team.bob, *ASK[:-1], "The key", *asked)
    pull(team)
    LOOKS["memory list"](team)
    assert len(taken) == 1
