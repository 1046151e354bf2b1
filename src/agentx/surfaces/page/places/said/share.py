"""To keep what is seen as a file: what would be in it is shown and asked first."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agentx.kernel.errors import InvalidValue
from agentx.surfaces.page.asked import Answer, Download, PageCall, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import draw_facts, draw_form, draw_nothing
from agentx.surfaces.page.sharing.as_html import draw_shared, write_html
from agentx.surfaces.page.sharing.as_markdown import write_markdown
from agentx.surfaces.page.sharing.contents import list_contents
from agentx.surfaces.page.sharing.gathering import SHARED_BY, Shared, gather
from agentx.surfaces.page.sharing.sought import FILTERS, read_sought

_PREVIEW_TURNS = 12
_NAME_CHARS_MAX = 40
_FIELDS = ("kind", "name", "whole", *(f"{SHARED_BY}{name}" for name in FILTERS))
_AS = {
    "html": ("Keep as one HTML file", "text/html; charset=utf-8", "html"),
    "markdown": ("Keep as Markdown", "text/markdown; charset=utf-8", "md"),
}


def draw_question(desk: PageDesk, asked: PageCall) -> Answer:
    """Show what would be in the file, and ask.

    Raises: InvalidValue, NotFound for what cannot be shared.
    """
    kind, name, whole = asked.word("kind"), asked.word("name"), asked.word("whole") == "1"
    with desk.reading() as memory:
        shared = gather(desk, memory, asked.query)
    if shared.is_empty:
        body = join(tag("h1", "Share"), draw_nothing("There is nothing in it to share."))
        return WholePage(title="Share", body=body)
    body = join(
        tag("h1", "Share this as a file?"),
        tag(
            "section",
            tag("p", tag("strong", shared.title)) if kind == "search" else None,
            tag("p", "This would be in it, for whoever opens it. Read it before you give it away."),
            draw_facts(dict(list_contents(shared, desk.dates))),
            tag(
                "p",
                "Secrets are looked for and taken out again, as when it was captured; names, paths"
                " and code stay.",
                class_="quiet",
            ),
            _draw_forms(desk, asked),
            tag("a", "leave it", href=_find_way_back(kind, name, asked.query)),
            _draw_choice(kind, name, whole=whole),
            class_="card",
        ),
        tag("h2", "How it begins"),
        tag("div", draw_shared(shared, desk.dates, turns_max=_PREVIEW_TURNS), class_="preview"),
    )
    return WholePage(title="Share", body=body)


def hand_out(desk: PageDesk, asked: PageCall) -> Answer:
    """Return the file.

    Raises: InvalidValue, NotFound.
    """
    given = asked.form
    if given.get("as", "") not in _AS:
        raise InvalidValue("it can be kept as html or as markdown")
    with desk.reading() as memory:
        shared = gather(desk, memory, given)
    _, media, ending = _AS[given["as"]]
    write = write_html if given["as"] == "html" else write_markdown
    text = write(shared, desk.dates, desk.project.id)
    return Download(
        name=f"{_name_file(shared, given.get('name', ''))}.{ending}", kind=media, text=text
    )


def _draw_forms(desk: PageDesk, asked: PageCall) -> Html:
    if why := desk.find_refusal(asked):
        return tag("p", why, class_="against")
    said = {name: told for name, told in asked.query.items() if name in _FIELDS}
    return join(*(_draw_form(desk, each, said) for each in _AS))


def _draw_form(desk: PageDesk, as_: str, said: Mapping[str, str]) -> Html:
    hidden: tuple[Inside, ...] = tuple(
        tag("input", type="hidden", name=each, value=told)
        for each, told in {**said, "as": as_}.items()
    )
    button = "main" if as_ == "html" else ""
    return draw_form("/share", desk.form_word, _AS[as_][0], *hidden, kind=button)


def _draw_choice(kind: str, name: str, *, whole: bool) -> Html | None:
    """Return the other choice that a day has: its lines, or every word of its sessions."""
    if kind != "day":
        return None
    if whole:
        return tag("p", tag("a", "only its lines", href=link_to("share", kind=kind, name=name)))
    address = link_to("share", kind=kind, name=name, whole="1")
    return tag("p", tag("a", "with every word of its sessions", href=address))


def _find_way_back(kind: str, name: str, said: Mapping[str, str]) -> str:
    if kind != "search":
        return link_to(kind, name)
    return link_to("search", q=name, **read_sought(name, said, SHARED_BY).chosen)


def _name_file(shared: Shared, name: str) -> str:
    """Return a name of a file that no shell and no browser reads as anything else."""
    plain = re.sub(r"[^a-z0-9-]+", "-", name.casefold()).strip("-")[:_NAME_CHARS_MAX].strip("-")
    return "-".join(filter(None, ("agentx", shared.kind, plain)))
