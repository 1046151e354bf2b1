"""The client that everybody tries MCP servers with finds what ours offers, and is answered.

Method: MCP Inspector's command line against the installed `agentx mcp`, in a home where one
decision was made.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clis.drive import CLIS
from tests.support.house import BIN, House, prompt

pytestmark = pytest.mark.clis

INSPECTOR = CLIS / "bin" / "mcp-inspector"
DECIDED = "Decision: we keep idempotency keys for seven days because offices retry for 72 hours."


def inspect(house: House, method: str, *words: str, is_wrong: bool = False) -> dict[str, Any]:
    """Return what Inspector was answered."""
    ran = subprocess.run(
        [str(INSPECTOR), "--cli", str(BIN / "agentx"), "mcp", "--method", method, *words],
        cwd=house.project,
        env=house.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert is_wrong or ran.returncode == 0, ran.stderr
    said: dict[str, Any] = json.loads(ran.stdout)
    return said


@pytest.mark.promise("mcp.answers")
def test_inspector_lists_and_calls_what_is_offered(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.hook(prompt("How long do we keep the keys?", session="s-1"))
    house.hook({"session_id": "s-1", "hook_event_name": "Stop", "last_assistant_message": DECIDED})
    tools = inspect(house, "tools/list")["tools"]
    prompts = inspect(house, "prompts/list")["prompts"]
    found = inspect(
        house, "tools/call", "--tool-name", "search", "--tool-arg", "query=keys", "limit=3"
    )
    wrong = inspect(house, "tools/call", "--tool-name", "search", is_wrong=True)
    stats = inspect(house, "prompts/get", "--prompt-name", "stats")
    contents = inspect(house, "resources/read", "--uri", "agentx://toc")

    assert [tool["name"] for tool in tools] == ["search", "timeline", "get", "recall", "remember"]
    assert len(prompts) == 8
    assert DECIDED in found["content"][0]["text"]
    assert wrong["isError"]
    assert "events of 1 sessions" in stats["messages"][0]["content"]["text"]
    assert "toc:year:" in contents["contents"][0]["text"]
