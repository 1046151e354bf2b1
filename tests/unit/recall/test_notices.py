"""Goal: a notice says what waits for a role, no more than fits, and holds nobody up.

Method: a real project folder; notices are read as the hook reads them. What hooks print is shown
end to end in `tests/e2e/test_clarify.py`.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.events import ClarificationRequested
from agentx.kernel.clock import Millis
from agentx.kernel.tokens import estimate
from agentx.operations.agents.boundary import start
from agentx.operations.upkeep.logs import logs
from agentx.project.project import Project
from agentx.recall.section.notices import NOTICE_CAP
from agentx.wiring.hub import open_bus, open_hub, open_issues
from agentx.wiring.section import renew_notices
from agentx.work.model import Edit, NewIssue, Status
from tests.support.clarifying import project_at, request
from tests.support.time_and_chance import FakeClock


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    new = NewIssue(title="Login", labels=("type:feature",), status=Status.READY)
    open_issues(made).create(new)
    return made


def notice(project: Project, role: str) -> str:
    path = project.store.notice(role)
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return "\n".join(line.partition("\t")[2] for line in lines)


def ask(project: Project, number: int, length: int = 0) -> str:
    words = f"What of \u6570\u636e {number}? " + "w" * length
    asked = request(issue=1, topic=f"T{number}", question=words, blocking=False)
    return open_hub(project).request(asked).id


def test_a_long_inbox_fits_and_says_how_much_more_there_is(project: Project) -> None:
    for number in range(13):
        ask(project, number, length=1_900)
    renew_notices(project)

    said = notice(project, "architect")
    assert len(said) <= NOTICE_CAP.chars
    assert estimate(said) <= NOTICE_CAP.tokens
    assert "CLR-1-001" in said
    assert "Left out: " in said

    short = [ask(project, number) for number in range(100, 112)]
    for state in [f"CLR-1-{number:03}" for number in range(1, 14)]:
        open_hub(project).resolve(state, "go on", by="human")
    renew_notices(project)
    said = notice(project, "architect")
    assert all(one in said for one in short[:10])
    assert short[10] not in said
    assert "2 more: agentx clarify inbox architect" in said


def test_an_issue_whose_agent_waits_for_an_answer_cannot_be_begun(project: Project) -> None:
    assert "Ready to begin: #1 Login" in notice(project, "")

    asked = open_hub(project).request(request(issue=1))
    assert "Ready to begin" not in notice(project, "")
    assert "Your issue: #1 Login" in notice(project, "engineer")
    open_hub(project).answer(asked.id, "JWT.")
    assert "Ready to begin: #1 Login" in notice(project, "")


def test_a_role_is_told_for_whom_it_waits_until_it_is_answered(project: Project) -> None:
    asked = open_hub(project).request(request(issue=1))
    waits = f"You wait for architect, {asked.id}: Session storage: JWT or server sessions?"
    assert f"{waits} -- agentx clarify wait {asked.id}" in notice(project, "engineer")
    assert waits not in notice(project, "architect") + notice(project, "")
    open_hub(project).escalate(asked.id, "please", by="engineer")
    said = notice(project, "engineer")
    assert "brought to a person: Session storage: JWT or server sessions? -- wait for it" in said
    assert "You wait for" not in said

    persons = open_hub(project).request(request(issue=1, to="human", topic="Keys"))
    assert f"You wait for a person, {persons.id}: Keys: " in notice(project, "engineer")
    open_hub(project).resolve(persons.id, "JWT.", by="human")
    assert "You wait for" not in notice(project, "engineer")
    loose = request(issue=1, topic="Colour", blocking=False)
    assert open_hub(project).request(loose).id not in notice(project, "engineer")


def test_what_changes_while_notices_are_written_is_in_them(project: Project) -> None:
    class Busy(FakeClock):
        """A clock during whose first reading somebody asks something."""

        asked = ""

        def now_ms(self) -> Millis:
            if not self.asked:
                self.asked = "being asked"
                self.asked = ask(project, 7)
            return super().now_ms()

    ask(project, 1)
    busy = Busy()
    renew_notices(replace(project, clock=busy))

    assert "CLR-1-001" in notice(project, "architect")
    assert busy.asked in notice(project, "architect")


def test_a_notice_that_cannot_be_written_fails_nothing_and_is_logged(project: Project) -> None:
    shutil.rmtree(project.store.digests, ignore_errors=True)
    project.store.digests.parent.mkdir(parents=True, exist_ok=True)
    project.store.digests.write_text("a file where a folder should be", encoding="utf-8")

    renew_notices(project)

    assert list(logs(project, limit=10, event="notice-left-out"))


def test_every_change_is_told_to_the_notices_by_whoever_makes_it(project: Project) -> None:
    issues = open_issues(project)
    issues.edit(1, Edit(title="Log in"))
    assert "Ready to begin: #1 Log in" in notice(project, "")
    issues.close(1)
    assert notice(project, "") == ""
    issues.reopen(1)
    asked = ask(project, 1)
    assert asked in notice(project, "architect")

    hub = open_hub(project)
    hub.resolve(asked, "go on", by="human")
    assert asked not in notice(project, "architect")
    start(project, agent="tester", issue=1)
    assert "Your issue: #1 Log in" in notice(project, "tester")


def test_what_shows_a_change_elsewhere_cannot_undo_it(project: Project) -> None:
    def refuse(_fact: object) -> None:
        raise RuntimeError("full")

    bus = open_bus(project)
    bus.listen(ClarificationRequested, refuse)
    hub = open_hub(project, bus=bus)

    asked = hub.request(request(issue=1, blocking=False))

    assert asked.id in notice(project, "architect")
    (told,) = logs(project, limit=10, event="listener-failed")
    assert "full" in str(told)
