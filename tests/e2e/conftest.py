"""A house to live in, unless a test furnishes its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.house import House, KeptHouse, import_sample, leave_quiet


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Return a throw-away home; nothing may run in it when the test is over."""
    made = House(tmp_path)
    yield made
    leave_quiet(made)


@pytest.fixture(scope="session")
def kept_sample(tmp_path_factory: pytest.TempPathFactory) -> KeptHouse:
    """Return a home with the history of the sample, imported."""

    def furnish(house: House) -> None:
        import_sample(house)
        house.agentx("sync")  # what one pass has no time for

    return KeptHouse(tmp_path_factory.mktemp("sample"), furnish)


@pytest.fixture
def sample_house(kept_sample: KeptHouse) -> Iterator[House]:
    """Return that home, for tests that only read it."""
    yield kept_sample.house
    leave_quiet(kept_sample.house)


@pytest.fixture
def own_sample_house(kept_sample: KeptHouse) -> Iterator[House]:
    """Return that home, for a test that changes it."""
    yield from kept_sample.lend()
    kept_sample.put_back()
