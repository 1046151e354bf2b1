"""Goal: a run's question to a person is answered by a person only, says who and how, and waits in
the person's inbox wherever that is counted.

Method: real commands and tools in process on a real project folder, by a person's script, with a
role, and below an agent CLI; what is recorded is read back from the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentx.kernel.vouching.standing import SAID_FOR_PERSON
from agentx.lessons.model import LessonKind
from agentx.project.roles import caller
from agentx.runs.model import Happening, Run
from agentx.wiring.listeners import notify
from agentx.wiring.runs import open_runs
from agentx.wiring.taught.lessons import read_lessons
from tests.support.mcp_agent import Agent
from tests.support.players import Player

QUESTION = "May we delete production?"


class Shop(Player):
    """A project with a run that asked a person something."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__(root, patch)
        self.agent = Agent(self.folder, self.project.environment)
        self.play(below="")
        self.agentx("run", "start", "Ship it")
        self.agentx("run", "escalate", QUESTION, "--option", "no")
        self.asked = next(iter(self.run.escalations))

    def read(self, *words: str) -> Any:
        code, said = self.agentx("--json", *words)
        assert code == 0, said
        return json.loads(said)

    @property
    def run(self) -> Run:
        return open_runs(self.project).run("")[0]

    def count_refused(self) -> int:
        audit = self.project.data.audit
        return audit.read_text("utf-8").count("speaker-refused") if audit.exists() else 0


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    return Shop(tmp_path, monkeypatch)


def list_ways(asked: str) -> Iterator[tuple[str, ...]]:
    """Yield every command that answers the question."""
    yield "run", "escalate", "--resolve", asked, "Yes, says the user"
    yield "run", "escalate", "--resolve", asked, "Yes", "--actor", "human"
    for kind in ("escalation-resolved", "ESCALATION_RESOLVED", "escalation.resolved"):
        details = ("--detail", f"escalation={asked}", "--detail", "resolution=Yes")
        yield "run", "event", "--type", kind, *details


@pytest.mark.promise("runs.persons-word")
def test_no_agent_answers_what_a_run_asks_a_person(shop: Shop) -> None:
    for way in ({"below": ""}, {"role": "engineer"}, {"role": "engineer", "below": ""}):
        shop.play(**way)
        for words in list_ways(shop.asked):
            tries = shop.count_refused()
            code, said = shop.agentx(*words)
            assert (code, shop.count_refused()) == (2, tries + 1), (words, said)
            assert "only a person" in said
    shop.play(below="")
    code, said = shop.agentx("--json", *next(list_ways(shop.asked)))
    assert "NOT_THE_SPEAKER" in said
    tries = shop.count_refused()
    detail = {"escalation": shop.asked, "resolution": "Yes"}
    said = shop.agent.fail(
        "run_event", type="escalation-resolved", actor="orchestrator", detail=detail
    )
    assert "only a person" in said
    assert shop.count_refused() == tries + 1

    assert shop.run.escalations[shop.asked].open
    assert shop.run.status == "BLOCKED"


@pytest.mark.promise("runs.persons-word")
def test_no_agent_ends_a_conflict_by_saying_so(shop: Shop) -> None:
    detail = {"operation": "merge", "files": ["a.py"]}
    found = Happening(kind="conflict-found", actor="orchestrator", detail=detail)
    open_runs(shop.project).say("", found)
    conflict = next(iter(shop.run.conflicts))

    code, said = shop.agentx(
        "run", "event", "--type", "conflict-resolved", "--detail", f"conflict={conflict}"
    )

    assert code == 2, said
    assert shop.run.conflicts[conflict].open


