"""Where the lines of a section come from: handed in by whoever opened the rooms.

A room that a project does not use gives nothing, and one that cannot give what it has raises:
the section is then made without it, and somebody is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sys import maxsize
from typing import TYPE_CHECKING

from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.recall.section.moment import Present
from agentx.recall.section.standing import Standing

if TYPE_CHECKING:
    from agentx.conversation.toc_model import TocNode
    from agentx.lessons.model import Lesson
    from agentx.memory.found import SearchReply, SearchRequest
    from agentx.memory.port import Readable
    from agentx.recall.section.learnt import Memories


@frozen
class About:
    """Whom a section is for, and what is to be done. Empty fields want nothing in particular."""

    role: str = ""
    issue: int | None = None
    context: str = ""
    sessions: frozenset[str] = frozenset()  # whose days come first, such as those of a branch
    branch: str | None = None  # where it is read; None: what is checked out there

    def title(self) -> str:
        """Return what the lines of the wanted issue and role are headed with."""
        parts = [f"issue {self.issue}"] if self.issue is not None else []
        return ", ".join((*parts, self.role) if self.role else parts)

    def wants(self, node: TocNode) -> bool:
        """Say whether a node tells of the wanted issue and role."""
        return (not self.role or self.role in node.agents) and (
            self.issue is None or self.issue in node.issues
        )


@frozen
class Sources:
    """What the rooms of a project have to tell at one moment."""

    now: Present
    standing: Callable[[], Standing]
    run: Callable[[], tuple[str, tuple[str, ...]]]  # the one that goes on, and what to tell of it
    memories: Callable[[About, int], Memories]  # to choose from, about so many
    lessons: Callable[[int], Iterable[Lesson]]  # so many, the surest first
    report: Callable[[AgentXError], None]  # of what could not be had
    tokens_max: int = maxsize  # that the user lets a section have, whoever wants more
    untold: str = ""  # what is not told here at all, why, and how that is mended
    reader: Readable | None = None  # sessions, and the table of contents
    search: Callable[[SearchRequest], SearchReply] | None = None
