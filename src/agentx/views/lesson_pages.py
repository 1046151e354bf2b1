"""The pages of long-term memory: made from its events, and edited by people meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.host.files.plain import is_folder
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import LockHeld, UnavailableError, UnsafePath
from agentx.views.port import View

if TYPE_CHECKING:
    from agentx.lessons.service import Lessons


class LessonPages(View):
    """The pages of one project; without any, the room of the lessons is not even opened.

    What runs taught stays when a session is forgotten: none of it is read from the log.
    """

    name = "lessons"

    def __init__(
        self, folder: Path, lessons: Callable[[], Lessons], may_write: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._lessons = lessons
        self._may_write = may_write  # the pages of a stranger's repository are left alone

    def catch_up(self, told: HowFar = unheard) -> bool:  # noqa: ARG002  it is one step
        """Take in what people changed; when somebody else writes, the next time does."""
        with suppress(LockHeld, UnavailableError, UnsafePath):
            return self._is_ours and self._lessons().refresh_if_edited()
        return False

    def rebuild(self, told: HowFar = unheard) -> int:  # noqa: ARG002
        """Make every page again; return how many lessons there are."""
        return len(self._lessons().refresh().known.lessons) if self._is_ours else 0

    @property
    def _is_ours(self) -> bool:
        return is_folder(self._folder) and self._may_write()
