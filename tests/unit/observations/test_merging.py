"""Goal: old observations are merged with what they are like, and what they said stays."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.observations.limits import OBSERVATION_SUMMARY_CHARS_MAX
from agentx.observations.model import Category
from agentx.observations.tidying.merging import merges
from tests.support.observations import generated, observation
from tests.support.time_and_chance import START_MS

LATER = START_MS + 1


@settings(max_examples=30)
@given(count=st.integers(0, 25), words=st.integers(10, 120), seed=st.integers(0, 50))
def test_what_is_old_is_at_least_halved_and_nothing_of_it_goes_missing(
    count: int, words: int, seed: int
) -> None:
    old = generated(count, seed=seed, issues=1, words=words)
    planned = merges(old, before_ms=LATER)

    originals = [each for plan in planned for each in plan.originals]
    kinds = Counter(each.category for each in old)
    alone = {each.id for each in old if kinds[each.category] == 1}
    assert sorted(originals) == sorted(each.id for each in old if each.id not in alone)
    assert len(planned) <= len(originals) / 2
    for plan in planned:
        assert {each.category for each in old if each.id in plan.originals} == {
            plan.merged.category
        }
        assert plan.merged.sources == plan.originals
        assert 0 < len(plan.merged.content) <= OBSERVATION_CHARS_MAX
        assert len(plan.merged.summary) <= OBSERVATION_SUMMARY_CHARS_MAX


def test_the_same_originals_give_the_same_merged_observation() -> None:
    old = generated(20, issues=1)

    assert merges(old, before_ms=LATER) == merges(list(reversed(old)), before_ms=LATER)


def test_what_is_young_or_alone_stays_as_it_is() -> None:
    old, young = observation("old", at_ms=START_MS - 10), observation("young")

    assert merges([old, young], before_ms=START_MS - 5) == ()
    assert merges([], before_ms=LATER) == ()


def test_related_ones_go_together_and_keep_their_provenance() -> None:
    queue = [
        observation(
            f"Retry queue loses webhooks when the broker restarts, part {number}.",
            at_ms=START_MS + number - 10,
            category=Category.ERROR,
            event_ids=(f"e{number}",),
            files=("queue.py",),
        )
        for number in range(2)
    ]
    colour = [
        observation(f"Chose dark blue buttons for form {number}.", at_ms=START_MS + number - 5)
        for number in range(2)
    ]
    planned = merges([*queue, *colour], before_ms=LATER)

    assert {plan.originals for plan in planned} == {
        tuple(each.id for each in queue),
        tuple(each.id for each in colour),
    }
    merged = next(plan.merged for plan in planned if queue[0].id in plan.originals)
    assert merged.category is Category.ERROR
    assert merged.event_ids == ("e1", "e0")
    assert merged.files == ("queue.py",)
    assert merged.timestamp_ms == queue[1].timestamp_ms
    assert "part 0" in merged.content
    assert "part 1" in merged.content


def test_a_merged_line_is_what_was_said_and_a_change_is_told_by_its_headline() -> None:
    said = [
        observation("Cargo prefers versions\nthat fit rust-version.", summary="Cargo", at_ms=1),
        observation("The harbour is closed at night.", at_ms=2),
    ]
    done = [
        observation(
            f"Add the {each} form\n- with a button\nFiles: {each}.py (+20)",
            summary=f"Add the {each} form ({each}.py)",
            category=Category.CODE_CHANGE,
            at_ms=3,
        )
        for each in ("login", "search")
    ]

    lines = [
        line.removeprefix("- 1970-01-01: ").removeprefix("- ")
        for plan in merges([*said, *done], before_ms=10)
        for line in plan.merged.content.splitlines()
    ]

    assert sorted(lines) == [
        "Add the login form (login.py)",
        "Add the search form (search.py)",
        "Cargo prefers versions that fit rust-version.",
        "The harbour is closed at night.",
    ]


def test_likes_are_one_line_with_their_days_and_two_answers_are_two() -> None:
    crash = [
        observation(
            f"`make test` failed: the harbour database of the crane refuses connections {tail}",
            category=Category.ERROR,
            at_ms=START_MS + day * DAY_MS - 10 * DAY_MS,
        )
        for day, tail in enumerate(("again", "still", "once more"))
    ]
    asked = "Asked: Which mode should the exporter of harbour reports use?\nThe user answered: "
    answers = [
        observation(asked + each, at_ms=each_ms) for each_ms, each in ((1, "Both"), (2, "Hybrid"))
    ]

    planned = merges([*crash, *answers], before_ms=LATER)

    by_kind = {plan.merged.category: plan.merged.content for plan in planned}
    (line,) = by_kind[Category.ERROR].splitlines()
    assert "refuses connections" in line
    assert line.endswith("(3 times: 2026-02-20, 2026-02-21, 2026-02-22)")
    assert [each.split()[-1] for each in by_kind[Category.DECISION].splitlines()] == [
        "Both",
        "Hybrid",
    ]


def test_what_was_superseded_makes_room_for_what_stands() -> None:
    old = observation("Reports go out at noon.", superseded_by="obs-e-29-9-aaaaaa", at_ms=1)
    new = observation("Reports go out at midnight.", at_ms=2)

    (plan,) = merges([old, new], before_ms=10)

    assert "noon" not in plan.merged.content
    assert plan.merged.superseded_by == ""


def test_merging_takes_half_of_the_words_away() -> None:
    old = generated(60, issues=1, words=60)

    planned = merges(old, before_ms=LATER)

    assert sum(plan.merged.tokens for plan in planned) <= 0.6 * sum(each.tokens for each in old)


def test_the_summary_of_many_tells_the_newest_and_how_many_more() -> None:
    told = [f"The harbour of town number {number} is slow" for number in range(5)]
    group = [observation(f"{text}.", summary=text, at_ms=at) for at, text in enumerate(told)]

    (merge,) = merges(group, before_ms=10)

    assert merge.merged.summary == f"{told[4]}; {told[3]}; {told[2]}; 2 more"
