"""As of what something is prepared for hooks: the questions of a project, and whom it trusts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from agentx.host.files.plain import is_folder, read_bytes
from agentx.kernel.vouching.said_since import NOTICES_STAMP, find_change, stamp_questions
from agentx.project.project import Project

if TYPE_CHECKING:
    from agentx.project.trust.keyring import Keyring


def open_stamp(project: Project) -> Callable[[], bytes]:
    """Return what says how it is now; where the keys lie is looked up once, git may be asked."""
    root = str(project.root)

    @cache
    def open_keys() -> Keyring:
        from agentx.wiring.trust.keys import open_keyring  # noqa: PLC0415  somebody asked something

        return open_keyring(project)

    def stamp() -> bytes:
        if not (project.has_runs or any(map(is_folder, project.asked))):
            return stamp_questions(root)
        return stamp_questions(root, *map(str, open_keys().list_files()))

    return stamp


def are_notices_late(project: Project) -> bool:
    """Tell whether hooks leave out answers, for something changed since notices were made."""
    try:
        noted = read_bytes(project.store.digests / NOTICES_STAMP)
    except OSError:
        noted = b""
    return bool(find_change(noted, str(project.root)))
