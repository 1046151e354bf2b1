"""Goal: a person's last word marks the other, to whichever of two questions in the same words.

Method: Ana's YES is settled, Bob contests it, and the same is asked anew; people speak to both, one
after the other, as the screens tell them to. Real git, real commands and tools in process.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from agentx.clarification.model import PERSON
from agentx.kernel.text import CONTESTED
from agentx.project.config import read_environment
from agentx.project.roles import caller
from tests.support.contesting import ASK, CLR, NO, YES, Team, name_other, wait
from tests.support.mcp_agent import Agent, rows_of
from tests.support.players import Player
from tests.support.repository import git

pytestmark = pytest.mark.promise("clarify.signed")

ANEW = "CLR-1-002"
ASKED = (*ASK, "--to", PERSON, "--question", "May we drop the old table?", "--ask-anyway")
HOLDS, STOP = "YES, it holds", "NO, stop"


def check_quiet(team: Team) -> None:
    """Nothing waits for Ana, and nothing is contested; what a program said she may be told."""
    told = team.say(team.ana, "clarify", "inbox")
    assert told.startswith("Nothing waits for you"), told
    assert "otherwise" not in told


def contest(team: Team) -> None:
    """Let Ana's YES be settled, and Bob, whom she does not trust, say NO to it."""
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.say(team.bob, "clarify", "resolve", CLR, NO, "--as-person")
    team.merge()


def pull(team: Team, who: Player) -> None:
    team.push(team.ana if who is team.bob else team.bob)
    git(who.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")


def look(team: Team, who: Player) -> dict[str, str]:
    """Return what somebody's agents are told of both, place by place."""
    agent = Agent(who.folder, read_environment({**who.known, "AGENTX_AGENT": "engineer"}))
    return {
        "wait for the first": team.say(who, "clarify", "wait", CLR, role="engineer"),
        "wait for the second": team.say(who, "clarify", "wait", ANEW, role="engineer"),
        "show the first": team.say(who, "show", CLR),
        "show the second": team.say(who, "show", ANEW),
        "inbox": team.say(who, "clarify", "inbox", "engineer"),
        "tool": agent.call("inbox", role="engineer"),
        "start": team.say(who, "hook", "start", "--issue", "1", role="engineer"),
        "recall": team.say(who, "recall", role="tester"),
    }


def check(team: Team, who: Player, stands: str, gone: str, name: str) -> None:
    """Hold what is told everywhere against the word that stands, and to what it was said."""
    mark = f"later decided otherwise: {stands} (unconfirmed, {name})"
    told = look(team, who)
    for place, said in told.items():
        bare = said.replace(mark, "")
        assert gone not in bare or mark in said, f"{place}: {said}"
        assert f"otherwise: {gone}" not in said, f"{place}: {said}"
    assert (stands in told["recall"], gone in told["recall"]) == (True, False), told["recall"]
    assert f"decided The table: {gone}" not in told["start"], "no news"
    assert mark in team.say(who, "search", "drop the old table")
    shutil.rmtree(who.folder / ".agentx/state/clarifications")
    for asked in (CLR, ANEW):
        said = team.say(who, "clarify", "wait", asked, role="engineer")
        assert (mark in said) == (asked != name), "the same once its view is made again"


def test_who_says_what_holds_and_is_asked_once_more_is_told_as_having_said_the_last(
    begun: Team,
) -> None:
    team = begun
    contest(team)
    team.say(team.ana, *ASKED, role="engineer")
    team.say(team.ana, "clarify", "resolve", CLR, HOLDS, "--as-person")
    # What waits still is told it, and is answered by nobody.
    said = f"{HOLDS} (unconfirmed, {CLR}, a person had said otherwise: {YES} (unconfirmed))"
    since = f"a person said to the same: {said}"
    for words in (("clarify", "inbox"), ("clarify", "--issue", "1"), ("show", ANEW)):
        assert since in team.say(team.ana, *words), words
    team.ana.play("engineer")
    assert since in team.ana.agentx("clarify", "wait", ANEW, "--timeout", "0")[1]
    rows = json.loads(team.say(team.ana, "clarify", "inbox", "--json"))["clarifications"]
    assert [each["decidedMeanwhile"] for each in rows] == [said]
    assert [each["status"] for each in rows] == ["pending"], "it is nobody's answer"

    team.say(team.ana, "clarify", "answer", ANEW, STOP, "--as-person")
    mark = f"later decided otherwise: {STOP} (unconfirmed, {ANEW})"
    assert mark in wait(team)
    assert since not in wait(team, ANEW)
    team.say(team.ana, "clarify", "resolve", ANEW, role="engineer")
    check(team, team.ana, STOP, HOLDS, ANEW)


def test_who_decides_the_first_after_the_second_was_decided_marks_that(begun: Team) -> None:
    team = begun
    contest(team)
    pull(team, team.bob)
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.bob, *ASKED, role="engineer")
    team.say(team.bob, "clarify", "answer", ANEW, STOP, "--as-person")
    pull(team, team.ana)
    team.say(team.ana, "clarify", "resolve", CLR, HOLDS, "--as-person")
    assert "contested" not in wait(team), "she had his word before her"
    pull(team, team.bob)
    mark = f"later decided otherwise: {HOLDS} (unconfirmed, {CLR})"
    assert mark in team.say(team.bob, "clarify", "wait", ANEW, role="engineer"), "not settled yet"
    assert mark in team.say(team.bob, "hook", "start", "--issue", "1", role="engineer")
    team.say(team.bob, "clarify", "resolve", ANEW, role="engineer")
    check(team, team.bob, HOLDS, STOP, CLR)
    # Ana's agents are told the same, once she trusts him.
    pull(team, team.ana)
    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    assert mark in wait(team, ANEW)
    recalled = team.say(team.ana, "recall", role="tester")
    assert (HOLDS in recalled, STOP in recalled) == (True, False), recalled


