"""The sessions, newest first."""

from __future__ import annotations

from agentx.conversation.model import SessionQuery
from agentx.kernel.capture import Harness
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.frame import draw_pages
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_nothing, draw_sessions

_ON_A_PAGE = 50


def draw_list(desk: PageDesk, asked: PageCall) -> Answer:
    """Return a page of sessions, of one agent CLI where that is wanted."""
    harness, page = asked.word("harness"), max(asked.number("page", 1), 1)
    dates = desk.dates
    with desk.reading() as memory:
        found = memory.sessions(SessionQuery(harness=harness, limit=page * _ON_A_PAGE + 1))
    shown = found[(page - 1) * _ON_A_PAGE : page * _ON_A_PAGE]
    body = join(
        draw_sessions(shown, dates)
        if shown
        else draw_nothing("No session is remembered here: sessions are captured by hooks."),
        draw_pages("sessions", page, has_more=len(found) > page * _ON_A_PAGE, harness=harness),
    )
    if asked.is_part:
        return PagePart(body=body)
    address = link_to("sessions", harness=harness, page=page if page > 1 else None)
    live = tag("div", body, class_="card", data_live=address, data_of="*")
    head = join(tag("h1", "Sessions"), _draw_chips(harness))
    return WholePage(title="Sessions", here="sessions", body=join(head, live))


def _draw_chips(chosen: str) -> Html:
    rows = (
        tag(
            "li",
            tag(
                "a",
                name or "all",
                href=link_to("sessions", harness=name),
                aria_current="true" if name == chosen else None,
            ),
        )
        for name in ("", *Harness)
    )
    return tag("ul", *rows, class_="chips", aria_label="Agent CLIs")
