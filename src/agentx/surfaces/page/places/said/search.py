"""Everything remembered, found while one types: grouped by session, with why it ranked so."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.memory.found import SearchHit, SearchReply
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_chip, draw_harness, draw_nothing, draw_time
from agentx.surfaces.page.places.said.proof import draw_marked
from agentx.surfaces.page.places.said.time import draw_share_link
from agentx.surfaces.page.sharing.gathering import SHARED_BY
from agentx.surfaces.page.sharing.sought import (
    HARNESSES,
    KINDS,
    SEEN_MAX,
    TIMES,
    Sought,
    find,
    read_sought,
)


def draw_search(desk: PageDesk, asked: PageCall) -> Answer:
    """Return what fits the words best.

    Raises: InvalidValue for a time or an issue that cannot be.
    """
    sought = read_sought(asked.word("q"), asked.query)
    words = sought.words
    found = join(
        _draw_chips(sought, "kind", KINDS),
        _draw_chips(sought, "harness", HARNESSES),
        _draw_chips(sought, "since", TIMES),
        _draw_found(desk, sought) if words else _draw_hint(),
    )
    if asked.is_part:
        return PagePart(body=found)
    title = f"Search: {words}" if words else "Search"
    body = join(tag("h1", "Search"), tag("div", found, id="found"))
    return WholePage(title=title, body=body, query=words)


def _draw_found(desk: PageDesk, sought: Sought) -> Html:
    dates = desk.dates
    with desk.reading() as memory:
        reply, is_cut = find(desk, memory, sought)
    told = [tag("p", each, class_="quiet") for each in reply.notes]
    if not reply.hits:
        return join(*told, draw_nothing("Nothing found. Try other words, or a wider time."))
    more = tag("p", f"only the best {SEEN_MAX} are shown", class_="quiet") if is_cut else None
    by = {f"{SHARED_BY}{name}": value for name, value in sought.chosen.items()}
    keep = tag("p", draw_share_link("search", sought.words, **by))
    return join(*told, _draw_groups(reply, dates), more, keep)


def _draw_groups(reply: SearchReply, dates: Dates) -> Html:
    """Return hits, best first; those of one session stand where the best of them does."""
    groups: dict[str, list[SearchHit]] = {}
    for hit in reply.hits:
        groups.setdefault(hit.session_id or hit.doc_id, []).append(hit)
    return join(*(_draw_group(each, dates) for each in groups.values()))


def _draw_group(hits: list[SearchHit], dates: Dates) -> Html:
    session = hits[0].session_id
    head = (
        tag(
            "h2",
            draw_harness(hits[0].harness),
            " ",
            tag("a", f"session {session[:8]}", href=link_to("session", session)),
        )
        if session
        else None
    )
    rows = (_draw_hit(each, dates) for each in hits)
    return tag("section", head, tag("ul", *rows, class_="rows"), class_="card")


def _draw_hit(hit: SearchHit, dates: Dates) -> Html:
    why = (
        tag(
            "details",
            tag("summary", "why here"),
            tag("ul", *(tag("li", each) for each in hit.why)),
            class_="proof",
        )
        if hit.why
        else None
    )
    said = f" and {hit.alike:,} more like it"
    more = tag("span", said, class_="quiet") if hit.alike else None
    who = hit.agent or hit.role
    return tag(
        "li",
        draw_chip(KINDS.get(hit.kind, hit.kind.replace("_", " ")), hit.kind),
        " ",
        draw_time(hit.timestamp_ms, dates),
        f" {who}" if who else None,
        " ",
        tag("em", hit.origin, class_="against") if hit.origin else None,
        tag(
            "div",
            tag("a", draw_marked(hit.snippet, hit.marks), href=find_address(hit)),
            class_="words",
        ),
        tag("span", f"{hit.tokens:,} tokens", class_="quiet"),
        more,
        why,
        data_hit=True,
    )


def find_address(hit: SearchHit) -> str:
    """Return where a hit is seen as what it is."""
    if hit.kind == "event" and hit.session_id:
        return f"{link_to('session', hit.session_id, at=hit.doc_id)}#e-{hit.doc_id}"
    places = {
        "observation": ("memory", "one"),
        "toc_node": ("time",),
        "grip": ("grip",),
        "clarification": ("question",),
    }
    return link_to(*places.get(hit.kind, ("show",)), hit.doc_id)


def _draw_chips(sought: Sought, name: str, choices: dict[str, str]) -> Html:
    words, chosen = sought.words, sought.chosen
    rows = (
        tag(
            "li",
            tag(
                "a",
                told,
                href=link_to("search", q=words, **{**chosen, name: value}),
                aria_current="true" if chosen[name] == value else None,
            ),
        )
        for value, told in choices.items()
    )
    return tag("ul", *rows, class_="chips", aria_label=f"narrow by {name}")


def _draw_hint() -> Html:
    asked: Iterable[str] = (
        "what did we decide about retries?",
        "where did we stop?",
        "what is left to do?",
        "yesterday",
    )
    rows = (tag("li", tag("a", each, href=link_to("search", q=each))) for each in asked)
    return tag("section", tag("p", "Ask in plain words, for instance:"), tag("ul", *rows))