@pytest.mark.parametrize("is_settled", [True, False])
def test_what_is_said_to_the_first_after_all_contests_what_stands_of_the_second(
    begun: Team, is_settled: bool
) -> None:
    team = begun
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.say(team.ana, *ASKED, role="engineer")
    team.say(team.ana, "clarify", "answer", ANEW, HOLDS, "--as-person")
    if is_settled:
        team.say(team.ana, "clarify", "resolve", ANEW, role="engineer")
    check_quiet(team)
    team.say(team.bob, "clarify", "resolve", CLR, NO, "--as-person")
    team.merge()

    contested = f"contested: a writer who is not trusted here said otherwise to {CLR}"
    assert contested in wait(team, ANEW)
    told = "has decided otherwise. Read it: agentx clarify --issue 1; say what holds: "
    told += f"agentx clarify resolve {CLR}"
    assert told in team.say(team.ana, "clarify", "inbox")
    team.say(team.ana, "clarify", "resolve", CLR, STOP, "--as-person")
    assert f"later decided otherwise: {STOP} (unconfirmed, {CLR})" in wait(team, ANEW)
    assert "contested" not in wait(team, ANEW)
    check_quiet(team)


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[None]]:
    """Return what lets a person sit at their terminal for a while."""

    @contextmanager
    def sit() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(caller, "_sits_at_terminal", lambda: True)
            yield

    return sit


