"""From a line to the very words: a grip with what stands around it, an event, anything by id."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.conversation.model import Event
from agentx.conversation.toc_model import Span
from agentx.kernel.text import whole_head
from agentx.operations.recall.document import open_document, speak_kind
from agentx.operations.recall.uses import expand_used
from agentx.operations.recall.why import Trace, why
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import draw_chip, draw_facts, draw_harness, draw_time

_AROUND = 2
_TEXT_CHARS_MAX = 20_000
_AROUND_CHARS_MAX = 1_200


def draw_grip(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return the words that prove a line, with what was said before and after.

    Raises: NotFound, InvalidValue.
    """
    dates = desk.dates
    with desk.reading() as memory:
        found = expand_used(desk.project, memory, name, before=_AROUND, after=_AROUND)
    spans = found.grip.spans
    body = join(
        *(_draw_beside(each, dates) for each in found.events_before),
        *(_draw_said(each, spans, dates) for each in found.excerpt_events),
        *(_draw_beside(each, dates) for each in found.events_after),
    )
    if asked.is_part:
        return PagePart(body=body)
    return WholePage(title="The words", here="time", body=join(tag("h1", "The words"), body))


def draw_event(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return an event as the log has it.

    Raises: NotFound, InvalidValue.
    """
    dates = desk.dates
    with desk.reading() as memory:
        event = memory.event(name)
    facts: dict[str, Inside] = {
        "event": event.event_id,
        "kind": speak_kind(event.event_type),
        "when": draw_time(event.timestamp_ms, dates),
        "session": tag(
            "a", event.session_id, href=f"{link_to('session', event.session_id)}?at={name}#e-{name}"
        ),
        "agent CLI": draw_harness(event.harness),
        "role": event.agent,
    }
    body = join(
        None if asked.is_part else tag("h1", "An event"),
        tag("section", draw_facts(facts), _draw_text(event.text, ()), class_="card"),
        tag(
            "section",
            tag("h2", "What came with it"),
            tag("pre", _write_metadata(event), tabindex="0"),
            class_="card",
        )
        if event.metadata
        else None,
    )
    return (
        PagePart(body=body)
        if asked.is_part
        else WholePage(title="An event", here="sessions", body=body)
    )


def draw_document(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return whatever an id stands for, with its whole text.

    Raises: NotFound, InvalidValue.
    """
    dates = desk.dates
    with desk.reading() as memory:
        found = open_document(desk.project, memory, name)
    facts: dict[str, Inside] = {
        "id": found.doc_id,
        "when": draw_time(found.timestamp_ms, dates) if found.timestamp_ms else "",
        "agent CLI": draw_harness(found.harness) if found.harness else "",
        "role": found.agent,
        "session": tag("a", found.session_id, href=link_to("session", found.session_id))
        if found.session_id
        else "",
        "to be told of it": tag("em", found.origin, class_="against") if found.origin else "",
    }
    body = join(
        tag("h1", found.title),
        tag("section", draw_facts(facts), _draw_text(found.text, ()), class_="card"),
        tag("p", tag("a", "why is this remembered?", href=link_to("why", name))),
    )
    return (
        PagePart(body=body)
        if asked.is_part
        else WholePage(title=found.title, here="memory", body=body)
    )


def draw_why(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return what something rests on, down to the words.

    Raises: NotFound, InvalidValue.
    """
    dates = desk.dates
    with desk.reading() as memory:
        trace = why(desk.project, memory, name)
    body = draw_trace(trace, dates)
    if asked.is_part:
        return PagePart(body=body)
    return WholePage(title="Why", here="memory", body=join(tag("h1", "Why"), body))


def draw_trace(trace: Trace, dates: Dates) -> Html:
    """Return a thing, and below it what it rests on."""
    told = (
        tag(
            "p",
            f"told {trace.recalled:,} times, last ",
            draw_time(trace.recalled_last_ms or None, dates),
            class_="quiet",
        )
        if trace.recalled
        else None
    )
    left = tag("p", f"and {trace.left_out:,} more", class_="quiet") if trace.left_out else None
    return tag(
        "div",
        tag(
            "p",
            draw_chip(trace.kind.replace("_", " ")),
            " ",
            draw_time(trace.timestamp_ms, dates) if trace.timestamp_ms else None,
            f" {trace.source} " if trace.source else " ",
            tag("a", "open", href=link_to("show", trace.id)),
        ),
        tag("blockquote", draw_marked(_clip(trace.text), trace.marks), class_="words"),
        told,
        tag("div", *(draw_trace(each, dates) for each in trace.rests_on), left, class_="nested")
        if trace.rests_on
        else None,
    )


def draw_marked(text: str, marks: Iterable[tuple[int, int]]) -> Html:
    """Return words, some of them marked."""
    parts: list[Inside] = []
    at = 0
    for begin, end in sorted(marks):
        if begin < at or begin >= len(text):
            continue
        parts += [text[at:begin], tag("mark", text[begin:end])]
        at = end
    return join(*parts, text[at:])


def _draw_said(event: Event, spans: Iterable[Span], dates: Dates) -> Html:
    marks = tuple((each.start, each.end) for each in spans if each.event_id == event.event_id)
    return tag(
        "div",
        _draw_speaker(event, dates),
        _draw_text(event.text, marks),
        class_="turn here",
    )


def _draw_beside(event: Event, dates: Dates) -> Html:
    text = whole_head(event.text.strip(), _AROUND_CHARS_MAX)
    more = " ..." if len(event.text.strip()) > len(text) else ""
    return tag(
        "div",
        _draw_speaker(event, dates),
        tag("div", f"{text}{more}", class_="words quiet"),
        class_="turn",
    )


def _draw_speaker(event: Event, dates: Dates) -> Html:
    address = f"{link_to('session', event.session_id)}?at={event.event_id}#e-{event.event_id}"
    return tag(
        "div",
        tag("strong", speak_kind(event.event_type)),
        draw_time(event.timestamp_ms, dates),
        draw_harness(event.harness),
        tag("a", "in its session", href=address),
        class_="who",
    )


def _draw_text(text: str, marks: Iterable[tuple[int, int]]) -> Html:
    """Return a text; of a very long one what is around its marks, or its head."""
    spans = tuple(marks)
    shown = _clip(text)
    if spans and min(begin for begin, _ in spans) > len(shown) - 200:
        begin = max(min(start for start, _ in spans) - 400, 0)
        shown = text[begin : begin + _TEXT_CHARS_MAX]
        spans = tuple((start - begin, end - begin) for start, end in spans)
    left = len(text) - len(shown)
    more = tag("p", f"{left:,} more characters", class_="quiet") if left > 0 else None
    return join(tag("div", draw_marked(shown, spans), class_="words"), more)


def _clip(text: str) -> str:
    return whole_head(text, _TEXT_CHARS_MAX)


def _write_metadata(event: Event) -> str:
    import json  # noqa: PLC0415  where somebody wants the whole event

    told = json.dumps(event.metadata, indent=2, ensure_ascii=False, default=str)
    return _clip(told)
