"""The real agent CLIs play a role: asked through `agentx`, captured under their role.

Method: each CLI is set up in a throw-away home and run by `agentx agent run` against a
scripted model. Its request shows what it was told; the log shows what was captured.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clis import drive
from tests.clis.scripted_model import TITLE, ScriptedModel

pytestmark = pytest.mark.clis

CODEX_TOML = """\
model = "scripted"
model_provider = "local"
approval_policy = "never"

[model_providers.local]
name = "local"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
"""
TRUSTING = """\
#!/bin/sh
verb=$1
shift
exec {program} "$verb" --dangerously-bypass-hook-trust "$@"
"""


def agentx(where: drive.Place, extra: dict[str, str], *arguments: str) -> Any:
    program = Path(sys.executable).parent / "agentx"
    places = (where.root / "bin", drive.CLIS / "bin", program.parent)
    path = os.pathsep.join((*map(str, places), os.environ["PATH"]))
    ran = where.run((str(program), *arguments, "--json"), {**extra, "PATH": path})
    assert ran.code == 0, f"agentx {arguments}: {ran.out} {ran.err}"
    return json.loads(ran.out)


def prepared(harness: str, where: drive.Place, model: ScriptedModel) -> dict[str, str]:
    """Let a CLI find the scripted model without any argument on its command line."""
    _, extra = drive._PREPARE[harness](where, model, "", False)
    if harness == "codex":
        config = where.home / ".codex" / "config.toml"
        before = config.read_text("utf-8") if config.exists() else ""
        config.write_text(CODEX_TOML.format(url=model.url) + before, "utf-8")
        # A user trusts the hooks once, in Codex; here the flag stands for that.
        trusting = where.root / "bin" / "codex"
        trusting.parent.mkdir()
        trusting.write_text(TRUSTING.format(program=drive.program("codex")), "utf-8")
        trusting.chmod(0o755)
    if harness == "gemini":
        settings = where.home / ".gemini" / "settings.json"
        drive.merge(settings, {"model": {"name": "gemini-2.5-flash"}})
    return dict(extra)


@pytest.mark.parametrize("harness", tuple(drive.PROGRAMS))
def test_an_agent_cli_works_on_an_issue_in_its_role(harness: str, tmp_path: Path) -> None:
    where = drive.place(tmp_path / "place")
    agentx(where, {}, "setup", harness)
    agentx(where, {}, "issue", "create", "--title", "Pick a ledger \u2705", "--status", "ready")
    # Gemini CLI asks whether a folder is trusted, and is told so only of one that a person trusts.
    agentx(where, {}, "trust", "--yes")
    with ScriptedModel(reply="I chose PostgreSQL.").serving() as model:
        extra = prepared(harness, where, model)
        ran = agentx(where, extra, "agent", "run", "engineer", "--issue", "1", "--runner", harness)

    # Without a terminal Gemini CLI offers no shell; the script then answers with its title.
    said = TITLE if harness == "gemini" else "I chose PostgreSQL."
    assert (ran["report"], ran["issue_status"], ran["agent_status"]) == (said, "In Review", "done")
    told = "".join(asked.text for asked in model.asked)
    assert "You build it: working code with its tests" in told
    assert "Pick a ledger \u2705" in told
    agentx(where, {}, "sync")
    events = agentx(where, {}, "events", "--limit", "100")["events"]
    assert {event["agent"] for event in events} == {"engineer"}
    assert {event["harness"] for event in events} == {harness}
    assert ran["session_id"] in {event["session_id"] for event in events}
