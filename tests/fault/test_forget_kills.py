"""Goal: whoever is killed while forgetting leaves the events as they were, or nothing of them.

Method: a session with a word that nobody else says; the process that forgets it is killed at a
named place; then one `sync`, and every file is searched for the word and for the key.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentx.host.crash import CrashPoint
from agentx.host.kv import keys
from agentx.host.kv.port import Family
from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock
from agentx.kernel.ids import EventId
from tests.support.house import WAIT_S, House, prompt
from tests.support.on_disk import on_disk

WORD = "Zanzibarium"
DECISION = f"We decided to name the harbour {WORD} because nobody else does, and keep it so."


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house in which a session about a word was held and captured."""
    house = House(tmp_path_factory.mktemp("told") / "house")
    house.hook(prompt(DECISION, session="s-2", prompt_id="p-1"))
    house.hook(prompt("And the ferry?", session="s-1", prompt_id="p-2"))
    house.hook({"session_id": "s-2", "hook_event_name": "SessionEnd", "reason": "exit"})
    house.json("sync")
    shutil.copytree(house.root, house.root.with_name("kept"), symlinks=True)
    return house


@pytest.fixture
def house(told: House) -> House:
    """The house as it was."""
    shutil.rmtree(told.root)
    shutil.copytree(told.root.with_name("kept"), told.root, symlinks=True)
    return told


def _kill(house: House, point: CrashPoint) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fault.forget_child", str(house.project), point, "s-2"],
        env={**house.environment, "PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == -9


def _key(house: House) -> bytes:
    (event,) = [one for one in house.events() if WORD in one["text"]]
    (folder,) = house.data.root.glob("shop-*/db")
    kv = open_rocks(folder, SystemClock())
    try:
        row = kv.get(Family.KEYS, keys.event_seal_key(EventId(event["event_id"])))
    finally:
        kv.close()
    assert row is not None
    return row


def _found(house: House, key: bytes = b"") -> list[str]:
    files = [path for path in house.data.root.rglob("*") if path.is_file()]
    opened = [path.name for path in files if key and key in path.read_bytes()]
    places = (house.data.root, house.project / ".agentx")
    return opened + [name for place in places for name in on_disk(place, WORD)]


@pytest.mark.promise("log.forget")
@pytest.mark.parametrize("point", [CrashPoint.FORGET_KEY_DELETED, CrashPoint.INDEX_REPLACED])
def test_what_was_begun_to_be_forgotten_is_off_the_disk_after_the_next_command(
    house: House, point: CrashPoint
) -> None:
    key = _key(house)
    assert set(_found(house, key)) > set(_found(house)), "the check can fail"
    _kill(house, point)
    assert _found(house, key), "it was killed before the end"

    house.json("sync")

    assert _found(house, key) == []
    assert [event["text"] for event in house.events()] == ["And the ferry?"]


def test_what_was_learnt_is_in_no_file_when_the_second_try_succeeds(house: House) -> None:
    key = _key(house)
    _kill(house, CrashPoint.OBSERVATIONS_ISSUE_WRITTEN)
    memory = house.project / ".agentx" / "memory"
    assert list(memory.rglob("*.lock")), "it died while it held one"
    assert WORD in (memory / "manifest.json").read_text(encoding="utf-8")
    left = memory / ".manifest.json.0123456789abcdef.tmp"
    shutil.copyfile(memory / "manifest.json", left)  # as one leaves it who dies before it is named

    house.json("forget", "--session", "s-2", "--yes")

    assert _found(house, key) == []
