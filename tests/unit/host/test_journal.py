"""Goal: what was appended is there, in order, whatever tail a crash left. Method: real files."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

import pytest

from agentx.host.files.journal import Journal
from agentx.host.system import SystemClock
from agentx.kernel.errors import CorruptRecord, LockHeld, UnavailableError
from tests.support.time_and_chance import FakeClock


def _journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "events" / "a.jsonl", FakeClock())


TEXTS = [
    "plain",
    "\u00fcml\u00e4ut",
    "\u4e2d\u6587",
    "\u05e9\u05dc\u05d5\u05dd",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "two\nlines\r\n\x00\x1b",
    "half a pair: \ud83d",
    "m" * 1_000_000,
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    journal = _journal(tmp_path)

    journal.append([{"text": text}])

    assert list(journal.records()) == [{"text": text}]


def test_a_journal_that_was_never_written_is_empty(tmp_path: Path) -> None:
    journal = _journal(tmp_path)

    journal.append([])

    assert list(journal.records()) == []
    assert list(tmp_path.iterdir()) == []


def test_records_keep_their_order_over_appends(tmp_path: Path) -> None:
    journal = _journal(tmp_path)

    journal.append([1, 2])
    journal.append([3])

    assert list(journal.records()) == [1, 2, 3]


@pytest.mark.parametrize("torn", [b'{"n":2', b"x" * 200_000, "{\u00fc".encode()[:-1]])
def test_a_torn_tail_is_stepped_over_and_then_cut(tmp_path: Path, torn: bytes) -> None:
    journal = _journal(tmp_path)
    journal.append([{"n": 1}])
    path = tmp_path / "events" / "a.jsonl"
    path.write_bytes(path.read_bytes() + torn)

    assert list(journal.records()) == [{"n": 1}]
    journal.append([{"n": 3}])
    assert list(journal.records()) == [{"n": 1}, {"n": 3}]
    assert path.read_bytes() == b'{"n":1}\n{"n":3}\n'


def test_a_file_that_is_nothing_but_a_torn_record_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{" * 150_000)
    journal = Journal(path, FakeClock())

    journal.append(["first"])

    assert list(journal.records()) == ["first"]


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\nnot json\n3\n")

    with pytest.raises(CorruptRecord, match="line 2"):
        list(Journal(path, FakeClock()).records())


def test_threads_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    def append(writer: int) -> None:
        journal = Journal(path, SystemClock())
        for number in range(25):
            journal.append([[writer, number]])

    threads = [threading.Thread(target=append, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    records = list(Journal(path, FakeClock()).records())
    assert sorted(records) == [[writer, number] for writer in range(4) for number in range(25)]
    assert [number for writer, number in records if writer == 2] == list(range(25))


def test_waiting_for_a_stopped_writer_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as stopped:
        fcntl.flock(stopped, fcntl.LOCK_EX)

        with pytest.raises(LockHeld) as held:
            Journal(path, FakeClock()).append([1])

    assert held.value.hint


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(UnavailableError, match="nothing was changed"):
        Journal(tmp_path / "file" / "a.jsonl", FakeClock()).append([1])
