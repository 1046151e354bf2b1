"""Goal: nothing is told twice to a session, whoever writes to its file, and whatever it is.

Method: the functions of the hook on a folder of its own; links, pipes, forged and full files;
many writers at once.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from agentx.kernel.places import encode_name
from agentx.surfaces.hooks.settled import find_spool
from agentx.surfaces.hooks.spool import Caller
from agentx.surfaces.hooks.telling.told import list_told, note_start, note_told, sweep_told


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = Caller("codex", 1, "/w/shop", "")
    Path(find_spool(made.cwd, "")).mkdir(parents=True)
    return made


def folder_of(call: Caller) -> Path:
    return Path(find_spool(call.cwd, "")) / "told"


def test_what_was_told_is_not_new_a_second_time(call: Caller) -> None:
    assert note_told(call, "s", ["obs-1", "obs-2", "obs-1"]) == (["obs-1", "obs-2"], [])
    assert note_told(call, "s", ["obs-2", "obs-3"]) == (["obs-3"], ["obs-1", "obs-2"])
    assert note_told(call, "t", ["obs-1"]) == (["obs-1"], []), "another session"
    assert list_told(call, "s") == ["obs-1", "obs-2", "obs-3"]


def test_a_session_that_begins_to_forget_is_told_anew(call: Caller) -> None:
    note_told(call, "s", ["obs-1", "obs-2"])
    note_start(call, "s", ["obs-1"], goes_on=False)

    assert list_told(call, "s") == ["obs-1"]
    assert note_told(call, "s", ["obs-2"])[0] == ["obs-2"]
    note_start(call, "s", ["obs-3"], goes_on=True)
    assert list_told(call, "s") == ["obs-1", "obs-2", "obs-3"]


def test_what_was_told_at_the_start_is_known_at_a_prompt_and_told_once_more_at_its_action(
    call: Caller,
) -> None:
    note_start(call, "s", ["obs-1"], goes_on=False)

    assert note_told(call, "s", ["obs-1"])[0] == []
    assert note_told(call, "s", ["obs-1"], again_after_start=True)[0] == ["obs-1"]
    assert note_told(call, "s", ["obs-1"], again_after_start=True)[0] == []


def test_files_are_private(call: Caller) -> None:
    note_told(call, "s", ["obs-1"])

    (file,) = folder_of(call).iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert folder_of(call).stat().st_mode & 0o077 == 0


def _race(call_and_number: tuple[str, int]) -> list[str]:
    os.environ["XDG_DATA_HOME"] = call_and_number[0]
    call = Caller("codex", 1, "/w/shop", "")
    return note_told(call, "s", [f"obs-{number}" for number in range(30)])[0]


def test_of_many_that_tell_the_same_at_once_each_thing_is_told_by_one(call: Caller) -> None:
    data = os.environ["XDG_DATA_HOME"]
    with ProcessPoolExecutor(4) as pool:
        told = [each for new in pool.map(_race, [(data, n) for n in range(16)]) for each in new]

    assert len(told) == len(set(told))
    assert set(told) == set(list_told(call, "s"))


@pytest.mark.parametrize("session", ["", "a" * 5_000, "../../etc", "\x00", "s\n\t"])
def test_no_name_of_a_session_leads_elsewhere(call: Caller, session: str) -> None:
    new, _ = note_told(call, session, ["obs-1"])

    assert new == (["obs-1"] if session else [])
    assert list(folder_of(call).glob("*")) == list(folder_of(call).rglob("*"))


def test_through_a_link_nothing_is_written_and_nothing_is_told(call: Caller) -> None:
    victim = folder_of(call).parent / "victim"
    victim.write_text("mine", encoding="utf-8")
    folder_of(call).mkdir()
    (folder_of(call) / encode_name("codex+s")).symlink_to(victim)

    assert note_told(call, "s", ["obs-1"]) == ([], [])
    assert victim.read_text(encoding="utf-8") == "mine"

    (folder_of(call) / encode_name("codex+s")).unlink()
    folder_of(call).rmdir()
    folder_of(call).symlink_to(victim.parent)
    assert note_told(call, "s", ["obs-1"]) == ([], [])


def test_a_pipe_where_the_file_should_be_holds_nobody_up(call: Caller) -> None:
    folder_of(call).mkdir()
    os.mkfifo(folder_of(call) / encode_name("codex+s"))

    assert note_told(call, "s", ["obs-1"]) == ([], [])


@pytest.mark.parametrize("held", [b"\xff\x00\xfe" * 10, b"obs-9 " * 3, b"\n\n\n"])
def test_a_forged_file_is_read_as_it_is(call: Caller, held: bytes) -> None:
    note_told(call, "s", [])
    (file,) = folder_of(call).iterdir()
    file.write_bytes(held)

    assert note_told(call, "s", ["obs-1"])[0] == ["obs-1"]
    assert file.read_bytes() == held + b"obs-1\n"


def test_a_session_that_was_told_very_much_is_told_nothing_more(call: Caller) -> None:
    note_told(call, "s", [])
    (file,) = folder_of(call).iterdir()
    file.write_bytes(b"obs-000000\n" * 6_000)

    assert note_told(call, "s", ["obs-1"])[0] == []
    assert file.stat().st_size == 66_000


def test_what_was_told_long_ago_is_swept(call: Caller) -> None:
    note_told(call, "old", ["obs-1"])
    note_told(call, "new", ["obs-1"])
    os.utime(folder_of(call) / encode_name("codex+old"), (1, 1))

    sweep_told(call)

    assert [path.name for path in folder_of(call).iterdir()] == [encode_name("codex+new")]
