"""Goal: what lies in the files of a room is found, and only that, however it changes.

Method: a room in a dict, a log in which nothing was said, and the real index on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import RLock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.conversation.store.feed import Feed
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.search.document import Document, Filters
from agentx.search.query import parse
from agentx.views.documents.rooms import Rooms
from agentx.views.search_view import SearchView
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import CountingEntropy, FakeClock


def silence() -> Feed:
    """Return what is read of a log in which nothing was said."""
    kv = MemoryStore()
    return Feed(TocStore(kv, LogStore(kv, entropy=CountingEntropy()), "p"), RLock())


class Shelf:
    """A room: each part holds lines, each line is a document."""

    name = "shelf"

    def __init__(self) -> None:
        self.held: dict[str, tuple[str, ...]] = {}
        self.read: list[str] = []

    def parts(self) -> Iterable[tuple[str, str]]:
        return ((key, repr(lines)) for key, lines in self.held.items())

    def documents(self, key: str) -> Iterator[Document]:
        self.read.append(key)
        for line in self.held[key]:
            yield Document(doc_type="line", doc_id=f"{key}:{line}", text=line, timestamp_ms=1)


def view_of(shelf: Shelf, folder: Path) -> SearchView:
    return SearchView(
        silence(), folder=folder, project="p", clock=FakeClock(), rooms=Rooms([shelf])
    )


def found(view: SearchView, words: str) -> set[str]:
    hits = view.index().search(parse(words), Filters(doc_types=("line",)), 50)
    return {hit.doc_id for hit in hits}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def test_a_changed_part_takes_the_place_of_what_it_held(folder: Path) -> None:
    shelf = Shelf()
    shelf.held = {"a": ("apple pie", "plum"), "b": ("apple juice",)}
    view = view_of(shelf, folder)
    view.catch_up()
    assert found(view, "apple") == {"a:apple pie", "b:apple juice"}

    shelf.held["a"] = ("pear",)
    view.catch_up()
    assert found(view, "apple plum pear") == {"a:pear", "b:apple juice"}

    del shelf.held["b"]
    view.catch_up()
    assert found(view, "apple plum pear") == {"a:pear"}
    view.close()


def test_a_room_in_which_nothing_happened_is_not_read_again(folder: Path) -> None:
    shelf = Shelf()
    shelf.held = {"a": ("apple",), "b": ("pear",)}
    view = view_of(shelf, folder)
    view.catch_up()
    view.close()
    shelf.read.clear()

    again = view_of(shelf, folder)
    again.catch_up()
    assert shelf.read == []
    shelf.held["b"] = ("plum",)
    again.catch_up()
    assert shelf.read == ["b"]
    again.close()


WORDS = ("apple", "pear", "plum", "fig", "quince")
CONTENTS = st.dictionaries(
    st.sampled_from("abc"), st.lists(st.sampled_from(WORDS), max_size=3, unique=True).map(tuple)
)


@settings(max_examples=15)
@given(lives=st.lists(CONTENTS, min_size=1, max_size=4))
def test_what_is_found_is_what_is_there_whatever_happened_before(
    lives: list[dict[str, tuple[str, ...]]],
) -> None:
    shelf = Shelf()
    with TemporaryDirectory() as folder:
        for held in lives:
            shelf.held = held
            view = view_of(shelf, Path(folder) / "index")
            view.catch_up()
            assert found(view, " ".join(WORDS)) == {
                f"{key}:{line}" for key, lines in held.items() for line in lines
            }
            view.close()
