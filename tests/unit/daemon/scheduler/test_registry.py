"""Goal: what is known of the jobs survives, and a damaged file costs only what it held.

Method: real files in a temporary folder.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.daemon.scheduler.life import pause
from agentx.daemon.scheduler.model import JobRecord, JobState, RunResult
from agentx.daemon.scheduler.registry import Registry
from agentx.kernel.clock import Millis
from tests.support.time_and_chance import FakeClock

FULL = JobRecord(
    name="roll",
    state=JobState.PAUSED,
    result=RunResult.FAILED,
    last_started_ms=Millis(1),
    last_finished_ms=Millis(0),
    duration_ms=0,
    error="\u05e9\u05d2\u05d9\u05d0\u05d4 \U0001f469\u200d\U0001f4bb \u9519\u8bef",
    said="nothing",
    runs=3,
    failures=2,
    skipped=1,
    next_run_ms=Millis(9),
    planned_by="0 3 * * * (UTC)",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "scheduler.json"


@pytest.fixture
def registry(path: Path) -> Registry:
    return Registry(path, FakeClock())


def test_what_was_written_is_read(registry: Registry, path: Path) -> None:
    bare = JobRecord(name="bare")

    registry.write([FULL, bare])

    assert registry.read() == {"roll": FULL, "bare": bare}
    assert path.stat().st_mode & 0o777 == 0o600


def test_before_the_first_write_nothing_is_known(registry: Registry) -> None:
    assert registry.read() == {}


def test_writing_one_record_leaves_the_others(registry: Registry) -> None:
    registry.write([FULL, JobRecord(name="other", runs=1)])
    registry.write([JobRecord(name="other", runs=2)])

    assert registry.read() == {"roll": FULL, "other": JobRecord(name="other", runs=2)}


def test_a_record_is_changed_in_one_step(registry: Registry) -> None:
    made = registry.change("roll", lambda found: pause(found or JobRecord(name="roll")))

    assert made.state is JobState.PAUSED
    assert registry.read() == {"roll": made}


def test_a_file_that_does_not_parse_is_moved_aside_and_said_so(
    registry: Registry, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_text('{"version": 1, "jobs": {"roll"', encoding="utf-8")

    registry.write([FULL])

    assert registry.read() == {"roll": FULL}
    (aside,) = path.parent.glob("scheduler.json.corrupt-*")
    assert aside.read_text(encoding="utf-8").endswith('{"roll"')
    assert aside.name in caplog.text


def test_a_damaged_record_costs_no_other(
    registry: Registry, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry.write([FULL])
    document = json.loads(path.read_text(encoding="utf-8"))
    document["jobs"] |= {"a": {"state": "asleep"}, "b": 7, "c": {"runs": "many"}}
    path.write_text(json.dumps(document), encoding="utf-8")

    assert registry.read() == {"roll": FULL}
    assert "asleep" in caplog.text


def test_fields_of_a_later_version_are_no_obstacle(registry: Registry, path: Path) -> None:
    registry.write([FULL])
    document = json.loads(path.read_text(encoding="utf-8"))
    document["version"] = 2
    document["jobs"]["roll"]["mood"] = "good"
    path.write_text(json.dumps(document), encoding="utf-8")

    assert registry.read() == {"roll": FULL}


@pytest.mark.parametrize("jobs", ["[]", "null", '"x"'])
def test_a_table_of_another_shape_is_an_empty_one(
    registry: Registry, path: Path, jobs: str
) -> None:
    path.parent.mkdir()
    path.write_text(f'{{"jobs": {jobs}}}', encoding="utf-8")

    assert registry.read() == {}
