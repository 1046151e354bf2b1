"""From the years to the day: each period with its lines, each line with its proof."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from agentx.conversation.model import Session, SessionQuery
from agentx.conversation.toc_model import TocNode
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.periods import (
    Level,
    Period,
    day_period,
    end_ms,
    parent,
    parse_node_id,
    start_ms,
)
from agentx.kernel.text import preview
from agentx.memory.port import Memory
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, Away, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import (
    TITLE_CHARS_MAX,
    count,
    draw_bullets,
    draw_harness,
    draw_nothing,
    draw_sessions,
)
from agentx.surfaces.page.plot import draw_lanes

_DAY_SESSIONS_MAX = 200
_PART_LINES_MAX = 4


def draw_years(desk: PageDesk, asked: PageCall) -> Answer:
    """Return all years, newest first, or the day that a form names."""
    if named := asked.word("day"):
        return Away(to=link_to("day", named))
    dates = desk.dates
    with desk.reading() as memory:
        years = memory.toc_roots()
    body = join(*(_draw_part(each, dates) for each in years)) if years else _draw_none()
    if asked.is_part:
        return PagePart(body=body)
    today = dates.say_iso(dates.now_ms)
    finder = tag(
        "form",
        tag("div", tag("label", "Go to a day", for_="day"), _draw_day_field(today)),
        tag("button", "Go"),
        action="/time",
        class_="bar",
    )
    live = tag("div", body, data_live="/time", data_of="*")
    return WholePage(title="Time", here="time", body=join(tag("h1", "Time"), finder, live))


def draw_node(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return one period or segment: its lines, then its parts.

    Raises: NotFound, InvalidValue.
    """
    named = parse_node_id(name)
    if isinstance(named, Period) and named.level is Level.DAY:
        return Away(to=link_to("day", f"{named.first}"))
    dates = desk.dates
    with desk.reading() as memory:
        node = memory.toc_node(name)
        parts = _list_parts(memory, node)
    title = preview(node.title, TITLE_CHARS_MAX)
    body = join(
        _draw_trail(named if isinstance(named, Period) else day_period(named.day)),
        tag("h1", title),
        tag("p", _count(node, dates), class_="quiet"),
        _draw_sessions_of(node),
        tag("section", draw_bullets(node.bullets, dates, days=True), class_="card")
        if node.bullets
        else None,
        *(_draw_part(each, dates) for each in reversed(parts)),
    )
    return PagePart(body=body) if asked.is_part else WholePage(title=title, here="time", body=body)


