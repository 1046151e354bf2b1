"""A served memory, called over gRPC."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.served import Served, serve


@pytest.fixture
def served(short_path: Path) -> Iterator[Served]:
    with serve(short_path) as made:
        yield made
