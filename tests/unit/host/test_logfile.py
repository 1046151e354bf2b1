"""Goal: the log takes anything, stays within its size, and never raises. Method: real files."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agentx.host.files.logfile import LogFile, read_records
from agentx.host.limits import LOG_FILES_MAX, LOG_LINE_BYTES_MAX
from tests.support.time_and_chance import FakeClock


class _Rude:
    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


class _RudeError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def test_a_record_says_when_how_bad_what_and_who(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "agentx.jsonl"

    LogFile(path, FakeClock()).record(
        "info", "lock", path=Path("/x"), wait_ms=3, text="\u4e2d\U0001f600"
    )

    assert read_records(path, 10) == [
        {
            "time": "2026-03-02T10:00:00.000Z",
            "level": "info",
            "event": "lock",
            "pid": os.getpid(),
            "path": "/x",
            "wait_ms": 3,
            "text": "\u4e2d\U0001f600",
        }
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_any_value_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    circle: list[object] = []
    circle.append(circle)

    LogFile(path, FakeClock()).record(
        "error",
        "odd",
        circle=circle,
        rude=_Rude(),
        broken=_RudeError(),
        failure=ValueError("no \ud83d"),
        not_a_number=float("nan"),
        table={("a", 1): {1, 2}, 3: b"bytes"},
    )

    (record,) = read_records(path, 10)
    assert record["failure"] == "ValueError: no \ud83d"
    assert record["not_a_number"] == "nan"
    assert record["rude"] == "<_Rude>"
    assert "_RudeError" in record["broken"]


def test_a_huge_record_is_cut_and_still_says_what_happened(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    LogFile(path, FakeClock()).record(
        "info", "big", **{f"f{n}": "\U0001f600" * 2000 for n in range(50)}
    )

    assert path.stat().st_size <= LOG_LINE_BYTES_MAX
    (record,) = read_records(path, 1)
    assert record["event"] == "big"
    assert "characters cut" in record["cut"]


def test_nothing_is_raised_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    log = LogFile(tmp_path / "file" / "a.jsonl", FakeClock())

    log.record("info", "lost")

    assert read_records(tmp_path / "file" / "a.jsonl", 5) == []


def test_full_files_move_up_and_the_oldest_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    log = LogFile(path, FakeClock(), file_bytes_max=2_000)

    for number in range(500):
        log.record("info", "step", number=number)

    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["a.jsonl", *(f"a.jsonl.{n}" for n in range(1, LOG_FILES_MAX))]
    assert all((tmp_path / name).stat().st_size < 2_200 for name in names)
    numbers = [record["number"] for record in read_records(path, 1000)]
    assert numbers == list(range(numbers[0], 500))
    assert len(numbers) > 60


def test_the_newest_records_are_read_newest_last(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    log = LogFile(path, FakeClock(), file_bytes_max=500)
    for number in range(20):
        log.record("info", "step", number=number)

    assert [record["number"] for record in read_records(path, 7)] == list(range(13, 20))


def test_a_torn_line_spoils_neither_itself_nor_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"event":"torn", "te')

    LogFile(path, FakeClock()).record("info", "whole")

    assert [record["event"] for record in read_records(path, 10)] == ["whole"]


def test_many_writers_rotating_at_once_tear_no_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    def write(writer: int) -> None:
        log = LogFile(path, FakeClock(), file_bytes_max=20_000)
        for number in range(100):
            log.record("info", "step", writer=writer, number=number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))

    kept = [file for file in tmp_path.iterdir() if file.name.startswith("a.jsonl")]
    lines = [line for file in kept for line in file.read_bytes().splitlines() if line]
    assert all(json.loads(line)["event"] == "step" for line in lines)
    assert len(lines) == 400


def test_words_are_taken_out_of_records_in_every_file_and_nothing_else_moves(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    log = LogFile(path, FakeClock(), file_bytes_max=400)
    for number in range(6):
        log.record("info", "asked", of=f"q{number % 3}", words=f"hunter{number % 3} \u4e2d")
    sizes = {file.name: file.stat().st_size for file in tmp_path.iterdir()}
    assert len(sizes) > 1

    log.blank("of", {"q2"}, kept={"time", "event", "of"})

    assert {file.name: file.stat().st_size for file in tmp_path.iterdir()} == sizes
    assert not any(b"hunter2" in file.read_bytes() for file in tmp_path.iterdir())
    words = [record.get("words", "") for record in read_records(path, 10)]
    assert words == ["hunter0 \u4e2d", "hunter1 \u4e2d", ""] * 2
    log.record("info", "asked", of="q2", words="anew")
    assert read_records(path, 1)[0]["words"] == "anew"