def draw_day(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return a day: the sessions of all agent CLIs side by side, and what they did.

    Raises: InvalidValue for what is no day.
    """
    dates = desk.dates
    period = day_period(_read_day(name))
    first_ms, last_ms = start_ms(period, dates.zone), end_ms(period, dates.zone)
    query = SessionQuery(since_ms=first_ms, until_ms=last_ms, limit=_DAY_SESSIONS_MAX)
    with desk.reading() as memory:
        node, parts = _find_node(memory, period)
        sessions = memory.sessions(query)
    body = join(
        _draw_trail(period),
        tag("h1", node.title if node is not None else period.title),
        tag("p", _count(node, dates), class_="quiet") if node is not None else None,
        _draw_neighbours(period.first),
        _draw_day_sessions(sessions, dates, (first_ms, last_ms)),
        tag("section", draw_bullets(node.bullets, dates, days=True), class_="card")
        if node is not None and node.bullets
        else None,
        *(_draw_part(each, dates) for each in parts),
        draw_nothing("Nothing is remembered of this day.") if not sessions and not node else None,
    )
    if asked.is_part:
        return PagePart(body=body)
    live = tag("div", body, data_live=link_to("day", name), data_of="*")
    return WholePage(title=period.title, here="time", body=live)


def _draw_day_sessions(
    sessions: Sequence[Session], dates: Dates, day: tuple[int, int]
) -> Html | None:
    if not sessions:
        return None
    return tag(
        "section",
        tag("h2", "Sessions"),
        draw_lanes(sessions, day, dates),
        draw_sessions(sessions, dates),
        tag("p", draw_share_link("day", dates.say_iso(day[0]))),
        class_="card",
    )


def draw_share_link(kind: str, name: str, **by: str) -> Html:
    """Return the way to keep what is seen as a file."""
    return tag("a", "share this as a file", href=link_to("share", kind=kind, name=name, **by))


def _find_node(memory: Memory, period: Period) -> tuple[TocNode | None, tuple[TocNode, ...]]:
    try:
        node = memory.toc_node(period.node_id)
    except NotFound:
        return None, ()
    return node, _list_parts(memory, node)


def _list_parts(memory: Memory, node: TocNode) -> tuple[TocNode, ...]:
    return memory.browse(node.node_id).nodes if node.children else ()


def _draw_part(node: TocNode, dates: Dates) -> Html:
    """Return a period with its weightiest lines, as the way into it."""
    best = sorted(node.bullets, key=lambda each: -each.weight)[:_PART_LINES_MAX]
    shown = [each for each in node.bullets if each in best]
    title = preview(node.title, TITLE_CHARS_MAX)
    if node.level is Level.SEGMENT:
        title = f"{dates.say_clock(node.start_ms)}  {title}"
    return tag(
        "section",
        tag("h2", tag("a", title, href=_address(node))),
        tag("p", _count(node, dates), class_="quiet"),
        draw_bullets(shown, dates),
        class_="card",
    )


def _address(node: TocNode) -> str:
    if node.level is Level.DAY:
        return link_to("day", node.node_id.rpartition(":")[2])
    return link_to("time", node.node_id)


def _draw_trail(period: Period) -> Html:
    """Return the way back up: the periods that hold this one."""
    above: list[Period] = [period]
    while (outer := parent(above[-1])) is not None:
        above.append(outer)
    steps: list[Inside] = [tag("li", tag("a", "all years", href="/time"))]
    for each in reversed(above):
        is_day = each.level is Level.DAY
        address = link_to("day", f"{each.first}") if is_day else link_to("time", each.node_id)
        here = "page" if each == period else None
        steps.append(tag("li", tag("a", each.title, href=address, aria_current=here)))
    return tag("nav", tag("ol", *steps, class_="trail"), aria_label="Where this is")


def _draw_neighbours(day: date) -> Html:
    before, after = day - timedelta(days=1), day + timedelta(days=1)
    return tag(
        "nav",
        tag("a", f"\u2190 {before}", href=link_to("day", f"{before}"), rel="prev"),
        tag("a", f"{after} \u2192", href=link_to("day", f"{after}"), rel="next"),
        class_="pages",
        aria_label="Days beside",
    )


def _draw_sessions_of(node: TocNode) -> Html | None:
    if node.level is not Level.SEGMENT:
        return None
    links = (tag("a", each, href=link_to("session", each)) for each in node.sessions)
    return tag("p", "session ", join(*links, between=", "))


def _draw_day_field(today: str) -> Html:
    return tag("input", type="date", id="day", name="day", value=today, max=today)


def _draw_none() -> Html:
    return draw_nothing("Nothing is summed up yet: it will be once a session was captured.")


def _count(node: TocNode, dates: Dates) -> Html:
    return join(
        dates.say_span(node.start_ms, node.end_ms),
        count(node.event_count, "event"),
        count(node.session_count, "session") if node.session_count > 1 else None,
        join(*(draw_harness(each) for each in node.harnesses), between=" "),
        f"as {', '.join(node.agents)}" if node.agents else None,
        "going on" if node.provisional else None,
        between=" \u00b7 ",
    )


def _read_day(said: str) -> date:
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise InvalidValue(f"{said} is no day", hint="a day is 2026-03-02") from None
