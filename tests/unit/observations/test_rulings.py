"""What people rule out, choose by name, try and give up: kept as they said it."""

from __future__ import annotations

import pytest

from agentx.observations.model import Category
from tests.support.telling import Talk


def _begin() -> Talk:
    return (
        Talk()
        .user("Build the page of invoices")
        .edit("invoices.tsx", "a", "b")
        .agent("The page lists invoices with a table of antd.")
    )


def _end(talk: Talk) -> Talk:
    return talk.edit("b.ts", "x", "y").agent("I changed `b.ts` accordingly.")


def _list_said(talk: Talk) -> list[str]:
    found = talk.found(Category.DECISION)
    return [one.content.removeprefix("The user said: ") for one in found]


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    "ruled",
    [
        "Stop using axios.",
        "Not GraphQL: use plain REST for the feed.",
        "Please no default exports",
        "Ok, no pagination then.",
        "No inline styles in components.",
        "kein Lodash bitte",
        "no, the other way: header before body",
        "Don't mock the clock in tests.",
        "\u4eca\u5f8c\u3001\u5909\u6570\u540d\u306f\u5fc5\u305a\u82f1\u8a9e\u306b\u3057\u3066\u304f\u3060\u3055\u3044\u3002",
    ],
)
def test_a_plain_rule_of_the_user_is_a_decision_wherever_it_is_said(
    ruled: str, is_first: bool
) -> None:
    talk = (Talk() if is_first else _begin()).user(ruled)

    assert _list_said(_end(talk)) == [ruled]


@pytest.mark.parametrize(
    "said",
    [
        "No rows are shown for March",
        "no worries, go on",
        "No idea why",
        "not sure yet",
        "No tests were run",
        "Stop the dev server",
        "Not now.",
        "no problem at all",
    ],
)
def test_a_denial_that_forbids_nothing_is_no_rule(said: str) -> None:
    assert _list_said(_end(_begin().user(said))) == []


def test_a_rule_is_told_apart_from_the_task_that_it_came_with() -> None:
    talk = Talk().user(
        "The CSV importer drops the last row of a file without a newline. Find out why and mend it."
        " By the way: never log customer names, the logs go to a third party."
    )
    talk.edit("importer.py", "a", "b").agent("The importer reads the last row.")

    assert _list_said(talk) == [
        "By the way: never log customer names, the logs go to a third party."
    ]


def test_a_sentence_that_is_left_out_of_what_the_user_said_leaves_a_mark() -> None:
    talk = _begin().user(
        "We ship the table of invoices in two steps instead of one, so that the tax office"
        " sees both layouts once. Does the nightly export know anything about the columns that will"
        " go away with the second step? Keep the old columns until the second step is through."
    )

    (said,) = _list_said(_end(talk))

    assert said == (
        "We ship the table of invoices in two steps instead of one, so that the tax office"
        " sees both layouts once. \u2026 Keep the old columns until the second step is through."
    )


def test_what_was_tried_and_given_up_is_told_as_given_up_and_as_nothing_else() -> None:
    talk = _begin().user("ok and now try zustand instead of our store, maybe it is simpler")
    talk.shell("pnpm add zustand", "added 1 package")
    talk.shell("pnpm test", "TypeError: create is not a function\n 4 failed, 20 passed", 1)
    talk.user("forget it. git restore . and remove zustand, we keep our own store")
    talk.shell("git restore . && pnpm remove zustand", "removed 1 package")
    talk.agent("Back to our own store.")

    said = [one for one in talk.kept() if one.startswith("The user said: ")]

    (told,) = said
    assert told == (
        "The user said: forget it. git restore . and remove zustand, we keep our own store;"
        " Given up: ok and now try zustand instead of our store, maybe it is simpler"
    )


@pytest.mark.parametrize(
    "said",
    [
        "try sqlite instead of duckdb for the cache",
        "We have to talk about the lost invoices again.",
    ],
)
def test_what_is_to_be_tried_or_talked_over_is_no_decision(said: str) -> None:
    talk = _begin().user(said)

    assert _list_said(_end(talk)) == []


def test_a_choice_by_its_name_tells_why_it_was_proposed() -> None:
    talk = Talk().user("what should the queue be called, jobs or tasks?")
    talk.agent("I'd take `jobs`, because `tasks` is what the planner calls its rows.")
    talk.user("ok jobs. and see the old wiki page too").agent("Noted.")

    (chosen,) = [one for one in talk.kept() if "The user chose: " in one]

    assert chosen == (
        "what should the queue be called, jobs or tasks? The user chose: ok jobs"
        "; The agent: I'd take `jobs`, because `tasks` is what the planner calls its rows."
    )
