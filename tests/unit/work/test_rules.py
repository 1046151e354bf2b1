"""Goal: labels, dependencies and the ready queue mean what users read in the documents."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import Millis
from agentx.kernel.errors import IllegalTransition, InvalidValue
from agentx.work import statuses
from agentx.work.dependencies import Links, cycles, links, standing
from agentx.work.digest import week_of
from agentx.work.issues import check_new, edit
from agentx.work.labels import check_labels
from agentx.work.model import Edit, Issue, IssueState, NewIssue, Status, issue_number, parse_status
from agentx.work.port import OpenQuestion
from agentx.work.ready import queue

NOW = Millis(1_000_000)


def issue(number: int, **changes: object) -> Issue:
    given: dict[str, object] = {"title": f"issue {number}", "status": Status.READY, **changes}
    made = Millis(NOW + number)
    return Issue(number=number, **{"created_ms": made, "updated_ms": made, **given})  # type: ignore[arg-type]  # a test's short form


def after(*numbers: int) -> str:
    return "## Dependencies\n\nBlocked-by: " + ", ".join(f"#{number}" for number in numbers)


# --- status -----------------------------------------------------------------------------------


def test_the_way_is_the_one_that_is_drawn() -> None:
    drawn = [word.strip() for word in (statuses.__doc__ or "").split("\n")[2].split("->")]

    assert drawn == [status.value for status in Status]
    for here, there in pairwise(Status):
        assert there in statuses.MOVES[here]


@given(st.sampled_from(Status), st.sampled_from(Status))
def test_a_move_is_made_exactly_where_the_table_says(here: Status, there: Status) -> None:
    if there in statuses.MOVES[here] or there is here:
        assert statuses.move(7, here, there) is there
    else:
        with pytest.raises(IllegalTransition, match=f"#7 is {here}: cannot become {there}"):
            statuses.move(7, here, there)


@given(st.lists(st.sampled_from(Status), max_size=12))
def test_no_sequence_of_edits_skips_a_status(wanted: list[Status]) -> None:
    current = issue(1, status=Status.BACKLOG)
    seen = [Status.BACKLOG]
    for status in wanted:
        try:
            current = edit(current, Edit(status=status), at_ms=NOW)
        except IllegalTransition:
            continue
        seen.append(current.status)

    order = list(Status)
    climbs = [order.index(b) - order.index(a) for a, b in pairwise(seen)]
    assert all(step <= 1 for step in climbs)
    assert current.is_open == (current.status is not Status.DONE)


@pytest.mark.parametrize("said", ["In Progress", "in-progress", "IN_PROGRESS", "inprogress"])
def test_a_status_is_understood_as_people_type_it(said: str) -> None:
    assert parse_status(said) is Status.IN_PROGRESS
    with pytest.raises(InvalidValue, match="'doing' is not a status"):
        parse_status("doing")


# --- labels and words -------------------------------------------------------------------------


def test_known_labels_are_checked_and_others_are_the_users_own() -> None:
    assert check_labels(
        ["Type:Story", "priority:P0", "needs:ux", "needs:review", "good first issue"]
    ) == (
        "type:story",
        "priority:p0",
        "needs:ux",
        "needs:review",
        "good first issue",
    )
    for wrong, hint in (("type:stroy", "type:story"), ("priority:p9", "p0, p1, p2, p3")):
        with pytest.raises(InvalidValue) as refused:
            check_labels([wrong])
        assert hint in refused.value.hint
    with pytest.raises(InvalidValue, match="one priority, not 2"):
        check_labels(["priority:p0", "priority:p1"])
    for wrong in ("", " ", "x" * 51, "a,b", "a\nb"):
        with pytest.raises(InvalidValue, match="cannot be a label"):
            check_labels([wrong])


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (NewIssue(title="  \n "), "needs a title"),
        (NewIssue(title="\u200b"), "needs a title"),
        (NewIssue(title="x" * 257), "257 characters is too long"),
        (NewIssue(title="x", body="y" * 65_537), "65,537 characters is too long"),
        (NewIssue(title="x", status=Status.DONE), "cannot be Done"),
    ],
)
def test_an_issue_that_cannot_be_is_refused(new: NewIssue, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        check_new(new)


def test_numbers_are_read_as_people_type_them() -> None:
    assert [issue_number("7"), issue_number(" #42 ")] == [7, 42]
    for wrong in ("", "#", "0", "-1", "1.5", "\u0667", "9" * 12):
        with pytest.raises(InvalidValue, match="is not an issue's number"):
            issue_number(wrong)


# --- dependencies -----------------------------------------------------------------------------


def test_the_section_is_read_however_it_is_written() -> None:
    body = """Text that names #99.

