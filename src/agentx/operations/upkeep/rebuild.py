"""Make a view from nothing, out of the facts it is a view of.

    toc            the table of contents, from the log
    search         the index of words, from the log, the table of contents and the rooms
    recalls        how often things were recalled, from the notes in the log
    digests        what hooks print at session start, from all of these
    observations   the words of the observations, from their files

No view holds anything of its own, so nothing is lost by it, whenever it is done.
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.project.project import Project
from agentx.views.recall_tally import RecallTally
from agentx.wiring.kept.views import open_digests
from agentx.wiring.observation_upkeep import rebuild_observation_words


@frozen
class RebuiltView:
    """A view that was made anew, and how much is in it."""

    view: str
    count: int
    what: str  # that was counted


Rebuild = Callable[[Project, Memory, HowFar], int]


def rebuild(
    project: Project,
    memory: Memory,
    view: str,
    told: HowFar = unheard,
) -> RebuiltView:
    """Make a view from nothing, after taking what hooks have captured.

    Raises: InvalidValue for what is no view.
    """
    if view not in VIEWS:
        raise InvalidValue(f"{view!r} is no view", hint=f"one of {', '.join(VIEWS)}")
    make, what = VIEWS[view]
    memory.drain()
    return RebuiltView(view=view, count=make(project, memory, told), what=what)


def _toc(_project: Project, memory: Memory, told: HowFar) -> int:
    nodes = memory.rebuild_toc(told).nodes
    memory.catch_up()  # its lines can be found, and are in the digests
    return nodes


def _search(_project: Project, memory: Memory, told: HowFar) -> int:
    memory.catch_up()
    memory.rebuild_index("search", told)
    return memory.index_report().text.passages


def _recalls(project: Project, memory: Memory, told: HowFar) -> int:
    return RecallTally(project.store.recall_counts(project.id), memory).rebuild(told)


def _digests(project: Project, memory: Memory, told: HowFar) -> int:
    memory.catch_up()
    # Made by what the memory tells, which may be a daemon's: the daemon's own stamp is not known.
    return open_digests(project, memory, lambda: "").rebuild(told)


VIEWS: dict[str, tuple[Rebuild, str]] = {
    "toc": (_toc, "node"),
    "search": (_search, "passage"),
    "recalls": (_recalls, "note"),
    "digests": (_digests, "digest"),
    "observations": (
        lambda project, _memory, _told: rebuild_observation_words(project),
        "observation",
    ),
}