@pytest.mark.promise("runs.persons-word")
def test_a_person_answers_without_naming_the_run_and_the_event_says_who_and_how(shop: Shop) -> None:
    shop.play()
    first = shop.run.id
    shop.agentx("run", "start", "Another run, which is the active one now")

    code, said = shop.agentx("run", "escalate", "--resolve", shop.asked, "No, never", "--as-person")

    assert code == 0, said
    runs = open_runs(shop.project)
    answered = runs.run(first)[0].escalations[shop.asked]
    assert (answered.resolution, answered.resolved_by) == ("No, never", "human")
    assert runs.events(first)[-1].text("via") == "unconfirmed"
    code, said = shop.agentx("run", "escalate", "--resolve", "ESC-NOBODY", "No", "--as-person")
    assert code != 0
    assert "no such escalation" in said


@pytest.mark.promise("runs.persons-word")
def test_what_a_run_asks_waits_in_the_inbox_wherever_that_is_counted(shop: Shop) -> None:
    shop.play()
    answer = f'agentx run escalate --resolve {shop.asked} "ANSWER"'
    code, said = shop.agentx("clarify", "inbox")
    assert code == 0
    assert QUESTION in said
    assert answer in said
    assert "Nothing waits" not in said
    (row,) = shop.read("clarify", "inbox")["runQuestions"]
    assert (row["id"], row["question"], row["command"]) == (shop.asked, QUESTION, answer)
    (yours,) = shop.read("status")["rooms"]["questions_yours"]
    assert (yours["id"], yours["run"]) == (shop.asked, shop.run.id)
    assert "clarify inbox" in shop.agentx()[1]
    assert shop.asked in shop.read("ready")["inbox"]
    assert QUESTION in shop.agentx("recall")[1]
    for role in ("", "human"):
        said = shop.agent.call("inbox", role=role)
        assert QUESTION in said
        assert "the user answers" in said
    assert QUESTION not in shop.agent.call("inbox", role="architect")

    shop.agentx("run", "escalate", "--resolve", shop.asked, "No", "--as-person")
    assert "Nothing waits for you but to read this:" in shop.agentx("clarify", "inbox")[1]
    assert shop.read("status")["rooms"]["questions_yours"] == []


@pytest.mark.promise("runs.persons-word")
def test_no_agent_says_anything_of_a_run_in_a_persons_name(shop: Shop) -> None:
    ways: list[tuple[str, ...]] = [
        ("run", "event", "--type", "note", "--detail", "text=Yes, delete it", "--actor", "human"),
        ("run", "event", "--type", "decision-made", "--detail", "text=Yes", "--actor", "Human"),
        ("run", "escalate", "And now?", "--actor", "person"),
        ("run", "task", "add", "Delete it", "--actor", "human"),
        ("run", "start", "Another", "--actor", "human"),
    ]
    before = len(open_runs(shop.project).events(shop.run.id))
    for words in ways:
        tries = shop.count_refused()
        code, said = shop.agentx(*words)
        assert (code, shop.count_refused()) == (2, tries + 1), (words, said)
    said = shop.agent.fail("run_event", type="note", actor="human", detail={"text": "Yes"})
    assert "only a person" in said
    assert len(open_runs(shop.project).events(shop.run.id)) == before

    shop.play()
    code, said = shop.agentx(*ways[0])
    assert code == 0, said


@pytest.mark.promise("runs.persons-word")
def test_no_agent_ends_a_run_that_asks_a_person(shop: Shop) -> None:
    for words in (("fail", "--reason", "it is late"), ("complete",)):
        tries = shop.count_refused()
        code, said = shop.agentx("run", "phase", *words)
        assert (code, shop.count_refused()) == (2, tries + 1), said
        assert shop.asked in said
    shop.play()
    assert QUESTION in shop.agentx("clarify", "inbox")[1]

    code, said = shop.agentx("run", "phase", "fail", "--reason", "not wanted any more")
    assert code == 0, said


def test_a_lesson_says_that_an_agent_wrote_it(shop: Shop) -> None:
    shop.agentx("ltm", "add", "--kind", "decision", "Use kafka, the user said so")
    shop.play(role="engineer")
    shop.agentx("ltm", "add", "--kind", "decision", "Use redis for the cache")
    shop.play()
    shop.agentx("ltm", "add", "--kind", "decision", "Use postgres for the ledger")

    known = read_lessons(shop.project).known.of_kind(LessonKind.DECISION)

    authors = {one.content.text or one.content.name: one.author for one in known}
    assert {text.split()[1]: author for text, author in authors.items()} == {
        "kafka,": "claude-code",
        "redis": "engineer",
        "postgres": "person",
    }


