"""Goal: a file is replaced whole or not at all. Method: real files in a temporary folder."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.disk import refusal_of
from agentx.kernel.errors import UnavailableError


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_has_the_new_bytes_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "ledger.json"
    target.write_bytes(b"old")

    replace_file(target, "n\u00e9w \U0001f600".encode())

    assert target.read_bytes() == "n\u00e9w \U0001f600".encode()
    assert _names(tmp_path) == ["ledger.json"]


def test_a_file_is_private_unless_told_otherwise(tmp_path: Path) -> None:
    replace_file(tmp_path / "private", b"")
    replace_file(tmp_path / "public", b"", mode=0o644)

    assert _mode(tmp_path / "private") == 0o600
    assert _mode(tmp_path / "public") == 0o644


def test_missing_folders_are_made_and_are_as_private_as_the_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "a" / "b" / "secret", b"x")

    assert _mode(tmp_path / "a") == _mode(tmp_path / "a" / "b") == 0o700


def test_a_link_is_replaced_and_what_it_led_to_is_untouched(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs")
    link = tmp_path / "link"
    link.symlink_to(outside)

    replace_file(link, b"ours")

    assert outside.read_bytes() == b"theirs"
    assert not link.is_symlink()


def test_the_longest_name_can_be_replaced(tmp_path: Path) -> None:
    target = tmp_path / ("\u5b57" * 85)

    replace_file(target, b"x")

    assert target.read_bytes() == b"x"


def test_a_failure_before_the_rename_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def fail() -> None:
        raise KeyboardInterrupt

    crash.arm(CrashPoint.ATOMIC_TEMP_WRITTEN, fail)
    try:
        with pytest.raises(KeyboardInterrupt):
            replace_file(target, b"new")
    finally:
        crash.disarm()

    assert target.read_bytes() == b"old"
    assert _names(tmp_path) == ["file"]


def test_what_the_disk_refuses_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(UnavailableError, match="nothing was changed") as refused:
        replace_file(tmp_path / "file" / "below", b"x")

    assert refused.value.hint


def test_a_folder_that_was_open_to_others_becomes_private(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir(mode=0o755)

    make_private_directory(folder)
    make_private_directory(folder / "new" / "deep")

    assert _mode(folder) == _mode(folder / "new" / "deep") == 0o700


@pytest.mark.parametrize(
    ("number", "words", "hint"),
    [
        (errno.ENOSPC, "no room left", "free some disk space"),
        (errno.EROFS, "may not be written", "writable"),
        (errno.EIO, "Input/output error", "check the disk"),
    ],
)
def test_every_refusal_says_what_to_do(number: int, words: str, hint: str) -> None:
    error = refusal_of(Path("/data/file"), OSError(number, os.strerror(number)))

    assert words in error.message
    assert "/data/file" in error.message
    assert hint in error.hint
