"""Goal: the end of a program is heard as it comes, also where it may take only so long.

Method: small real programs; sleeping between two looks is forbidden.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from agentx.host.child import Child


@pytest.fixture
def no_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_seconds: float) -> None:
        raise AssertionError("it looks again and again")

    monkeypatch.setattr("subprocess.time.sleep", refuse)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of the end")
@pytest.mark.usefixtures("no_polls")
def test_an_end_is_heard_without_looking_again_and_again() -> None:
    with Child(["sh", "-c", "read -r _; echo heard; exit 3"], stdin=-1, stdout=-1) as process:
        out, _ = process.communicate(b"\n", timeout=60)

    assert (out, process.returncode) == (b"heard\n", 3)
    with Child(["sleep", "0.1"]) as process:
        assert process.wait(60) == 0
        assert process.wait(60) == 0, "its code is known from then on"


def test_who_takes_too_long_is_waited_for_no_longer() -> None:
    began = time.monotonic()
    with Child(["sleep", "300"]) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.1)
        assert 0.1 <= time.monotonic() - began < 100
        process.kill()


@pytest.mark.parametrize("left_s", [-0.001, -5, 0])
def test_a_time_that_is_over_already_is_not_waited_for(left_s: float) -> None:
    began = time.monotonic()
    with Child(["sleep", "300"]) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(left_s)
        process.kill()
    assert time.monotonic() - began < 100


def test_a_time_of_years_is_no_error() -> None:
    with Child(["true"]) as process:
        assert process.wait(1e9) == 0


@pytest.mark.parametrize("is_told", [True, False])
def test_where_nobody_tells_it_is_looked(monkeypatch: pytest.MonkeyPatch, is_told: bool) -> None:
    def refuse(_pid: int) -> int:
        raise OSError(24, "too many open files")

    if is_told:
        monkeypatch.setattr(os, "pidfd_open", refuse)
    else:
        monkeypatch.delattr(os, "pidfd_open")
    with Child(["sleep", "0.05"]) as process:
        assert process.wait(60) == 0
