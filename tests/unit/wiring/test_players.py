"""Goal: an agent CLI that works on an issue may run what its user listed, and ask; nothing else.

Method: the runner as `agent run` and `workflow run` make it, in a repository, trusted or not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.agents.runners.agent_cli import DIALECTS, AgentCli
from agentx.agents.runners.port import Wants
from agentx.kernel.capture import Harness
from agentx.wiring.runners import runner_named
from tests.support.looping import staging


@pytest.mark.parametrize(
    ("said", "allowed"),
    [(True, "Bash(make test:*),Bash(git diff:*),Bash(agentx clarify ask:*)"), (False, "")],
)
def test_it_may_run_what_its_user_listed_and_ask_where_the_repository_is_trusted(
    tmp_path: Path, said: bool, allowed: str
) -> None:
    with staging(tmp_path, said=said, AGENTX_AGENTS_COMMANDS="make test, git diff") as stage:
        runner = runner_named(stage.project, "claude-code")

        assert isinstance(runner, AgentCli)
        arguments = DIALECTS[Harness.CLAUDE_CODE].arguments
        words = arguments(Wants.WORK, said, runner._commands)
        assert ("--allowedTools" in words, words[-1] if allowed else "") == (said, allowed)
        assert "--allowedTools" not in arguments(Wants.ANSWER, said, runner._commands)
