"""Goal: the right memory comes first, for reasons that can be shown.

Method: small talks in a real index; each test has one cue that decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS, Millis, from_iso
from agentx.recall.question.plan import Answer, Question, answer, explain
from agentx.recall.usage import RecallCounts
from agentx.search.document import Document, Filters
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters
from tests.support.time_and_chance import FakeClock

NOW = from_iso("2026-03-18T15:00:00Z")
FILLER = (
    "the build is green and the cache is warm",
    "we renamed the folder of the parser",
    "lunch was late and the coffee cold",
    "the linter complains about long lines",
)

Ask = Callable[..., Answer]


def event(doc_id: str, text: str, **changes: object) -> Document:
    values: dict[str, object] = {
        "doc_type": "event",
        "doc_id": doc_id,
        "text": text,
        "timestamp_ms": NOW - 10 * DAY_MS,
        "session": "s",
        "role": "user",
    }
    return Document(**{**values, **changes})  # type: ignore[arg-type]  # spelled by the tests


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    opened: list[TextIndex] = []

    def asked(
        documents: list[Document],
        text: str,
        filters: Filters | None = None,
        recalled: dict[str, int] | None = None,
    ) -> Answer:
        folder = tmp_path / f"index-{len(opened)}"
        sessions: dict[str, list[Document]] = defaultdict(list)
        filler = [event(f"filler-{at}", said, session=f"f{at}") for at, said in enumerate(FILLER)]
        for document in (*documents, *filler):
            sessions[document.session].append(document)
        with TextIndex.building(folder, FakeClock()) as fresh:
            for session, said in sessions.items():
                fresh.put(said)
                fresh.put_chapters(chapters(session, said))
        opened.append(TextIndex.open(folder, FakeClock()))
        question = Question(
            text=text,
            zone=UTC,
            now_ms=Millis(NOW),
            filters=filters or Filters(),
            limit=5,
            usage=RecallCounts(recalled),
        )
        return answer(opened[-1], question)

    yield asked
    for index in opened:
        index.close()


def first(found: Answer) -> str:
    return found.memories[0].hit.doc_id


def test_a_reply_is_found_through_the_question_before_it(ask: Ask) -> None:
    talk = [
        event("asked", "which colour did the painter choose for the kitchen walls?"),
        event("told", "a warm yellow", role="user"),
        event("other", "the painter paints walls and the kitchen too", session="t"),
    ]
    found = ask(talk, "what colour are the kitchen walls")

    assert "told" in [memory.hit.doc_id for memory in found.memories[:2]]
    assert any(reason.name == "replies to a question" for reason in found.why["told"])


def test_whom_the_question_names_comes_first(ask: Ask) -> None:
    talk = [
        event("about", "Maria, did the marathon training end well?", speaker="Tom", session="a"),
        event("by", "the marathon training ended well", speaker="Maria", session="b"),
    ]

    assert first(ask(talk, "how did the marathon training of Maria end")) == "by"
    assert first(ask(talk, "how did the marathon training of Tom end")) == "about"


def test_i_asks_for_the_user_and_you_for_the_agent(ask: Ask) -> None:
    talk = [
        event("mine", "my linter is ruff", session="a"),
        event("yours", "my advice for a linter is ruff", role="assistant", session="b"),
    ]

    assert first(ask(talk, "which linter do I use")) == "mine"
    assert first(ask(talk, "which linter did you recommend")) == "yours"


def test_a_time_in_the_question_leans_towards_it(ask: Ask) -> None:
    talk = [
        event("old", "deployed the gateway", timestamp_ms=NOW - 60 * DAY_MS, session="a"),
        event("then", "deployed the gateway", timestamp_ms=NOW - 14 * DAY_MS, session="b"),
        event("new", "deployed the gateway", timestamp_ms=NOW - DAY_MS, session="c"),
    ]

    assert first(ask(talk, "when was the gateway deployed two weeks ago")) == "then"
    assert first(ask(talk, "gateway deployed yesterday")) == "new"
    assert first(ask(talk, "gateway deployed in January")) == "old"


def test_a_time_told_by_what_happened_then_is_looked_up(ask: Ask) -> None:
    talk = [
        event("release", "the release of version two is out", timestamp_ms=NOW - 30 * DAY_MS),
        event("before", "ran the load test", timestamp_ms=NOW - 33 * DAY_MS, session="a"),
        event("after", "ran the load test", timestamp_ms=NOW - 2 * DAY_MS, session="b"),
    ]

    assert first(ask(talk, "which load test was run before the release")) == "before"


def test_newer_and_not_replaced_come_first_among_equals(ask: Ask) -> None:
    talk = [
        event("stale", "the port is 8080", session="a", superseded=True),
        event("older", "the port is 9090", timestamp_ms=NOW - 90 * DAY_MS, session="b"),
        event("newer", "the port is 7070", timestamp_ms=NOW - DAY_MS, session="c"),
    ]
    order = [memory.hit.doc_id for memory in ask(talk, "which port").memories]

    assert order[:3] == ["newer", "older", "stale"]


def test_what_was_recalled_before_comes_first_among_equals_only(ask: Ask) -> None:
    documents = [
        event("a", "the deploy script needs the staging token", session="s1"),
        event("b", "the deploy script needs the staging token", session="s2", agent="qa"),
        event("better", "the deploy script needs the staging token of the vault", session="s3"),
    ]
    question = "which token of the vault does the deploy script need?"

    assert ask(documents, question, recalled={"b": 900}).memories[0].hit.doc_id == "better"
    found = ask(documents[:2], question, recalled={"b": 3})
    assert first(found) == "b"
    assert "recalled before" in [reason.name for reason in found.why["b"]]


def test_what_was_said_in_other_words_is_found_after_what_was_said_in_these(ask: Ask) -> None:
    documents = [
        event("kin", "my daughter bought new shoes", session="s1"),
        event("same", "we purchase the sneakers in bulk", session="s2"),
    ]
    found = ask(documents, "who did purchase sneakers?")

    assert [memory.hit.doc_id for memory in found.memories[:2]] == ["same", "kin"]
    assert "bought" in " ".join(explain(found))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("which db holds them?", "they are in the database of the office"),
        ("what is in the database?", "the db has the bookings"),
        ("was the cert renewed?", "a new certificate came in"),
    ],
)
def test_what_is_written_in_short_stands_for_the_whole_word(
    ask: Ask, asked: str, said: str
) -> None:
    assert first(ask([event("said", said, session="a")], asked)) == "said"


def test_the_name_of_the_project_and_words_of_measure_count_less(ask: Ask) -> None:
    documents = [
        event("named", "the billing-api is all there is, the complete billing-api", session="s1"),
        event("meant", "set LOG_LEVEL and DATABASE_URL as environment variables", session="s2"),
    ]
    question = "what are all the environment variables in the billing-api?"
    found = ask(documents, question)

    assert first(found) == "meant"
    assert "counting less: api, bill" in explain(found)
    # Typed as words, each is meant.
    assert first(ask(documents, "all billing-api")) == "named"


def test_the_same_said_twice_is_one_memory_with_both_sources(ask: Ask) -> None:
    text = "the nightly backup writes to the second disk at three"
    found = ask(
        [event("one", text, session="a"), event("two", text, session="b")], "nightly backup"
    )

    assert {found.memories[0].hit.doc_id, *found.memories[0].also} == {"one", "two"}


def test_a_leaning_hides_nothing_and_a_filter_does(ask: Ask) -> None:
    talk = [
        event("user", "the token expires", session="a"),
        event("agent", "the token expires daily", role="assistant", session="b"),
    ]
    leaning = ask(talk, "when does my token expire")
    filtered = ask(talk, "when does my token expire", Filters(roles=("assistant",)))

    assert {memory.hit.doc_id for memory in leaning.memories} >= {"user", "agent"}
    assert [memory.hit.doc_id for memory in filtered.memories] == ["agent"]


def test_sessions_come_with_their_names(ask: Ask) -> None:
    talk = [
        event("x", "tuning the query planner", session="planner"),
        event("y", "the query was slow", session="slow"),
    ]
    found = ask(talk, "query planner tuning")

    assert found.sessions[0].session == "planner"


def test_every_hit_can_say_why_it_is_there(ask: Ask) -> None:
    found = ask([event("x", "the retry worker stops")], "why does the retry worker stop?")

    assert all(found.why[memory.hit.doc_id] for memory in found.memories)
    assert {"passage", "window", "session"} <= {reason.name for reason in found.why["x"]}


@pytest.mark.parametrize(
    "text", ["", "???", "the of and", "\u6771\u4eac", "x" * 10_000, "a " * 5_000]
)
def test_any_question_gets_an_answer(ask: Ask, text: str) -> None:
    assert len(ask([event("x", "something")], text).memories) <= 5


def observation(doc_id: str, text: str, **changes: object) -> Document:
    values: dict[str, object] = {"doc_type": "observation", "role": "", "session": "o"}
    return event(doc_id, text, **{**values, **changes})


def test_what_was_drawn_from_a_hit_stands_with_it_and_takes_no_place(ask: Ask) -> None:
    found = ask(
        [
            event("said", "we will keep the sessions in postgres, redis goes away"),
            observation("drawn", "sessions are kept in postgres", drawn_from=("said", "gone")),
            observation("typed", "postgres keeps sessions for 30 days"),
        ],
        "where do we keep the sessions in postgres?",
    )
    by_id = {memory.hit.doc_id: memory.also for memory in found.memories}
    assert by_id["said"] == ("drawn",)
    assert "drawn" not in by_id
    assert "typed" in by_id, "what was not drawn from a hit stands for itself"


def test_what_was_drawn_from_something_else_is_still_found(ask: Ask) -> None:
    said = event("said", "lunch at noon")
    drawn = observation("drawn", "sessions are kept in postgres", drawn_from=("said",))
    found = ask([said, drawn], "sessions postgres", Filters(doc_types=("observation",)))
    assert [memory.hit.doc_id for memory in found.memories] == ["drawn"]


@given(
    texts=st.lists(
        st.lists(st.sampled_from("cache redis postgres queue deploy".split()), min_size=1).map(
            " ".join
        ),
        min_size=2,
        max_size=6,
    ),
    recalled=st.integers(0, 15),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.promise("recall.superseded")
def test_what_was_replaced_comes_after_what_replaced_it(
    ask: Ask, texts: list[str], recalled: int
) -> None:
    # Each replaces the one before it; the oldest matches the question best and is recalled most.
    chain = [
        observation(
            f"o{number}",
            f"{text} {'redis cache ' * (len(texts) - number)}",
            superseded_by=f"o{number + 1}" if number + 1 < len(texts) else "",
            timestamp_ms=NOW - (len(texts) - number) * DAY_MS,
        )
        for number, text in enumerate(texts)
    ]
    only = Filters(doc_types=("observation",))
    found = ask(chain, "redis cache", only, recalled={"o0": recalled})
    order = [memory.hit.doc_id for memory in found.memories]
    newest_first = sorted(order, key=lambda doc_id: -int(doc_id.removeprefix("o")))
    assert order == newest_first
    assert f"o{len(texts) - 1}" in order


def test_words_that_answer_come_before_acts_that_followed_the_question(ask: Ask) -> None:
    found = ask(
        [
            event("asked", "where do we keep the sessions?"),
            event("did", "Bash: rg -n sessions src", role="assistant", is_act=True),
            event("said", "sessions are in postgres", role="assistant"),
        ],
        "where do we keep the sessions?",
    )
    order = [memory.hit.doc_id for memory in found.memories]
    assert order.index("said") < order.index("did")


def test_an_answer_stands_above_the_question_that_asked_for_it(ask: Ask) -> None:
    talk = [
        event("asked", "how long do we keep idempotency keys in the table?"),
        event("read", "Read: idempotency.py", role="assistant", is_act=True),
        event("told", "Idempotency keys live for seven days.", role="assistant"),
        event("other", "the keys of the harbour hang in the office", session="t"),
    ]

    assert first(ask(talk, "how long do we keep idempotency keys in the table?")) == "told"


def test_what_tells_before_it_asks_or_asks_something_else_stays_where_it_is(ask: Ask) -> None:
    told = [
        event("told", "I planted five tomato plants in May. How do I water the plants?"),
        event("advice", "In the morning, at the root.", role="assistant"),
    ]
    other = [
        event("other", "how do I keep the cat out of the dusty living room?", session="t"),
        event("hint", "Shut the door.", role="assistant"),
    ]

    assert first(ask(told, "how many tomato plants were planted in May?")) == "told"
    assert first(ask(other, "is the living room so dusty that one sneezes?")) == "other"


def test_whom_a_question_names_is_a_filter_unless_nothing_by_them_fits(ask: Ask) -> None:
    talk = [
        event("ours", "retries wait ten seconds", role="assistant", harness="codex", session="a"),
        event("theirs", "retries wait a minute", role="assistant", harness="gemini", session="b"),
    ]
    found = ask(talk, "what did Codex say about retries?")

    assert [memory.hit.doc_id for memory in found.memories] == ["ours"]
    assert "only: codex" in explain(found)
    assert first(ask(talk, "what did Copilot say about retries?")) in {"ours", "theirs"}


def test_a_reason_stands_above_what_only_tells_of_it(ask: Ask) -> None:
    talk = [
        event("report", "moved from SQLite to Postgres, the move to Postgres is done", session="a"),
        event(
            "reason",
            "SQLite has to go. We reverse decision 1, Postgres it is, because two processes write.",
            session="b",
        ),
    ]

    assert first(ask(talk, "why did we move from SQLite to Postgres?")) == "reason"
    assert first(ask(talk, "when did we move from SQLite to Postgres?")) == "report"


def test_a_reason_is_of_the_time_that_the_question_names(ask: Ask) -> None:
    before = "Root cause of the failing webhooks: the lock is held because the call is inside it."
    then = "The webhooks failed at the office of Marstal, their port was closed."
    documents = [
        event("old", before, session="a", role="assistant", timestamp_ms=NOW - 12 * DAY_MS),
        event("day", then, session="b", role="assistant", timestamp_ms=NOW - DAY_MS),
    ]

    assert first(ask(documents, "why did the webhooks fail on 17 March?")) == "day"
    assert first(ask(documents, "why did the webhooks fail?")) == "old"


def test_the_words_of_a_time_count_less_than_the_subject(ask: Ask) -> None:
    documents = [
        event("date", "17 March is the day of the fair, 17 March it is.", session="a"),
        event("said", "The importer lost two rows.", session="b", timestamp_ms=NOW - DAY_MS),
    ]

    found = ask(documents, "what was wrong with the importer on 17 March?")

    assert first(found) == "said"
    assert "counting less: 17, march" in explain(found)


def test_a_yes_to_who_asked_for_leave_is_no_answer(ask: Ask) -> None:
    documents = [
        event("leave", "The retry policy has to fall. May I propose one?", role="assistant"),
        event("yes", "Go ahead, with numbers.", timestamp_ms=NOW - 10 * DAY_MS + 1),
        event("told", "The retry policy: full jitter.", session="b", role="assistant"),
    ]

    found = ask(documents, "what is the retry policy?")

    assert first(found) == "told"
    assert not any("replies" in part.name for part in found.why.get("yes", ()))


def test_one_word_finds_what_has_it_and_no_neighbour(ask: Ask) -> None:
    talk = [
        event("has", "add the zanzibar flag to the deploy script"),
        event("near", "rename the boxes table to crates"),
        event("far", "write the release notes for version two"),
    ]

    found = ask(talk, "zanzibar")
    assert [memory.hit.doc_id for memory in found.memories] == ["has"]
    several = ask(talk, "zanzibar deploy flag")
    assert {memory.hit.doc_id for memory in several.memories} >= {"has", "near"}


def test_the_reply_to_what_has_the_one_word_is_found_too(ask: Ask) -> None:
    talk = [
        event("asked", "which colour is the zanzibar kitchen?"),
        event("told", "a warm yellow", role="assistant"),
        event("near", "rename the boxes table to crates"),
    ]

    found = [memory.hit.doc_id for memory in ask(talk, "zanzibar").memories]
    assert "told" in found
    assert "near" not in found
