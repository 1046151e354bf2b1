"""What a text says to who reads it."""

from __future__ import annotations

import pytest

from agentx.kernel.text import shows_something

SEEN = (
    "y",
    "?",
    "1",
    "\u4e2d",
    "\U0001f44d",
    "\U0001fae8",
    "\U0001fa77",
    "\ue0b0",
)


@pytest.mark.parametrize(
    "words",
    [
        "",
        " \n",
        "\u200b",
        "\x07\x1b[31m",
        "\u202e",
        "\u2800",
        "\u3164\u00ad",
        "\u0301",
        "\ufffd",
        "\ufffc",
    ],
)
def test_what_nobody_sees_says_nothing(words: str) -> None:
    assert not shows_something(words)
    assert all(shows_something(f"{words}{seen}") for seen in SEEN)
