"""Goal: every `KeyValue` keeps the same laws. Method: one suite, run by memory and by RocksDB."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.host.kv.rocks import open_rocks
from agentx.kernel.errors import UnavailableError
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import FakeClock

END = b"\xff" * 8


@pytest.fixture(params=["memory", "rocks"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeyValue]:
    opened: KeyValue
    opened = (
        MemoryStore() if request.param == "memory" else open_rocks(tmp_path / "db", FakeClock())
    )
    yield opened
    opened.close()


def _put(store: KeyValue, *keys: bytes, family: Family = Family.EVENTS) -> None:
    batch = Batch()
    for key in keys:
        batch.put(family, key, b"v" + key)
    store.write(batch)


def _keys(
    store: KeyValue,
    start: bytes = b"",
    end: bytes = END,
    *,
    reverse: bool = False,
    limit: int | None = None,
) -> list[bytes]:
    rows = store.scan(Family.EVENTS, start, end, reverse=reverse, limit=limit)
    return [key for key, _ in rows]


def test_what_was_written_is_read(store: KeyValue) -> None:
    _put(store, b"a")

    assert store.get(Family.EVENTS, b"a") == b"va"
    assert store.get(Family.EVENTS, b"b") is None


@pytest.mark.parametrize("value", [b"", b"\x00\xff\n" * 10, b"x" * 3_000_000])
def test_any_bytes_are_a_value_and_any_but_none_a_key(store: KeyValue, value: bytes) -> None:
    batch = Batch()
    batch.put(Family.KEYS, b"\x00\xff\x00", value)
    store.write(batch)

    assert store.get(Family.KEYS, b"\x00\xff\x00") == value
    assert list(store.scan(Family.KEYS, b"", END)) == [(b"\x00\xff\x00", value)]


def test_the_families_are_apart(store: KeyValue) -> None:
    batch = Batch()
    for family in Family:
        batch.put(family, b"k", family.encode())
    store.write(batch)

    assert [store.get(family, b"k") for family in Family] == [family.encode() for family in Family]


def test_many_are_read_in_the_order_asked_for(store: KeyValue) -> None:
    _put(store, b"a", b"b")

    assert store.get_many(Family.EVENTS, [b"b", b"x", b"a", b"b"]) == [b"vb", None, b"va", b"vb"]
    assert store.get_many(Family.EVENTS, []) == []


def test_a_scan_is_in_the_order_of_the_bytes_and_leaves_out_its_end(store: KeyValue) -> None:
    _put(store, b"c", b"a", b"b\xff", b"b", b"b\x00", b"d")

    assert _keys(store) == [b"a", b"b", b"b\x00", b"b\xff", b"c", b"d"]
    assert _keys(store, b"b", b"c") == [b"b", b"b\x00", b"b\xff"]
    assert _keys(store, b"b", b"c", reverse=True) == [b"b\xff", b"b\x00", b"b"]
    assert _keys(store, b"aa", b"b\x01") == [b"b", b"b\x00"]
    assert _keys(store, b"c", b"c") == _keys(store, b"d", b"a") == _keys(store, b"x") == []


def test_a_scan_ends_at_its_limit(store: KeyValue) -> None:
    _put(store, *(b"%04d" % number for number in range(700)))

    assert _keys(store, limit=0) == []
    assert _keys(store, limit=2) == [b"0000", b"0001"]
    assert _keys(store, limit=2, reverse=True) == [b"0699", b"0698"]
    assert len(_keys(store, limit=650)) == 650
    assert len(_keys(store, limit=701)) == 700


def test_a_scan_is_not_disturbed_by_what_is_written_meanwhile(store: KeyValue) -> None:
    _put(store, *(b"%04d" % number for number in range(1000)))
    rows = store.scan(Family.EVENTS, b"", END)
    first = list(islice(rows, 3))

    batch = Batch()
    batch.delete_range(Family.EVENTS, b"0500", b"0600")
    batch.put(Family.EVENTS, b"0005x", b"new")
    store.write(batch)

    assert [key for key, _ in [*first, *rows]] == [b"%04d" % number for number in range(1000)]
    assert len(_keys(store)) == 901


def test_a_batch_is_applied_in_its_order(store: KeyValue) -> None:
    batch = Batch()
    batch.put(Family.EVENTS, b"a", b"1")
    batch.delete(Family.EVENTS, b"a")
    batch.put(Family.EVENTS, b"b", b"1")
    batch.put(Family.EVENTS, b"b", b"2")
    batch.put(Family.EVENTS, b"c", b"1")
    batch.delete_range(Family.EVENTS, b"c", b"d")
    batch.delete(Family.EVENTS, b"never there")
    store.write(batch)

    assert list(store.scan(Family.EVENTS, b"", END)) == [(b"b", b"2")]
    assert len(batch) == 7


def test_many_rows_of_a_family_are_put_at_once_and_in_their_order(store: KeyValue) -> None:
    batch = Batch()
    batch.put(Family.KEYS, b"a", b"before")
    batch.put_all(Family.KEYS, [(b"a", b"1"), (b"b", b"2"), (b"a", b"3")])
    batch.put_all(Family.EVENTS, [])
    store.write(batch)

    assert list(store.scan(Family.KEYS, b"", END)) == [(b"a", b"3"), (b"b", b"2")]
    assert len(batch) == 4


def test_an_empty_batch_changes_nothing(store: KeyValue) -> None:
    store.write(Batch())
    store.write(Batch(), sync=False)

    assert _keys(store) == []


def test_a_range_is_deleted_without_its_end(store: KeyValue) -> None:
    _put(store, b"a", b"b", b"bb", b"c")

    batch = Batch()
    batch.delete_range(Family.EVENTS, b"b", b"c")
    store.write(batch)

    assert _keys(store) == [b"a", b"c"]


@pytest.mark.parametrize("family", list(Family))
def test_erasing_keeps_what_was_not_deleted(store: KeyValue, family: Family) -> None:
    _put(store, b"a", b"b", b"c", family=family)
    batch = Batch()
    batch.delete(family, b"b")
    store.write(batch)

    store.erase(family)
    _put(store, b"d", family=family)

    assert [key for key, _ in store.scan(family, b"", END)] == [b"a", b"c", b"d"]
    assert store.get(family, b"b") is None


def test_the_size_grows_with_what_is_written(store: KeyValue) -> None:
    before = store.size_bytes()

    _put(store, b"x" * 10_000)

    assert store.size_bytes() - before >= 20_000


def test_a_closed_store_says_so_and_closing_twice_is_closing_once(store: KeyValue) -> None:
    store.close()
    store.close()

    batch = Batch()
    batch.put(Family.EVENTS, b"a", b"")
    for use in (
        lambda: store.get(Family.EVENTS, b"a"),
        lambda: store.get_many(Family.EVENTS, [b"a"]),
        lambda: _keys(store),
        lambda: _keys(store, limit=0),
        lambda: store.write(batch),
        lambda: store.erase(Family.EVENTS),
        store.size_bytes,
    ):
        with pytest.raises(UnavailableError, match="closed"):
            use()


def test_threads_may_write_and_read_at_once(store: KeyValue) -> None:
    failures: list[BaseException] = []

    def work(writer: int) -> None:
        try:
            for number in range(30):
                _put(store, b"%d-%04d" % (writer, number))
                assert len(_keys(store, b"%d-" % writer, b"%d." % writer)) == number + 1
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert failures == []
    assert len(_keys(store)) == 120


KEYS = st.binary(min_size=1, max_size=3)
CHANGES = st.lists(
    st.tuples(st.just("put"), KEYS, st.binary(max_size=4))
    | st.tuples(st.just("delete"), KEYS, st.just(b""))
    | st.tuples(st.just("range"), KEYS, KEYS),
    max_size=20,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(CHANGES, max_size=4), KEYS, KEYS, st.booleans(), st.none() | st.integers(0, 5))
def test_a_store_is_a_sorted_table(
    store: KeyValue,
    batches: list[list[tuple[str, bytes, bytes]]],
    one: bytes,
    other: bytes,
    reverse: bool,
    limit: int | None,
) -> None:
    clear = Batch()
    clear.delete_range(Family.EVENTS, b"", END)
    store.write(clear)
    table: dict[bytes, bytes] = {}
    for changes in batches:
        batch = Batch()
        for what, key, value in changes:
            if what == "put":
                batch.put(Family.EVENTS, key, value)
                table[key] = value
            elif what == "delete":
                batch.delete(Family.EVENTS, key)
                table.pop(key, None)
            else:
                low, high = sorted((key, value))
                batch.delete_range(Family.EVENTS, low, high)
                table = {k: v for k, v in table.items() if not low <= k < high}
        store.write(batch, sync=False)

    start, end = sorted((one, other))
    found = list(store.scan(Family.EVENTS, start, end, reverse=reverse, limit=limit))

    wanted = sorted(((k, v) for k, v in table.items() if start <= k < end), reverse=reverse)[:limit]
    assert found == wanted
    assert store.get_many(Family.EVENTS, [one, other]) == [table.get(one), table.get(other)]
