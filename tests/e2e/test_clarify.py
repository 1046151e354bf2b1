"""Goal: agents ask, answer and come to terms on the command line; a person settles the rest.

Method: the real commands in a throw-away project; one row of the specification after another.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.clones import merge
from tests.support.house import House, prompt
from tests.support.repository import commit, git


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a project with one feature."""
    made = House(tmp_path)
    (made.project / ".agentx").mkdir()
    made.agentx("issue", "create", "--title", "Login", "--label", "type:feature")
    return made


def ask(house: House, *more: str, expect: int = 0, topic: str = "Storage") -> Any:
    return house.json(
        *("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "architect"),
        *("--topic", topic, "--question", f"What about {topic}?", *more),
        expect=expect,
    )


def agents(house: House) -> dict[str, Any]:
    return {each["agent"]: each for each in house.json("state")["agents"]}


@pytest.mark.promise("clarify.flow")
def test_8_3_full_flow_happy_path(house: House) -> None:
    asked = ask(house)

    assert (asked["id"], asked["status"], asked["round"]) == ("CLR-1-001", "pending", 1)
    # 12.4: state and ready show who waits.
    assert agents(house)["engineer"]["status"] == "blocked-clarification"
    assert agents(house)["engineer"]["waitingOn"] == "architect"
    assert agents(house)["architect"]["status"] == "clarifying"
    assert agents(house)["architect"]["respondingTo"] == "engineer"
    marker = "BLOCKED: Clarification CLR-1-001 pending from architect"
    assert marker in house.agentx("ready").stdout

    assert house.json("clarify", "answer", "CLR-1-001", "PostgreSQL.")["status"] == "answered"
    assert house.json("clarify", "resolve", "CLR-1-001")["status"] == "resolved"
    assert agents(house)["engineer"]["status"] == "working"
    assert agents(house)["architect"]["status"] == "idle"

    # 3.1 `agentx clarify --issue N`: the thread, without colour when it is no terminal.
    thread = house.agentx("clarify", "--issue", "1").stdout
    assert "[Round 1] engineer -> architect" in thread
    assert "  Q: What about Storage?" in thread
    assert "  A: PostgreSQL." in thread
    assert "[RESOLVED] engineer" in thread
    assert "\x1b" not in thread
    data = house.json("clarify", "--issue", "1")
    assert data["issueNumber"] == 1
    on_disk = house.project / ".agentx" / "state" / "clarifications" / "issue-1.json"
    assert (
        data["clarifications"][0]["thread"]
        == (json.loads(on_disk.read_text(encoding="utf-8"))["clarifications"][0]["thread"])
    )
    assert house.json("clarify")["clarifications"] == []


def test_8_3_full_flow_escalation(house: House) -> None:
    ask(house)
    for number in range(2):  # the workflow allows three rounds
        house.agentx("clarify", "answer", "CLR-1-001", f"answer {number}")
        house.agentx(
            "clarify", "ask", "--follow-up", "CLR-1-001", "--question", f"But why {number}?"
        )
    house.agentx("clarify", "answer", "CLR-1-001", "because")

    refused = house.json(
        *("clarify", "ask", "--follow-up", "CLR-1-001", "--question", "Still?"), expect=5
    )
    assert refused["error"]["code"] == "MAX_ROUNDS_EXCEEDED"
    assert refused["error"]["message"] == "CLR-1-001 reached max rounds (3). Auto-escalated"
    [shown] = house.json("clarify")["clarifications"]
    assert (shown["status"], shown["round"]) == ("escalated", 3)
    assert "[ESCALATED]" in house.agentx("clarify", "--issue", "1").stdout
    assert agents(house)["engineer"]["status"] == "blocked-clarification"

    # 3.1 `agentx clarify resolve CLR-N-NNN`: a person settles it, and the asker goes on.
    settled = house.json("clarify", "resolve", "CLR-1-001", "Take PostgreSQL", "--as-person")
    assert (settled["status"], settled["thread"][-1]["from"]) == ("resolved", "human")
    assert agents(house)["engineer"]["status"] == "working"


def test_3_1_lists_escalations_and_the_hidden_rest(house: House) -> None:
    ask(house)
    ask(house, "--no-block", topic="Keys")

    listed = house.agentx("clarify").stdout
    assert "CLR-1-001" in listed
    assert "CLR-1-002" in listed
    assert "next:" in listed
    assert "No clarifications stale or stuck." in house.agentx("clarify", "stale").stdout
    assert house.json("clarify", "stale")["clarifications"] == []

    # 3.1 `agentx clarify escalate CLR-N-NNN`; a late answer is kept and undoes nothing.
    said = house.agentx("clarify", "escalate", "CLR-1-002", "no agreement").stdout
    assert "Options:" in said
    late = house.json("clarify", "answer", "CLR-1-002", "Here it is")
    assert late["status"] == "escalated"
    assert late["thread"][-1]["late"] is True

    begun = house.json("hook", "start", "--agent", "architect", "--issue", "1")
    assert begun["status"] == "clarifying"
    assert "CLR-1-001" in begun["inbox"][0]
    assert house.json("clarify", "inbox", "architect")["clarifications"][0]["id"] == "CLR-1-001"
    house.hook(prompt("We decided to use PostgreSQL because transactions matter."))
    ended = house.json("hook", "finish", "--agent", "architect", "--issue", "1")
    # What was said, and that the session was told what waits for the user.
    assert (ended["status"], ended["captured"]) == ("clarifying", 2)
    assert ended["monitor"]["stale"] == []


def test_what_an_agent_learnt_is_its_own_and_its_issues_as_soon_as_it_is_done(house: House) -> None:
    house.agentx("hook", "start", "--agent", "engineer", "--issue", "42")
    house.hook(prompt("we keep zones in TOML instead of the database, see #7"))
    before = house.json("memory", "list")["observations"]
    house.agentx("hook", "finish", "--agent", "engineer", "--issue", "42")
    after = house.json("memory", "list")["observations"]

    assert before == []
    assert {(one["agent"], one["issue_number"]) for one in after} == {("engineer", 42)}


def begins(house: House, role: str, harness: str = "claude-code") -> str:
    """Return what an agent CLI is told when a session of a role begins in it."""
    start = {"session_id": f"s-{role}", "hook_event_name": "SessionStart", "source": "startup"}
    return house.hook(start, harness, env={"AGENTX_AGENT": role}).stdout.decode()


@pytest.mark.promise("clarify.waits")
def test_a_question_is_shown_at_the_next_session_start_and_its_answer_too(house: House) -> None:
    # No daemon, no store, no session before.
    ask(house, topic="\u6570\u636e\u5e93")
    told = begins(house, "architect")
    assert "What about \u6570\u636e\u5e93?" in told
    assert "agentx clarify answer CLR-1-001 TEXT" in told
    assert "CLR-1-001" in begins(house, "architect", "codex")
    asker = begins(house, "engineer")
    assert "You wait for architect, CLR-1-001" in asker
    assert "agentx clarify wait CLR-1-001" in asker
    assert "agentx clarify answer" not in asker
    assert "CLR-1-001" not in begins(house, "")

    house.agentx("clarify", "answer", "CLR-1-001", "PostgreSQL.")
    assert "CLR-1-001" not in begins(house, "architect")
    told = begins(house, "engineer")
    assert "PostgreSQL." in told
    assert "agentx clarify resolve CLR-1-001" in told
    house.agentx("clarify", "resolve", "CLR-1-001")
    assert "CLR-1-001" not in begins(house, "engineer")

    # What can be begun, and whose issue it is, are as true.
    house.agentx("issue", "update", "1", "--status", "ready")
    assert "Ready to begin: #1 Login" in begins(house, "")
    house.agentx("hook", "start", "--agent", "engineer", "--issue", "1")
    assert "Your issue: #1 Login" in begins(house, "engineer")
    house.agentx("issue", "close", "1")
    told = begins(house, "engineer")
    assert "Your issue" not in told
    assert "Decisions" in told, "what was settled is remembered"
    assert "PostgreSQL. Decided by architect" in told

    # With what was learnt before, and once.
    house.agentx("issue", "reopen", "1")
    ask(house, topic="Keys")
    house.hook(prompt("We decided to use PostgreSQL because transactions matter."))
    house.agentx("sync")
    told = begins(house, "architect")
    assert told.count("What about Keys?") == 1
    assert told.index("What about Keys?") < told.index("transactions matter")


def test_of_projects_that_share_a_store_each_is_told_its_own(house: House) -> None:
    shared = {"AGENTX_STORAGE_MODE": "unified"}
    other = house.project.with_name("other")
    (other / ".agentx").mkdir(parents=True)
    house.git("init", "-q", cwd=other)
    words = ("--from", "engineer", "--to", "architect", "--topic", "Keys")
    for folder, question in ((house.project, "Ours?"), (other, "Theirs?")):
        asked = ("clarify", "ask", "--issue", "1", *words, "--question", question)
        house.agentx(*asked, cwd=folder, env=shared)
        house.hook(prompt(f"We decided on {question}", session=question), cwd=folder, env=shared)
        house.agentx("sync", cwd=folder, env=shared)

    start = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}
    architect = {**shared, "AGENTX_AGENT": "architect"}
    here = house.hook(start, env=architect).stdout.decode()
    there = house.hook(start, cwd=other, env=architect).stdout.decode()
    assert ("Ours?" in here, "Theirs?" in here) == (True, False)
    assert ("Ours?" in there, "Theirs?" in there) == (False, True)


