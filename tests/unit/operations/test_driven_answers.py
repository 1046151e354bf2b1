"""Goal: whoever goes on with a run is told a person's answer with what speaks against it.

Method: an agent that is driven asks a person; what a program says that they said is handed to it.
Answers of others are made by hand, as signed events give them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.agents.runners.port import Ask
from agentx.agents.runners.wording import prompt_of
from agentx.kernel.clock import Millis
from agentx.kernel.text import CONTESTED
from agentx.kernel.vouching.standing import Vouching
from agentx.operations.driving.asked import DriveEnd
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.asked import Escalation, PersonsAnswer
from agentx.runs.model import Run
from agentx.runs.pages.pull_request import description
from agentx.runs.rendering import say_against
from agentx.wiring.taught.teaching import lessons_of
from tests.support.driven import DONE, Stage

QUESTION = "Which table?"
TERMINAL = Via.TERMINAL
UNCONFIRMED = "a program said it for a person: unconfirmed"


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("via", "told"), [(Via.UNCONFIRMED, UNCONFIRMED), (Via.TERMINAL, "")], ids=["said", "typed"]
)
def test_an_agent_is_told_what_is_doubtful_about_its_answer(
    stage: Stage, via: Via, told: str
) -> None:
    def play(ask: Ask, folder: Path) -> str:
        if not any("the old one" in each.body for each in ask.thread):
            return f"STATUS: question\nQUESTION: {QUESTION}"
        (folder / "made.txt").write_text("made\n")
        return DONE

    stage.plays = play
    assert stage.drive("One").ended is DriveEnd.WAITS
    (asked,) = stage.run.escalations
    detail = {"escalation": asked, "resolution": "the old one"}
    by = Saying(actor="user")
    record_event(stage.project, by, "escalation-resolved", detail, caller=WhoCalls(via=via))
    assert stage.drive().ended is DriveEnd.DONE

    against = f"Of the answer to {asked}: {told}" if told else ""
    given = stage.asks[-1]
    assert given.against == against
    assert against in prompt_of(given)


def test_an_answer_is_told_to_each_turn_after_it_too(stage: Stage) -> None:
    """Each turn is a session of its own: who mends what failed knows nothing of the one before."""
    long = f"the old one, {'and only that, ' * 40}because of the auditors"

    def play(ask: Ask, folder: Path) -> str:
        if not ask.thread:
            return f"STATUS: question\nQUESTION: {QUESTION}"
        (folder / "made.txt").write_text("made\n" if "not all passed" in ask.question else "bad\n")
        return DONE

    stage.plays = play
    stage.drive("One", checks=("! grep -q bad made.txt",))
    (asked,) = stage.run.escalations
    detail = {"escalation": asked, "resolution": long}
    by = Saying(actor="user")
    record_event(stage.project, by, "escalation-resolved", detail, caller=WhoCalls(via=TERMINAL))

    assert stage.drive().ended is DriveEnd.DONE
    assert len(stage.asks) == 3
    assert [each.body for each in stage.asks[-1].thread] == [QUESTION, long]


ANSWER = PersonsAnswer(event_id="1", at_ms=Millis(1), by="human", text="the old one", key="ana")
OTHER = replace(ANSWER, event_id="0", at_ms=Millis(0), text="NO", key="bob", owner="bob")
ASKED = Escalation(
    id="ESC-1",
    at_ms=Millis(0),
    actor="engineer",
    question=QUESTION,
    resolution=ANSWER.text,
    resolved_by="human",
    resolved_ms=ANSWER.at_ms,
)


def test_an_answer_is_told_with_what_others_answered() -> None:
    both = replace(ASKED, answers=(OTHER, ANSWER))
    doubted = replace(ASKED, answers=(ANSWER,), claims=(replace(OTHER, why=Vouching.UNTRUSTED),))
    otherwise = "so says a person; bob had answered otherwise: NO"
    assert say_against(both) == f"Of the answer to ESC-1: {otherwise}"
    assert say_against(doubted) == f"Of the answer to ESC-1: {CONTESTED}"
    assert say_against(replace(ASKED, answers=(ANSWER,))) == ""
    for asked, beside in ((both, f"; {otherwise}"), (doubted, f"; {CONTESTED}"), (ASKED, "")):
        told = f"human{beside}"
        page = description(Run(id="r", title="A run", escalations={asked.id: asked}))
        assert f"- {QUESTION} -> the old one ({told})" in page
    [lesson] = lessons_of(Run(id="r", title="A run", escalations={"ESC-1": doubted}))
    assert "a writer who is not trusted answered otherwise" in lesson.content.context


def test_what_was_said_for_a_person_after_they_answered_takes_nothing_back() -> None:
    later = replace(OTHER, event_id="2", at_ms=Millis(2), key=ANSWER.key, via=Via.UNCONFIRMED)
    sure = replace(ASKED, answers=(ANSWER, later))
    assert "had answered otherwise: NO" in say_against(sure), "theirs, by a program, elsewhere"
    before = replace(later, at_ms=Millis(0))
    assert say_against(replace(ASKED, answers=(before, ANSWER))) == "", "they said it since"
