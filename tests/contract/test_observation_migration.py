"""Goal: observations move from one kind of store to the other and back, the same to the byte.

Method: a store with everything an observation may have, moved both ways; and a copy that is
made wrong on purpose.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import CorruptRecord
from agentx.observations.model import Marking, Migrated, Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.observations.store.files.pending import Pending
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.migration import absorb, copy_verified, migrate
from agentx.observations.store.sqlite.store import SqliteObservationStore
from tests.support.observations import generated, observation, opened_store
from tests.support.time_and_chance import START_MS

CLOCK = SystemClock()


def _moved(folder: Path, to: str) -> Migrated:
    return migrate(
        folder,
        to=to,
        clock=CLOCK,
        entropy=system_entropy,
        view_folder=folder.parent / "views",
    )


def _contents(store: ObservationStore) -> tuple[object, ...]:
    rows = store.search_by_filters(SearchFilters())
    found = (
        sorted(store.everything(), key=lambda each: each.id),
        sorted(store.archive(), key=lambda each: each.id),
        sorted(rows, key=lambda each: each.id),
    )
    store.close()
    return found


def _filled(folder: Path) -> ObservationStore:
    store = opened_store("json", folder, CLOCK)
    kept = generated(60, issues=5, now_ms=START_MS)
    store.store(kept)
    store.store([observation("\u7f13\u5b58 \U0001f680", files=("a b.py",), commit="c0ffee")])
    store.amend([replace(kept[0], superseded_by=kept[1].id, changed_files=("x.py",))])
    store.increment_recall_count(kept[2].id, kept[3].id)
    store.compact(2, before_ms=START_MS - 30 * DAY_MS)
    store.store([observation("not settled yet")])
    return store


@pytest.mark.promise("observations.migrate")
def test_observations_move_to_sqlite_and_back_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    before = _contents(_filled(folder))

    there = _moved(folder, "sqlite")
    assert _contents(opened_store("sqlite", folder, CLOCK)) == before
    assert not (folder / "manifest.json").exists()
    assert (Path(there.kept_aside) / "manifest.json").exists()

    back = _moved(folder, "json")
    assert _contents(opened_store("json", folder, CLOCK)) == before
    assert (there.observations, there.archived) == (back.observations, back.archived)
    assert there.digest == back.digest
    assert not (folder / ".migrating").exists()
    found = opened_store("json", folder, CLOCK).search("\u7f13\u5b58")
    assert [each.summary for each in found] == ["\u7f13\u5b58 \U0001f680"]


class Forgetful(SqliteObservationStore):
    """A store that loses the last of every batch."""

    def store(self, observations: Sequence[Observation]) -> None:
        super().store(observations[:-1])


class Garbling(SqliteObservationStore):
    """A store that changes a word."""

    def store(self, observations: Sequence[Observation]) -> None:
        super().store([replace(observations[0], content="garbled"), *observations[1:]])


@pytest.mark.promise("observations.migrate")
@pytest.mark.parametrize("faulty", [Forgetful, Garbling])
def test_a_copy_that_is_not_the_same_is_refused(
    tmp_path: Path, faulty: type[SqliteObservationStore]
) -> None:
    source = _filled(tmp_path / "memory")
    assert isinstance(source, JsonObservationStore)
    target = faulty(tmp_path / "copy.db", clock=CLOCK, view_folder=tmp_path / "views")

    with pytest.raises(CorruptRecord, match="not the same"):
        copy_verified(source, target)
    target.close()


def test_what_an_old_process_captures_after_the_move_is_taken_in(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    old = _filled(folder)
    _moved(folder, "sqlite")
    late, gone = observation("captured by an old process"), observation("and removed by it")
    old.store([late, gone])
    old.increment_recall_count(late.id)
    old.amend([replace(late, superseded_by=gone.id)])
    pending = Pending(folder / "pending.jsonl", CLOCK, system_entropy)
    pending.append("remove", ids=[gone.id])

    store = SqliteObservationStore(
        folder / "observations.db", clock=CLOCK, view_folder=tmp_path / "views"
    )
    assert absorb(pending, store) == 4
    assert absorb(pending, store) == 0
    found = store.get_by_id(late.id)
    assert found is not None
    assert found.superseded_by == gone.id
    assert store.get_by_id(gone.id) is None
    store.close()


def test_a_damaged_database_is_moved_aside_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "observations.db").write_bytes(b"no database at all " * 100)
    store = opened_store("sqlite", folder, CLOCK)
    one = observation()
    store.store([one])

    assert store.get_by_id(one.id) == one
    assert "moved aside" in store.faults()[0].hint
    assert next(folder.glob("observations.db.corrupt-*")).read_bytes().startswith(b"no database")
    store.close()


def test_a_database_of_before_people_could_pin_is_read_and_written(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    one = observation("Keys live 7 days.")
    store = opened_store("sqlite", folder, CLOCK)
    store.store([one])
    store.close()
    with closing(sqlite3.connect(folder / "observations.db")) as db:
        db.execute("DROP INDEX by_marks")
        db.execute("ALTER TABLE observations DROP COLUMN marks")
        db.execute("ALTER TABLE observations DROP COLUMN branch")
        db.commit()

    with closing(opened_store("sqlite", folder, CLOCK)) as again:
        assert again.get_by_id(one.id) == one
        (now,) = again.mark([Marking(id=one.id, pinned=True)])
        assert again.search_by_filters(SearchFilters(pinned=True)) == (now.index(),)