@pytest.mark.promise("errors.clear")
def test_3_5_errors_have_their_codes_and_exit_codes(house: House) -> None:
    house.agentx("issue", "create", "--title", "Fix", "--label", "type:bug")
    out_of_scope = house.json(
        *("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "reviewer"),
        *("--topic", "t", "--question", "q"),
        expect=2,
    )
    assert out_of_scope["error"]["code"] == "SCOPE_VIOLATION"
    assert ask(house, "--question", "q" * 2_001, expect=2)["error"]["code"] == "invalid_value"
    missing = house.json("clarify", "answer", "CLR-1-009", "x", expect=2)
    assert missing["error"]["code"] == "NOT_FOUND"
    house.json("clarify", "answer", "nonsense", "x", expect=2)
    never_blocks = house.json(
        *("clarify", "ask", "--issue", "2", "--from", "engineer", "--to", "architect"),
        *("--topic", "t", "--question", "q"),
    )
    assert (never_blocks["blocking"], never_blocks["maxRounds"]) == (False, 2)

    script = house.root / "script.json"
    script.write_text('[{"answer": "PostgreSQL."}]', encoding="utf-8")
    words = ("--wait", "--runner", "scripted", "--script", str(script))
    routed = house.agentx(
        *("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "architect"),
        *("--topic", "Base", "--question", "Which?", *words),
    )
    assert "[Engineer -> Architect] Clarification needed: Which?" in routed.stderr
    assert "[Architect] PostgreSQL." in routed.stderr
    assert "PostgreSQL." in routed.stdout


@pytest.mark.promise("clarify.damage")
def test_a_damaged_ledger_keeps_blocking_and_being_named_until_it_is_mended(house: House) -> None:
    house.agentx("issue", "update", "1", "--status", "Ready")
    ask(house)
    ledger = house.project / ".agentx" / "state" / "clarifications" / "issue-1.json"
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:-40])

    for _ in range(2):
        for words in (("--issue", "1"), ("answer", "CLR-1-001", "PostgreSQL.")):
            refused = house.json("clarify", *words, expect=4)
            assert "issue-1.json" in refused["error"]["message"]
        for look in (("clarify",), ("clarify", "inbox")):
            seen = house.json(*look, expect=4)
            assert "issue-1.json" in seen["monitor"]["damaged"][0]
        assert "#1 cannot be read" in house.agentx("clarify", "inbox", expect=4).stdout
        for screen in (house.agentx(), house.agentx("status")):
            assert "cannot be read, and still wait" in " ".join(screen.stdout.split())
        assert house.json("ready")["ready"] == []
        assert agents(house)["engineer"]["status"] == "blocked-clarification"
        assert ledger.read_bytes() == whole[:-40]

    ledger.write_bytes(whole)
    assert house.json("clarify", "--issue", "1")["clarifications"][0]["status"] == "pending"
    ledger.unlink()
    assert house.json("clarify", "answer", "CLR-1-001", "PostgreSQL.")["status"] == "answered"


