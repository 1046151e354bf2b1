"""Goal: a process that did something large becomes small again, and no allocator is presumed.

Method: a child that fills and frees the heap from several threads, and says how large it is.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from agentx.host.heap import give_back, measure_bytes

MB = 1024 * 1024
WORK = """
import threading
from agentx.host.heap import give_back, keep_few_arenas, measure_bytes
keep_few_arenas()
before, kept = measure_bytes(), []
def work():
    held = [bytes(4_000) for _ in range(8_000)]
    kept.append(held[::200])
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
large = measure_bytes()
give_back()
print(large - before, measure_bytes() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the allocator of glibc")
def test_what_a_large_batch_needed_is_given_back() -> None:
    said = subprocess.run(
        [sys.executable, "-c", WORK], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    large, after = map(int, said.split())
    assert large > 25 * MB
    assert after < 8 * MB


def test_a_process_knows_its_size() -> None:
    assert 5 * MB < measure_bytes() < 10_000 * MB


class Ring:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collector() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("collector")
def test_what_was_there_the_last_time_is_passed_over_unless_all_is_looked_through() -> None:
    old = Ring()
    kept = weakref.ref(old)
    give_back()
    del old
    new = weakref.ref(Ring())

    give_back(whole=False)
    assert (kept() is not None, new()) == (True, None)

    give_back()
    assert kept() is None
