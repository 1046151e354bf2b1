"""Goal: the machine is reported truthfully. Method: compare with this process and a dead one."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from agentx.host import system


def test_the_system_clock_tells_the_time_in_milliseconds() -> None:
    before = time.time_ns() // 1_000_000

    now_ms = system.SystemClock().now_ms()

    assert before <= now_ms <= time.time_ns() // 1_000_000


def test_sleeping_waits_and_a_negative_wait_is_none() -> None:
    clock = system.SystemClock()
    began = time.monotonic()

    clock.sleep_ms(20)
    clock.sleep_ms(-5)

    assert 0.02 <= time.monotonic() - began < 60


def test_entropy_has_the_size_asked_for_and_does_not_repeat() -> None:
    assert len(system.system_entropy(10)) == 10
    assert system.system_entropy(16) != system.system_entropy(16)


def test_this_process_lives_and_one_that_ended_does_not() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait(timeout=60)

    assert system.pid_alive(os.getpid())
    assert not system.pid_alive(child.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says so in a file")
def test_a_process_that_was_killed_and_that_nobody_asked_after_does_not_live() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert system.pid_alive(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays unasked

    assert not system.pid_alive(child.pid)
    child.communicate()


@pytest.mark.parametrize("pid", [0, -1, 2**40])
def test_what_is_no_process_id_is_not_alive(pid: int) -> None:
    assert not system.pid_alive(pid)


def test_a_process_of_another_user_is_alive() -> None:
    assert system.pid_alive(1)


def test_host_and_boot_stay_the_same() -> None:
    assert system.host_name()
    assert system.boot_id() == system.boot_id()


def test_a_childs_environment_lacks_what_begins_with_the_prefix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("KEPT", "yes")

    environment = system.environment_without("GIT_")

    assert "GIT_DIR" not in environment
    assert environment["KEPT"] == "yes"
    monkeypatch.setenv("KEPT", "no")
    monkeypatch.setenv("NEW", "1")
    monkeypatch.delenv("PATH")
    environment = system.environment_without("GIT_")
    assert (environment["KEPT"], environment["NEW"], "PATH" in environment) == ("no", "1", False)
