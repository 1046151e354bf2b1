"""Goal: what is due, and what is known of a job, follow from its record, its schedule and the time.

Method: pure steps on records, with times written out and chance in the hands of the test.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from agentx.daemon.limits import JOB_ERROR_CHARS_MAX
from agentx.daemon.scheduler.cron import parse_cron
from agentx.daemon.scheduler.life import (
    Calendar,
    begin_run,
    correct_plan,
    end_run,
    is_due,
    pass_over,
    pause,
    resume,
    take_up,
)
from agentx.daemon.scheduler.model import Every, JobRecord, JobSpec, JobState, RunResult
from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, Millis, from_iso
from agentx.kernel.errors import InvalidValue

NOON = from_iso("2026-03-04T12:00:00Z")
THREE = from_iso("2026-03-05T03:00:00Z")
CALENDAR = Calendar(zone=UTC, entropy=bytes)


def spec(when: str = "0 3 * * *", jitter_ms: int = 0) -> JobSpec:
    return JobSpec(
        name="roll", about="", when=parse_cron(when), run=lambda: None, jitter_ms=jitter_ms
    )


def at(moment: int) -> Millis:
    return Millis(moment)


def test_a_new_job_waits_for_its_time() -> None:
    record = take_up(spec(), None, CALENDAR, NOON)

    assert record.next_run_ms == THREE
    assert record.result is RunResult.NEVER
    assert not is_due(record, THREE - 1)
    assert is_due(record, THREE)


def test_a_run_that_begins_is_planned_anew_at_once() -> None:
    record = begin_run(spec(), take_up(spec(), None, CALENDAR, NOON), CALENDAR, at(THREE + 5))

    assert (record.result, record.last_started_ms, record.runs) == (
        RunResult.RUNNING,
        THREE + 5,
        1,
    )
    assert record.next_run_ms == THREE + DAY_MS


def test_however_many_runs_were_missed_one_is_due() -> None:
    record = take_up(spec("* * * * *"), None, CALENDAR, NOON)
    weeks_later = at(NOON + 21 * DAY_MS + 1)

    taken = take_up(spec("* * * * *"), record, CALENDAR, weeks_later)
    assert is_due(taken, weeks_later)

    run = begin_run(spec("* * * * *"), taken, CALENDAR, weeks_later)
    assert not is_due(run, weeks_later)
    assert run.next_run_ms == NOON + 21 * DAY_MS + MINUTE_MS


def test_a_run_that_is_asked_for_leaves_the_plan_alone() -> None:
    record = take_up(spec(), None, CALENDAR, NOON)

    assert begin_run(spec(), record, CALENDAR, at(NOON + 1)).next_run_ms == THREE


def test_a_run_ends_well_or_badly() -> None:
    run = begin_run(spec(), take_up(spec(), None, CALENDAR, NOON), CALENDAR, THREE)

    well = end_run(run, at(THREE + 40), said="rolled 3 days")
    badly = end_run(run, at(THREE + 40), error="OSError: no room \U0001f4a5")

    assert (well.result, well.duration_ms, well.said, well.failures) == (
        RunResult.OK,
        40,
        "rolled 3 days",
        0,
    )
    assert (badly.result, badly.error, badly.failures) == (
        RunResult.FAILED,
        "OSError: no room \U0001f4a5",
        1,
    )


def test_an_error_is_forgotten_when_the_next_run_begins() -> None:
    failed = end_run(JobRecord(name="roll"), NOON, error="OSError")

    assert begin_run(spec(), failed, CALENDAR, NOON).error == ""


def test_a_very_long_error_is_cut() -> None:
    record = end_run(JobRecord(name="roll"), NOON, error="\u4e16" * 1_000_000)

    assert len(record.error) <= JOB_ERROR_CHARS_MAX


def test_a_run_that_takes_no_time_by_a_clock_that_was_set_back_took_none() -> None:
    run = begin_run(spec(), JobRecord(name="roll"), CALENDAR, NOON)

    assert end_run(run, at(NOON - 5)).duration_ms == 0


def test_what_is_due_while_the_run_before_goes_on_is_skipped_and_planned_anew() -> None:
    run = begin_run(spec(), take_up(spec(), None, CALENDAR, NOON), CALENDAR, THREE)

    skipped = pass_over(spec(), run, CALENDAR, at(THREE + DAY_MS))

    assert (skipped.skipped, skipped.result) == (1, RunResult.RUNNING)
    assert skipped.next_run_ms == THREE + 2 * DAY_MS


def test_a_paused_job_is_never_due_and_stays_paused() -> None:
    record = pause(take_up(spec(), None, CALENDAR, NOON))

    assert record.next_run_ms is None
    assert not is_due(record, NOON + 999 * DAY_MS)
    assert take_up(spec(), record, CALENDAR, NOON).state is JobState.PAUSED
    assert correct_plan(spec(), record, CALENDAR, NOON) == record
    assert begin_run(spec(), record, CALENDAR, NOON).next_run_ms is None


def test_resuming_plans_from_now_and_makes_up_for_nothing() -> None:
    record = pause(take_up(spec(), None, CALENDAR, NOON))

    back = resume(spec(), record, CALENDAR, at(NOON + 30 * DAY_MS))

    assert back.state is JobState.ACTIVE
    assert back.next_run_ms == THREE + 30 * DAY_MS


def test_resuming_what_is_active_changes_nothing() -> None:
    record = take_up(spec(), None, CALENDAR, NOON)

    assert resume(spec(), record, CALENDAR, at(NOON + 30 * DAY_MS)) == record


def test_a_run_whose_process_ended_was_interrupted() -> None:
    run = begin_run(spec(), take_up(spec(), None, CALENDAR, NOON), CALENDAR, THREE)

    taken = take_up(spec(), run, CALENDAR, at(THREE + HOUR_MS))

    assert (taken.result, taken.failures, taken.last_started_ms) == (
        RunResult.INTERRUPTED,
        1,
        THREE,
    )
    assert "ended while it ran" in taken.error
    assert not is_due(taken, THREE + HOUR_MS)


def test_another_schedule_or_zone_makes_another_plan() -> None:
    record = take_up(spec(), None, CALENDAR, NOON)
    berlin = Calendar(zone=ZoneInfo("Europe/Berlin"), entropy=CALENDAR.entropy)

    assert take_up(spec("0 5 * * *"), record, CALENDAR, NOON).next_run_ms == THREE + 2 * HOUR_MS
    assert take_up(spec(), record, berlin, NOON).next_run_ms == THREE - HOUR_MS


def test_a_plan_made_by_a_clock_that_was_far_ahead_is_made_anew() -> None:
    ahead = take_up(spec(), None, CALENDAR, from_iso("2099-01-01T00:00:00Z"))

    assert take_up(spec(), ahead, CALENDAR, NOON).next_run_ms == THREE


def test_a_clock_that_is_set_back_a_little_runs_nothing_twice() -> None:
    run = end_run(begin_run(spec(), take_up(spec(), None, CALENDAR, NOON), CALENDAR, THREE), THREE)

    again = take_up(spec(), run, CALENDAR, at(THREE - 5 * MINUTE_MS))

    assert again.next_run_ms == THREE + DAY_MS


@pytest.mark.parametrize("chance", [0, 1, 59_999, 60_000, 60_001, 2**64 - 1])
def test_chance_makes_a_run_late_but_never_by_more_than_its_jitter(chance: int) -> None:
    calendar = Calendar(zone=UTC, entropy=chance.to_bytes)
    late = spec(jitter_ms=60_000)

    record = take_up(late, None, calendar, NOON)

    assert record.next_run_ms is not None
    assert record.next_run_ms == THREE + chance % 60_001
    assert take_up(late, record, calendar, NOON) == record


def test_a_duration_counts_from_the_run_before() -> None:
    every = replace(spec(), when=Every(5_000))
    record = take_up(every, None, CALENDAR, NOON)
    assert record.next_run_ms == NOON + 5_000

    run = begin_run(every, record, CALENDAR, at(NOON + 7_000))
    assert run.next_run_ms == NOON + 12_000


@pytest.mark.parametrize("name", ["", "Roll", "a b", "a--b", "-a", "a-", "../x", "r\u00f6ll", "1a"])
def test_a_name_that_is_hard_to_type_is_refused(name: str) -> None:
    with pytest.raises(InvalidValue):
        JobSpec(name=name, about="", when=Every(1), run=lambda: None)


def test_a_duration_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue):
        Every(0)
