"""Goal: issues behave the same whether they are files or on GitHub.

Method: one suite over both stores, through the service that commands use; GitHub is a
server on loopback that behaves as its API is documented.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.bus import Bus
from agentx.kernel.errors import IllegalTransition, InvalidValue, NotFound
from agentx.kernel.paths import ProjectPaths
from agentx.work.model import Edit, Issue, IssueState, NewIssue, Status
from agentx.work.port import IssueStore
from agentx.work.service import Issues
from agentx.work.store.github.api import Account, GithubApi
from agentx.work.store.github.issues import GithubIssues
from agentx.work.store.github.pages import DiskPages
from agentx.work.store.github.queue import SendQueue
from agentx.work.store.local import LocalIssues
from tests.support.github_server import REPOSITORY, TOKEN, GithubServer
from tests.support.time_and_chance import CountingEntropy, FakeClock

WORDS = "\u6570\u636e\u5e93 \U0001f468\u200d\U0001f469\u200d\U0001f467 \u05e9\u05dc\u05d5\u05dd"


@pytest.fixture(params=["local", "github"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[IssueStore]:
    clock, entropy = FakeClock(), CountingEntropy()
    if request.param == "local":
        yield LocalIssues(ProjectPaths(tmp_path), clock)
        return
    with GithubServer().serving() as server:
        api = GithubApi(
            Account(base_url=server.url, token=TOKEN),
            DiskPages(tmp_path / "pages"),
            clock=clock,
            entropy=entropy,
        )
        queue = SendQueue(tmp_path / "queue.jsonl", clock, entropy)
        yield GithubIssues(api, REPOSITORY, queue, clock=clock, entropy=entropy)
        api.close()


@pytest.fixture
def issues(store: IssueStore) -> Issues:
    return Issues(store, FakeClock(), Bus())


def test_what_was_created_is_read_back_whole(issues: Issues) -> None:
    body = f"## Dependencies\nBlocked-by: #3\n\n```\n{WORDS}\n```\n"
    made = issues.create(
        NewIssue(title=f"Pick a {WORDS}", body=body, labels=("type:story", "mine"))
    )
    read = issues.get(made.number)

    assert (read.title, read.body.rstrip()) == (f"Pick a {WORDS}", body.rstrip())
    assert (read.labels, read.status, read.state) == (
        ("type:story", "mine"),
        Status.BACKLOG,
        IssueState.OPEN,
    )
    assert read.created_ms <= read.updated_ms


def test_numbers_grow_and_lists_are_by_number(issues: Issues) -> None:
    made = [issues.create(NewIssue(title=f"n {count}")).number for count in range(3)]
    issues.close(made[1])

    assert made == sorted(set(made))
    assert [issue.number for issue in issues.all()] == made
    assert [issue.number for issue in issues.all(with_closed=False)] == [made[0], made[2]]


def test_an_issue_goes_the_whole_way_and_done_closes_it(issues: Issues) -> None:
    number = issues.create(NewIssue(title="x", labels=("priority:p1",))).number
    for status in (Status.READY, Status.IN_PROGRESS, Status.IN_REVIEW, Status.IN_PROGRESS):
        assert issues.edit(number, Edit(status=status)).status is status
    for status in (Status.IN_REVIEW, Status.VALIDATING, Status.DONE):
        issues.edit(number, Edit(status=status))
    done = issues.get(number)

    assert (done.status, done.state, done.labels) == (
        Status.DONE,
        IssueState.CLOSED,
        ("priority:p1",),
    )


def test_an_illegal_move_is_refused_and_changes_nothing(issues: Issues) -> None:
    number = issues.create(NewIssue(title="x")).number

    with pytest.raises(IllegalTransition, match=f"#{number} is Backlog: cannot become Done"):
        issues.edit(number, Edit(status=Status.DONE, title="changed"))
    assert (issues.get(number).title, issues.get(number).status) == ("x", Status.BACKLOG)


def test_what_was_given_up_is_not_done_and_can_be_taken_up_again(issues: Issues) -> None:
    number = issues.create(NewIssue(title="x", status=Status.READY)).number
    closed = issues.close(number)

    assert (closed.state, issues.get(number).status) == (IssueState.CLOSED, Status.READY)
    with pytest.raises(IllegalTransition, match="is closed"):
        issues.edit(number, Edit(title="y"))
    opened = issues.reopen(number)
    assert (opened.state, issues.get(number).status) == (IssueState.OPEN, Status.READY)


def test_validated_work_that_is_closed_is_done_and_begins_anew(issues: Issues) -> None:
    number = issues.create(NewIssue(title="x", status=Status.READY)).number
    for status in (Status.IN_PROGRESS, Status.IN_REVIEW, Status.VALIDATING):
        issues.edit(number, Edit(status=status))

    assert issues.close(number).status is Status.DONE
    assert issues.reopen(number).status is Status.BACKLOG
    assert issues.get(number).status is Status.BACKLOG


def test_comments_are_kept_in_order(issues: Issues) -> None:
    number = issues.create(NewIssue(title="x")).number
    issues.comment(number, "first")
    issues.comment(number, WORDS)

    assert [comment.body for comment in issues.get(number).comments] == ["first", WORDS]


def test_labels_are_added_and_removed(issues: Issues) -> None:
    number = issues.create(NewIssue(title="x", labels=("type:bug", "a"))).number
    issues.edit(number, Edit(add_labels=("needs:ux", "b"), remove_labels=("a",)))

    assert issues.get(number).labels == ("type:bug", "needs:ux", "b")
    with pytest.raises(InvalidValue, match="one type, not 2"):
        issues.edit(number, Edit(add_labels=("type:story",)))


def test_what_is_not_there_is_said(issues: Issues) -> None:
    for verb in (issues.get, issues.close, issues.reopen, issues.standing):
        with pytest.raises(NotFound, match="no issue #404"):
            verb(404)
    with pytest.raises(NotFound, match="no issue #404"):
        issues.comment(404, "x")


def test_a_decision_that_fails_leaves_all_as_it_was(store: IssueStore) -> None:
    number = store.create(NewIssue(title="x")).number

    def refuse(_issue: Issue) -> Issue:
        raise InvalidValue("no")

    with pytest.raises(InvalidValue):
        store.change(number, refuse)
    assert store.get(number).title == "x"


def test_secrets_do_not_reach_an_issue(issues: Issues) -> None:
    secret = "ghp_" + "a1B2" * 9
    number = issues.create(NewIssue(title=f"key {secret}", body=f"token={secret}")).number
    issues.comment(number, f"it was {secret}")
    read = issues.get(number)

    assert secret not in f"{read.title} {read.body} {read.comments}"
    assert "[REDACTED:" in read.body
