"""Goal: who only reads where nothing was begun leaves nothing, and meets no error of ours.

Method: a store for the moment, below which somebody still writes when it is left.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from threading import Thread

import pytest

from agentx.daemon.door import open_to_read
from agentx.project.config import read_environment
from agentx.project.project import open_project

_WRITES_S = 0.3


def test_a_store_for_the_moment_goes_also_while_its_threads_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "passing").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "passing"))
    known = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    project = open_project(tmp_path / "work", read_environment(known))
    with open_to_read(project):
        [folder] = (tmp_path / "passing").iterdir()
        [store] = folder.iterdir()
        late = Thread(target=_write_below, args=(store,))
        late.start()
    late.join()

    assert list((tmp_path / "passing").iterdir()) == []


def _write_below(store: Path) -> None:
    until = time.monotonic() + _WRITES_S
    number = 0
    while time.monotonic() < until:
        number += 1
        try:
            (store / f"{number}.log").write_text("x")
        except OSError:
            return
