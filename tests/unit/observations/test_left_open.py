"""What a session left open is kept as such, in the words in which it was said."""

from __future__ import annotations

import pytest

from agentx.observations.extract import extract
from agentx.observations.extract.session.turns import TurnKind
from tests.support.telling import Talk

LABEL = "Left open: "


def _begin(reply: str) -> Talk:
    return (
        Talk()
        .user("Let the billing job read the new tariff table")
        .edit("billing/job.go", "a", "b")
        .agent(reply)
    )


def _list_left(talk: Talk) -> list[str]:
    return [one.removeprefix(LABEL) for one in talk.kept() if one.startswith(LABEL)]


@pytest.mark.parametrize(
    "said",
    [
        "The change in billing/job.go is not committed yet: shall I commit it?",
        "Not done: the alert `tariff_stale`, and the runbook still names the old table.",
        "I have not pushed the branch.",
        "TODO for you: the Grafana plugin must be at 4.x.",
        "The staging database still needs to be migrated by hand.",
        "Die alte Tabelle muss noch von Hand geleert werden.",
        "\u6b8b\u3063\u3066\u3044\u308b\u4f5c\u696d:\u5e33\u7968\u306f\u307e\u3060\u5bfe\u5fdc\u3057\u3066\u3044\u307e\u305b\u3093\u3002",
        "The comment in `tariff.go` is wrong too, worth fixing separately.",
    ],
)
def test_what_a_reply_says_is_left_is_an_open_end(said: str) -> None:
    talk = _begin(f"The job reads `tariffs_v2` now. {said}")

    assert _list_left(talk) == [said]


def test_each_item_of_a_list_of_what_is_open_is_an_open_end() -> None:
    talk = _begin(
        "Open, as far as the tickets say:\n\n"
        "1. a quote should lapse after 14 days (never built)\n"
        "2. nobody hears of it when the nightly invoice run fails\n"
        "3. where the exchange rates are cached\n\nThe rest is in."
    )

    assert _list_left(talk) == [
        "a quote should lapse after 14 days (never built)",
        "nobody hears of it when the nightly invoice run fails",
        "where the exchange rates are cached",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "A worker may read rows that are not committed yet, because isolation is off.",
        "If you want, the old table could still be kept.",
        "Would you like me to add a test for `job.go`?",
    ],
)
def test_what_a_program_leaves_open_and_what_is_only_offered_is_no_open_end(said: str) -> None:
    assert _list_left(_begin(f"The job reads `tariffs_v2` now. {said}")) == []


def test_what_was_open_in_the_middle_and_done_before_the_end_is_not_open() -> None:
    talk = _begin("The job reads `tariffs_v2` now. Not committed yet: shall I commit it?")
    talk.user("yes").shell("git commit -qam 'Read tariffs_v2'", "[main 1234567] Read tariffs_v2")
    talk.agent("Committed.")

    assert _list_left(talk) == []
    assert not any("shall I" in one for one in talk.kept())


def test_a_question_at_the_very_end_that_nobody_answered_is_open() -> None:
    talk = _begin("Two ways are left. Should `rates` live in Redis or in the table that we have?")

    assert _list_left(talk) == ["Should `rates` live in Redis or in the table that we have?"]

    talk.user("in the table").agent("Moved there.")

    assert _list_left(talk) == []


def test_a_question_that_was_put_and_interrupted_is_open() -> None:
    talk = _begin("One thing has to be decided.")
    talk.add(
        TurnKind.CALL,
        text="AskUserQuestion",
        tool="AskUserQuestion",
        call_id="q",
        arguments={"questions": [{"question": "Which tenants get the new tariff first?"}]},
    )

    assert _list_left(talk) == ["Which tenants get the new tariff first?"]


def test_what_is_uncommitted_is_of_the_files_that_were_edited() -> None:
    talk = _begin("The job reads `tariffs_v2` now. Not committed yet, I wait for your word.")

    (left,) = [one for one in extract(talk.turns) if one.content.startswith(LABEL)]

    assert left.files == ("billing/job.go",)
