"""Where memory is dense: folders and files with what was decided and what broke there."""

from __future__ import annotations

from agentx.operations.memory.areas import MemoryArea, map_areas
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import count, draw_nothing, draw_time

_SHOWN_MAX = 200
_WIDE = 300


def draw_map(desk: PageDesk, asked: PageCall) -> Answer:
    """Return folders, or the files of one, the busiest first."""
    folder = asked.word("folder")
    dates = desk.dates
    found = map_areas(desk.project, folder)
    most = max((each.total for each in found.areas), default=1)
    rows = (_draw_area(each, most, folder, dates) for each in found.areas[:_SHOWN_MAX])
    table = tag(
        "table",
        tag("caption", "what memory has of each place", class_="unseen"),
        tag(
            "thead",
            tag(
                "tr",
                *(
                    tag("th", each, scope="col")
                    for each in ("where", "how much", "decisions", "errors", "last")
                ),
            ),
        ),
        tag("tbody", *rows),
    )
    body = join(
        tag("h1", folder or "Map"),
        tag("p", tag("a", "all folders", href="/memory/map")) if folder else None,
        tag("section", table, class_="card")
        if found.areas
        else draw_nothing("No memory speaks of a file yet."),
        tag(
            "p",
            f"of {count(found.memories, 'memory', 'memories')} that stand; "
            f"{found.without_file:,} speak of no file",
            class_="quiet",
        ),
    )
    return (
        PagePart(body=body) if asked.is_part else WholePage(title="Map", here="memory", body=body)
    )


def _draw_area(area: MemoryArea, most: int, folder: str, dates: Dates) -> Html:
    parts = (("decision", area.decisions), ("error", area.errors), ("others", area.others))
    boxes, left = [], 0.0
    for kind, amount in parts:
        wide = amount / most * _WIDE
        if amount:
            boxes.append(
                tag(
                    "rect",
                    x=f"{left:.1f}",
                    y=2,
                    width=f"{wide:.1f}",
                    height=12,
                    class_=f"heat {kind}",
                )
            )
        left += wide
    name = area.path if area.path != "." else "(the root)"
    # A folder opens to its files, a file to the memories that speak of it.
    address = (
        link_to("search", q=f'"{area.path}"', kind="observation")
        if folder
        else link_to("memory", "map", folder=area.path)
    )
    return tag(
        "tr",
        tag("th", tag("a", name, href=address), scope="row"),
        tag("td", tag("svg", *boxes, viewBox=f"0 0 {_WIDE} 16", class_="heat", aria_hidden="true")),
        tag("td", f"{area.decisions:,}"),
        tag("td", f"{area.errors:,}"),
        tag("td", draw_time(area.newest_ms, dates, clock=False)),
    )
