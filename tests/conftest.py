"""What tests of every kind are given, and one way to run properties.

The same examples every time, however busy the machine is.
"""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


def pytest_collection_finish() -> None:
    """Leave the thousands of tests and modules out of what is looked through for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name."""
    folder = Path(tempfile.mkdtemp(prefix="ax-"))
    yield folder
    shutil.rmtree(folder)
