"""Which files and folders memory speaks of: where was much decided, and where did much break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import PurePosixPath

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.operations.memory.past import list_standing
from agentx.project.project import Project
from agentx.wiring.observations import open_observations

_MEMORIES_READ = 3_000
_TOLD = frozenset({Category.DECISION, Category.ERROR, Category.KEY_FACT, Category.CODE_CHANGE})


@frozen
class MemoryArea:
    """A folder, or a file, with what memory has of it."""

    path: str
    decisions: int = 0
    errors: int = 0
    others: int = 0
    newest_ms: Millis = Millis(0)
    ids: tuple[str, ...] = ()  # newest first

    @property
    def total(self) -> int:
        """All of it."""
        return self.decisions + self.errors + self.others


@frozen
class AreaMap:
    """The folders, the busiest first; or the files of one."""

    areas: tuple[MemoryArea, ...]
    memories: int  # that were read
    without_file: int  # of these, that speak of no file


def map_areas(
    project: Project,
    folder: str = "",
    *,
    since_ms: Millis | None = None,
    until_ms: Millis | None = None,
) -> AreaMap:
    """Return what memory has of each folder; with `folder`, of each file in it.

    It is what stood before `until_ms`, `None` is now, and of that what was learnt since a moment.
    """
    with closing(open_observations(project)) as room:
        rows = list_standing(room.store.search_by_filters(SearchFilters()), until_ms)
        told = (row for row in rows if row.category in _TOLD)
        late = [row for row in told if since_ms is None or row.timestamp_ms >= since_ms]
        newest = sorted(late, key=lambda row: -row.timestamp_ms)[:_MEMORIES_READ]
        found = room.store.get_by_ids(row.id for row in newest)
    grouped: dict[str, list[Observation]] = defaultdict(list)
    for each in found:
        for name in _name_places(each.files, folder):
            grouped[name].append(each)
    areas = (_sum_up(path, those) for path, those in grouped.items())
    return AreaMap(
        areas=tuple(sorted(areas, key=lambda each: (-each.total, each.path))),
        memories=len(found),
        without_file=sum(not each.files for each in found),
    )


def _name_places(files: Iterable[str], folder: str) -> set[str]:
    paths = [PurePosixPath(each) for each in files]
    if not folder:
        return {str(path.parent) for path in paths}
    return {str(path) for path in paths if str(path.parent) == folder}


def _sum_up(path: str, those: Iterable[Observation]) -> MemoryArea:
    newest = sorted(those, key=lambda each: -each.timestamp_ms)
    decisions = sum(each.category is Category.DECISION for each in newest)
    errors = sum(each.category is Category.ERROR for each in newest)
    return MemoryArea(
        path=path,
        decisions=decisions,
        errors=errors,
        others=len(newest) - decisions - errors,
        newest_ms=newest[0].timestamp_ms,
        ids=tuple(each.id for each in newest),
    )
