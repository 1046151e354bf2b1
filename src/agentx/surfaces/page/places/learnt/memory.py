"""What was learnt: a list as of any day, and each memory with its proof and what one can do."""

from __future__ import annotations

from datetime import date, timedelta

from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.kernel.periods import day_period, end_ms, local_day
from agentx.observations.model import Category, Observation
from agentx.operations.memory.past import PastFilters, PastPage, PastRow, memory_as_of
from agentx.operations.memory.read import Shown, memory_show
from agentx.operations.recall.branches import mark_memories
from agentx.operations.recall.why import why
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.frame import draw_pages
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import (
    count,
    draw_chip,
    draw_facts,
    draw_nothing,
    draw_time,
)
from agentx.surfaces.page.places.learnt.curating import list_verbs
from agentx.surfaces.page.places.said.proof import draw_trace

_ON_A_PAGE = 50
CATEGORY_WORDS = {
    Category.DECISION: "decision",
    Category.ERROR: "error",
    Category.CODE_CHANGE: "change",
    Category.KEY_FACT: "fact",
    Category.COMPACTION_SUMMARY: "summary",
}
_KEPT = ("kind", "show", "as_of", "first", "at", "issue", "agent")
_SHOWN = {"": "all", "standing": "stands", "pinned": "pinned", "new": "not looked at yet"}


def draw_list(desk: PageDesk, asked: PageCall) -> Answer:
    """Return memories as they were on a day, newest first."""
    dates, project = desk.dates, desk.project
    page = max(asked.number("page", 1), 1)
    until_ms, day = read_day(asked, dates)
    found = memory_as_of(
        project,
        until_ms,
        _read_filters(asked),
        first=(page - 1) * _ON_A_PAGE,
        count=_ON_A_PAGE + 1,
    )
    rows = found.rows[:_ON_A_PAGE]
    marks = mark_memories(project, [each.row.id for each in rows if each.row.branch])
    lines = (draw_row(each, marks.get(each.row.id, ""), dates) for each in rows)
    query = {name: asked.word(name) for name in ("kind", "show", "issue", "agent")}
    query |= {"as_of": "" if until_ms is None else f"{day}"}
    body = join(
        _draw_slider(asked, found, dates, day),
        tag("section", tag("ul", *lines, class_="rows"), class_="card")
        if rows
        else draw_nothing("No memory fits."),
        draw_pages("memory", page, has_more=len(found.rows) > _ON_A_PAGE, **query),
    )
    if asked.is_part:
        return PagePart(body=body)
    head = join(
        tag("h1", "Memory"),
        tag(
            "p",
            tag("a", "map of files and folders", href="/memory/map"),
            " \u00b7 ",
            tag("a", "lessons of runs", href="/lessons"),
        ),
        _draw_chips(
            asked,
            "kind",
            {"": "all", **{c: w for c, w in CATEGORY_WORDS.items() if w != "summary"}},
        ),
        _draw_chips(asked, "show", _SHOWN),
    )
    return WholePage(title="Memory", here="memory", body=join(head, body))


