"""Goal: listeners hear facts in order, and a failing one harms nobody."""

from __future__ import annotations

from dataclasses import dataclass

from agentx.kernel.bus import Bus


@dataclass(frozen=True)
class Happened:
    """A fact."""

    number: int


@dataclass(frozen=True)
class HappenedAgain(Happened):
    """A fact of a narrower kind."""


def test_listeners_hear_their_kind_in_order() -> None:
    bus = Bus()
    heard: list[tuple[str, int]] = []
    bus.listen(Happened, lambda fact: heard.append(("all", fact.number)))
    bus.listen(HappenedAgain, lambda fact: heard.append(("again", fact.number)))

    bus.tell(Happened(1))
    bus.tell(HappenedAgain(2))
    bus.tell("something else")
    assert heard == [("all", 1), ("again", 2), ("all", 2)]


def test_a_failing_listener_is_reported_and_the_others_still_hear() -> None:
    failures: list[tuple[object, str]] = []
    bus = Bus(on_failure=lambda fact, error: failures.append((fact, str(error))))
    heard: list[int] = []

    def fails(_fact: Happened) -> None:
        raise RuntimeError("no")

    bus.listen(Happened, fails)
    bus.listen(Happened, lambda fact: heard.append(fact.number))
    bus.tell(Happened(7))

    assert heard == [7]
    assert failures == [(Happened(7), "no")]


def test_a_listener_can_stop() -> None:
    bus = Bus()
    heard: list[int] = []
    stop = bus.listen(Happened, lambda fact: heard.append(fact.number))
    bus.tell(Happened(1))
    stop()
    stop()
    bus.tell(Happened(2))

    assert heard == [1]
