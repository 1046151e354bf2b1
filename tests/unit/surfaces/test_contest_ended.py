"""Goal: a person who is asked anew, and has before them what contests an answer, ends the contest.

Method: Ana's YES is settled, and Bob, whom she does not trust, says NO to it; her engineer asks the
same anew as it is told to. Real git, real commands and tools in process.
"""

from __future__ import annotations

import json
import shlex
import time

import pytest

from agentx.clarification.model import PERSON
from agentx.clarification.ways import LET_GO
from tests.support.contesting import (
    ASK,
    CLR,
    NO,
    YES,
    Team,
    ask_anew,
    look_everywhere,
    name_other,
    wait,
)
from tests.support.repository import git

pytestmark = pytest.mark.promise("clarify.signed")

ANEW = "CLR-1-002"
ASKED = (*ASK, "--to", PERSON, "--question", "May we drop the old table?", "--ask-anyway")


@pytest.fixture
def team(begun: Team) -> Team:
    """Give a team in which Ana's YES is settled, and Bob said NO in his clone."""
    team = begun
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.say(team.bob, "clarify", "resolve", CLR, NO, "--as-person")
    return team


def ask_as_told(team: Team) -> None:
    """Let the engineer do what `wait` says."""
    _, _, offered = wait(team).partition("next: ")
    team.say(team.ana, *shlex.split(offered)[1:], role="engineer")


def look(team: Team) -> dict[str, str]:
    told = look_everywhere(team)
    told["hook"] = team.say(team.ana, "hook", "start", "--issue", "1", role="engineer")
    told["search"] = team.say(team.ana, "search", "drop the old table")
    return told


@pytest.mark.parametrize("settled", [False, True])
def test_asked_anew_the_same_word_ends_it_everywhere(team: Team, *, settled: bool) -> None:
    team.merge()
    assert "contested" in wait(team)
    ask_as_told(team)
    assert "contested" in wait(team), "nobody has answered yet"
    team.say(team.ana, "clarify", "answer", ANEW, YES, "--as-person")
    if settled:
        team.say(team.ana, "clarify", "resolve", ANEW, role="engineer")
    for place, said in look(team).items():
        assert "contested" not in said, f"{place}: {said}"
        assert "do not trust" not in said, f"{place}: {said}"
    assert YES in wait(team)
    assert "next:" not in wait(team)
    assert team.say(team.ana, "recall", role="tester").count(YES) == 1


def test_asked_anew_the_other_word_ends_it_too_and_stands(team: Team) -> None:
    team.merge()
    ask_as_told(team)
    team.say(team.ana, "clarify", "resolve", ANEW, NO, "--as-person")
    for place, said in look(team).items():
        assert "contested" not in said, f"{place}: {said}"
    assert f"later decided otherwise: {NO}" in wait(team)
    recalled = team.say(team.ana, "recall", role="tester")
    assert (recalled.count(NO), recalled.count(YES)) == (1, 0)


def test_every_clone_knows_that_it_ended_and_a_view_that_is_made_again(team: Team) -> None:
    team.merge()
    ask_as_told(team)
    team.say(team.ana, "clarify", "resolve", ANEW, YES, "--as-person")
    for view in (team.ana.folder / ".agentx/state/clarifications").iterdir():
        view.unlink()
    assert "contested" not in wait(team)
    # It is contested again by what is said after that.
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    assert f"later decided otherwise: {YES}" in team.say(team.bob, "clarify", "wait", CLR)
    team.say(team.bob, *ASKED)
    team.say(team.bob, "clarify", "resolve", "CLR-1-003", NO, "--as-person")
    team.merge()
    assert "contested" in wait(team)


def test_who_was_asked_anew_before_it_was_known_ends_nothing(team: Team) -> None:
    team.say(team.ana, *ASKED, role="engineer")
    team.say(team.ana, "clarify", "resolve", ANEW, YES, "--as-person")
    team.merge()
    assert "contested" in wait(team), "she had not seen his"
    assert "contested" in team.say(team.ana, "recall", role="tester")


def test_what_was_asked_before_and_answered_after_it_was_known_ends_it(team: Team) -> None:
    team.say(team.ana, *ASKED, role="engineer")
    team.merge()
    assert "contested" in wait(team)
    team.say(team.ana, "clarify", "resolve", ANEW, YES, "--as-person")
    assert "contested" not in wait(team)


@pytest.mark.parametrize("ahead", [-3_600, 3_600])
def test_it_ends_whatever_the_others_clock_says(
    begun: Team, monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    team, now_ns = begun, time.time_ns
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + ahead * 1_000_000_000)
    monkeypatch.setattr(time, "time", lambda: now_ns() / 1e9 + ahead)
    team.say(team.bob, "clarify", "resolve", CLR, NO, "--as-person")
    monkeypatch.setattr(time, "time_ns", now_ns)
    monkeypatch.setattr(time, "time", lambda: now_ns() / 1e9)
    team.merge()
    ask_as_told(team)
    team.say(team.ana, "clarify", "resolve", ANEW, YES, "--as-person")
    assert "contested" not in wait(team)


