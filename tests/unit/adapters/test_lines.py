"""Files of JSON lines: damaged lines are told, and nothing else is lost for them.

Method: small files on disk, with every kind of damage a writer or a disk can do.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from agentx.adapters.limits import TRANSCRIPT_HEAD_LINES_MAX
from agentx.adapters.lines import head, json_lines
from agentx.adapters.port import Damaged


def _numbers(path: Path) -> list[int]:
    return [found[0] for found in json_lines(path) if not isinstance(found, Damaged)]


def _damaged(path: Path) -> list[int]:
    return [found.line for found in json_lines(path) if isinstance(found, Damaged)]


@pytest.mark.parametrize(
    "damage",
    [
        b'{"a": 1',
        b'{"a": 1}{"b": 2}',
        b"[1, 2]",
        b"\x00" * 40,
        b"\xff\xfe{",
        b"[" * 100_000,
        b'{"n": ' + b"9" * 5000 + b"}",
    ],
    ids=["cut", "two in one", "no object", "zeros", "no text", "deep", "endless number"],
)
def test_a_damaged_line_is_told_and_the_rest_is_read(damage: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a": 1}\n' + damage + b'\n\n{"b": 2}\n')

    assert _numbers(path) == [1, 4]
    assert _damaged(path) == [2]


def test_a_last_line_that_is_whole_counts_without_its_newline(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": 2}')

    assert _numbers(path) == [1, 2]


def test_a_last_line_that_is_being_written_is_not_damage(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": "\xe6\xbc')

    assert (_numbers(path), _damaged(path)) == ([1], [])


def test_bytes_that_are_no_text_do_not_cost_the_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"a": "caf\xe9"}\n')

    assert list(json_lines(path)) == [(1, {"a": "caf\ufffd"})]


def test_a_line_past_the_bound_is_told_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"a": "{"x" * 500}"}}\n{{"b": 2}}\n', encoding="utf-8")
    found = list(json_lines(path, line_bytes_max=100))

    assert isinstance(found[0], Damaged)
    assert found[1:] == [(2, {"b": 2})]


def test_a_line_of_a_megabyte_is_read(tmp_path: Path) -> None:
    text = "\u6f22\U0001f600" * 150_000
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"a": text}, ensure_ascii=False) + "\n", encoding="utf-8")

    assert list(json_lines(path)) == [(1, {"a": text})]


def test_a_compressed_file_of_several_frames_is_read_through(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    pack = zstandard.ZstdCompressor().compress
    path.write_bytes(pack(b'{"a": 1}\n{"b"') + pack(b': 2}\n{"c": 3}\n'))

    assert _numbers(path) == [1, 2, 3]


def test_the_head_of_a_long_file_is_short(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n' * 1000, encoding="utf-8")

    assert len(list(head(path))) == TRANSCRIPT_HEAD_LINES_MAX


def test_what_only_a_lenient_reader_takes_for_json_is_read_as_by_one(tmp_path: Path) -> None:
    rows = (
        b'{"a": "\\ud800"}',
        b'{"a": 1e400}',
        b'{"a": Infinity}',
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": "\xff"}',
        b'{"a": 123456789012345678901234567890}',
        b'{"a": 1, "a": -0.0}',
    )
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\n".join(rows) + b"\n")

    expected = [json.loads(row.decode("utf-8", "replace").lstrip("\ufeff")) for row in rows]
    assert [repr(found[1]) for found in json_lines(path) if isinstance(found, tuple)] == [
        repr(one) for one in expected
    ]
