"""A session as a conversation: a page at a time, what was learnt from it, and as it grows."""

from __future__ import annotations

from agentx.conversation.model import Session
from agentx.kernel.clock import HOUR_MS, MINUTE_MS
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.ids import is_ulid
from agentx.kernel.text import preview, show_name
from agentx.kernel.tokens import estimate
from agentx.memory.port import Memory
from agentx.operations.memory.learnt import list_learnt
from agentx.operations.memory.session import session_budget
from agentx.operations.recall.session.part import (
    SHOWS,
    SaidTurn,
    SessionPart,
    Show,
    read_part,
    read_tail,
)
from agentx.operations.recall.session.told import read_lines
from agentx.operations.recall.stretch import find_session
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import (
    TITLE_CHARS_MAX,
    count,
    draw_chip,
    draw_facts,
    draw_harness,
    draw_nothing,
    draw_time,
)
from agentx.surfaces.page.words.drawing import Drawing
from agentx.surfaces.page.words.turns import count_words, draw_turns

# What compaction would leave of a longer one takes many seconds to find out.
_MEASURED_EVENTS_MAX = 2_000
_SHOW_WORDS: dict[Show, str] = {
    "": "everything",
    "talk": "talk",
    "tools": "tools",
    "errors": "errors",
    "commits": "commits",
}


