"""Every store of observations keeps the same promises: JSON files and SQLite alike.

Each test runs over a fresh store, and most look again through a second one over the same folder:
what counts is what is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import InvalidValue
from agentx.kernel.tokens import estimate
from agentx.observations.limits import OBSERVATION_CANDIDATES_MAX
from agentx.observations.model import Category, Marking, SearchFilters
from agentx.observations.port import ObservationStore
from tests.support.observations import generated, observation, opened_store
from tests.support.time_and_chance import START_MS, FakeClock

Open = Callable[[], ObservationStore]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["json", "sqlite"])
def reopened(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Open]:
    made: list[ObservationStore] = []

    def open_one() -> ObservationStore:
        made.append(opened_store(request.param, tmp_path / "memory", clock))
        return made[-1]

    yield open_one
    for each in made:
        each.close()


@pytest.mark.promise("observations.kept")
def test_t2_what_is_stored_is_found_by_issue_by_id_and_in_the_index(reopened: Open) -> None:
    first = observation(
        "Chose JSON. It is readable.", event_ids=("e1",), files=("a.py",), commit="c0ffee"
    )
    other = observation("Timeout in CI", issue=30, category=Category.ERROR, agent="reviewer")
    reopened().store([first, other])

    store = reopened()
    assert store.get_by_issue(29) == (first,)
    assert store.get_by_issue(30) == (other,)
    assert store.get_by_id(first.id) == first
    assert store.get_by_ids([other.id, first.id]) == (other, first)
    assert store.list_by_agent("reviewer") == (other.index(),)
    assert store.list_by_category(Category.DECISION) == (first.index(),)
    assert store.issues() == (29, 30)
    assert sorted(each.id for each in store.everything()) == sorted((first.id, other.id))
    assert store.faults() == ()


@pytest.mark.promise("observations.kept")
def test_settling_changes_nothing_that_is_seen(reopened: Open) -> None:
    store = reopened()
    kept = generated(30)
    store.store(kept)
    store.amend([replace(kept[3], superseded_by=kept[4].id, changed_files=("x.py",))])
    store.increment_recall_count(kept[0].id, kept[1].id)
    before = [store.get_by_issue(issue) for issue in store.issues()], store.search("retry queue")

    store.settle()
    again = reopened()

    for one in (store, again):
        assert [one.get_by_issue(issue) for issue in one.issues()] == before[0]
        assert one.search("retry queue") == before[1]
        assert one.get_stats().recalls == 2
        assert one.search_by_filters(SearchFilters(superseded=True))[0].id == kept[3].id


def test_amending_changes_what_is_known_about_it_and_never_its_text(reopened: Open) -> None:
    one = observation("Keys live 7 days.")
    store = reopened()
    store.store([one])
    known = replace(one, superseded_by="obs-e-29-1-bbbbbb", changed_files=("a.py",))
    store.amend([replace(known, content="rewritten", summary="rewritten")])

    for _ in range(2):
        assert reopened().get_by_id(one.id) == known
        assert reopened().search_by_filters(SearchFilters()) == (known.index(),)
        store.settle()
    store.amend([one])
    assert reopened().get_by_id(one.id) == one
    assert store.search_by_filters(SearchFilters(superseded=True)) == ()


def test_what_a_person_says_of_one_is_kept_beside_what_others_say(reopened: Open) -> None:
    one, other = observation("Keys live 7 days."), observation("Tokens live 7 hours.", issue=30)
    store, second = reopened(), reopened()
    store.store([one, other])
    stale = second.get_by_id(one.id)
    assert stale is not None

    assert store.mark([Marking(id=one.id, pinned=True)]) == (replace(one, pinned=True),)
    # Who read it before writes what else is known of it: the pin stays.
    second.amend([replace(stale, changed_files=("a.py",))])
    second.mark([Marking(id=one.id, reviewed=True), Marking(id=other.id, reviewed=True)])

    known = replace(one, pinned=True, reviewed=True, changed_files=("a.py",))
    for _ in range(2):
        again = reopened()
        assert again.get_by_id(one.id) == known
        assert again.search_by_filters(SearchFilters(pinned=True)) == (known.index(),)
        assert again.search_by_filters(SearchFilters(reviewed=False)) == ()
        again.settle()
    store.mark([Marking(id=one.id, pinned=False)])
    assert reopened().search_by_filters(SearchFilters(pinned=True)) == ()
    assert store.mark([Marking(id="obs-e-29-1-bbbbbb", pinned=True)]) == ()


def test_a_mended_text_is_found_by_its_new_words_and_no_longer_by_its_old(reopened: Open) -> None:
    one = observation("The broker drops webhooks after midnight.")
    store = reopened()
    store.store([one])
    assert [each.id for each in store.search("midnight")] == [one.id]

    text = "The balancer drops webhooks at noon."
    (now,) = store.mark([Marking(id=one.id, content=text, summary=text)])

    assert (now.content, now.summary, now.id) == (text, text, one.id)
    assert now.mended_ms
    assert now.tokens == estimate(text)
    for again in (store, reopened()):
        assert again.get_by_id(one.id) == now
        assert again.search_by_filters(SearchFilters()) == (now.index(),)
        assert [each.id for each in again.search("noon")] == [one.id]
        assert again.search("midnight") == ()


def test_what_was_seen_again_says_so_at_once_and_once_it_is_settled(reopened: Open) -> None:
    one = replace(observation("The broker refuses connections."), branch="x", head="a" * 40)
    store, second = reopened(), reopened()
    store.store([one])
    assert second.get_by_id(one.id) == one
    first, later = (f"obs-engineer-29-{START_MS + days * DAY_MS}-aaaaa{days}" for days in (1, 2))

    store.mark([Marking(id=one.id, again=(first,))])
    # Others write meanwhile what else is known of it, and that it was seen once more.
    second.amend([replace(one, changed_files=("a.py",))])
    (now,) = second.mark([Marking(id=one.id, again=(later,), unbound=True)])

    assert now.repeats == (first, later)
    assert now.content.endswith(": the third time.")
    assert (now.branch, now.changed_files) == ("", ("a.py",))
    for _ in range(2):
        for again in (store, second, reopened()):
            assert again.get_by_id(one.id) == now
            assert again.get_by_issue(29) == (now,)
            assert again.search_by_filters(SearchFilters()) == (now.index(),)
            assert [row.id for row in again.search("third time of the broker")] == [one.id]
        store.settle()
    store.mark([Marking(id=one.id, pinned=True, again=(first,))])
    assert reopened().get_by_id(one.id) == replace(now, pinned=True)


def test_what_is_pinned_is_not_merged(reopened: Open) -> None:
    store = reopened()
    store.store([observation(f"Retry {each} of the queue failed.") for each in "abcdef"])
    pinned = store.get_by_issue(29)[2]
    store.mark([Marking(id=pinned.id, pinned=True)])

    done = store.compact(29, before_ms=START_MS + DAY_MS)

    assert pinned.id not in done.archived
    assert reopened().get_by_id(pinned.id) == replace(pinned, pinned=True)


def test_the_branch_of_one_is_in_the_index_until_it_was_seen_on_another(reopened: Open) -> None:
    one = replace(observation("Keys live 7 days."), branch="feature/\u9375", head="a" * 40)
    plain = observation("Tokens live 7 hours.")
    store = reopened()
    store.store([one, plain])

    for _ in range(2):
        again = reopened()
        assert again.get_by_id(one.id) == one
        rows = {row.id: row.branch for row in again.search_by_filters(SearchFilters())}
        assert rows == {one.id: one.branch, plain.id: ""}
        assert [row.branch for row in again.search("keys")] == [one.branch]
        again.settle()
    # Who writes what else is known of it leaves the branch as it is.
    store.amend([replace(one, branch="", head="", changed_files=("a.py",))])
    store.mark([Marking(id=one.id, reviewed=True)])
    (row,) = reopened().search_by_filters(SearchFilters(reviewed=True))
    assert row.branch == one.branch

    store.mark([Marking(id=one.id, unbound=True)])
    now = reopened().get_by_id(one.id)
    assert now is not None
    assert (now.branch, now.head) == ("", "")
    assert {each.branch for each in reopened().search_by_filters(SearchFilters())} == {""}


def test_what_is_merged_of_one_branch_stays_of_it(reopened: Open) -> None:
    store = reopened()
    said = [observation(f"Retry {each} of the queue failed.") for each in "abcdef"]
    store.store([replace(each, branch="feature/x", head="a" * 40) for each in said])
    other = [observation(f"Shard {each} of the index broke.", issue=30) for each in "abcdef"]
    store.store([replace(each, branch=f"feature/{n}") for n, each in enumerate(other)])

    one = store.compact(29, before_ms=START_MS + DAY_MS)
    several = store.compact(30, before_ms=START_MS + DAY_MS)

    assert {(each.branch, each.head) for each in one.merged} == {("feature/x", "a" * 40)}
    assert {each.branch for each in several.merged} == {""}


def test_an_id_that_is_stored_twice_is_stored_once(reopened: Open) -> None:
    one = observation()
    store = reopened()
    store.store([one])
    store.store([one, one])
    store.settle()
    store.store([one])

    assert store.get_by_issue(29) == (one,)
    assert store.get_stats().total_observations == 1


def test_an_issue_is_read_in_the_order_of_time(reopened: Open) -> None:
    late, early = observation("late"), observation("early", at_ms=START_MS - 5)
    store = reopened()
    store.store([late])
    store.store([early])

    assert store.get_by_issue(29) == (early, late)


def test_a_second_store_sees_at_once_what_the_first_does(reopened: Open) -> None:
    writer, reader = reopened(), reopened()
    assert reader.search("json") == ()
    first, second = observation("Chose JSON files"), observation("Chose JSON lines")

    writer.store([first])
    assert reader.get_by_id(first.id) == first
    writer.settle()
    writer.store([second])
    assert {each.id for each in reader.search("json")} == {first.id, second.id}
    assert writer.remove(first.id)
    assert reader.get_by_id(first.id) is None
    assert [each.id for each in reader.search("json")] == [second.id]


def test_t3_search_ranks_by_fit_and_keeps_to_its_limit(reopened: Open) -> None:
    best = observation("Retry queue drops webhook events when the broker restarts")
    good = observation("Webhook signature is checked twice")
    other = observation("Colours of the login form")
    store = reopened()
    store.store([other, good, best])

    found = store.search("webhook retry queue")
    assert [each.id for each in found] == [best.id, good.id]
    assert [each.id for each in store.search("webhook retry queue", limit=1)] == [best.id]
    assert store.search("webhook", limit=0) == ()
    assert store.search("nothing of the kind whatsoever") == ()
    assert store.search("") == ()
    assert store.search('"*)(^ -- NEAR OR') == ()


def test_words_that_are_everywhere_still_find_the_best_and_the_newest(reopened: Open) -> None:
    # More of them than a search ranks; only one has both words.
    many = [
        observation(("alpha" if number % 2 else "beta") + f" note {number}")
        for number in range(2 * OBSERVATION_CANDIDATES_MAX + 100)
    ]
    both = observation("alpha and beta")
    store = reopened()
    store.store([both, *many])
    store.settle()

    found = [each.summary for each in store.search("alpha beta", limit=3)]
    assert found[0] == "alpha and beta"
    assert len(found) == 3
    assert len(store.search("alpha", limit=5)) == 5


def test_search_reads_scripts_without_spaces_emoji_and_identifiers(reopened: Open) -> None:
    han = observation("\u6211\u4eec\u51b3\u5b9a\u4f7f\u7528\u7f13\u5b58\u961f\u5217 \U0001f680")
    arabic = observation(
        "\u0642\u0631\u0631\u0646\u0627 \u062d\u0641\u0638 \u0627\u0644\u0643\u0644"
    )
    code = observation("Renamed parseHTTPHeader to read_http_header in app/db.py")
    lone = observation("half a character \ud83d here")
    store = reopened()
    store.store([han, arabic, code, lone])

    assert [each.id for each in store.search("\u7f13\u5b58")] == [han.id]
    assert [each.id for each in store.search("\u062d\u0641\u0638")] == [arabic.id]
    assert [each.id for each in store.search("http header")] == [code.id]
    assert store.get_by_id(han.id) == han
    kept = store.get_by_id(lone.id)
    assert kept is not None
    assert kept.content == "half a character ? here"


def test_filters_narrow_by_agent_issue_category_and_time(reopened: Open) -> None:
    kept = [
        observation("one", at_ms=START_MS - 3 * DAY_MS),
        observation("two", at_ms=START_MS - 2 * DAY_MS, agent="reviewer"),
        observation("three", at_ms=START_MS - DAY_MS, category=Category.ERROR),
        observation("four", issue=7),
    ]
    store = reopened()
    store.store(kept)

    def ids(filters: SearchFilters) -> list[str]:
        return [each.summary for each in store.search_by_filters(filters)]

    assert ids(SearchFilters()) == ["four", "three", "two", "one"]
    assert ids(SearchFilters(limit=2)) == ["four", "three"]
    assert ids(SearchFilters(agent="reviewer")) == ["two"]
    assert ids(SearchFilters(issue_number=7)) == ["four"]
    assert ids(SearchFilters(issue_number=29, category=Category.DECISION)) == ["two", "one"]
    since, until = START_MS - 2 * DAY_MS, START_MS - DAY_MS
    assert ids(SearchFilters(since_ms=since, until_ms=until)) == ["two"]


def test_recall_counts_belong_to_the_index_and_survive_settling(reopened: Open) -> None:
    one = observation()
    store = reopened()
    store.store([one])
    store.increment_recall_count(one.id)
    store.settle()
    store.increment_recall_count(one.id, one.id, "obs-nobody-1-1-aaaaaa")

    assert reopened().search_by_filters(SearchFilters())[0].recall_count == 2
    assert store.get_by_id(one.id) == one


def test_removed_is_gone_from_every_answer_and_every_file(reopened: Open, tmp_path: Path) -> None:
    one, other = observation("zanzibar harbour"), observation("something else")
    store = reopened()
    store.store([one, other])
    store.settle()
    assert store.search("zanzibar")

    assert store.remove(one.id)
    assert not store.remove(one.id)
    store.close()

    again = reopened()
    assert again.get_by_id(one.id) is None
    assert again.search("zanzibar") == ()
    assert again.get_by_issue(29) == (other,)
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in left if b"zanzibar" in path.read_bytes()] == []


def _holding(folder: Path, words: bytes) -> list[str]:
    return [
        path.name for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()
    ]


@pytest.mark.promise("log.forget")
def test_what_is_forgotten_leaves_the_archive_and_what_was_merged_of_it(
    reopened: Open, tmp_path: Path
) -> None:
    names = ("zanzibar", "mombasa", "kilwa", "lamu")
    one, *others = (observation(f"the {name} harbour is slow", issue=7) for name in names)
    reversed_ = observation("the port is slow", issue=8, superseded_by=one.id)
    store = reopened()
    store.store([one, *others, reversed_])
    assert store.search("zanzibar")
    (merged,) = store.compact(7, before_ms=1 << 45).merged
    store.settle()
    store.increment_recall_count(merged.id)
    assert "zanzibar" in merged.content
    assert [each.id for each in store.search("zanzibar")] == [merged.id]
    for aside in ("manifest.json.corrupt-1", "replaced-1/issue-7.json"):
        path = tmp_path / "memory" / aside
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{one.id} zanzibar", encoding="utf-8")
    kept_aside = tmp_path / "memory" / "issue-8.json.corrupt-2"
    kept_aside.write_text(reversed_.id, encoding="utf-8")

    gone = store.forget([one.id, "obs-nobody-7-1-aaaaaa"])

    assert set(gone) == {one.id, merged.id}
    for again in (store, reopened()):
        assert sorted(each.id for each in again.get_by_issue(7)) == sorted(
            each.id for each in others
        )
        assert again.get_archived(one.id) is None
        assert again.get_archived(others[0].id) is None
        assert again.search("zanzibar") == ()
        assert len(again.search("harbour")) == 3
    # Merged anew, started anew and indexed anew it does not come back.
    store.compact(7, before_ms=1 << 45)
    store.settle()
    store.close()
    for path in (tmp_path / "views").glob("*"):
        path.unlink()
    again = reopened()
    again.settle()
    assert again.search("zanzibar") == ()
    assert len(again.search("mombasa")) == 1
    assert _holding(tmp_path, b"zanzibar") == []
    assert _holding(tmp_path, b"mombasa")
    assert kept_aside.exists()


def test_who_removes_a_merged_one_removes_all_it_was_merged_from(
    reopened: Open, tmp_path: Path
) -> None:
    store = reopened()
    store.store([observation(f"zanzibar {part}", issue=7) for part in ("port", "harbour")])
    (merged,) = store.compact(7, before_ms=1 << 45).merged

    assert store.remove(merged.id)

    store.close()
    assert list(reopened().everything()) == list(reopened().archive()) == []
    assert _holding(tmp_path, b"zanzibar") == []


def test_what_was_merged_once_is_not_merged_again(reopened: Open) -> None:
    store = reopened()
    store.store(generated(20, issues=1, now_ms=START_MS - 91 * DAY_MS))
    first = store.compact(0)

    assert first.archived
    assert store.compact(0).archived == ()
    late = [observation(f"late {part}", issue=0, at_ms=START_MS - 95 * DAY_MS) for part in "ab"]
    store.store(late)
    assert set(store.compact(0).archived) == {each.id for each in late}


def test_what_cannot_be_kept_is_refused_and_nothing_of_it_is_kept(reopened: Open) -> None:
    store = reopened()
    good = observation()
    for bad in (
        replace(good, id="../../etc/passwd"),
        replace(good, issue_number=30),
        replace(good, content="x" * 2001),
    ):
        with pytest.raises(InvalidValue):
            store.store([good, bad])
    with pytest.raises(InvalidValue):
        store.get_by_id("obs-../x")
    with pytest.raises(InvalidValue):
        store.remove("manifest")

    assert store.get_stats().total_observations == 0


def test_t7_an_empty_store_answers_everything_with_nothing(reopened: Open) -> None:
    store = reopened()

    assert store.get_by_issue(1) == ()
    assert store.get_by_id("obs-engineer-1-1-aaaaaa") is None
    assert store.search("anything") == ()
    assert store.search_by_filters(SearchFilters()) == ()
    assert store.issues() == ()
    assert store.settle() == 0
    assert store.compact(1).after == 0
    assert store.get_stats().total_observations == 0
    assert store.faults() == ()


def test_stats_count_what_is_there(reopened: Open) -> None:
    store = reopened()
    kept = generated(40, issues=4)
    store.store(kept)
    stats = store.get_stats()

    assert stats.total_observations == 40
    assert stats.total_tokens == sum(each.tokens for each in kept)
    assert stats.issue_count == 4
    assert stats.oldest_ms == min(each.timestamp_ms for each in kept)
    assert stats.newest_ms == max(each.timestamp_ms for each in kept)
    assert sum(stats.by_category.values()) == sum(stats.by_agent.values()) == 40
    assert stats.bytes_on_disk > 40 * 100


@pytest.mark.promise("observations.compaction")
def test_t11_compaction_halves_what_is_old_and_archives_the_originals(reopened: Open) -> None:
    old = [
        replace(each, timestamp_ms=each.timestamp_ms)
        for each in generated(41, issues=1, now_ms=START_MS - 91 * DAY_MS)
    ]
    young = observation("still fresh", issue=0)
    store = reopened()
    store.store([*old, young])

    result = store.compact(0)

    assert result.before == 42
    assert result.after <= 1 + 41 // 2
    assert sorted(result.archived) == sorted(each.id for each in old)
    again = reopened()
    left = again.get_by_issue(0)
    assert len(left) == result.after
    assert young in left
    merged = [each for each in left if each.sources]
    assert sorted(id_ for each in merged for id_ in each.sources) == sorted(result.archived)
    assert all(len(each.content) <= 2000 for each in merged)
    assert again.get_by_id(old[0].id) is None
    assert again.get_archived(old[0].id) == old[0]
    assert again.get_stats().archived == 41
    assert {each.id for each in again.search_by_filters(SearchFilters())} == {
        each.id for each in left
    }
    assert store.compact(0, before_ms=0).archived == ()


@pytest.mark.promise("observations.compaction")
@pytest.mark.parametrize(
    ("count", "words"),
    [(400, 40), pytest.param(6_000, 150, marks=[pytest.mark.soak, pytest.mark.timeout(900)])],
)
def test_after_compaction_the_words_of_the_originals_find_the_merged_entry(
    reopened: Open, count: int, words: int
) -> None:
    old = generated(count, seed=11, issues=count // 40, words=words, now_ms=START_MS - 91 * DAY_MS)
    store = reopened()
    store.store(old)
    for issue in store.issues():
        store.compact(issue)
    store.settle()
    merged_of = {source: each.id for each in store.everything() for source in each.sources}

    found = 0
    for each in old[:: count // 100]:
        # The words somebody remembers of it: its subject and its number.
        hits = store.search(" ".join(each.summary.split()[1:9]), limit=5)
        found += merged_of[each.id] in {hit.id for hit in hits}

    assert found >= 95


def test_who_keeps_a_store_open_sees_what_others_store_amend_and_forget(reopened: Open) -> None:
    kept, other = reopened(), reopened()
    made = [
        observation(f"Pier {number} takes ferries", at_ms=START_MS + (number * 7) % 12 * DAY_MS)
        for number in range(12)
    ]
    steps: list[Callable[[], object]] = [
        lambda: other.store(made[:4]),
        lambda: kept.store(made[4:8]),
        lambda: other.store([*made[6:], made[0]]),
        lambda: kept.amend([replace(made[9], superseded_by=made[2].id)]),
        lambda: other.mark([Marking(id=made[5].id, again=(made[1].id,))]),
        lambda: other.forget([made[3].id]),
        kept.settle,
        lambda: other.remove(made[7].id),
    ]
    for step in steps:
        step()
        fresh = reopened()
        for every in (SearchFilters(), SearchFilters(superseded=False, limit=3)):
            assert kept.search_by_filters(every) == fresh.search_by_filters(every)
        ids = [one.id for one in made]
        assert kept.get_by_ids(ids) == fresh.get_by_ids(ids)
        assert set(kept.search("ferries", 20)) == set(fresh.search("ferries", 20))
