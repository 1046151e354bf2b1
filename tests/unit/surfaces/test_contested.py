"""Goal: an answer that somebody contradicts who is not trusted yet is told as contested.

Method: Ana and Bob with homes of their own and clones of one repository; real git, real commands
and tools in process. Ana's YES stands; Bob says NO later, and is no writer that Ana trusts.
"""

from __future__ import annotations

import io
import json
import shlex
import time

import pytest
from rich.console import Console

from agentx.clarification.model import PERSON
from agentx.operations.questions.read import inbox_of
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.surfaces.cli.commands.work.threads import draw_inbox
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
from tests.support.mcp_agent import Agent
from tests.support.repository import git

pytestmark = pytest.mark.promise("clarify.signed")


@pytest.fixture
def team(begun: Team) -> Team:
    team = begun
    for who, word in ((team.ana, YES), (team.bob, NO)):
        team.say(who, "clarify", "answer", CLR, word, "--as-person")
    team.push(team.ana)
    team.push(team.bob)
    git(team.ana.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    return team


def test_an_answer_that_is_contested_says_so_wherever_it_is_told(team: Team) -> None:
    before = team.say(team.ana, "clarify", "wait", CLR, role="engineer")
    assert "contested" in before, "a pull makes it a stranger's, and its own question is waited for"
    trusted = team.say(team.ana, "trust", "--yes")
    assert "not believed where they claim a person" in trusted
    assert "agentx trust --writer" in trusted

    for place, said in look_everywhere(team).items():
        assert "contested" in said or "do not trust" in said, f"{place}: {said}"
        assert NO not in said or place in ("threads", "json", "wait"), f"{place}: {said}"
    [row] = json.loads(team.say(team.ana, "clarify", "--issue", "1", "--json"))["clarifications"]
    assert row["contested"]["body"] == NO

    [bob] = json.loads(team.say(team.ana, "trust", "--show", "--json"))["writers"][1:]
    team.say(team.ana, "trust", "--writer", bob["writer"], "--yes")
    for place, said in look_everywhere(team).items():
        assert "contested" not in said, f"{place}: {said}"
    assert NO in team.say(team.ana, "clarify", "wait", CLR, role="engineer")


def test_memory_does_not_answer_with_what_is_contested(team: Team) -> None:
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    again = (*ASK, "--to", "architect", "--question", "May we drop the old table?", "--json")
    asked = json.loads(team.say(team.ana, *again, role="engineer"))
    assert "knownAnswer" not in asked or asked["knownAnswer"] is None, asked


def test_what_was_kept_of_it_is_contested_too(team: Team) -> None:
    team.say(team.ana, "trust", "--yes")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.say(team.ana, "sync")
    [kept] = json.loads(team.say(team.ana, "memory", "list", "--json"))["observations"]
    agent = Agent(team.ana.folder, read_environment(team.ana.known))
    team.say(team.ana, "run", "start", "Tidy up")
    team.say(team.ana, "run", "task", "add", "Drop the old table")
    said = (
        team.say(team.ana, "run", "context", "--task", "TASK-001"),
        team.say(team.ana, "memory", "list"),
        team.say(team.ana, "memory", "show", kept["id"]),
        team.say(team.ana, "recall", "--issue", "1"),
        agent.call("get", ids=[kept["id"]]),
    )
    for each in said:
        assert YES in each
        assert "contested, somebody said otherwise: ask the user" in each


def test_it_is_contested_by_who_saw_what_and_not_by_clocks(
    begun: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, now_ns = begun, time.time_ns
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "origin", "main")
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() - 3_600_000_000_000)
    monkeypatch.setattr(time, "time", lambda: now_ns() / 1e9 - 3_600)
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.bob, "clarify", "resolve", CLR, NO, "--as-person")
    monkeypatch.setattr(time, "time_ns", now_ns)
    monkeypatch.setattr(time, "time", lambda: now_ns() / 1e9)
    team.merge()
    assert "contested" in wait(team), "he had seen her YES, whatever his clock said"

    team.say(team.ana, "clarify", "resolve", CLR, f"{YES}, I read his", "--as-person")
    assert "contested" not in wait(team), "she has seen his, and said what holds"
    assert "not trust" not in team.say(team.ana), "nothing waits for her any more"
    trusted = name_other(team.ana, team)
    team.say(team.ana, "trust", "--writer", trusted, "--yes")
    assert f"{YES}, I read his" in wait(team), "as it would be if she trusted him"


