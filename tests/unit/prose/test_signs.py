"""Goal: what only a sign tells apart is told apart; how a sentence is set says nothing.

Method: pairs of texts that differ by signs alone, and texts that are one in several settings.
"""

from __future__ import annotations

import pytest

from agentx.prose.signs import list_signs

APART = [
    ("rows where total > 0?", "rows where total < 0?"),
    ("written in C", "written in C++"),
    ("written in C++", "written in C#"),
    ("id == null", "id != null"),
    ("x>5", "x<5"),
    ("+1 hour", "-1 hour"),
    ("clean /tmp/build", "clean ~/tmp/build"),
    ("ignore *.log", "ignore log"),
    ("push --force", "push force"),
    ("a && b", "a || b"),
    ("5 %", "5"),
]
ALIKE = [
    ("drop the users table", 'Drop the "users" table?'),
    ("drop the users table", "drop the `users` table\u2026"),
    ("drop users (all) now", "drop users [all], now!"),
    ("it is **well-known** by e-mail", "it is _well-known_ \u2014 by e-mail."),
    ("don't use v1.2", "don\u2019t - use v1.2;"),
    ("\u65e5\u672c\u8a9e\u306f", "\u65e5\u672c\u8a9e\u306f\uff1f"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_a_sign_tells_apart_differs(one: str, other: str) -> None:
    assert list_signs(one) != list_signs(other)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_how_it_is_set_says_nothing(one: str, other: str) -> None:
    assert list_signs(one) == list_signs(other) == ()
