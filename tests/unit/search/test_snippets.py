"""Goal: a snippet shows why a text was found, with its words marked.

Method: texts and terms in; the marked words are cut out of the snippet again.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.search.analysis import terms, unit_spans
from agentx.search.snippets import Snippet, snippet


def shown(text: str, asked: str, chars_max: int = 80) -> tuple[Snippet, list[str]]:
    made = snippet(text, frozenset(terms(asked)), chars_max)
    return made, [made.text[begin:end] for begin, end in made.marks]


def test_the_words_asked_for_are_marked_in_whatever_form_they_stand() -> None:
    made, marked = shown("The worker was retrying; retries failed.", "retry")

    assert marked == ["retrying", "retries"]
    assert made.text == "The worker was retrying; retries failed."


def test_the_stretch_with_most_of_the_words_is_chosen() -> None:
    text = "retry here. " + "padding " * 50 + "the retry worker timeout. " + "more " * 50
    made, marked = shown(text, "retry worker timeout")

    assert marked == ["retry", "worker", "timeout"]
    assert made.text.startswith("\u2026")
    assert made.text.endswith("\u2026")
    assert len(made.text) <= 82


def test_parts_of_identifiers_and_paired_characters_are_marked() -> None:
    assert shown("call parseHeader now", "header")[1] == ["parseHeader"]
    assert shown("\u6628\u65e5\u6771\u4eac\u306b", "\u6771\u4eac")[1] == ["\u6771\u4eac"]


def test_emoji_and_long_lines_are_cut_between_characters() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    made, marked = shown(family * 200, "nothing")

    assert marked == []
    assert made.text.rstrip("\u2026").count("\U0001f468") == made.text.count("\U0001f467")
    assert shown("x" * 1_000_000, "x")[0].text.startswith("x")


def test_nothing_found_shows_the_beginning() -> None:
    made, marked = shown("a b c " * 100, "zebra", 20)

    assert marked == []
    assert made.text.startswith("a b c")


_PIECES = st.sampled_from(
    (
        *(
            "retry",
            "retries",
            "Retrying",
            "a",
            "parseHeader",
            "header_of",
            "x" * 30,
            "_",
            " ",
            "  ",
        ),
        *("-", "\u2014", "\u2026", "\n", "caf\u00e9", "\u6771\u4eac", "7", "retry" * 9, "'s"),
        "h" * 32 + "header",
    )
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECES, max_size=40))
def test_every_word_that_holds_a_term_is_marked_and_no_other(pieces: list[str]) -> None:
    text = "".join(pieces)
    asked = frozenset(terms("retry header of caf\u00e9 \u6771\u4eac 7"))

    made = snippet(text, asked, 100_000)

    units = (made.text[begin:end] for begin, end in unit_spans(made.text))
    assert [made.text[begin:end] for begin, end in made.marks] == [
        unit for unit in units if asked & frozenset(terms(unit))
    ]
