"""Goal: text is cut where a reader would cut it, and what AgentX injected is always found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.text import (
    RECALL_CLOSE,
    RECALL_OPEN,
    cut,
    fold_text,
    preview,
    printable,
    whole_head,
    whole_tail,
    without_recall,
)

ASTRONAUT = "\U0001f469\u200d\U0001f680"  # one picture, three characters
ACCENTED = "e\u0301"
TONED = "\U0001f44d\U0001f3fd"


@given(st.text(max_size=400), st.integers(min_value=0, max_value=200))
def test_a_cut_never_exceeds_its_limit_and_keeps_both_ends(text: str, limit: int) -> None:
    short = cut(text, max(limit, 80))

    assert len(short) <= max(limit, 80, len(text) if len(text) <= 80 else 0)
    if len(text) <= max(limit, 80):
        assert short == text


def test_a_cut_says_how_much_is_missing() -> None:
    short = cut("a" * 500 + "b" * 500, 200)

    assert short.startswith("aaa")
    assert short.endswith("bbb")
    assert "800 characters cut" in short


@pytest.mark.parametrize("whole", [ASTRONAUT, ACCENTED, TONED, "\u2764\ufe0f"])
def test_a_visible_character_is_never_split(whole: str) -> None:
    for count in range(len(whole)):
        assert whole_head(whole, count) == ""
        assert whole_tail("x" + whole, count + 1) in ("", whole, whole[:0])


def test_a_preview_is_one_line() -> None:
    assert preview("  a\n\tb   c ", 20) == "a b c"
    assert preview("\u65e5\u672c\u8a9e\u306e\u6587", 3) == "\u65e5\u672c\u2026"


def test_sameness_is_blind_to_white_space_and_composition() -> None:
    assert fold_text("caf\u00e9  x\n") == fold_text("cafe\u0301 x")


def test_control_characters_do_not_reach_a_terminal() -> None:
    assert printable("a\x1b[31mb\x00\tc\n") == "a\ufffd[31mb\ufffd\tc\n"


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=50))
def test_injected_text_is_dropped_and_the_rest_kept(before: str, inside: str, after: str) -> None:
    if RECALL_CLOSE in inside or RECALL_OPEN in before + after or RECALL_CLOSE in before + after:
        return
    fenced = f"{before}{RECALL_OPEN}{inside}{RECALL_CLOSE}{after}"

    assert without_recall(fenced) == (before + after).strip()


def test_an_unclosed_fence_hides_all_that_follows() -> None:
    assert without_recall(f"mine {RECALL_OPEN} theirs") == "mine"


def test_text_without_a_fence_is_untouched() -> None:
    assert without_recall("  as it is \n") == "  as it is \n"
