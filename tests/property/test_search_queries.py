"""Goal: no query is an error, whatever is typed, and searching is honest about what it found.

Method: Hypothesis types; a small index of texts in several scripts answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.kernel.clock import Millis
from agentx.recall.question.plan import Question, answer, explain
from agentx.search.analysis import terms
from agentx.search.document import Document, Filters
from agentx.search.limits import PASSAGE_CHARS_MAX, PASSAGES_MAX
from agentx.search.query import parse
from agentx.search.snippets import snippet
from agentx.search.text.evidence import Wording, gather
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters, passages
from tests.support.time_and_chance import FakeClock

TEXTS = (
    "the retry worker failed with a timeout in app/db.py",
    "\u6628\u65e5\u6771\u4eac\u306b\u884c\u3063\u305f",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "\U0001f680 launched parseHeader()",
    "",
)
SIGNS = st.text(alphabet="\"'*~-+()[]{}:^\\/|&!?<>= \t\nabAB01_.,")
TYPED = st.one_of(
    st.text(max_size=200),
    SIGNS,
    st.text(alphabet=st.characters(), min_size=1, max_size=40).map(lambda text: text * 250),
    st.lists(st.sampled_from(["retry", "OR", "AND", "NOT", '"', "-", "*", "~2", "(", "text:"])).map(
        " ".join
    ),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TextIndex]:
    folder: Path = tmp_path_factory.mktemp("search") / "index"
    documents = [
        Document(doc_type="event", doc_id=str(at), text=text, timestamp_ms=at, session="s")
        for at, text in enumerate(TEXTS)
    ]
    with TextIndex.building(folder, FakeClock()) as fresh:
        fresh.put(documents)
        fresh.put_chapters(chapters("s", documents))
    opened = TextIndex.open(folder, FakeClock())
    yield opened
    opened.close()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(typed=TYPED, operators=st.booleans())
def test_whatever_is_typed_gets_an_answer(index: TextIndex, typed: str, operators: bool) -> None:
    query = parse(typed, operators=operators)
    hits = index.search(query, Filters(), 10)
    evidence = gather(index.reading(), query, Filters(), Wording(takes_kin=True))
    asked = answer(index, Question(text=typed, zone=UTC, now_ms=Millis(1_772_445_600_000)))

    assert len(explain(asked)) >= 2
    assert len(asked.memories) <= len(TEXTS)
    assert len({hit.doc_id for hit in hits}) == len(hits)
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
    assert all(0 <= each.passage <= 2 for each in evidence.candidates.values())


@settings(max_examples=60, deadline=None)
@given(value=st.text(max_size=20), typed=st.text(max_size=30))
def test_whatever_is_filtered_by_gets_an_answer(index: TextIndex, value: str, typed: str) -> None:
    filters = Filters(sessions=(value,), roles=(value, "user"), since_ms=-1, until_ms=1 << 62)

    assert all(hit.session == value for hit in index.search(parse(typed), filters, 10))


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=3_000))
def test_passages_are_parts_of_the_text_and_miss_no_term(text: str) -> None:
    found = passages(text)

    assert 1 <= len(found) <= PASSAGES_MAX
    assert all(text.startswith(each.text, each.start) for each in found)
    assert all(len(each.text) <= PASSAGE_CHARS_MAX for each in found)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=2_000), asked=st.text(max_size=50), width=st.integers(1, 300))
def test_marks_lie_inside_the_snippet_and_on_words_asked_for(
    text: str, asked: str, width: int
) -> None:
    wanted = frozenset(terms(asked))
    made = snippet(text, wanted, width)

    assert len(made.text) <= width + 2
    for begin, end in made.marks:
        assert wanted.intersection(terms(made.text[begin:end]))
