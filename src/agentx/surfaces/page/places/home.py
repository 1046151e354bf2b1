"""The first page: what waits, what came since the last visit, how much was done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.kernel.text import preview
from agentx.observations.model import ObservationIndex
from agentx.operations.upkeep.home.lately import DayActivity, LatelyReply, look_lately
from agentx.operations.upkeep.home.visits import note_visit
from agentx.operations.upkeep.status import StatusReply
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import (
    count,
    draw_bullets,
    draw_chip,
    draw_facts,
    draw_harness,
    draw_nothing,
    draw_sessions,
    draw_time,
)
from agentx.surfaces.page.plot import draw_days

_TOPIC_CHARS_MAX = 120


def draw_home(desk: PageDesk, asked: PageCall) -> WholePage | PagePart:
    """Return one screen of what is remembered."""
    if not desk.is_begun:
        return WholePage(title="Home", here="home", body=_draw_empty(str(desk.project.root)))
    since_ms = note_visit(desk.project)
    dates = desk.dates
    with desk.reading() as memory:
        reply = look_lately(desk.project, memory, dates.zone, since_ms=since_ms)
    body = _draw(reply, dates)
    if asked.is_part:
        return PagePart(body=body)
    return WholePage(title="Home", here="home", body=tag("div", body, data_live="/", data_of="*"))


def _draw_empty(root: str) -> Html:
    return tag(
        "section",
        tag("h1", "Nothing is remembered of this folder yet"),
        tag("p", root, class_="quiet"),
        tag("p", tag("code", "agentx init"), " sets hooks up and imports the history there is."),
        class_="card",
    )


def _draw(reply: LatelyReply, dates: Dates) -> Html:
    log = reply.status.memory.log
    head = join(
        count(log.events, "event"),
        count(log.sessions, "session"),
        count(reply.status.rooms.observations, "memory", "memories"),
        f"since {dates.say_day(log.first_ms)}" if log.first_ms is not None else None,
        between=" \u00b7 ",
    )
    return join(
        tag("h1", "Home", class_="unseen"),
        tag("p", head, class_="quiet"),
        _draw_waiting(reply.status),
        tag(
            "div",
            _draw_lately(reply, dates),
            tag(
                "div",
                _draw_kept("Decided", reply.decided, reply, dates, "nothing was decided"),
                _draw_kept("Broke, and its mend", reply.broken, reply, dates, "nothing broke"),
                class_="stack",
            ),
            class_="columns",
        ),
        tag(
            "div",
            tag(
                "section",
                tag("h2", "Activity"),
                draw_days(reply.days),
                _draw_day_table(reply.days),
                class_="card",
            ),
            _draw_told(reply),
            class_="columns",
        ),
    )


def _draw_waiting(status: StatusReply) -> Html | None:
    rows = [tag("li", each) for each in _list_waiting(status)]
    if not rows:
        return None
    return tag(
        "section",
        tag("h2", "Waits for you"),
        tag("ul", *rows, class_="rows"),
        class_="card waits",
    )


def _list_waiting(status: StatusReply) -> Iterator[Html]:
    rooms = status.rooms
    for one in rooms.questions_yours:
        does = "waits for your decision on" if one.blocking else "asks you about"
        topic = preview(one.topic, _TOPIC_CHARS_MAX)
        address = link_to("run", one.run) if one.run else link_to("question", one.id)
        yield join(tag("a", f"{one.asker} {does} {topic}", href=address), " ", draw_chip(one.id))
    for name in rooms.questions_contested:
        said = f"{name} is contested: somebody said otherwise"
        yield tag("a", said, href=link_to("question", name))
    if rooms.questions_unread:
        issues = count(rooms.questions_unread, "issue")
        yield join(f"the questions of {issues} cannot be read: ", tag("code", "agentx doctor"))
    if status.untrusted:
        yield join("what lies in the repository is not trusted: ", tag("code", "agentx trust"))
    if any(each.is_stuck for each in status.waiting):
        yield join("records are stuck in the spool: ", tag("code", "agentx doctor"))
    if not status.hooks:
        yield join("no hooks: new sessions are not captured: ", tag("code", "agentx init"))
    elif status.hooks_differing:
        names = ", ".join(status.hooks_differing)
        yield join(f"the hooks of {names} are of another version: ", tag("code", "agentx init"))


def _draw_lately(reply: LatelyReply, dates: Dates) -> Html:
    head = f"Since {dates.say_day(reply.since_ms)}" if reply.is_new else "The last week of work"
    return tag(
        "section",
        tag("h2", head),
        draw_sessions(reply.sessions, dates)
        if reply.sessions
        else draw_nothing("No session is remembered yet."),
        tag("p", tag("a", "all sessions", href="/sessions")) if reply.has_more else None,
        draw_bullets(reply.lines, dates, days=True) if reply.lines else None,
        class_="card",
    )


def _draw_kept(
    title: str, rows: Iterable[ObservationIndex], reply: LatelyReply, dates: Dates, none: str
) -> Html:
    lines = [_draw_memory(each, reply.marks.get(each.id, ""), dates) for each in rows]
    return tag(
        "section",
        tag("h2", title),
        tag("ul", *lines, class_="rows") if lines else draw_nothing(f"{none.capitalize()} then."),
        class_="card",
    )


def _draw_memory(row: ObservationIndex, mark: str, dates: Dates) -> Html:
    against = tag("em", row.against, class_="against") if row.against else None
    return tag(
        "li",
        draw_time(row.timestamp_ms, dates),
        " ",
        draw_chip(row.agent),
        " ",
        tag("a", row.summary, href=link_to("memory", "one", row.id)),
        " ",
        tag("em", mark, class_="against") if mark else None,
        against,
        class_="row",
    )


def _draw_told(reply: LatelyReply) -> Html:
    told, recalls = reply.status.told, reply.recalls
    facts = {
        "lines told": f"{told.lines:,}, {told.things:,} different ones",
        "opened by somebody": f"{told.opened:,} of these",
        "at prompts, lately": f"{told.at_prompts:,}" if told.at_prompts else "",
        "before an action, lately": f"{told.at_actions:,}" if told.at_actions else "",
        "what that cost, lately": f"{recalls.tokens:,} tokens in {count(recalls.times, 'section')}"
        if recalls.times
        else "",
    }
    return tag(
        "section",
        tag("h2", "Told to agents"),
        draw_facts(facts)
        if told.lines or recalls.times
        else draw_nothing("No session was told anything yet."),
        tag("p", tag("a", "what the next session will be told", href="/told")),
        class_="card",
    )


def _draw_day_table(days: Iterable[DayActivity]) -> Html:
    """Return the plot in words, for who cannot see it."""
    rows = (
        tag(
            "tr",
            tag("th", tag("a", f"{each.day}", href=link_to("day", f"{each.day}")), scope="row"),
            tag("td", f"{each.total:,}"),
            tag("td", join(*(draw_harness(name) for name in sorted(each.events)), between=" ")),
        )
        for each in days
        if each.total
    )
    return tag(
        "details",
        tag("summary", "as a table"),
        tag(
            "table",
            tag("caption", "events of the sessions that ended on a day", class_="unseen"),
            tag("tbody", *rows),
        ),
    )
