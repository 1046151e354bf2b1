"""Goal: a page that was read is not read again until its file is another one.

Method: real files, and a count of how often each was read.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from agentx.observations.store.files.pages import IssuePages, RawsById


class Reader:
    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, path: Path) -> RawsById:
        self.read.append(path.name)
        try:
            return {path.read_text(): [(0, msgspec.Raw(b"{}"))]}
        except FileNotFoundError:
            return {}


def test_what_did_not_change_is_read_once(tmp_path: Path) -> None:
    reader, pages = Reader(), IssuePages()
    (tmp_path / "a").write_text("one")

    found = [list(pages.find(tmp_path / "a", reader)) for _ in range(3)]

    assert (found, reader.read) == ([["one"]] * 3, ["a"])


@pytest.mark.parametrize("how", ["in place", "replaced", "replaced, as old and as long"])
def test_what_changed_is_read_again(tmp_path: Path, how: str) -> None:
    reader, pages, path = Reader(), IssuePages(), tmp_path / "a"
    path.write_text("one")
    pages.find(path, reader)

    if how == "in place":
        path.write_text("three")
    else:
        (tmp_path / "b").write_text("two" if how.endswith("long") else "three")
        if how.endswith("long"):
            looked = path.stat()
            os.utime(tmp_path / "b", ns=(looked.st_atime_ns, looked.st_mtime_ns))
        (tmp_path / "b").rename(path)

    assert list(pages.find(path, reader)) == [path.read_text()]


def test_a_file_that_goes_and_comes_is_seen(tmp_path: Path) -> None:
    reader, pages, path = Reader(), IssuePages(), tmp_path / "a"
    assert pages.find(path, reader) == {}
    path.write_text("one")
    assert list(pages.find(path, reader)) == ["one"]
    path.unlink()
    assert pages.find(path, reader) == {}


def test_no_more_is_kept_than_may_be_and_the_oldest_goes(tmp_path: Path) -> None:
    reader, pages = Reader(), IssuePages(bytes_max=25)
    for name in "abc":
        (tmp_path / name).write_text("x" * 10)
        pages.find(tmp_path / name, reader)
    (tmp_path / "large").write_text("x" * 26)

    for name in ("c", "b", "large", "large", "a"):
        pages.find(tmp_path / name, reader)

    assert reader.read == ["a", "b", "c", "large", "large", "a"]
