"""Goal: what a session taught knows the branch it was taught on, and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.kernel.capture import Draft, EventType
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.views.sessions.branches import KnownBranches
from tests.support.session_bench import (
    MINUTE_MS,
    Bench,
    ended,
    first_part,
    said,
)


def untold(draft: Draft, branch: object = None) -> Draft:
    """Return a draft whose agent CLI calls its branch otherwise, or not at all."""
    return replace(draft, metadata={"cwd": "/repo", "git_branch": branch})


def known_branches(
    tips: dict[str, str], default: str = "main", current: str = "main", *, ahead: bool = True
) -> KnownBranches:
    return KnownBranches(default=default, current=current, tips=tips, is_ahead=lambda _tip: ahead)


def test_what_was_learnt_knows_its_branch_and_where_that_was(bench: Bench) -> None:
    tips = {"feature/42-zones": "a" * 40}
    bench.branches = known_branches(tips)
    bench.say(*first_part(), ended(5))

    bench.observing.catch_up()
    bench.store.settle()

    assert {(one.branch, one.head) for one in bench.all()} == {("feature/42-zones", "a" * 40)}
    rows = bench.store.search_by_filters(SearchFilters())
    assert {row.branch for row in rows} == {"feature/42-zones"}


def test_a_commit_that_the_default_branch_has_is_no_head(bench: Bench) -> None:
    bench.branches = known_branches({"feature/42-zones": "a" * 40}, ahead=False)
    bench.say(*first_part(), ended(5))

    bench.observing.catch_up()

    assert {(one.branch, one.head) for one in bench.all()} == {("feature/42-zones", "")}


@pytest.mark.parametrize(
    "output",
    ["Switched to a new branch 'feature/cents'", "\n[feature/cents 1a2b3c4] Store cents\n 1 file"],
)
def test_where_a_session_went_is_heard_from_git_itself(bench: Bench, output: str) -> None:
    cents = "we will store prices in cents instead of floats, because sums were off"
    went = said(20, EventType.TOOL_RESULT, output, tool_name="shell", tool_use_id="c")
    spoke = said(21, EventType.USER_MESSAGE, cents)
    bench.say(*(untold(one, "main") for one in (*first_part(), went, spoke, ended(22))))

    bench.observing.catch_up()

    told = [one for one in bench.all() if one.category is not Category.COMPACTION_SUMMARY]
    assert {one.branch for one in told if "TOML" in one.content} == {""}
    assert {one.branch for one in told if "cents" in one.content} == {"feature/cents"}


def test_a_session_that_is_long_over_says_its_branch_and_not_where_that_is(bench: Bench) -> None:
    tips = {"feature/42-zones": "a" * 40}
    bench.branches = known_branches(tips)
    bench.say(*first_part(), ended(5))
    bench.clock.advance(100 * MINUTE_MS)

    bench.observing.catch_up()

    assert {(one.branch, one.head) for one in bench.all()} == {("feature/42-zones", "")}


def test_where_no_event_says_the_branch_what_is_checked_out_counts(bench: Bench) -> None:
    bench.branches = known_branches({"fix/1": "b" * 40}, "trunk", "fix/1")
    bench.say(*(untold(one) for one in (*first_part(), ended(5))))

    bench.observing.catch_up()

    assert {(one.branch, one.head) for one in bench.all()} == {("fix/1", "b" * 40)}


def test_each_finding_goes_by_the_branch_of_its_own_events(bench: Bench) -> None:
    bench.say(
        *(untold(one, "main") for one in first_part()),
        said(
            21,
            EventType.USER_MESSAGE,
            "we will store prices in cents instead of floats, because sums were off",
            git_branch="feature/cents",
        ),
        ended(22),
    )

    bench.observing.catch_up()

    told = [one for one in bench.all() if one.category is not Category.COMPACTION_SUMMARY]
    assert {one.branch for one in told if "TOML" in one.content} == {""}
    assert {one.branch for one in told if "cents" in one.content} == {"feature/cents"}


@pytest.mark.parametrize(
    "name", ["main", "HEAD", "", "a b", "x" * 300, "-n", "a\nb", "..", None, 7]
)
def test_the_default_branch_and_what_no_branch_can_be_called_bind_nothing(
    bench: Bench, name: object
) -> None:
    bench.say(*(untold(one, name) for one in (*first_part(), ended(5))))

    bench.observing.catch_up()

    assert {one.branch for one in bench.all()} == {""}


def fail_in(bench: Bench, session: str, begin: int, branch: str) -> list[Observation]:
    """Let a session fail as others do, and capture it; return the errors that are known then."""
    bench.say(
        said(begin, EventType.USER_MESSAGE, "run the tests", session, git_branch=branch),
        said(
            begin + 1,
            EventType.TOOL_CALL,
            "",
            session,
            git_branch=branch,
            tool_name="Bash",
            tool_use_id=f"c{begin}",
            tool_input={"command": "make test"},
        ),
        said(
            begin + 2,
            EventType.TOOL_RESULT,
            "Error: the database refuses connections on port 5432\nmake: *** [test] Error 1",
            session,
            git_branch=branch,
            tool_name="Bash",
            tool_use_id=f"c{begin}",
            is_error=True,
            exit_code=2,
        ),
        said(begin + 3, EventType.ASSISTANT_MESSAGE, "Fails.", session, git_branch=branch),
        said(begin + 4, EventType.SESSION_END, "", session, git_branch=branch),
    )
    bench.observing.catch_up()
    return [one for one in bench.all() if one.category is Category.ERROR]


def test_an_error_seen_again_on_another_branch_is_bound_to_none(bench: Bench) -> None:
    failed = [
        ("s-1", 0, "feature/x"),
        ("s-2", 100, "feature/x"),
        ("s-3", 200, "main"),
    ]
    seen = []
    for session, begin, branch in failed:
        errors = fail_in(bench, session, begin, branch)
        seen.append([(one.branch, len(one.repeats)) for one in errors])

    assert seen == [[("feature/x", 0)], [("feature/x", 1)], [("", 2)]]


def test_an_error_of_sessions_that_are_captured_newest_first_is_told_by_the_first(
    bench: Bench,
) -> None:
    fail_in(bench, "s-3", 200, "main")
    fail_in(bench, "s-1", 0, "feature/x")
    (known,) = fail_in(bench, "s-2", 100, "feature/x")

    assert (known.session_id, known.branch, len(known.repeats)) == ("s-1", "", 2)
    assert known.content.endswith(": the third time.")
