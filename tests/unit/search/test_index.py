"""Goal: what was put is found, filtered and forgotten; damage is said, and never breaks a reader.

Method: a real index in a temporary folder. Damage is done to its files while it is open.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.errors import IndexUnavailable, LockHeld
from agentx.search.document import Chapter, Document, Filters
from agentx.search.paths import IndexPaths
from agentx.search.query import parse
from agentx.search.text.engine import guard
from agentx.search.text.evidence import gather
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters
from tests.support.time_and_chance import FakeClock

EVERYTHING = Filters()


def document(doc_id: str, text: str, **changes: object) -> Document:
    made = Document(doc_type="event", doc_id=doc_id, text=text, timestamp_ms=1_000)
    return replace(made, **changes)  # type: ignore[arg-type]  # names are checked by replace


DOCUMENTS = (
    document("a", "the retry worker failed with a timeout", role="user", session="s1"),
    document("b", "we keep the ledger in postgres", role="assistant", session="s1", issue="7"),
    document("c", "CheckpointStore.parseHeader reads it", session="s2", harness="codex"),
    document("d", "retry the payment", session="s2", timestamp_ms=9_000, project="shop"),
    document("e", "a node about postgres", doc_type="toc_node", agent="architect"),
)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TextIndex]:
    with TextIndex.building(tmp_path / "index", FakeClock()):
        pass
    made = TextIndex.open(tmp_path / "index", FakeClock())
    made.put(DOCUMENTS)
    made.commit()
    yield made
    made.close()


def found(index: TextIndex, typed: str, filters: Filters = EVERYTHING) -> list[str]:
    return [hit.doc_id for hit in index.search(parse(typed), filters, 10)]


def test_words_phrases_prefixes_and_misspellings_are_found(index: TextIndex) -> None:
    assert found(index, "timeouts of workers") == ["a"]
    assert found(index, '"retry worker"') == ["a"]
    assert sorted(found(index, "postg*")) == ["b", "e"]
    assert sorted(found(index, "postgrse")) == ["b", "e"]
    assert found(index, "ledgre~") == ["b"]
    assert found(index, "retry -payment") == ["a"]


def test_a_phrase_that_nobody_said_falls_back_to_its_words(index: TextIndex) -> None:
    assert found(index, '"ledger postgres keep"')[0] == "b"


def test_identifiers_are_found_by_part_and_whole(index: TextIndex) -> None:
    assert found(index, "header") == found(index, "parseHeader") == ["c"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(doc_types=("toc_node",)), {"e"}),
        (Filters(roles=("assistant",)), {"b"}),
        (Filters(sessions=("s1", "s2")), {"a", "b", "d"}),
        (Filters(issues=("7",)), {"b"}),
        (Filters(agents=("architect",)), {"e"}),
        (Filters(projects=("shop",)), {"d"}),
        (Filters(harnesses=("codex",)), set()),
        (Filters(since_ms=9_000), {"d"}),
        (Filters(until_ms=9_000), {"a", "b", "e"}),
        (Filters(since_ms=1, until_ms=2), set()),
    ],
)
def test_filters_let_through_what_they_say(
    index: TextIndex, filters: Filters, expected: set[str]
) -> None:
    assert set(found(index, "retry postgres", filters)) == expected


def test_filters_do_not_change_scores(index: TextIndex) -> None:
    free = {hit.doc_id: hit.score for hit in index.search(parse("retry"), EVERYTHING, 10)}
    (only,) = index.search(parse("retry"), Filters(roles=("user",)), 10)

    assert only.score == pytest.approx(free["a"])


def test_putting_again_replaces(index: TextIndex) -> None:
    index.put((document("a", "something else"),))
    index.put((document("a", "something else"),))
    index.commit()

    assert found(index, "timeout") == []
    assert found(index, "something") == ["a"]


def test_what_is_put_again_is_there_once_whoever_put_it_first(
    index: TextIndex, tmp_path: Path
) -> None:
    index.put_chapters(chapters("s1", DOCUMENTS[:2]))
    index.commit()
    once = index.status()
    index.close()

    for _ in range(2):
        again = TextIndex.open(tmp_path / "index", FakeClock())
        for _ in range(2):
            again.put(DOCUMENTS)
            again.put_chapters(chapters("s1", DOCUMENTS[:2]))
            again.commit()
        assert again.status().documents == once.documents
        again.close()


def test_a_long_document_is_one_hit_with_its_best_passage(index: TextIndex) -> None:
    index.put((document("long", "padding " * 3_000 + "the needle is here " + "hay " * 3_000),))
    index.commit()
    (hit,) = index.search(parse("needle"), EVERYTHING, 10)

    assert hit.doc_id == "long"
    assert "needle" in hit.passage
    assert hit.start > 10_000


def test_what_is_deleted_is_gone_at_every_scale(index: TextIndex) -> None:
    index.put_chapters(chapters("s1", DOCUMENTS[:2]))
    index.commit()
    assert gather(index.reading(), parse("timeout"), EVERYTHING).sessions

    index.delete(("a",))
    index.commit()
    evidence = gather(index.reading(), parse("timeout"), EVERYTHING)

    assert found(index, "timeout") == []
    assert not evidence.candidates
    assert not evidence.sessions


def test_neighbours_of_a_match_are_candidates(index: TextIndex) -> None:
    talk = (
        document("q", "what did the dentist say about the wisdom tooth?", session="t", role="user"),
        document("r", "it can stay", session="t", role="user"),
    )
    index.put(talk)
    index.put_chapters((Chapter(chapter_id="t", session="t", documents=talk),))
    index.commit()
    evidence = gather(index.reading(), parse("wisdom tooth"), EVERYTHING)
    windows = sorted(each.window > 0 for each in evidence.candidates.values())

    assert windows == [True, True]
    assert len(evidence.before) == 1


def test_a_reader_elsewhere_sees_each_commit(index: TextIndex, tmp_path: Path) -> None:
    reader = TextIndex.open(tmp_path / "index", FakeClock())
    assert found(reader, "zebra") == []
    index.put((document("z", "a zebra"),))
    assert found(reader, "zebra") == []
    index.commit({"upto": 7})

    assert found(reader, "zebra") == ["z"]
    assert reader.mark() == {"upto": 7}
    reader.close()


def test_a_folder_that_takes_nothing_is_read_and_nothing_of_that_stays(
    index: TextIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = list((tmp_path / "index").rglob(".tantivy-*.lock"))
    assert locks, "who reads writes them"
    index.close()
    aside = tmp_path / "aside"
    aside.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(aside))
    monkeypatch.setattr("os.access", lambda *_given: False)

    reader = TextIndex.open(tmp_path / "index", FakeClock())
    assert found(reader, "timeouts of workers") == ["a"]
    written = [path for path in aside.rglob(".tantivy-*.lock") if not path.is_symlink()]
    assert len(written) == len({path.parent for path in locks})
    reader.close()

    assert [*aside.iterdir()] == []


def test_there_is_one_writer(index: TextIndex, tmp_path: Path) -> None:
    other = TextIndex.open(tmp_path / "index", FakeClock())

    with pytest.raises(LockHeld):
        other.put(DOCUMENTS)
    assert found(other, "ledger") == ["b"]
    index.close()
    other.put((document("x", "now it may"),))
    other.commit()
    other.close()


def test_a_rebuild_takes_over_when_it_is_complete(index: TextIndex, tmp_path: Path) -> None:
    index.close()
    with TextIndex.building(tmp_path / "index", FakeClock()) as fresh:
        fresh.put((document("n", "the new ledger"),))
        fresh.commit()
        assert found(index, "ledger") == ["b"]

    assert found(index, "ledger") == ["n"]
    assert len(list((tmp_path / "index").glob("g-*"))) == 1


def interrupted(folder: Path) -> None:
    with TextIndex.building(folder, FakeClock()) as fresh:
        fresh.put((document("n", "the new ledger"),))
        raise RuntimeError("interrupted")


def test_a_rebuild_that_fails_changes_nothing(index: TextIndex, tmp_path: Path) -> None:
    index.close()
    with pytest.raises(RuntimeError):
        interrupted(tmp_path / "index")

    assert found(index, "ledger") == ["b"]
    index.put((document("m", "still writable"),))
    index.commit()
    assert found(index, "writable") == ["m"]


def segments(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.suffix in {".idx", ".term", ".store", ".fast"}]


def test_an_index_deleted_under_a_reader_still_answers(index: TextIndex, tmp_path: Path) -> None:
    for path in sorted((tmp_path / "index").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    assert found(index, "ledger") == ["b"]
    with pytest.raises(IndexUnavailable):
        TextIndex.open(tmp_path / "index", FakeClock())


def test_an_index_cut_short_is_unavailable_to_old_and_new_readers(
    index: TextIndex, tmp_path: Path
) -> None:
    for path in segments(tmp_path):
        path.write_bytes(path.read_bytes()[:3])

    with pytest.raises(IndexUnavailable):
        found(index, "ledger")
    with pytest.raises(IndexUnavailable):
        TextIndex.open(tmp_path / "index", FakeClock())


def test_a_rebuild_mends_a_damaged_index_for_whoever_has_it_open(
    index: TextIndex, tmp_path: Path
) -> None:
    index.close()
    for path in segments(tmp_path):
        path.write_bytes(b"")
    with TextIndex.building(tmp_path / "index", FakeClock()) as fresh:
        fresh.put(DOCUMENTS)

    assert found(index, "ledger") == ["b"]


def test_another_version_is_unavailable(index: TextIndex, tmp_path: Path) -> None:
    IndexPaths(tmp_path / "index").generation(1).version.write_text('{"version": 999}')

    with pytest.raises(IndexUnavailable, match="version"):
        TextIndex.open(tmp_path / "index", FakeClock())


def test_texts_of_every_kind_go_in_and_come_out(index: TextIndex) -> None:
    texts = {
        "emoji": "\U0001f680 the launch \U0001f468\u200d\U0001f469\u200d\U0001f467",
        "han": "\u6628\u65e5\u3001\u6771\u4eac\u306b\u884c\u304d\u307e\u3057\u305f",
        "rtl": "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
        "line": "y" * 1_000_000,
        "surrogate": "half \ud83d a pair",
        "empty": "",
    }
    index.put(document(name, text) for name, text in texts.items())
    index.commit()

    assert found(index, "launch") == ["emoji"]
    assert found(index, "\u6771\u4eac") == ["han"]
    assert found(index, "\u05e9\u05dc\u05d5\u05dd") == ["rtl"]
    assert found(index, "half pair") == ["surrogate"]


def test_the_status_counts_what_is_there(index: TextIndex) -> None:
    status = index.status()

    assert status.passages == len(DOCUMENTS)
    assert status.bytes_on_disk > 1_000
    assert status.generation == "g-0001"


def test_lines_that_other_rooms_keep_change_nothing_of_what_turns_weigh(index: TextIndex) -> None:
    long = " ".join(f"word{number}" for number in range(100))
    index.put([document("long", f"retry {long}"), document("short", "retry it")])
    index.commit()
    asked = (parse("retry of the worker", operators=False), EVERYTHING)
    before = {key: each.passage for key, each in gather(index.reading(), *asked).candidates.items()}
    lines = [
        document(f"o{number}", f"the worker may retry {number}", part="observations/0")
        for number in range(50)
    ]
    index.put(lines)
    index.commit()

    evidence = gather(index.reading(), *asked)

    assert {key: evidence.candidates[key].passage for key in before} == before
    assert len(evidence.candidates) == len(before) + len(lines)


def test_lines_that_other_rooms_keep_are_found_replaced_and_taken_out(index: TextIndex) -> None:
    line = document("o", "payments stay idempotent", doc_type="observation", part="observations/0")
    index.put([line])
    index.commit()
    assert found(index, "idempotent") == ["o"]
    assert found(index, '"payments stay idempotent"') == ["o"]
    assert set(found(index, "payment", Filters(doc_types=("observation",)))) == {"o"}
    assert set(found(index, "payment")) == {"o", "d"}

    index.put([replace(line, text="payments stay checked")])
    index.commit()
    assert found(index, "idempotent") == []
    assert index.status().passages == len(DOCUMENTS) + 1

    index.delete_parts(["observations/0"])
    index.commit()
    assert found(index, "checked") == []


def test_a_full_disk_is_not_taken_for_an_index_that_has_to_be_made_anew(tmp_path: Path) -> None:
    def fill() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(IndexUnavailable, match="no room left") as caught:
        guard(tmp_path, fill)

    assert caught.value.hint == "free some disk space, then try again"
