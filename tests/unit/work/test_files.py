"""Goal: issues and agent status survive what happens to files: damage, hands, other tools."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentx.kernel.clock import Millis, from_iso
from agentx.kernel.errors import CorruptRecord, LockHeld, NotFound
from agentx.kernel.paths import ProjectPaths
from agentx.work.agent_states import Open, answers, began, waits
from agentx.work.model import AgentState, AgentStatus, NewIssue
from agentx.work.store.agent_status import AgentStatusFile
from agentx.work.store.local import LocalIssues, issue_path
from tests.support.time_and_chance import START_MS, FakeClock

ASKED = Open(clarification_id="CLR-42-001", other="architect", issue=42)


@pytest.fixture
def paths(tmp_path: Path) -> ProjectPaths:
    return ProjectPaths(tmp_path)


@pytest.fixture
def issues(paths: ProjectPaths) -> LocalIssues:
    return LocalIssues(paths, FakeClock())


@pytest.fixture
def agents(paths: ProjectPaths) -> AgentStatusFile:
    return AgentStatusFile(paths.agent_status, FakeClock())


def shape(path: Path) -> dict[str, Any]:
    value = json.loads(path.read_text("utf-8"))
    assert isinstance(value, dict)
    return value


# --- issues -----------------------------------------------------------------------------------


def test_an_issue_is_the_file_that_is_specified(paths: ProjectPaths, issues: LocalIssues) -> None:
    issues.create(NewIssue(title="\u2705 title", body="text", labels=("type:story",)))
    issues.comment(1, "said")
    at = "2026-03-02T10:00:00.000Z"

    assert shape(issue_path(paths, 1)) == {
        "number": 1,
        "title": "\u2705 title",
        "body": "text",
        "labels": ["type:story"],
        "status": "Backlog",
        "state": "open",
        "created": at,
        "updated": at,
        "comments": [{"body": "said", "created": at}],
    }
    assert sorted(path.name for path in paths.issues.iterdir()) == ["1.json"]


def test_what_this_version_does_not_know_is_kept(paths: ProjectPaths, issues: LocalIssues) -> None:
    issues.create(NewIssue(title="x"))
    written = {**shape(issue_path(paths, 1)), "milestone": {"name": "v2"}}
    issue_path(paths, 1).write_text(json.dumps(written), "utf-8")
    issues.comment(1, "said")

    assert shape(issue_path(paths, 1))["milestone"] == {"name": "v2"}


def test_a_damaged_issue_is_moved_aside_and_its_number_is_not_given_again(
    paths: ProjectPaths, issues: LocalIssues
) -> None:
    for title in ("one", "two"):
        issues.create(NewIssue(title=title))
    issue_path(paths, 2).write_bytes(b'{"number": 2,\n "title": ')

    with pytest.raises(CorruptRecord, match="line 2 is not JSON"):
        issues.get(2)
    assert [each.number for each in issues.all()] == [1]
    assert [path.name[:14] for path in paths.issues.glob("2.*")] == ["2.json.corrupt"]
    assert issues.create(NewIssue(title="three")).number == 3


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("status", "Doing", "status is 'Doing'"),
        ("number", 8, "number is 8"),
        ("created", "yesterday", "created is 'yesterday'"),
        ("title", 7, "title is 7"),
        ("comments", ["x"], "comments holds what is no comment"),
    ],
)
def test_a_wrong_field_is_named_and_the_file_is_left_alone(
    paths: ProjectPaths, issues: LocalIssues, field: str, value: object, said: str
) -> None:
    issues.create(NewIssue(title="x"))
    issue_path(paths, 1).write_text(
        json.dumps({**shape(issue_path(paths, 1)), field: value}), "utf-8"
    )

    with pytest.raises(CorruptRecord, match=said):
        issues.get(1)
    assert issues.all() == ()
    assert said in issues.damaged[0].message
    assert issue_path(paths, 1).exists()


def test_an_issue_written_by_hand_is_read(paths: ProjectPaths, issues: LocalIssues) -> None:
    paths.issues.mkdir(parents=True)
    issue_path(paths, 9).write_text('{"number": 9, "title": "x", "created": "2026-01-02"}', "utf-8")

    assert issues.get(9).updated_ms == from_iso("2026-01-02")
    assert issues.create(NewIssue(title="next")).number == 10


def test_changing_what_is_not_there_leaves_nothing(
    paths: ProjectPaths, issues: LocalIssues
) -> None:
    with pytest.raises(NotFound):
        issues.change(4, lambda issue: issue)
    assert not paths.issues.exists()


# --- agents -----------------------------------------------------------------------------------


def test_agent_status_is_the_file_that_is_specified(
    paths: ProjectPaths, agents: AgentStatusFile
) -> None:
    agents.change("engineer", lambda now: waits(now, ASKED, at_ms=START_MS))
    agents.change(
        "architect",
        lambda now: answers(
            began(now, issue=42, at_ms=START_MS),
            Open(clarification_id="CLR-42-001", other="engineer", issue=42),
            at_ms=START_MS,
        ),
    )

    at = "2026-03-02T10:00:00.000Z"
    assert shape(paths.agent_status) == {
        "engineer": {
            "status": "blocked-clarification",
            "issue": 42,
            "lastActivity": at,
            "clarificationId": "CLR-42-001",
            "waitingOn": "architect",
            "respondingTo": None,
        },
        "architect": {
            "status": "clarifying",
            "issue": 42,
            "lastActivity": at,
            "clarificationId": "CLR-42-001",
            "waitingOn": None,
            "respondingTo": "engineer",
            "returnsTo": "working",
        },
    }
    assert [status.agent for status in agents.all()] == ["architect", "engineer"]
    assert agents.get("architect").returns_to is AgentState.WORKING


def test_an_agent_never_heard_of_is_idle(agents: AgentStatusFile) -> None:
    assert agents.get("tester") == AgentStatus(agent="tester")
    assert agents.all() == ()


def test_a_damaged_status_file_is_moved_aside_and_the_next_change_begins_anew(
    paths: ProjectPaths, agents: AgentStatusFile
) -> None:
    paths.agent_status.parent.mkdir(parents=True)
    paths.agent_status.write_bytes(b'{"engineer": {"status": "wor')

    with pytest.raises(CorruptRecord, match="is not JSON"):
        agents.get("engineer")
    kept = list(paths.agent_status.parent.glob("agent-status.json.corrupt-*"))
    assert [path.read_bytes() for path in kept] == [b'{"engineer": {"status": "wor']
    assert agents.change("engineer", lambda now: began(now, issue=1, at_ms=START_MS)).issue == 1


def test_an_entry_of_another_tool_counts_as_idle_and_is_kept(
    paths: ProjectPaths, agents: AgentStatusFile
) -> None:
    paths.agent_status.parent.mkdir(parents=True)
    written = {"robot": "?", "engineer": {"status": "dancing", "issue": "x", "lastActivity": 7}}
    paths.agent_status.write_text(json.dumps(written), "utf-8")
    agents.change("tester", lambda now: began(now, issue=1, at_ms=START_MS))

    assert agents.get("engineer") == AgentStatus(agent="engineer")
    assert shape(paths.agent_status)["robot"] == "?"


def test_a_change_that_changes_nothing_or_fails_writes_nothing(
    paths: ProjectPaths, agents: AgentStatusFile
) -> None:
    agents.change("engineer", lambda now: began(now, issue=1, at_ms=Millis(5)))
    before = paths.agent_status.read_bytes()
    stamp = paths.agent_status.stat().st_mtime_ns
    agents.change("engineer", lambda now: now)

    assert paths.agent_status.stat().st_mtime_ns == stamp
    with pytest.raises(ZeroDivisionError):
        agents.change("engineer", lambda _now: 1 / 0)  # type: ignore[arg-type,return-value]  # it fails first
    assert paths.agent_status.read_bytes() == before


def test_an_empty_lock_file_is_taken_over_once_it_is_old(
    paths: ProjectPaths, agents: AgentStatusFile
) -> None:
    paths.agent_status.parent.mkdir(parents=True)
    lock = paths.agent_status.with_name("agent-status.json.lock")
    lock.write_bytes(b"")
    fresh = START_MS / 1000
    os.utime(lock, (fresh, fresh))

    with pytest.raises(LockHeld, match="a process that left no name"):
        agents.change("engineer", lambda now: began(now, issue=1, at_ms=START_MS))
    os.utime(lock, (fresh - 3600, fresh - 3600))
    agents.change("engineer", lambda now: began(now, issue=1, at_ms=START_MS))
    assert agents.get("engineer").state is AgentState.WORKING
    assert not lock.exists()