def test_no_agents_word_ends_it(team: Team) -> None:
    team.merge()
    asked = (*ASK, "--to", "architect", "--question", "May we drop the old table?", "--ask-anyway")
    team.say(team.ana, *asked, role="engineer")
    team.say(team.ana, "clarify", "answer", ANEW, YES, role="architect")
    team.say(team.ana, "clarify", "resolve", ANEW, role="engineer")
    assert "contested" in wait(team)


def test_a_word_to_another_question_ends_nothing(team: Team) -> None:
    team.merge()
    other = (*ASK, "--to", PERSON, "--question", "May we rename the old table?")
    team.say(team.ana, *other, role="engineer")
    team.say(team.ana, "clarify", "resolve", ANEW, YES, "--as-person")
    assert "contested" in wait(team)


def test_what_contests_it_elsewhere_is_over_too(begun: Team) -> None:
    team = begun
    ask_anew(team)
    team.say(team.ana, *ASKED, role="engineer")
    team.merge()
    assert f"said otherwise to {ANEW}" in wait(team)
    team.say(team.ana, "clarify", "resolve", "CLR-1-003", YES, "--as-person")
    assert "contested" not in wait(team)


def test_who_says_nothing_ends_nothing_and_is_told_how_it_ends(team: Team) -> None:
    team.merge()
    before = team.say(team.ana, "clarify", "--issue", "1")
    team.ana.play()
    code, said = team.ana.agentx("clarify", "resolve", CLR, "--as-person")
    told = " ".join(said.split())
    assert (code, f"{CLR} is settled, and contested" in told) == (3, True), told
    assert f"a person says what holds: agentx clarify resolve {CLR} TEXT" in told
    assert team.say(team.ana, "clarify", "--issue", "1") == before


@pytest.mark.parametrize("words", [LET_GO, f"{LET_GO.capitalize()}, thanks!", ""])
def test_who_only_lets_it_go_asked_anew_ends_nothing(team: Team, words: str) -> None:
    team.merge()
    ask_as_told(team)
    team.say(team.ana, "clarify", "resolve", ANEW, *filter(None, (words,)), "--as-person")
    contested = "contested: a writer who is not trusted here said otherwise"
    for place, said in look(team).items():
        if YES in said:
            assert "contested" in said, f"{place}: {said}"
    assert f"decided by a person (unconfirmed): {YES} [{contested}" in wait(team)
    assert "whom you do not trust, has decided otherwise" in team.say(team.ana, "clarify", "inbox")
    beside = f"which stands: {YES} (unconfirmed, {CLR}, {contested})"
    assert beside in wait(team, ANEW)
    assert beside in team.say(team.ana, "clarify", "--issue", "1")


def test_what_waits_is_told_with_what_contests_the_word_beside_it(team: Team) -> None:
    team.merge()
    ask_as_told(team)
    beside = (
        f"{YES} (unconfirmed, {CLR}, contested: a writer who is not trusted here said otherwise)"
    )
    for said in (
        team.say(team.ana, "clarify", "inbox"),
        team.say(team.ana, "clarify", "wait", ANEW, "--timeout", "0", role="engineer", code=6),
        team.say(team.ana, "clarify", "--issue", "1"),
    ):
        assert f"a person had said to the same: {beside}" in said


def test_what_is_said_twice_is_told_once(team: Team) -> None:
    team.merge()
    assert team.say(team.ana, "show", CLR).count("contested") == 1
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    recalled = team.say(team.ana, "recall", role="tester")
    assert (recalled.count(YES), "had answered" in recalled) == (1, False), recalled


def test_the_command_that_is_offered_asks_in_all_the_words(
    begun: Team,
) -> None:
    team = begun
    long = f"May we drop it {'and what hangs on it ' * 40}now?"
    team.say(team.ana, *ASK, "--to", PERSON, "--question", long)
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "origin", "main")
    team.say(team.ana, "clarify", "resolve", ANEW, YES, "--as-person")
    team.say(team.bob, "clarify", "resolve", ANEW, NO, "--as-person")
    team.merge()
    row = json.loads(team.say(team.ana, "clarify", "wait", ANEW, "--json", role="engineer"))
    [offered] = row["nextActions"]
    team.say(team.ana, *shlex.split(offered)[1:], role="engineer")
    team.say(team.ana, "clarify", "resolve", "CLR-1-003", YES, "--as-person")
    assert "contested" not in wait(team, ANEW)
