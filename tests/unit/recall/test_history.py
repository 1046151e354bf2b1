"""Goal: a question about time and place is answered in the first rows, and says how it was taken.

Method: the bundled sample in a real store, asked as every surface asks it; small stores for
what the sample does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.conversation.toc_model import BulletKind
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis, from_iso
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.local import LocalMemory
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.recall.history.asked import HistoryKind, HistoryQuestion, read_history
from agentx.recall.limits import NOW_MS_MAX
from agentx.recall.question.actors import name_actors
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from tests.support.asking import MONDAY, QUESTIONS, SETTLED_QUESTIONS, AskedOfSample
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


@pytest.mark.parametrize("asked", [*QUESTIONS, *SETTLED_QUESTIONS], ids=lambda asked: asked.text)
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
        ("in the last 5 days", HistoryKind.HAPPENED),
        ("on the 3rd of November", HistoryKind.HAPPENED),
        ("Week 45, 2-8 November 2026", HistoryKind.HAPPENED),
        ("Thursday 5 November 2026", HistoryKind.HAPPENED),
        ("2026", HistoryKind.HAPPENED),
        ("what did I do the week before last?", HistoryKind.HAPPENED),
        ("what happened in the second week of March?", HistoryKind.HAPPENED),
        ("was haben wir gestern gemacht?", HistoryKind.HAPPENED),
        ("was ist letzte Woche passiert?", HistoryKind.HAPPENED),
        ("letzte Woche", HistoryKind.HAPPENED),
        ("qu'est-ce que j'ai fait hier ?", HistoryKind.HAPPENED),
        ("qu'ai-je fait la semaine derni\u00e8re ?", HistoryKind.HAPPENED),
        ("\u00bfqu\u00e9 hice la semana pasada?", HistoryKind.HAPPENED),
        ("\uc5b4\uc81c \ubb50 \ud588\uc9c0?", HistoryKind.HAPPENED),
        ("\u6628\u65e5\u4f55\u3092\u3057\u305f?", HistoryKind.HAPPENED),
        ("\u5148\u9031\u306e\u4f5c\u696d", HistoryKind.HAPPENED),
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
        "was haben wir gestern mit Postgres gemacht?",
        "\u6628\u65e5\u306e\u8a8d\u8a3c\u306e\u4f5c\u696d\u306f?",
        "\U0001f600",
        "",
        "what did we do yesterday? " * 400,
        "how do we release?",
        "How do I commit?",
        "and how should we merge?",
        "how can I build?",
        "why do we commit?",
        "What's the process to ship?",
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

    [row] = ask(empty, "where did we stop?").hits[:1]
    assert row.snippet == "asked: add a health check -> The health check is in."


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


def test_what_waits_for_the_user_comes_first_to_who_asks_for_it(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    replies = [
        "The pool is in. Should I drop the old one, or keep it for a month?",
        "The reader is in. Not done: the metric of the pool.",
        "The cache is in. You need to add `POOL_KEY` to the secrets before this works.",
    ]
    with open_store(project) as memory:
        for day, reply in enumerate(replies, 10):
            at = f"2026-03-{day}T10:0"
            memory.append(
                [
                    said(Role.USER, "go on with the pool", f"{at}0:00Z", session=f"s-{day}"),
                    said(Role.ASSISTANT, reply, f"{at}5:00Z", session=f"s-{day}"),
                ]
            )
        memory.catch_up()
        for question in ("what waits for me?", "what do you need from me?", "was wartet auf mich?"):
            rows = [row.snippet for row in ask(memory, question).hits]
            assert "POOL_KEY" in rows[0], question
            assert "Should I drop the old one" in rows[1], question
            assert "metric" in rows[2], question


def test_thanks_are_nothing_that_is_left(empty: LocalMemory) -> None:
    empty.append(
        [
            said(Role.USER, "add a pool", "2026-03-20T10:00:00Z"),
            said(Role.ASSISTANT, "It is in. Not done: the metric.", "2026-03-20T10:05:00Z"),
            said(Role.USER, "thx. the freeze is over", "2026-03-20T10:06:00Z"),
        ]
    )
    empty.catch_up()

    rows = ask(empty, "what is left to do?").hits
    assert not any("freeze" in row.snippet for row in rows)


@pytest.mark.parametrize(
    ("said_last", "is_left"),
    [
        ("hm. ok thanks", False),
        ("ok doing it, bye", False),
        ("interesting. will do it next sprint", False),
        ("works now", False),
        ("now the header of the pool", True),
        ("ok, and the docs of the pool?", True),
    ],
)
def test_what_only_takes_note_reports_or_puts_off_waits_for_no_answer(
    empty: LocalMemory, said_last: str, is_left: bool
) -> None:
    empty.append(
        [
            said(Role.USER, "add a pool", "2026-03-20T10:00:00Z"),
            said(Role.ASSISTANT, "The pool is in.", "2026-03-20T10:05:00Z"),
            said(Role.USER, said_last, "2026-03-20T10:06:00Z"),
        ]
    )
    empty.catch_up()

    rows = ask(empty, "what is left to do?").hits
    assert any("not answered" in row.snippet for row in rows) == is_left


def test_what_was_closed_since_is_not_left(tmp_path: Path) -> None:
    reply = "The pool is in. I have not rerun the soak test. Next: the pool of the reader."
    project = project_in(tmp_path)
    with open_store(project) as memory:
        memory.append(
            [
                said(Role.USER, "add a pool", "2026-03-20T10:00:00Z"),
                said(Role.ASSISTANT, reply, "2026-03-20T10:05:00Z"),
            ]
        )
        memory.catch_up()
    with closing(open_observations(project)) as room:
        done = kept("Ran the soak test", "2026-03-21T10:01:00Z", Category.CODE_CHANGE)
        room.store.store([done])
        rows = room.store.search_by_filters(SearchFilters(category=Category.KEY_FACT))
        left = [each for each in rows if "soak" in each.summary]
        found = room.store.get_by_ids([each.id for each in left])
        room.store.amend([replace(each, superseded_by=done.id) for each in found])
    with open_store(project) as memory:
        answer = ask(memory, "what is left to do?")

    assert [row.snippet for row in answer.hits] == ["Next: the pool of the reader."]
    assert not any("Nothing was said" in note for note in answer.notes)


def test_what_was_asked_for_is_what_people_prompted(empty: LocalMemory) -> None:
    empty.append(
        [
            said(Role.USER, "Translate the menu into Polish", "2026-03-20T10:00:00Z"),
            said(Role.ASSISTANT, "The menu is in Polish.", "2026-03-20T10:05:00Z"),
        ]
    )
    empty.catch_up()

    asked = ask(empty, "what did I ask for on 20 March?")
    failed = ask(empty, "what broke on 20 March?")

    assert asked.hits[0].snippet == "Translate the menu into Polish"
    assert not any("Nothing is kept" in note for note in asked.notes)
    assert "Nothing is kept as a problem of that time; this is what happened." in failed.notes


def test_what_memory_or_the_contents_call_open_is_left_whatever_was_said_last(
    tmp_path: Path,
) -> None:
    reply = (
        "The index is 15 MB now. Still to do: the nightly job checks for 18 MB, and restoring from "
        "tape is untested."
    )
    project = project_in(tmp_path)
    with open_store(project) as memory:
        memory.append(
            [
                said(Role.USER, "make the index smaller", "2026-03-20T10:00:00Z"),
                said(Role.ASSISTANT, reply, "2026-03-20T10:05:00Z"),
                said(Role.USER, "the nightly job is mine", "2026-03-20T10:06:00Z"),
                said(Role.ASSISTANT, "Understood.", "2026-03-20T10:07:00Z"),
            ]
        )
        memory.catch_up()
    with closing(open_observations(project)) as room:
        left = "Left open: the mirror in Oslo is not deployed yet."
        room.store.store([kept(left, "2026-02-20T10:01:00Z", Category.KEY_FACT)])
    with open_store(project) as memory:
        answer = ask(memory, "what is left to do?")

    assert "restoring from tape is untested" in answer.hits[0].snippet
    assert "Oslo" in answer.hits[1].snippet
    assert not any("Nothing was said" in note for note in answer.notes)


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


def test_a_kind_is_asked_for_in_other_languages_too() -> None:
    for text in (
        "was haben wir am 2. November entschieden?",
        "\u5148\u9031\u4f55\u3092\u6c7a\u5b9a\u3057\u305f?",
    ):
        asked = read(text)

        assert asked is not None
        assert BulletKind.DECISION in asked.told


def test_a_weekday_beside_a_date_is_one_day(sample: LocalMemory) -> None:
    reply = ask(sample, "What did Codex do on Friday 13 March?", now="2026-11-16T15:00:00Z")

    assert reply.notes[0] == "on Friday 13 March: Friday 13 March 2026, only codex"
    assert {hit.doc_id.split(":")[2] for hit in reply.hits} == {"2026-03-13"}


def test_what_we_wrote_of_a_span_is_answered_with_that_span(sample: LocalMemory) -> None:
    first = ask(sample, "what happened in week 11?")
    again = ask(sample, first.notes[0].split(": ")[1])

    assert [hit.doc_id for hit in again.hits] == [hit.doc_id for hit in first.hits]
    assert (again.since_ms, again.until_ms) == (first.since_ms, first.until_ms)


def test_somebody_who_is_nobody_known_is_looked_for_in_that_time(sample: LocalMemory) -> None:
    reply = ask(sample, "what did Tomas do on 9 March?")

    assert reply.notes == ("9 March: Monday 9 March 2026",)
    assert reply.hits
    days = {from_day(hit.timestamp_ms) for hit in reply.hits}
    assert days == {"2026-03-09"}


def test_somebody_whom_nothing_names_then_is_said_so(sample: LocalMemory) -> None:
    reply = ask(sample, "what did Zebedee do on 9 March?")

    assert any("Zebedee" in note for note in reply.notes)
    assert reply.hits


def test_a_date_that_is_none_is_said_so_and_finds_nothing(sample: LocalMemory) -> None:
    reply = ask(sample, "what did Claude Code do on 31 November?")

    assert reply.notes == ("31 November is no date.",)
    assert reply.hits == ()


def test_a_time_that_is_not_understood_is_named(sample: LocalMemory) -> None:
    reply = ask(sample, "what did we say about retries on the release day?")

    assert any("on the release day" in note for note in reply.notes)
    assert reply.hits


def test_what_was_kept_of_a_time_is_told_beside_its_contents(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    with open_store(project) as memory:
        memory.append(
            [
                said(Role.USER, "rename the topic of the valve events", "2026-03-20T10:00:00Z"),
                said(Role.ASSISTANT, "Renamed the topic `valve.v2`.", "2026-03-20T10:05:00Z"),
            ]
        )
        memory.catch_up()
    with closing(open_observations(project)) as room:
        room.store.store(
            [kept("Topics carry their version, because consumers lag.", "2026-03-20T10:01:00Z")]
        )
    with open_store(project) as memory:
        reply = ask(memory, "what was decided on 20 March?")

        assert "Topics carry their version" in reply.hits[0].snippet
        assert reply.hits[0].kind == "observation"
        assert not any("Nothing is kept" in note for note in reply.notes)
        assert "Topics" not in str(ask(memory, "what was decided on 19 March?").hits)
        assert "Topics" in str(ask(memory, "what did Codex decide on 20 March?").hits)
        assert "Nothing by gemini" in str(ask(memory, "what did Gemini decide on 20 March?").notes)
        assert "Topics" not in str(ask(memory, "what went wrong on 20 March?").hits)
        assert "Topics" in str(ask(memory, "what was decided?").hits)
        assert "Topics" in str(ask(memory, "what did Codex decide?").hits)


def kept(content: str, at: str, category: Category = Category.DECISION) -> Observation:
    at_ms = Millis(from_iso(at))
    return Observation(
        id=f"obs-codex-0-{at_ms}-a1b2c3",
        agent="codex",
        issue_number=0,
        category=category,
        content=content,
        summary=content,
        tokens=10,
        timestamp_ms=at_ms,
        session_id="s",
    )


def from_day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d")
