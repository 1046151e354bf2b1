"""Goal: each agent CLI gets its hooks in its own words: events, units, keys, files.

Method: install into an empty home and compare with what the CLI's own reference asks for.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.adapters.claude_code import setup as claude_code
from agentx.adapters.copilot import setup as copilot
from agentx.adapters.gemini import setup as gemini
from agentx.adapters.opencode import setup as opencode
from agentx.adapters.port import FileEdit, SetupScope
from agentx.adapters.settings.file import is_current
from agentx.kernel.errors import InvalidValue
from tests.support.setup_requests import MCP_COMMAND, homes_in, request_in, write

LINE = "/home/ada/.local/share/agent-memory/bin/agentx-hook --harness "


def said(edit: FileEdit) -> Any:
    return json.loads(edit.after or "")


def test_claude_code_waits_seconds_and_is_given_one_command_string(tmp_path: Path) -> None:
    (edit,) = claude_code.edits(request_in(tmp_path))

    handler = {"type": "command", "command": LINE + "claude-code", "timeout": 10}
    assert edit.path == tmp_path / ".claude" / "settings.json"
    assert said(edit) == {"hooks": {event: [{"hooks": [handler]}] for event in claude_code.EVENTS}}
    assert {"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} < set(
        claude_code.EVENTS
    )


def test_claude_codes_servers_are_where_claude_code_looks(tmp_path: Path) -> None:
    user = request_in(tmp_path, mcp=True)
    elsewhere = replace(
        user, homes=replace(homes_in(tmp_path), claude_code=tmp_path / "config" / "claude")
    )
    paths = [
        claude_code.edits(request)[1].path
        for request in (user, elsewhere, request_in(tmp_path, mcp=True, scope=SetupScope.PROJECT))
    ]

    assert paths == [
        tmp_path / ".claude.json",
        tmp_path / "config" / "claude" / ".claude.json",
        tmp_path / "project" / ".mcp.json",
    ]
    assert said(claude_code.edits(user)[1])["mcpServers"]["agentx"] == {
        "type": "stdio",
        "command": MCP_COMMAND[0],
        "args": ["mcp"],
    }


def test_the_user_is_told_what_keeps_claude_codes_hooks_from_running(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')

    assert "disableAllHooks" in claude_code.edits(request_in(tmp_path))[0].notes[0]
    project = claude_code.edits(request_in(tmp_path, scope=SetupScope.PROJECT))[0]
    assert "Copilot" in project.notes[0]


def test_gemini_waits_milliseconds(tmp_path: Path) -> None:
    (edit,) = gemini.edits(request_in(tmp_path, mcp=True))

    settings = said(edit)
    assert edit.path == tmp_path / ".gemini" / "settings.json"
    assert list(settings["hooks"]) == list(gemini.EVENTS)
    (group,) = settings["hooks"]["BeforeAgent"]
    (handler,) = group["hooks"]
    assert handler["timeout"] == 10_000
    assert handler["command"] == LINE + "gemini || true"
    assert handler["type"] == "command"
    assert settings["mcpServers"]["agentx"] == {"command": MCP_COMMAND[0], "args": ["mcp"]}


def test_geminis_hook_cannot_fail_and_holds_nothing_that_looks_like_a_variable(
    tmp_path: Path,
) -> None:
    (edit,) = gemini.edits(request_in(tmp_path, program="/home/$HOME/${x}/agentx-hook"))

    line = said(edit)["hooks"]["BeforeAgent"][0]["hooks"][0]["command"]
    assert shlex.split(line)[0] == "/home/$HOME/${x}/agentx-hook"
    assert not re.search(r"\$[\w{]", line)
    assert subprocess.run(["bash", "-c", line], capture_output=True, check=False).returncode == 0


def test_the_user_is_told_what_keeps_geminis_hooks_from_running(tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"hooksConfig": {"enabled": false}, "hooks": {"disabled": ["x"]}}')

    (edit,) = gemini.edits(request_in(tmp_path))

    assert "hooksConfig.enabled" in edit.notes[0]
    assert said(edit)["hooks"]["disabled"] == ["x"]


def test_copilot_gets_a_file_of_our_own_and_never_a_hook_that_can_refuse(tmp_path: Path) -> None:
    hooks, servers = copilot.edits(request_in(tmp_path, mcp=True))

    assert hooks.path == tmp_path / ".copilot" / "hooks" / "agentx.json"
    text = said(hooks)
    assert text["version"] == 1
    assert text["hooks"]["agentStop"] == [
        {"type": "command", "bash": LINE + "copilot", "timeoutSec": 10}
    ]
    assert "preToolUse" not in text["hooks"]
    assert servers.path == tmp_path / ".copilot" / "mcp-config.json"
    assert said(servers)["mcpServers"]["agentx"]["tools"] == ["*"]
    (project,) = copilot.edits(request_in(tmp_path, scope=SetupScope.PROJECT))
    assert project.path == tmp_path / "project" / ".github" / "hooks" / "agentx.json"


def test_opencode_gets_a_plugin_with_the_hook_put_in(tmp_path: Path) -> None:
    plugin, servers = opencode.edits(request_in(tmp_path, mcp=True))

    assert plugin.path == tmp_path / ".config" / "opencode" / "plugins" / "agentx.js"
    assert "__AGENTX_HOOK__" not in (plugin.after or "")
    entry = {"type": "local", "command": list(MCP_COMMAND), "timeout": 30_000}
    assert said(servers) == {"mcp": {"agentx": entry}}
    (project,) = opencode.edits(request_in(tmp_path, scope=SetupScope.PROJECT))
    assert project.path == tmp_path / "project" / ".opencode" / "plugins" / "agentx.js"


def test_opencodes_settings_with_comments_are_the_ones_that_are_edited(tmp_path: Path) -> None:
    path = tmp_path / ".config" / "opencode" / "opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text('{\n  // mine\n  "theme": "x",\n}\n')

    _, servers = opencode.edits(request_in(tmp_path, mcp=True))

    assert servers.path == path
    assert "// mine" in (servers.after or "")


def test_a_plugin_of_that_name_that_is_not_ours_is_never_overwritten(tmp_path: Path) -> None:
    path = opencode.edits(request_in(tmp_path))[0].path
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = async () => ({})\n")

    with pytest.raises(InvalidValue, match="not of AgentX"):
        opencode.edits(request_in(tmp_path))
    (left,) = opencode.edits(request_in(tmp_path, uninstall=True))
    assert left.after == left.before


def test_an_edited_plugin_is_made_whole_again(tmp_path: Path) -> None:
    write(opencode.edits(request_in(tmp_path)))
    path = opencode.edits(request_in(tmp_path))[0].path
    path.write_text(path.read_text() + "// changed\n")
    assert not is_current(opencode.edits(request_in(tmp_path)))

    write(opencode.edits(request_in(tmp_path)))

    assert "// changed" not in path.read_text()
