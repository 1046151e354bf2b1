"""Goal: any known version of a shape becomes today's; an unknown one is refused, not guessed at."""

from __future__ import annotations

import pytest

from agentx.kernel.codec import Versions
from agentx.kernel.errors import CorruptRecord, UnsupportedVersion

NOTES = Versions(
    name="note",
    current=3,
    upcasters={
        1: lambda shape: {"version": 1, "words": shape["text"].split()},
        2: lambda shape: {**shape, "count": len(shape["words"])},
    },
)


def test_an_old_shape_climbs_step_by_step() -> None:
    assert NOTES.lift({"version": 1, "text": "a b"}) == {
        "version": 3,
        "words": ["a", "b"],
        "count": 2,
    }


def test_todays_shape_is_returned_as_it_is() -> None:
    shape = {"version": 3, "words": [], "count": 0}

    assert NOTES.lift(shape) is shape


@pytest.mark.parametrize("version", [0, 4, 99])
def test_a_version_nobody_knows_is_refused(version: int) -> None:
    with pytest.raises(UnsupportedVersion, match="note"):
        NOTES.lift({"version": version})


@pytest.mark.parametrize("shape", [None, [], "x", {}, {"version": "1"}])
def test_what_has_no_version_is_damaged(shape: object) -> None:
    with pytest.raises(CorruptRecord, match="note"):
        NOTES.lift(shape)
