"""Goal: what is asked becomes the same terms as what was stored.

Method: texts in, terms out; the scripts and spellings that people use with coding agents.
"""

from __future__ import annotations

import pytest

from agentx.search.analysis import prepare, terms, unit_spans


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("parseHTTPHeader", {"pars", "http", "header", "parsehttphead"}),
        ("max_retry_count", {"max", "retri", "count", "maxretrycount"}),
        ("utf8Decoder", {"utf", "8", "decod", "utf8decod"}),
        ("src/app/db.py", {"src", "app", "db", "py"}),
    ],
)
def test_an_identifier_is_found_by_its_parts_and_as_a_whole(
    identifier: str, parts: set[str]
) -> None:
    assert parts <= set(terms(identifier))


def test_a_whole_identifier_is_one_term_however_it_is_underscored() -> None:
    assert terms("checkpoint_id")[-1] == terms("checkpointId")[-1] == "checkpointid"


def test_words_are_stemmed_folded_and_the_commonest_are_dropped() -> None:
    assert terms("The retries of a Caf\u00e9 were failing") == ["retri", "cafe", "were", "fail"]


def test_scripts_without_spaces_are_found_by_any_two_characters() -> None:
    assert set(terms("\u6771\u4eac\u90fd")) == {"\u6771\u4eac", "\u4eac\u90fd"}
    assert terms("\u6771\u4eac")[0] in terms("\u6628\u65e5\u6771\u4eac\u306b\u3044\u305f")


def test_other_scripts_stay_words() -> None:
    text = "\u043f\u0440\u0438\u0432\u0435\u0442 \u0434\u0440\u0443\u0433"
    assert terms(text) == text.split()
    assert len(terms("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd")) == 2


def test_lone_surrogates_and_emoji_do_no_harm() -> None:
    assert terms("broken \ud800 text") == ["broken", "text"]
    assert terms("\U0001f680 launched") == ["launch"]


def test_plain_prose_is_left_as_it_is() -> None:
    text = "Nothing here is an identifier, not even 2026 or USA."

    assert prepare(text) == text


def test_a_line_without_blanks_is_still_cut_into_units() -> None:
    spans = unit_spans("x" * 1_000_000)

    assert len(spans) > 10_000
    assert spans[-1][1] == 1_000_000
