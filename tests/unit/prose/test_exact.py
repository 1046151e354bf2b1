"""Goal: what a figure, a sign or a name tells apart is told apart; how it is set says nothing.

Method: pairs of texts that differ by such pieces alone, and texts that are one in two settings.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.prose.same.exact import list_exact

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
    ("a limit of 1,000 rows", "a limit of 1,000,000 rows"),
    ("at 02:03", "at 03:02"),
    ("map 80:8080", "map 8080:80"),
    ("a rate of 0,5", "a rate of 5,0"),
    ("rsync prod -> staging", "rsync staging -> prod"),
    ("age > 5 and size > 30", "age > 30 and size > 5"),
    ("keep *.log and drop tmp", "keep log and drop *.tmp"),
    ("split at ';'", "split at ','"),
    ("return []", "return {}"),
    ("return []", "return ''"),
    ("call f()", "call f"),
    ("delete tmp", "delete `*tmp*`"),
    ("delete init", "delete __init__"),
    ("take **kwargs", "take kwargs"),
    ("x**2 + y**2", "x2 + y2"),
    ("run rm in .", "run rm in .."),
    ("price * rate", "price - rate"),
    ("a cap of 5 Mb", "a cap of 5 MB"),
    ("run with -r", "run with -R"),
    ("the range [0, 5)", "the range (0, 5]"),
    ("go with plan A", "go with plan B"),
    ("ship to US", "ship to us"),
    ("it is \U0001f44d", "it is \U0001f44e"),
    (
        "\u53ef\u4ee5\u5220\u9664\u6d4b\u8bd5\u73af\u5883\u7684\u7528\u6237\u8868\u5417",
        "\u53ef\u4ee5\u5220\u9664\u751f\u4ea7\u73af\u5883\u7684\u7528\u6237\u8868\u5417",
    ),
    ("\u524a\u9664\u3057\u307e\u3059\u304b", "\u524a\u9664\u3057\u307e\u305b\u3093\u304b"),
    ("\u0e25\u0e1a", "\u0e44\u0e21\u0e48\u0e25\u0e1a"),
    ("\u0915\u094d\u092f\u093e \u0915\u0940", "\u0915\u094d\u092f\u093e \u0915\u093e"),
]
PLAIN = [
    ("drop the users table", 'Drop the "users" table?'),
    ("drop the users table", "drop the `users` table\u2026"),
    ("drop users (all) now", "drop users, all, now!"),
    ("it is **well-known** by e-mail", "- it is well-known \u2014 by e-mail ?"),
    ("**don't drop users**", "> don\u2019t drop users."),
    ("\u043c\u043e\u0436\u043d\u043e \u043b\u0438", "\u043c\u043e\u0436\u043d\u043e \u043b\u0438?"),
]
ALIKE = [
    ("which of v1.2 and v1.3?", "Which of `v1.2` and v1.3"),
    ("keep src/a.py", "Keep 'src/a.py'."),
    ("\u65e5\u672c\u8a9e\u306f", "\u65e5\u672c\u8a9e\u306f\uff1f"),
    ("drop 5 rows", "to drop the 5 rows"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_an_exact_piece_tells_apart_differs(one: str, other: str) -> None:
    assert list_exact(one) != list_exact(other)


@pytest.mark.parametrize(("one", "other"), PLAIN)
def test_how_words_are_set_says_nothing(one: str, other: str) -> None:
    assert list_exact(one) == list_exact(other) == ()


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_how_an_exact_piece_is_set_says_nothing(one: str, other: str) -> None:
    assert list_exact(one) == list_exact(other) != ()


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    for exact in list_exact(text):
        assert exact.piece in text or exact.piece in " ".join(text.split()) or not text.isascii()


@pytest.mark.parametrize(
    "text",
    ["*_" * 50_000 + "a" + "_*" * 50_000, "a" + "?" * 1_000_000, "**a" * 50_000, "(" * 1_000_000],
    ids=["nested", "ends", "bold", "brackets"],
)
@pytest.mark.timeout(10)
def test_no_text_takes_long_or_breaks_it(text: str) -> None:
    assert len(list_exact(text)) <= 1
