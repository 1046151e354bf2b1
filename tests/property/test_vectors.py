"""Goal: an index of vectors holds what was put and not deleted, passes what filters pass, and is
the same after it was closed, compacted or grown into a graph.

Method: random lives of an index beside a dictionary, which is the truth; the encoder needs no
model. Segments are short here, so that a life crosses many of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
)

from agentx.search.document import Document, Filters
from agentx.search.vectors.chunks import CHUNK_STEP_UNITS, CHUNK_UNITS, chunks
from agentx.search.vectors.index import VectorIndex
from tests.support.time_and_chance import FakeClock
from tests.support.words_encoder import WordsEncoder

NAMES = st.sampled_from([f"d-{number}" for number in range(12)])
WORDS = st.lists(
    st.sampled_from("ship wind keys retry money berth captain storm".split()),
    min_size=1,
    max_size=4,
).map(" ".join)
SESSIONS = st.sampled_from(("s-1", "s-2", "\u6e2f"))
DOCUMENTS = st.builds(
    Document,
    doc_type=st.sampled_from(("event", "toc_node")),
    doc_id=NAMES,
    text=WORDS,
    timestamp_ms=st.integers(0, 9),
    session=SESSIONS,
    role=st.sampled_from(("user", "assistant", "")),
    part=st.sampled_from(("", "toc/a", "toc/b")),
)
FILTERS = st.builds(
    Filters,
    doc_types=st.sampled_from(((), ("event",), ("event", "toc_node"), ("none",))),
    sessions=st.sampled_from(((), ("s-1",), ("s-1", "\u6e2f"))),
    roles=st.sampled_from(((), ("user",), ("",))),
    since_ms=st.sampled_from((None, 3)),
    until_ms=st.sampled_from((None, 7)),
)


def _passes(document: Document, filters: Filters) -> bool:
    pairs = (("doc_types", "doc_type"), ("sessions", "session"), ("roles", "role"))
    return (
        all(
            not getattr(filters, name) or getattr(document, field) in getattr(filters, name)
            for name, field in pairs
        )
        and (filters.since_ms is None or document.timestamp_ms >= filters.since_ms)
        and (filters.until_ms is None or document.timestamp_ms < filters.until_ms)
    )


@pytest.fixture(scope="module", autouse=True)
def _short_segments() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agentx.search.vectors.writing.VECTOR_SEGMENT_ROWS_MAX", 5)
        yield


class Lives(RuleBasedStateMachine):
    """An index and a dictionary live the same life."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp())
        self.encoder = WordsEncoder()
        self.truth: dict[str, Document] = {}
        self.after: dict[str, Document] = {}
        self.index = VectorIndex.create(self.folder, self.encoder, FakeClock())
        self.marks = 0

    def teardown(self) -> None:
        self.index.close()
        shutil.rmtree(self.folder)

    @rule(documents=st.lists(DOCUMENTS, max_size=6, unique_by=lambda each: each.doc_id))
    def put(self, documents: list[Document]) -> None:
        self.index.put(documents, "stamp")
        self.after |= {document.doc_id: document for document in documents}

    @rule(names=st.sets(NAMES, max_size=4))
    def delete(self, names: set[str]) -> None:
        self.index.delete(names)
        self.after = {name: each for name, each in self.after.items() if name not in names}

    @rule(part=st.sampled_from(("toc/a", "toc/b")))
    def delete_part(self, part: str) -> None:
        self.index.delete_parts((part,))
        self.after = {name: each for name, each in self.after.items() if each.part != part}

    @rule(purge=st.booleans())
    def commit(self, purge: bool) -> None:
        self.marks += 1
        self.index.commit({"sequence": self.marks}, purge=purge)
        self.truth = dict(self.after)

    @rule()
    def give_up(self) -> None:
        self.index.discard()
        self.after = dict(self.truth)

    @rule()
    def reopen(self) -> None:
        self.index.close()
        self.index = VectorIndex.open(self.folder, self.encoder, FakeClock())
        self.after = dict(self.truth)

    @rule()
    def grow(self) -> None:
        self.index.discard()
        self.after = dict(self.truth)
        self.index.with_bound(3)
        while self.index.grow_graph(4):
            pass

    @invariant()
    def holds_the_truth(self) -> None:
        found = self.index.search("ship wind keys", Filters(), 100)
        assert {hit.doc_id for hit in found} == set(self.truth)
        for hit in found:
            document = self.truth[hit.doc_id]
            assert (hit.session, hit.role) == (document.session, document.role)
            assert hit.start == 0
            wanted = (
                self.encoder.encode([document.text])[0] @ self.encoder.encode(["ship wind keys"])[0]
            )
            assert abs(hit.score - wanted) < 2e-3
        assert self.index.status().documents == len(self.truth)
        assert set(self.index.lacking(f"d-{n}" for n in range(12))) == {
            f"d-{n}" for n in range(12)
        } - set(self.truth)
        assert set(self.index.stamps()) == {each.part for each in self.truth.values()} - {""}
        assert self.index.owner() == ({"sequence": self.marks} if self.marks else {})


Lives.TestCase.settings = settings(max_examples=25, stateful_step_count=14)
TestLives = Lives.TestCase


@pytest.fixture(scope="module")
def harbour() -> Iterator[tuple[VectorIndex, list[Document]]]:
    folder = Path(mkdtemp())
    index = VectorIndex.create(folder, WordsEncoder(), FakeClock())
    chance = np.random.default_rng(5)
    words = "ship wind keys retry money berth captain storm".split()
    documents = [
        Document(
            doc_type=("event", "toc_node")[number % 2],
            doc_id=f"d-{number}",
            text=" ".join(chance.choice(words, 3)),
            timestamp_ms=number % 10,
            session=("s-1", "s-2", "\u6e2f")[number % 3],
            role=("user", "assistant", "")[number % 5 % 3],
        )
        for number in range(300)
    ]
    index.put(documents)
    index.commit({})
    yield index, documents
    index.close()
    shutil.rmtree(folder)


@settings(max_examples=60)
@given(filters=FILTERS, query=WORDS, limit=st.integers(1, 40))
def test_hits_pass_the_filters_and_none_that_is_nearer_is_missing(
    harbour: tuple[VectorIndex, list[Document]], filters: Filters, query: str, limit: int
) -> None:
    index, documents = harbour
    able = [document for document in documents if _passes(document, filters)]
    encoder = WordsEncoder()
    cosines = sorted(
        (encoder.encode([each.text for each in able]) @ encoder.encode([query])[0]).tolist(),
        reverse=True,
    )

    hits = index.search(query, filters, limit)

    assert {hit.doc_id for hit in hits} <= {document.doc_id for document in able}
    assert len(hits) == min(limit, len(able))
    assert np.allclose([hit.score for hit in hits], cosines[:limit], atol=2e-3)


@settings(max_examples=40)
@given(text=st.text(max_size=400), times=st.integers(1, 200))
def test_chunks_overlap_and_leave_nothing_out(text: str, times: int) -> None:
    text = f"{text} word " * times
    parts = chunks(text)

    assert parts[0].text.strip() or not text.strip()
    for part in parts:
        assert text[part.start : part.end] == part.text
    for one, after in pairwise(parts):
        assert one.start < after.start
    assert CHUNK_STEP_UNITS < CHUNK_UNITS
