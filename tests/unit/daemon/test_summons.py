"""Goal: a daemon that is told to stop hears it, whenever and however it is told.

Method: real signals to this process, sent before, while and long before anybody waits.
"""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from agentx.daemon.summons import Summons


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_came_before_anybody_waited_is_not_missed(number: signal.Signals) -> None:
    with Summons.listening() as summons:
        os.kill(os.getpid(), number)

        assert summons.wait(5_000) == number.name


def test_a_signal_ends_the_wait_at_once() -> None:
    with Summons.listening() as summons:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM)).start()
        began = time.monotonic()

        assert summons.wait(100_000) == "SIGTERM"
        assert time.monotonic() - began < 50


def test_a_call_ends_the_wait_and_is_named() -> None:
    with Summons.listening() as summons:
        threading.Timer(0.01, summons.call).start()

        assert summons.wait(10_000) == "asked to stop"


def test_without_a_summons_the_wait_ends_with_nothing() -> None:
    with Summons.listening() as summons:
        assert summons.wait(1) == ""


def test_signals_mean_afterwards_what_they_meant_before() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with Summons.listening():
        assert signal.getsignal(signal.SIGTERM) is not before

    assert signal.getsignal(signal.SIGTERM) is before
