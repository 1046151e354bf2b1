"""The real agent CLIs are given what earlier sessions taught, and do not say it back to us.

Method: two sessions in one project. The second one's model must find the recall section in
its request; the log must not hold it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import HARNESSES, PREAMBLES, PROMPT, _agentx, _events

pytestmark = pytest.mark.clis

TAUGHT = "Decision: we chose PostgreSQL for the ledger because transactions matter."


def _requests(model: ScriptedModel) -> str:
    return json.dumps([asked.body for asked in model.asked], ensure_ascii=False)


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_next_session_is_told_and_does_not_tell_us(harness: str, tmp_path: Path) -> None:
    where = drive.place(tmp_path / "place")
    _agentx(where, "setup", harness)
    with ScriptedModel(preamble=PREAMBLES[0], reply=TAUGHT).serving() as model:
        drive.ask(harness, where, model, PROMPT)
        first = _requests(model)
    _agentx(where, "sync")
    with ScriptedModel(preamble=PREAMBLES[1], reply="Done.").serving() as model:
        drive.ask(harness, where, model, "Which database do we use?")
        second = _requests(model)
    _agentx(where, "sync")
    _agentx(where, "import", harness)

    assert RECALL_OPEN not in first
    assert RECALL_OPEN in second
    assert RECALL_CLOSE in second
    assert "we chose PostgreSQL for the ledger" in second
    assert not any(RECALL_OPEN in event["text"] for event in _events(where))
