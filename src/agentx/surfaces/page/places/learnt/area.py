"""Where memory is dense: folders and files with what was decided and what broke there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from agentx.kernel.clock import DAY_MS, Millis
from agentx.operations.memory.areas import MemoryArea, map_areas
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import count, draw_nothing, draw_time
from agentx.surfaces.page.places.learnt.memory import read_day

_SHOWN_MAX = 200
_WIDE = 300
_SPANS = {"7d": 7, "30d": 30}


def draw_map(desk: PageDesk, asked: PageCall) -> Answer:
    """Return folders, or the files of one, the busiest first."""
    folder = asked.word("folder")
    dates = desk.dates
    until_ms, day = read_day(asked, dates)
    days = _SPANS.get(asked.word("since"))
    since_ms = Millis((until_ms or dates.now_ms) - days * DAY_MS) if days else None
    found = map_areas(desk.project, folder, since_ms=since_ms, until_ms=until_ms)
    most = max((each.total for each in found.areas), default=1)
    # What is chosen of time stays chosen on the way into a folder and back.
    chosen = {"since": asked.word("since"), "as_of": "" if until_ms is None else f"{day}"}
    rows = (_draw_area(each, most, folder, chosen, dates) for each in found.areas[:_SHOWN_MAX])
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
    stood = "stand" if until_ms is None else f"stood on {day}"
    body = join(
        tag("h1", folder or "Map"),
        tag("p", tag("a", "all folders", href=_link(chosen))) if folder else None,
        _draw_times(folder, chosen, day),
        tag("section", table, class_="card")
        if found.areas
        else draw_nothing("No memory of that time speaks of a file."),
        tag(
            "p",
            f"of {count(found.memories, 'memory', 'memories')} that {stood}; "
            f"{found.without_file:,} speak of no file",
            class_="quiet",
        ),
    )
    return (
        PagePart(body=body) if asked.is_part else WholePage(title="Map", here="memory", body=body)
    )


def _link(chosen: Mapping[str, str], folder: str = "") -> str:
    return link_to("memory", "map", folder=folder, **chosen)


def _draw_times(folder: str, chosen: Mapping[str, str], day: date) -> Html:
    """Return what is chosen of time: how far back, and as of which day."""
    chips = (
        tag(
            "li",
            tag(
                "a",
                told,
                href=_link({**chosen, "since": value}, folder),
                aria_current="true" if chosen["since"] == value else None,
            ),
        )
        for value, told in (("", "all time"), *((each, f"{_SPANS[each]} days") for each in _SPANS))
    )
    kept = {"folder": folder, "since": chosen["since"]}
    field = tag("input", type="date", id="as_of", name="as_of", value=f"{day}")
    form = tag(
        "form",
        tag("div", tag("label", "As of", for_="as_of"), field),
        *(tag("input", type="hidden", name=name, value=told) for name, told in kept.items()),
        tag("button", "Show"),
        action="/memory/map",
        class_="bar",
    )
    return join(tag("ul", *chips, class_="chips", aria_label="how far back"), form)


def _draw_area(
    area: MemoryArea, most: int, folder: str, chosen: Mapping[str, str], dates: Dates
) -> Html:
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
        else _link(chosen, area.path)
    )
    return tag(
        "tr",
        tag("th", tag("a", name, href=address), scope="row"),
        tag("td", tag("svg", *boxes, viewBox=f"0 0 {_WIDE} 16", class_="heat", aria_hidden="true")),
        tag("td", f"{area.decisions:,}"),
        tag("td", f"{area.errors:,}"),
        tag("td", draw_time(area.newest_ms, dates, clock=False)),
    )