def test_two_clones_merge_by_git_and_a_question_of_the_other_is_answered_by_its_old_name(
    house: House,
) -> None:
    ask(house)
    commit(house.project, "one")
    tracked = git(house.project, "ls-files", ".agentx")
    assert ".agentx/questions/1/" in tracked
    assert "state/" not in tracked
    other = House(house.root / "second", git=False)
    other.git("clone", "-q", str(house.project), ".")
    other.agentx("trust", "--yes")
    here, there = ask(house, topic="Mine"), ask(other, topic="Theirs")
    assert here["id"] == there["id"] == "CLR-1-002"
    merge(house.project, other.project)
    merge(other.project, house.project)

    house.agentx("trust", "--yes")
    threads = [one.json("clarify", "--issue", "1")["clarifications"] for one in (house, other)]
    offered = [[row.pop("nextActions")[0] for row in rows] for rows in threads]
    assert threads[0] == threads[1]
    assert [row["id"] for row in threads[0]] == ["CLR-1-001", "CLR-1-002", "CLR-1-003"]
    # The name that meant another question there before takes no word: the exact one is offered.
    assert offered[0][1] == 'agentx clarify answer CLR-1-002 "..."'
    assert offered[1][1].startswith("agentx clarify answer CLR-1-002@")
    assert (offered[0][0], offered[0][2]) == (offered[1][0], offered[1][2])
    moved = other.json("clarify", "answer", "CLR-1-002", "Yes.", expect=2)["error"]
    assert moved["code"] == "NAME_MOVED"
    waited = other.json("clarify", "wait", "CLR-1-002", "--timeout", "0", expect=2)["error"]
    assert waited["code"] == "NAME_MOVED", "nobody goes on with the answer to another question"
    assert "is 'Mine' now, and was another question here before: 'Theirs'" in moved["message"]
    exact = moved["hint"].rpartition(", or ")[2].partition(" ")[0]
    told = other.agentx("clarify", "answer", exact, "Exactly.").stdout
    assert told.splitlines() == ["CLR-1-003 answered: Theirs", "asked: What about Theirs?"]
    old = threads[0][2]["formerly"]
    assert old.startswith("CLR-1-002@")
    done = house.json("clarify", "answer", old, "Yes.")
    assert (done["id"], done["thread"][0]["body"]) == ("CLR-1-003", "What about Theirs?")
    house.agentx("clarify", "forget", "CLR-1-001", "--yes")
    refused = house.json("clarify", "answer", "CLR-1-001", "x", expect=2)
    assert refused["error"]["code"] == "NOT_FOUND"
    assert '"event":"forgotten"' in house.data.audit.read_text("utf-8").replace(" ", "")


