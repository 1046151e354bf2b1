"""Write edited settings files, so that nothing of the user's can be lost.

    check all -> for each: copy aside -> replace -> read back

Everything that can be known beforehand (a file changed since it was read, or marked
read-only) stops the whole before the first write. A user's own file that is a link, as dotfile
managers make them, is changed where it really lies, and keeps its mode; in a repository no
link is followed.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.adapters.limits import SETTINGS_BACKUPS_MAX
from agentx.adapters.port import FileEdit
from agentx.adapters.settings.file import HOOK_PROGRAM, MCP_SERVER, is_blank
from agentx.adapters.settings.json_file import read_json
from agentx.host.files.atomic import PRIVATE_FILE, make_private_directory, replace_file
from agentx.host.files.disk import refusal_of, unreadable
from agentx.host.files.plain import look, read_bytes, remove
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.errors import CorruptRecord, StaleVersion, UnavailableError
from agentx.kernel.paths import DataPaths
from agentx.kernel.places import encode_name
from agentx.kernel.values import frozen
from agentx.redaction.redact import redact

_WRITABLE = 0o222
_FOLDERS_CLEARED = 2  # as many as setup makes for a file: `.opencode/plugins`


@frozen
class Applied:
    """What became of one edit."""

    edit: FileEdit
    backup: Path | None = None  # what the file was, when it was changed or removed

    @property
    def changed(self) -> bool:
        """Say whether the file is another now."""
        return self.edit.before != self.edit.after


def diff_text(edit: FileEdit) -> str:
    """Return what an edit changes, as a unified diff; empty when nothing.

    Keys of other servers stand in the same files: they are not for the screen, nor for the
    transcript of an agent that runs the command.
    """
    lines = difflib.unified_diff(
        (edit.before or "").splitlines(keepends=True),
        (edit.after or "").splitlines(keepends=True),
        "/dev/null" if edit.before is None else str(edit.path),
        "/dev/null" if edit.after is None else str(edit.path),
    )
    marked = (
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    return redact("".join(marked))


def leave_blank(edit: FileEdit, data: DataPaths) -> FileEdit:
    """Return an edit that leaves a file as it was when we came, if that said nothing, instead of
    taking it away.

    What it was then is known by the newest copy with nothing of ours in it.
    """
    if edit.before is None or edit.after is not None:
        return edit
    for copy in reversed(_list_copies(edit, data)):
        try:
            text = copy.read_bytes().decode()
        except (OSError, ValueError):
            continue
        if HOOK_PROGRAM not in text and MCP_SERVER not in text:
            return replace(edit, after=text) if _says_nothing(text, edit.path) else edit
    return edit


def _says_nothing(text: str, path: Path) -> bool:
    """Tell whether a file holds nothing, or no more than of which version it is."""
    if is_blank(text):
        return True
    try:
        said = read_json(text, path).value
    except CorruptRecord:
        return False
    return isinstance(said, dict) and said.keys() == {"version"}


def clear_above(edit: FileEdit) -> None:
    """Take away folders that are empty once a file of ours is gone: two at most, and no ground."""
    if edit.after is None and not edit.path.is_symlink():
        with suppress(OSError):
            for folder in list(edit.path.parents)[:_FOLDERS_CLEARED]:
                if folder == edit.ground:
                    return
                folder.rmdir()


def _list_copies(edit: FileEdit, data: DataPaths) -> list[Path]:
    """Return what was copied aside of a file, oldest first."""
    return sorted(data.backups.glob(f"{encode_name(str(edit.path))}.[0-9]*Z"))


def apply(
    edits: Iterable[FileEdit], data: DataPaths, clock: Clock, *, new_mode: int = PRIVATE_FILE
) -> tuple[Applied, ...]:
    """Write every edit that changes something; `new_mode` is for files that are not there yet.

    Raises: StaleVersion when a file changed since it was read, UnavailableError when one may
    not be written.
    """
    edits = tuple(edits)
    for edit in edits:
        if edit.before != edit.after:
            check_edit(edit)
    return tuple(
        Applied(edit=edit)
        if edit.before == edit.after
        else Applied(edit=edit, backup=_write(edit, data, clock, new_mode))
        for edit in edits
    )


def _write(edit: FileEdit, data: DataPaths, clock: Clock, new_mode: int) -> Path | None:
    target, ground = _target(edit), edit.ground
    backup = _copy_aside(edit, data, clock)
    if edit.after is None:
        _remove(edit.path, target, ground)
    else:
        seen = None if edit.before is None else look(target, ground=ground)
        mode = new_mode if seen is None else seen.st_mode & 0o7777
        replace_file(target, edit.after.encode(), mode, ground=ground)
    if _bytes(target, ground) != _encode(edit.after):
        raise CorruptRecord(
            f"{edit.path}: what was written is not what the disk gives back",
            hint=f"the file as it was: {backup}" if backup else "",
        )
    return backup


def _target(edit: FileEdit) -> Path:
    """Return the file that is meant: in a repository the very one that is named."""
    return edit.path.resolve() if edit.ground is None else edit.path


def _copy_aside(edit: FileEdit, data: DataPaths, clock: Clock) -> Path | None:
    if edit.before is None:
        return None
    make_private_directory(data.backups)
    name, at_ms = encode_name(str(edit.path)), int(clock.now_ms())
    while (backup := data.backups / f"{name}.{_stamp(at_ms)}").exists():
        at_ms += 1
    # It may hold keys of the user's: nobody else reads it, whatever the mode of the original.
    replace_file(backup, edit.before.encode(), PRIVATE_FILE)
    for old in _list_copies(edit, data)[:-SETTINGS_BACKUPS_MAX]:
        old.unlink(missing_ok=True)
    return backup


def _stamp(at_ms: int) -> str:
    return to_iso(at_ms).replace(":", "").replace("-", "")


def _remove(path: Path, target: Path, ground: Path | None) -> None:
    try:
        remove(target, ground=ground)
        if path != target:  # a link to nothing would be worse than none
            path.unlink(missing_ok=True)
    except OSError as error:
        raise refusal_of(path, error) from error


def check_edit(edit: FileEdit) -> None:
    """See that an edit can be written, as far as that can be known beforehand.

    Raises: StaleVersion, UnavailableError.
    """
    target = _target(edit)
    if _bytes(target, edit.ground) != _encode(edit.before):
        raise StaleVersion(
            f"{edit.path}: changed while it was being edited; nothing was written",
            hint="run the same command again",
        )
    place = target
    while not place.exists():
        place = place.parent
    for checked in {place, target.parent if place == target else place}:
        # The mode is asked too: a superuser may write everything, and still should not.
        if not os.access(checked, os.W_OK) or not checked.stat().st_mode & _WRITABLE:
            raise UnavailableError(
                f"{checked}: is read-only; nothing was written",
                hint=f"make it writable, or do by hand what --diff shows for {edit.path}",
            )


def _bytes(path: Path, ground: Path | None) -> bytes | None:
    try:
        return read_bytes(path, ground=ground)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from error


def _encode(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