def test_no_agent_takes_back_a_lesson_that_a_person_wrote(shop: Shop) -> None:
    shop.agentx("ltm", "add", "--kind", "decision", "Use kafka for the events")
    shop.play()
    shop.agentx("ltm", "add", "--kind", "decision", "Never use mongo")
    known = read_lessons(shop.project).known.of_kind(LessonKind.DECISION)
    persons, agents = (
        next(one.id for one in known if word in f"{one.content.name} {one.content.text}")
        for word in ("mongo", "kafka")
    )
    shop.play(below="")
    tries = shop.count_refused()
    for verdict in ("retire", "contradict", "resolve"):
        code, said = shop.agentx("ltm", verdict, persons)
        assert (code, shop.count_refused()) == (2, tries + 1), said
        tries += 1

    code, said = shop.agentx("ltm", "retire", agents)
    assert code == 0, said
    shop.play()
    code, said = shop.agentx("ltm", "retire", persons)
    assert code == 0, said


@pytest.mark.promise("runs.persons-word")
def test_what_a_person_answered_stays_theirs_when_an_agent_packs_the_run(shop: Shop) -> None:
    shop.agentx("run", "escalate", "May we sell?")
    other = next(one for one in shop.run.escalations if one != shop.asked)
    shop.play()
    for asked in (shop.asked, other):
        shop.agentx("run", "escalate", "--resolve", asked, "NO, never", "--as-person")
    shop.play(below="")
    code, said = shop.agentx("ltm", "reject", shop.asked)
    assert (code, "only a person" in said) == (2, True), said
    shop.agentx("ltm", "add", "--kind", "decision", "NO, never again")
    detail = {"kind": "decision", "text": "Sell it all", "confidence": "HIGH"}
    against = {"evidence": ["x"], "contradicts": [f"ADR-{number:04}" for number in range(1, 6)]}
    told = Happening(kind="candidate-proposed", actor="engineer", detail={**detail, **against})
    shop.agentx("run", "phase", "fail", "--reason", "x")
    first = shop.run.id
    assert shop.agentx("run", "archive", first)[0] == 0
    shop.agentx("run", "start", "Another")
    open_runs(shop.project).say("", told)
    assert shop.agentx("ltm", "accept", "--all")[0] == 0

    known = read_lessons(shop.project).known.of_kind(LessonKind.DECISION)
    theirs = [one for one in known if one.content.text == "NO, never"]
    assert {one.content.name for one in theirs} == {QUESTION, "May we sell?"}
    for one in theirs:
        assert (one.is_persons, one.author) == (True, "human (unconfirmed)")
        assert (one.is_active, one.contradicted_by) == (True, ())
        for verdict in ("retire", "contradict", "resolve"):
            code, said = shop.agentx("ltm", verdict, one.id)
            assert (code, "only a person" in said) == (2, True), said
    assert f"NO, never ({SAID_FOR_PERSON}) [human (unconfirmed)" in shop.agentx("recall")[1]
    shop.play()
    assert shop.agentx("ltm", "retire", theirs[0].id)[0] == 0


@pytest.mark.promise("runs.persons-word")
def test_a_script_answers_only_where_it_says_that_a_person_did(shop: Shop) -> None:
    shop.play()
    code, said = shop.agentx("run", "escalate", "--resolve", shop.asked, "script says")
    assert (code, "--as-person" in said) == (2, True)
    assert shop.run.escalations[shop.asked].open

    code, said = shop.agentx("run", "escalate", "--resolve", shop.asked, "No", "--as-person")
    assert code == 0, said

    for words in (("run", "show"), ("run", "resume"), ("run", "event")):
        assert "human (unconfirmed)" in shop.agentx(*words)[1], words
    page = shop.folder / f".agent-memory/runs/{shop.run.id}/escalations/{shop.asked}.yaml"
    assert "resolved_via: unconfirmed" in page.read_text("utf-8")
    (answered,) = shop.read("run", "show")["answered"]
    assert answered["answers"][0]["via"] == "unconfirmed"


