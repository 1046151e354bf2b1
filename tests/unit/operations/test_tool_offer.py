"""Goal: reading without asking is offered to users of Claude Code, and not against their will."""

from __future__ import annotations

import json
from pathlib import Path

from agentx.adapters.port import SetupScope
from agentx.kernel.capture import Harness
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.tool_offer import allow_tools, describe_offer
from agentx.operations.upkeep.asking import check_asking
from agentx.operations.upkeep.health import Health
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project


def made(root: Path) -> Project:
    """Return the project of a user with a home below a folder."""
    (root / "shop").mkdir()
    known = {"HOME": str(root / "home"), "PATH": "/nowhere"}
    return open_project(root / "shop", read_environment(known))


def test_the_offer_names_every_rule_and_the_file_and_a_yes_ends_it(tmp_path: Path) -> None:
    project = made(tmp_path)
    question = describe_offer(project, SetupScope.USER)
    reply = allow_tools(project, SetupScope.USER)
    settings = tmp_path / "home" / ".claude" / "settings.json"
    rules = json.loads(settings.read_text())["permissions"]["allow"]

    assert rules
    assert all(f"    {rule}\n" in question for rule in rules)
    assert f"permissions.allow of {settings}" in question
    assert "--uninstall" in question
    assert reply.is_changed
    assert describe_offer(project, SetupScope.USER) == ""
    assert (
        "reading is allowed"
        in check_asking(project, setup_inputs(project), Harness.CLAUDE_CODE).says
    )


def test_who_refused_is_not_asked_and_doctor_says_what_refuses(tmp_path: Path) -> None:
    project = made(tmp_path)
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"permissions": {"deny": ["mcp__agentx__*"]}}')
    found = check_asking(project, setup_inputs(project), Harness.CLAUDE_CODE)

    assert describe_offer(project, SetupScope.USER) == ""
    assert found.health is Health.NOTE
    assert f"agents are refused: mcp__agentx__* in permissions.deny of {settings}" in found.says
    assert check_asking(project, setup_inputs(project), Harness.GEMINI).health is Health.GOOD
