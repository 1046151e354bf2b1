"""Goal: words of scripts with and without spaces are told apart, also in the middle of a text.

Method: the rule as a pattern, which takes too long to compile for a command, held against it.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.prose.keyphrases import _list_words, terms
from agentx.prose.sentences import words

_CJK = "\u3040-\u309f\u30a1-\u30fa\u30fc-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RULE = re.compile(rf"[{_CJK}]+|[^\W_](?:[\w'\u2019-]*\w)?")
_LETTERS = "ab'-_1.\u00e9 \u2019\u6f22\u5b57\u4eee\u30ab\u30bf\u30fc\u3072\u3089\ud55c\u8c48\u3400"


@given(st.text(alphabet=_LETTERS, max_size=20))
def test_words_are_those_of_the_rule(text: str) -> None:
    assert sorted(_list_words(text)) == sorted(_RULE.findall(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\u5b57\u5e55abc", {"\u5b57\u5e55", "abc"}),
        ("abc\u5b57\u5e55", {"abc\u5b57\u5e55"}),
        ("\u30e1\u30fc\u30eb\u3092\u9001\u4fe1", {"\u30e1\u30fc", "\u30fc\u30eb", "\u9001\u4fe1"}),
        ("\u306e", {"\u306e"}),
    ],
)
def test_names_are_read_in_pairs_and_grammar_is_passed_over(text: str, found: set[str]) -> None:
    assert terms(text) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [("two words", 2), ("caf\u00e9 cr\u00e8me", 2), ("\u6f22\u5b57\u4eee\u540d", 3), ("", 0)],
)
def test_two_characters_without_spaces_count_as_a_word(text: str, count: int) -> None:
    assert words(text) == count