def test_what_was_decided_unseen_contests_though_it_came_first(begun: Team) -> None:
    team = begun
    team.say(team.bob, "clarify", "resolve", CLR, NO, "--as-person")
    team.say(team.ana, "clarify", "answer", CLR, YES, "--as-person")
    team.merge()
    assert "contested" in wait(team)
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    assert "contested" in team.say(team.ana, "recall", role="tester")


def test_a_persons_decision_contests_what_an_agent_answered_before_or_after(begun: Team) -> None:
    team, name = begun, "CLR-1-002"
    team.say(team.ana, *ASK, "--to", "architect", "--question", "Which table is old?")
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "origin", "main")
    team.say(team.bob, "clarify", "resolve", name, "the second", "--as-person")
    team.merge()
    told = team.say(team.ana, "clarify", "inbox")
    assert f"{name}: " in told
    assert "whom you do not trust, has decided it" in told
    team.say(team.ana, "clarify", "answer", name, "the first", role="architect")
    assert "contested" in wait(team, name)
    assert "has decided otherwise" in team.say(team.ana, "clarify", "inbox")


def test_who_decides_otherwise_asked_anew_contests_the_first_word(begun: Team) -> None:
    team = begun
    ask_anew(team)
    team.merge()
    assert "said otherwise to CLR-1-002" in wait(team)
    assert "contested" in team.say(team.ana, "recall", role="tester")

    team.say(team.ana, "clarify", "resolve", "CLR-1-002", YES, "--as-person")
    assert "contested" not in wait(team), "she decided it anew"
    assert "not trust" not in team.say(team.ana)


def test_a_person_ends_a_contest_in_the_words_that_stand(team: Team) -> None:
    team.say(team.ana, "trust", "--yes")
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    assert YES in wait(team)
    assert "contested" not in wait(team)


def test_nobody_but_a_person_ends_a_contest_and_nothing_else_is_decided_twice(team: Team) -> None:
    team.say(team.ana, "trust", "--yes")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.ana.play("engineer")
    assert team.ana.agentx("clarify", "resolve", CLR, "mine")[0] != 0
    team.say(team.ana, "clarify", "resolve", CLR, NO, "--as-person")
    assert NO in wait(team)
    assert "contested" not in wait(team)
    team.ana.play()
    code, said = team.ana.agentx("clarify", "resolve", CLR, YES, "--as-person")
    assert (code, "ask it anew" in " ".join(said.split())) == (3, True)


def test_an_inbox_with_nothing_but_what_is_contested_says_that_it_is_to_be_read(team: Team) -> None:
    team.say(team.ana, "trust", "--yes")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    said = team.say(team.ana, "clarify", "inbox")
    assert said.startswith("Nothing waits for you but to read this: "), said
    assert "do not trust" in said
    assert team.say(team.ana, "clarify", "inbox", "reviewer") == "Nothing waits for reviewer."


def test_who_settles_it_without_a_word_takes_back_nobodys(begun: Team) -> None:
    team = begun
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.ana, "clarify", "resolve", CLR, NO, "--as-person")
    team.say(team.bob, "clarify", "resolve", CLR, "--as-person")
    team.merge()
    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    for who in (team.ana, team.bob):
        assert f"decided by a person (unconfirmed): {NO}" in team.say(who, "clarify", "wait", CLR)
    assert NO in team.say(team.ana, "recall", role="tester")


def test_a_person_who_says_otherwise_than_an_agent_answered_decides_as_a_person(
    begun: Team,
) -> None:
    team, name = begun, "CLR-1-002"
    team.say(team.ana, *ASK, "--to", "architect", "--question", "Which table is old?")
    team.say(team.ana, "clarify", "answer", name, "the first", role="architect")
    team.say(team.ana, "clarify", "resolve", name, "NO, none of them", "--as-person")
    assert "decided by a person (unconfirmed): NO, none of them" in wait(team, name)
    told = team.say(team.ana, "recall", role="tester")
    assert "NO, none of them (architect had answered: the first). Decided by" in told


