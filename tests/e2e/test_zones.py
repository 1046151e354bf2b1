"""Goal: days are cut in one time zone, and who stands in another is told what that does.

Method: one session near midnight, read in several time zones, with a daemon and without.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.house import House, prompt

# 22:30 in UTC: the next day in Tokyo, and not yet in Berlin before summer time.
AT_MS = 1_770_417_000_000
TOKYO, BERLIN = {"TZ": "Asia/Tokyo"}, {"TZ": "Europe/Berlin"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    made.hook(prompt("count the boxes"), env={"AGENTX_REPLAY_MS": str(AT_MS)})
    yield made
    made.agentx("daemon", "stop", expect=None)


def read_days(house: House, env: dict[str, str]) -> tuple[str, str]:
    """Return the days of the table of contents, and what was said beside it."""
    done = house.agentx("toc", "--depth", "5", env=env)
    days = [line.strip() for line in done.stdout.splitlines() if "February" in line]
    return next(day for day in days if "Friday" in day or "Saturday" in day), done.stderr


def test_another_time_zone_cuts_days_anew_and_says_so(house: House) -> None:
    day, said = read_days(house, BERLIN)
    assert "Friday" in day
    assert "time zone" not in said

    day, said = read_days(house, TOKYO)
    assert "Saturday" in day
    assert "the time zone is Asia/Tokyo now, it was Europe/Berlin: days are cut anew" in said
    assert "time zone" not in read_days(house, TOKYO)[1]


def test_a_daemon_cuts_days_as_they_were_wherever_it_was_started(house: House) -> None:
    read_days(house, BERLIN)
    house.agentx("daemon", "start", env=TOKYO)

    day, said = read_days(house, BERLIN)
    assert "Friday" in day
    assert "days are cut" not in said
    day, said = read_days(house, TOKYO)
    assert "Friday" in day
    assert "days are cut for Europe/Berlin, and here it is Asia/Tokyo" in said

    house.agentx("rebuild", "toc", env=TOKYO)
    assert "Saturday" in read_days(house, TOKYO)[0]
    house.agentx("daemon", "start", env=BERLIN)
    assert "Saturday" in read_days(house, TOKYO)[0]


def test_a_setting_counts_more_than_any_surroundings(house: House) -> None:
    read_days(house, BERLIN)
    house.agentx("config", "set", "--here", "toc.timezone", "Asia/Tokyo")
    house.agentx("daemon", "start", env=BERLIN)

    for env in (BERLIN, TOKYO):
        day, said = read_days(house, env)
        assert "Saturday" in day
        assert "days are cut for" not in said


def test_json_says_nothing_beside_its_data(house: House) -> None:
    read_days(house, BERLIN)
    assert house.agentx("toc", "--json", env=TOKYO).stderr == ""
