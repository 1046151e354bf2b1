"""Goal: old observations are merged with what they are like, and what they said stays."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

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
    if count != 1:
        assert sorted(originals) == sorted(each.id for each in old)
        assert len(planned) <= count / 2
    for plan in planned:
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


def test_a_merged_line_says_nothing_twice_and_goes_on_where_its_summary_was_cut() -> None:
    first = observation(
        "The user said: Go with the CI step. No cron.", summary="Go with the CI step", at_ms=1
    )
    second = observation(
        "Cargo prefers versions that fit rust-version.", summary="Cargo prefers vers\u2026", at_ms=2
    )
    third = observation("Nothing alike.", summary="Said otherwise", at_ms=3)

    ((merge,)) = merges([first, second, third], before_ms=10)

    assert [line.partition(": ")[2] for line in merge.merged.content.splitlines()] == [
        "Go with the CI step. No cron.",
        "Cargo prefers versions that fit rust-version.",
        "Said otherwise Nothing alike.",
    ]


def test_the_summary_of_many_tells_the_newest_and_how_many_more() -> None:
    told = [f"The harbour of town number {number} is slow" for number in range(5)]
    group = [observation(f"{text}.", summary=text, at_ms=at) for at, text in enumerate(told)]

    (merge,) = merges(group, before_ms=10)

    assert merge.merged.summary == f"{told[4]}; {told[3]}; {told[2]}; 2 more"
