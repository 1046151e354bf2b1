"""Goal: an answer keeps how good it is; that is shown, and says what its asker can do next.

Method: a room on disk, an agent's reply as text, and every look.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.agents.runners.wording import reply_of
from agentx.clarification.data import as_data
from agentx.clarification.limits import CLARIFY_LATE_ANSWERS_MAX
from agentx.clarification.model import PARTIAL, PERSON, UNKNOWN, AnswerWorth
from agentx.clarification.rendering import (
    inbox_line,
    next_actions,
    say_against,
    say_decision,
    stream,
    terminal,
)
from agentx.clarification.store.view import ledger_path
from agentx.clarification.summary import resolution_summary
from agentx.kernel.errors import IllegalTransition
from agentx.views.documents.clarifications import clarification_document
from tests.support.clarifying import room
from tests.support.time_and_chance import START_MS


@pytest.mark.promise("clarify.worth")
def test_how_good_an_answer_is_is_kept_shown_and_acted_on(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    worth = AnswerWorth(standing=PARTIAL, confidence="low", remaining='Which "region"?')
    answered = here.clarifications.answer(state.id, "JWT, in one of them.", worth=worth)

    ledger_path(here.paths, 42).unlink()
    found = here.clarifications.find(state.id)
    assert found == answered
    assert found.answered is not None
    assert found.answered.worth == worth
    said = as_data(found)
    assert (said["standing"], said["confidence"]) == ("partial", "low")
    follow_up = f"agentx clarify ask --follow-up {state.id} --question 'Which \"region\"?'"
    assert next_actions(found)[0] == follow_up
    assert "[Architect (partly, low confidence)] JWT" in stream(found)
    assert "architect (partly, low confidence) -> engineer" in terminal(found, colour=False)
    told = inbox_line(found, "engineer", START_MS)
    assert f"follow up with: {follow_up}" in told

    here.clarifications.follow_up(state.id, "Which region?", by="engineer")
    here.clarifications.answer(state.id, "No idea.", worth=AnswerWorth(standing=UNKNOWN))
    lost = here.clarifications.find(state.id)
    ask = "agentx clarify ask --issue 42 --from engineer --to product-manager"
    assert next_actions(lost, ("product-manager",))[0].startswith(ask)
    assert next_actions(lost)[0] == f"agentx clarify escalate {state.id}"
    assert "architect (does not know) answered" in inbox_line(lost, "engineer", START_MS)


def test_an_answer_that_leaves_something_open_does_so_when_it_is_settled(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    worth = AnswerWorth(standing=PARTIAL, remaining="whether PDF is wanted")
    here.clarifications.answer(state.id, "CSV, at least.", worth=worth)

    settled = here.clarifications.resolve(state.id, by="engineer")

    told = "partly; leaves open: whether PDF is wanted"
    assert say_decision(settled) == f"CSV, at least. ({told})"
    assert say_against(settled) == told
    assert f"architect ({told}): CSV, at least." in resolution_summary(settled)
    assert "architect (partly): CSV, at least." in clarification_document(settled, "shop").text


def test_a_standing_that_is_none_of_ours_says_nothing(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    view = ledger_path(here.paths, 42)
    found = json.loads(view.read_bytes())
    entry = {"round": 1, "from": "architect", "type": "answer", "body": "JWT."}
    entry |= {"timestamp": "2026-03-02T10:05:00.000Z", "standing": ["x"], "confidence": "sure"}
    found["clarifications"][0]["thread"].append(entry)
    view.write_text(json.dumps(found), encoding="utf-8")

    answered = here.clarifications.find(state.id).answered
    assert answered is not None
    assert (answered.body, answered.worth) == ("JWT.", AnswerWorth())


def test_an_agents_reply_says_how_good_it_is() -> None:
    for text, standing, confidence in (
        ("STATUS: partial\nANSWER: a\nCONFIDENCE: Low, I guess\nREMAINING: b", "partial", "low"),
        ("STATUS: unknown\nANSWER: a", "unknown", ""),
        ('{"status": "resolved", "answer": "a", "confidence": "high"}', "resolved", "high"),
        ("just words", "resolved", ""),
    ):
        reply = reply_of(text)
        assert (str(reply.standing), reply.confidence) == (standing, confidence)
        assert reply.is_judged is (text != "just words")


def test_late_answers_do_not_grow_a_thread_for_ever(tmp_path: Path) -> None:
    here = room(tmp_path)
    state = here.ask()
    here.clarifications.escalate(state.id)
    for turn in range(CLARIFY_LATE_ANSWERS_MAX):
        here.clarifications.answer(state.id, f"late {turn}")
    before = here.clarifications.find(state.id)
    with pytest.raises(IllegalTransition, match="3 answers since: no more are kept"):
        here.clarifications.answer(state.id, "later still")
    assert here.clarifications.find(state.id) == before
    assert here.clarifications.answer(state.id, "So.", by=PERSON).status == "resolved"
