"""Goal: the measures of shared words hold for any texts, whoever asks and with which threshold.

Method: sets of words and texts made up by hypothesis.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentx.prose.likeness import coverage, likeness, list_words, overlap

WORDS = st.frozensets(st.sampled_from("cache auth token retry queue index 3 4 v2".split()))
NAMES = st.frozensets(st.sampled_from("cache auth token retry queue index".split()))


@given(one=WORDS, other=WORDS, least=st.floats(0, 1))
def test_every_measure_lies_between_none_and_all(
    one: frozenset[str], other: frozenset[str], least: float
) -> None:
    for share in (overlap(one, other, least=least), likeness(one, other), coverage(one, other)):
        assert 0.0 <= share <= 1.0


@given(one=WORDS, other=WORDS, least=st.floats(0, 1))
def test_what_two_texts_share_does_not_depend_on_who_is_first(
    one: frozenset[str], other: frozenset[str], least: float
) -> None:
    assert overlap(one, other, least=least) == overlap(other, one, least=least)
    assert likeness(one, other) == likeness(other, one)


@given(words=WORDS.filter(bool), least=st.floats(0, 1))
def test_a_text_is_wholly_like_itself(words: frozenset[str], least: float) -> None:
    assert overlap(words, words, least=least) == 1.0
    assert likeness(words, words) == 1.0
    assert coverage(words, words) == 1.0


@given(one=WORDS, other=WORDS, least=st.floats(0, 1))
def test_an_overlap_is_enough_or_none(
    one: frozenset[str], other: frozenset[str], least: float
) -> None:
    share = overlap(one, other, least=least)

    assert share == 0.0 or share >= least
    assert share == 0.0 or share == len(one & other) / len(one | other)


@given(names=NAMES, one=st.sampled_from("3 4 v2".split()), other=st.sampled_from("5 6 v3".split()))
def test_texts_that_name_other_numbers_do_not_say_the_same(
    names: frozenset[str], one: str, other: str
) -> None:
    assert overlap(names | {one}, names | {other}, least=0.0) == 0.0


@given(words=WORDS)
def test_without_a_word_nothing_is_shared(words: frozenset[str]) -> None:
    for share in (overlap(frozenset(), words, least=0.0), likeness(frozenset(), words)):
        assert share == 0.0
    assert coverage(frozenset(), words) == 0.0


@given(text=st.text(max_size=60))
def test_words_are_the_same_in_any_case_and_spacing(text: str) -> None:
    assert list_words(f"  {text}\n") == list_words(text)
    assert list_words(" ".join(list_words(text))) == list_words(text)
