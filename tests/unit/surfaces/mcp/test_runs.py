"""Goal: an agent of any CLI takes a run up and writes to it through MCP.

Method: the group registered on a server in process, its tools called by name.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult

from agentx.kernel.text import RECALL_OPEN
from agentx.operations.lessons.candidates import list_candidates
from agentx.operations.runs.write import Saying, add_task, start_run
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.runs.model import Contract
from agentx.surfaces.mcp import runs
from agentx.surfaces.mcp.desk import Desk
from agentx.wiring.runs import active_run, digest_lines


def test_an_agent_reads_a_run_and_says_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    environment = read_environment({"HOME": str(tmp_path / "home"), "PATH": "/nowhere"})
    project = open_project(tmp_path / "shop", environment)
    assert (active_run(project), digest_lines(project)) == ("", ())
    run = start_run(project, "Add e-mail checks", actor="orchestrator")
    add_task(project, Saying(), Contract(title="checker", goal="no bad addresses"))
    server: MCPServer = MCPServer("agentx")
    runs.register(server, Desk(tmp_path / "shop", environment).project)

    def call(tool: str, **arguments: Any) -> str:
        reply = asyncio.run(server.call_tool(tool, arguments))
        assert isinstance(reply, CallToolResult)
        return "\n".join(getattr(content, "text", "") for content in reply.content)

    status = call("run_status")
    context = call("run_task_context", task="TASK-001")
    call("run_event", type="task_started", actor="executor", task="TASK-001")
    call("run_event", type="task-progressed", actor="executor", task="TASK-001", text="half done")
    failed = call("run_event", type="TASK_FAILED", actor="executor", task="TASK-001", text="no way")

    assert run.id in status
    assert "TASK-001 is ready: checker" in status
    assert RECALL_OPEN in context, "what people wrote is data"
    assert "goal: no bad addresses" in context
    assert "task-failed TASK-001" in failed
    assert "TASK-001 failed: no way" in call("run_status")
    assert active_run(project) == run.id
    assert digest_lines(project)[0].startswith(f"run {run.id}: Add e-mail checks (PLANNING")
    offered = call(
        "propose_lesson",
        text="Addresses are checked in one place",
        kind="pattern",
        actor="executor",
        evidence=["mail.py"],
    )
    candidate, _undone = list_candidates(project)
    assert candidate.key in offered
    assert (candidate.kind, candidate.evidence) == ("code-pattern", ("mail.py",))
    with pytest.raises(ToolError, match="pattern"):
        call("propose_lesson", text="x", kind="patern", actor="executor")
    with pytest.raises(ToolError, match="did you mean"):
        call("run_event", type="task-strated", actor="executor", task="TASK-001")
