"""A house to live in, unless a test furnishes its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.house import House, processes_of


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Return a throw-away home; nothing may run in it when the test is over."""
    made = House(tmp_path)
    yield made
    if processes_of(made.home):
        made.agentx("daemon", "stop", expect=None)
        assert processes_of(made.home) == []
