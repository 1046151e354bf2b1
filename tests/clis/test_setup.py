"""Real agent CLIs after `agentx init` and after `agentx uninstall`.

Method: a session in each CLI is captured after setting up, in every repository or in one alone
as was chosen; after leaving nothing is, and the CLI runs as it did before.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import PROMPT, _agentx, _events

pytestmark = pytest.mark.clis

SAID = "The lighthouse keeper counts to ninety."


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini", "opencode"])
def test_a_session_is_captured_after_init_and_none_after_uninstall(
    harness: str, tmp_path: Path
) -> None:
    where = drive.place(tmp_path / "place")
    said = _agentx(where, "init", "--harness", harness)
    assert said["live"]["arrived"] is True
    _ask(harness, where)
    _agentx(where, "sync")
    before = [event["text"] for event in _events(where)]
    assert SAID in before

    assert _agentx(where, "uninstall")["left"] == []
    _ask(harness, where)
    _agentx(where, "sync")

    assert [event["text"] for event in _events(where)] == before
    assert not list((where.home / ".local" / "share" / "agent-memory").rglob("*.evt"))


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini", "opencode"])
def test_one_project_alone_is_captured_where_that_was_chosen(harness: str, tmp_path: Path) -> None:
    where, data = drive.place(tmp_path / "place"), Path(".local", "share", "agent-memory")
    _agentx(where, "init", "--harness", harness, "--scope", "project")
    other = drive.Place(where.root / "other")
    (where.root / "other").mkdir()
    (where.root / "other" / "home").symlink_to(where.home)
    (where.root / "other" / "tmp").mkdir()
    (where.root / "other" / "proj").mkdir()
    other.run(("git", "init", "--quiet"))

    _ask(harness, other)
    assert not list((where.home / data).rglob("*.evt"))
    _trust(harness, where)
    _ask(harness, where)
    _agentx(where, "sync")

    assert SAID in [event["text"] for event in _events(where)]


def _ask(harness: str, where: drive.Place) -> None:
    with ScriptedModel(reply=SAID).serving() as model:
        drive.ask(harness, where, model, PROMPT)


def _trust(harness: str, where: drive.Place) -> None:
    """Agree to the settings of a repository, as a person does once."""
    if harness == "codex":
        config = where.home / ".codex" / "config.toml"
        config.parent.mkdir(exist_ok=True)
        config.write_text(f'[projects."{where.repo}"]\ntrust_level = "trusted"\n')
    elif harness == "gemini":
        trust = {str(where.root): "TRUST_FOLDER"}
        drive.merge(where.home / ".gemini" / "trustedFolders.json", trust)