@pytest.mark.parametrize(
    ("answered", "settled", "told"),
    [
        ("YES go on, drop it", "NO, stop", "NO, stop (architect had answered: YES go on, drop it)"),
        ("the first", "No", "No (architect had answered: the first)"),
        ("use PostgreSQL", "PostgreSQL it is", "use PostgreSQL"),
        ("use PostgreSQL", "ok, thanks!", "use PostgreSQL"),
        ("Tabs over spaces", "spaces over tabs", "spaces over tabs (architect had answered: Tabs"),
        ("Do not wait: use MySQL", "not MySQL", "not MySQL (architect had answered: Do not wait"),
        ("A; B only if slow", "B", "B (architect had answered: A; B only if slow)"),
        ("YES", "OK, I go on without it", "OK, I go on without it (architect had answered: YES)"),
        ("use PostgreSQL", "not PostgreSQL", "not PostgreSQL (architect had answered: use Postgre"),
    ],
)
def test_a_role_that_settles_otherwise_than_was_answered_decides_in_its_own_name(
    begun: Team, answered: str, settled: str, told: str
) -> None:
    team, name = begun, "CLR-1-002"
    team.say(team.ana, *ASK, "--to", "architect", "--question", "Which table is old?")
    team.say(team.ana, "clarify", "answer", name, answered, role="architect")
    team.say(team.ana, "clarify", "resolve", name, settled, role="engineer")
    recalled = team.say(team.ana, "recall", role="tester")
    assert f": {told}" in recalled
    whose = "engineer" if "had answered" in told else "architect"
    assert f"Decided by {whose}" in recalled
    assert f"answered by architect: {answered}" in wait(team, name)


def test_what_an_offshoot_begins_with_is_no_later_word(begun: Team) -> None:
    team = begun
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.bob, "clarify", "answer", CLR, YES, "--as-person")
    team.say(team.ana, "clarify", "resolve", CLR, NO, "--as-person")
    further = ("clarify", "ask", "--follow-up", CLR, "--question", "The backups too?")
    team.say(team.bob, *further, role="engineer")
    team.merge()
    team.say(team.ana, "trust", "--writer", name_other(team.ana, team), "--yes")
    told = wait(team, CLR)
    assert NO in told
    assert "later decided otherwise" not in told
    offshoot = "CLR-1-002"
    assert "The backups too?" in team.say(team.ana, "clarify", "--issue", "1")
    assert NO in team.say(team.ana, "recall", role="tester")
    # Who lets the further question go says nothing of the first.
    team.say(team.ana, "clarify", "resolve", offshoot, "--as-person")
    assert "go on with what is known" in wait(team, offshoot)
    for words in (("recall",), ("memory", "list"), ("hook", "start", "--issue", "1")):
        assert f"The table: {YES}" not in team.say(team.ana, *words, role="tester"), words
    assert NO in team.say(team.ana, "recall", role="tester")


def test_what_contests_the_last_word_contests_the_first_that_says_the_same(begun: Team) -> None:
    team = begun
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    anew = (*ASK, "--to", PERSON, "--question", "May we drop the old table?", "--ask-anyway")
    team.say(team.ana, *anew)
    team.push(team.ana)
    git(team.bob.folder, "pull", "-q", "origin", "main")
    team.say(team.bob, "trust", "--writer", name_other(team.bob, team), "--yes")
    team.say(team.ana, "clarify", "resolve", "CLR-1-002", YES, "--as-person")
    team.say(team.bob, "clarify", "resolve", "CLR-1-002", NO, "--as-person")
    team.merge()
    for name in (CLR, "CLR-1-002"):
        assert "contested" in wait(team, name)


