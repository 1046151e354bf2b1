"""Goal: of the words that an offshoot begins with, just those are marked that stand no longer.

Method: two clones that asked on apart and met; what became of the first answer where it was said.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON, Clarification, Entry, EntryType
from agentx.clarification.rendering import say_against
from agentx.clarification.watch.begun import tell_begun
from tests.unit.clarification.test_offshoots import apart, meet, say


def mark(stem: Clarification, offshoot: Clarification) -> list[tuple[str, str]]:
    """Return what is marked of an offshoot, each word with why."""
    told, first = tell_begun((offshoot, stem), (stem, offshoot))
    assert first == stem, "what was said where it was asked is no copy"
    return [(word.body, why) for word, why in told.begun_with]


def add_word(stem: Clarification, body: str, speaker: str = PERSON) -> Clarification:
    """Return a thread on which somebody answered the first question once more."""
    first, answer = stem.thread[0], stem.thread[1]
    kind, at_ms = EntryType.ANSWER, answer.at_ms
    said = Entry(round=1, speaker=speaker, type=kind, body=body, at_ms=at_ms, via="terminal")
    return replace(stem, thread=(first, answer, said, *stem.thread[2:]))


@pytest.fixture
def met(tmp_path: Path) -> tuple[Clarification, Clarification]:
    """Give a thread, and what grew from it."""
    one, two, _asked = apart(tmp_path)
    meet(one, two)
    stem, offshoot = one.clarifications.ledger(42)
    return stem, offshoot


def test_what_still_stands_is_not_marked(met: tuple[Clarification, Clarification]) -> None:
    stem, offshoot = met
    assert [each.type for each in offshoot.thread] == ["question", "answer", "question"]
    assert mark(stem, offshoot) == []
    assert mark(add_word(stem, f"  {stem.answer}  "), offshoot) == []
    assert mark(add_word(stem, "no", speaker="architect"), offshoot) == []
    assert mark(replace(stem, uid="another"), offshoot) == []


def test_what_was_said_otherwise_where_it_was_asked_overrules(
    met: tuple[Clarification, Clarification],
) -> None:
    stem, offshoot = met
    [(word, why)] = mark(add_word(stem, "NO,\nnever"), offshoot)
    assert (word, why) == (stem.answer, "overruled: NO, never, CLR-42-001")


def test_what_is_contested_or_decided_anew_there_is_so_here(
    met: tuple[Clarification, Clarification],
) -> None:
    stem, offshoot = met
    against = replace(stem, contested_by="bob says otherwise", decided_later="NO (CLR-42-009)")
    both = "later decided otherwise: NO (CLR-42-009); contested: bob says otherwise, CLR-42-001"
    assert mark(against, offshoot) == [(stem.answer, both)]
    [told] = tell_begun((offshoot,), (against,))
    assert say_against(told) == f'before: "{stem.answer}" ({both})'


def test_what_is_said_to_the_further_question_says_nothing_of_the_first(tmp_path: Path) -> None:
    one, two, _asked = apart(tmp_path)
    meet(one, two)
    say(one, "CLR-42-001", "NO")
    stem, offshoot = one.clarifications.ledger(42)
    assert mark(replace(stem, contested_by="bob says otherwise"), offshoot) == []
