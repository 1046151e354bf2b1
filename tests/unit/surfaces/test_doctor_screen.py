"""Goal: what the doctor says lies in its column at every width, and no path or command is cut."""

from __future__ import annotations

import pytest

from agentx.operations.upkeep.health import Health, HealthCheck
from agentx.surfaces.cli.commands.begin.doctor import draw_checks
from agentx.surfaces.cli.layout import measure

_PATH = "/home/somebody/.local/share/agent-memory/bin/agentx-hook"
_CHECKS = (
    HealthCheck(name="hook command", health=Health.GOOD, says=_PATH),
    HealthCheck(
        name="claude-code",
        health=Health.WRONG,
        says="hooks and server installed; each use of a tool is asked about, and else refused",
        mend="agentx setup claude-code --allow-tools, or nothing where that is as you want it",
    ),
)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_what_is_continued_stands_under_its_text(width: int) -> None:
    lines = [line.plain for line in draw_checks(_CHECKS, width)]

    assert all(measure(line) <= width for line in lines)
    assert any(line.strip().removeprefix("ok hook command").strip() == _PATH for line in lines)
    continued = [line for line in lines if line[:2] not in ("ok", "!!") and _PATH not in line]
    assert continued
    assert {line[:17].strip() for line in continued} == {""}


def test_a_pipe_gets_each_check_on_a_line() -> None:
    assert len(list(draw_checks(_CHECKS, 1_000_000))) == 3
