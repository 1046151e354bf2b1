"""When a person last looked at the page, so that it can tell what came since."""

from __future__ import annotations

import json
from contextlib import suppress

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists, read_text
from agentx.kernel.clock import HOUR_MS, Millis
from agentx.kernel.errors import AgentXError
from agentx.project.project import Project

_SILENCE_MS = HOUR_MS // 2  # after which who comes back begins another visit
_NOTE_CHARS_MAX = 4_096


def note_visit(project: Project) -> Millis | None:
    """Note that somebody looks now; return when the visit before ended, None for the first.

    What cannot be noted, on a disk that is full for instance, holds nobody up.
    """
    now_ms = project.clock.now_ms()
    last_ms, before_ms = _read(project)
    if last_ms is not None and now_ms - last_ms > _SILENCE_MS:
        before_ms = last_ms
    if exists(project.store.root):
        noted = json.dumps({"lastMs": now_ms, "beforeMs": before_ms}).encode()
        with suppress(AgentXError, OSError):
            replace_file(project.store.visits, noted)
    return Millis(before_ms) if before_ms is not None else None


def _read(project: Project) -> tuple[int | None, int | None]:
    try:
        said = json.loads(read_text(project.store.visits, bytes_max=_NOTE_CHARS_MAX))
    except (OSError, ValueError):
        return None, None
    if not isinstance(said, dict):
        return None, None
    last, before = said.get("lastMs"), said.get("beforeMs")
    return (last if isinstance(last, int) else None, before if isinstance(before, int) else None)
