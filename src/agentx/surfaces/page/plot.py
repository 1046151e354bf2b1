"""Plots, as drawings of lines and boxes that a style can colour and a reader can be told."""

from __future__ import annotations

from collections.abc import Sequence

from agentx.conversation.model import Session
from agentx.kernel.text import preview
from agentx.operations.upkeep.home.lately import DayActivity
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import link_to
from agentx.surfaces.page.markup import Html, tag

_BAR, _GAP, _HIGH, _FOOT = 16, 5, 110, 18
_LANES_WIDE, _LANE_HIGH, _LANE_NARROWEST, _HOURS_HIGH = 960, 18, 6.0, 18
_TITLE_CHARS_MAX = 120
_NAMES = ("claude-code", "codex", "gemini", "opencode", "copilot")


def name_colour(harness: str) -> str:
    """Return by what name the style knows the colour of an agent CLI."""
    return harness if harness in _NAMES else "other"


def draw_days(days: Sequence[DayActivity]) -> Html:
    """Return days as bars, each in the colours of the agent CLIs that worked then."""
    most = max((each.total for each in days), default=0)
    wide = len(days) * (_BAR + _GAP)
    bars = (_draw_bar(each, at * (_BAR + _GAP), most) for at, each in enumerate(days))
    marks = (
        tag("text", f"{each.day.day}.{each.day.month}.", x=at * (_BAR + _GAP), y=_HIGH + _FOOT - 4)
        for at, each in enumerate(days)
        if each.day.weekday() == 0
    )
    names = sorted({name for each in days for name in each.events})
    return tag(
        "figure",
        tag(
            "svg",
            tag("line", x1=0, x2=wide, y1=_HIGH + 0.5, y2=_HIGH + 0.5, class_="axis"),
            *bars,
            *marks,
            viewBox=f"0 0 {wide} {_HIGH + _FOOT}",
            role="group",
            aria_label=f"events of {len(days)} days, {most:,} on the busiest",
            class_="days",
        ),
        tag(
            "figcaption",
            *(tag("span", name, class_=f"harness {name_colour(name)}") for name in names),
            f" {most:,} events on the busiest of {len(days)} days" if most else " no events",
        ),
    )


def _draw_bar(day: DayActivity, left: int, most: int) -> Html | None:
    if not day.total or not most:
        return None
    boxes, top = [], float(_HIGH)
    for name, events in sorted(day.events.items()):
        high = max(events / most * (_HIGH - 4), 1.0)
        top -= high
        boxes.append(
            tag(
                "rect",
                x=left,
                y=f"{top:.1f}",
                width=_BAR,
                height=f"{high:.1f}",
                class_=f"fill {name_colour(name)}",
            )
        )
    told = ", ".join(f"{name} {events:,}" for name, events in sorted(day.events.items()))
    return tag(
        "a",
        tag("title", f"{day.day}: {told}"),
        *boxes,
        href=link_to("day", f"{day.day}"),
        aria_label=f"{day.day}: {told}",
    )


def draw_share(parts: Sequence[tuple[str, int]], label: str) -> Html:
    """Return what a whole is made of, as one bar of boxes side by side."""
    whole = sum(amount for _, amount in parts) or 1
    boxes, left = [], 0.0
    for at, (name, amount) in enumerate(parts):
        wide = amount / whole * 600
        boxes.append(
            tag(
                "rect",
                tag("title", f"{name}: {amount:,}"),
                x=f"{left:.1f}",
                y=0,
                width=f"{max(wide - 1, 0.5):.1f}",
                height=18,
                class_=f"share s{at % 6}",
            )
        )
        left += wide
    return tag(
        "svg",
        *boxes,
        viewBox="0 0 600 18",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
        class_="whole",
    )


def draw_lanes(sessions: Sequence[Session], day: tuple[int, int], dates: Dates) -> Html:
    """Return the sessions of a day as bars on a line of hours, a row for each agent CLI."""
    names = sorted({each.harness for each in sessions})
    rows: list[Html] = []
    top = _HOURS_HIGH
    for name in names:
        ends: list[float] = []  # of the bars in each row of this agent CLI
        first = top
        for each in sorted(sessions, key=lambda one: one.first_ms):
            if each.harness != name:
                continue
            left, right = (_place(at, day) for at in (each.first_ms, each.last_ms))
            right = max(right, left + _LANE_NARROWEST)
            row = next((at for at, end in enumerate(ends) if end < left), len(ends))
            ends[row : row + 1] = [right]
            rows.append(_draw_lane(each, left, right, first + row * _LANE_HIGH, dates))
        top = first + max(len(ends), 1) * _LANE_HIGH + _GAP
    hours = (
        tag("text", f"{hour}:00", x=f"{hour / 24 * _LANES_WIDE:.0f}", y=10)
        for hour in range(0, 24, 3)
    )
    return tag(
        "figure",
        tag(
            "svg",
            *hours,
            tag(
                "line", x1=0, x2=_LANES_WIDE, y1=_HOURS_HIGH - 3, y2=_HOURS_HIGH - 3, class_="axis"
            ),
            *rows,
            viewBox=f"0 0 {_LANES_WIDE} {top}",
            role="group",
            aria_label=f"{len(sessions)} sessions of the day on a line of hours",
            class_="lanes",
        ),
    )


def _draw_lane(session: Session, left: float, right: float, top: int, dates: Dates) -> Html:
    title = preview(session.title, _TITLE_CHARS_MAX)
    said = f"{session.harness}, {dates.say_span(session.first_ms, session.last_ms)}: {title}"
    return tag(
        "a",
        tag("title", said),
        tag(
            "rect",
            x=f"{left:.1f}",
            y=top,
            width=f"{right - left:.1f}",
            height=_LANE_HIGH - 3,
            rx=3,
            class_=f"fill {name_colour(session.harness)}",
        ),
        href=link_to("session", session.session_id),
        aria_label=said,
    )


def _place(at_ms: int, day: tuple[int, int]) -> float:
    share = (at_ms - day[0]) / max(day[1] - day[0], 1)
    return min(max(share, 0.0), 1.0) * _LANES_WIDE
