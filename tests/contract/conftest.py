"""What several contract suites work on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.desk import Desk


@pytest.fixture(params=["memory", "rocks"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(request.param, tmp_path / "db")
    yield made
    made.close()
