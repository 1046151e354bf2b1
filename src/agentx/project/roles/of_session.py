"""Set the role of one session: a small file, which its hooks read at every event.

    <data folder>/roles/<agent CLI and session>

It may be set while the session runs, and holds from its next event on.
"""

from __future__ import annotations

from contextlib import suppress

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import list_folder, look, remove
from agentx.kernel.clock import DAY_MS, Clock
from agentx.kernel.paths import DataPaths
from agentx.project.roles.played import SessionName

_KEPT_MS = 90 * DAY_MS


def set_session_role(data: DataPaths, session: SessionName, role: str, clock: Clock) -> None:
    """Note which role a session plays from now on; notes of sessions long gone are swept.

    Raises: UnavailableError.
    """
    replace_file(session.note(data), f"{role}\n".encode())
    before = (clock.now_ms() - _KEPT_MS) / 1000
    with suppress(OSError):
        for name in list_folder(data.roles).files:
            seen = look(data.roles / name)
            if seen is not None and seen.st_mtime < before:
                remove(data.roles / name)


def clear_session_role(data: DataPaths, session: SessionName) -> bool:
    """Let a session play what its project says again; tell whether a role was set for it."""
    return remove(session.note(data))
