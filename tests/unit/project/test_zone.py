"""Goal: schedules follow the clock of the user's machine, with its daylight saving.

Method: environments and links made by the test.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.project.config import read_environment
from agentx.project.zone import machine_zone


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Asia/Tokyo", "Asia/Tokyo"),
        ("/usr/share/zoneinfo/America/New_York", "America/New_York"),
        ("UTC", "UTC"),
        ("Etc/UTC", "UTC"),
        # Not the name of a zone: the machine decides.
        ("CET-1CEST", "Pacific/Apia"),
        ("../../etc/passwd", "Pacific/Apia"),
        ("", "Pacific/Apia"),
    ],
)
def test_the_variable_comes_before_the_machine(tmp_path: Path, said: str, meant: str) -> None:
    link = tmp_path / "localtime"
    link.symlink_to("../usr/share/zoneinfo/Pacific/Apia")

    assert str(machine_zone(read_environment({"TZ": said}), link)) == meant


def test_a_machine_that_does_not_say_is_at_utc(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"TZif2")
    (tmp_path / "elsewhere").symlink_to("/somewhere/else")

    for name in ("file", "elsewhere", "missing"):
        assert str(machine_zone(read_environment({}), tmp_path / name)) == "UTC"
