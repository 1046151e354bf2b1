"""Goal: anything said is found, whatever the query and whatever became of the index.

Method: the real hook and the real commands in a throw-away home.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.house import House, processes_of, prompt


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a home that remembers three prompts."""
    made = House(tmp_path)
    said = (
        "We keep idempotency keys for seven days because offices retry for 72 hours",
        "Rename BookingStore.find_free to available_berths in app/berths.py",
        "\u6e2f\u306e\u4e88\u7d04\u3092\u78ba\u8a8d\u3057\u3066\u304f\u3060\u3055\u3044",
    )
    for number, text in enumerate(said):
        made.hook(prompt(text, prompt_id=f"p-{number}", session=f"s-{number}"))
    return made


def _found(house: House, *arguments: str) -> list[str]:
    return [hit["session_id"] for hit in house.json("search", *arguments)["hits"]]


@pytest.mark.promise("search.finds")
def test_words_questions_identifiers_and_other_scripts_are_found(house: House) -> None:
    assert _found(house, "why do we keep keys for seven days?")[0] == "s-0"
    assert _found(house, "find free berths")[0] == "s-1"
    assert _found(house, "available_berths", "--mode", "bm25") == ["s-1"]
    assert _found(house, '"idempotency keys"', "--mode", "bm25") == ["s-0"]
    assert _found(house, "\u4e88\u7d04")[0] == "s-2"
    assert _found(house, "keys", "--harness", "codex") == []
    assert _found(house, "keys", "--since", "2099-01-01") == []


@pytest.mark.promise("search.never-an-error")
def test_no_query_is_an_error(house: House) -> None:
    queries = ('"', "((", "AND OR NOT", "!!!", "a" * 10_000, "\u202e\u05e9", "f:v^2", "-", "*")
    for number, query in enumerate(queries):
        house.agentx("search", "--mode", ("auto", "bm25")[number % 2], "--", query)


def test_a_question_about_time_is_answered_on_every_way_in(house: House) -> None:
    asked = "what have we been working on in the last 2 days?"
    alone = house.json("search", asked)
    house.agentx("daemon", "start")
    try:
        served = house.json("search", asked)
    finally:
        house.agentx("daemon", "stop")

    assert served == alone
    assert alone["notes"][0].startswith("last 2 days: ")
    assert alone["until_ms"] > alone["since_ms"]
    said = " ".join(hit["snippet"] for hit in alone["hits"])
    assert "idempotency keys" in said
    assert "available_berths" in said
    assert house.json("show", alone["hits"][0]["doc_id"])["text"]
    assert f"({alone['notes'][0]})" in house.agentx("recall", "--context", asked).stdout
    assert "Nothing is remembered of that time" in house.agentx("search", "in 1999").stdout


def test_a_snippet_points_at_the_event_and_show_opens_it(house: House) -> None:
    (hit, *_) = house.json("search", "idempotency", "--explain")["hits"]

    assert hit["kind"] == "event"
    assert hit["why"]
    assert hit["tokens"] > 0
    assert house.json("show", hit["doc_id"])["text"].startswith("We keep idempotency")
    assert "idempotency" in house.agentx("search", "idempotency").stdout


@pytest.mark.promise("search.survives-its-index")
def test_a_lost_or_damaged_index_is_made_again_and_finds_the_same(house: House) -> None:
    before = _found(house, "retry offices")
    index = Path(house.json("status")["store"]) / "bm25-index"

    shutil.rmtree(index)
    assert _found(house, "retry offices") == before
    for path in index.rglob("*.store"):
        path.write_bytes(path.read_bytes()[:10])
    assert _found(house, "retry offices") == before


def test_the_daemon_answers_the_same_and_follows_what_is_captured(house: House) -> None:
    alone = _found(house, "idempotency keys")
    house.agentx("daemon", "start")
    try:
        assert _found(house, "idempotency keys") == alone
        house.hook(prompt("the quokka migration is done", prompt_id="p-9", session="s-9"))
        assert _found(house, "quokka") == ["s-9"]
        made = house.json("rebuild", "search")
        assert (made["view"], made["count"] >= 4) == ("search", True)
        assert _found(house, "quokka") == ["s-9"]
    finally:
        house.agentx("daemon", "stop")
    assert processes_of(house.home) == []


def test_what_was_forgotten_is_not_found_and_in_no_file(house: House) -> None:
    assert _found(house, "idempotency")
    house.agentx("forget", "--session", "s-0")

    assert _found(house, "idempotency") == []
    store = Path(house.json("status")["store"])
    assert not [p for p in store.rglob("*") if p.is_file() and b"idempotency" in p.read_bytes()]


@pytest.mark.promise("recall.next-session")
def test_the_next_session_is_told_what_was_decided(house: House) -> None:
    house.hook(prompt("Decision: berths are named by pier and number.", prompt_id="p-7"))
    house.agentx("sync")
    start = {"session_id": "next", "hook_event_name": "SessionStart", "source": "startup"}
    told = house.hook(start).stdout.decode()

    assert "[agentx:recall]" in told
    assert "berths are named by pier" in told
    assert len(told) <= 10_000
    house.agentx("sync")
    assert not any("[agentx:recall]" in event["text"] for event in house.events())


def _shown(house: House, question: str) -> list[dict[str, object]]:
    """Return what a search shows, but for the scores: they shift as an index is tidied."""
    hits = house.json("search", question)["hits"]
    return [{name: value for name, value in hit.items() if name != "score"} for hit in hits]


def _delete(index: Path) -> None:
    # In one step: the daemon may be writing into it.
    gone = index.rename(index.with_name("gone"))
    shutil.rmtree(gone, ignore_errors=True)


def _truncate(index: Path) -> None:
    for path in index.rglob("*"):
        if path.is_file() and path.suffix and path.suffix not in {".json", ".lock"}:
            os.truncate(path, path.stat().st_size // 3)


def _of_another_version(index: Path) -> None:
    for path in index.rglob("version.json"):
        path.write_text('{"version": 999}')


@pytest.mark.promise("search.survives-its-index")
def test_a_running_daemon_answers_on_and_makes_a_damaged_index_again(house: House) -> None:
    house.agentx("daemon", "start")
    try:
        house.agentx("sync")
        before = _shown(house, "why do offices retry?")
        index = Path(house.json("status")["store"]) / "bm25-index"
        for damage in (_delete, _truncate, _of_another_version):
            damage(index)

            assert _shown(house, "why do offices retry?"), damage
            house.agentx("sync")
            assert _shown(house, "why do offices retry?") == before, damage
            (version,) = index.rglob("version.json")
            assert "999" not in version.read_text(), damage
    finally:
        house.agentx("daemon", "stop")
    assert processes_of(house.home) == []
