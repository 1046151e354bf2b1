"""Goal: words and meaning are each trusted as far as they are sure, and nothing is lost.

Method: opinions made up by hand, and by chance.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentx.recall.question.fusion import WEIGHT_MAX, Opinion, fuse, weight_of_meaning

HITS = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 1), max_size=6).map(
    lambda found: tuple(sorted(found.items(), key=lambda each: -each[1]))
)


def _order(words: Opinion, meaning: Opinion) -> list[str]:
    return [each.doc_id for each in fuse(words, meaning)]


def test_sure_words_outweigh_a_likeness() -> None:
    words = Opinion((("exact", 3.0), ("near", 1.0)), sureness=1.0)
    meaning = Opinion((("near", 0.6), ("exact", 0.5), ("far", 0.1)))

    assert _order(words, meaning)[0] == "exact"


def test_where_words_say_little_the_meaning_finds_it() -> None:
    words = Opinion((("chance", 0.5), ("other", 0.4)), sureness=0.1)
    meaning = Opinion((("said otherwise", 0.7), ("other", 0.2), ("chance", 0.1)))

    assert _order(words, meaning).index("said otherwise") < 2


def test_a_meaning_that_is_like_nothing_does_not_count() -> None:
    words = Opinion((("a", 1.0), ("b", 0.9)), sureness=0.3)
    meaning = Opinion((("b", 0.1), ("a", 0.05)))

    assert weight_of_meaning(words, meaning) == 0
    assert _order(words, meaning) == ["a", "b"]


@given(words=HITS, meaning=HITS, sureness=st.floats(0, 1))
def test_nothing_is_lost_and_each_side_alone_keeps_its_order(
    words: tuple[tuple[str, float], ...], meaning: tuple[tuple[str, float], ...], sureness: float
) -> None:
    said, meant = Opinion(words, sureness), Opinion(meaning)
    fused = fuse(said, meant)

    assert {each.doc_id for each in fused} == {name for name, _ in (*words, *meaning)}
    assert 0 <= weight_of_meaning(said, meant) <= WEIGHT_MAX
    assert [each.score for each in fused] == sorted((e.score for e in fused), reverse=True)
    assert _order(said, Opinion(())) == [name for name, _ in words]
    alone = fuse(Opinion(()), meant)
    assert [each.by_meaning for each in alone] == sorted(
        (each.by_meaning for each in alone), reverse=True
    )


@given(words=HITS, meaning=HITS, low=st.floats(0, 1), high=st.floats(0, 1))
def test_the_surer_the_words_the_less_the_meaning_counts(
    words: tuple[tuple[str, float], ...],
    meaning: tuple[tuple[str, float], ...],
    low: float,
    high: float,
) -> None:
    low, high = sorted((low, high))

    less = weight_of_meaning(Opinion(words, high), Opinion(meaning))
    assert less <= weight_of_meaning(Opinion(words, low), Opinion(meaning))
