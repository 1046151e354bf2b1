"""Goal: where two people gave one number to two issues, whatever was asked and decided is told,
counted and waited for of the issue it was asked of, and of no other.

Method: one project in process; the issue's file is put there as git leaves it after a merge.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.agents.runners.port import Ask, Reply
from agentx.clarification.errors import name_moved
from agentx.clarification.model import PERSON, Clarification, ClarificationStatus
from agentx.kernel.clock import SECOND_MS, Millis, from_iso, to_iso
from agentx.kernel.ids import ClarificationId, IssueMark
from agentx.memory.found import SearchHit
from agentx.observations.model import SearchFilters
from agentx.operations.issues.ready_queue import ready
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions.waiting import wait
from agentx.operations.recall.origins import mark_origins
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import blocking_questions, open_clarifications
from agentx.wiring.hub import open_hub, open_issues, run_monitor
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.known import find_known
from agentx.wiring.observations import open_vouched
from agentx.wiring.work import open_agents
from agentx.work.model import AgentState, Edit, NewIssue, Status
from tests.support.clarifying import SCOPE, project_at, request


class Scripted:
    """A runner that is a function."""

    name = "scripted"

    def __init__(self, run: Callable[[Ask], Reply]) -> None:
        self.run = run


TYPING = WhoCalls(via=Via.TERMINAL)
OURS, THEIRS = "Delete old invoices", "Import customers"
TOPIC, QUESTION = "Deletion", "May we delete the rows for good?"


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title=OURS, labels=("type:feature",)))
    return made


def find_file(project: Project, number: int = 1) -> Path:
    return project.paths.issues / f"{number}.json"


def merge(project: Project, *, moved_to: int | None = None) -> None:
    """Put another issue in the place of ours, as who merges keeps theirs; ours gets a number."""
    ours = json.loads(find_file(project).read_text())
    born = from_iso(ours["created"])
    assert born is not None
    theirs = ours | {"title": THEIRS, "created": to_iso(Millis(born + SECOND_MS))}
    find_file(project).write_text(json.dumps(theirs))
    if moved_to is not None:
        find_file(project, moved_to).write_text(json.dumps(ours | {"number": moved_to}))


def ask(
    project: Project,
    *,
    topic: str = TOPIC,
    question: str = QUESTION,
    to: str = PERSON,
    issue: int = 1,
) -> Clarification:
    wanted = request(issue=issue, to=to, topic=topic, question=question)
    return clarify_ask.ask(project, wanted, told=lambda _entry: None)


def decide(project: Project, name: str, word: str) -> None:
    clarify_settle.answer(project, name, word, by=PERSON, caller=TYPING)
    clarify_settle.resolve(project, name, by="engineer", caller=TYPING)


def tell(project: Project, issue: int, role: str = "") -> list[tuple[str, str]]:
    wanted = RecallRequest(agent=role, issue=issue, budget_tokens=1_500)
    return [(line.group, line.text) for line in recall(project, None, wanted).lines]


def list_of(project: Project, issue: int) -> list[str]:
    rows = open_vouched(project).search_by_filters(SearchFilters(issue_number=issue))
    return [row.summary for row in rows]


def test_what_was_decided_of_one_issue_is_told_of_no_other(project: Project) -> None:
    decide(project, ask(project).id, "YES, delete them")
    keep_decisions(project)
    [(group, text)] = tell(project, 1)
    assert (group, OURS in text) == ("Of this issue", False)
    merge(project)
    [(group, text)] = tell(project, 1)
    assert group != "Of this issue"
    assert f'asked of "{OURS}", another issue' in text
    assert list_of(project, 1) == []
    find_file(project).write_text(
        find_file(project).read_text().replace(THEIRS, "Import all customers")
    )
    assert "Of this issue" not in [group for group, _ in tell(project, 1)]


def test_what_was_decided_follows_an_issue_that_got_another_number(project: Project) -> None:
    decide(project, ask(project).id, "YES, delete them")
    keep_decisions(project)
    merge(project, moved_to=2)
    assert [group for group, _ in tell(project, 2)] == ["Of this issue"]
    assert "Of this issue" not in [group for group, _ in tell(project, 1)]
    assert (len(list_of(project, 2)), list_of(project, 1)) == (1, [])
    # Asked anew under the new number, the later word stands.
    project.clock.sleep_ms(SECOND_MS)
    decide(project, ask(project, issue=2).id, "NO, keep them")
    keep_decisions(project)
    told = [text for _, text in tell(project, 2)]
    assert [each for each in told if "NO, keep them" in each]
    assert not [each for each in told if "YES" in each and "no longer holds" not in each]
    [earlier] = [each for each in clarify_read.thread(project, 2) if each.id == "CLR-1-001"]
    assert "NO, keep them" in earlier.decided_later
    assert f'asked of "{OURS}", which is #2 now' in earlier.issue_now


def test_the_same_asked_of_another_issue_is_not_asked_over_and_over(project: Project) -> None:
    first = ask(project, to="architect")
    clarify_settle.answer(project, first.id, "Yes.", by="architect", caller=TYPING)
    merge(project)
    project.clock.sleep_ms(SECOND_MS)
    again = ask(project, to="architect")
    assert run_monitor(project).stuck == ()
    assert open_clarifications(project).find(again.id).status is ClarificationStatus.PENDING
    assert open_hub(project).list_others(again) == open_hub(project).list_others(
        replace(again, topic="something else")
    )


def test_what_nobody_names_is_not_answered_by_another_issue(project: Project) -> None:
    decide(project, ask(project, topic="Go", question="May we ship this?").id, "YES")
    merge(project)
    project.clock.sleep_ms(SECOND_MS)
    again = ask(project, topic="Go", question="May we ship this?")
    assert find_known(project, again) is None


def test_a_word_on_another_issue_takes_nothing_back(project: Project) -> None:
    decide(project, ask(project).id, "YES, delete them")
    merge(project)
    project.clock.sleep_ms(SECOND_MS)
    decide(project, ask(project).id, "NO")
    for state in clarify_read.thread(project, 1):
        assert state.decided_later == ""


@pytest.mark.parametrize("moved_to", [None, 2])
def test_who_waits_on_one_issue_holds_no_other(project: Project, moved_to: int | None) -> None:
    open_issues(project).edit(1, Edit(status=Status.READY))
    asked = ask(project)
    assert [each.clarification_id for each in ready(project).blocked] == [asked.id]
    merge(project, moved_to=moved_to)
    found = ready(project)
    free = [issue.number for issue in found.ready]
    assert 1 in free
    assert [each.issue.number for each in found.blocked] == ([moved_to] if moved_to else [])
    assert list(blocking_questions(project)) == ([moved_to] if moved_to else [])
    status = open_agents(project).get("engineer")
    if moved_to is None:
        assert status.state is not AgentState.BLOCKED_CLARIFICATION
    else:
        assert (status.state, status.issue) == (AgentState.BLOCKED_CLARIFICATION, moved_to)
    assert found.inbox == (asked.id,)  # it waits for the person all the same


def test_closing_one_issue_gives_up_no_question_of_another(project: Project) -> None:
    asked = ask(project, to="architect")
    merge(project, moved_to=2)
    open_issues(project).close(1)
    run_monitor(project)
    assert open_clarifications(project).find(asked.id).is_active
    assert clarify_read.list_waiting(project, 1) == ()
    open_issues(project).close(2)
    run_monitor(project)
    assert open_clarifications(project).find(asked.id).status is ClarificationStatus.ABANDONED


def test_the_threads_of_an_issue_are_its_own_first(project: Project) -> None:
    asked = ask(project)
    merge(project, moved_to=2)
    project.clock.sleep_ms(SECOND_MS)
    own = ask(project, topic="Names")
    assert [each.id for each in clarify_read.thread(project, 1)] == [own.id, asked.id]
    assert [each.id for each in clarify_read.thread(project, 2)] == [asked.id]
    assert clarify_read.list_waiting(project, 1) == (own.id,)
    assert clarify_read.list_waiting(project, 2) == (asked.id,)


def test_what_is_found_says_of_which_issue_it_was_asked(project: Project) -> None:
    decide(project, ask(project).id, "YES, delete them")
    keep_decisions(project)
    merge(project)
    store = open_vouched(project)
    [kept] = [one.id for one in store.everything()]
    for name, kind in (("CLR-1-001", "clarification"), (kept, "observation")):
        hit = SearchHit(
            doc_id=name, kind=kind, score=1.0, snippet="", marks=(), timestamp_ms=Millis(0),
            project=project.id, session_id="", harness="", agent="", role="", issue="1", tokens=1,
        )  # fmt: skip
        [marked] = mark_origins(project, [hit])
        assert marked.origin == f'asked of "{OURS}", another issue'


def test_what_waits_says_of_which_issue(project: Project) -> None:
    ask(project)
    merge(project)
    wanted = RecallRequest(issue=1, budget_tokens=1_500)
    [line] = recall(project, None, wanted).lines
    assert f'asked of "{OURS}"' in line.source


def test_who_waits_is_told_of_which_issue(project: Project) -> None:
    asked = ask(project)
    merge(project)
    waited = wait(project, asked.id, wait_ms=0, told=lambda _entry: None)
    assert f'it was asked of "{OURS}"' in waited.issue_now


def test_two_questions_in_the_same_words_are_told_apart_by_their_issues(project: Project) -> None:
    ours = ask(project)
    theirs = replace(
        ours, id=ClarificationId("CLR-1-002"), uid="other", issue_mark=IssueMark(title=THEIRS)
    )
    said = name_moved(ours.id, (ours, theirs))
    assert f"is '{QUESTION}' of the issue '{OURS}' now" in said.message
    assert f"'{QUESTION}' of the issue '{THEIRS}', which is CLR-1-002 now" in said.message
    assert f"for '{QUESTION}' of the issue '{THEIRS}'" in (said.hint or "")


def test_who_is_asked_is_given_the_issue_it_is_about(project: Project) -> None:
    asked, given = ask(project, to="architect"), list[Ask]()

    def answer(ask: Ask) -> Reply:
        given.append(ask)
        return Reply(answer="Yes.")

    merge(project)
    open_hub(project, runner_of=lambda _role: Scripted(answer)).route(asked.id)
    assert (given[0].issue, THEIRS in repr(given[0])) == (None, False)


def test_a_question_without_a_mark_may_be_of_any(project: Project) -> None:
    wanted = request(issue=1, to=PERSON, topic=TOPIC, question=QUESTION)
    open_clarifications(project).ask(wanted, SCOPE)
    merge(project)
    assert list(blocking_questions(project)) == [1]
