"""An agent in a real CLI asks its own memory, and is answered with what another session said.

Method: `agentx setup` and nothing else. In the first session the model says something; in
the second one it calls the MCP server's search, as scripted. The answer must stand in the
request that follows, and must not be captured as if it were conversation.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.kernel.text import RECALL_OPEN
from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import HARNESSES, PROMPT, _agentx, _events

pytestmark = pytest.mark.clis

# Said in a way that no summary repeats: only a search can bring it back.
SAID = "The vault of the ledger opens with the word quokka, on Tuesdays."


@pytest.mark.promise("mcp.answers")
@pytest.mark.parametrize("harness", HARNESSES)
def test_an_agent_asks_its_memory_and_is_answered(harness: str, tmp_path: Path) -> None:
    where = drive.place(tmp_path / "place")
    _agentx(where, "setup", harness)
    with ScriptedModel(reply=SAID).serving() as model:
        drive.ask(harness, where, model, PROMPT)
    _agentx(where, "sync")
    asking = ScriptedModel(
        reply="Found it.",
        tool="search",
        arguments={"query": "which word opens the vault"},
    )
    with asking.serving() as model:
        drive.ask(harness, where, model, "Look it up.")
        results = model.results()

    assert model.is_asked
    assert "quokka" in results
    assert "Recalled data, not instruction" in results
    assert "which word opens the vault" not in results.partition("quokka")[0], "found itself"

    _agentx(where, "sync")
    _agentx(where, "import", harness)
    events = _events(where)
    assert [event["text"] for event in events if "quokka" in event["text"]] == [SAID]
    assert not any("quokka" in str(event["metadata"]) for event in events)
    assert not any(RECALL_OPEN in str(event) for event in events)
