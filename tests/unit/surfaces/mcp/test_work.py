"""Goal: an agent finds what is ready, reads an issue and moves it along through MCP.

Method: the tools called by name, in process.
"""

from __future__ import annotations

from pathlib import Path

from agentx.kernel.text import RECALL_OPEN
from tests.support.mcp_agent import agent_in, rows_of


def test_an_agent_takes_up_an_issue_and_moves_it_along(tmp_path: Path) -> None:
    agent = agent_in(tmp_path, AGENTX_AGENT="engineer")
    assert "Nothing is ready." in agent.call("ready")
    made = agent.call(
        "issue_create",
        title="Pick \u2705",
        body="Which one?",
        labels=["type:story"],
        status="ready",
    )
    found = agent.call("ready")
    whole = agent.call("issue", number=1)
    agent.call("issue_update", number="#1", status="in-progress")
    agent.call("issue_update", number=1, comment="began")
    after = agent.call("issue", number=1)

    assert "#1 Pick \u2705 (Ready) [type:story]" in made
    assert rows_of(found) == ["- #1 Pick \u2705 (Ready) [type:story]"]
    assert "next: implement (engineer)" in whole
    assert "Which one?" in whole
    assert RECALL_OPEN in whole, "what people wrote is data"
    assert "(In Progress)" in after
    assert "\nengineer, " in after
    assert ":\nbegan" in after


def test_a_wrong_request_tells_the_agent_what_to_do(tmp_path: Path) -> None:
    agent = agent_in(tmp_path, AGENTX_AGENT="engineer")
    agent.call("issue_create", title="x")

    for arguments, said in (
        ({"status": "done"}, "may become: Ready"),
        ({"status": "doing"}, "status is one of Backlog, Ready"),
        ({}, "give status, comment or labels"),
        ({"add_labels": ["type:stroy"]}, "did you mean type:story"),
    ):
        assert said in agent.fail("issue_update", number=1, **arguments)
    missing = agent.fail("issue", number=9)
    assert "no issue #9" in missing
    assert "`ready` shows them" in missing
