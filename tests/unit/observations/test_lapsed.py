"""Goal: what was ruled for a time is over when that time is, and not before.

Method: a table of rulings and of what a person says in a later session, in several languages;
beside it what names the same thing and ends nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.clock import Millis
from agentx.observations.closing.doings import Doings
from agentx.observations.closing.done import find_rest
from agentx.observations.closing.lapsed import has_lapsed, holds_for_a_time
from agentx.observations.model import Category
from tests.support.observations import observation
from tests.support.telling import Talk

THEN = Millis(int(datetime(2026, 11, 3, 9, tzinfo=UTC).timestamp() * 1000))  # a Tuesday
DAY = 24 * 60 * 60 * 1000

OVER = (
    ("freeze: no merges until the audit is over", "audit is over. merge the two branches", 2),
    ("comment the import out until upstream fixes it", "upstream fixed it in 4.2. put it back", 2),
    ("deploy window is thursday. until then klarna stays off", "klarna is back on since 11pm", 1),
    ("deploy window: klarna stays off until thursday", "how is the cart doing", 4),
    ("the servers stay on 25.11 until january", "bump the laptops please", 70),
    ("only look, don't change anything yet", "ok now we may change things, the boss agreed", 1),
    ("noch nichts \u00e4ndern, ich will nur verstehen", "jetzt d\u00fcrfen wir \u00e4ndern", 1),
    ("ask Miriam about the colour first", "miriam says dark green. do it", 1),
    ("keine Merges bis das Audit vorbei ist", "Audit ist vorbei, merge bitte", 3),
    ("no publiques hasta que Ana apruebe el texto", "Ana aprueba el texto. publica", 3),
)
STANDS = (
    ("freeze: no merges until the audit is over", "the audit is not over yet, wait", 2),
    ("freeze: no merges until the audit is over", "rename the column in users", 2),
    ("the servers stay on 25.11 until january", "bump the laptops please", 20),
    ("klarna stays off until thursday", "is klarna on?", 1),
    ("never change the public API", "now we may change the colours", 1),
    ("only look, don't change anything yet", "look at the parser too", 1),
    ("ask Miriam about the colour first", "is Miriam in today?", 1),
    ("never log card numbers", "log the order id, please", 5),
)


def _has_lapsed(ruled: str, said: str, days: int) -> bool:
    old = observation(
        content=f"The user said: {ruled}", category=Category.DECISION, timestamp_ms=THEN
    )
    begun = Millis(THEN + days * DAY)
    prompt = Turn(event_id="e1", at_ms=begun, kind=TurnKind.PROMPT, directory="/repo", text=said)
    return has_lapsed(old, Doings((prompt,)).deeds)


@pytest.mark.parametrize("case", OVER, ids=lambda case: case[0][:30])
def test_what_held_for_a_time_is_over_with_it(case: tuple[str, str, int]) -> None:
    assert _has_lapsed(*case)


@pytest.mark.parametrize("case", STANDS, ids=lambda case: case[0][:20] + case[1][:20])
def test_what_does_not_end_it_leaves_it(case: tuple[str, str, int]) -> None:
    assert not _has_lapsed(*case)


def test_only_what_a_person_said_for_a_time_is_looked_at() -> None:
    assert holds_for_a_time("The user said: no merges until the audit is over")
    assert not holds_for_a_time("Left open: no merges until the audit is over")
    assert not holds_for_a_time("The retry waits until the lock is free")
    assert not holds_for_a_time("The user said: never log card numbers")


# What was left open, what a later session did or was told, and what is still left.
CLOSED = (
    ("alert on idle in transaction > 10", "Priya says the alert is live", ""),
    ("Not deployed: that goes through your pipeline.", "pipeline ran, capture works", ""),
    ("Not deployed yet.", "deployed yesterday. now the docs", ""),
    ("Upload versionCode 41 by hand", "uploaded. now the store text", ""),
    ("Adriatic tiles aren't on the server yet", "Jelle uploaded the adriatic tiles", ""),
)
STILL_OPEN = (
    ("Upload versionCode 41 by hand", "upload the docs first"),
    ("alert on idle in transaction > 10", "Priya says the alert is not live yet"),
    ("the docs of the parser are missing", "rename the parser"),
    ("Adriatic tiles aren't on the server yet", "are the adriatic tiles uploaded?"),
    ("Not deployed yet.", "deploy only after the review"),
)


def _find_rest(left: str, talk: Talk) -> str:
    begun = talk.turns[0].at_ms
    old = observation(
        content=f"Left open: {left}",
        category=Category.KEY_FACT,
        timestamp_ms=Millis(begun - DAY),
    )
    return find_rest(old, Doings(talk.turns).deeds)


def test_what_is_done_is_closed_in_whatever_words_it_is_reported() -> None:
    for left, said, rest in CLOSED:
        assert _find_rest(left, Talk().user(said).agent("Alright.")) == rest, (left, said)
    for left, said in STILL_OPEN:
        assert _find_rest(left, Talk().user(said).agent("Alright.")), (left, said)


def test_a_commit_closes_what_it_is_called_by_in_other_words() -> None:
    talk = Talk().user("call klarna outside please").edit("a.py", "b", "c")
    subject = "Call Klarna outside the transaction"
    talk.shell(f"git commit -am '{subject}'", f"[main e0e0e01] {subject}").agent("Done.")

    assert _find_rest("move the Klarna call out of the transaction", talk) == ""
    assert _find_rest("log the transaction of each refund", talk)
