"""What the next session will be told: the section, line by line, with why and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from agentx.kernel.errors import InvalidValue
from agentx.kernel.tokens import estimate
from agentx.operations.limits import RECALL_TOKENS_MAX
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallReply, RecallRequest
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import count, draw_nothing
from agentx.surfaces.page.plot import draw_share

_TOKENS = 1_500
_LEFT_SHOWN_MAX = 200
_OBSERVATION = "obs-"


def draw_told(desk: PageDesk, asked: PageCall) -> Answer:
    """Return the section for a role, an issue and a prompt of one's choice.

    Raises: InvalidValue for an issue or a budget that cannot be.
    """
    request = RecallRequest(
        agent=asked.word("agent"),
        issue=_read_issue(asked.word("issue")),
        context=asked.word("context"),
        budget_tokens=asked.number("budget", _TOKENS) or _TOKENS,
    )
    with desk.reading() as memory:
        reply = recall(desk.project, memory, request)
        if asked.is_part and asked.word("left"):
            wide = replace(request, budget_tokens=RECALL_TOKENS_MAX)
            return PagePart(body=_draw_left(reply, recall(desk.project, memory, wide)))
    body = join(_draw_form(asked, request), _draw_reply(desk, reply), _draw_rest(asked, reply))
    if asked.is_part:
        return PagePart(body=body)
    head = tag("h1", "What the next session will be told")
    return WholePage(title="Told", here="told", body=join(head, body))


def _read_issue(said: str) -> int | None:
    number = said.removeprefix("#")
    if number and not (number.isascii() and number.isdigit() and len(number) < 10):
        raise InvalidValue(f"{said} is no issue", hint="an issue is a number")
    return int(number) if number else None


def _draw_form(asked: PageCall, request: RecallRequest) -> Html:
    fields = (
        ("agent", "Role", "text", request.agent),
        ("issue", "Issue", "text", asked.word("issue")),
        ("budget", "Tokens", "number", f"{request.budget_tokens}"),
    )
    return tag(
        "form",
        *(
            tag(
                "div",
                tag("label", label, for_=name),
                tag(
                    "input",
                    type=kind,
                    id=name,
                    name=name,
                    value=value,
                    size=8,
                    min=1 if kind == "number" else None,
                    max=RECALL_TOKENS_MAX if kind == "number" else None,
                ),
            )
            for name, label, kind, value in fields
        ),
        tag(
            "div",
            tag("label", "What is about to be done, or a prompt", for_="context"),
            tag("input", type="text", id="context", name="context", value=request.context, size=40),
            class_="wide",
        ),
        tag("button", "Show", class_="main"),
        action="/told",
        class_="bar",
    )


def _draw_reply(desk: PageDesk, reply: RecallReply) -> Html:
    if not reply.lines:
        return draw_nothing("Nothing is told: nothing worth it is remembered, or it is turned off.")
    costs = Counter[str]()
    for line in reply.lines:
        costs[line.group] += estimate(line.text)
    shares = tuple(costs.items())
    key = (
        tag("li", tag("span", class_=f"key s{at % 6}"), f"{name}: about {amount:,} tokens")
        for at, (name, amount) in enumerate(shares)
    )
    return join(
        tag(
            "section",
            tag(
                "p",
                f"{count(len(reply.lines), 'line')}, {reply.tokens:,} of "
                f"{reply.budget_tokens:,} tokens; {reply.left_out:,} left out",
                class_="quiet",
            ),
            draw_share(shares, "tokens by group"),
            tag("ul", *key, class_="chips"),
            class_="card",
        ),
        *_draw_groups(desk, reply),
        tag(
            "details",
            tag("summary", "as the agent reads it"),
            tag("pre", reply.text, tabindex="0"),
        ),
    )


def _draw_rest(asked: PageCall, reply: RecallReply) -> Html | None:
    """Return what opens, in its place, to what found no room."""
    if not reply.left_out:
        return None
    said = {name: asked.word(name) for name in ("agent", "issue", "budget", "context")}
    address = link_to("told", left="1", **said)
    return tag(
        "details",
        tag("summary", f"{reply.left_out:,} left out"),
        tag("div", data_part=address),
        class_="card",
    )


def _draw_left(told: RecallReply, every: RecallReply) -> Html:
    """Return what a larger budget would have told beside what is told, best first by its group."""
    known = {line.doc_id for line in told.lines}
    rows = [
        tag(
            "li",
            tag("span", line.text, class_="words"),
            tag(
                "span",
                f" {line.group.lower()}, "
                f"{_say_source(line.source, line.age, line.tokens, line.score)} ",
                class_="quiet",
            ),
            draw_why(line.doc_id),
        )
        for line in every.lines
        if line.doc_id not in known
    ]
    left = every.left_out
    more = tag("p", f"and {left:,} that no budget tells", class_="quiet") if left else None
    return join(tag("ul", *rows[:_LEFT_SHOWN_MAX], class_="lines"), more)


def _say_source(source: str, age: str, tokens: int, score: float | None) -> str:
    """Return whose a line is, how old, what it costs, and how it was weighed against others."""
    weighed = "in its place" if score is None else f"score {score:.2f}"
    return ", ".join(filter(None, (source, age, f"{tokens:,} tokens to open", weighed)))


def _draw_groups(desk: PageDesk, reply: RecallReply) -> Iterable[Html]:
    for group in dict.fromkeys(line.group for line in reply.lines):
        rows = (
            tag(
                "li",
                tag("span", line.text, class_="words"),
                tag(
                    "span",
                    f" {_say_source(line.source, line.age, line.tokens, line.score)} ",
                    class_="quiet",
                ),
                draw_why(line.doc_id),
                _draw_switches(desk, line.doc_id),
            )
            for line in reply.lines
            if line.group == group
        )
        yield tag("section", tag("h2", group), tag("ul", *rows, class_="lines"), class_="card")


def draw_why(doc_id: str) -> Html:
    """Return what opens, in its place, to what a line rests on."""
    address = link_to("why", doc_id)
    return tag(
        "details",
        tag("summary", "why"),
        tag("div", tag("a", "why is this told?", href=address), data_part=address),
        class_="proof",
    )


def _draw_switches(desk: PageDesk, doc_id: str) -> Html | None:
    if desk.read_only or not doc_id.startswith(_OBSERVATION):
        return None
    links = (
        tag("a", verb, href=link_to("memory", "one", doc_id, verb), class_="chip")
        for verb in ("pin", "edit", "drop")
    )
    return join(" ", *links, between=" ")
