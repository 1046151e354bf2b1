"""Goal: the modes that work are told, and that there is no search by meaning is told with why."""

from __future__ import annotations

from agentx.search.model import Capabilities


def test_the_modes_follow_from_what_works() -> None:
    assert Capabilities().modes == ("auto", "bm25")
    assert Capabilities(bm25=False).modes == ("auto",)


def test_who_asks_for_vectors_is_told_why_there_are_none_and_what_to_use() -> None:
    able = Capabilities()

    assert not able.vectors
    assert "no search by meaning" in able.why_off
    assert "--mode auto" in able.hint
