"""Goal: observations can be found, and only what changed is indexed again.

Method: a real store in a folder, its parts and documents.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from agentx.kernel.clock import DAY_MS
from agentx.views.documents.observations import ObservationDocuments
from tests.support.observations import observation, opened_store
from tests.support.time_and_chance import START_MS, FakeClock


def test_each_issue_and_day_is_a_part_that_changes_alone(tmp_path: Path) -> None:
    opened = partial(opened_store, "json", tmp_path / "memory", FakeClock())
    first = observation("Keys live 7 days.", files=("a.py",))
    opened().store(
        [first, observation("other", issue=0), observation("old", at_ms=START_MS - 3 * DAY_MS)]
    )
    stamps = iter("aabbbbb")
    source = ObservationDocuments(opened, lambda: next(stamps), "p1")
    before = dict(source.parts())

    newer = observation("Keys live 30 days.", session_id="s2")
    opened().store([newer])
    opened().amend([replace(first, superseded_by=newer.id)])
    assert dict(source.parts()) == before, "its files look unchanged"
    after = dict(source.parts())

    assert len(before) == 3
    assert [key for key in after if after[key] != before.get(key)] == [f"29:{START_MS // DAY_MS}"]
    documents = {each.doc_id: each for each in source.documents(f"29:{START_MS // DAY_MS}")}
    assert set(documents) == {first.id, newer.id}
    assert documents[first.id].superseded
    assert documents[first.id].keywords == ("decision", "a.py")
    assert documents[newer.id].text == "Keys live 30 days."
    assert (documents[newer.id].issue, documents[newer.id].session) == ("29", "s2")
    assert list(source.documents("29:1")) == list(source.documents("nonsense")) == []


def test_a_merged_observation_is_found_by_what_its_originals_said(tmp_path: Path) -> None:
    opened = partial(opened_store, "json", tmp_path / "memory", FakeClock())
    old = [observation(f"Point {word}. " + f"{word} zanzibar " * 90) for word in ("one", "two")]
    opened().store(old)
    opened().compact(29, before_ms=START_MS + 1)
    source = ObservationDocuments(opened, lambda: "", "p1")
    (key,) = dict(source.parts())

    (document,) = source.documents(key)
    assert all(each.content in document.text for each in old)
