"""Goal: a plugin holds what setup would write, by names that are right on every machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.adapters.settings.plugins import has_plugin, list_plugin_files
from agentx.kernel.capture import Harness
from agentx.kernel.errors import InvalidValue
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.installed import list_installed, list_settings_files
from agentx.operations.setup.plugin import write_plugin
from agentx.operations.upkeep.asking import check_asking
from agentx.project.config import read_environment
from agentx.project.project import open_project
from tests.support.setup_requests import homes_in

BUILT = {
    Harness.CLAUDE_CODE: "agentx/hooks/hooks.json",
    Harness.CODEX: "agentx/hooks/hooks.json",
    Harness.GEMINI: "hooks/hooks.json",
    Harness.COPILOT: "agentx/hooks/hooks.json",
}


@pytest.mark.parametrize("harness", BUILT)
def test_a_plugin_has_every_hook_and_the_server_and_no_path_of_this_machine(
    tmp_path: Path, harness: Harness
) -> None:
    reply = write_plugin(harness, tmp_path / "made" / "plugin")
    folder = Path(reply.folder)
    texts = {name: (folder / name).read_text() for name in reply.files}
    hooks = json.loads(texts[BUILT[harness]])["hooks"]
    again = write_plugin(harness, folder)

    assert {"SessionStart", "sessionStart"} & set(hooks)
    assert all("agentx-hook --harness" in json.dumps(groups) for groups in hooks.values())
    assert all(json.loads(text) for text in texts.values())
    servers = [json.loads(text)["mcpServers"] for text in texts.values() if '"mcp"' in text]
    assert servers == [{"agentx": {"command": "agentx", "args": ["mcp"]}}]
    assert "/nowhere" not in "".join(texts.values())
    assert str(tmp_path) not in "".join(texts.values())
    assert again == reply
    assert any(str(folder) in line for line in reply.install)


def test_a_folder_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "gemini-extension.json").write_text('{"name": "mine"}')
    (tmp_path / "file").write_text("x")

    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(InvalidValue):
            write_plugin(Harness.GEMINI, folder)
    assert (tmp_path / "gemini-extension.json").read_text() == '{"name": "mine"}'


def test_opencode_gets_a_plugin_that_tells_and_one_that_adds_the_server(tmp_path: Path) -> None:
    reply = write_plugin(Harness.OPENCODE, tmp_path / "plugin")
    telling, adding = ((tmp_path / "plugin" / name).read_text() for name in reply.files)

    assert 'const HOOK = ["agentx-hook", "--harness", "opencode"]' in telling
    assert '"command": ["agentx", "mcp"]' in adding
    assert write_plugin(Harness.OPENCODE, tmp_path / "plugin") == reply


PLUGGED = {
    Harness.CLAUDE_CODE: {".claude/settings.json": '{"enabledPlugins": {"agentx@agentx": true}}'},
    Harness.COPILOT: {".copilot/settings.json": '{"enabledPlugins": {"agentx@team": true}}'},
    Harness.CODEX: {".codex/config.toml": '[plugins."agentx@agentx"]\nenabled = true\n'},
    Harness.GEMINI: {".gemini/extensions/agentx/gemini-extension.json": "{}"},
    Harness.OPENCODE: {
        ".config/opencode/plugins/agentx.js": "// agentx-hook",
        ".config/opencode/plugins/agentx-tools.js": "//",
    },
}


@pytest.mark.parametrize("harness", PLUGGED)
def test_who_has_the_plugin_is_well_and_is_not_set_up_twice(
    tmp_path: Path, harness: Harness
) -> None:
    (tmp_path / "shop").mkdir()
    known = {"HOME": str(tmp_path), "PATH": "/nowhere"}
    project = open_project(tmp_path / "shop", read_environment(known))
    inputs = setup_inputs(project)
    before = list_installed(project, inputs)
    for name, text in PLUGGED[harness].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    assert before == ()
    assert list_installed(project, inputs) == (harness.value,)
    assert check_asking(project, inputs, harness).says == "installed as a plugin"
    assert set(list_plugin_files(harness, inputs.homes)) <= set(
        list_settings_files(project, inputs)
    )


@pytest.mark.parametrize(
    ("harness", "name", "text"),
    [
        (Harness.CLAUDE_CODE, ".claude/settings.json", '{"enabledPlugins": {"agentx@a": false}}'),
        (Harness.CLAUDE_CODE, ".claude/settings.json", '{"enabledPlugins": ["agentx@a"]}'),
        (Harness.CLAUDE_CODE, ".claude/settings.json", "no json"),
        (Harness.CODEX, ".codex/config.toml", '[plugins."agentx@a"]\nenabled = false\n'),
        (Harness.CODEX, ".codex/config.toml", '[plugins."other@a"]\n'),
        (Harness.OPENCODE, ".config/opencode/plugins/agentx.js", "//"),
    ],
)
def test_a_plugin_that_is_off_or_not_ours_is_none(
    tmp_path: Path, harness: Harness, name: str, text: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text)

    assert not has_plugin(harness, homes_in(tmp_path))
