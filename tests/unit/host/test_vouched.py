"""Goal: a checkout takes over what it found when it first looked, and what its user put there.

Method: two that note at once, the first look of one within that of the other.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.documents.vouched import VouchedNotes
from tests.support.time_and_chance import FakeClock


def noting(folder: Path) -> VouchedNotes:
    return VouchedNotes(folder / "vouched.json", "/here", FakeClock(), "tests")


def nothing() -> list[str]:
    return []


def test_of_two_that_look_at_once_the_first_counts_for_both(tmp_path: Path) -> None:
    first, second = noting(tmp_path), noting(tmp_path)

    def find_late() -> list[str]:
        first.look(nothing)
        return ["typed since"]

    assert second.look(find_late) == frozenset()
    assert noting(tmp_path).look(find_late) == frozenset()


def test_what_the_user_put_there_is_taken_over_beside_it_and_told_to_who_looked_before(
    tmp_path: Path,
) -> None:
    notes = noting(tmp_path)
    assert notes.look(lambda: ["old"]) == {"old"}
    assert notes.doubt("typed", nothing)

    notes.take_over(["restored"])

    for each in (notes, noting(tmp_path)):
        assert each.look(nothing) == {"old", "restored"}
        assert not each.doubt("typed", nothing)
