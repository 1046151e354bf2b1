"""To erase a session for good: what goes is shown first."""

from __future__ import annotations

from agentx.kernel.errors import AgentXError, StaleVersion
from agentx.operations.capture.forget import ForgetReply, ForgetRequest, forget
from agentx.surfaces.page.asked import Answer, PageCall, WholePage, find_status, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, Inside, tag
from agentx.surfaces.page.pieces import count, draw_facts, draw_form, draw_refused

_LINES_SHOWN = 8


def draw_preview(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Show what would be erased, and ask.

    Raises: NotFound.
    """
    return _draw_preview(desk, asked, name)


def do(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Erase what was shown, as the command does; where more would go by now, that is shown.

    Raises: NotFound; NotThePerson.
    """
    request = ForgetRequest(session_id=name, shown=asked.form.get("shown", "") or "-")
    try:
        with desk.deciding, desk.reading() as memory:
            done = forget(desk.project, memory, request, dry_run=False)
    except StaleVersion as error:
        return _draw_preview(desk, asked, name, error)
    left = [*(f"an export: {each}" for each in done.exports), *done.copies]
    body = tag(
        "section",
        tag("h1", "Forgotten"),
        tag("p", f"{count(done.events, 'event')} are gone for good."),
        tag("p", "These hold it still, and cannot be reached from here:") if left else None,
        tag("ul", *(tag("li", each) for each in left)) if left else None,
        tag("a", "the sessions", href="/sessions"),
        class_="card",
    )
    return WholePage(title="Forgotten", here="sessions", body=body)


def _draw_preview(
    desk: PageDesk, asked: PageCall, name: str, error: AgentXError | None = None
) -> WholePage:
    why = desk.find_refusal(asked)
    with desk.reading() as memory:
        found = forget(desk.project, memory, ForgetRequest(session_id=name), dry_run=True)
    body = tag(
        "section",
        draw_refused(error),
        tag("h1", "Forget this session for good?"),
        _draw_what(found),
        tag("p", "No import, restore or backup brings it back.", class_="failure"),
        draw_form(
            link_to("forget", "session", name),
            desk.form_word,
            "Forget for good",
            kind="danger",
            shown=found.shown,
        )
        if not why
        else tag("p", why, class_="against"),
        tag("a", "leave it", href=link_to("session", name)),
        class_="card",
    )
    return WholePage(title="Forget", here="sessions", body=body, status=find_status(error))


def _draw_what(found: ForgetReply) -> Html:
    facts: dict[str, Inside] = {
        "events": f"{found.events:,}",
        "of these": ", ".join(f"{number:,} {kind}" for kind, number in found.by_type.items()),
        "memories learnt from it": f"{found.observations:,}" if found.observations else "",
        "said elsewhere too": f"{len(found.quoted):,} places keep it" if found.quoted else "",
    }
    lines = (tag("li", each) for each in found.first_lines[:_LINES_SHOWN])
    return tag("div", draw_facts(facts), tag("ul", *lines, class_="quiet"))
