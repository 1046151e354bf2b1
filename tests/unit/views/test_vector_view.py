"""Goal: the vectors are a view: made step by step or at once they are the same, nothing is embedded
twice, and nothing is missed, whatever is interrupted, forgotten or dropped.

Method: a real log in memory, the real index on disk, and an encoder that needs no model and
remembers what it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.kernel.clock import HOUR_MS
from agentx.search.document import Filters
from agentx.views.documents.contents import TocSource
from agentx.views.documents.rooms import Rooms
from agentx.views.limits import VECTOR_SLICE_MS, VECTOR_TOOL_CHARS_MAX
from agentx.views.vector_view import VectorView
from tests.support.contents import Shelf
from tests.support.desk import Desk, drop_outbox, talk
from tests.support.drafts import draft
from tests.support.time_and_chance import CountingEntropy
from tests.support.words_encoder import WordsEncoder


class Bench:
    """A log, and views over it in folders of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.desk = Desk("memory", folder / "db")
        self.shelf: Shelf = self.desk.open()
        self.encoder = WordsEncoder()

    def view(self, name: str = "v") -> VectorView:
        """Open a view, as the next process would."""
        kv = self.shelf.kv
        log = LogStore(kv, entropy=CountingEntropy())
        feed = self.shelf.log.feed(partial(TocStore, kv, log))
        return VectorView(
            feed,
            self.encoder,
            folder=self.folder / name,
            clock=self.desk.clock,
            rooms=Rooms([TocSource(feed, "p")]),
        )

    def say(self, session: str, hours: int = 0, words: str = "retries") -> None:
        """Let a short talk happen, and roll it up."""
        self.shelf.log.append(talk(session, hours * HOUR_MS, words))
        self.shelf.contents.catch_up()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.desk.close()


def _held(view: VectorView) -> dict[str, tuple[str, int]]:
    hits = view.index().search("retries webhook sender", Filters(), 1_000)
    return {hit.doc_id: (hit.doc_type, round(hit.score * 100)) for hit in hits}


def test_step_by_step_and_at_once_give_the_same(bench: Bench) -> None:
    grown = bench.view("grown")
    for number in range(4):
        bench.say(f"s-{number % 2}", number * 3, words=("retries", "backoff")[number % 2])
        bench.desk.clock.advance(HOUR_MS)
        assert grown.embed().documents > 0
    before = len(bench.encoder.asked)
    assert grown.embed().documents == 0
    assert len(bench.encoder.asked) == before

    fresh = bench.view("fresh")
    fresh.embed()
    assert _held(fresh) == _held(grown)
    kinds = {kind for kind, _ in _held(fresh).values()}
    assert kinds == {"event", "toc_node"}


def test_a_backlog_goes_on_where_it_was_left_and_embeds_nothing_twice(bench: Bench) -> None:
    for number in range(6):
        bench.say(f"s-{number}", number * 3)
    slices = 0

    def slow() -> None:
        bench.desk.clock.advance(VECTOR_SLICE_MS)

    first = bench.view()
    for _ in range(3):
        assert first.step(slow).more
    left = first.status().sessions_left
    assert 0 < left < 6
    first.close()

    again = bench.view()
    assert again.status().sessions_left == left
    while again.step(slow).more:
        slices += 1
        assert slices < 100
    events = [event_id for event_id, (kind, _) in _held(again).items() if kind == "event"]
    said = [text for text in bench.encoder.asked if "webhook sender" in text and "\n" not in text]
    assert len(events) == 30
    assert len([text for text in said if text.startswith("Please add")]) == 6
    assert again.status().entries_left == 0


def test_entries_that_the_outbox_dropped_are_found_in_the_log(bench: Bench) -> None:
    bench.say("s-1")
    view = bench.view()
    view.embed()
    bench.say("s-2", 5, words="idempotency")
    bench.say("s-3", 9, words="idempotency")
    drop_outbox(bench.shelf, before=8)

    view.embed()
    fresh = bench.view("fresh")
    fresh.embed()
    assert _held(view) == _held(fresh)


def test_what_was_forgotten_while_it_waited_is_not_embedded(bench: Bench) -> None:
    bench.say("s-1")
    bench.say("s-2", 5, words="secrecy")
    view = bench.view()
    view.step()
    bench.shelf.log.forget_session("s-2")
    bench.shelf.contents.catch_up()
    view.purge()
    view.embed()

    fresh = bench.view("fresh")
    bench.encoder.asked.clear()
    fresh.embed()
    assert _held(view) == _held(fresh)
    assert not [text for text in bench.encoder.asked if "secrecy" in text]
    assert not any(b"s-2" in path.read_bytes() for path in (bench.folder / "v").rglob("*.vec"))


def test_of_what_a_tool_printed_the_beginning_is_embedded(bench: Bench) -> None:
    bench.shelf.log.append(
        [
            draft("needle " + "hay " * 50_000, kind="tool_result", source_id="1"),
            draft("said " + "word " * 5_000, source_id="2", at=1),
        ]
    )
    bench.view().embed()

    printed = [text for text in bench.encoder.asked if "hay" in text]
    assert sum(map(len, printed)) < 2 * VECTOR_TOOL_CHARS_MAX
    assert len([text for text in bench.encoder.asked if "word" in text]) == 32
