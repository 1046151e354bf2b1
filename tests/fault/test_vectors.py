"""Goal: vectors on disk are whole whatever dies when, damage is noticed, what is purged is gone.

Method: the process dies at each crash point of a commit (an exception that nothing catches, then
the folder is opened anew), files are cut, changed and taken away, and after a purge every file
is searched for the bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.kernel.errors import IndexUnavailable
from agentx.search.document import Document, Filters
from agentx.search.vectors.index import VectorIndex
from tests.support.time_and_chance import FakeClock
from tests.support.words_encoder import WordsEncoder


class Died(BaseException):
    """The process is no more."""


def _document(name: str, text: str, session: str = "") -> Document:
    return Document(doc_type="event", doc_id=name, text=text, timestamp_ms=1, session=session)


def _open(folder: Path, encoder: WordsEncoder | None = None) -> VectorIndex:
    return VectorIndex.open(folder, encoder or WordsEncoder(), FakeClock())


def _all(index: VectorIndex) -> dict[str, int]:
    return {
        hit.doc_id: round(hit.score * 1000) for hit in index.search("ship wind", Filters(), 100)
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three documents in two segments, one of them dead, and a graph."""
    index = VectorIndex.create(tmp_path / "v", WordsEncoder(), FakeClock())
    index.put([_document("a", "ship"), _document("b", "wind storm"), _document("c", "keys")])
    index.commit({"sequence": 1})
    index.delete(["c"])
    index.commit({"sequence": 2})
    index.close()
    return tmp_path / "v"


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize(
    "point",
    [
        CrashPoint.ATOMIC_TEMP_WRITTEN,
        CrashPoint.ATOMIC_REPLACED,
        CrashPoint.VECTORS_WRITTEN,
        CrashPoint.VECTORS_COMMITTED,
    ],
)
def test_a_commit_that_dies_happened_or_did_not(
    folder: Path, point: CrashPoint, purge: bool
) -> None:
    index = _open(folder)
    before = _all(index)
    index.put([_document("d", "ship wind")])
    index.delete(["a"])

    def die() -> None:
        crash.disarm()
        raise Died

    crash.arm(point, die)
    with pytest.raises(Died):
        index.commit({"sequence": 3}, purge=purge)
    index.close()

    again = _open(folder)
    happened = again.owner() == {"sequence": 3}
    assert happened == (point is CrashPoint.VECTORS_COMMITTED)
    assert set(_all(again)) == ({"b", "d"} if happened else {"a", "b"})
    assert happened or _all(again) == before
    # Whoever goes on from the mark gets to the same place, and leaves nothing lying about.
    again.put([_document("d", "ship wind")])
    again.delete(["a"])
    again.commit({"sequence": 3}, purge=True)
    assert set(_all(again)) == {"b", "d"}
    named = {held.name for held in again._manifest.segments}
    assert {path.name for path in again._files.root.glob("*.vec")} == named
    again.close()


def _flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(bytes(raw))


DAMAGE = {
    "a segment cut": lambda root: next(root.glob("*.vec")).write_bytes(b"AXV1"),
    "a segment changed": lambda root: _flip(next(root.glob("*.vec"))),
    "a segment gone": lambda root: next(root.glob("*.vec")).unlink(),
    "a segment empty": lambda root: next(root.glob("*.vec")).write_bytes(b""),
    "the mark gone": lambda root: (root / "mark.json").unlink(),
    "the mark half": lambda root: (root / "mark.json").write_bytes(b'{"model": "wo'),
    "the mark of somebody else": lambda root: (root / "mark.json").write_bytes(b'{"a": 1}'),
    "another version": lambda root: (root / "version.json").write_bytes(b'{"version": 99}'),
    "no index": lambda root: (root.parent / "current").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_noticed_and_a_new_index_takes_the_place(folder: Path, damage: object) -> None:
    root = folder / (folder / "current").read_text(encoding="utf-8")
    assert callable(damage)
    damage(root)

    with pytest.raises(IndexUnavailable):
        _open(folder)
    fresh = VectorIndex.create(folder, WordsEncoder(), FakeClock())
    fresh.put([_document("a", "ship")])
    fresh.commit({"sequence": 9})
    fresh.close()

    again = _open(folder)
    assert again.owner() == {"sequence": 9}
    assert list(_all(again)) == ["a"]
    assert [path.name for path in folder.iterdir() if path.is_dir()] == [again._files.root.name]


def test_vectors_of_another_model_are_not_searched(folder: Path) -> None:
    with pytest.raises(IndexUnavailable, match="another model"):
        _open(folder, WordsEncoder("other"))


def test_a_damaged_graph_is_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentx.search.vectors.writing.VECTOR_SEGMENT_ROWS_MAX", 2)
    index = _open(folder).with_bound(1)
    index.put([_document(f"n{number}", f"storm {number}") for number in range(6)])
    index.commit({"sequence": 3})
    while index.grow_graph():
        pass
    assert index.status().in_graph > 0
    found = _all(index)
    index.close()
    assert _all(_open(folder)) == found

    graph = next(folder.rglob("graph-*.bin"))
    graph.write_bytes(graph.read_bytes()[:40])
    with pytest.raises(IndexUnavailable, match="graph"):
        _open(folder)


def test_two_writers_lose_nothing_of_each_other(folder: Path) -> None:
    one, other = _open(folder), _open(folder)
    for number in range(3):
        one.put([_document(f"one-{number}", f"ship {number}")])
        one.commit({"sequence": 10 + number})
        other.put([_document(f"other-{number}", f"wind {number}")])
        other.delete([f"one-{number - 1}"])
        other.commit({"sequence": 20 + number}, purge=number == 1)

    wanted = {"a", "b", "one-2", "other-0", "other-1", "other-2"}
    assert set(_all(other)) == set(_all(_open(folder))) == wanted
    assert _open(folder).owner() == {"sequence": 22}


@pytest.mark.promise("vectors.forget")
def test_what_is_purged_is_in_no_file(folder: Path) -> None:
    encoder = WordsEncoder()
    index = _open(folder, encoder)
    secret = _document("secret-event", "money taken twice", session="secret-session")
    index.put([secret, _document("e", "wind")])
    index.commit({"sequence": 3})
    vector = encoder.encode([secret.text]).astype(np.float16).tobytes()

    def anywhere(needle: bytes) -> list[str]:
        files = (path for path in folder.rglob("*") if path.is_file())
        return [path.name for path in files if needle in path.read_bytes()]

    assert anywhere(vector), "the check can fail: the vector is on disk before"
    assert anywhere(b"secret-session")

    index.delete(["secret-event"])
    index.commit({"sequence": 4}, purge=True)
    assert anywhere(vector) == []
    assert anywhere(b"secret-session") == []
    assert anywhere(b"secret-event") == []
    assert set(_all(index)) == {"a", "b", "e"}
