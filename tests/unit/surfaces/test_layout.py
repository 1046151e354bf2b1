"""Goal: nothing runs over the width of a screen, nothing is lost, and an id stays whole.

Method: properties over texts of every script, and the tables that people look at.
"""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from agentx.surfaces.cli.layout import (
    CELLS_UNBOUND,
    Grid,
    fold,
    fold_words,
    lay,
    lay_facts,
    measure,
    shorten,
    shorten_home,
    wrap,
)
from agentx.surfaces.cli.render import print_whole
from agentx.surfaces.cli.screen import open_console

SCRIPTS = (
    "abc DEF-/ \u65e5\u672c\u8a9e\u3002\u300c\u300d \u0639\u0631\u0628\u064a e\u0301 "
    "\U0001f6a4\U0001f44d\U0001f3fd \u2764\ufe0f \u200d ,.;"
)
TEXTS = st.text(SCRIPTS, max_size=120)
WIDTHS = st.integers(min_value=4, max_value=90)


@given(TEXTS, WIDTHS, WIDTHS)
def test_a_wrapped_text_keeps_to_the_width_and_loses_nothing_but_spaces(
    text: str, first: int, rest: int
) -> None:
    spans = wrap(text, first, rest)
    lines = [text[start:end] for start, end in spans]

    assert "".join("".join(lines).split(" ")) == "".join(text.split(" "))
    assert measure(lines[0].rstrip(" ")) <= first
    assert all(measure(line) <= rest for line in lines[1:])


@given(TEXTS)
def test_a_text_is_never_measured_narrower_than_it_is_drawn(text: str) -> None:
    assert measure(text) >= cell_len(text)


@given(TEXTS, WIDTHS)
def test_what_is_shortened_fits_and_says_that_something_is_missing(text: str, cells: int) -> None:
    short = shorten(text, cells)

    assert measure(short) <= cells
    assert short == text or short.endswith("\u2026")


@given(st.lists(TEXTS, max_size=4), WIDTHS)
def test_words_of_several_lines_keep_to_the_width(lines: list[str], width: int) -> None:
    folded = fold_words("\n".join(lines), width)

    assert all(measure(line) <= width for line in folded.split("\n"))
    assert [line.plain for line in fold(Text("\n".join(lines)), width)] == folded.split("\n")


def test_a_continued_line_stands_under_its_text() -> None:
    assert fold_words("- one two three four", 12) == "- one two\n  three four"
    laid = lay(Text("decided  "), Text("one two three four five"), 20)
    assert [line.plain for line in laid] == [
        "decided  one two",
        "         three four",
        "         five",
    ]


def test_a_line_may_end_beside_a_wide_character_but_no_mark_begins_one() -> None:
    text = "\u65e5\u672c\u8a9e\u3067\u3059\u3002\u6b21"
    lines = [text[start:end] for start, end in wrap(text, 10, 10)]

    assert lines == ["\u65e5\u672c\u8a9e\u3067", "\u3059\u3002\u6b21"]


def test_a_word_that_needs_the_whole_line_gets_one() -> None:
    run_id = "20260319-1830-retries-that-do-not-storm-full-6945"
    laid = lay(Text("  run         "), Text(run_id), 60)

    assert run_id in [line.plain.strip() for line in laid]
    assert all(len(line.plain) <= 60 for line in laid)


def test_a_megabyte_without_a_space_is_wrapped_in_time() -> None:
    assert len(wrap("z" * 1_000_000, 80, 80, lines_max=3)) == 4
    assert len(lay(Text("  "), Text("z" * 100_000), 80, lines_max=2)) == 2


def _grid() -> Grid:
    grid = Grid("ID", ">COUNT", "~TEXT")
    grid.add_row("8304e07d-b879", "24", "a text that is long enough to be continued somewhere")
    grid.add_row("019d010a-23d8", "5", "\u65e5\u672c\u8a9e\u306e\u6587\u3092\u66f8\u304f")
    return grid


def test_a_table_with_room_stands_in_columns_and_wraps_its_text() -> None:
    lines = [line.plain for line in _grid().draw(50)]

    assert lines[0].split() == ["ID", "COUNT", "TEXT"]
    assert lines[1].startswith("8304e07d-b879     24  a text that")
    assert lines[2].startswith(" " * 22 + "to be")
    assert all(measure(line) <= 50 for line in lines)


