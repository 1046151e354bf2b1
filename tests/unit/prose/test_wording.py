"""By which words two questions of an issue are one."""

from __future__ import annotations

import pytest

from agentx.kernel.text import printable
from agentx.prose.same.wording import key_words

TOPIC = "The table"
ASKED = "Shall I drop the `users` table?"


@pytest.mark.parametrize(
    "typed",
    [
        "shall i  drop the\nusers TABLE",
        "Should I drop the users table?",
        "May I drop users table??",
        "May we drop the 'users' table.",
        "Shall we drop the \u201cusers\u201d table ?",
        'Shall I "drop the users table"?',
    ],
)
def test_what_is_only_typed_otherwise_is_the_same(typed: str) -> None:
    assert key_words(TOPIC, ASKED) == key_words("the `table`.", typed)


@pytest.mark.parametrize("odd", ["\x1b[31mred", "a\u202eb", "a\x07b", "line\r\nline", "a\u200bb"])
def test_what_a_command_is_shown_to_ask_is_what_was_asked(odd: str) -> None:
    assert key_words(odd, f"Shall I {odd}?") == key_words(
        printable(odd), f"Shall I {printable(odd)}?"
    )
    assert key_words(TOPIC, f"Shall I {odd}?") != key_words(TOPIC, "Shall I?")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ASKED, "Shall I drop the user table?"),
        (ASKED, "Shall I drop a users table?"),
        (ASKED, "Shall I not drop the users table?"),
        (ASKED, "Must I drop the users table?"),
        (ASKED, "Can we drop the users table?"),  # whether it is possible
        (ASKED, "Shall the users table be dropped?"),
        (ASKED, "Shall I drop the table users?"),
        (ASKED, "Shall I drop my users table?"),
        ("Shall I keep 1,000 rows?", "Shall I keep 1,000,000 rows?"),
        ("Shall I keep 5 MB?", "Shall I keep 5 Mb?"),
        ("Shall I take plan A?", "Shall I take a plan?"),
        ("Shall I ship to US?", "Shall I ship to us?"),
        ("Shall I drop Users_old?", "Shall I drop users_old?"),
        ("Shall I cut it at 5'?", 'Shall I cut it at 5"?'),
        ("Shall I split at '.'?", "Shall I split at '?'?"),
        ("Shall I split at .?", "Shall I split at ,?"),
        ("Shall I use C?", "Shall I use C++?"),
        ("Shall I map 80:8080?", "Shall I map 8080:80?"),
        ("Shall I merge prod -> staging?", "Shall I merge staging -> prod?"),
        ("Can I/O be slow?", "Shall I/O be slow?"),
        ("May cards be stored?", "Can cards be stored?"),
        ("\u5220\u9664\u8868\uff1f", "\u4e0d\u5220\u9664\u8868\uff1f"),
        ("?", "!"),
        ("Shall I name it 'x.'?", "Shall I name it 'x'?"),
    ],
)
def test_what_differs_by_a_word_a_figure_a_sign_or_its_order_is_another(
    one: str, other: str
) -> None:
    assert key_words(TOPIC, one) != key_words(TOPIC, other)


@pytest.mark.parametrize("topic", ["The tables", "A table", "Table 2", "`table`.sql"])
def test_of_another_topic_it_is_another(topic: str) -> None:
    assert key_words(TOPIC, ASKED) != key_words(topic, ASKED)
