"""Goal: a process of ours that answers does not stand still because nobody reads yet.

Method: one that says half a megabyte, while whoever asked it does something else.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agentx.host.beside import Beside

_SAID = 512 * 1024
_SAYS_MUCH = "tests.support.says_much"


@pytest.fixture(autouse=True)
def where_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pipes elsewhere keep their size")
def test_what_is_said_waits_for_who_is_at_work() -> None:
    beside = Beside(_SAYS_MUCH)
    try:
        beside.ask([str(_SAID).encode()])

        assert beside._process.wait(60) == 0  # it has said all of it, and nobody has read any

        assert [len(frame) for frame in beside.answers()] == [_SAID]
    finally:
        beside.end()


def test_frames_come_one_by_one_however_large() -> None:
    beside = Beside(_SAYS_MUCH)
    try:
        beside.ask([b"1", b"3000000", b"0"])

        assert [len(frame) for frame in beside.answers()] == [1, 3_000_000, 0]
    finally:
        beside.end()
