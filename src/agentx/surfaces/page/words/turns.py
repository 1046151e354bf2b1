"""Turns of a session as people read them: who said what, what was done, what came of it.

What is short stands there; what is long is cut and opens in its place; what machines said is
folded and named as that. Whatever a turn holds, it costs a page no more than its bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentx.conversation.model import Event
from agentx.exchanges.turns import TurnKind
from agentx.kernel.capture import EventType
from agentx.kernel.text import compile_late, preview, show_name, without_recall
from agentx.operations.recall.document import speak_kind
from agentx.operations.recall.session.part import SaidTurn, SessionItem, TakenStep
from agentx.surfaces.page.asked import link_to
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import count
from agentx.surfaces.page.words.drawing import Drawing
from agentx.surfaces.page.words.steps import draw_step

_SAID_CHARS_MAX = 12_000
_LINE_CHARS_MAX = 110
_NAME_CHARS_MAX = 40
_FENCE = compile_late(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_HEADING = compile_late(r"^#{1,4} \S", re.MULTILINE)
_TOLD_OPEN_MAX = 3  # so many are read at a glance
_MOMENTS = {
    "start": "as the session began",
    "prompt": "at a prompt",
    "action": "before an action",
}
_WHO = {
    TurnKind.PROMPT: "prompt",
    TurnKind.REPLY: "reply",
    TurnKind.SUMMARY: "what was said before, summed up",
    TurnKind.REPORT: "report of another agent",
}
_UNSAID = frozenset({EventType.ASSISTANT_STOP})


def draw_turns(
    items: Iterable[SessionItem], drawing: Drawing, *, last: str = ""
) -> tuple[Html, ...]:
    """Return turns in their order, those of a subagent nested; the last one names `last`."""
    shown = [item for item in items if _is_said(item)]
    groups: list[tuple[str, list[Html]]] = []
    for place, item in enumerate(shown):
        newest = last if last and place == len(shown) - 1 else ""
        subagent = _name_subagent(item)
        if not groups or groups[-1][0] != subagent:
            groups.append((subagent, []))
        groups[-1][1].append(draw_turn(item, drawing, newest=newest))
    drawn: list[Html] = []
    for subagent, turns in groups:
        drawn += [_nest(subagent, turns)] if subagent else turns
    return tuple(drawn)


def draw_turn(item: SessionItem, drawing: Drawing, *, newest: str = "") -> Html:
    """Return one turn, found by the id of its event."""
    inside: tuple[Inside, ...]
    if isinstance(item, TakenStep):
        kind, inside = _name_kind(item), (draw_step(item, drawing),)
        shown_as, ends = item.shown_as, item.result.event_id if item.result else ""
        who = "call"
    else:
        kind, who, inside = _draw_said(item, drawing)
        shown_as, ends = item.event.event_id, ""
        if item.event.event_type is EventType.TOOL_CALL:
            shown_as, ends = "", shown_as  # said with a call, which is the event
    return tag(
        "article",
        _draw_who(who, item.event, drawing),
        *inside,
        tag("span", id=f"e-{ends}") if ends and ends != shown_as and shown_as else None,
        class_=f"turn {kind}".strip(),
        id=f"e-{shown_as}" if shown_as else None,
        data_event=newest or ends or shown_as,
    )


def count_words(items: Iterable[SessionItem]) -> Iterator[str]:
    """Yield the texts of turns, for who counts what they cost."""
    for item in items:
        if isinstance(item, TakenStep):
            yield item.step.call.text
            yield item.step.output
        elif _is_said(item):
            yield item.turn.text


def _name_kind(item: TakenStep) -> str:
    wrong = " error" if item.is_wrong else ""
    made = " commit" if item.commit is not None else ""
    return f"tool{wrong}{made}"


def _is_said(item: SessionItem) -> bool:
    if isinstance(item, TakenStep) or item.told is not None:
        return True
    if item.event.event_type in _UNSAID:
        return False
    return bool(item.turn.text.strip()) or item.event.event_type in (
        EventType.SESSION_START,
        EventType.SESSION_END,
        EventType.COMPACTION,
    )


def _name_subagent(item: SessionItem) -> str:
    name = item.event.metadata.get("subagent")
    return show_name(name) if isinstance(name, str) and name else ""


def _nest(subagent: str, turns: list[Html]) -> Html:
    name = preview(subagent, _NAME_CHARS_MAX)
    return tag(
        "details",
        tag("summary", tag("strong", "subagent "), name, ", ", count(len(turns), "turn")),
        *turns,
        class_="nested",
        open=True,
    )


def _draw_who(who: str, event: Event, drawing: Drawing) -> Html:
    dates = drawing.dates
    day, clock = dates.say_day(event.timestamp_ms), dates.say_clock(event.timestamp_ms)
    said = clock if day == drawing.day else f"{day} {clock}"
    drawing.day = day
    address = link_to("event", event.event_id)
    raw = tag(
        "details",
        tag("summary", "raw"),
        tag("div", tag("a", "the event as it is kept", href=address), data_part=address),
        class_="proof",
    )
    return tag(
        "div",
        tag("strong", who),
        tag("a", said, href=address) if drawing.links else tag("span", said),
        raw if drawing.links else None,
        class_="who",
    )


def _draw_said(item: SaidTurn, drawing: Drawing) -> tuple[str, str, tuple[Inside, ...]]:
    """Return the class of what was said, by whom, and how it is shown."""
    event, turn = item.event, item.turn
    if item.told is not None:
        return "told", "told by memory", (_draw_told(item, drawing),)
    text = without_recall(turn.text)
    if event.machine:
        return "machine", "said by a machine", (_fold(event.machine.replace("_", " "), text),)
    if turn.kind in (TurnKind.SUMMARY, TurnKind.REPORT):
        return "machine", _WHO[turn.kind], (_fold("read it", text),)
    if turn.kind is TurnKind.PROMPT:
        return "prompt", _WHO[turn.kind], (_draw_prompt(text, event, drawing),)
    kind = "error" if "error" in event.metadata else "note"
    who = _WHO.get(turn.kind, speak_kind(event.event_type))
    if turn.kind is TurnKind.OTHER or not text.strip():
        return kind, who, (_draw_note(text, event),)
    return "reply" if kind == "note" else kind, who, (_draw_reply(text, event, drawing),)


def _draw_prompt(text: str, event: Event, drawing: Drawing) -> Html:
    """Return what a person typed, as it was typed; rendered only where it is a whole document."""
    shown = text.strip()[:_SAID_CHARS_MAX]
    is_document = bool(_FENCE.search(shown)) or len(_HEADING.findall(shown)) > 1
    words = drawing.render(shown) if is_document else tag("div", shown, class_="words")
    return join(words, _draw_rest(len(text.strip()) - len(shown), event, drawing))


def _draw_reply(text: str, event: Event, drawing: Drawing) -> Html:
    shown = text.strip()[:_SAID_CHARS_MAX]
    return join(drawing.render(shown), _draw_rest(len(text.strip()) - len(shown), event, drawing))


def _draw_rest(left: int, event: Event, drawing: Drawing) -> Html | None:
    if left <= 0:
        return None
    said = f"{left:,} more characters"
    whole = tag("a", said, href=link_to("event", event.event_id)) if drawing.links else said
    return tag("p", whole, class_="quiet")


def _draw_note(text: str, event: Event) -> Html | None:
    words = text.strip()
    if event.event_type is EventType.SESSION_START:
        told = (event.metadata.get(each) for each in ("model", "cli_version", "cwd"))
        words = ", ".join((words, *(each for each in told if isinstance(each, str)))).strip(", ")
    if not words:
        return None
    if len(words) > 2 * _LINE_CHARS_MAX or "\n" in words:
        return _fold(preview(words, _LINE_CHARS_MAX), words)
    return tag("div", words, class_="words quiet")


def _fold(summary: str, text: str) -> Html:
    """Return a text that opens, with its first words."""
    head = preview(text[: 4 * _LINE_CHARS_MAX], _LINE_CHARS_MAX)
    shown = text.strip()[:_SAID_CHARS_MAX]
    left = len(text.strip()) - len(shown)
    return tag(
        "details",
        tag(
            "summary", summary, " ", tag("span", head, class_="quiet") if head != summary else None
        ),
        tag("div", shown, class_="words"),
        tag("p", f"{left:,} more characters", class_="quiet") if left > 0 else None,
    )


def _draw_told(item: SaidTurn, drawing: Drawing) -> Html:
    told = item.told
    assert told is not None, "only what was told is drawn as told"
    said = f"{count(len(told.ids), 'line')} {_MOMENTS.get(told.moment, '')}".strip()
    if not drawing.links:  # words of other sessions: nobody asked for them to leave
        return tag("div", said, class_="words quiet")
    rows = (tag("li", _draw_told_line(each, drawing), class_="row") for each in told.ids)
    is_short = len(told.ids) <= _TOLD_OPEN_MAX
    return tag("details", tag("summary", said), tag("ul", *rows, class_="rows"), open=is_short)


def _draw_told_line(name: str, drawing: Drawing) -> Html:
    said = drawing.told.get(name, "")
    link = tag("a", name, href=link_to("show", name))
    return join(said or tag("em", "not there any more"), " ", tag("small", link))
