"""What tests of every kind are given, and one way to run properties.

The same examples every time, however busy the machine is and whatever was imported before.
"""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

_GARBAGE_OBJECTS = 100_000  # new ones before garbage is looked for, as in a command of ours

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Let no example depend on chance; only `make soak` tries what chance brings.

    Hypothesis draws words out of the modules that are imported. Which these are depends on the
    tests that ran before in this process; and to read a thousand modules takes a while.
    """
    if config.getoption("markexpr") != "soak":
        vars(providers)["_get_local_constants"] = lambda: providers._local_constants


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let every second worker begin with the last test file, where all are run.

    A fresh clone's tests are rewritten by pytest as they are imported, and kept: so each worker
    does half of them, and not both the same at the same time.
    """
    worker = getattr(session.config, "workerinput", {}).get("workerid", "")
    if session.config.args == session.config.getini("testpaths") and worker:
        folder = Path(__file__).parent
        files = sorted(folder.rglob("test_*.py"), reverse=bool(int(worker.removeprefix("gw")) % 2))
        for file in files:
            with suppress(Exception, pytest.skip.Exception):  # which collecting it will tell
                import_module(".".join(file.relative_to(folder.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Leave the thousands of tests and modules out of what is looked through for garbage.

    To look after every 700 new objects, as Python does, takes a few percent of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_OBJECTS)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name."""
    folder = Path(tempfile.mkdtemp(prefix="ax-"))
    yield folder
    shutil.rmtree(folder)
