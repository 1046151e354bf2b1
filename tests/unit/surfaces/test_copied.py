"""Goal: a command that somebody is told to type is found in what is said, from end to end.

Method: what the house says, each with the commands in it; texts and widths by chance.
"""

from __future__ import annotations

import io
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from agentx.kernel.text import quote_word
from agentx.memory.found import SearchHit
from agentx.surfaces.cli.commands.said.search import draw_hit
from agentx.surfaces.cli.copied import find_copied
from agentx.surfaces.cli.layout import Grid, fold, fold_words, lay, measure
from agentx.surfaces.cli.screen import open_console
from agentx.surfaces.dates import Dates
from tests.support.time_and_chance import START_MS

ASK = (
    'agentx clarify ask --issue 1 --from engineer --to human --topic "Database" --question '
    "'May I drop `users`; it'\\''s old, (all of it) and is checked?' --ask-anyway"
)
SAID: tuple[tuple[str, list[str]], ...] = (
    (f"ask it anew: {ASK}", [ASK]),
    (f"say what holds at a terminal, asked anew: {ASK}.", [ASK]),
    ("CLR-1-001 is contested (agentx clarify --issue 1)", ["agentx clarify --issue 1"]),
    (
        'Read it: agentx clarify --issue 1; say what holds: agentx clarify resolve CLR-1-002 "..."',
        ["agentx clarify --issue 1", 'agentx clarify resolve CLR-1-002 "..."'],
    ),
    ("agentx trust --show, then agentx trust", ["agentx trust --show", "agentx trust"]),
    (
        "agentx ltm accept NO ... --run 8wqz to keep some",
        ["agentx ltm accept NO ... --run 8wqz"],
    ),
    ("set one: agentx agent role ROLE --here. Then go on", ["agentx agent role ROLE --here"]),
    ("-> agentx run context --task TASK-002 [run]", ["agentx run context --task TASK-002"]),
    ("say it again with agentx memory add, its words", ["agentx memory add"]),
    (
        "Off again: agentx config set --user llm.provider ''",
        ["agentx config set --user llm.provider ''"],
    ),
    ('he typed "agentx search WORDS" and "it" was found', ["agentx search WORDS"]),
    ("more: agentx toc today, agentx --help", ["agentx toc today", "agentx --help"]),
    (
        "git -C '/home/me/My shop' stash -u (and in a lane: git stash pop)",
        ["git -C '/home/me/My shop' stash -u", "git stash pop"],
    ),
    ("git push and git pull exchange them", ["git push", "git pull exchange"]),
    ("git rm -r --cached -- src docs, then commit that", ["git rm -r --cached -- src docs"]),
    ("git add . && git commit -m 'Say why, at length'", ["git add . && git commit -m"]),
    (f"run `{ASK}`; or `agentx doctor`", [f"`{ASK}`", "`agentx doctor`"]),
    ("`agentx run lane retry L1; git gc` mends it", ["`agentx run lane retry L1; git gc`"]),
    ("agentx remembers, and git tells it: .agentx run it, /agentx run", []),
    ("agentx -- the memory; git is here; agentx", []),
    ("agentx doctor \u3067\u6cbb\u3059", ["agentx doctor"]),
    ("agentx restore ~/\u65e5\u672c.json", ["agentx restore ~/\u65e5\u672c.json"]),
    ('an open quote: agentx search "two words', ["agentx search"]),
)


@pytest.mark.parametrize(("text", "commands"), SAID)
def test_a_command_is_found_where_it_begins_and_where_it_ends(
    text: str, commands: list[str]
) -> None:
    assert [text[start:end] for start, end in find_copied(text)] == commands


WORDS = st.sampled_from(
    "the question waits for you; settle it, or read what (all) agentx remembers. git tells "
    '\u65e5\u672c\u8a9e\u3067\u66f8\u304f\u3002 wasn\'t "so he said" `name` who'.split(" ")
)
QUOTED = st.text("ab c?!;,.()`'\"$\\ \u65e5\u672c\u3002\u00e9", max_size=60).map(quote_word)
ARGUMENTS = st.one_of(
    st.sampled_from(["--issue 1", "--to human", "CLR-1-001", "TEXT", "--ask-anyway", "src/a.py"]),
    QUOTED,
)
COMMANDS = st.builds(
    lambda verb, given: " ".join([verb, *given]),
    st.sampled_from(["agentx clarify ask", "agentx run task add", "agentx trust", "git push"]),
    st.lists(ARGUMENTS, max_size=6),
)
FRAMES = st.sampled_from(["{}.", "{},", "{};", "({})", "({});", "`{}`"])
PROSE = st.lists(WORDS, max_size=14).map(" ".join)


@given(PROSE, COMMANDS, FRAMES, PROSE, COMMANDS, st.integers(40, 140))
def test_no_command_is_cut_nothing_is_lost_and_no_other_line_is_too_long(
    before: str, first: str, frame: str, after: str, last: str, width: int
) -> None:
    words = f"{before} {frame.format(first)} {after}: {last}".strip()
    folded = fold_words(words, width).split("\n")

    for command in (first, last):
        assert any(command in line for line in folded), folded
    long = [line for line in folded if measure(line) > width]
    assert all(first in line or last in line for line in long), folded
    assert "".join("".join(folded).split(" ")) == "".join(words.split(" "))
    assert [line.plain for line in fold(Text(words), width)] == folded
    laid = [line.plain for line in lay(Text("next: "), Text(words), width)]
    assert all(any(command in line for line in laid) for command in (first, last)), laid


def test_prose_without_spaces_around_a_command_is_folded_all_the_same() -> None:
    prose = "\u65e5\u672c\u8a9e\u3067\u66f8\u304f" * 20
    folded = fold_words(f"{prose}`agentx search {'w' * 60}`{prose}", 40).split("\n")

    assert [line for line in folded if measure(line) > 40] == [f"`agentx search {'w' * 60}`"]


def test_a_command_in_a_table_is_printed_as_one_line() -> None:
    screen = open_console()
    screen.file, screen.width = io.StringIO(), 60
    table = Grid("ID", "~TEXT")
    table.add_row("1", f"ask it anew: {ASK}, and go on")
    screen.print(table)

    assert f"    {ASK},\n" in screen.file.getvalue()


def test_a_megabyte_of_commands_and_open_quotes_is_looked_through_in_time() -> None:
    assert sum(1 for _ in find_copied("agentx ask git add \" agentx run ' `" * 30_000)) > 0


def test_a_snippet_that_begins_inside_quotes_is_folded_as_prose() -> None:
    words = "Path` is filled in one place: `hooks.go` has it, " + "and that is said at length " * 9
    hit = SearchHit(
        doc_id="01KH510FC261W3B2DS64CKTWMG",
        kind="event",
        score=1.0,
        marks=(),
        snippet=f"{words}`here`",
        timestamp_ms=START_MS,
        tokens=90,
        project="shop",
        session_id="",
        harness="",
        agent="",
        role="",
        issue="",
    )
    screen = open_console()
    for width in (40, 60, 80):
        screen.file, screen.width = io.StringIO(), width
        draw_hit(screen, hit, Dates(now_ms=START_MS, zone=UTC))
        drawn = screen.file.getvalue()
        assert "said at length" in " ".join(drawn.split())
        assert max(map(measure, drawn.split("\n"))) <= width
