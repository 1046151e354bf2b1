"""Goal: one holder at a time, also while the file is being removed. Method: two descriptors."""

from __future__ import annotations

from pathlib import Path

from agentx.host.locks.flock import Flock, is_at


def test_a_held_file_is_held_once(tmp_path: Path) -> None:
    first = Flock.claim(tmp_path / "f")
    assert first is not None

    with first:
        assert Flock.claim(tmp_path / "f") is None
    second = Flock.claim(tmp_path / "f")

    assert second is not None
    second.release()


def test_a_removed_file_is_not_the_one_that_others_get(tmp_path: Path) -> None:
    path = tmp_path / "f"
    first = Flock.claim(path)
    assert first is not None

    first.remove()
    second = Flock.claim(path)

    assert second is not None
    assert not is_at(first.descriptor, path)
    assert is_at(second.descriptor, path)
    first.release()
    assert Flock.claim(path) is None
    second.remove()
    second.release()
    assert not is_at(0, path)