def test_the_next_step_that_is_offered_of_what_is_settled_and_contested_works(team: Team) -> None:
    team.say(team.ana, "trust", "--yes")
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    _, _, offered = wait(team).partition("next: ")
    assert offered.startswith("agentx clarify ask --issue 1"), offered
    team.ana.play("engineer")
    code, said = team.ana.agentx("clarify", "escalate", CLR)
    assert (code, "ask it anew: agentx clarify ask" in " ".join(said.split())) == (3, True), said
    assert f"resolve {CLR} TEXT" in " ".join(said.split())
    team.say(team.ana, *shlex.split(offered)[1:], role="engineer")
    assert "CLR-1-002" in team.say(team.ana, "clarify", "inbox")
    team.say(team.ana, "clarify", "resolve", CLR, YES, "--as-person")
    assert "next:" not in wait(team), "nothing is to be done any more"


def test_a_program_finds_by_either_field_that_an_answer_is_contested(begun: Team) -> None:
    team = begun
    ask_anew(team)
    team.merge()
    [first, _] = json.loads(team.say(team.ana, "clarify", "--issue", "1", "--json"))[
        "clarifications"
    ]
    assert first["contestedBy"].endswith("said otherwise to CLR-1-002"), first
    assert first["contested"] == {"says": first["contestedBy"]}


def test_a_program_is_told_by_whom_in_either_field(team: Team) -> None:
    [row] = json.loads(team.say(team.ana, "clarify", "--issue", "1", "--json"))["clarifications"]
    assert row["contestedBy"] == "a writer who is not trusted here said otherwise"
    assert (row["contested"]["says"], row["contested"]["body"]) == (row["contestedBy"], NO)


@pytest.mark.parametrize("width", [60, 80])
def test_what_is_noted_in_an_inbox_keeps_to_the_screen(team: Team, width: int) -> None:
    team.say(team.ana, "trust", "--yes")
    project = open_project(team.ana.folder, read_environment(team.ana.known))
    screen = Console(width=width, file=io.StringIO(), force_terminal=False)
    draw_inbox(screen, inbox_of(project, PERSON), PERSON)
    said = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "whom you do not trust" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= width, said


def test_doctor_does_not_say_that_all_is_well_under_what_is_contested(team: Team) -> None:
    team.say(team.ana, "trust", "--yes")
    team.ana.play()
    said = team.ana.agentx("doctor")[1]
    assert "has answered otherwise" in " ".join(said.split())
    assert "All is well" not in said


def test_a_word_without_words_is_claimed_as_that(begun: Team) -> None:
    team = begun
    team.say(team.bob, "clarify", "resolve", CLR, "--as-person")
    team.merge()
    said = team.say(team.ana, "clarify", "inbox")
    assert "claimed go on with what is known (a person" in said, said


def test_who_withdraws_a_writer_is_told_where_it_counts_no_more(team: Team) -> None:
    team.say(team.ana, "trust", "--yes")
    bob = name_other(team.ana, team)
    team.say(team.ana, "trust", "--writer", bob, "--yes")
    said = team.say(team.ana, "trust", "--writer", bob, "--revoke")
    assert said.startswith(f"{bob}: trusted no longer, here and in every other checkout"), said


def test_an_excerpt_of_what_nobody_saw_a_person_say_says_so(begun: Team) -> None:
    team, much = begun, "Much was said of it in the office on that day, by everybody there. "
    team.say(
        team.ana, "clarify", "answer", CLR, f"{much * 20}Take zebra. {much * 5}", "--as-person"
    )
    team.say(team.ana, "clarify", "resolve", CLR, role="engineer")
    team.say(team.ana, "sync")
    for query in ("zebra office", "what was said of the office"):
        found = json.loads(team.say(team.ana, "search", query, "--json"))["hits"]
        assert {hit["kind"] for hit in found} == {"clarification", "observation"}
        for hit in found:
            assert "unconfirmed" in hit["origin"], hit


def test_where_questions_cannot_be_read_the_queue_and_the_agents_say_so(begun: Team) -> None:
    ana = begun.ana
    [view] = ana.folder.rglob("clarifications/issue-1.json")
    view.write_text("{broken")

    assert "its questions cannot be read (issue-1.json)" in begun.say(ana, "ready")
    unread = "the questions of issue 1 cannot be read, and still wait: agentx doctor"
    assert unread in begun.say(ana, "state")
    assert json.loads(ana.agentx("state", "--json")[1].partition("\n")[2])["unread"] == [unread]
