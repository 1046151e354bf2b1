"""A process that dies at a crash point, played within the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentx.host import crash
from agentx.host.crash import CrashPoint


class Died(BaseException):
    """What is raised where the process would be gone; nobody may catch it."""


@contextmanager
def dying_at(point: CrashPoint) -> Iterator[None]:
    """Die when the block passes a point; it must."""

    def strike() -> None:
        crash.disarm()
        raise Died

    crash.arm(point, strike)
    try:
        yield
    except Died:
        return
    finally:
        crash.disarm()
    raise AssertionError(f"{point} was not passed")