## Dependencies
- **Blocks**: #12, #15
* [ ] blocked by: #3 and #4, not acme/other#5
```
Blocked-by: #77
```
### more
Blocked-by: #6

## Notes
Blocked-by: #88
"""
    assert links(body) == Links(blocks=(12, 15), blocked_by=(3, 4, 6))
    assert links("Blocked-by: #1") == Links()


def test_both_ends_say_the_same() -> None:
    one = [issue(1, body="## Dependencies\nBlocks: #2"), issue(2)]
    other = [issue(1), issue(2, body=after(1))]

    for issues in (one, other):
        found = standing(2, issues)
        assert (found.is_blocked, found.open_blockers, standing(1, issues).blocks) == (
            True,
            (1,),
            (2,),
        )


def test_what_is_closed_or_unknown_blocks_nothing() -> None:
    found = standing(3, [issue(1, state=IssueState.CLOSED), issue(3, body=after(1, 9))])

    assert (found.is_blocked, found.done_blockers, found.unknown_blockers) == (False, (1,), (9,))


def test_issues_that_wait_for_each_other_are_named() -> None:
    issues = [issue(1, body=after(3)), issue(2, body=after(1)), issue(3, body=after(2))]

    assert standing(2, issues).cycle == (1, 3, 2)
    assert queue(issues, {}).cycles == ((1, 3, 2),)
    issues[0] = issue(1, body=after(3), state=IssueState.CLOSED)
    assert queue(issues, {}).cycles == ()


@given(st.dictionaries(st.integers(0, 8), st.frozensets(st.integers(0, 8), max_size=4)))
def test_a_circle_is_found_exactly_when_no_order_exists(edges: dict[int, frozenset[int]]) -> None:
    left = {node: set(others) for node, others in edges.items()}
    nodes = set(left).union(*left.values()) if left else set()
    while free := {node for node in nodes if not left.get(node, set()) & nodes}:
        nodes -= free
    found = cycles(edges)

    assert bool(found) == bool(nodes)
    for circle in found:
        steps = zip(circle, (*circle[1:], circle[0]), strict=True)
        assert all(there in edges[here] for here, there in steps)
        assert circle[0] == min(circle)
        assert len(set(circle)) == len(circle)


def test_a_chain_as_long_as_there_are_issues_is_walked() -> None:
    assert cycles({number: (number + 1,) for number in range(50_000)}) == ()


# --- ready ------------------------------------------------------------------------------------


@pytest.mark.promise("work.ready")
def test_ready_is_what_can_be_begun_most_urgent_and_oldest_first() -> None:
    issues = [
        issue(1),
        issue(2, labels=("priority:p2",)),
        issue(3, labels=("priority:p0",), created_ms=Millis(NOW + 500)),
        issue(4, labels=("priority:p0",)),
        issue(5, status=Status.BACKLOG),
        issue(6, body=after(1)),
        issue(7, state=IssueState.CLOSED),
        issue(8, body=after(7)),
        issue(9, status=Status.IN_PROGRESS),
    ]
    found = queue(issues, {9: (OpenQuestion(id="CLR-9-002", to="architect"),)})

    assert [each.number for each in found.ready] == [4, 3, 2, 1, 8]
    assert [(each.issue.number, each.marker) for each in found.waiting] == [
        (9, "BLOCKED: Clarification CLR-9-002 pending from architect")
    ]


def test_an_issue_whose_question_is_open_is_not_ready() -> None:
    found = queue([issue(1)], {1: (OpenQuestion(id="CLR-1-001", to="tester"),)})

    assert (found.ready, len(found.waiting)) == ((), 1)


# --- digest -----------------------------------------------------------------------------------


def test_a_week_holds_its_first_moment_and_not_the_next_ones() -> None:
    def at(moment: int, **changes: object) -> Issue:
        return issue(moment, created_ms=Millis(0), updated_ms=Millis(moment), **changes)

    closed = {"state": IssueState.CLOSED}
    found = week_of(
        [
            at(9, **closed, status=Status.DONE),
            at(10, **closed, status=Status.DONE),
            at(19, **closed),
            at(20, **closed, status=Status.DONE),
            at(15, status=Status.IN_REVIEW),
            issue(30, created_ms=Millis(12), updated_ms=Millis(40)),
        ],
        start_ms=10,
        end_ms=20,
    )

    assert [each.number for each in found.done] == [10]
    assert [each.number for each in found.given_up] == [19]
    assert [each.number for each in found.going_on] == [15]
    assert [each.number for each in found.opened] == [30]
