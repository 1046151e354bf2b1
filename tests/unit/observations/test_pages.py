"""Goal: a page that was read is not read again until its file is another one, and no record is
taken from where another lies by now.

Method: real files, and a count of how often each was read.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentx.observations.store.files.pages import IssuePages, Place, RecordPlaces, read_pieces

WHOLE = (0, 0, 10)


class Reader:
    def __init__(self, *, is_packed: bool = False) -> None:
        self.read: list[str] = []
        self.is_packed = is_packed

    def __call__(self, path: Path) -> RecordPlaces | None:
        self.read.append(path.name)
        try:
            text = path.read_text()
        except FileNotFoundError:
            return None
        return RecordPlaces({text: (WHOLE,)}, text.encode() if self.is_packed else b"")


def names(pages: IssuePages, path: Path, reader: Reader) -> list[str]:
    page = pages.find(path, reader)
    return [] if page is None else list(page.placed.places)


def test_what_did_not_change_is_read_once(tmp_path: Path) -> None:
    reader, pages = Reader(), IssuePages()
    (tmp_path / "a").write_text("one")

    found = [names(pages, tmp_path / "a", reader) for _ in range(3)]

    assert (found, reader.read) == ([["one"]] * 3, ["a"])


@pytest.mark.parametrize("how", ["in place", "replaced", "replaced, as old and as long"])
def test_what_changed_is_read_again(tmp_path: Path, how: str) -> None:
    reader, pages, path = Reader(), IssuePages(), tmp_path / "a"
    path.write_text("one")
    before = pages.find(path, reader)
    assert before is not None
    assert read_pieces(path, before, [WHOLE]) == [b"one"]

    if how == "in place":
        path.write_text("three")
    else:
        (tmp_path / "b").write_text("two" if how.endswith("long") else "three")
        if how.endswith("long"):
            looked = path.stat()
            os.utime(tmp_path / "b", ns=(looked.st_atime_ns, looked.st_mtime_ns))
        (tmp_path / "b").rename(path)

    assert read_pieces(path, before, [WHOLE]) is None, "another record may lie there by now"
    assert names(pages, path, reader) == [path.read_text()]


def test_a_file_that_goes_and_comes_is_seen(tmp_path: Path) -> None:
    reader, pages, path = Reader(), IssuePages(), tmp_path / "a"
    assert names(pages, path, reader) == []
    path.write_text("one")
    assert names(pages, path, reader) == ["one"]
    path.unlink()
    assert names(pages, path, reader) == []


def test_what_is_packed_is_kept_unpacked(tmp_path: Path) -> None:
    reader, pages, path = Reader(is_packed=True), IssuePages(), tmp_path / "a"
    path.write_text("one")
    page = pages.find(path, reader)
    path.unlink()
    assert page is not None
    assert read_pieces(path, page, [WHOLE]) == [b"one"]


def test_no_more_is_kept_than_may_be_and_the_oldest_goes(tmp_path: Path) -> None:
    reader, pages = Reader(is_packed=True), IssuePages(bytes_max=625)
    for name in "abc":
        (tmp_path / name).write_text("x" * 10)
        pages.find(tmp_path / name, reader)
    (tmp_path / "large").write_text("x" * 400)

    for name in ("c", "b", "large", "large", "a"):
        pages.find(tmp_path / name, reader)

    assert reader.read == ["a", "b", "c", "large", "large", "a"]


def test_records_that_were_opened_go_with_the_file_they_lie_in(tmp_path: Path) -> None:
    reader, pages, path = Reader(), IssuePages(), tmp_path / "a"
    path.write_text("one")
    page = pages.find(path, reader)
    assert page is not None
    page.keep_opened({WHOLE: None})

    assert (again := pages.find(path, reader)) is not None
    assert again.opened == {WHOLE: None}
    path.write_text("three")
    assert (other := pages.find(path, reader)) is not None
    assert other.opened == {}


def test_no_more_records_stay_open_than_there_is_room_for(tmp_path: Path) -> None:
    reader, pages, path = Reader(), IssuePages(), tmp_path / "a"
    path.write_text("one")
    page = pages.find(path, reader)
    assert page is not None
    large: list[Place] = [(at, 0, 3 * 1024 * 1024) for at in range(2)]

    page.keep_opened({large[0]: None})
    page.keep_opened({large[1]: None})

    assert list(page.opened) == [large[1]]
