"""Goal: an agent is told everything in one text, and its answer is read however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.agents.runners.port import AnswerStanding, Ask, Reference, Utterance, Wants
from agentx.agents.runners.wording import prompt_of, reply_of

ASK = Ask(
    role="architect",
    instructions="# Architect\n\nYou decide.",
    question="Which database?",
    asked_by="engineer",
    topic="storage",
    issue=7,
    clarification_id="CLR-7-001",
    thread=(Utterance(speaker="engineer", kind="question", body="Which store?"),),
    artifacts=(Reference(name="docs/adr/ADR-7.md", text="```\ncode\n```\nWe use SQL."),),
    recalled="[agentx:recall]\nfacts\n[/agentx:recall]",
)


def test_a_question_comes_with_role_thread_documents_and_form() -> None:
    text = prompt_of(ASK)

    parts = (
        "You decide.",
        "You are the Architect on issue #7.",
        "[agentx:recall]",
        "docs/adr/ADR-7.md (a document, for information)",
        "[engineer, question] Which store?",
        "The question from the Engineer (CLR-7-001)",
        "Topic: storage",
        "Which database?",
        "STATUS:",
    )
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    # A document cannot end its own fence.
    assert "````\n```\ncode\n```\nWe use SQL.\n````" in text


def test_work_is_not_asked_for_in_the_form_of_an_answer() -> None:
    text = prompt_of(
        Ask(role="engineer", instructions="", question="Build", issue=3, wants=Wants.WORK)
    )

    assert "STATUS:" not in text
    assert "agentx clarify ask --issue 3 --from engineer" in text


WRITTEN = {
    "plain": """\
STATUS: partial
ANSWER: Use SQL.
It is there.
EVIDENCE:
- ADR-7
2. a.py:3
REMAINING: region?""",
    "bold": """\
I looked.

**Status:** Partial
**Answer:** Use SQL.
It is there.
**Evidence and constraints:**
* ADR-7
* a.py:3
**Remaining uncertainty:** region?""",
    "headings": """\
## Status
partial
## Answer
Use SQL.
It is there.
## Evidence
- ADR-7
- a.py:3
## Remaining
region?""",
    "json": """\
{"status": "partial", "answer": "Use SQL.\\nIt is there.",
 "evidence": ["ADR-7", "a.py:3"], "remaining": "region?"}""",
    "fenced": """\
Here:
```json
{"status": "partial", "answer": "Use SQL.\\nIt is there.",
 "evidence": "ADR-7\\na.py:3", "remaining": "region?"}
```""",
    "twice": """\
STATUS: resolved | partial
ANSWER: (yours)

STATUS: partial
ANSWER: Use SQL.
It is there.
EVIDENCE: ADR-7
a.py:3
REMAINING: region?""",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_the_four_parts_are_found_however_they_are_written(text: str) -> None:
    reply = reply_of(text)

    assert reply.answer == "Use SQL.\nIt is there."
    assert reply.standing is AnswerStanding.PARTIAL
    assert reply.evidence == ("ADR-7", "a.py:3")
    assert reply.remaining == "region?"
    assert reply.text == text.strip()


@pytest.mark.parametrize("text", ["Use SQL.", "Answer: maybe", "{not json", "Status: it is fine"])
def test_an_answer_without_a_form_is_an_answer(text: str) -> None:
    reply = reply_of(text)

    assert (reply.answer, reply.standing, reply.remaining) == (text, AnswerStanding.RESOLVED, "")


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        ("needs-human", AnswerStanding.NEEDS_HUMAN),
        ("Needs human.", AnswerStanding.NEEDS_HUMAN),
        ("`unknown`", AnswerStanding.UNKNOWN),
        ("RESOLVED", AnswerStanding.RESOLVED),
        ("certainly", AnswerStanding.RESOLVED),
    ],
)
def test_how_good_an_answer_is_is_understood(said: str, standing: AnswerStanding) -> None:
    reply = reply_of(f"STATUS: {said}\nANSWER: x\nREMAINING: none")

    assert (reply.standing, reply.remaining) == (standing, "")


@given(st.text(max_size=300))
def test_no_answer_is_an_error_and_none_is_empty(text: str) -> None:
    reply = reply_of(text)

    assert bool(reply.answer) == bool(text.strip())
