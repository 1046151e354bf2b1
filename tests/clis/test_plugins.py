"""A plugin that `agentx setup --as-plugin` wrote is installed by the agent CLI's own command.

Method: the folder is checked by the CLI's own validator where it has one, and installed; no
settings are touched by us. In the first session the model says something, which the plugin's
hooks capture; in the second one it asks the plugin's server for it, and is answered.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import PROMPT, _agentx, _events
from tests.support.house import BIN

pytestmark = pytest.mark.clis

SAID = "The vault of the ledger opens with the word quokka, on Tuesdays."
VALIDATORS = {
    "claude-code": ("claude", "plugin", "validate", "--strict"),
    "gemini": ("gemini", "extensions", "validate"),
}


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini", "opencode"])
def test_a_plugin_captures_and_lets_agents_ask(
    harness: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = drive.place(tmp_path / "place")
    monkeypatch.setenv("PATH", os.pathsep.join((str(BIN), os.environ["PATH"])))
    _let(where, harness)
    folder = where.root / "plugin"
    made = _agentx(where, "setup", harness, "--as-plugin", str(folder))
    lines = [line.split() for line in made["install"]]
    if harness in VALIDATORS:
        lines.insert(0, [*VALIDATORS[harness], str(folder)])
    if harness == "opencode":
        lines = []
        plugins = where.home / ".config" / "opencode" / "plugins"
        shutil.copytree(folder / "plugins", plugins)
    for program, *words in lines:
        consent = ["--consent"] if "extensions" in words and "install" in words else []
        ran = where.run((str(drive.CLIS / "bin" / program), *words, *consent))
        assert ran.code == 0, f"{program} {words}: {ran.out} {ran.err}"

    with ScriptedModel(reply=SAID).serving() as model:
        drive.ask(harness, where, model, PROMPT)
    _agentx(where, "sync")
    assert SAID in [event["text"] for event in _events(where)]
    query = {"query": "which word opens the vault"}
    with ScriptedModel(reply="Found it.", tool="search", arguments=query).serving() as model:
        drive.ask(harness, where, model, "Look it up.")
        results = model.results()

    assert "quokka" in results
    monkeypatch.setenv("PATH", os.pathsep.join((str(drive.CLIS / "bin"), os.environ["PATH"])))
    left = _agentx(where, "uninstall")
    assert left["left"] == []
    assert any("plugin" in each["says"] for each in left["gone"])
    before = len(_events(where))
    with ScriptedModel(reply=SAID).serving() as model:
        drive.ask(harness, where, model, PROMPT)
    _agentx(where, "sync")
    assert len(_events(where)) == before


def _let(where: drive.Place, harness: str) -> None:
    """Agree beforehand to what a person is asked at a terminal."""
    if harness == "claude-code":
        rules = {"permissions": {"allow": ["mcp__plugin_agentx_agentx"]}}
        drive.merge(where.home / ".claude" / "settings.json", rules)
    elif harness == "gemini":
        trust = {str(where.root): "TRUST_FOLDER"}
        drive.merge(where.home / ".gemini" / "trustedFolders.json", trust)
