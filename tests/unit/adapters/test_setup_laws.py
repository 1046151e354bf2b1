"""Goal: what every installer promises, whatever the agent CLI.

Method: the installers, each for the user and for a project, on an empty home, on a home
with settings of the user's own, and on paths with spaces, quotes and other alphabets.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from agentx.adapters.claude_code import setup as claude_code
from agentx.adapters.codex import setup as codex
from agentx.adapters.copilot import setup as copilot
from agentx.adapters.gemini import setup as gemini
from agentx.adapters.opencode import setup as opencode
from agentx.adapters.port import SetupScope
from agentx.adapters.settings.file import is_current
from agentx.adapters.vscode import setup as vscode
from agentx.kernel.errors import CorruptRecord, InvalidValue, UnsafePath
from tests.support.setup_requests import request_in, write

SETUPS = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "copilot": copilot,
}
EVERY = {**SETUPS, "vscode": vscode}  # an editor has no hooks
PROGRAM = (
    "/home/ada \U0001f469\u200d\U0001f4bb o'hara/"
    '\u05e9\u05dc\u05d5\u05dd \u65e5\u672c "q" $HOME/agentx-hook'
)


@pytest.fixture(params=SETUPS, name="harness")
def _harness(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=SetupScope, name="scope")
def _scope(request: pytest.FixtureRequest) -> SetupScope:
    return SetupScope(request.param)


@pytest.fixture(name="setup")
def _setup(harness: str) -> ModuleType:
    return SETUPS[harness]


@pytest.fixture(params=EVERY, name="every")
def _every(request: pytest.FixtureRequest) -> ModuleType:
    return EVERY[request.param]


def files_under(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def settle_user(home: Path) -> None:
    """Write settings of the user's own into every file that an installer edits."""
    hooks = '{\n\t"hooks": {"Mine": [], "x": {}},\n\t"theme": "dark" // mine\n}'
    servers = '{"mcpServers": {"docs": {"command": "docs"}}, "projects": {"/a": {}}}\n'
    texts = {
        ".claude/settings.json": hooks,
        ".claude.json": servers,
        "project/.claude/settings.json": hooks,
        "project/.mcp.json": servers,
        ".codex/hooks.json": hooks,
        ".codex/config.toml": 'model = "x" # mine',
        "project/.codex/config.toml": "",
        ".gemini/settings.json": hooks,
        "project/.gemini/settings.json": "{}\n",
        ".config/opencode/opencode.jsonc": '// mine\n{"mcp": {}}',
        "project/opencode.json": '{\n    "$schema": "x"\n}\n',
        ".copilot/mcp-config.json": servers,
        "project/.github/mcp.json": "{}",
        ".config/Code/User/mcp.json": '{\r\n\t"servers": {}, // mine\r\n\t"inputs": [],\r\n}\r\n',
        ".config/Code/User/tasks.json": '\ufeff{"version": "2.0.0", "tasks": [{"label": "a"}]}',
        "project/.vscode/mcp.json": '{"servers": {"gh": {"url": "https://x"}}} // \U0001f469',
        "project/.vscode/tasks.json": '{\n  // mine\n  "tasks": [\n    {"label": "b",},\n  ],\n}\n',
        "project/.github/hooks/other.json": '{"version": 1}',
    }
    for name, text in texts.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def test_asking_changes_nothing_on_disk(
    tmp_path: Path, every: ModuleType, scope: SetupScope
) -> None:
    settle_user(tmp_path)
    before = files_under(tmp_path)

    changed = [
        e for e in every.edits(request_in(tmp_path, scope=scope, mcp=True)) if e.before != e.after
    ]

    assert changed
    assert files_under(tmp_path) == before


def test_a_second_run_has_nothing_to_do(
    tmp_path: Path, every: ModuleType, scope: SetupScope
) -> None:
    request = request_in(tmp_path, scope=scope, mcp=True)
    assert not is_current(every.edits(request))

    write(every.edits(request))

    assert all(edit.before == edit.after for edit in every.edits(request))
    assert is_current(every.edits(request))


@pytest.mark.parametrize("mcp", [False, True])
def test_leaving_an_empty_home_leaves_it_empty(
    tmp_path: Path, setup: ModuleType, scope: SetupScope, mcp: bool
) -> None:
    write(setup.edits(request_in(tmp_path, scope=scope, mcp=mcp)))
    assert files_under(tmp_path)

    write(setup.edits(request_in(tmp_path, scope=scope, uninstall=True)))

    assert files_under(tmp_path) == {}


def test_leaving_gives_every_file_of_the_user_back(
    tmp_path: Path, every: ModuleType, scope: SetupScope
) -> None:
    settle_user(tmp_path)
    before = files_under(tmp_path)
    write(every.edits(request_in(tmp_path, scope=scope, mcp=True)))
    assert files_under(tmp_path) != before

    write(every.edits(request_in(tmp_path, scope=scope, uninstall=True)))

    after = files_under(tmp_path)
    # A file without a single character says the same as none.
    assert {k: v for k, v in after.items() if v} == {k: v for k, v in before.items() if v}


