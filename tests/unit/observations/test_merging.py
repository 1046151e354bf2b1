"""Goal: old observations are merged with what they are like, and what they said stays."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.observations.limits import OBSERVATION_SUMMARY_CHARS_MAX
from agentx.observations.model import Category
from agentx.observations.store.aside import purge_aside
from agentx.observations.store.packing import pack, unpack
from agentx.observations.tidying.lists import list_parts, open_lists, take_apart
from agentx.observations.tidying.merging import merges
from agentx.observations.validity.marking import mark_superseded
from tests.support.observations import generated, observation, opened_store
from tests.support.time_and_chance import START_MS, FakeClock

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


def test_what_a_person_said_and_what_a_question_came_to_is_merged_with_nothing() -> None:
    words = "cut: Yes, cut the tree down, it is cut"
    agents = [observation(f"{words}, part {n}.", at_ms=START_MS - n) for n in range(3)]
    persons = [
        observation(f"{words}.", agent="human", at_ms=START_MS - 8),
        observation(f"{words}.", agent="human", at_ms=START_MS - 9),
        observation("cut: No. Decided by ana [CLR-29-001]", agent="human", at_ms=START_MS - 7),
        observation("cut: No. Decided by architect [CLR-29-002]", at_ms=START_MS - 6),
    ]

    planned = merges([*agents, *persons], before_ms=LATER)

    gone = {each for plan in planned for each in plan.originals}
    assert gone == {each.id for each in agents}


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


def test_a_list_holds_what_is_told_of_each_and_a_change_is_told_by_its_headline() -> None:
    said = [
        observation("Cargo prefers versions\nthat fit rust-version.", summary="Cargo", at_ms=1),
        observation("The harbour is closed at night.", at_ms=2),
    ]
    done = [
        observation(
            f"Add the {each} form\nAsked: the {each}\nFiles: {each}.py (+20)",
            category=Category.CODE_CHANGE,
            at_ms=3,
        )
        for each in ("login", "search")
    ]
    asked = [
        observation(
            f"Asked: {each}\nDecided:\n- a lot", category=Category.COMPACTION_SUMMARY, summary=each
        )
        for each in ("Mend the crane", "Paint the quay")
    ]

    merged = [plan.merged for plan in merges([*said, *done, *asked], before_ms=LATER)]

    assert sorted(part.content for one in merged for part in list_parts(one)) == [
        "Add the login form",
        "Add the search form",
        "Cargo prefers versions; that fit rust-version.",
        "Mend the crane",
        "Paint the quay",
        "The harbour is closed at night.",
    ]
    assert [part.id for part in list_parts(merged[0])] == [each.id for each in said]


def test_what_says_the_same_is_one_and_says_when() -> None:
    crash = [
        observation(
            f"`make test` failed: the harbour database of the crane refuses connections {tail}",
            category=Category.ERROR,
            at_ms=START_MS + day * DAY_MS - 10 * DAY_MS,
        )
        for day, tail in enumerate(("again", "still", "once"))
    ]
    rule = [
        observation("The user said: Always measure with hyperfine first.", at_ms=at)
        for at in (START_MS - DAY_MS, START_MS - 1)
    ]

    failed, ruled = sorted(
        (plan.merged for plan in merges([*crash, *rule], before_ms=LATER)),
        key=lambda one: one.category,
        reverse=True,
    )

    assert failed.content.splitlines()[1] == (
        "Again on 20 February 2026 and 21 February 2026: the third time."
    )
    assert len(failed.repeats) == 2
    assert ruled.content.startswith(f"{rule[0].content}\nAgain on ")
    assert list_parts(ruled) == (ruled,)


def test_what_a_person_ruled_and_what_was_left_open_stays_by_itself() -> None:
    asked = "Asked: Which mode should the exporter of harbour reports use?\nThe user answered: "
    alone = [
        observation(asked + "Both"),
        observation(asked + "Hybrid"),
        observation("The user said: Reports of the harbour go out in Hybrid mode."),
        observation("The user said: From now on write reports of the harbour in French."),
        observation(
            "`make reports` failed: no harbour\nNot seen fixed in this session.",
            category=Category.ERROR,
        ),
        observation("`make crane` failed: no harbour\nCause: none", category=Category.ERROR),
        observation("Left open: the reports of the harbour.", category=Category.KEY_FACT),
        observation("The reports of the harbour are slow.", category=Category.KEY_FACT),
    ]

    assert merges(alone, before_ms=LATER) == ()


def test_what_was_superseded_is_not_put_with_what_stands_nor_one_branch_with_another() -> None:
    by = "obs-e-29-9-aaaaaa"
    old = [observation(f"Reports go out at {at}.", superseded_by=by) for at in ("noon", "dawn")]
    new = [observation(f"Reports go out to {who}.") for who in ("Anna", "Ben")]
    there = [observation(f"Reports go out by {how}.", branch="x") for how in ("mail", "fax")]

    planned = merges([*old, *new, *there], before_ms=LATER)

    assert {frozenset(plan.originals) for plan in planned} == {
        frozenset(each.id for each in group) for group in (old, new, there)
    }
    assert sorted(plan.merged.superseded_by for plan in planned) == ["", "", by]


def test_a_list_is_never_cut() -> None:
    words = "the crane of the harbour is slow in winter because its oil is thick "
    long = [observation(f"{number} {words * 5}") for number in range(20)]

    planned = merges(long, before_ms=LATER)

    assert sum(len(list_parts(plan.merged)) for plan in planned) == 20
    assert all(len(plan.merged.content) <= OBSERVATION_CHARS_MAX for plan in planned)


def test_merging_takes_half_of_the_words_away() -> None:
    old = generated(60, issues=1, words=60)

    planned = merges(old, before_ms=LATER)

    assert sum(plan.merged.tokens for plan in planned) <= 0.6 * sum(each.tokens for each in old)


def test_the_summary_of_many_tells_the_newest_and_how_many_more() -> None:
    told = [f"The harbour of town number {number} is slow" for number in range(5)]
    group = [observation(f"{text}.", summary=text, at_ms=at) for at, text in enumerate(told)]

    (merge,) = merges(group, before_ms=10)

    assert merge.merged.summary == f"{told[4]}; {told[3]}; {told[2]}; 2 more"


@pytest.mark.parametrize("kind", ["json", "sqlite"])
def test_who_replaces_a_line_of_a_list_replaces_nothing_else_of_it(
    kind: str, tmp_path: Path
) -> None:
    facts = [
        observation("The sync worker of the harbour reads rows with 7 threads.", at_ms=START_MS),
        observation("The sync worker of the crane is written in Rust.", at_ms=START_MS + 1),
    ]
    news = observation("Drop Rust for the crane, use Go instead of Rust.", at_ms=START_MS + DAY_MS)
    with closing(opened_store(kind, tmp_path / "memory", FakeClock())) as store:
        store.store(facts)
        (merged,) = store.compact(29, before_ms=START_MS + 10).merged
        store.store([news])
        found, lists = open_lists(store.get_by_issue(29))
        assert {merged.id: merged} == {one.id: one for one in lists.values()}
        assert set(found) == {facts[0].id, facts[1].id, news.id}

        take_apart(store, lists, [facts[1].id])
        store.amend([replace(found[facts[1].id], superseded_by=news.id)])

        by_id = {one.id: one for one in store.get_by_issue(29)}
        assert by_id.keys() == {facts[0].id, facts[1].id, news.id}
        assert by_id[facts[0].id] == facts[0]
        assert by_id[facts[1].id].superseded_by == news.id
        assert store.get_archived(merged.id) is None


def test_what_a_later_session_takes_back_leaves_the_list_and_is_marked(tmp_path: Path) -> None:
    olds = [
        observation(f"We use {what} for the {where} instead of paper.", at_ms=START_MS + number)
        for number, (what, where) in enumerate((("Kafka", "job queue"), ("Redis", "job cache")))
    ]
    news = observation(
        "We use Postgres for the job queue instead of Kafka, because it is there.",
        at_ms=START_MS + DAY_MS,
        session_id="later",
    )
    with closing(opened_store("json", tmp_path / "memory", FakeClock())) as store:
        store.store(olds)
        assert len(store.compact(29, before_ms=START_MS + 10).merged) == 1
        store.store([news])

        mark_superseded(store, [news])

        marked = {one.content: one.superseded_by for one in store.get_by_issue(29)}
        assert marked == {olds[0].content: news.id, olds[1].content: "", news.content: ""}


def test_an_archive_is_packed_and_a_damaged_one_is_said_to_be() -> None:
    records = [b'{"id":"one"}', b'{"id":"two"}']
    page = msgspec.json.decode(pack(29, "2026-01-01T00:00:00.000Z", records))

    assert (page["version"], page["issueNumber"]) == (2, 29)
    assert unpack(page["packed"]) == b'[{"id":"one"},{"id":"two"}]'
    for damaged in ("?", page["packed"][:-8], "AAAA", ""):
        with pytest.raises(msgspec.DecodeError):
            unpack(damaged)


def test_what_was_put_aside_packed_goes_with_what_it_names(tmp_path: Path) -> None:
    named = tmp_path / "archive" / "issue-1-archived.json.corrupt-1"
    other = tmp_path / "archive" / "issue-2-archived.json.corrupt-1"
    broken = tmp_path / "archive" / "issue-3-archived.json.corrupt-1"
    named.parent.mkdir()
    named.write_bytes(pack(1, "", [b'{"id":"obs-e-1-1-aaaaaa"}']))
    other.write_bytes(pack(2, "", [b'{"id":"obs-e-2-1-aaaaaa"}']))
    broken.write_bytes(b'{"packed": "AAAA"}')

    purge_aside(tmp_path, ["obs-e-1-1-aaaaaa"])

    assert [path.exists() for path in (named, other, broken)] == [False, True, False]
