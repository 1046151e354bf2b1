"""Goal: what `agentx setup` registers is a server that answers, and leaves when it is left.

Method: the command line as the settings of an agent CLI hold it, started in a throw-away
home with nothing in its environment, spoken to over stdin and stdout.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from agentx.kernel.text import RECALL_OPEN
from tests.support.house import BIN, House, processes_of, prompt
from tests.support.mcp_talk import Talk

if TYPE_CHECKING:
    from mcp import StdioServerParameters

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


def served(house: House, **more: str) -> StdioServerParameters:
    """Return the registered server, with as little in its environment as Codex leaves it."""
    from mcp import StdioServerParameters  # it takes a second, and few tests need it

    program, *arguments = registered(house)
    env = {
        "HOME": str(house.home),
        "AGENTX_DAEMON_AUTO": "false",
        "AGENTX_STORAGE_WAIT_MS": "30000",
        **more,
    }
    return StdioServerParameters(command=program, args=arguments, cwd=house.project, env=env)


@pytest.mark.promise("mcp.answers")
@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_is_served_in_both_eras_and_the_server_ends_with_it(
    house: House, mode: Any
) -> None:
    from mcp import Client
    from mcp.client.stdio import stdio_client

    async def asked() -> tuple[Any, ...]:
        async with Client(stdio_client(served(house)), mode=mode) as client:
            tools = await client.list_tools()
            prompts = await client.list_prompts()
            resources = await client.list_resources()
            templates = await client.list_resource_templates()
            found = await client.call_tool("search", {"query": "how long are keys kept"})
            recalled = await client.call_tool("recall", {})
            standup = await client.get_prompt("standup", {})
            contents = await client.read_resource("agentx://toc")
            wrong = await client.call_tool("search", {})
            hidden = await client.call_tool("ready", {})
            lists = tools, prompts, resources, templates
            return *lists, found, recalled, standup, contents, wrong, hidden

    tools, prompts, resources, templates, *answers = anyio.run(asked)
    found, recalled, standup, contents, wrong, hidden = answers

    names = [tool.name for tool in tools.tools]
    assert names == ["search", "timeline", "get", "recall", "remember"]
    assert [tool.annotations.read_only_hint for tool in tools.tools] == [True] * 4 + [False]
    assert {prompt.name for prompt in prompts.prompts} >= {"recall", "standup", "why", "clarify"}
    assert len(resources.resources) > 1
    assert templates.resource_templates[0].uri_template == "agentx://toc/{node}"
    assert DECIDED in found.content[0].text
    assert found.structured_content is None
    assert "idempotency keys for seven days" in recalled.content[0].text
    assert "Write my stand-up" in standup.messages[0].content.text
    assert "toc:year:" in contents.contents[0].text
    assert (wrong.is_error, wrong.content[0].text) == (True, "search: query is missing")
    assert not hidden.is_error, "what is not listed can be called"
    assert processes_of(house.home) == []


@pytest.mark.promise("setup.vscode")
@pytest.mark.parametrize("scope", ["user", "project"])
def test_the_prompts_that_vscode_offers_are_of_the_folder_it_has_open(
    house: House, scope: str
) -> None:
    from mcp import Client
    from mcp.client.stdio import stdio_client
    from mcp_types import ListRootsResult

    house.agentx("setup", "vscode", "--scope", scope)
    folder = house.home / ".config/Code/User" if scope == "user" else house.project / ".vscode"
    entry = json.loads((folder / "mcp.json").read_text())["servers"]["agentx"]
    # VS Code starts what its user has in the home, what a folder has in that folder.
    stands = house.home if scope == "user" else house.project
    server = served(house, PATH=f"{BIN}:/usr/bin:/bin").model_copy(
        update={"command": entry["command"], "args": entry["args"], "cwd": stands}
    )

    async def told(_context: Any) -> Any:
        return ListRootsResult.model_validate({"roots": [{"uri": house.project.as_uri()}]})

    tell_roots: Any = told

    async def asked() -> dict[str, str]:
        said: dict[str, str] = {}
        content: Any
        async with Client(
            stdio_client(server), mode="legacy", list_roots_callback=tell_roots
        ) as client:
            for name in ("recall", "standup", "clarify"):
                content = (await client.get_prompt(name, {})).messages[0].content
                said[name] = content.text
            [content] = (await client.call_tool("search", {"query": "idempotency"})).content
            [known, *_] = re.findall(r"^- (\w+)", content.text, re.MULTILINE)
            content = (await client.get_prompt("why", {"id": known})).messages[0].content
            said["why"] = content.text
        return said

    said = anyio.run(asked)

    assert "idempotency keys for seven days" in said["recall"]
    assert "Write my stand-up" in said["standup"]
    assert "idempotency keys" in said["why"]
    assert said["clarify"].startswith(RECALL_OPEN)
    assert processes_of(house.home) == []


@pytest.mark.promise("mcp.runs")
def test_the_official_client_carries_a_run_from_the_checkout_and_from_a_lane(house: House) -> None:
    from mcp import Client
    from mcp.client.stdio import stdio_client

    house.git("commit", "-q", "--allow-empty", "-m", "begin")

    async def do(folder: Path, *calls: dict[str, Any]) -> list[str]:
        server = served(house, AGENTX_MCP_TOOLS="runs").model_copy(update={"cwd": folder})
        async with Client(stdio_client(server), mode="auto") as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            answers: list[Any] = [await client.call_tool("run_do", each) for each in calls]
        assert "run_do" in listed
        assert not any(each.is_error for each in answers), answers
        return [each.content[0].text for each in answers]

    lead, works = {"actor": "orchestrator"}, {"actor": "executor", "task": "TASK-001"}
    *_, opened = anyio.run(
        do,
        house.project,
        {"action": "start", "title": "Greet", **lead},
        {"action": "add-task", "title": "Say hello", **lead},
        {"action": "take", **works},
        {"action": "open-lane", **works},
    )
    folder = Path(opened.partition("work in ")[2].splitlines()[0])
    house.git("commit", "-q", "--allow-empty", "-m", "hello", cwd=folder)
    [merged] = anyio.run(do, folder, {"action": "finish-lane", "merge": True, **works})
    [resumed] = anyio.run(do, house.project, {"action": "resume", **lead})

    assert "lane-merged" in merged
    assert "next: " in resumed
    assert processes_of(house.home) == []


@pytest.mark.promise("mcp.light")
def test_a_question_that_is_asked_meanwhile_turns_its_tools_on(house: House) -> None:
    def listed(result: dict[str, Any]) -> set[str]:
        return {tool["name"] for tool in result["tools"]}

    house.agentx("issue", "create", "--title", "Retry webhooks", "--label", "type:story")
    with Talk([str(BIN / "agentx"), "mcp"], house.project, house.environment) as talk:
        talk.begin()
        before = listed(talk.ask("tools/list")["result"])
        about = ["--issue", "1", "--from", "engineer", "--to", "architect", "--topic", "Limit"]
        house.agentx("clarify", "ask", *about, "--question", "How often at most?")
        told = talk.hear("notifications/tools/list_changed")
        after = listed(talk.ask("tools/list")["result"])
    chosen = [str(BIN / "agentx"), "mcp", "--tools", "memory"]
    with Talk(chosen, house.project, house.environment) as talk:
        fixed = {tool["name"] for tool in talk.begin()}

    assert {"issue", "ready"} <= before
    assert "inbox" not in before
    assert told["method"] == "notifications/tools/list_changed"
    assert {"inbox", "ask", "answer"} <= after
    assert fixed == {"search", "timeline", "get", "recall", "remember"}
    wrong = house.agentx("mcp", "--tools", "questoins", expect=2).stderr
    assert "questoins is no toolset" in wrong


def test_two_clients_ask_and_write_side_by_side_while_a_daemon_comes_and_goes(
    house: House,
) -> None:
    server = [str(BIN / "agentx"), "mcp"]
    with (
        Talk(server, house.project, house.environment) as one,
        Talk(server, house.project, house.environment) as other,
    ):
        said = [_say(one, "search", query="keys")]
        kept = [
            _say(talk, "remember", text=f"Fact {n} of two") for n, talk in enumerate((one, other))
        ]
        house.agentx("daemon", "start")
        said += [_say(other, "search", query="keys"), _say(one, "timeline")]
        house.agentx("daemon", "stop")
        said += [_say(one, "search", query="keys"), _say(other, "recall")]

    assert all("seven days" in each for each in (said[0], said[1], said[3], said[4]))
    assert all("Kept as obs-agent-0-" in each for each in kept)
    assert processes_of(house.home) == []


def _say(talk: Talk, tool: str, **arguments: Any) -> str:
    result = talk.ask("tools/call", name=tool, arguments=arguments)["result"]
    assert not result.get("isError"), result
    return str(result["content"][0]["text"])


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

    # `agentx mcp` as people type it: stdin closes at once, and every answer still comes.
    ran = subprocess.run(
        [sys.executable, "-m", "agentx.surfaces.cli.main", "mcp"],
        input=talk.encode(),
        cwd=house.project,
        env={**house.environment, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
        timeout=60,
    )

    answers = {each.get("id"): each for each in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 0, ran.stderr
    assert set(answers) == {1, 2, None}
    assert answers[1]["result"]["serverInfo"]["name"] == "agentx"
    assert answers[2]["result"]["content"]
    assert ran.stderr == b""


@pytest.mark.parametrize(("closed", "code"), [("<&-", 2), (">&-", 2), ("2>&- </dev/null", 0)])
def test_a_server_without_its_streams_says_so_and_ends(
    house: House, closed: str, code: int
) -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -P -m agentx.surfaces.mcp {closed}"],
        cwd=house.project,
        env=house.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


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

    assert with_server.startswith("hooks and MCP server installed; each use of a tool is asked")
    assert "cannot ask" in without
    assert broken[0]["health"] == "wrong"
    assert mended["well"]
    assert json.loads((house.home / ".claude.json").read_text())["mcpServers"]["agentx"]


@pytest.mark.promise("setup.exact-undo")
def test_reading_is_allowed_when_asked_for_shown_before_and_undone_exactly(house: House) -> None:
    def says() -> str:
        checks = house.json("doctor", expect=None)["checks"]
        return str(next(check["says"] for check in checks if check["name"] == "claude-code"))

    settings = house.home / ".claude" / "settings.json"
    house.agentx("setup", "claude-code", "--uninstall")
    own = '{\n  "permissions": {"allow": ["Bash(ls)", "mcp__agentx__get"], "deny": []}\n}\n'
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(own)
    house.agentx("setup", "claude-code")
    without = settings.read_text()
    shown = house.agentx("setup", "claude-code", "--allow-tools", "--dry-run", "--diff").stdout
    untouched = settings.read_text()
    house.agentx("setup", "claude-code", "--allow-tools")
    allowed = json.loads(settings.read_text())["permissions"]["allow"]
    said = says()
    again = house.agentx("setup", "claude-code", "--allow-tools").stdout
    house.agentx("setup", "claude-code", "--uninstall")

    assert untouched == without
    assert "+" in shown
    assert "mcp__agentx__timeline" in shown
    assert allowed[:2] == ["Bash(ls)", "mcp__agentx__get"]
    assert {"mcp__agentx__search", "mcp__agentx__recall"} <= set(allowed)
    assert "mcp__agentx__remember" not in allowed
    assert said == "hooks and MCP server installed; reading is allowed"
    assert "nothing to do" in again
    assert settings.read_text() == own