def test_a_table_without_room_puts_its_text_below_and_cuts_no_id() -> None:
    lines = [line.plain for line in _grid().draw(30)]

    assert lines[:2] == ["ID             COUNT", "8304e07d-b879     24"]
    assert lines[2].startswith("  a text")
    assert all(measure(line) <= 30 for line in lines)


def test_what_goes_into_a_pipe_is_neither_wrapped_nor_cut() -> None:
    grid = Grid("ID", "~TEXT", lines_max=1)
    grid.add_row("1", "word " * 500)

    assert [len(line.plain) > 2_000 for line in grid.draw(CELLS_UNBOUND)] == [False, True]
    assert len(lay(Text(), Text("word " * 500), CELLS_UNBOUND, lines_max=1)) == 1


@given(st.lists(st.text("ab\u65e5-", max_size=20), max_size=6), WIDTHS)
def test_facts_side_by_side_keep_to_the_width(facts: list[str], width: int) -> None:
    laid = lay_facts([Text(fact) for fact in facts], width, indent=2)

    assert all(measure(line.plain) <= width for line in laid)
    assert "".join("".join(line.plain for line in laid).split()) == "".join(facts)


def test_what_a_cell_holds_speaks_in_no_line_of_its_own() -> None:
    grid = Grid("NAME", "~TEXT")
    grid.add_row("a\nb", Text("one\r\ntwo\x1b[2Jthree"))

    assert [line.plain for line in grid.draw(60)][1] == "a b   one two\ufffd[2Jthree"


def test_a_home_is_written_as_people_write_it() -> None:
    assert shorten_home("/home/ada/x", "/home/ada") == "~/x"
    assert shorten_home("/home/adam/x", "/home/ada") == "/home/adam/x"
    assert shorten_home("/home/ada/x", "") == "/home/ada/x"


def test_a_text_does_not_look_like_its_lead() -> None:
    (line,) = lay(Text("next: ", style="bold"), Text("go on"), 40)

    assert line.style == ""
    assert [(span.start, span.end, span.style) for span in line.spans] == [(0, 6, "bold")]


def test_a_long_word_in_prose_moves_no_margin() -> None:
    prose = "one two three four five six seven " + "/a-path" * 7
    laid = lay(Text("  01:28  agent    "), Text(prose), 60)

    assert all(line.plain.startswith(" " * 18) for line in laid[1:])


PUSH = "`git push origin 'refs/heads/agent/20261118-0845-add-e-mail-checks-6j9s/*:refs/heads/x/*'`"
PATH = "/home/me/.local/share/agent-memory/shop-3089dc137726/worktrees/20261118-0956-r2-8prq/work"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("copied", ["`agentx run resume --without 1a2b3c4d5e`", PUSH, PATH])
def test_what_is_copied_stands_on_one_line_however_narrow_the_screen_is(
    width: int, copied: str
) -> None:
    words = f"hint: who made it pushes it, then try again in {copied}; that is all there is to it"
    folded = fold_words(words, width).split("\n")

    assert sum(copied in line for line in folded) == 1, folded
    assert all(measure(line) <= width for line in folded if copied not in line)
    assert " ".join(line.strip() for line in folded) == words
    assert [line.plain for line in fold(Text(words), width)] == folded
    laid = [line.plain for line in lay(Text("next: "), Text(words), width)]
    assert sum(copied in line for line in laid) == 1, laid


def test_what_looks_like_a_command_in_what_somebody_said_is_wrapped_like_other_words() -> None:
    ours = 'next: agentx clarify answer CLR-9-999 "that it goes on like this"'
    said = ours.replace("next:", "Shall I type")
    body = Text(f"{said} {ours}")
    lines = [line.plain for line in lay(Text(), body, 44, quoted=len(said) + 1)]
    assert lines[0].startswith("Shall I type agentx clarify answer")
    assert not any(line.startswith("agentx clarify") for line in lines[:2])
    assert 'agentx clarify answer CLR-9-999 "that it goes on like this"' in lines[-1]
    assert max(map(measure, lines[:-1])) <= 44


def test_a_command_is_printed_as_one_line_on_a_narrow_screen() -> None:
    screen = open_console()
    screen.file, screen.width = io.StringIO(), 40
    print_whole(screen, f"     {PUSH}")

    assert screen.file.getvalue() == f"     {PUSH}\n"