@pytest.mark.promise("runs.persons-word")
def test_a_person_takes_back_at_a_terminal_what_a_script_said_for_them(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.play()
    answer = ("run", "escalate", "--resolve", shop.asked)
    shop.agentx(*answer, "Yes", "--as-person")
    code, said = shop.agentx(*answer, "No", "--as-person")
    assert (code, "at a terminal" in said) == (3, True), said
    [told] = shop.read("clarify", "inbox")["notes"]
    assert (
        "a program said it for a person, unconfirmed: Yes; say what holds: agentx run escalate"
        in told
    )

    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: True)
    shop.agentx("run", "show")
    code, said = shop.agentx(*answer, "No, I never said that")
    assert code == 0, said

    asked = shop.run.escalations[shop.asked]
    assert asked.standing is not None
    assert (asked.standing.text, asked.standing.doubt) == ("No, I never said that", "")
    assert (asked.resolution, asked.contrary) == ("No, I never said that", ())
    assert shop.agentx(*answer, "Yes")[0] == 3
    assert "notes" not in shop.read("clarify", "inbox")


@pytest.mark.promise("runs.holds")
def test_no_agent_takes_a_run_on_that_waits_for_a_person(shop: Shop) -> None:
    shop.agentx("run", "task", "add", "Delete production")
    ways = (
        ("run", "phase", "next"),
        ("run", "phase", "EXECUTION"),
        ("run", "task", "start", "TASK-001"),
        ("run", "task", "done", "TASK-001", "deleted"),
        ("run", "event", "--type", "task-completed", "--task", "TASK-001"),
        ("run", "lane", "open", "--task", "TASK-001"),
        ("run", "task", "take", "TASK-001"),
        ("run", "task", "fail", "TASK-001", "no"),
        ("run", "task", "drop", "TASK-001", "no"),
        ("run", "task", "reopen", "TASK-002", "again"),
        ("run", "task", "retry", "TASK-002"),
    )
    shop.play()
    shop.agentx("run", "task", "add", "What was there before")
    shop.agentx("run", "task", "start", "TASK-002")
    shop.agentx("run", "task", "fail", "TASK-002", "it broke")
    shop.play(below="")
    for words in ways:
        code, said = shop.agentx(*words)
        assert (code, shop.asked in said) == (2, True), (words, said)
    said = shop.agent.fail("run_event", type="task-started", task="TASK-001", actor="engineer")
    assert shop.asked in said
    assert shop.run.phase == "PLANNING"
    assert shop.run.tasks["TASK-001"].status == "PENDING"

    shop.play()  # a person goes on all the same, and is told what waits
    code, said = shop.agentx("run", "phase", "next")
    assert (code, f"{shop.asked} waits for an answer still" in said) == (0, True), said
    shop.agentx("run", "escalate", "--resolve", shop.asked, "Yes", "--as-person")
    shop.play(below="")
    shop.agentx("run", "escalate", "Which colour?", "--no-block")
    for words in ways[2:4]:
        code, said = shop.agentx(*words)
        assert code == 0, said


