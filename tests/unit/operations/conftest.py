"""What tests of operations share."""

from __future__ import annotations

import pytest

from tests.support.kept import KeptFolder
from tests.support.two_people import Two


@pytest.fixture(scope="session")
def kept_two(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Two]:
    return KeptFolder(tmp_path_factory.mktemp("two"), Two)


@pytest.fixture
def both(kept_two: KeptFolder[Two]) -> Two:
    """Give two people who share a run, as if they had just begun."""
    return kept_two.lend()