@pytest.mark.parametrize("is_settled", [True, False])
def test_a_word_in_doubt_against_a_sure_one_is_told_beside_it_everywhere(
    begun: Team, at_terminal: Callable[[], AbstractContextManager[None]], is_settled: bool
) -> None:
    team, ana = begun, begun.ana
    with at_terminal():
        team.say(ana, "clarify", "answer", CLR, YES)
    team.say(ana, "clarify", "resolve", CLR, role="engineer")
    team.say(ana, *ASKED, role="engineer")
    team.say(ana, "clarify", "answer", ANEW, STOP, "--as-person")
    if is_settled:
        team.say(ana, "clarify", "resolve", ANEW, role="engineer")

    sure = f"contested: a person's unconfirmed word to {ANEW} says otherwise; ask the user"
    unsure = f"contested: a person had decided otherwise: {YES} ({CLR}); ask the user"
    told = look(team, ana)
    for place in ("wait for the first", "show the first", "inbox", "tool", "start"):
        assert sure in told[place], f"{place}: {told[place]}"
    for place in ("wait for the second", "show the second", "inbox", "tool", "start"):
        assert unsure in told[place], f"{place}: {told[place]}"
    recalled = told["recall"]
    assert recalled.count(CONTESTED) == recalled.count("Decided by a person") == 1 + is_settled
    # Nobody is answered with either, and the person is told with the way out.
    asks = tuple({"engineer": "tester", PERSON: "engineer"}.get(word, word) for word in ASKED[:-1])
    assert "already answered" not in team.say(ana, *asks, role="tester")
    way = f"{ANEW}: its answer is a person's unconfirmed word, and a person had decided otherwise: "
    way += f"{YES} ({CLR}). Read it: agentx clarify --issue 1; say what holds at a terminal"
    anew = ", asked anew: agentx clarify ask --issue 1 --from engineer --to human"
    decide = f": agentx clarify resolve {ANEW}"
    assert f"{way}{anew if is_settled else decide}" in team.say(ana, "clarify", "inbox")
    assert "1 contested: `agentx clarify inbox`" in team.say(ana, "status")
    assert f"{ANEW}: its answer is a person's unconfirmed word" in team.say(ana, "doctor")

    last = "CLR-1-004" if is_settled else ANEW
    if is_settled:
        team.say(ana, *ASKED, role="engineer")
    with at_terminal():
        team.say(ana, "clarify", "answer" if is_settled else "resolve", last, HOLDS)
    for asked in (CLR, ANEW):
        said = wait(team, asked)
        assert "contested" not in said, said
        assert (f"later decided otherwise: {HOLDS} ({last})" in said) == (asked != last), said
    assert "unconfirmed word" not in team.say(ana, "clarify", "inbox")


def test_who_says_at_a_terminal_what_was_said_for_them_confirms_it(
    begun: Team, at_terminal: Callable[[], AbstractContextManager[None]]
) -> None:
    team, ana = begun, begun.ana
    with at_terminal():
        team.say(ana, "clarify", "answer", CLR, YES)
    team.say(ana, "clarify", "resolve", CLR, role="engineer")
    team.say(ana, *ASKED, role="engineer")
    team.say(ana, "clarify", "answer", ANEW, STOP, "--as-person")
    with at_terminal():
        team.say(ana, "clarify", "resolve", ANEW, STOP)

    assert f"decided by a person: {STOP}" in wait(team, ANEW)
    assert "contested" not in wait(team, ANEW)
    assert f"later decided otherwise: {STOP} ({ANEW})" in wait(team)
    check_quiet(team)


@pytest.mark.parametrize("is_called", [True, False])
def test_what_only_a_program_said_is_told_to_the_person_who_says_what_holds(
    begun: Team, at_terminal: Callable[[], AbstractContextManager[None]], is_called: bool
) -> None:
    team, ana = begun, begun.ana
    if is_called:
        team.say(ana, "clarify", "escalate", CLR, role="engineer")
    team.say(ana, "clarify", "answer", CLR, YES, "--as-person")
    if not is_called:
        team.say(ana, "clarify", "resolve", CLR, role="engineer")
    told = f"a program said it for a person, unconfirmed: {YES}; say what holds: agentx clarify"
    assert told in team.say(ana, "clarify", "inbox")

    with at_terminal():
        team.say(ana, "clarify", "resolve", CLR, STOP)

    assert f"decided by a person: {STOP}" in wait(team)
    assert "Nothing waits for you." in team.say(ana, "clarify", "inbox")
    kept = team.say(ana, "memory", "list")
    before = (
        f"had said otherwise: {YES} (unconfirmed)" if is_called else "(unconfirmed) had answered"
    )
    assert f"{STOP} (a person" in kept
    assert before in kept


