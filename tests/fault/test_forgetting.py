"""Goal: what was forgotten cannot be read again by anyone who has the disk.

Method: the bytes of the keys are noted before, the store is closed after, and every file of it
is searched. Then the log is lost, while a transcript still holds what was forgotten.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentx.conversation.model import EventQuery, Grave
from agentx.conversation.service import Conversation
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.reunion import name_again
from agentx.conversation.store.rows import session_ref
from agentx.host.kv import keys
from agentx.host.kv.port import Family
from agentx.host.kv.rocks import open_rocks
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.bus import Bus
from tests.support.drafts import draft
from tests.support.house import House


def _open(folder: Path) -> Conversation:
    clock = SystemClock()
    store = LogStore(open_rocks(folder, clock), entropy=system_entropy)
    return Conversation(store, project="p", clock=clock, bus=Bus())


def _anywhere(folder: Path, needle: bytes) -> list[str]:
    return [
        path.name for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()
    ]


def _key_row(folder: Path, key: bytes) -> bytes:
    kv = open_rocks(folder, SystemClock())
    try:
        row = kv.get(Family.KEYS, key)
    finally:
        kv.close()
    assert row is not None
    return row


@pytest.mark.promise("log.forget")
def test_the_key_of_a_forgotten_event_is_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "db"
    log = _open(folder)
    gone, kept = log.append(
        [draft("gone", source_id="1"), draft("kept", source_id="2", at=1)]
    ).stored
    log.close()
    wrapped = _key_row(folder, keys.event_seal_key(gone))
    assert _anywhere(folder, wrapped), "the check can fail: the key is on disk before"

    log = _open(folder)
    log.forget_event(gone)
    log.close()

    assert _anywhere(folder, wrapped) == []
    assert _anywhere(folder, _key_row(folder, keys.event_seal_key(kept)))


def test_the_keys_of_a_forgotten_session_are_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "db"
    log = _open(folder)
    (event,) = log.append([draft("gone")]).stored
    log.append([draft("kept", session_id="s-2")])
    log.close()
    wrapped = _key_row(folder, keys.event_seal_key(event))
    session_key = _key_row(folder, keys.session_seal_key(session_ref("p", "claude-code", "s-1")))

    log = _open(folder)
    log.forget_session("s-1")
    kept = [one.text for one in log.events(EventQuery()).events]
    log.close()

    assert kept == ["kept"]
    assert _anywhere(folder, wrapped) == []
    assert _anywhere(folder, session_key) == []


def test_no_text_of_a_conversation_is_readable_on_disk_without_its_key(tmp_path: Path) -> None:
    folder = tmp_path / "db"
    log = _open(folder)
    log.append([draft("the owl flies at midnight", metadata={"file": "owls.txt"})])
    log.close()

    assert _anywhere(folder, b"owl") == []


def _leave_transcripts(house: House) -> None:
    folder = house.home / ".claude" / "projects" / "p"
    folder.mkdir(parents=True)
    for session, texts in {"s-1": ("gone", "kept"), "s-2": ("gone alone",)}.items():
        lines = [
            {
                "type": "user",
                "sessionId": session,
                "uuid": f"{session}-{number}",
                "cwd": str(house.project),
                "timestamp": f"2026-03-02T10:00:0{number}.000Z",
                "message": {"role": "user", "content": text},
            }
            for number, text in enumerate(texts)
        ]
        told = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{session}.jsonl").write_text(told, encoding="utf-8")


@pytest.mark.promise("log.forget")
@pytest.mark.parametrize("lost", ["log", "store"])
def test_an_event_that_was_forgotten_stays_so_when_everything_else_is_lost(
    tmp_path: Path, lost: str
) -> None:
    house = House(tmp_path)
    _leave_transcripts(house)
    house.json("import")
    for event in house.events():
        if event["text"].startswith("gone"):
            house.json("forget", "--event", event["event_id"])
    (store,) = [path.parent for path in house.data.root.glob("*/db")]
    shutil.rmtree(store / "db" if lost == "log" else store)

    house.agentx("doctor", "--fix", "--yes", "--json", expect=None)
    house.json("import")

    assert [event["text"] for event in house.events() if event["text"]] == ["kept"]
    assert house.json("doctor", expect=None)["well"]


def test_of_events_that_look_alike_only_the_forgotten_ones_stay_away(tmp_path: Path) -> None:
    graves: list[Grave] = []
    clock = SystemClock()
    kv = open_rocks(tmp_path / "first", clock)
    log = LogStore(kv, entropy=system_entropy, bury=graves.append)
    drafts = [draft("yes", at=number, delivery=f"line-{number}") for number in range(3)]
    _, second, third = log.append(drafts, project="p").stored
    found = [event for each in (second, third) if (event := log.get(each)) is not None]
    log.forget_events(found[:1])
    log.forget_events(found[1:])
    log.close()

    fresh = open_rocks(tmp_path / "second", clock)
    name_again(fresh, [name for grave in graves for name in grave.names])
    again = LogStore(fresh, entropy=system_entropy)
    assert len(again.append(drafts, project="p").stored) == 1
    assert again.append(drafts, project="p").stored == ()
    again.close()
