"""Goal: a frozen value is what `dataclasses` would have made; only the moment of making differs."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import ClassVar

import pytest

from agentx.kernel.values import frozen


@frozen
class Berth:
    """A value with everything a value may have."""

    HARBOURS: ClassVar[tuple[str, ...]] = ("north", "south")

    name: str
    metres: int = 12
    boats: list[str] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        if self.metres <= 0:
            raise ValueError("a berth has a length")

    @property
    def label(self) -> str:
        """How it is called."""
        return f"{self.name}, {self.metres} m"


@frozen
class Mooring(Berth):
    """A value that adds to another."""

    depth: int = 3


@frozen(kw_only=False)
class Point:
    """A value whose parts have an order."""

    x: int
    y: int = 0


def _kind() -> type[Point]:
    @frozen(kw_only=False)
    class Fresh(Point):
        """A kind nobody has made a value of."""

    return Fresh


def _twin() -> type[Berth]:
    """Return the same class as `dataclasses` makes it."""
    body = {
        "__annotations__": {"name": "str", "metres": "int", "boats": "list[str]"},
        "__qualname__": "Berth",
        "metres": 12,
        "boats": field(default_factory=list, compare=False),
    }
    return dataclass(frozen=True, slots=True, kw_only=True)(type("Berth", (), body))


def test_a_value_looks_and_compares_as_a_dataclass_does() -> None:
    ours, theirs = Berth(name="A1"), _twin()(name="A1")

    assert repr(ours) == repr(theirs)
    assert ours == Berth(name="A1", boats=["Ida"]) != Berth(name="A2")
    assert hash(ours) == hash(Berth(name="A1")) == hash(theirs)
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert Berth.__slots__ == ("name", "metres", "boats")  # type: ignore[attr-defined]  # made by the decorator
    assert not hasattr(ours, "__dict__")


def test_what_is_not_a_field_stays_with_the_class() -> None:
    assert Berth.HARBOURS == ("north", "south")
    assert Berth(name="A1").label == "A1, 12 m"
    with pytest.raises(ValueError, match="a length"):
        Berth(name="A1", metres=0)


def test_a_value_cannot_be_changed() -> None:
    berth = Berth(name="A1")

    with pytest.raises(FrozenInstanceError):
        berth.metres = 3  # type: ignore[misc]  # what is tested
    with pytest.raises(FrozenInstanceError):
        del berth.metres
    assert replace(berth, metres=3) == Berth(name="A1", metres=3)


def test_every_default_is_its_own() -> None:
    Berth(name="A1").boats.append("Ida")

    assert Berth(name="A1").boats == []


def test_a_value_that_adds_to_another_has_the_fields_of_both() -> None:
    assert repr(Mooring(name="B1")).endswith("Mooring(name='B1', metres=12, boats=[], depth=3)")
    assert Mooring(name="B1") != Berth(name="B1")
    assert Mooring.__slots__ == ("depth",)  # type: ignore[attr-defined]  # as above


def test_parts_with_an_order_are_given_and_matched_in_it() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
    with pytest.raises(TypeError, match="positional"):
        Berth("A1")  # type: ignore[call-arg]  # what is tested


def test_a_value_is_copied_and_sent_whole() -> None:
    berth = Berth(name="A1", boats=["Ida"])

    for twin in (copy.copy(berth), copy.deepcopy(berth), pickle.loads(pickle.dumps(berth))):
        assert (twin, twin.boats) == (berth, berth.boats)


def test_a_kind_is_known_as_a_dataclass_before_it_has_values() -> None:
    kind = _kind()

    assert is_dataclass(kind)
    assert [one.name for one in fields(kind)] == ["x", "y"]


def test_threads_may_make_the_first_values_of_a_kind_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            kind = _kind()
            made = list(pool.map(kind, range(8)))

            assert [point.x for point in made] == list(range(8))


def test_the_first_of_a_kind_and_the_hundredth_are_alike() -> None:
    @frozen(kw_only=False)
    class Buoy:
        """A kind of which many are made."""

        x: int
        y: int = 0
        lamps: list[str] = field(default_factory=list, compare=False)

    made = [Buoy(1, y=2) for _ in range(100)]

    assert set(made) == {made[0]} == {made[99]}
    assert made[0] is not made[1]
    assert made[0].lamps is not made[1].lamps
    for one in (made[0], made[99]):
        match one:
            case Buoy(x, y):
                assert (x, y) == (1, 2)
        assert replace(one, y=3) == Buoy(1, 3)
        assert pickle.loads(pickle.dumps(Berth(name="A1"))) == Berth(name="A1")


@pytest.mark.parametrize(
    ("given", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 2}), ((1,), {"z": 2})]
)
def test_what_no_dataclass_would_take_is_refused_at_once(
    given: tuple[int, ...], named: dict[str, int]
) -> None:
    @frozen(kw_only=False)
    class Fresh:
        """A kind nobody has made a value of."""

        x: int
        y: int = 0

    with pytest.raises(TypeError):
        Fresh(*given, **named)
    assert Fresh(1) == Fresh(1, 0)


def test_a_default_that_all_values_would_share_is_refused() -> None:
    @frozen
    class Wrong:
        """A kind that `dataclasses` refuses."""

        names: list[str] = []  # noqa: RUF012  that is the point

    with pytest.raises(ValueError, match="mutable default"):
        Wrong()


def test_a_value_whose_fields_were_looked_at_first_takes_what_is_given_in_order() -> None:
    @frozen(kw_only=False)
    class Quay:
        name: str
        boats: list[str] = field(default_factory=list)
        metres: int = 5

    assert [part.name for part in fields(Quay)] == ["name", "boats", "metres"]

    quay = Quay("north", metres=7)

    assert (quay.name, quay.boats, quay.metres) == ("north", [], 7)
