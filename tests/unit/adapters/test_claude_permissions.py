"""Goal: Claude Code reads memory without asking where a person agreed, and nothing else changes.

Method: the rules put into settings of many shapes and taken out again, byte for byte; and
settings that refuse.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.adapters.claude_code import setup
from agentx.adapters.claude_code.permissions import find_refusals, is_allowed, rules_for
from agentx.adapters.settings.file import is_current
from agentx.kernel.errors import InvalidValue
from agentx.project.toolsets import READ_ONLY
from agentx.surfaces.mcp.offered.tools import TOOLS
from tests.support.setup_requests import homes_in, request_in, write

TEXTS = [
    None,
    "{}",
    "{}\n",
    '{"permissions": {}}',
    '{"permissions": {"allow": []}}',
    '{"permissions": {"allow": ["Bash(ls)"]}}',
    '{"permissions": {"allow": ["mcp__agentx__search", "Bash(ls)"]}, "theme": "dark"}\n',
    '{\n\t"permissions": {\n\t\t"deny": [], // mine\n\t\t"allow": [\n\t\t\t"ls",\n\t\t],\n\t},\n}',
    '{"permissions": {"deny": []},\r\n "hooks": {}}',
]


def test_the_tools_that_only_read_are_those_that_say_so() -> None:
    assert set(READ_ONLY) == {tool.name for tool in TOOLS.values() if tool.reads_only}


@pytest.mark.parametrize("text", TEXTS)
def test_rules_go_in_once_and_come_out_without_a_trace(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / ".claude" / "settings.json"
    if text is not None:
        path.parent.mkdir()
        path.write_bytes(text.encode())
    wanted = request_in(tmp_path, mcp=True, allowed_tools=READ_ONLY)
    write(setup.edits(wanted))
    once = path.read_bytes()
    write(setup.edits(wanted))

    assert path.read_bytes() == once
    assert is_current(setup.edits(wanted))
    assert is_current(setup.edits(request_in(tmp_path, mcp=True))), "who does not ask leaves them"
    assert is_allowed(homes_in(tmp_path), tmp_path / "project", READ_ONLY)
    write(setup.edits(request_in(tmp_path, mcp=True, uninstall=True, allowed_tools=READ_ONLY)))
    left = path.read_bytes().decode() if path.exists() else None
    assert left == text


def test_a_newer_version_adds_the_rules_that_are_missing(tmp_path: Path) -> None:
    write(setup.edits(request_in(tmp_path, allowed_tools=READ_ONLY[:-2])))
    write(setup.edits(request_in(tmp_path, allowed_tools=READ_ONLY)))
    settings = json.loads((tmp_path / ".claude" / "settings.json").read_text())

    assert settings["permissions"]["allow"] == list(rules_for(READ_ONLY))


@pytest.mark.parametrize("text", ['{"permissions": []}', '{"permissions": {"allow": "all"}}'])
def test_something_else_in_their_place_is_not_overwritten(tmp_path: Path, text: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(text)

    with pytest.raises(InvalidValue, match="permissions"):
        setup.edits(request_in(tmp_path, allowed_tools=READ_ONLY))


def test_what_refuses_is_named_with_its_file(tmp_path: Path) -> None:
    homes, project = homes_in(tmp_path), tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    (tmp_path / ".claude").mkdir()
    assert find_refusals(homes, project) == ()
    (tmp_path / ".claude" / "settings.json").write_text(
        '{"permissions": {"deny": ["mcp__agentx", "mcp__other__x", 7]}}'
    )
    (project / ".claude" / "settings.local.json").write_text(
        '{"permissions": {"deny": ["mcp__agentx__get"]}, "disabledMcpjsonServers": ["agentx"]}'
    )
    (project / ".claude" / "settings.json").write_text("no json at all")
    (tmp_path / ".claude.json").write_text(
        json.dumps({"projects": {str(project): {"disabledMcpServers": ["agentx"]}}})
    )

    found = find_refusals(homes, project)

    assert [each.partition(" ")[0] for each in found] == [
        "mcp__agentx",
        "mcp__agentx__get",
        "agentx",
        "agentx",
    ]
    assert str(tmp_path / ".claude" / "settings.json") in found[0]
    assert "switched off for this project" in found[-1]
    assert not is_allowed(homes, project, READ_ONLY)


def test_the_settings_of_a_strangers_repository_lead_nowhere(tmp_path: Path) -> None:
    homes, project = homes_in(tmp_path), tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    secret = tmp_path / "secret.json"
    secret.write_text('{"permissions": {"deny": ["mcp__agentx"]}}')
    (project / ".claude" / "settings.json").symlink_to(secret)

    assert find_refusals(homes, project) == ()
