"""Goal: what a person dropped is recognised in other words, and not in what means other things.

Method: the pure comparison and its traces over pairs of texts; a room over either store.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.errors import NotFound
from agentx.kernel.ids import ulid
from agentx.observations.model import Category, Observation
from agentx.observations.port import ObservationStore
from agentx.observations.tidying.dropping import (
    blot_out,
    drop,
    finish_drops,
    leave_unsaid,
    list_unsaid,
    sift,
    undrop,
)
from agentx.observations.tidying.said import read_said, say_same
from agentx.observations.tidying.traces import leave_trace, match_trace
from tests.support.observations import observation, opened_store
from tests.support.time_and_chance import START_MS, FakeClock

_ALIKE = (
    (
        "The working tree of the harbour service is clean and nothing is left to commit.",
        "Working tree of harbour service clean, nothing left to commit.",
    ),
    (
        "Cause: the broker closes idle webhook connections after 30 s of silence.",
        "The broker closes idle webhook connections after 30 s of silence.",
    ),
    (
        "Committed the parser rewrite for nested quotes as 7eabcb9f.",
        "Committed the parser rewrite for nested quotes as 01d23fe8.",
    ),
    ("\u68af\u5b50\u306e\u4e0a\u306e\u732b", "\u68af\u5b50\u306e\u4e0a\u306e\u732b"),
)
_DIFFERENT = (
    ("Retries of webhooks are limited to 3.", "Retries of webhooks are limited to 5."),
    (
        "The broker retries webhooks that time out.",
        "The broker does not retry webhooks that time out.",
    ),
    (
        "Asked: Which mode should the exporter of reports use?\nThe user answered: Hybrid",
        "Asked: Which mode should the exporter of reports use?\nThe user answered: Both",
    ),
    ("Keys live in the vault.", "Keys live in the drawer."),
    ("Tests run with bun.", "Tests run with vitest."),
)


@pytest.mark.parametrize(("one", "other"), _ALIKE)
def test_the_same_in_other_words_is_recognised(one: str, other: str) -> None:
    first, second = read_said(one), read_said(other)
    assert say_same(first, second, least=0.6)
    assert match_trace(leave_trace(first, "salt"), leave_trace(second, "salt"))


@pytest.mark.parametrize(("one", "other"), _DIFFERENT)
def test_another_number_denial_or_answer_is_another_thing(one: str, other: str) -> None:
    first, second = read_said(one), read_said(other)
    assert not say_same(first, second, least=0.6)
    assert not match_trace(leave_trace(first, "salt"), leave_trace(second, "salt"))


_RULE = "The user said: Never deploy on Fridays."


@pytest.mark.parametrize(
    "said",
    [
        "ok. never deploy on Fridays, remember",
        "please never deploy on fridays!",
        "as I said, never deploy on Fridays",
        "As I\u2019ve already said: never deploy on Fridays, ok?",
        "don't forget: never deploy on Fridays",
        "ok, again: never deploy on fridays. Thanks!",
        "remember never deploy on Fridays",
        "hey never deploy on fridays pls",
        "I told you: never deploy on Fridays.",
    ],
)
def test_what_people_say_around_a_rule_makes_no_other_rule(said: str) -> None:
    first, second = read_said(_RULE), read_said(f"The user said: {said}")
    assert first == second


@pytest.mark.parametrize(
    "said",
    [
        "ok. never deploy on Fridays without a rollback plan, remember",
        "ok, deploy on Fridays",
        "please never deploy on Mondays",
        "remember Fridays: never deploy the docs",
        "never deploy the remember service on Fridays",
        "ok",
    ],
)
def test_another_rule_with_the_same_words_around_it_is_another(said: str) -> None:
    first, second = read_said(_RULE), read_said(f"The user said: {said}")
    assert not match_trace(leave_trace(first, "salt"), leave_trace(second, "salt"))


def test_an_aside_that_is_the_answer_counts() -> None:
    asked = "Which one?\nThe user answered: "
    assert read_said(asked + "ok") != read_said(asked + "thanks")


def test_a_trace_holds_no_word_and_differs_from_store_to_store() -> None:
    said = read_said("The password of the harbour master is swordfish.")
    trace = leave_trace(said, "salt")
    assert set(trace) <= set("0123456789abcdef")
    assert trace != leave_trace(said, "pepper")
    assert len(trace) == len(leave_trace(read_said("Keys live in the vault."), "salt"))


@pytest.fixture(params=["json", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObservationStore]:
    with closing(opened_store(request.param, tmp_path / "memory", FakeClock())) as made:
        yield made


_NOISE = "The working tree of the harbour service is clean and nothing is left to commit."
_LIKE = "Working tree of harbour service clean, nothing left to commit."


def test_the_like_of_what_was_dropped_is_not_kept_and_is_counted_once(
    store: ObservationStore,
) -> None:
    noise, other = observation(_NOISE), observation("Keys live in the vault.")
    store.store([noise, other])
    drop(store, noise, why="noise", at_ms=Millis(START_MS))
    again = observation(_LIKE, at_ms=START_MS + DAY_MS)
    news = observation("The vault is opened at eight.")

    for _ in range(2):  # a capture that died is done again
        sifted = sift(store, [again, news])
        assert (sifted.kept, sifted.kept_out) == ((news,), 1)

    assert store.get_by_issue(29) == (other,)
    assert store.search("working tree") == ()
    assert store.get_archived(noise.id) == noise
    noted = store.drops.read().dropped[noise.id]
    assert (noted.why, noted.kept_out) == ("noise", (again.id,))

    assert undrop(store, noise.id) == (replace(noted), True)
    assert store.get_by_id(noise.id) == noise
    assert [each.id for each in store.search("working tree")] == [noise.id]
    assert sift(store, [again]).kept == (again,)
    with pytest.raises(NotFound):
        undrop(store, noise.id)


_SUMMED = """Asked: Why is the import slow?; Never deploy on Fridays
Decided:
- The user said: Never deploy on Fridays.
Learnt:
- The importer has no cache."""


def _sum_up(content: str = _SUMMED, **more: object) -> Observation:
    kind = Category.COMPACTION_SUMMARY
    return observation(content, category=kind, event_ids=("e1",), **more)  # type: ignore[arg-type]


def test_the_words_of_what_is_dropped_leave_what_sums_up_the_session(
    store: ObservationStore,
) -> None:
    rule = observation(_RULE, event_ids=("e1",))
    summed = _sum_up(summary="Why is the import slow?: Never deploy on Fridays.")
    alone = _sum_up(
        "Asked: Never deploy on Fridays\nDecided:\n- The user said: Never deploy on Fridays."
    )
    other = _sum_up("Asked: Deploy on Mondays?")
    store.store([rule, summed, alone, other])

    drop(store, rule, why="", at_ms=Millis(START_MS))

    now = store.get_by_id(summed.id)
    assert now is not None
    assert now.content == ("Asked: Why is the import slow?\nLearnt:\n- The importer has no cache.")
    assert (now.summary, now.mended_ms, now.reviewed) == ("Why is the import slow?", 0, False)
    assert store.get_by_id(alone.id) is None
    assert store.get_by_id(other.id) == other
    assert store.search("fridays") == ()


def test_what_sums_up_a_session_does_not_say_what_was_kept_out_of_it(
    store: ObservationStore,
) -> None:
    rule = observation(_RULE)
    store.store([rule])
    drop(store, rule, why="", at_ms=Millis(START_MS))
    again = observation("The user said: ok. never deploy on Fridays, remember")
    content = _SUMMED.replace("Never deploy", "ok. never deploy")
    summed = _sum_up(content, summary="Never deploy on Fridays, remember")

    for found in ([again, summed], [summed]):
        assert [(one.content, one.summary) for one in sift(store, found).kept] == [
            (
                "Asked: Why is the import slow?\nLearnt:\n- The importer has no cache.",
                "Why is the import slow?",
            )
        ]


def test_what_is_dropped_and_then_forgotten_is_recognised_and_not_read(
    store: ObservationStore, tmp_path: Path
) -> None:
    noise = observation(_NOISE, session_id="s1")
    store.store([noise])
    drop(store, noise, why="the harbour again", at_ms=Millis(START_MS))

    assert store.forget([noise.id]) == (noise.id,)
    blot_out(store, [noise.id])

    on_disk = b"".join(each.read_bytes() for each in (tmp_path / "memory").rglob("*.json"))
    assert b"harbour" not in on_disk
    assert sift(store, [observation(_LIKE)]).kept_out == 1
    assert undrop(store, noise.id)[1] is False
    assert sift(store, [observation(_LIKE)]).kept_out == 0


def test_a_merged_one_that_was_dropped_goes_with_the_original_that_is_forgotten(
    store: ObservationStore,
) -> None:
    olds = [observation(f"The {each} quay of the harbour is closed.") for each in ("north", "west")]
    store.store(olds)
    (merged,) = store.compact(29, before_ms=START_MS + DAY_MS).merged
    drop(store, merged, why="", at_ms=Millis(START_MS))

    gone = store.forget([olds[0].id])

    assert set(gone) == {olds[0].id, merged.id}
    assert store.get_archived(merged.id) is None
    assert store.get_by_issue(29) == ()  # what was dropped does not come back by itself
    assert sift(store, [observation(olds[1].content)]).kept_out == 1


def test_what_a_kill_left_half_dropped_or_half_brought_back_is_finished(
    store: ObservationStore,
) -> None:
    one, other = observation(_NOISE), observation("Keys live in the vault.")
    store.store([one, other])
    drop(store, one, why="", at_ms=Millis(START_MS))
    drop(store, other, why="", at_ms=Millis(START_MS))
    store.bring_back([one.id])  # as if it had not been put away yet
    with store.drops.changing() as listed:
        listed.dropped[other.id] = replace(listed.dropped[other.id], is_returning=True)

    finish_drops(store)

    assert store.get_by_issue(29) == (other,)
    assert list(store.drops.read().dropped) == [one.id]


def test_a_list_that_does_not_parse_is_put_aside_and_said(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    with closing(opened_store("json", folder, FakeClock())) as store:
        store.store([observation(_NOISE)])
        (folder / "dropped.json").write_text("{broken", encoding="utf-8")
        assert sift(store, [observation(_LIKE)]).kept_out == 0
        drop(store, store.get_by_issue(29)[0], why="", at_ms=Millis(START_MS))
        assert list(folder.glob("dropped.json.corrupt-*"))
        assert "dropped" in store.faults()[0].what


def test_the_moments_at_which_it_was_said_are_noted_of_what_is_dropped_or_removed(
    store: ObservationStore,
) -> None:
    at = [START_MS + number * DAY_MS for number in range(5)]
    proof = ulid(at[3], bytes(10))
    noise = observation(_NOISE, at_ms=at[0], event_ids=(proof,))
    gone = observation("Keys live in the vault.", at_ms=at[1], event_ids=("e1",))
    written = observation("Written by hand.", at_ms=at[4])
    store.store([noise, gone, written])

    drop(store, noise, why="", at_ms=Millis(START_MS))
    sift(store, [observation(_LIKE, at_ms=at[2])])
    leave_unsaid(store, gone)
    leave_unsaid(store, written)

    assert list_unsaid(store) == {at[0], at[1], at[2], at[3]}
    assert sift(store, [gone, written]).kept == (written,), "its session may be captured anew"
    undrop(store, noise.id)
    assert list_unsaid(store) == {at[1]}


def test_of_a_merged_one_that_is_dropped_every_original_is_said_no_more(
    store: ObservationStore,
) -> None:
    words = ("The north quay of the harbour is closed.", "The west quay of the harbour is closed.")
    olds = [observation(each, at_ms=START_MS + at) for at, each in enumerate(words)]
    store.store(olds)
    (merged,) = store.compact(29, before_ms=START_MS + DAY_MS).merged

    drop(store, merged, why="", at_ms=Millis(START_MS))
    assert list_unsaid(store) == {one.timestamp_ms for one in olds}
    undrop(store, merged.id)
    assert list_unsaid(store) == frozenset()


def test_a_name_in_the_list_that_is_none_is_stepped_over(store: ObservationStore) -> None:
    with store.drops.changing() as listed:
        listed.unsaid["by hand"] = ("no event",)

    assert list_unsaid(store) == frozenset()
