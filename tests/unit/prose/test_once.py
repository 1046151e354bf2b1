"""Goal: what is asked of a line again is not found out again, and is what it was."""

from __future__ import annotations

import pytest

from agentx.conversation.extract.kinds import find_kind
from agentx.conversation.extract.salience import is_open
from agentx.observations.extract.left.last_words import says_left
from agentx.observations.extract.left.open_words import says_stopped
from agentx.observations.extract.session.moment import cut_moment, tells_moment
from agentx.prose.passages import says_nothing
from agentx.prose.sentences import _LINE_CHARS_MAX, once_a_line
from agentx.prose.settling.asking import commands, only_asks, only_requests
from agentx.prose.settling.greetings import cut_greeting
from agentx.prose.settling.liftings import find_lifted
from agentx.prose.settling.rulings import rules_for_good, rules_out
from agentx.prose.settling.stances import read_stances
from agentx.prose.settling.verdict import decides, is_order, proposes, settles, wants_work
from agentx.prose.settling.wishes import bids_for_good, is_wish
from agentx.prose.whose.material import announces
from tests.unit.observations.test_overruling import OVERRULED, SIDE_BY_SIDE

LINES = [text for pair in (*OVERRULED, *SIDE_BY_SIDE) for text in pair]
ASKED = [
    *(says_left, says_stopped, cut_moment, tells_moment, says_nothing, commands, only_asks),
    *(only_requests, cut_greeting, find_lifted, rules_for_good, rules_out, read_stances, is_open),
    *(decides, is_order, proposes, settles, wants_work, bids_for_good, is_wish, announces),
]


def test_a_line_is_asked_once_whatever_else_is_given() -> None:
    asked: list[tuple[str, bool]] = []

    @once_a_line
    def find(text: str, *, loud: bool = False) -> str:
        asked.append((text, loud))
        return text.upper() if loud else text

    for _ in range(3):
        assert find("a line") == "a line"
        assert find("a line", loud=True) == "A LINE"
    assert asked == [("a line", False), ("a line", True)]


def test_a_long_text_is_not_remembered() -> None:
    asked: list[int] = []

    @once_a_line
    def find(text: str) -> int:
        asked.append(len(text))
        return len(text)

    for size in (_LINE_CHARS_MAX, _LINE_CHARS_MAX + 1):
        assert {find("x" * size), find("x" * size)} == {size}
    assert asked == [_LINE_CHARS_MAX, *[_LINE_CHARS_MAX + 1] * 2]


@pytest.mark.parametrize("ask", ASKED, ids=lambda ask: ask.__name__)
def test_what_is_remembered_is_what_is_found(ask: object) -> None:
    plain = ask.__wrapped__  # type: ignore[attr-defined]
    assert [ask(line) for line in LINES * 2] == [plain(line) for line in LINES * 2]  # type: ignore[operator]


def test_what_a_line_tells_depends_on_who_says_it() -> None:
    plain = find_kind.__wrapped__  # type: ignore[attr-defined]
    for line in LINES * 2:
        for by_user in (True, False):
            for worked in (True, False):
                found = find_kind(line, by_user=by_user, worked=worked)
                assert found is plain(line, by_user=by_user, worked=worked)
