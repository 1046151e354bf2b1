"""Goal: settings files are written so that nothing of the user's can be lost.

Method: real files in a temporary folder: links, modes, files that change under our hands,
files and folders that are read-only.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.adapters.limits import SETTINGS_BACKUPS_MAX
from agentx.adapters.port import FileEdit
from agentx.adapters.settings.edits import apply, diff_text
from agentx.kernel.errors import StaleVersion, UnavailableError
from agentx.kernel.paths import DataPaths
from tests.support.time_and_chance import FakeClock

BEFORE = '{"a": 1}\r\n\u65e5\u672c'
AFTER = '{"a": 2}\r\n\U0001f600'


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "data")


def edit_of(path: Path, after: str | None = AFTER) -> FileEdit:
    before = path.read_bytes().decode() if path.exists() else None
    return FileEdit(path=path, before=before, after=after)


def settings_in(folder: Path, name: str = "settings.json") -> Path:
    path = folder / name
    path.write_bytes(BEFORE.encode())
    return path


def test_the_old_content_is_kept_aside_for_this_user_only(tmp_path: Path, data: DataPaths) -> None:
    path = settings_in(tmp_path)

    (applied,) = apply([edit_of(path)], data, FakeClock())

    assert path.read_bytes() == AFTER.encode()
    assert applied.changed
    assert applied.backup is not None
    assert applied.backup.read_bytes() == BEFORE.encode()
    assert applied.backup.parent == data.backups
    assert applied.backup.stat().st_mode & 0o777 == 0o600
    assert data.backups.stat().st_mode & 0o777 == 0o700


def test_the_mode_of_a_file_stays_and_a_new_one_gets_the_one_asked_for(
    tmp_path: Path, data: DataPaths
) -> None:
    path = settings_in(tmp_path)
    path.chmod(0o640)
    new = tmp_path / "a" / "b" / "new.json"

    apply([edit_of(path), edit_of(new)], data, FakeClock(), new_mode=0o644)

    assert path.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode & 0o777 == 0o644
    assert new.read_bytes() == AFTER.encode()


def test_a_linked_file_is_changed_where_it_really_lies(tmp_path: Path, data: DataPaths) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    real = settings_in(dotfiles)
    link = tmp_path / "settings.json"
    link.symlink_to(real)

    apply([edit_of(link)], data, FakeClock())

    assert link.is_symlink()
    assert real.read_bytes() == AFTER.encode()


def test_a_link_to_a_file_that_is_not_there_yet_makes_that_file(
    tmp_path: Path, data: DataPaths
) -> None:
    link = tmp_path / "settings.json"
    link.symlink_to(tmp_path / "dotfiles" / "settings.json")

    apply([edit_of(link)], data, FakeClock())

    assert link.is_symlink()
    assert (tmp_path / "dotfiles" / "settings.json").read_bytes() == AFTER.encode()


def test_a_file_that_is_to_go_is_kept_aside_and_gone(tmp_path: Path, data: DataPaths) -> None:
    path = settings_in(tmp_path)

    (applied,) = apply([edit_of(path, None)], data, FakeClock())

    assert not path.exists()
    assert applied.backup is not None
    assert applied.backup.read_bytes() == BEFORE.encode()


def test_a_linked_file_that_is_to_go_leaves_no_link_to_nothing(
    tmp_path: Path, data: DataPaths
) -> None:
    real = settings_in(tmp_path, "real.json")
    link = tmp_path / "settings.json"
    link.symlink_to(real)

    apply([edit_of(link, None)], data, FakeClock())

    assert not link.is_symlink()
    assert not real.exists()


def test_an_edit_that_changes_nothing_writes_nothing(tmp_path: Path, data: DataPaths) -> None:
    path = settings_in(tmp_path)
    inode = path.stat().st_ino

    (applied,) = apply([edit_of(path, BEFORE)], data, FakeClock())

    assert not applied.changed
    assert applied.backup is None
    assert path.stat().st_ino == inode
    assert not data.root.exists()


def test_a_file_that_changed_since_it_was_read_is_not_overwritten(
    tmp_path: Path, data: DataPaths
) -> None:
    first, second = settings_in(tmp_path, "a.json"), settings_in(tmp_path, "b.json")
    edits = [edit_of(first), edit_of(second)]
    second.write_text("meanwhile")

    with pytest.raises(StaleVersion, match=r"b\.json"):
        apply(edits, data, FakeClock())

    assert first.read_bytes() == BEFORE.encode()
    assert second.read_text() == "meanwhile"


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path: Path, data: DataPaths) -> None:
    path = tmp_path / "settings.json"
    edit = edit_of(path)
    path.write_text("theirs")

    with pytest.raises(StaleVersion):
        apply([edit], data, FakeClock())

    assert path.read_text() == "theirs"


def test_a_read_only_file_is_named_and_nothing_is_written(tmp_path: Path, data: DataPaths) -> None:
    first, second = settings_in(tmp_path, "a.json"), settings_in(tmp_path, "b.json")
    second.chmod(0o444)

    with pytest.raises(UnavailableError, match=r"b\.json: is read-only") as caught:
        apply([edit_of(first), edit_of(second)], data, FakeClock())

    assert "--diff" in caught.value.hint
    assert first.read_bytes() == BEFORE.encode()
    assert second.read_bytes() == BEFORE.encode()


@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_folder_is_named(tmp_path: Path, data: DataPaths, exists: bool) -> None:
    folder = tmp_path / "claude"
    folder.mkdir()
    path = settings_in(folder) if exists else folder / "deep" / "settings.json"
    folder.chmod(0o555)

    try:
        with pytest.raises(UnavailableError, match="claude: is read-only"):
            apply([edit_of(path)], data, FakeClock())
    finally:
        folder.chmod(0o755)


def test_old_copies_go_when_there_are_too_many(tmp_path: Path, data: DataPaths) -> None:
    path, clock = settings_in(tmp_path), FakeClock()
    other = settings_in(tmp_path, "other.json")
    apply([edit_of(other)], data, clock)

    for count in range(SETTINGS_BACKUPS_MAX + 3):
        clock.advance(1)
        apply([edit_of(path, f"version {count}")], data, clock)

    kept = sorted(data.backups.glob("*settings*"))
    assert len(kept) == SETTINGS_BACKUPS_MAX
    assert kept[-1].read_text() == f"version {SETTINGS_BACKUPS_MAX + 1}"
    assert len(list(data.backups.glob("*other*"))) == 1


def test_two_copies_in_one_moment_are_both_kept(tmp_path: Path, data: DataPaths) -> None:
    path, clock = settings_in(tmp_path), FakeClock()

    first = apply([edit_of(path)], data, clock)[0].backup
    second = apply([edit_of(path, "third")], data, clock)[0].backup

    assert first is not None
    assert second is not None
    assert first.read_bytes() == BEFORE.encode()
    assert second.read_bytes() == AFTER.encode()


def test_a_diff_shows_what_changes_and_what_is_new_or_gone() -> None:
    path = Path("/home/ada/settings.json")

    changed = diff_text(FileEdit(path=path, before="a\nb\n", after="a\nc"))
    new = diff_text(FileEdit(path=path, before=None, after="a\n"))
    gone = diff_text(FileEdit(path=path, before="a\n", after=None))

    assert changed == (
        f"--- {path}\n+++ {path}\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"
    )
    assert new.startswith("--- /dev/null\n")
    assert "+++ /dev/null\n" in gone
    assert diff_text(FileEdit(path=path, before="a", after="a")) == ""


def test_a_diff_does_not_show_the_keys_of_others(tmp_path: Path) -> None:
    key = "lin" + "_api_" + "aB3dE5gH7j" * 4
    before = f'{{\n  "env": {{"LINEAR": "{key}"}}\n}}\n'

    shown = diff_text(FileEdit(path=tmp_path / "x.json", before=before, after=before + "\n"))

    assert key not in shown
    assert "[REDACTED:" in shown