def test_a_word_in_doubt_takes_no_sure_one_of_its_own_question_back(
    begun: Team, at_terminal: Callable[[], AbstractContextManager[None]]
) -> None:
    team, ana = begun, begun.ana
    with at_terminal():
        team.say(ana, "clarify", "answer", CLR, NO)
    team.say(ana, "clarify", "resolve", CLR, YES, "--as-person")

    unsure = f"contested: a person had decided otherwise: {NO}; ask the user"
    assert unsure in wait(team)
    for words in (("hook", "start", "--issue", "1"), ("show", CLR), ("search", "table")):
        assert unsure in team.say(ana, *words, role="engineer"), words
    recalled = team.say(ana, "recall", role="tester")
    assert recalled.count("Decided by a person") == recalled.count(CONTESTED) == 1
    asks = (*ASK, "--to", "architect", "--question", "May we drop the old table?")
    assert "already answered" not in team.say(ana, *asks, role="engineer")
    way = f"{CLR}: its answer is a person's unconfirmed word, and a person had decided otherwise: "
    way += f"{NO}. Read it: agentx clarify --issue 1; say what holds at a terminal"
    assert f"{way}: agentx clarify resolve {CLR}" in team.say(ana, "clarify", "inbox")
    assert "1 contested: `agentx clarify inbox`" in team.say(ana, "status")

    with at_terminal():
        team.say(ana, "clarify", "resolve", CLR, STOP)
    assert f"decided by a person: {STOP}" in wait(team)
    assert "contested" not in wait(team)
    assert "unconfirmed word" not in team.say(ana, "clarify", "inbox")


def test_a_word_in_doubt_takes_no_sure_one_back_that_was_asked_for_otherwise(
    begun: Team, at_terminal: Callable[[], AbstractContextManager[None]]
) -> None:
    team, ana = begun, begun.ana
    with at_terminal():
        team.say(ana, "clarify", "answer", CLR, NO)
    again = ("--follow-up", CLR, "--question", "Shall I drop the old table?")
    team.say(ana, "clarify", "ask", *again, role="engineer")
    team.say(ana, "clarify", "answer", CLR, YES, "--as-person")

    assert f"contested: a person had decided otherwise: {NO}; ask the user" in wait(team)
    assert f"{CLR}: its answer is a person's unconfirmed word" in team.say(ana, "clarify", "inbox")


@pytest.mark.parametrize("is_settled", [True, False])
def test_what_a_person_said_before_they_were_asked_something_else_stands(
    begun: Team, is_settled: bool
) -> None:
    team, ana = begun, begun.ana
    team.say(ana, "clarify", "answer", CLR, YES, "--as-person")
    team.say(ana, "clarify", "resolve", CLR, role="engineer")
    team.say(ana, *ASKED, role="engineer")
    team.say(ana, "clarify", "answer", ANEW, STOP, "--as-person")
    further = ("--follow-up", ANEW, "--question", "May we rename it then?")
    team.say(ana, "clarify", "ask", *further, role="engineer")
    team.say(ana, "clarify", "answer", ANEW, "Rename it", "--as-person")
    if is_settled:
        team.say(ana, "clarify", "resolve", ANEW, role="engineer")

    mark = f"later decided otherwise: {STOP} (unconfirmed, {ANEW})"
    told = look(team, ana)
    assert mark in told["wait for the first"]
    assert mark in told["show the first"]
    assert "Rename it" in told["wait for the second"]
    # Memory tells the last word to each thing that was asked, and what its thread asked then.
    assert f"[{ANEW}] (then asked further: May we rename it then?)" in told["recall"]
    assert f"{STOP}. Decided by" in told["recall"]
    assert f"[{CLR}]" not in told["recall"]
    since = f"[{ANEW}] (then asked further: May we rename it then?)"
    assert since in team.say(ana, "memory", "list"), "behind what was said"
    agent = Agent(ana.folder, read_environment({**ana.known, "AGENTX_AGENT": "engineer"}))
    kept = agent.call("observations", query="drop the old table")
    assert since in kept
    [row] = [each for each in rows_of(kept) if since in each]
    assert since[len(ANEW) + 3 :].strip("()") in agent.call("observations", id=row.split()[1])
    asks = (*ASK, "--to", "architect", "--question", "May we drop the old table?")
    assert "already answered" not in team.say(ana, *asks, role="engineer")
