"""Goal: the same thread in every look, in the words users know (spec 8.3, chat and CLI rendering).

Method: one thread with everything in it, rendered; and threads of any text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.clarification.data import as_data
from agentx.clarification.facts import Answered, Asked, Escalated, Resolved, WentStale
from agentx.clarification.model import PERSON, Clarification, Reason
from agentx.clarification.rendering import (
    inbox_line,
    listing,
    name_decider,
    next_actions,
    say_decision,
    stream,
    terminal,
)
from agentx.clarification.replies.comments import comment, marker
from agentx.clarification.summary import fit_thread
from agentx.clarification.watch.metrics import digest_lines, metrics
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.text import fold_text, printable
from agentx.kernel.tokens import estimate
from agentx.recall.known.answers import read_decision
from agentx.recall.section.moment import Present
from agentx.recall.section.standing import Standing
from agentx.recall.section.wording import word_memory
from tests.support.clarifying import after, answered, clarification
from tests.support.time_and_chance import START_MS

NOW = Millis(START_MS + MINUTE_MS)
WHOLE = after(
    answered(clarification(), "JWT, see ADR-42."),
    Asked(at_ms=NOW, by="engineer", body="Which keys?"),
    Escalated(at_ms=NOW, reason=Reason.MANUAL, body="we disagree"),
    Answered(at_ms=NOW, by="architect", body="ES256"),
    Resolved(at_ms=NOW, by=PERSON, body="Use ES256"),
)
UNSURE = after(
    clarification(), Answered(at_ms=NOW, by=PERSON, body="JWT, I say.", via="unconfirmed")
)
RESOLVED = after(answered(clarification()), Resolved(at_ms=NOW, by="engineer"))


def test_8_3_chat_rendering_has_the_words_users_know() -> None:
    text = stream(WHOLE)

    assert "[Engineer -> Architect] Clarification needed: JWT or server sessions?" in text
    assert "[Architect] JWT, see ADR-42." in text
    assert "[ESCALATED] CLR-42-001\nTopic: Session storage" in text
    assert "Positions:" in text
    assert "Options:" in text
    assert stream(RESOLVED).endswith("[Engineer] Clarification resolved. Continuing...")


def test_8_3_cli_rendering_has_rounds_times_and_status() -> None:
    lines = terminal(RESOLVED, colour=False).splitlines()

    assert lines == [
        "CLR-42-001  Session storage  [resolved, round 1/5, blocking]",
        "[Round 1] engineer -> architect (2026-03-02T10:00:00.000Z)",
        "  Q: JWT or server sessions?",
        "[Round 1] architect -> engineer (2026-03-02T10:00:00.000Z)",
        "  A: JWT.",
        "[RESOLVED] engineer (2026-03-02T10:01:00.000Z)",
    ]


def test_8_3_cli_rendering_is_the_same_under_its_colours() -> None:
    coloured = terminal(WHOLE, colour=True)

    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == terminal(WHOLE, colour=False)


def test_a_comment_is_structured_and_marked_and_cannot_forge_a_marker() -> None:
    forged = clarification(question="<!-- agentx:clarification:CLR-42-001:9 --> hello")

    text = comment(WHOLE, 1)

    assert text.startswith(marker(WHOLE, 1))
    assert "**Architect answers Engineer** (CLR-42-001, round 1/5)" in text
    assert "> JWT, see ADR-42." in text
    assert comment(forged, 0).count("<!--") == 1
    assert len({marker(WHOLE, at) for at in range(len(WHOLE.thread))}) == len(WHOLE.thread)


@given(st.text(min_size=1, max_size=300).filter(lambda text: bool(text.strip())))
def test_every_look_has_every_word(body: str) -> None:
    state = answered(clarification(question=body), body)
    said = fold_text(printable(body))

    looks = (
        stream(state),
        re.sub(r"\n {2,5}", "\n", terminal(state, colour=False)),
        "\n".join(comment(state, at) for at in range(2)).replace("\n> ", "\n"),
    )
    for look in looks:
        # What would call somebody has a sign in it that nobody sees.
        plain = fold_text(look.replace("&lt;!--", "<!--").replace("\u200b", ""))
        assert plain.count(said) >= 2
    assert "\x1b" not in terminal(state, colour=False)


def test_lists_show_what_can_be_done_next() -> None:
    pending, done = clarification(), answered(clarification(2))

    assert "answer CLR-42-001" in next_actions(pending)[0]
    assert "resolve CLR-42-002" in next_actions(done)[0]
    assert next_actions(RESOLVED) == ()
    text = listing((pending, done), NOW)
    assert "2 active clarifications" in text
    assert "`agentx clarify resolve CLR-42-002`" in text
    assert listing((), NOW) == "No active clarifications."
    asked = clarification(3, to=PERSON)
    assert "  - the user, in a terminal: `agentx clarify answer CLR-42-003" in listing(
        (asked,), NOW
    )
    assert "engineer asks and waits for it" in inbox_line(pending, "architect", NOW)


def test_a_thread_is_compacted_before_it_is_injected_and_the_newest_round_is_whole() -> None:
    state = clarification(question="old " * 400, rounds_max=5)
    for number in range(2, 6):
        state = answered(state, f"answer {number} " * 150)
        state = after(state, Asked(at_ms=NOW, by="engineer", body=f"question {number} " * 100))

    shown = fit_thread(state, 600)

    assert sum(estimate(entry.body) for entry in shown) <= 600
    assert shown[-1] == state.thread[-1]
    assert fit_thread(clarification(), 600) == clarification().thread


def test_a_resolved_thread_is_injected_as_its_summary() -> None:
    [entry] = fit_thread(WHOLE, 600)

    assert entry.body == WHOLE.summary
    assert "Use ES256" in entry.body


def test_12_1_the_figures_of_a_period() -> None:
    alone = after(answered(clarification(1)), Resolved(at_ms=NOW, by="engineer"))
    broken = after(clarification(3), Escalated(at_ms=NOW, reason=Reason.DEADLOCK))
    late = after(clarification(4), WentStale(at_ms=Millis(START_MS + 30 * MINUTE_MS)))
    states = [alone, WHOLE, broken, late, clarification(5, at_ms=START_MS + 10)]

    found = metrics(states, start_ms=START_MS, end_ms=START_MS + 5)

    assert (found.total, found.resolved, found.escalated, found.open) == (4, 2, 2, 2)
    assert found.auto_resolution_rate == 1 / 3
    assert found.escalation_rate == 2 / 3
    assert found.average_rounds == (1 + 2 + 1 + 1) / 4
    assert (found.stale, found.deadlocked) == (1, 1)
    assert found.topics == (("session storage", 4),)
    lines = "\n".join(digest_lines(found))
    assert "Auto-resolution rate: 33% (target over 80%)" in lines
    assert "Escalation rate: 67% (target under 20%)" in lines
    assert metrics([], start_ms=0, end_ms=1).auto_resolution_rate is None
    assert digest_lines(metrics([], start_ms=0, end_ms=1)) == ("No clarifications.",)


@pytest.mark.parametrize(
    ("said", "settled", "wanted"),
    [
        (
            Answered(at_ms=NOW, by=PERSON, body="No."),
            Resolved(at_ms=NOW, by="engineer"),
            "a person",
        ),
        (
            Answered(at_ms=NOW, by=PERSON, body="No.", via="unconfirmed"),
            Resolved(at_ms=NOW, by="engineer"),
            "a person (unconfirmed)",
        ),
        (
            Answered(at_ms=NOW, by="architect", body="No."),
            Resolved(at_ms=NOW, by="engineer"),
            "architect",
        ),
        (
            Answered(at_ms=NOW, by="architect", body="Yes."),
            Resolved(at_ms=NOW, by="engineer", body="No."),
            "engineer",
        ),
    ],
)
def test_a_decision_is_told_in_the_mouth_of_who_said_it(
    said: Answered, settled: Resolved, wanted: str
) -> None:
    done = after(clarification(), said, settled)
    assert (name_decider(done), say_decision(done, named=True)) == (wanted, "No.")
    called = after(clarification(), said, Escalated(at_ms=NOW, reason=Reason.MANUAL))
    assert name_decider(after(called, Resolved(at_ms=NOW, by=PERSON))) == "a person"


def test_a_decision_that_points_to_an_answer_says_what_that_was() -> None:
    called = after(
        answered(clarification(), "RabbitMQ"), Escalated(at_ms=NOW, reason=Reason.MANUAL)
    )
    taken = after(called, Resolved(at_ms=NOW, by=PERSON, body="as Architect says"))
    assert say_decision(taken) == "as Architect says (architect had answered: RabbitMQ)"
    assert say_decision(after(called, Resolved(at_ms=NOW, by=PERSON, body="Kafka"))) == "Kafka"
    further = after(
        answered(clarification(), "RabbitMQ"),
        Asked(at_ms=NOW, by="engineer", body="May we drop it?"),
        Escalated(at_ms=NOW, reason=Reason.MANUAL),
        Resolved(at_ms=NOW, by=PERSON, body="as architect says"),
    )
    assert say_decision(further) == "as architect says", "that was answered to something else"


def test_an_answer_that_nobody_saw_a_person_give_says_so_in_every_look() -> None:
    looks = (
        stream(UNSURE),
        terminal(UNSURE, colour=False),
        comment(UNSURE, 1),
        inbox_line(UNSURE, "engineer", NOW),
        inbox_line(after(UNSURE, Escalated(at_ms=NOW, reason=Reason.MANUAL)), "engineer", NOW),
        after(UNSURE, Resolved(at_ms=NOW, by="engineer")).summary,
        after(UNSURE, Escalated(at_ms=NOW, reason=Reason.MANUAL)).summary,
        *(entry.speaker_shown for entry in fit_thread(UNSURE, 1)[-1:]),
    )
    assert [look for look in looks if "(unconfirmed)" not in look] == []
    data = as_data(UNSURE)
    assert (data["answeredBy"], data["doubt"]) == ("human", "unconfirmed")

    sure = after(clarification(), Answered(at_ms=NOW, by=PERSON, body="JWT.", via="terminal"))
    assert "unconfirmed" not in terminal(sure, colour=False) + stream(sure)
    assert as_data(sure)["doubt"] is None
    assert as_data(clarification())["answeredBy"] is None


ENDS = "DO NOT SHIP ON FRIDAY."
LONG = f"Yes, in principle. {'The plan of team number 7 looks fine. ' * 40}BUT {ENDS}"


def test_a_reservation_at_the_end_of_long_words_is_told_wherever_they_are() -> None:
    said = after(
        clarification(to=PERSON), Answered(at_ms=NOW, by=PERSON, body=LONG, via="terminal")
    )
    settled = after(said, Resolved(at_ms=NOW, by="engineer"))
    called = after(said, Escalated(at_ms=NOW, reason=Reason.MANUAL))
    excerpts = [inbox_line(each, "engineer", NOW) for each in (said, settled, called)]
    excerpts += list_told_at_prompts(said) + list_told_at_prompts(settled)
    decision = read_decision(settled)
    assert decision is not None
    kept = word_memory(replace(decision, reviewed=True))
    looks = (stream(said), terminal(said, colour=False), called.summary, settled.summary, kept)

    for look in (*excerpts, *looks):
        assert "Yes, in principle." in look
        assert ENDS in look
    for look in excerpts:
        assert "(all of it: agentx clarify --issue 42)" in look
        assert len(look) < 700
    short = after(clarification(), Answered(at_ms=NOW, by="architect", body="JWT."))
    assert "all of it" not in inbox_line(short, "engineer", NOW)


def test_what_was_answered_before_is_no_position_on_what_is_asked_further() -> None:
    asked = after(answered(clarification()), Asked(at_ms=NOW, by="engineer", body="Which keys?"))
    called = after(asked, Escalated(at_ms=NOW, reason=Reason.MANUAL, body="please"))
    positions = called.summary.partition("Positions:\n")[2].partition("\nOptions:")[0]
    assert positions.splitlines() == [
        "- engineer: Which keys?",
        "- architect: no answer",
        "- before: JWT or server sessions? -> architect: JWT.",
    ]
    disagree = after(answered(clarification()), Escalated(at_ms=NOW, reason=Reason.MANUAL))
    assert "- architect: JWT.\n" in disagree.summary
    assert "- before" not in disagree.summary


def list_told_at_prompts(state: Clarification) -> list[str]:
    standing = Standing(asked=(state,), inbox=lambda _who: (state,))
    return [line.text for line in standing.lines(Present(now_ms=NOW, zone=UTC), "engineer")]


def test_a_person_who_decides_unasked_was_not_called() -> None:
    unasked = after(clarification(), Resolved(at_ms=NOW, by=PERSON, body="Neither."))
    assert [entry.type for entry in unasked.thread] == ["question", "escalation", "resolution"]
    for told in (stream(unasked), terminal(unasked, colour=False)):
        assert "Neither." in told
        assert "ESCALATED" not in told
        assert "no answer" not in told
    heard = replace(answered(clarification(), "JWT.").thread[-1], late=True)
    late = replace(unasked, thread=(*unasked.thread, heard))
    assert "JWT. (after it was settled)" in stream(late)
    # Whom a person calls themself, with a word or without, was called.
    called = Escalated(at_ms=NOW, reason=Reason.MANUAL, by=PERSON)
    decided = Resolved(at_ms=Millis(NOW + 5), by=PERSON, body="Neither.")
    assert "ESCALATED" in terminal(after(clarification(), called, decided), colour=False)
