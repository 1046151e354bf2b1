"""Goal: a reply on GitHub is told as its writer's, and never as who kept it.

Method: Ana's YES is settled, and Bob's machine keeps Ada's late NO on GitHub; Ana trusts him, or
does not. Real git, real commands in process.
"""

from __future__ import annotations

import json

import pytest

from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.wiring.clarifications import open_clarifications
from tests.support.contesting import CLR, NO, YES, Team, name_other, wait
from tests.support.players import Player
from tests.support.repository import git

pytestmark = pytest.mark.promise("github.replies")

WAY = "github/ada/7"


@pytest.fixture
def team(begun: Team) -> Team:
    team = begun
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "origin", "main")
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    keep(team.bob)
    team.merge()
    return team


def keep(who: Player, said: str = NO) -> None:
    """Let a machine read the page on which Ada replied too late."""
    project = open_project(who.folder, read_environment(who.known))
    open_clarifications(project).keep_missed(CLR, said, via=WAY)


def test_who_is_not_trusted_is_said_to_have_brought_it_and_not_to_have_said_it(team: Team) -> None:
    bob = name_other(team.ana, team)
    said = team.say(team.ana, "clarify", "inbox")
    assert f"{bob}, whom you do not trust, brought ada's reply on GitHub" in said
    assert "which says otherwise, unverified. Read it" in said
    assert f"{bob}, whom you do not trust, has" not in said
    assert f"agentx trust --writer {bob}" in said
    waits = wait(team)
    assert "ada's reply on GitHub says otherwise, brought by a writer who is not trusted" in waits
    assert "ada on GitHub, not taken, unverified" in team.say(team.ana, "clarify", "--issue", "1")
    [row] = json.loads(team.say(team.ana, "clarify", "--issue", "1", "--json"))["clarifications"]
    assert row["contested"]["body"] == NO


def test_what_ones_own_machine_reads_too_is_verified_and_there_once(team: Team) -> None:
    threads = ""
    for _ in range(2):
        keep(team.ana)
        said = team.say(team.ana, "clarify", "inbox")
        assert "ada said otherwise on GitHub, which was not taken" in said
        assert "do not trust" not in said
        threads = team.say(team.ana, "clarify", "--issue", "1")
        assert (threads.count(NO), threads.count("unverified")) == (1, 0)
    for view in (team.ana.folder / ".agentx/state/clarifications").iterdir():
        view.unlink()
    assert team.say(team.ana, "clarify", "--issue", "1") == threads


def test_who_is_trusted_brought_what_ada_said(team: Team) -> None:
    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    assert "ada said otherwise on GitHub" in team.say(team.ana, "clarify", "inbox")
    assert "ada's reply on GitHub says otherwise, and was not taken" in wait(team)


def test_nobody_bears_out_words_that_ada_did_not_say(team: Team) -> None:
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    keep(team.ana, "NO, by no means")
    threads = team.say(team.ana, "clarify", "--issue", "1")
    assert "human (ada on GitHub, not taken, unverified) -> engineer" in threads
    assert "human (ada on GitHub, not taken) -> engineer" in threads
    assert "contested: ada's reply on GitHub says otherwise, and was not taken" in wait(team)


def test_it_ends_as_any_contest_does(team: Team) -> None:
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    assert "contested" not in wait(team)
    keep(team.ana)
    assert "contested" not in wait(team), "she had it before her, whoever brought it"
