"""Goal: a signature that was found good is not checked again, and none is taken for good unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.project.trust import proved
from agentx.project.trust.ed25519 import find_public, is_signed_by, sign
from agentx.project.trust.proved import ProvedSignatures, bind_words

SEED = bytes(range(32))
MANY = 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trust" / "mark" / "proved"


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was really checked."""
    found: list[bytes] = []

    def check(public: str, signature: str, message: bytes) -> bool:
        found.append(message)
        return is_signed_by(public, signature, message)

    monkeypatch.setattr(proved, "is_signed_by", check)
    return found


def _ask(path: Path, *names: str, forged: bool = False) -> list[bool]:
    check = ProvedSignatures().checking(path, find_public(SEED), names or ("here",))
    found = []
    for number in range(MANY):
        message = b"message %d" % number
        signature = sign(SEED, b"another" if forged else bind_words("here", message))
        found.append(check(signature, message))
    return found


def test_most_of_many_are_checked_once(path: Path, checked: list[bytes]) -> None:
    assert all(_ask(path))
    assert len(checked) == MANY
    checked.clear()

    assert all(_ask(path))

    assert len(checked) < 32  # the last, which were not noted yet
    assert path.stat().st_mode & 0o077 == 0


def test_words_of_the_second_of_two_names_are_checked_once_too(
    path: Path, checked: list[bytes]
) -> None:
    assert all(_ask(path, "elsewhere", "here"))
    checked.clear()

    assert all(_ask(path, "elsewhere", "here"))
    assert len(checked) < 2 * 32


def test_what_was_signed_for_a_name_that_counts_no_more_is_checked_anew(path: Path) -> None:
    assert all(_ask(path, "here"))

    assert not any(_ask(path, "elsewhere"))


def test_what_is_forged_is_never_noted(path: Path, checked: list[bytes]) -> None:
    _ask(path)  # the messages are known, with signatures of their own
    checked.clear()

    assert not any(_ask(path, forged=True))
    assert len(checked) == MANY


@pytest.mark.parametrize("raw", [b"\xff\xfe\n", b"x" * 70_000, b"0" * 31, b""])
def test_a_note_that_is_damaged_saves_nothing_and_spoils_nothing(
    path: Path, checked: list[bytes], raw: bytes
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(raw)

    assert all(_ask(path))
    assert not any(_ask(path, forged=True))


def test_where_nothing_can_be_noted_all_is_checked(path: Path, checked: list[bytes]) -> None:
    path.mkdir(parents=True)  # a folder in its place

    assert all(_ask(path))
    assert all(_ask(path))
    assert len(checked) == 2 * MANY


def test_the_note_is_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proved, "_BYTES_MAX", 2_000)
    for _ in range(3):
        assert all(_ask(path))

    assert path.stat().st_size <= 2_000
