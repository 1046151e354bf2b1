"""What tests of every kind are given, and one way to run properties.

The same examples every time, however busy the machine is and whatever was imported before: of what
a property asks for a share, in `make soak` several times as many.
"""

from __future__ import annotations

import gc
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

from agentx.host.child import Child

_GARBAGE_OBJECTS = 100_000  # new ones before garbage is looked for, as in a command of ours
_EXAMPLES_MIN = 25  # a property that asks for no more is tried with all of them
_EXAMPLES_SHARE = 0.4
_SOAK_TIMES = 5

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Let no example depend on chance; only `make soak` tries what chance brings.

    Hypothesis draws words out of the modules that are imported. Which these are depends on the
    tests that ran before in this process; and to read a thousand modules takes a while.
    """
    # Thousands of programs are waited for in tests: each end is heard as it comes.
    vars(subprocess)["Popen"] = Child
    if config.getoption("markexpr") != "soak":
        vars(providers)["_get_local_constants"] = lambda: providers._local_constants


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let each worker begin with other test files, where all are run.

    A fresh clone's tests are rewritten by pytest as they are imported, and kept: so each worker
    does its share of them, and no two the same at the same time.
    """
    told = getattr(session.config, "workerinput", {})
    if session.config.args == session.config.getini("testpaths") and told:
        folder = Path(__file__).parent
        files = sorted(folder.rglob("test_*.py"))
        first = len(files) * int(told["workerid"].removeprefix("gw")) // told["workercount"]
        for file in files[first:] + files[:first]:
            with suppress(Exception, pytest.skip.Exception):  # which collecting it will tell
                import_module(".".join(file.relative_to(folder.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Try a share of the examples that properties ask for; `make soak` tries them for long."""
    is_soak = config.getoption("markexpr") == "soak"
    seen: set[object] = set()
    for item in items:
        place = _find_settings(item)
        if place is None or item.get_closest_marker("soak"):
            continue  # what soaks by itself says how long
        if is_soak:
            item.add_marker("soak")
        if place in seen:
            continue  # of the same function, with other parameters
        seen.add(place)
        owner, name = place
        asked = getattr(owner, name) or settings()
        few = min(asked.max_examples, max(_EXAMPLES_MIN, int(asked.max_examples * _EXAMPLES_SHARE)))
        count = asked.max_examples * _SOAK_TIMES if is_soak else few
        setattr(owner, name, settings(asked, max_examples=count))


def _find_settings(item: pytest.Item) -> tuple[Any, str] | None:
    """Return what holds the settings of a property, and under which name; None for other tests."""
    if not isinstance(item, pytest.Function):
        return None
    machine = item.parent.obj if isinstance(item.parent, pytest.Class) else None
    if isinstance(getattr(machine, "settings", None), settings):
        return machine, "settings"
    function = getattr(item.obj, "__func__", item.obj)
    is_property = is_hypothesis_test(function)
    return (function, "_hypothesis_internal_use_settings") if is_property else None


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
