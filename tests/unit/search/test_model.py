"""Goal: what two rounds of embedding did adds up, and the modes follow from what works."""

from __future__ import annotations

from agentx.search.model import Capabilities, Embedding


def test_embeddings_add_up() -> None:
    one = Embedding(on=True, documents=1, entries_left=2, events_left=3, sessions_left=4, more=True)

    assert Embedding() + one == one
    assert (one + one).documents == 2


def test_the_modes_are_those_that_work() -> None:
    assert Capabilities(vectors=True).modes == ("auto", "bm25", "vector", "hybrid")
    assert Capabilities().modes == ("auto", "bm25")
    assert Capabilities(bm25=False).modes == ("auto",)