def draw_one(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return one memory: its words, how it stands, what proves it, what one can do with it.

    Raises: NotFound, InvalidValue.
    """
    dates = desk.dates
    shown = memory_show(desk.project, name)
    one = shown.observation
    body = join(
        tag("h1", CATEGORY_WORDS[one.category].capitalize(), " ", _draw_standing(shown)),
        tag(
            "section",
            tag("p", one.content, class_="words"),
            tag("p", tag("em", one.against, class_="against")) if one.against else None,
            draw_facts(_list_facts(shown, dates)),
            None if desk.read_only else _draw_acts(shown),
            class_="card",
        ),
        tag("section", tag("h2", "What it rests on"), _draw_proof(desk, one, dates), class_="card"),
    )
    return (
        PagePart(body=body)
        if asked.is_part
        else WholePage(title="A memory", here="memory", body=body)
    )


def draw_row(past: PastRow, mark: str, dates: Dates) -> Html:
    """Return a memory as a line: its age as a colour, how it stands, its words."""
    row = past.row
    return tag(
        "li",
        draw_time(row.timestamp_ms, dates),
        " ",
        draw_chip(CATEGORY_WORDS[row.category], row.category.value),
        " ",
        draw_chip("pinned") if row.pinned else None,
        draw_chip("replaced", "stale") if past.replaced_by else None,
        draw_chip("its file changed", "stale") if row.stale else None,
        draw_chip(f"{len(row.repeats) + 1} times") if row.repeats else None,
        " ",
        tag("a", row.summary, href=link_to("memory", "one", row.id)),
        " ",
        tag("em", mark, class_="against") if mark else None,
        tag("em", row.against, class_="against") if row.against else None,
        tag(
            "span",
            join(
                row.agent, f"issue {row.issue_number}" if row.issue_number else None, between=", "
            ),
            class_="quiet",
        ),
        class_="row",
    )


def _draw_standing(shown: Shown) -> Html:
    one = shown.observation
    if shown.dropped:
        return draw_chip("dropped by a person", "stale")
    if shown.archived:
        return draw_chip("merged into another", "stale")
    if one.superseded_by:
        return draw_chip("replaced", "stale")
    if one.changed_files:
        return draw_chip("stale: its file changed since", "stale")
    return draw_chip("stands", "stands")


def _list_facts(shown: Shown, dates: Dates) -> dict[str, Inside]:
    one = shown.observation
    return {
        "said": draw_time(one.timestamp_ms, dates),
        "by": one.agent,
        "issue": f"#{one.issue_number}" if one.issue_number else "",
        "files": ", ".join(one.files),
        "changed since": ", ".join(one.changed_files),
        "branch": str(shown.learnt_on),
        "seen again": count(len(one.repeats), "time") if one.repeats else "",
        "replaced by": _link(one.superseded_by),
        "holds instead of": join(*map(_link, shown.replaced), between=", "),
        "session": tag("a", one.session_id, href=link_to("session", one.session_id))
        if one.session_id and one.event_ids
        else "",
        "mended by a person": draw_time(Millis(one.mended_ms), dates) if one.mended_ms else "",
        "id": one.id,
    }


def _link(observation_id: str) -> Html | str:
    if not observation_id:
        return ""
    return tag("a", observation_id, href=link_to("memory", "one", observation_id))


def _draw_acts(shown: Shown) -> Html:
    name = shown.observation.id
    links = (
        tag("a", verb, href=link_to("memory", "one", name, verb), class_="chip")
        for verb in list_verbs(shown)
    )
    return tag("p", join(*links, between=" "))


def _draw_proof(desk: PageDesk, one: Observation, dates: Dates) -> Html:
    try:
        with desk.reading() as memory:
            return draw_trace(why(desk.project, memory, one.id), dates)
    except AgentXError as error:
        return tag("p", error.message, class_="quiet")


def _read_filters(asked: PageCall) -> PastFilters:
    kind, show = asked.word("kind"), asked.word("show")
    issue = asked.word("issue").removeprefix("#")
    return PastFilters(
        category=Category(kind) if kind in set(Category) else None,
        agent=asked.word("agent"),
        issue_number=int(issue) if issue.isascii() and issue.isdigit() else None,
        standing=show == "standing",
        pinned=show == "pinned",
        unreviewed=show == "new",
    )


def read_day(asked: PageCall, dates: Dates) -> tuple[Millis | None, date]:
    """Return when the day ended that is looked back to; None where that is today.

    A link names the day; the slider says how many days it is after the first.
    """
    today = local_day(dates.now_ms, dates.zone)
    try:
        day = date.fromisoformat(asked.word("as_of") or asked.word("first") or f"{today}")
        day += timedelta(days=asked.number("at", 0))
    except (ValueError, OverflowError):
        day = today
    if day >= today:
        return None, today
    return end_ms(day_period(day), dates.zone), day


def _draw_slider(asked: PageCall, found: PastPage, dates: Dates, day: date) -> Html | None:
    if found.first_ms is None:
        return None
    first = local_day(found.first_ms, dates.zone)
    days = (local_day(dates.now_ms, dates.zone) - first).days
    kept = {name: asked.word(name) for name in ("kind", "show", "issue", "agent")}
    hidden = (
        tag("input", type="hidden", name=name, value=told)
        for name, told in {"first": f"{first}", **kept}.items()
        if told
    )
    ticks = tag(
        "p",
        *(
            tag("a", told, href=link_to("memory", as_of=f"{at}"), class_="chip")
            for told, at in (("first day", first), *_list_steps(first, days))
        ),
        tag("a", "today", href="/memory", class_="chip"),
    )
    return tag(
        "form",
        tag(
            "div",
            tag("label", "As of ", tag("output", f"{day}"), for_="as_of_day"),
            tag(
                "input",
                type="range",
                id="as_of_day",
                min=0,
                max=max(days, 0),
                value=max((day - first).days, 0),
                name="at",
                data_first=f"{first}",
                data_send=True,
                aria_label="As of which day",
            ),
            ticks,
            class_="wide",
        ),
        *hidden,
        tag("noscript", tag("button", "Show")),
        tag(
            "p",
            f"{count(found.known, 'memory', 'memories')} known by then, {found.stood:,} stood. "
            "What was dropped or forgotten since is of no day.",
            class_="quiet",
        ),
        action="/memory",
        class_="bar",
    )


def _list_steps(first: date, days: int) -> list[tuple[str, date]]:
    return [
        (f"{first + timedelta(days=days * part // 4)}", first + timedelta(days=days * part // 4))
        for part in (1, 2, 3)
        if days >= 8
    ]


def _draw_chips(asked: PageCall, name: str, choices: dict[str, str]) -> Html:
    kept = {each: asked.word(each) for each in _KEPT}
    rows = (
        tag(
            "li",
            tag(
                "a",
                told,
                href=link_to("memory", **{**kept, name: value}),
                aria_current="true" if asked.word(name) == value else None,
            ),
        )
        for value, told in choices.items()
    )
    return tag("ul", *rows, class_="chips", aria_label=f"narrow by {name}")