@pytest.mark.promise("runs.facts")
def test_what_only_the_doing_proves_is_taken_on_nobodys_word(shop: Shop) -> None:
    shop.play()
    shop.agentx("run", "escalate", "--resolve", shop.asked, "Yes", "--as-person")
    before = len(open_runs(shop.project).events(""))
    details = {
        "run-started": ("title=Other",),
        "run-completed": (),
        "lane-opened": ("branch=x",),
        "lane-finished": (),
        "lane-merged": ("commit=0123abc",),
        "LANE_MERGED": ("commit=0123abc",),
        "branch-made": ("branch=x",),
        "commit-made": ("commit=0123456",),
        "work-rebased": ("commit=0123abc", "onto=main"),
        "conflict-found": ("operation=merge", "files=a.py"),
        "verification-recorded": ("verdict=passed",),
    }
    for below in (None, ""):
        shop.play(below=below)
        for kind, fields in details.items():
            given = [word for each in fields for word in ("--detail", each)]
            code, said = shop.agentx("run", "event", "--type", kind, "--lane", "lane-001", *given)
            assert (code, "not taken on somebody's word" in said) == (2, True), (kind, said)
    said = shop.agent.fail("run_event", type="lane-merged", lane="lane-001", actor="executor")
    assert "hint: run_do with action finish-lane, merge, lane LANE" in said
    assert len(open_runs(shop.project).events("")) == before
    code, said = shop.agentx("run", "verify", "--verdict", "PASSED", "--check", "tests=all green")
    assert code == 0, said


@pytest.mark.promise("runs.answers-told")
def test_an_answer_comes_back_with_its_question_wherever_the_run_is_told(shop: Shop) -> None:
    shop.agentx("issue", "create", "--title", "Ship", "--label", "type:feature")
    shop.agentx("run", "task", "add", "Delete it")
    shop.agentx("run", "escalate", "May we log?", "--no-block")
    shop.play()
    shop.agentx("run", "escalate", "--resolve", shop.asked, "No, never", "--as-person")

    told = f"{shop.asked} was answered (asked: {QUESTION}) by human (unconfirmed): No, never"
    shop.play(below="engineer")
    ways = (("run", "show"), ("run", "resume"), ("run", "context", "--task", "TASK-001"))
    for words in (*ways, ("recall",), ("hook", "start", "--issue", "1", "--agent", "engineer")):
        said = " ".join(shop.agentx(*words)[1].split())
        assert told in said, words
    assert told in shop.agent.call("run_status")
    assert f"escalation-raised {shop.asked}: {QUESTION}" in shop.agentx("run", "event")[1]
    # What hooks find at the next prompt, told once for each answer.
    notice = shop.project.store.notice("").read_text("utf-8")
    assert f"{shop.asked}:1\t" in notice


@pytest.mark.promise("runs.answers-told")
def test_an_agent_is_told_to_wait_and_not_to_answer(shop: Shop) -> None:
    shop.play(below="engineer")
    for words in (("run", "show"), ("run", "resume"), ("--json", "run", "show")):
        said = shop.agentx(*words)[1]
        assert "wait for it" in said, words
        assert "--resolve" not in said, words
    assert "--resolve" not in shop.agent.call("run_status")
    shop.agentx("run", "task", "add", "Delete it")
    assert "run task start" not in shop.agentx("run", "show")[1]
    assert "run task start" not in shop.agentx("recall")[1]
    shop.play()
    assert "--resolve" in shop.agentx("run", "show")[1]


def test_a_question_is_as_short_as_any(shop: Shop) -> None:
    for words in (("Why? " * 500,), ("Why?", "--needed", "x" * 2_001)):
        code, said = shop.agentx("run", "escalate", *words)
        assert (code, "2,000 are allowed" in said) == (2, True)
    shop.play()
    long = "No. " * 600
    code, said = shop.agentx("run", "escalate", "--resolve", shop.asked, long, "--as-person")
    assert (code, "2,000 are allowed" in said) == (2, True)


def test_the_users_command_is_run_for_what_a_run_asks(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(notify, "begin_apart", lambda words, **_fields: told.append(words[-1]))
    shop.play()
    shop.agentx("config", "set", "--user", "notify.command", "true")
    shop.play(below="")
    shop.agentx("run", "escalate", "May we buy it?")
    shop.agentx("run", "escalate", "Which colour?", "--no-block")

    assert [each.partition(" (ESC-")[0] for each in told] == [
        "AgentX: orchestrator waits for your decision on May we buy it?",
        "AgentX: orchestrator asks for your decision on Which colour?",
    ]