def test_leaving_twice_or_without_having_come_changes_nothing(
    tmp_path: Path, every: ModuleType, scope: SetupScope
) -> None:
    settle_user(tmp_path)

    found = every.edits(request_in(tmp_path, scope=scope, uninstall=True))

    assert all(edit.before == edit.after for edit in found)


def test_an_installation_at_another_path_is_updated_and_not_doubled(
    tmp_path: Path, setup: ModuleType, scope: SetupScope
) -> None:
    write(setup.edits(request_in(tmp_path, scope=scope, mcp=True, program="/old/agentx-hook")))
    request = request_in(tmp_path, scope=scope, mcp=True)
    assert not is_current(setup.edits(request))

    write(setup.edits(request))

    fresh = tmp_path / "fresh"
    fresh.mkdir()
    write(setup.edits(request_in(fresh, scope=scope, mcp=True)))
    ours = {name: text for name, text in files_under(tmp_path).items() if "fresh" not in name}
    assert ours == files_under(fresh)


def test_the_command_line_survives_any_path(
    tmp_path: Path, setup: ModuleType, harness: str, scope: SetupScope
) -> None:
    found = setup.edits(request_in(tmp_path, scope=scope, program=PROGRAM))
    text = found[0].after or ""

    if harness == "opencode":
        line = next(line for line in text.splitlines() if line.startswith("const HOOK = "))
        assert json.loads(line.removeprefix("const HOOK = ")) == [PROGRAM, "--harness", harness]
        return
    lines = set(_command_lines(json.loads(text)))
    assert {tuple(shlex.split(line))[:3] for line in lines} == {(PROGRAM, "--harness", harness)}
    write(found)
    write(setup.edits(request_in(tmp_path, scope=scope, uninstall=True)))
    assert files_under(tmp_path) == {}


def _command_lines(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value[key] for key in ("command", "bash") if isinstance(value.get(key), str)]
        return own + [line for inner in value.values() for line in _command_lines(inner)]
    if isinstance(value, list):
        return [line for inner in value for line in _command_lines(inner)]
    return []


def test_the_command_line_is_the_same_in_every_version(tmp_path: Path) -> None:
    """Codex trusts a hook by its text: a changed line is a hook that no longer runs."""
    text = codex.edits(request_in(tmp_path))[0].after or ""

    assert set(_command_lines(json.loads(text))) == {
        "/home/ada/.local/share/agent-memory/bin/agentx-hook --harness codex"
    }


def test_a_path_that_no_settings_file_can_hold_is_refused(
    tmp_path: Path, setup: ModuleType
) -> None:
    with pytest.raises(InvalidValue):
        setup.edits(request_in(tmp_path, program="/home/\udcff/agentx-hook"))


def test_without_an_mcp_command_a_server_that_is_there_stays(
    tmp_path: Path, setup: ModuleType, scope: SetupScope
) -> None:
    write(setup.edits(request_in(tmp_path, scope=scope, mcp=True)))
    before = files_under(tmp_path)

    write(setup.edits(request_in(tmp_path, scope=scope)))

    assert files_under(tmp_path) == before


def test_a_settings_file_that_does_not_parse_stops_everything(
    tmp_path: Path, every: ModuleType
) -> None:
    write(every.edits(request_in(tmp_path, mcp=True)))
    paths = [e.path for e in every.edits(request_in(tmp_path, mcp=True)) if e.path.suffix != ".js"]
    for path in paths:
        whole = path.read_text()
        path.write_text("\n\n{ broken agentx")
        with pytest.raises(CorruptRecord, match=rf"{path.name}: .*line 3"):
            every.edits(request_in(tmp_path, mcp=True))
        with pytest.raises(CorruptRecord, match=rf"{path.name}: .*line 3"):
            every.edits(request_in(tmp_path, uninstall=True))
        path.write_text(whole)
    assert paths


def test_a_settings_file_that_is_no_text_is_named(tmp_path: Path, every: ModuleType) -> None:
    path = every.edits(request_in(tmp_path, mcp=True))[0].path
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"a": "\xff"}')

    with pytest.raises(CorruptRecord, match="not UTF-8"):
        every.edits(request_in(tmp_path, mcp=True))


def test_a_folder_in_the_place_of_a_settings_file_is_named(
    tmp_path: Path, every: ModuleType
) -> None:
    every.edits(request_in(tmp_path, mcp=True))[0].path.mkdir(parents=True)

    with pytest.raises(UnsafePath, match="no plain file"):
        every.edits(request_in(tmp_path, mcp=True))
