"""A house to live in, unless a test furnishes its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.demo import sample
from tests.support.house import House, leave_quiet


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Return a throw-away home; nothing may run in it when the test is over."""
    made = House(tmp_path)
    yield made
    leave_quiet(made)


@pytest.fixture(scope="session")
def _sample_house(tmp_path_factory: pytest.TempPathFactory) -> House:
    made = House(tmp_path_factory.mktemp("sample"))
    for path, text in sample.transcript_files(made.project):
        target = made.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    made.agentx("import")
    made.agentx("sync")  # what one pass has no time for
    return made


@pytest.fixture
def sample_house(_sample_house: House) -> Iterator[House]:
    """Return a home with the history of the sample, imported; for tests that only read it."""
    yield _sample_house
    leave_quiet(_sample_house)
