"""Goal: what is said of searching and of the indexes survives the wire.

Method: there and back again, with every field filled and with none.
"""

from __future__ import annotations

from agentx.memory.wire import retrieval_messages as wire
from agentx.search.model import (
    Capabilities,
    Embedding,
    IndexReport,
    TextIndexState,
    VectorIndexState,
)

FULL = Capabilities(vectors=True, model="minilm-1", dimensions=384)
OFF = Capabilities(why_off="no model is installed", hint="agentx vectors install")
TEXT = TextIndexState(
    ready=True, documents=9, passages=5, bytes_on_disk=77, generation="g-0002", entries_left=3
)
VECTORS = VectorIndexState(
    ready=True,
    documents=4,
    chunks=6,
    bytes_on_disk=88,
    in_graph=2,
    entries_left=1,
    sessions_left=7,
)


def test_capabilities_survive_the_wire() -> None:
    for able in (FULL, OFF, Capabilities(bm25=False)):
        message = wire.capabilities_message(able)

        assert wire.capabilities_value(message) == able
        assert tuple(message.modes) == able.modes
    assert FULL.modes == ("auto", "bm25", "vector", "hybrid")


def test_reports_survive_the_wire() -> None:
    for report in (
        IndexReport(text=TEXT, vectors=VECTORS),
        IndexReport(text=TextIndexState(ready=False)),
        IndexReport(text=TEXT, vectors=VectorIndexState(ready=False)),
    ):
        assert wire.report_value(wire.report_message(report)) == report


def test_embeddings_survive_the_wire_and_add_up() -> None:
    one = Embedding(on=True, documents=1, entries_left=2, events_left=3, sessions_left=4, more=True)

    assert wire.embedding_value(wire.embedding_message(one)) == one
    assert wire.embedding_value(wire.embedding_message(Embedding())) == Embedding()
    assert Embedding() + one == one
    assert (one + one).documents == 2
