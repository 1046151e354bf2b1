"""What is shown of a text was said, but for the marks of prose and for white space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.exchanges.commands import parts_of, plain
from agentx.prose.sentences import sentences, show_excerpt

_WORDS = st.lists(
    st.sampled_from(
        [
            "a",
            "10**400",
            "`x ** y`",
            "2**n",
            "f(**kwargs)",
            "handlers[name](event)",
            "`**`",
            "*",
            "_b_",
        ]
    ),
    min_size=1,
)
_COMMANDS = st.lists(
    st.sampled_from(
        [
            "cd /srv",
            "pytest -q",
            "; ",
            " && ",
            " || ",
            "\n",
            "make lint 2>&1",
            " | tail -5",
            "x=1 go",
        ]
    ),
    min_size=1,
)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("it is 10**400 long, not 2**8", "it is 10**400 long, not 2**8"),
        ("call `f(**kwargs)` and **never** `a**b**c`", "call `f(**kwargs)` and never `a**b**c`"),
        ("**Root cause: `a**b`** is slow", "Root cause: `a**b` is slow"),
        ("handlers[name](event) runs twice", "handlers[name](event) runs twice"),
        ("see [the page](https://a.b/c) and `[x](y)`", "see the page and `[x](y)`"),
        ("**see [the page](docs/a.md)** first", "see the page first"),
        ("src/**/*.py and docs/**/*.md", "src/**/*.py and docs/**/*.md"),
    ],
)
def test_marks_of_prose_are_dropped_and_code_is_not_touched(said: str, shown: str) -> None:
    assert show_excerpt(said) == shown


@given(_WORDS)
def test_what_is_no_mark_is_shown_as_it_was_said(words: list[str]) -> None:
    said = " ".join(words)

    assert show_excerpt(said) == said


@given(_WORDS)
def test_a_sentence_is_a_piece_of_what_was_said(words: list[str]) -> None:
    said = f"We know that {' '.join(words)} holds."

    assert all(found.text in said for found in sentences(said))


@given(_COMMANDS)
def test_a_command_is_told_in_its_own_words(pieces: list[str]) -> None:
    command = "".join(pieces)

    assert plain(command) in " ".join(command.split())


def test_a_command_keeps_how_its_parts_are_joined() -> None:
    assert plain("cd web && bun test; bun run lint 2>&1 | tail -3") == "bun test; bun run lint"
    assert plain("pytest -q || true") == "pytest -q"
    assert parts_of("cd web; bun test && bun run lint") == ("bun test", "bun run lint")
    assert plain("cd web") == "cd web"
