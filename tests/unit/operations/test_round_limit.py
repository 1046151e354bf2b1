"""Goal: whoever asks past the last round is shown what the person who is called is shown.

Method: a project in a folder of its own; what the stream was told.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.clarification.errors import MaxRoundsExceeded
from agentx.clarification.model import PERSON
from agentx.clarification.rendering import find_asked
from agentx.operations.questions.ask import follow_up
from agentx.surfaces.cli.commands.work.threads import _list_words
from agentx.surfaces.mcp.tools.questions import _line as describe
from agentx.wiring.clarifications import inbox, open_clarifications
from tests.support.clarifying import SCOPE, project_at, request


def test_at_the_round_limit_the_stream_has_the_escalation(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    room = open_clarifications(project)
    state = room.ask(request(), SCOPE)
    told: list[str] = []
    asked = (
        "Where is it kept?",
        "Who renews tokens?",
        "Does logout reach all?",
        "What of mobiles?",
    )
    for question in asked:
        room.answer(state.id, f"To {question.lower()}")
        follow_up(project, state.id, question, told=told.append)
    room.answer(state.id, "JWT.")
    assert told == []
    with pytest.raises(MaxRoundsExceeded):
        follow_up(project, state.id, "Still why?", told=told.append)

    assert told[0].startswith(f"[ESCALATED] {state.id}\nTopic: Session storage\n")
    assert "- engineer: Still why?" in told[0]
    assert "- architect: JWT." in told[0]
    [waiting] = inbox(project, "human")
    assert find_asked(waiting) == "Still why?"
    rows = {name: said + ours for name, said, ours in _list_words(waiting, "human")}
    assert (rows["what"], rows["before"]) == ("Still why?", "What of mobiles? -> JWT.")
    assert "answer" not in rows, "it was none to what is asked"
    told_by_tool = describe(waiting)
    assert "Q: Still why?" in told_by_tool
    assert "A (to: What of mobiles?): JWT." in told_by_tool

    room.resolve(state.id, "Because.", by=PERSON, via="terminal")
    [settled] = inbox(project, "engineer")
    rows = {name: said + ours for name, said, ours in _list_words(settled, "engineer")}
    assert (rows["what"], rows["before"]) == ("Still why?", "What of mobiles? -> JWT.")
    assert rows["decided"] == "Because. (a person)"
    told_by_tool = describe(settled)
    assert "Q: Still why?" in told_by_tool
    assert "A (to: What of mobiles?): JWT." in told_by_tool
