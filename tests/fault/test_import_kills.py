"""Goal: an import may be ended at any moment, by a kill or by the keyboard, and goes on after it.

Method: some megabytes of transcripts are imported by the real command, which is ended again and
again while it is at work; what is kept in the end is what an import that nobody disturbed keeps.
"""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.house import BIN, House
from tests.support.years import write_years

SESSIONS = 2
SESSIONS_MANY = 8
WAIT_S = 200


def listed(house: House) -> list[tuple[str, str, str, int]]:
    """Return every event, as far as it does not depend on when it was imported."""
    return sorted(
        (one["session_id"], one["event_type"], one["text"][:80], one["timestamp_ms"])
        for one in house.json("events", "--limit", "5000")["events"]
    )


def import_for(house: House, seconds: float, ended_by: signal.Signals) -> int:
    """Import for so long, then end it; return what it left with."""
    process = subprocess.Popen(
        [str(BIN / "agentx"), "import", "--json"],
        cwd=house.project,
        env=house.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    process.send_signal(ended_by)
    return process.wait(WAIT_S)


KILLS = ((0.7, signal.SIGKILL), (1.0, signal.SIGINT))


def test_an_import_that_was_ended_goes_on_and_keeps_everything_once(tmp_path: Path) -> None:
    _end_and_go_on(tmp_path, SESSIONS, KILLS)


@pytest.mark.soak
def test_an_import_that_was_ended_often_goes_on_and_keeps_everything_once(tmp_path: Path) -> None:
    ended = tuple((0.4 + turn / 5, (signal.SIGKILL, signal.SIGINT)[turn % 2]) for turn in range(12))
    _end_and_go_on(tmp_path, SESSIONS_MANY, ended)


def _end_and_go_on(
    tmp_path: Path, sessions: int, ended: tuple[tuple[float, signal.Signals], ...]
) -> None:
    disturbed, calm = House(tmp_path / "a"), House(tmp_path / "b")
    for house in (disturbed, calm):
        write_years(house.home, house.project, sessions)

    for seconds, ended_by in ended:
        import_for(disturbed, seconds, ended_by)
    for house in (disturbed, calm):
        reply = house.json("import")
        assert reply["complete_ms"] >= reply["searchable_ms"]

    kept = listed(calm)
    assert listed(disturbed) == kept
    assert len(kept) >= 20 * sessions
    oldest, newest = "colour0x", f"colour{sessions - 1}x"
    for word in (oldest, newest):
        assert disturbed.json("search", word)["hits"]
