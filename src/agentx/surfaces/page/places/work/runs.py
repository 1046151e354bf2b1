"""A run: its phases, tasks and lanes, what blocks it, what was checked, what is next."""

from __future__ import annotations

from agentx.kernel.errors import AgentXError
from agentx.operations.runs.read import RunOverview, note_shown, run_events, show_run
from agentx.operations.runs.shown import answer_asked
from agentx.runs.rendering import list_claims, tell_answered
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import (
    Answer,
    Away,
    PageCall,
    PagePart,
    WholePage,
    find_status,
    link_to,
)
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import (
    count,
    draw_chip,
    draw_facts,
    draw_form,
    draw_refused,
    draw_time,
    draw_written,
)
from agentx.surfaces.page.places.work.questions import check_length

_EVENTS_SHOWN = 40
_TASKS_SHOWN = 300


def draw_run(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return where a run stands.

    Raises: NotFound.
    """
    run = show_run(desk.project, name, caller=desk.caller)
    if desk.caller.is_person and not (asked.is_part or asked.find_sender()):
        note_shown(desk.project, run)
    body = _draw(desk, asked, run)
    if asked.is_part:
        return PagePart(body=body)
    live = tag("div", body, data_live=link_to("run", name), data_of="*")
    return WholePage(title=run.title, here="work", body=live)


def say(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Say what the person answers the run, to what their own page showed them.

    What cannot be said stays written, below what the run asks now.

    Raises: NotFound.
    """
    run = show_run(desk.project, name, caller=desk.caller)
    said, text = asked.form, asked.written.strip()
    try:
        check_length(text)
        with desk.deciding:
            answer_asked(
                desk.project,
                run,
                said.get("asked", ""),
                text,
                shown=said.get("shown", ""),
                caller=desk.caller,
            )
    except AgentXError as error:
        run = show_run(desk.project, name, caller=desk.caller)
        body = join(draw_refused(error), _draw(desk, asked, run))
        return WholePage(title=run.title, here="work", body=body, status=find_status(error))
    desk.forget_waiting()
    return Away(to=link_to("run", name))


def _draw(desk: PageDesk, asked: PageCall, run: RunOverview) -> Html:
    dates = desk.dates
    lately = run_events(desk.project, run.run_id, limit=_EVENTS_SHOWN)
    return join(
        tag("h1", run.title, " ", _draw_status(run.status)),
        tag("p", run.description) if run.description else None,
        tag("section", draw_facts(_list_facts(run, dates)), _draw_phases(run), class_="card"),
        _draw_blockers(desk, asked, run),
        _draw_next(run),
        _draw_tasks(run),
        _draw_lanes(run, dates),
        tag(
            "section",
            tag("h2", "Lately"),
            tag("ol", *(tag("li", each, class_="words") for each in lately.lines), reversed=True)
            if lately.lines
            else None,
            class_="card",
        ),
    )


def _list_facts(run: RunOverview, dates: Dates) -> dict[str, Inside]:
    return {
        "run": run.run_id,
        "began": draw_time(run.created_ms, dates),
        "last change": draw_time(run.updated_ms, dates),
        "branch": run.work_branch,
        "from": run.base_branch,
        "commit": run.latest_commit[:12],
        "checks": join(*(tag("code", each) for each in run.checks), between=" "),
        "lessons it offers": f"{run.candidates}" if run.candidates else "",
        "damaged": ", ".join(run.faults),
    }


def _draw_phases(run: RunOverview) -> Html:
    rows = (
        tag(
            "li",
            draw_chip(
                f"{row.phase.lower()}: {row.status.replace('_', ' ').lower()}", row.status.lower()
            ),
        )
        for row in run.phases
    )
    return tag("ol", *rows, class_="chips", aria_label="Phases")


def _draw_blockers(desk: PageDesk, asked: PageCall, run: RunOverview) -> Html | None:
    word = desk.form_word if run.blockers and desk.may_speak(asked) else ""
    rows = [_draw_blocker(run, at, asked, word, desk.dates) for at in range(len(run.blockers))]
    if asked.form.get("asked") not in (None, *(one.id for one in run.blockers)):
        rows.append(tag("li", draw_written(asked.written)))
    rows += [tag("li", tag("em", each, class_="against")) for each in run.unverified]
    rows += [tag("li", tell_answered(each), class_="words") for each in run.answered]
    if not rows:
        return None
    return tag(
        "section",
        tag("h2", "What a person is asked"),
        tag("ul", *rows, class_="rows"),
        class_="card waits",
    )


def _draw_blocker(run: RunOverview, at: int, asked: PageCall, word: str, dates: Dates) -> Html:
    """Return what a run asks a person, with their answer where there is a word for its form."""
    one = run.blockers[at]
    options = f" Options: {'; '.join(one.options)}." if one.options else ""
    text = asked.written if asked.form.get("asked") == one.id else ""
    form = draw_form(
        link_to("run", run.run_id),
        word,
        "Answer as you",
        tag("label", "What holds.", for_=f"text-{one.id}"),
        tag("textarea", text, id=f"text-{one.id}", name="text", required=True),
        kind="main",
        asked=one.id,
        shown=one.digest,
    )
    return tag(
        "li",
        draw_time(one.at_ms, dates),
        f" {one.actor} asks: {one.question}{options}",
        *(tag("p", each, class_="against") for each in list_claims(one)),
        form if word else None,
    )


def _draw_next(run: RunOverview) -> Html | None:
    rows = [
        tag("li", each.text, tag("p", tag("code", each.command)) if each.command else None)
        for each in run.next
    ]
    rows += [
        tag("li", tag("em", f"missing: {each.text}", class_="against")) for each in run.missing
    ]
    if not rows:
        return None
    return tag("section", tag("h2", "Next"), tag("ul", *rows, class_="rows"), class_="card")


def _draw_tasks(run: RunOverview) -> Html | None:
    if not run.tasks:
        return None
    rows = (
        tag(
            "tr",
            tag("th", row.task_id, scope="row"),
            tag("td", row.title),
            tag("td", _draw_status(row.status)),
            tag(
                "td",
                join(
                    row.held or None,
                    f"waits for {', '.join(row.waits_for)}" if row.waits_for else None,
                    "ready" if row.ready else None,
                    row.reason or None,
                    row.said_verdict or None,
                    between="; ",
                ),
            ),
            tag("td", join(*(tag("code", each) for each in row.checks), between=" ")),
        )
        for row in run.tasks[:_TASKS_SHOWN]
    )
    return _draw_table(
        f"Tasks ({len(run.tasks)})", ("task", "what", "status", "note", "checks"), *rows
    )


def _draw_lanes(run: RunOverview, dates: Dates) -> Html | None:
    if not run.lanes:
        return None
    lost = {each.lane: each for each in run.unmerged}
    rows = (
        tag(
            "tr",
            tag("th", lane.id, scope="row"),
            tag("td", lane.task),
            tag("td", _draw_status("NOT MERGED HERE" if lane.id in lost else str(lane.status))),
            tag("td", draw_time(lane.changed_ms, dates)),
            tag(
                "td",
                join(
                    f"try {lane.attempts}" if lane.attempts > 1 else None,
                    lane.reason or None,
                    lost[lane.id].why if lane.id in lost else None,
                    between="; ",
                ),
            ),
        )
        for lane in run.lanes
    )
    return _draw_table(
        count(len(run.lanes), "lane"), ("lane", "task", "status", "changed", "note"), *rows
    )


def _draw_table(title: str, heads: tuple[str, ...], *rows: Html) -> Html:
    return tag(
        "section",
        tag("h2", title),
        tag(
            "figure",
            tag(
                "table",
                tag("thead", tag("tr", *(tag("th", each, scope="col") for each in heads))),
                tag("tbody", *rows),
            ),
        ),
        class_="card",
    )


def _draw_status(word: str) -> Html:
    return draw_chip(word.replace("_", " ").lower(), word.replace(" ", "_").lower())
