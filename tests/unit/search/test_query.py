"""Goal: what people type is read as they mean it, and nothing is an error.

Method: typed texts in, the read query out.
"""

from __future__ import annotations

import pytest

from agentx.search.query import parse


def test_function_words_do_not_count_beside_others() -> None:
    assert parse("what did we decide about the ledger?").terms == ("decid", "ledger")


def test_function_words_count_when_there_is_nothing_else() -> None:
    assert parse("who am I").terms == ("who", "am", "i")


def test_operators_are_read() -> None:
    query = parse('"atomic rename" conf* retrty~ -windows journal')

    assert query.phrases == (("atom", "renam"),)
    assert query.prefixes == ("conf",)
    assert query.fuzzy == ("retrti",)
    assert query.without == ("window",)
    assert set(query.terms) == {"atom", "renam", "journal"}


def test_a_flag_and_a_dash_are_no_exclusion() -> None:
    assert parse("add --verbose - and well-known").without == ()


def test_a_question_is_read_without_operators() -> None:
    query = parse('what was -postgres "exactly that"?', operators=False)

    assert not query.without
    assert not query.phrases
    assert "postgr" in query.terms


@pytest.mark.parametrize("text", ["", "   ", "!!! ??? ...", '"', "-", "*~", '""""', "AND OR ("])
def test_signs_alone_ask_for_little_and_break_nothing(text: str) -> None:
    assert len(parse(text).terms) <= 2


def test_neighbouring_words_are_pairs() -> None:
    assert parse("retry worker timeout").pairs == (("retri", "worker"), ("worker", "timeout"))
