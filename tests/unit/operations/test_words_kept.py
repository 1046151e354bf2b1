"""Goal: where the disk took what was said and not a file that shows it, the error says that it is
kept; where it took nothing, that nothing was changed.

Method: real commands in process; a disk that refuses chosen files.
"""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import Never

import pytest

from agentx.host.files.disk import refusal_of
from agentx.host.files.journal import Journal
from agentx.lessons.store import lesson_store
from agentx.runs.store import run_store
from tests.support.players import Player


def find(words: tuple[str, ...]) -> str:
    """Return what was said by a command."""
    return next(word[word.index("NO ") :] for word in words if "NO " in word)


def refuse(*_: object, **__: object) -> Never:
    path = Path("page")
    raise refusal_of(path, OSError(errno.ENOSPC, "No space left on device"))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Player:
    player = Player(tmp_path, monkeypatch)
    player.play(below="")
    player.agentx("run", "start", "Ship it")
    player.agentx("run", "escalate", "May we sell?")
    player.play()
    return player


def test_a_word_that_was_kept_is_never_told_as_nothing(
    shop: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    (asked,) = re.findall(r"ESC-\w+", shop.agentx("clarify", "inbox")[1])[:1]
    said = {
        ("run", "escalate", "--resolve", asked, "NO never", "--as-person"): ("run", "show"),
        ("run", "event", "--type", "note", "--detail", "text=NO note"): ("run", "event"),
        ("ltm", "add", "--kind", "decision", "NO lesson"): ("ltm", "decisions"),
    }
    for words, look in said.items():
        with monkeypatch.context() as full:
            full.setattr(Journal, "append", refuse)
            full.setattr(lesson_store, "replace_file", refuse)
            code, told = shop.agentx(*words)
            assert (code, "nothing was changed" in told) == (6, True), told
        assert find(words) not in shop.agentx(*look)[1]
        with monkeypatch.context() as full:
            full.setattr(run_store, "write_if_changed", refuse)
            full.setattr(lesson_store.LessonStore, "write", refuse)
            code, told = shop.agentx(*words)
        assert (code, "nothing was changed" in told, "again" in told) == (6, False, True), told
        assert "what was said is kept" in told
        assert "do not say it again" in told
        assert shop.agentx(*look)[1].count(find(words)) == 1
