"""Goal: systemd or launchd starts the daemon if the user wants that; nothing is claimed, nothing
stays.

Method: a throw-away home, with a service manager that writes down what it is told, or with none.
"""

from __future__ import annotations

import json
import plistlib
import signal
import subprocess
from pathlib import Path

import pytest

from agentx.operations.setup.service import find_manager
from tests.support.company import begin, end_all, running, until
from tests.support.house import BIN, House

UNIT = ".config/systemd/user"


def list_tree(home: Path) -> set[str]:
    """Return what is in a home, but what AgentX keeps of its own."""
    found = (str(path.relative_to(home)) for path in home.rglob("*"))
    return {path for path in found if not path.startswith(".local")}


def with_manager(house: House, *, code: int) -> dict[str, str]:
    """Give a `systemctl` that writes down what it is told and ends so."""
    folder = house.root / "programs"
    folder.mkdir()
    program = folder / "systemctl"
    program.write_text(
        f'#!/bin/sh\necho "$*" >>{house.root}/told\necho "no bus" >&2\nexit {code}\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{folder}:{house.environment['PATH']}"}


def test_a_file_is_shown_first_and_what_is_written_is_taken_back_exactly(house: House) -> None:
    before = list_tree(house.home)
    words = ("daemon", "install", "--manager", "systemd")

    shown = house.agentx(*words, expect=2)
    assert "ExecStart=" in shown.stdout
    assert "nothing was written" in shown.stderr
    house.agentx(*words, "--dry-run")
    assert list_tree(house.home) == before

    done = house.agentx(*words, "--yes")
    (unit,) = (house.home / UNIT).glob("agentx-shop-*.service")
    assert "enable --now" in done.stdout
    assert "starts it" not in done.stdout
    assert str(house.project) in unit.read_text()
    again = house.json(*words, "--yes")
    assert (again["changed"], again["enabled"]) == (False, None)

    gone = house.json("daemon", "uninstall")
    assert gone["changed"]
    assert Path(gone["backup"]).exists()
    assert list_tree(house.home) == before
    assert not house.json("daemon", "uninstall")["changed"]


def test_what_others_have_put_there_stays(house: House) -> None:
    folder = house.home / UNIT
    wants = folder / "default.target.wants"
    wants.mkdir(parents=True)
    (folder / "theirs.service").write_text("[Service]\n")
    (wants / "theirs.service").symlink_to(folder / "theirs.service")
    before = list_tree(house.home)
    house.agentx("daemon", "install", "--manager", "systemd", "--yes")
    (unit,) = folder.glob("agentx-*")
    (wants / unit.name).symlink_to(unit)

    house.agentx("daemon", "uninstall")
    assert list_tree(house.home) == before

    unit.write_text("[Service]\nExecStart=/usr/bin/theirs\n")
    refused = house.agentx("daemon", "install", "--manager", "systemd", "--yes", expect=None)
    assert refused.returncode != 0
    assert "was not written by AgentX" in refused.stderr
    assert house.agentx("daemon", "uninstall", expect=None).returncode != 0
    assert "theirs" in unit.read_text()


@pytest.mark.parametrize("code", [0, 1])
def test_only_the_service_manager_says_that_a_service_is_enabled(house: House, code: int) -> None:
    env = with_manager(house, code=code)
    words = ("daemon", "install", "--manager", "systemd", "--yes", "--enable")

    done = house.agentx(*words, env=env, expect=6 if code else 0)

    told = (house.root / "told").read_text().splitlines()
    if code:
        assert told == ["--user daemon-reload"]
        assert "no bus" in done.stdout
        assert "it is not enabled" in done.stdout
    else:
        assert told[1].startswith("--user enable --now agentx-shop-")
        assert "starts it, now and at every login" in done.stdout


@pytest.mark.skipif(find_manager() is not None, reason="one runs here")
def test_where_no_service_manager_runs_that_is_said_and_nothing_written(house: House) -> None:
    before = list_tree(house.home)
    refused = house.agentx("daemon", "install", "--yes", expect=None)
    assert refused.returncode != 0
    assert "neither systemd nor launchd runs here" in refused.stderr
    assert list_tree(house.home) == before


def test_what_a_unit_starts_takes_the_place_of_one_that_a_hook_sent_for(house: House) -> None:
    try:
        begin(house)
        until(lambda: len(running(house)) == 1)
        (passing,) = running(house)
        house.agentx("daemon", "install", "--manager", "launchd", "--yes")
        (file,) = (house.home / "Library" / "LaunchAgents").iterdir()
        command = plistlib.loads(file.read_bytes())["ProgramArguments"]
        assert Path(command[0]).parent == BIN
        child = subprocess.Popen(command, cwd="/", env=house.environment, stderr=subprocess.DEVNULL)
        until(lambda: running(house) == [child.pid])
        assert passing != child.pid
        (said,) = house.data.root.glob("*/daemon.json")
        assert json.loads(said.read_text())["in_foreground"]
        begin(house)
        child.send_signal(signal.SIGTERM)
        assert child.wait(60) == 0
    finally:
        end_all(house)
