"""Goal: screens change only when somebody looked at them, and none runs over its width.

Method: nine screens at three widths, drawn from one stage at a time that stands still.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentx.surfaces.cli.layout import measure
from tests.golden.screens import COMMANDS, WIDTHS, Stage, draw_all, find_file, set_up


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """Lend the stage that all screens are drawn from."""
    with set_up() as made:
        yield made


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_screens_are_as_somebody_looked_at_them(stage: Stage, columns: int) -> None:
    drawn = draw_all(stage, columns)

    assert [line for line in drawn.split("\n") if measure(line) > columns] == []
    assert drawn.count("\n$ agentx") == len(COMMANDS) - 1
    kept = find_file(columns).read_text(encoding="utf-8")
    assert drawn == kept, "look at `python -m tests.golden.screens` and its difference"


def test_agentx_alone_is_one_screen_of_a_terminal(stage: Stage) -> None:
    alone = draw_all(stage, 80).partition("\n$ agentx status")[0]

    assert len(alone.splitlines()) - 1 <= 24
