"""Goal: what `agentx setup` registers is a server that answers, and leaves when it is left.

Method: the command line as the settings of an agent CLI hold it, started in a throw-away
home with nothing in its environment, spoken to over stdin and stdout.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from agentx.kernel.text import RECALL_OPEN
from tests.support.house import House, processes_of, prompt

DECIDED = "Decision: we keep idempotency keys for seven days because offices retry for 72 hours."


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a home in which one decision was made, and Claude Code is set up."""
    made = House(tmp_path)
    made.agentx("setup", "claude-code")
    made.hook(prompt("How long do we keep the keys?", session="s-1"))
    stop = {"session_id": "s-1", "hook_event_name": "Stop", "last_assistant_message": DECIDED}
    made.hook(stop)
    return made


def registered(house: House) -> list[str]:
    """Return the command line that Claude Code would start."""
    entry = json.loads((house.home / ".claude.json").read_text())["mcpServers"]["agentx"]
    return [entry["command"], *entry["args"]]


@pytest.mark.promise("mcp.answers")
def test_the_registered_server_answers_over_stdio_and_ends_with_its_client(house: House) -> None:
    program, *arguments = registered(house)
    parameters = StdioServerParameters(
        command=program, args=arguments, cwd=house.project, env={"HOME": str(house.home)}
    )

    async def asked() -> tuple[Any, Any]:
        async with Client(stdio_client(parameters)) as client:
            found = await client.call_tool("search", {"query": "how long are keys kept"})
            recalled = await client.call_tool("recall", {})
            return found, recalled

    found, recalled = anyio.run(asked)

    assert DECIDED in {row["snippet"] for row in found.structured_content["rows"]}
    assert "idempotency keys for seven days" in recalled.content[0].text
    assert processes_of(house.home) == []


def test_stdout_is_the_protocol_and_a_client_that_hangs_up_is_no_crash(house: House) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "\u6e2f \U0001f6a2 " + "x" * 9_000}},
    }
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call]
    talk = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines) + "not json\n"

    # `agentx mcp` as people type it: stdin closes at once, so some answers find nobody.
    ran = subprocess.run(
        [sys.executable, "-m", "agentx.surfaces.cli.main", "mcp"],
        input=talk.encode(),
        cwd=house.project,
        env={**house.environment, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
        timeout=60,
    )

    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.returncode == 0, ran.stderr
    assert answers[0]["result"]["serverInfo"]["name"] == "agentx"
    assert "Traceback" not in ran.stderr.decode()


@pytest.mark.promise("recall.counted")
def test_recall_why_and_every_project_from_the_command_line(house: House) -> None:
    house.agentx("sync")
    start = {"session_id": "s-2", "hook_event_name": "SessionStart", "source": "startup"}
    printed = house.hook(start).stdout.decode()
    house.agentx("sync")
    recalled = house.json("recall", "--context", "keys of offices", "--budget", "900")
    (line, *_) = [line for line in recalled["lines"] if "seven days" in line["text"]]
    proof = house.json("why", line["doc_id"])
    drawn = house.agentx("why", line["doc_id"]).stdout
    other = house.root / "work" / "port"
    other.mkdir()
    house.agentx("sync", cwd=other)
    house.agentx("config", "set", "--user", "search.all_projects", "true")
    found = house.json("search", "idempotency keys", "--all-projects", cwd=other)

    assert line["doc_id"] in printed
    assert recalled["text"].startswith(RECALL_OPEN)
    assert recalled["tokens"] <= 900
    assert proof["recalled"] == 1
    (event,) = proof["rests_on"]
    ((start_at, end_at),) = event["marks"]
    assert event["text"][start_at:end_at] in DECIDED
    assert "recalled once, last " in drawn
    assert event["id"] in drawn
    assert {hit["project"].rpartition("-")[0] for hit in found["hits"]} == {"shop"}
    assert len(found["searched"]) == 2
    assert house.agentx("why", "nonsense", expect=2).stderr.startswith("agentx: 'nonsense' is not")


def test_doctor_knows_whether_an_agent_can_ask(house: House) -> None:
    def says() -> str:
        checks = house.json("doctor", expect=None)["checks"]
        return str(next(check["says"] for check in checks if check["name"] == "claude-code"))

    with_server = says()
    (house.home / ".claude.json").unlink()
    without = says()
    house.data.command.chmod(0o600)
    broken = [
        check
        for check in house.json("doctor", expect=4)["checks"]
        if check["name"] == "mcp command"
    ]
    mended = house.json("doctor", "--fix")

    assert with_server == "hooks and MCP server installed"
    assert "cannot ask" in without
    assert broken[0]["health"] == "wrong"
    assert mended["well"]
    assert json.loads((house.home / ".claude.json").read_text())["mcpServers"]["agentx"]