def test_what_was_answered_once_is_offered_accepted_and_asked_anyway(house: House) -> None:
    house.agentx("issue", "create", "--title", "Checkout", "--label", "type:feature")
    asked = ("clarify", "ask", "--from", "engineer", "--to", "architect", "--topic", "Orders")
    words = ("--question", "Which database holds the orders?")
    house.agentx(*asked, "--issue", "1", *words)
    house.agentx("clarify", "resolve", "CLR-1-001", "PostgreSQL.", "--as-person")

    again = house.json(*asked, "--issue", "1", *words, "--wait", "--timeout", "60")
    assert again["status"] == "pending"
    assert again["known"]["grip"] == "CLR-1-001"
    assert again["known"]["by"] == "a person (unconfirmed)"
    assert again["known"]["doubt"] == "unconfirmed"
    told = house.agentx(*asked, "--issue", "1", *words).stdout
    assert "already answered: PostgreSQL." in told
    assert "accept: agentx clarify accept CLR-1-002" in told
    taken = house.json("clarify", "accept", "CLR-1-002", "--from", "engineer")
    assert (taken["status"], taken["resolvedBy"]) == ("resolved", "engineer")
    assert taken["thread"][1]["via"] == "memory/CLR-1-001"
    assert house.json(*asked, "--issue", "1", *words, "--ask-anyway")["known"] is None
    assert "PostgreSQL." in house.agentx("recall").stdout
    forgot = house.agentx("clarify", "forget", "CLR-1-001", "--yes").stdout
    also = "its words stand in CLR-1-002 too: `agentx clarify forget CLR-1-002`"
    assert forgot.splitlines() == ["forgot CLR-1-001", also]


def test_an_answer_may_come_by_a_pipe(house: House) -> None:
    ask(house)
    house.agentx("clarify", "answer", "CLR-1-001", "-", said="PostgreSQL,\nas ever.\n")
    thread = house.agentx("clarify", "--issue", "1").stdout
    assert "PostgreSQL," in thread
    assert "as ever." in thread
