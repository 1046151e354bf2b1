"""Which files and folders memory speaks of: where was much decided, and where did much break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import PurePosixPath

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.observations.model import Category, Observation, SearchFilters
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


def map_areas(project: Project, folder: str = "") -> AreaMap:
    """Return what memory has of each folder; with `folder`, of each file in it."""
    filters = SearchFilters(superseded=False, limit=_MEMORIES_READ)
    with closing(open_observations(project)) as room:
        rows = room.store.search_by_filters(filters)
        found = room.store.get_by_ids(row.id for row in rows if row.category in _TOLD)
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
