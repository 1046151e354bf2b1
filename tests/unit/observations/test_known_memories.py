"""Goal: what was read of memories before is never told of others, and spares reading them again."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.clock import Millis
from agentx.observations.model import Category
from agentx.observations.validity.reading import Comparable, ReadBefore
from agentx.observations.validity.supersede import find_superseded
from tests.unit.observations.test_overruling import OVERRULED


def told(name: str, text: str, at: int = 0, *, is_row: bool = True) -> Comparable:
    return Comparable(id=name, at_ms=Millis(at), text=text, is_row=is_row)


def test_a_memory_is_read_once_as_a_newer_and_once_as_an_older_one() -> None:
    read: list[tuple[str, bool]] = []

    def note(one: Comparable, is_newer: bool) -> str:
        read.append((one.text, is_newer))
        return f"{one.text} {is_newer}"

    for is_row in (True, False):
        known, one = ReadBefore(note), told("a", "Use npm.", is_row=is_row)
        for _ in range(3):
            assert known.read(one, is_newer=True) == "Use npm. True"
            assert known.read(replace(one), is_newer=True) == "Use npm. True"
            assert known.read(one, is_newer=False) == "Use npm. False"
        assert read == [("Use npm.", True), ("Use npm.", False)]
        # What has the same id and says something else is another memory.
        assert known.read(replace(one, text="Use pnpm."), is_newer=True) == "Use pnpm. True"
        assert known.read(replace(one), is_newer=True) == "Use npm. True"
        read.clear()


def test_what_is_known_finds_what_is_found_when_all_is_read() -> None:
    given = [
        one
        for at, (old, new) in enumerate(OVERRULED)
        for one in (
            told(f"old-{at}", f"The user said: {old}", 2 * at),
            told(f"new-{at}", f"The user said: {new}", 2 * at + 1),
        )
    ]
    given = [replace(one, category=Category.DECISION, issue=1) for one in given]
    newer = {one.id for one in given if one.id.startswith("new")}
    known = [find_superseded(given, by=newer, about={f"new-{at}"}) for at in range(len(OVERRULED))]
    again = [
        find_superseded(list(map(replace, given)), by=newer, about={f"new-{at}"})
        for at in range(len(OVERRULED))
    ]
    assert known == again
    assert sum(map(len, known)) >= len(OVERRULED)
