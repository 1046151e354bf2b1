"""Goal: a secret is found through what nobody sees in it, and where only a space parts it from its
word; what is written like that for good reason stays.

Method: a token with marks at its edges and inside, in text, in JSON and in its escapes; phrases
about passwords; whatever Hypothesis makes of words, emoji and marks.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.redaction.hidden import MARKS, unhide
from agentx.redaction.redact import redact, redact_value, suspicious


@pytest.mark.parametrize(
    "text",
    [
        "my password hunter2 works",
        "log in as bob with password s3cr3tPw!",
        "the old passwd Tr0ub4dor.",
        "Passwort geheim42",
    ],
)
def test_a_password_that_only_a_space_parts_from_its_word_is_one(text: str) -> None:
    assert "[REDACTED:password]" in redact(text)
    assert redact(redact(text)) == redact(text)
    assert suspicious(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "password sha256 hash",
        "password hashing with argon2id",
        "the password field1 and password input2",
        "password scram-sha-256",
        "password reset within 24 hours",
        "password varchar2(50)",
        "password pbkdf2_hmac",
        "password manager",
        "compare password password2",
    ],
)
def test_what_is_said_about_passwords_is_none(text: str) -> None:
    assert redact(text) == text


GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
UNSEEN = ("\u200b", "\u200c\u200d", "\u2060", "\ufeff", "\u00ad", "\u200b" * 3, "\u2063")


@pytest.mark.parametrize("mark", UNSEEN)
@pytest.mark.parametrize("at", [1, 3, 4, 5, 20, 39])
def test_a_token_is_found_through_what_nobody_sees_in_it(mark: str, at: int) -> None:
    text = f"use {GITHUB[:at]}{mark}{GITHUB[at:]} now"
    assert redact(text) == "use [REDACTED:github-token] now"
    assert redact_value({"note": [text]}) == {"note": ["use [REDACTED:github-token] now"]}
    assert suspicious(text.encode())
    assert suspicious(json.dumps(text).encode())


def test_a_password_is_found_through_what_nobody_sees_in_its_name() -> None:
    assert redact("pass\u200bword = hunter2") == "password = [REDACTED:password]"


@pytest.mark.parametrize(
    "text",
    [
        "a family \U0001f468\u200d\U0001f469\u200d\U0001f467 and a flag",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "soft\u00adly hyph\u200benated words",
        "\ufeffbeginning",
        "ends\u200b",
        "\u200b",
        "a\u200b\u200d\u2060 b",
    ],
)
def test_what_joins_and_parts_stays_where_nothing_is_hidden(text: str) -> None:
    assert redact(text) == text


@given(st.text(alphabet="ab1_\u200b\u200d\u2060\U0001f600 \u4e2d", max_size=30))
def test_only_what_nobody_sees_is_taken_out_of_words(text: str) -> None:
    bare = unhide(text)
    assert unhide(bare) == bare
    assert [char for char in bare if char not in MARKS] == [c for c in text if c not in MARKS]
