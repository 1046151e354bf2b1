"""A log and observations to capture sessions into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.host import crash
from tests.support.session_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Return a bench; nothing dies on purpose after it."""
    made = Bench(tmp_path)
    yield made
    crash.disarm()
    made.room.close()
