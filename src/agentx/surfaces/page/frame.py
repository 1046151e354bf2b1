"""What stands around every page: where one is, where one can go, and what holds for all of it."""

from __future__ import annotations

from agentx.kernel.values import frozen
from agentx.surfaces.page.asked import WholePage, link_to
from agentx.surfaces.page.markup import NOTHING, Html, Inside, join, tag
from agentx.surfaces.page.pieces import draw_written

_PLACES = (
    ("home", "Home", "/"),
    ("time", "Time", "/time"),
    ("sessions", "Sessions", "/sessions"),
    ("memory", "Memory", "/memory"),
    ("work", "Work", "/work"),
    ("told", "Told", "/told"),
)
_ICON = tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml")


@frozen
class PageAbout:
    """What every page says of the memory."""

    project: str = ""
    root: str = ""
    form_word: str = ""
    read_only: str = ""
    origin: str = ""  # of what lies in a repository that is not trusted: that
    waiting: int = 0  # what waits for the person


def draw(page: WholePage, about: PageAbout) -> Html:
    """Return a whole document."""
    name = about.project or "AgentX"
    return _document(
        f"{page.title} - {name}",
        tag("a", "Skip to content", class_="skip", href="#content"),
        _draw_head(page, about),
        tag(
            "main",
            _draw_notes(about),
            page.body,
            id="content",
            tabindex="-1",
        ),
        tag("div", id="said", class_="unseen", role="status", aria_live="polite"),
        tag("div", id="gone", role="alert", hidden=True),
        word=about.form_word,
        script=True,
    )


def draw_door() -> Html:
    """Return what lets a browser in: it goes on by itself, as a page of this server."""
    return _document(
        "AgentX",
        tag("main", tag("p", tag("a", "Open the page", href="/")), class_="plain"),
        head=tag("meta", http_equiv="refresh", content="0;url=/"),
    )


def draw_refusal(says: str, mend: str) -> Html:
    """Return why a browser is not answered."""
    return _document(
        "Not here",
        tag(
            "main",
            tag("h1", "Not here"),
            tag("p", f"{says}."),
            tag("p", tag("code", mend)) if mend else None,
            class_="plain",
        ),
    )


def say_failure(message: str, hint: str, *, status: int, written: str = "") -> WholePage:
    """Return a page that says what is wrong, what to do, and what a person wrote."""
    body = tag(
        "section",
        tag("h1", "That did not work" if status != 404 else "Nothing is there"),
        tag("p", message, class_="failure", role="alert"),
        tag("p", tag("strong", "What to do: "), hint, class_="quiet") if hint else None,
        draw_written(written),
        class_="card",
    )
    return WholePage(title="That did not work", body=body, status=status)


def _document(
    title: str, *body: Inside, word: str = "", head: Html = NOTHING, script: bool = False
) -> Html:
    return join(
        Html("<!doctype html>\n"),
        tag(
            "html",
            tag(
                "head",
                tag("meta", charset="utf-8"),
                tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
                tag("meta", name="color-scheme", content="light dark"),
                tag("meta", name="robots", content="noindex"),
                head,
                tag("title", title),
                _ICON,
                tag("script", src="/static/theme.js") if script else None,
                tag("link", rel="stylesheet", href="/static/page.css"),
                tag("script", src="/static/page.js", defer=True) if script else None,
            ),
            tag("body", *body, data_word=word or None),
            lang="en",
        ),
    )


def _draw_head(page: WholePage, about: PageAbout) -> Html:
    places = (
        tag(
            "li",
            tag(
                "a",
                name,
                _draw_badge(about.waiting) if key == "work" else None,
                href=address,
                aria_current="page" if key == page.here else None,
            ),
        )
        for key, name, address in _PLACES
    )
    finder = tag(
        "form",
        tag("label", "Search everything remembered", for_="q", class_="unseen"),
        tag(
            "input",
            type="search",
            id="q",
            name="q",
            value=page.query or None,
            placeholder="Search everything  ( / )",
            autocomplete="off",
            maxlength=500,
        ),
        action="/search",
        role="search",
    )
    return tag(
        "header",
        tag("a", "AgentX", tag("span", about.project, class_="project"), class_="mark", href="/"),
        tag("nav", tag("ul", *places), aria_label="Places"),
        finder,
        tag("button", "Theme", type="button", id="theme", class_="small", hidden=True),
    )


def _draw_badge(count: int) -> Html | None:
    if not count:
        return None
    return tag("span", f"{count}", tag("span", " wait for you", class_="unseen"), class_="badge")


def _draw_notes(about: PageAbout) -> Html | None:
    notes = []
    if about.read_only:
        notes.append(about.read_only)
    if about.origin:
        notes.append(f"questions, runs and lessons shown here are {about.origin}: agentx trust")
    return tag("div", *(tag("p", each) for each in notes), class_="notes") if notes else None


def draw_pages(address: str, page: int, *, has_more: bool, **query: str) -> Html | None:
    """Return the way to the page before and the one after."""
    if page <= 1 and not has_more:
        return None
    before = link_to(address, page=page - 1 if page > 2 else None, **query) if page > 1 else ""
    after = link_to(address, page=page + 1, **query) if has_more else ""
    return tag(
        "nav",
        tag("a", "newer", href=before, rel="prev") if before else None,
        tag("span", f"page {page}", class_="quiet"),
        tag("a", "older", href=after, rel="next") if after else None,
        class_="pages",
        aria_label="Pages",
    )
