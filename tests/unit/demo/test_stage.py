"""Goal: the demo shows what its commands say, and nothing that a hook tells an agent.

Method: a program that talks stands in for Python, as a hook that has something to tell does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.demo import sample
from agentx.demo.stage import DemoStage


def test_what_a_hook_tells_an_agent_is_not_on_the_screen(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    talker = tmp_path / "talker"
    talker.write_text("#!/bin/sh\necho '{\"hookSpecificOutput\": {}}'\n", encoding="utf-8")
    talker.chmod(0o755)
    stage = DemoStage(tmp_path / "demo", str(talker))
    stage.set_up(())
    session = sample.sessions()[0]

    stage.hook(session, 0, {"hook_event_name": "SessionStart"})

    assert capfd.readouterr().out == ""
