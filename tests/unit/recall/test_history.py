"""Goal: a question about time and place is answered in the first rows, and says how it was taken.

Method: the bundled sample in a real store, asked as every surface asks it; small stores for
what the sample does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis, from_iso
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.local import LocalMemory
from agentx.recall.history.asked import HistoryKind, HistoryQuestion, read_history
from agentx.recall.limits import NOW_MS_MAX
from agentx.recall.question.actors import name_actors
from agentx.wiring.memory import open_store
from tests.support.asking import MONDAY, QUESTIONS, AskedOfSample
from tests.support.remembering import project_in, sample_project

NOW = Millis(from_iso("2026-11-16T15:00:00Z"))  # a Monday


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalMemory]:
    with open_store(sample_project(tmp_path_factory.mktemp("sample"))) as memory:
        yield memory


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[LocalMemory]:
    with open_store(project_in(tmp_path)) as memory:
        yield memory


def read(text: str, zone: tzinfo = UTC) -> HistoryQuestion | None:
    return read_history(text, now_ms=NOW, zone=zone)


def ask(memory: LocalMemory, text: str, now: str = MONDAY, **given: object) -> SearchReply:
    asked = SearchRequest(query=text, now_ms=Millis(from_iso(now)), **given)  # type: ignore[arg-type]
    return memory.search(asked)


def said(role: Role, text: str, at: str, *, harness: str = "codex", session: str = "s") -> Draft:
    kinds = {Role.USER: EventType.USER_MESSAGE, Role.ASSISTANT: EventType.ASSISTANT_MESSAGE}
    return Draft(
        harness=harness,
        session_id=session,
        event_type=kinds[role],
        timestamp_ms=Millis(from_iso(at)),
        role=role,
        text=text,
        channel=Channel.API,
        source_id=f"{session} {at} {text[:40]}",
    )


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.text)
def test_a_question_about_time_is_answered_in_the_first_rows(
    sample: LocalMemory, asked: AskedOfSample
) -> None:
    reply = sample.search(asked.request)

    assert asked.is_answered(reply), (reply.notes, [hit.snippet for hit in reply.hits[:3]])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("what was I doing last week?", HistoryKind.HAPPENED),
        ("last week", HistoryKind.HAPPENED),
        ("October", HistoryKind.HAPPENED),
        ('"what was I doing last week?"', HistoryKind.HAPPENED),
        ("who worked on Friday?", HistoryKind.HAPPENED),
        ("catch me up", HistoryKind.HAPPENED),
        ("what did we do?", HistoryKind.HAPPENED),
        ("where did we leave off?", HistoryKind.STOPPED),
        ("where were we?", HistoryKind.STOPPED),
        ("pick up where we left off", HistoryKind.STOPPED),
        ("what's next?", HistoryKind.LEFT),
        ("what do we still have to do?", HistoryKind.LEFT),
        ("open tasks?", HistoryKind.LEFT),
    ],
)
def test_it_is_known_by_having_nothing_but_times_names_and_everyday_words(
    text: str, kind: HistoryKind
) -> None:
    asked = read(text)

    assert asked is not None
    assert asked.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "why did we move to Postgres last week?",
        "last week retries",
        "what did Codex say about retries?",
        "what is it?",
        "what does this do?",
        "who are you?",
        "the",
        "codex",
        "left",
        "next",
        "stop",
        '"last week"',
        "was haben wir gestern gemacht?",
        "\u6628\u65e5\u4f55\u3092\u3057\u305f?",
        "\U0001f600",
        "",
        "what did we do yesterday? " * 400,
    ],
)
def test_one_word_more_is_a_subject_and_words_alone_are_looked_for(text: str) -> None:
    assert read(text) is None


def test_a_span_of_two_days_that_are_joined_holds_what_lies_between() -> None:
    asked = read("what happened from Monday to Wednesday?")

    assert asked is not None
    assert asked.span is not None
    assert asked.span.since_ms == from_iso("2026-11-09")
    assert asked.span.until_ms == from_iso("2026-11-12")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what did Codex say about retries?", ("codex",)),
        ("what did the architect decide about retries?", ("architect",)),
        ("which tests were written by Claude Code?", ("claude-code",)),
        ("Gemini suggested a guide", ("gemini",)),
        ("why was the Codex hook broken?", ()),
        ("does Codex support hooks?", ()),
        ("did Codex hooks change?", ()),
        ("copilot review comments addressed", ()),
        ("fix: skip hooks when calling Claude CLI", ()),
    ],
)
def test_a_name_is_an_actor_where_it_does_something(text: str, names: tuple[str, ...]) -> None:
    assert name_actors(text).names == names


def test_a_day_is_that_of_the_zone_also_when_the_clocks_change() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    asked = read("25 October 2026", berlin)

    assert asked is not None
    assert asked.span is not None
    assert asked.span.until_ms - asked.span.since_ms == 25 * 60 * 60 * 1000


def test_a_time_in_which_nothing_happened_names_the_nearest_session(sample: LocalMemory) -> None:
    reply = ask(sample, "what did I do on 7 March?")

    assert any("Nothing" in note for note in reply.notes)
    assert [hit.doc_id.split(":")[2] for hit in reply.hits] == ["2026-03-06", "2026-03-09"]


def test_a_time_to_come_says_so(sample: LocalMemory) -> None:
    reply = ask(sample, "what happens next week?")

    assert any("still to come" in note for note in reply.notes)
    assert reply.hits[0].doc_id == "toc:day:2026-03-20"


def test_whom_nothing_is_remembered_of_is_named(sample: LocalMemory) -> None:
    reply = ask(sample, "what did Copilot do last week?")

    assert any("Nothing by copilot" in note for note in reply.notes)
    assert reply.hits


def test_an_empty_memory_says_so(empty: LocalMemory) -> None:
    for text in ("yesterday", "where did we stop?", "what is left to do?", "what did Codex do?"):
        reply = ask(empty, text)

        assert reply.hits == ()
        assert any("Nothing is remembered" in note for note in reply.notes)


def test_a_kind_that_is_asked_for_is_what_is_found(sample: LocalMemory) -> None:
    reply = ask(sample, "what did we decide last week?", kinds=("observation",))

    assert {hit.kind for hit in reply.hits} <= {"observation"}


def test_typed_words_are_never_taken_for_a_question(sample: LocalMemory) -> None:
    assert ask(sample, "last week", mode="bm25").notes == ()


def test_a_filter_of_the_request_narrows_the_answer(sample: LocalMemory) -> None:
    reply = ask(sample, "last week", harness="gemini")

    assert {hit.harness for hit in reply.hits} == {"gemini"}


def test_two_agent_clis_in_one_hour_are_both_told(sample: LocalMemory) -> None:
    reply = ask(sample, "what happened on 13 March?")

    assert {"codex", "gemini"} <= {hit.harness for hit in reply.hits}


def test_a_session_over_midnight_is_part_of_both_days(sample: LocalMemory) -> None:
    days = [{hit.session_id for hit in ask(sample, day).hits} for day in ("17 March", "18 March")]

    assert days[0] & days[1] - {""}


def test_the_session_that_asks_is_not_where_it_stopped(empty: LocalMemory) -> None:
    empty.append(
        [
            said(Role.USER, "add a health check", "2026-03-20T10:00:00Z", session="work"),
            said(Role.ASSISTANT, "The health check is in.", "2026-03-20T10:05:00Z", session="work"),
            said(Role.USER, "Where did we stop?", "2026-03-23T08:59:00Z", session="now"),
        ]
    )
    empty.catch_up()

    assert ask(empty, "where did we stop?").hits[0].snippet == "The health check is in."


def test_a_prompt_that_nobody_answered_is_where_it_stopped(empty: LocalMemory) -> None:
    empty.append(
        [
            said(Role.ASSISTANT, "The cache is warm.", "2026-03-20T10:00:00Z"),
            said(Role.USER, "now measure the p95 of the calendar", "2026-03-20T10:05:00Z"),
        ]
    )
    empty.catch_up()

    assert "p95" in ask(empty, "where did we stop?").hits[0].snippet
    assert "p95" in ask(empty, "what is left to do?").hits[0].snippet


def test_sentences_of_what_is_not_done_are_left(empty: LocalMemory) -> None:
    reply = "The pool is in. All tests pass. Left for you: change the staging password."
    empty.append(
        [
            said(Role.USER, "add a pool", "2026-03-20T10:00:00Z"),
            said(Role.ASSISTANT, reply, "2026-03-20T10:05:00Z"),
        ]
    )
    empty.catch_up()

    row = ask(empty, "what is left to do?").hits[0]
    assert row.snippet == "Left for you: change the staging password."


@pytest.mark.parametrize("now_ms", [0, 1, 4_102_444_800_000, NOW_MS_MAX])
def test_every_present_can_be_asked_from(empty: LocalMemory, now_ms: int) -> None:
    times = ("yesterday", "last year", "next year", "tomorrow", "last night", "an hour ago", "Q4")
    for text in (*times, "week of yesterday", "in March", "before yesterday", "since 31.12.2099"):
        reply = empty.search(SearchRequest(query=f"what did we do {text}?", now_ms=Millis(now_ms)))

        assert reply.notes


@given(st.text(max_size=80))
def test_any_text_is_read_without_harm(text: str) -> None:
    read(text)
    name_actors(text)


def test_who_asks_why_is_told_the_reason_first(sample: LocalMemory) -> None:
    reply = ask(sample, "why did we move from SQLite to Postgres?")

    assert "one writer" in reply.hits[0].snippet
