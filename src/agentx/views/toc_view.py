"""The table of contents, as a view like the others: the log's own room makes it."""

from __future__ import annotations

from collections.abc import Generator

from agentx.conversation.contents import Contents
from agentx.conversation.toc_model import CaughtUp
from agentx.kernel.bus import HowFar, unheard
from agentx.search.model import ViewStatus
from agentx.views.port import View


class TocView(View):
    """The nodes and grips of one project."""

    name = "toc"

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def catch_up(self, told: HowFar = unheard) -> CaughtUp:
        """Take in what was touched since; `told` is heard between two steps."""
        return self._contents.catch_up(told)

    def take_steps(self, told: HowFar = unheard) -> Generator[CaughtUp, None, None]:
        """Take in what was touched since, step by step."""
        return self._contents.take_steps(told)

    def rebuild(self, told: HowFar = unheard) -> int:
        """Make every node again; return how many there are."""
        return self._contents.rebuild(told).nodes

    def status(self) -> ViewStatus:
        """Say how many events it has still to take in."""
        return ViewStatus(ready=True, entries_left=self.count_left())

    def count_left(self) -> int:
        """Return about how many events it has still to take in."""
        return self._contents.events_left()
