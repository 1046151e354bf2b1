"""Goal: JSON and YAML documents are edited without loss and never overwritten when damaged.

Method: one suite for both formats on real files, then what is particular to each.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentx.host.documents.document import DocumentFile
from agentx.host.documents.json_file import json_file
from agentx.host.documents.yaml_file import YAML, readings
from agentx.host.locks.lock import locked
from agentx.kernel.errors import CorruptRecord, LockHeld, UnsafePath
from agentx.kernel.ids import is_ulid
from tests.support.time_and_chance import FakeClock

Make = Callable[[Path, FakeClock], DocumentFile]

TEXTS: dict[str, Any] = {
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f600",
    "cjk": "\u4e2d\u6587\u5b57\u7b26",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "lines": "one\n  two\n\nthree \n",
    "control": "a\x1b[31mb\x07\x85",
    "looks like": [
        "no",
        "1.5",
        "2026-03-02",
        "2026-03-02T10:00:00.000Z",
        "null",
        "~",
        "- x",
        "a: b",
    ],
    "values": [1, 1.5, True, None, {}, []],
    "": "empty key",
    "megabyte": "\u5b57" * 350_000,
}


def yaml_file(path: Path, clock: FakeClock) -> DocumentFile:
    return DocumentFile(path, YAML, clock)


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.fixture(params=[json_file, yaml_file], ids=["json", "yaml"])
def make(request: pytest.FixtureRequest) -> Make:
    chosen: Make = request.param
    return chosen


def test_a_document_that_was_never_written_is_none(tmp_path: Path, make: Make) -> None:
    assert make(tmp_path / "doc", FakeClock()).read() is None


def test_any_text_and_value_comes_back_as_it_was(tmp_path: Path, make: Make) -> None:
    file = make(tmp_path / "deep" / "doc", FakeClock())

    with file.editing() as document:
        document.update(TEXTS)

    assert file.read() == TEXTS
    assert _names(tmp_path / "deep") == ["doc"]


def test_unicode_stays_readable_on_disk(tmp_path: Path, make: Make) -> None:
    file = make(tmp_path / "doc", FakeClock())

    with file.editing() as document:
        document["name"] = "\u4e2d\u6587 \U0001f600"

    assert "\u4e2d\u6587 \U0001f600" in (tmp_path / "doc").read_text(encoding="utf-8")


def test_keys_keep_their_order(tmp_path: Path, make: Make) -> None:
    file = make(tmp_path / "doc", FakeClock())

    with file.editing() as document:
        document.update({"z": 1, "a": 2})

    assert list(file.read() or {}) == ["z", "a"]


def test_an_exception_in_the_block_leaves_the_file_as_it_was(tmp_path: Path, make: Make) -> None:
    file = make(tmp_path / "doc", FakeClock())
    with file.editing() as document:
        document["n"] = 1

    with pytest.raises(ZeroDivisionError), file.editing() as document:
        document["n"] = 1 // 0

    assert file.read() == {"n": 1}
    assert _names(tmp_path) == ["doc"]


def test_a_document_that_did_not_change_is_not_written(tmp_path: Path, make: Make) -> None:
    file = make(tmp_path / "doc", FakeClock())
    with file.editing() as document:
        document["n"] = 1
    before = (tmp_path / "doc").stat()

    with file.editing() as document:
        document["n"] = 1

    assert (tmp_path / "doc").stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    "damage",
    [
        b'{"a": 1,\n "b": [}',
        b"[1, 2",
        b"\xff\xfe\x00nonsense\xff",
        b'"just text"',
        b'{"a": "' + b"x" * 100,
    ],
    ids=["syntax", "cut", "binary", "no mapping", "torn"],
)
def test_what_does_not_parse_is_moved_aside_and_reported(
    tmp_path: Path, make: Make, damage: bytes
) -> None:
    path = tmp_path / "doc.json"
    path.write_bytes(damage)
    file = make(path, FakeClock())

    with pytest.raises(CorruptRecord, match=r"doc\.json: line \d+") as corrupt:
        file.read()

    (aside,) = tmp_path.iterdir()
    assert aside.read_bytes() == damage
    assert aside.name.startswith("doc.json.corrupt-")
    assert is_ulid(aside.name.rpartition("-")[2])
    assert aside.name in corrupt.value.hint


def test_an_edit_of_a_damaged_file_overwrites_nothing_and_the_next_begins_anew(
    tmp_path: Path, make: Make
) -> None:
    path = tmp_path / "doc"
    path.write_bytes(b"{ [ damage")
    file = make(path, FakeClock())

    with pytest.raises(CorruptRecord), file.editing() as document:
        document["n"] = 1
    with file.editing() as document:
        document["n"] = 2

    (aside,) = tmp_path.glob("doc.corrupt-*")
    assert aside.read_bytes() == b"{ [ damage"
    assert file.read() == {"n": 2}


def test_a_damaged_file_whose_lock_is_held_is_reported_and_left(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "doc"
    path.write_bytes(b"{ [ damage")
    lock = {"pid": 1, "timestamp": "2026-03-02T10:00:00.000Z", "agent": "another tool"}
    (tmp_path / "doc.lock").write_text(json.dumps(lock), encoding="utf-8")

    with pytest.raises(CorruptRecord, match=r"line \d"):
        make(path, FakeClock()).read()

    assert path.read_bytes() == b"{ [ damage"


def test_an_edit_waits_for_the_lock_and_says_who_has_it(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "doc"
    file = make(path, FakeClock())

    with (
        locked(path, owner="architect", clock=FakeClock()),
        pytest.raises(LockHeld, match="architect"),
        file.editing(wait_ms=1),
    ):
        pytest.fail("two held one lock")


def test_a_folder_in_the_files_place_is_said_in_words(tmp_path: Path, make: Make) -> None:
    (tmp_path / "doc").mkdir()

    with pytest.raises(UnsafePath, match="no plain file"):
        make(tmp_path / "doc", FakeClock()).read()


def test_json_names_the_line_at_fault(tmp_path: Path) -> None:
    (tmp_path / "doc").write_bytes(b'{\n  "a": 1,\n  "b": oops\n}')

    with pytest.raises(CorruptRecord, match="line 3 is not JSON"):
        json_file(tmp_path / "doc", FakeClock()).read()


def test_json_takes_half_a_surrogate_pair(tmp_path: Path) -> None:
    file = json_file(tmp_path / "doc", FakeClock())

    with file.editing() as document:
        document["half"] = "\ud83d"

    assert file.read() == {"half": "\ud83d"}


def test_json_nested_too_deeply_is_a_fault_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "doc").write_bytes(b'{"a":' * 100_000)

    with pytest.raises(CorruptRecord):
        json_file(tmp_path / "doc", FakeClock()).read()


def test_a_yaml_key_that_stands_twice_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "doc").write_bytes(b"a: 1\nb:\n  c: 2\n  c: 3\n")

    with pytest.raises(CorruptRecord, match="line 4 is not YAML: the key 'c' stands twice"):
        yaml_file(tmp_path / "doc", FakeClock()).read()


def test_a_text_with_keys_that_stand_twice_is_read_both_ways() -> None:
    text = b"a: 1\nb:\n  c: 2\n  d: 2026-03-02\n  c: 3\n"

    first, last = readings(text)

    assert first == {"a": 1, "b": {"c": 2, "d": "2026-03-02"}}
    assert last == {"a": 1, "b": {"c": 3, "d": "2026-03-02"}}
    assert readings(b"a: [1\n") == ()


def test_a_yaml_time_stays_text_and_an_empty_file_is_empty(tmp_path: Path) -> None:
    file = yaml_file(tmp_path / "doc", FakeClock())
    (tmp_path / "doc").write_bytes(b"at: 2026-03-02T10:00:00Z\nday: 2026-03-02\n")
    assert file.read() == {"at": "2026-03-02T10:00:00Z", "day": "2026-03-02"}

    (tmp_path / "doc").write_bytes(b"# nothing yet\n")
    assert file.read() == {}


def test_yaml_that_would_run_code_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "doc").write_bytes(b"a: !!python/object/apply:os.system ['true']\n")

    with pytest.raises(CorruptRecord, match="line 1"):
        yaml_file(tmp_path / "doc", FakeClock()).read()


def test_yaml_shows_several_lines_as_lines(tmp_path: Path) -> None:
    file = yaml_file(tmp_path / "doc", FakeClock())

    with file.editing() as document:
        document["why"] = "first\nsecond\n"

    assert (tmp_path / "doc").read_text(encoding="utf-8") == "why: |\n  first\n  second\n"


def test_yaml_writes_half_a_surrogate_pair_as_the_sign_for_what_is_missing(tmp_path: Path) -> None:
    file = yaml_file(tmp_path / "doc", FakeClock())

    with file.editing() as document:
        document["half"] = "a\ud83d"

    assert file.read() == {"half": "a\ufffd"}


MERGING = "a0: &a0 {k: 1}\n" + "".join(
    f"a{level}: &a{level} {{<<: [*a{level - 1}, *a{level - 1}]}}\n" for level in range(1, 60)
)
LAUGHING = "a0: &a0 [x, x]\n" + "".join(
    f"a{level}: &a{level} [*a{level - 1}, *a{level - 1}]\n" for level in range(1, 60)
)
TOO_MUCH = {
    "brackets": "[" * 100_000,
    "braces": "{a: " * 100_000,
    "lists": "- " * 100_000,
    "keys that are documents": "? " * 100_000,
    "a few keys that are documents": "? " * 60,
    "merges": MERGING,
    "names of names": LAUGHING,
    "lines ever deeper": "".join(f"{' ' * level}a:\n" for level in range(2_000)),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH)
def test_yaml_that_would_unfold_without_end_is_a_fault_and_no_death(text: str) -> None:
    # In a process of its own: what is wrong here ends it by a signal.
    script = (
        "import sys; from agentx.host.documents.yaml_file import YAML, readings;"
        "raw = sys.stdin.buffer.read(); print(YAML.parse(raw)); print(readings(raw))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=text.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    said, read = done.stdout.decode().splitlines()
    assert said.startswith("Fault(")
    assert read == "()"


def test_yaml_that_names_its_own_parts_is_read() -> None:
    raw = b"a: &a {k: [1, 2]}\nb: *a\nc: {<<: *a, d: 3}\n"
    document = YAML.parse(raw)
    assert document == {"a": {"k": [1, 2]}, "b": {"k": [1, 2]}, "c": {"k": [1, 2], "d": 3}}
    shared = {"k": [1, 2]}
    assert YAML.parse(YAML.dump({"a": shared, "b": [shared] * 20})) == {
        "a": shared,
        "b": [shared] * 20,
    }