def draw_session(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return a page of a session, or the piece of it that is asked for.

    Raises: NotFound for no such session, InvalidValue for what is no event of it.
    """
    part = asked.word("part")
    show = _read_show(asked.word("show"))
    dates = desk.dates
    with desk.reading() as memory:
        session = _find(memory, name)
        if part == "learnt":
            body = _draw_learnt(desk, session, dates)
        elif part == "budget":
            body = _draw_budget(desk, memory, session)
        elif part == "tail":
            body = _draw_tail(desk, memory, session, _read_event(asked, "after"), show)
        else:
            body = _draw(desk, memory, session, asked, show)
    if asked.is_part:
        return PagePart(body=body)
    return WholePage(
        title=preview(session.title, TITLE_CHARS_MAX) or "A session", here="sessions", body=body
    )


def _find(memory: Memory, name: str) -> Session:
    found = find_session(memory, name)
    if found is None:
        raise NotFound(f"{name[:60]}: no such session", hint="Sessions has all there are")
    return found


def _read_show(word: str) -> Show:
    found = next((each for each in SHOWS if each == word), None)
    if found is None:
        raise InvalidValue(
            f"{word[:40]!r} is none of the filters", hint="talk, tools, errors, commits"
        )
    return found


def _read_event(asked: PageCall, name: str) -> str:
    word = asked.word(name)
    if word and not is_ulid(word):
        raise InvalidValue(f"{word[:40]!r} is no event", hint="open the session without it")
    return word


def _draw(desk: PageDesk, memory: Memory, session: Session, asked: PageCall, show: Show) -> Html:
    dates = desk.dates
    part = read_part(
        memory,
        session,
        show=show,
        at=_read_event(asked, "at"),
        after=_read_event(asked, "from"),
        before=_read_event(asked, "before"),
        is_last=asked.word("last") == "1",
    )
    drawing = _begin(desk, memory, session, part)
    turns = draw_turns(part.items, drawing, last=part.last)
    grows = not part.after and session.is_live(dates.now_ms)
    live = link_to("session", session.session_id, part="tail", show=show) if grows else None
    return join(
        _draw_head(session, part, dates),
        _draw_chips(session, show),
        _draw_steps(session, part, show, "Parts of the session"),
        tag(
            "section",
            tag("h2", "Conversation", class_="unseen"),
            *(turns or (draw_nothing(_say_none(part, show)),)),
            class_="card talk",
            data_live=live,
            data_of=session.session_id if grows else None,
            data_grow=grows,
        ),
        _draw_steps(session, part, show, "On in the session"),
    )


def _begin(desk: PageDesk, memory: Memory, session: Session, part: SessionPart) -> Drawing:
    told = (
        one.told.ids for one in part.items if isinstance(one, SaidTurn) and one.told is not None
    )
    ids = [each for ids in told for each in ids]
    lines = read_lines(desk.project, memory, ids) if ids else {}
    return Drawing(dates=desk.dates, root=session.working_directory, told=lines)


def _draw_tail(desk: PageDesk, memory: Memory, session: Session, after: str, show: Show) -> Html:
    if not after:
        return join()
    part = read_tail(memory, session, after, show=show)
    drawing = _begin(desk, memory, session, part)
    return join(*draw_turns(part.items, drawing, last=part.last))


def _draw_head(session: Session, part: SessionPart, dates: Dates) -> Html:
    tokens = sum(map(estimate, count_words(part.items)))
    facts: dict[str, Inside] = {
        "agent CLI": draw_harness(session.harness),
        "role": show_name(session.agent) if session.agent else "",
        "branch": tag("code", show_name(session.branch)) if session.branch else "",
        "folder": tag("code", show_name(session.working_directory))
        if session.working_directory
        else "",
        "when": join(draw_time(session.first_ms, dates), f", {_say_length(session)}"),
        "holds": join(
            count(session.events, "event"),
            count(session.prompts, "prompt"),
            f"about {tokens:,} tokens in these turns",
            between=" \u00b7 ",
        ),
        "session": tag("code", session.session_id),
    }
    return join(
        tag("h1", preview(session.title, TITLE_CHARS_MAX) or "A session without words"),
        tag(
            "section",
            draw_facts(facts),
            tag("p", draw_chip("runs now", "live")) if session.is_live(dates.now_ms) else None,
            _draw_more(session, "What was learnt from it", "learnt"),
            _draw_more(session, "How full its context was", "budget")
            if session.events <= _MEASURED_EVENTS_MAX
            else None,
            tag(
                "p",
                tag("a", "share this as a file", href=_link_share(session)),
                " \u00b7 ",
                tag("a", "forget it", href=link_to("forget", "session", session.session_id)),
                class_="quiet",
            ),
            class_="card",
        ),
    )


def _link_share(session: Session) -> str:
    return link_to("share", kind="session", name=session.session_id)


def _draw_more(session: Session, words: str, part: str) -> Html:
    """Return what opens in its place, and is read only then."""
    address = link_to("session", session.session_id, part=part)
    return tag(
        "details",
        tag("summary", words),
        tag("div", tag("a", "open it", href=address), data_part=address),
        class_="more",
    )


def _draw_chips(session: Session, show: Show) -> Html:
    rows = (
        tag(
            "li",
            tag(
                "a",
                words,
                href=link_to("session", session.session_id, show=name),
                aria_current="true" if name == show else None,
            ),
        )
        for name, words in _SHOW_WORDS.items()
    )
    keys = tag(
        "li",
        tag("kbd", "p"),
        " prompt ",
        tag("kbd", "e"),
        " error ",
        tag("kbd", "c"),
        " commit",
        class_="quiet keys",
    )
    return tag("ul", *rows, keys, class_="chips", aria_label="What is shown")


def _draw_steps(session: Session, part: SessionPart, show: Show, name: str) -> Html | None:
    if not part.before and not part.after:
        return None

    def lead(words: str, **query: str) -> Html:
        address = link_to("session", session.session_id, show=show, **query)
        return tag("a", words, href=address)

    return tag(
        "nav",
        lead("first") if part.before else None,
        lead("\u2190 earlier", before=part.before) if part.before else None,
        lead("later \u2192", from_=part.after) if part.after else None,
        lead("last", last="1") if part.after else None,
        class_="pages",
        aria_label=name,
    )


def _draw_learnt(desk: PageDesk, session: Session, dates: Dates) -> Html:
    found = list_learnt(desk.project, session.session_id)
    if not found:
        return draw_nothing("Nothing is kept of this session yet.")
    rows = (
        tag(
            "li",
            draw_chip(one.category.value, one.category.value),
            " ",
            tag("a", one.summary, href=link_to("memory", "one", one.id)),
            " ",
            draw_time(one.timestamp_ms, dates),
            draw_chip("superseded", "stale") if one.superseded_by else None,
            class_="row",
        )
        for one in found
    )
    return tag("ul", *rows, class_="rows")


def _draw_budget(desk: PageDesk, memory: Memory, session: Session) -> Html:
    if session.events > _MEASURED_EVENTS_MAX:
        return draw_nothing("It is too long to be measured here: agentx memory budget does.")
    found = session_budget(desk.project, memory, session.session_id)
    facts: dict[str, Inside] = {
        "all of it": f"about {found.original_tokens:,} tokens in"
        f" {count(found.messages, 'message')}",
        "after compaction": f"about {found.compacted_tokens:,} tokens in"
        f" {count(found.messages_kept, 'message')}",
        "level": found.level,
    }
    return draw_facts(facts)


def _say_length(session: Session) -> str:
    length = session.last_ms - session.first_ms
    hours, minutes = divmod(round(length / MINUTE_MS), round(HOUR_MS / MINUTE_MS))
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _say_none(part: SessionPart, show: Show) -> str:
    if show and part.after:
        return f"Nothing of that among {count(part.looked, 'event')}: there is more later."
    return "Nothing of that is in this session." if show else "Nothing was said here yet."
