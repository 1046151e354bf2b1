"""Goal: evidence at every scale, bounded, and cut where a reader can tell.

Method: texts of known words are cut; the cuts are put side by side with the whole.
"""

from __future__ import annotations

import tantivy
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.text import encodable
from agentx.search.analysis import analyser, index_analyser, join_terms, prepare, terms
from agentx.search.document import Chapter, Document
from agentx.search.limits import PASSAGE_CHARS_MAX, PASSAGES_MAX
from agentx.search.text.scales import (
    PASSAGE_UNITS,
    chapter_units,
    chapters,
    passages,
    windows,
)


def words(count: int, start: int = 0) -> str:
    return " ".join(f"w{number}" for number in range(start, start + count))


def said(number: int, text: str) -> Document:
    return Document(
        doc_type="event", doc_id=f"e{number}", text=text, timestamp_ms=number, session="s"
    )


def chapter(*texts: str) -> Chapter:
    documents = tuple(said(number, text) for number, text in enumerate(texts))
    return Chapter(chapter_id="c", session="s", documents=documents)


def test_a_short_text_is_one_passage() -> None:
    assert [each.text for each in passages("just this")] == ["just this"]
    assert [each.text for each in passages("")] == [""]


def test_passages_overlap_and_leave_no_word_out() -> None:
    text = words(1_000)
    found = passages(text)

    assert {word for each in found for word in each.text.split()} == set(text.split())
    assert all(len(each.text.split()) == PASSAGE_UNITS for each in found)
    assert all(text.startswith(each.text, each.start) for each in found)
    assert found[-1].text.endswith("w999")


_PIECES = st.sampled_from(
    [
        *("retries", "max_retry_count", "parseHTTPHeader", "a1", "x" * 33, "test_" * 8 + "end"),
        *(
            "Z" * 81,
            "\u2026",
            "\u2192",
            "\u00bd",
            "\ufb01le",
            "caf\u00e9",
            "e\u0301",
            "\u6771\u4eac",
        ),
        *("\u24b6", "\u00a0", "\u200d", "\U0001f600", ", ", "/", "--"),
    ]
)


@given(st.lists(_PIECES, max_size=20), st.sampled_from(["", " ", "."]))
def test_a_passage_has_the_terms_of_its_text_however_it_was_cut(
    pieces: list[str], between: str
) -> None:
    text = between.join(pieces)

    [found] = passages(text)

    assert index_analyser().analyze(found.terms) == terms(text)


@given(st.lists(_PIECES, max_size=20))
def test_units_have_the_terms_of_the_text_they_make(units: list[str]) -> None:
    assert index_analyser().analyze(join_terms(units)) == terms(" ".join(units))


@given(st.lists(_PIECES, max_size=20), st.sampled_from(["", " ", ".", " of the "]))
def test_each_word_is_told_to_the_index_in_its_place_though_it_may_be_dropped(
    pieces: list[str], between: str
) -> None:
    text = between.join(pieces)
    [passage] = passages(text)
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build()

    told = passage.terms.split()
    expected = [analyser().analyze(word) for word in words.analyze(encodable(prepare(text)))]

    assert [index_analyser().analyze(one) for one in told] == expected


def test_passages_around_a_long_word_lie_where_they_say() -> None:
    text = f"{words(115)} {'very_' * 12}long {words(115)}"
    found = passages(text)

    assert all(text.startswith(each.text, each.start) for each in found)
    assert text.endswith(found[-1].text)


def test_of_a_huge_text_both_ends_are_kept() -> None:
    found = passages(words(100_000))

    assert len(found) == PASSAGES_MAX
    assert found[0].text.startswith("w0 ")
    assert found[-1].text.endswith("w99999")


def test_a_megabyte_without_a_blank_is_bounded() -> None:
    for text in ("x" * 1_000_000, "." * 1_000_000, "\u6771" * 1_000_000):
        found = passages(text)
        assert len(found) <= PASSAGES_MAX
        assert all(len(each.text) <= PASSAGE_CHARS_MAX for each in found)


def test_a_window_joins_neighbours() -> None:
    (window,) = windows(chapter("where did you go?", "to the lake", "nice"))

    assert [member.doc_id for member in window.members] == ["e0", "e1", "e2"]
    assert " ".join(window.units) == "where did you go to the lake nice"


def test_every_document_is_in_some_window_and_windows_keep_their_order() -> None:
    found = windows(chapter(*(words(40, 100 * number) for number in range(30))))

    assert {each.doc_id for window in found for each in window.members} == {
        f"e{number}" for number in range(30)
    }
    assert all(
        list(window.members) == sorted(window.members, key=lambda each: each.timestamp_ms)
        for window in found
    )


def test_a_long_document_does_not_flood_the_windows() -> None:
    found = windows(chapter("short", words(50_000), "short too"))

    assert len(found) <= 4


def test_a_chapter_without_words_has_no_windows() -> None:
    assert windows(chapter("", "...")) == []
    assert chapter_units(chapter("", "...")) == []


def test_a_growing_session_changes_its_last_chapter_only() -> None:
    documents = [said(number, words(700, number)) for number in range(20)]
    before = list(chapters("s", documents[:15]))
    after = list(chapters("s", documents))

    assert len(before) > 2
    assert after[: len(before) - 1] == before[:-1]
    assert [each.chapter_id for each in after[: len(before)]] == [
        each.chapter_id for each in before
    ]
    assert [each for part in after for each in part.documents] == documents


def test_a_passage_is_found_by_the_words_it_shows_however_they_are_written() -> None:
    for text in (
        "It\u2019s fine \u2026 " * 130,
        "parseHTTPHeader max_retry_count app/db.py " * 60,
        f"{'f' * 40} of {'0' * 33}_x " * 90,  # longer than a unit
        f"{'z' * 90} " * 130,  # longer than a term
        "caf\u00e9 \u65e5\u672c\u8a9e stra\u00dfe " * 90,
        "tab\tand\x1fother\u2028blanks " * 70,
    ):
        for each in passages(text):
            shown = terms(each.text)
            found = index_analyser().analyze(each.terms)
            # A word that is cut at an end is whole where it begins, and nowhere else.
            assert found[1:-1] == shown[1:-1] or found[:-1] == shown[1:-1]
            assert text[each.start :].startswith(each.text)
