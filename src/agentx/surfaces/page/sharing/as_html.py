"""What is shared, as one HTML file: its style within, no script, nothing from elsewhere."""

from __future__ import annotations

from agentx.surfaces.dates import Dates
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_chip, draw_facts, draw_harness, draw_time
from agentx.surfaces.page.sharing.contents import list_contents
from agentx.surfaces.page.sharing.gathering import Shared, SharedLine, SharedSession
from agentx.surfaces.page.static import read_static
from agentx.surfaces.page.words.drawing import Drawing
from agentx.surfaces.page.words.turns import draw_turns

# A file is written once and read by somebody else: more of it is rendered than of a page.
_RENDERED_CHARS_MAX = 3_000_000
# Whoever opens the file: nothing in it may act, and it fetches nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def write_html(shared: Shared, dates: Dates, project: str) -> str:
    """Return the file."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", shared.title),
        tag("style", _read_style()),
    )
    body = tag(
        "body",
        tag(
            "main",
            _draw_head(shared, dates),
            draw_shared(shared, dates),
            _say_whence(project, dates),
        ),
    )
    return join(Html("<!doctype html>\n"), tag("html", head, body, lang="en"))


def draw_shared(shared: Shared, dates: Dates, *, turns_max: int | None = None) -> Html:
    """Return what is shared; of each session the first turns where only some are wanted."""
    return join(
        _draw_lines(shared, dates) if shared.lines else None,
        *(_draw_session(one, dates, turns_max) for one in shared.sessions),
    )


def _draw_head(shared: Shared, dates: Dates) -> Html:
    told = dict(list_contents(shared, dates))
    told.pop("secrets", "")
    return join(tag("h1", shared.title), tag("section", draw_facts({**told}), class_="card"))


def _draw_lines(shared: Shared, dates: Dates) -> Html:
    rows = (_draw_line(each, dates) for each in shared.lines)
    return tag("section", tag("ul", *rows, class_="lines"), class_="card")


def _draw_line(line: SharedLine, dates: Dates) -> Html:
    return tag(
        "li",
        draw_chip(line.kind.replace("_", " "), line.kind),
        " ",
        tag("span", line.text, class_="words"),
        " ",
        draw_time(line.at_ms, dates),
        f" {line.by}" if line.by else None,
    )


def _draw_session(one: SharedSession, dates: Dates, turns_max: int | None) -> Html:
    session = one.session
    drawing = Drawing(
        dates=dates,
        root=session.working_directory,
        links=False,
        rendered_left=_RENDERED_CHARS_MAX,
    )
    items = one.items if turns_max is None else one.items[:turns_max]
    left = len(one.items) - len(items)
    return tag(
        "section",
        tag("h2", session.title or "A session without words"),
        tag("p", draw_harness(session.harness), " ", draw_time(session.first_ms, dates)),
        *draw_turns(items, drawing),
        tag("p", f"and {left:,} more turns", class_="quiet") if left else None,
        class_="card talk",
    )


def _say_whence(project: str, dates: Dates) -> Html:
    said = f"From the memory of {project}, {dates.say_iso(dates.now_ms)}, by AgentX."
    return tag("p", said, class_="quiet")


def _read_style() -> Html:
    found = read_static("page.css")
    assert found is not None, "the style ships with the page"
    return Html(found[1].decode())
