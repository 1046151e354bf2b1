"""Goal: ids sort by age, hold their time, and nothing that is no id passes for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import (
    digest,
    hash_text,
    is_ulid,
    mint,
    project_id,
    raw_ulid,
    shorten_ids,
    spell,
    ulid,
    ulid_bytes,
    ulid_ms,
    ulid_raw,
)
from tests.support.time_and_chance import CountingEntropy

TIMES = st.integers(min_value=0, max_value=2**48 - 1)
CHANCE = st.binary(min_size=10, max_size=10)


@given(TIMES, CHANCE)
def test_a_ulid_gives_back_its_time_and_its_bytes(at_ms: int, chance: bytes) -> None:
    made = ulid(at_ms, chance)

    assert is_ulid(made)
    assert ulid_ms(made) == at_ms
    assert (
        ulid_bytes(made) == raw_ulid(made) == ulid_raw(at_ms, chance) == at_ms.to_bytes(6) + chance
    )


@given(TIMES, TIMES, CHANCE, CHANCE)
def test_ulids_sort_as_their_times(one: int, other: int, a: bytes, b: bytes) -> None:
    if one < other:
        assert ulid(one, a) < ulid(other, b)


def test_the_known_example_of_the_format() -> None:
    assert ulid(1469918176385, bytes(10)) == "01ARYZ6S410000000000000000"


def test_minted_ids_differ() -> None:
    entropy = CountingEntropy()

    assert mint(5, entropy) != mint(5, entropy)


@pytest.mark.parametrize("at_ms", [-1, 2**48])
def test_a_time_that_does_not_fit_is_refused(at_ms: int) -> None:
    with pytest.raises(InvalidValue):
        ulid(at_ms, bytes(10))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0" * 25,
        "0" * 27,
        "8" + "0" * 25,
        "I" * 26,
        "01arz3ndektsv4rrffq69g5fav",
        "0" * 25 + "\n",
    ],
)
def test_what_is_no_ulid_is_refused(text: str) -> None:
    assert not is_ulid(text)
    with pytest.raises(InvalidValue):
        ulid_bytes(text)


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_hash_differently(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)


@given(st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_what_is_spelled_in_two_pieces_hashes_as_one(one: list[str], other: list[str]) -> None:
    assert hash_text(spell(*one) + spell(*other)) == digest(*one, *other)


@pytest.mark.parametrize("name", ["a", "booking-3f2a9c", "A.b_c-1", "x" * 128])
def test_a_plain_project_id_passes(name: str) -> None:
    assert project_id(name) == name


@pytest.mark.parametrize(
    "name", ["", "..", ".hidden", "a/b", "a\x00b", "-rf", "x" * 129, "caf\u00e9", "a..b", "a\n"]
)
def test_a_name_that_could_leave_the_folder_is_refused(name: str) -> None:
    with pytest.raises(InvalidValue):
        project_id(name)


NAMES = st.lists(st.text("ab-0", min_size=1, max_size=14), min_size=1, max_size=12)


@given(NAMES)
def test_a_short_id_is_the_beginning_of_one_id_alone(names: list[str]) -> None:
    for name, short in shorten_ids(names, names).items():
        others = {other for other in names if other != name and other.startswith(short)}

        assert name.startswith(short)
        assert others == set() or short == name


def test_ids_that_begin_alike_are_shown_as_far_as_they_differ() -> None:
    alike = ("019caebe-bdf0-7959", "019caebe-be11-7959", "e76e783c-4414-4e03")

    assert list(shorten_ids(alike, alike).values()) == ["019caebe-bd", "019caebe-be", "e76e783c"]
    assert shorten_ids(("019caebe-bdf0-7959",), ()) == {"019caebe-bdf0-7959": "019caebe"}
