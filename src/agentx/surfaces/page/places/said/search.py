"""Everything remembered, found while one types: grouped by session, with why it ranked so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.kernel.capture import Harness
from agentx.kernel.clock import Millis, point
from agentx.memory.found import REMEMBERED, SearchHit, SearchReply, SearchRequest
from agentx.operations.recall.origins import mark_reply
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_chip, draw_harness, draw_nothing, draw_time
from agentx.surfaces.page.places.said.proof import draw_marked
from agentx.surfaces.page.places.said.time import draw_share_link

_LIMIT = 20
_KINDS = {
    "": "everything",
    "observation": "memories",
    "event": "what was said",
    "toc_node": "summaries",
    "clarification": "questions",
    "lesson": "lessons",
    "run_event": "runs",
}
_HARNESSES = {"": "all agent CLIs", **{each.value: each.value for each in Harness}}
_TIMES = {"": "any time", "1d": "a day", "7d": "a week", "30d": "a month"}
_FILTERS = ("kind", "harness", "since", "agent", "issue")


def draw_search(desk: PageDesk, asked: PageCall) -> Answer:
    """Return what fits the words best.

    Raises: InvalidValue for a time or an issue that cannot be.
    """
    words = asked.word("q")
    chosen = {name: asked.word(name) for name in _FILTERS}
    found = join(
        _draw_chips(words, chosen, "kind", _KINDS),
        _draw_chips(words, chosen, "harness", _HARNESSES),
        _draw_chips(words, chosen, "since", _TIMES),
        _draw_found(desk, asked, words) if words else _draw_hint(),
    )
    if asked.is_part:
        return PagePart(body=found)
    title = f"Search: {words}" if words else "Search"
    body = join(tag("h1", "Search"), tag("div", found, id="found"))
    return WholePage(title=title, body=body, query=words)


def _draw_found(desk: PageDesk, asked: PageCall, words: str) -> Html:
    dates = desk.dates
    request = _request(desk, asked, words)
    with desk.reading() as memory:
        reply = memory.search(request)
        reply = mark_reply(desk.project, reply)
        is_cut = len(reply.hits) > _LIMIT
        reply = replace(reply, hits=reply.hits[:_LIMIT])
    told = [tag("p", each, class_="quiet") for each in reply.notes]
    if not reply.hits:
        return join(*told, draw_nothing("Nothing found. Try other words, or a wider time."))
    more = tag("p", f"only the best {_LIMIT} are shown", class_="quiet") if is_cut else None
    keep = tag("p", draw_share_link("search", words))
    return join(*told, _draw_groups(reply, dates), more, keep)


def _request(desk: PageDesk, asked: PageCall, words: str) -> SearchRequest:
    now_ms = desk.project.clock.now_ms()
    kind, since = asked.word("kind"), asked.word("since")
    return SearchRequest(
        query=words,
        kinds=(kind,) if kind else REMEMBERED,
        agent=asked.word("agent"),
        harness=asked.word("harness"),
        issue=asked.word("issue").removeprefix("#"),
        since_ms=_find_moment(since, now_ms, desk.dates),
        now_ms=now_ms,
        limit=_LIMIT + 1,
        explain=True,
    )


def _find_moment(said: str, now_ms: Millis, dates: Dates) -> Millis | None:
    return point(said, now_ms=now_ms, zone=dates.zone) if said else None


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
    who = hit.agent or hit.role
    return tag(
        "li",
        draw_chip(_KINDS.get(hit.kind, hit.kind.replace("_", " ")), hit.kind),
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


def _draw_chips(words: str, chosen: dict[str, str], name: str, choices: dict[str, str]) -> Html:
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
