"""What was learnt: how things are, and which commands work here.

A fact is a sentence of the agent that says how something is, names it, and would be as
true for somebody who was not there. Plans, guesses, claims of work done and the state of
the moment ("all tests pass") are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentx.kernel.text import compile_late
from agentx.observations.extract import wording
from agentx.observations.extract.session.commands import find_passed, is_routine, plain, signature
from agentx.observations.extract.session.exchanges import Exchange, reports
from agentx.observations.extract.session.lines import (
    Boot,
    Line,
    as_paragraphs,
    is_claim,
    join_lines,
    lines,
)
from agentx.observations.extract.session.tools import ToolStep, Use
from agentx.observations.extract.session.turns import Finding, Turn
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import likeness
from agentx.prose.sentences import Block, is_question, sentences, words

_WORTH = 40
_AN_EXCHANGE_MAX = 4
_COMMANDS_MAX = 8
_ALIKE = 0.55
_FIGURE = compile_late(
    r"\b\d+(?:[.,]\d+)?\s?(?:%|[mun]?s\b|ms\b|x\b|[KMGT]i?B?\b|minutes?|hours?|seconds?|days?|rows)"
)
_SPANS = compile_late(r"`[^`\n]{2,80}`")
_ACRONYM = compile_late(r"\b[A-Z]{3,}\b")
_CONTRAST = compile_late(
    r"\b(?:not|but|instead of|rather than|however|even though|although|never|no longer|n't)\b"
    r"|\b(?:aber|nicht|sondern|statt)\b",
    re.IGNORECASE,
)
# Told of whoever speaks, and of no use to whoever comes later.
_ABOUT_ME = compile_late(
    r"\b(?:I|I'm|I'll|I've|me|my|mine|myself|ich|mir|propos\w+|recommend\w*|suggest\w*)\b"
)
_HANGS = compile_late(
    r"\b(?:because|with|that|call|is|are|was|for|to|like|as|by|from|in|when|and|or|of)\s*[:\uff1a]\Z"
    r"|\A[A-D]\)"
)
_ORDERS = cues.at_the_start("push | pull | navigate | open | click | go | keep | consider | ensure")
_LEANS = cues.at_the_start("it | this | that | they | these | those | then | he | she")
_LEADS = compile_late(r"\A(?:(?:So|Also|And|But|Yes|No|Note that|Found it|In short)\b[,.:!]?\s+)+")
_TO_YOU = compile_late(r"\b(?:you|your|you're|worth)\b", re.IGNORECASE)
_POINTS_BACK = compile_late(r"(?:\S+ ){0,3}(?:it|that|this|they|these|those)\b", re.IGNORECASE)
_LINE_NUMBERS = compile_late(r"\blines? \d+|:\d+\b|\(line", re.IGNORECASE)
_SYMBOLS = compile_late(r"[{}();=<>|\\$\[\]~^\u2192\u2705]")
_MOMENT = compile_late(
    r"\b(?:this (?:session|change|commit|pr|test)|the test (?:shows|expects|needs)"
    r"|now passes|valid now|just (?:added|ran)"
    r"|(?:has|have) been \w+ed|(?:was|were) (?:resolved|updated|moved)|will now|now includes?"
    r"|(?:now |is |are )(?:unused|stale)|unused now|no longer need(?:s|ed)|\d+ \w+ \w+ updated"
    r"|the (?:tests?|fix|changes?|plan) (?:now )?(?:passes|pass|works|verifies|is|are))\b",
    re.IGNORECASE,
)


def facts(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what was learnt, in the order in which it was said."""
    for exchange in found:
        yield from _of_exchange(exchange, boot)
    yield from _commands(found)


def _of_exchange(exchange: Exchange, boot: Boot) -> Iterator[Finding]:
    asked = exchange.prompt is not None and any(
        is_question(one.text) for one in sentences(exchange.prompt.text)
    )
    closing = exchange.closing
    weighed: list[tuple[int, int, Line]] = []
    for reply in (*exchange.replies, *reports(exchange)):
        bonus = (10 if asked else 4) if reply is closing else -4
        bonus -= 8 if reply not in exchange.replies else 0
        offers = wording.OFFERS.search(reply.text) is not None
        for line in lines(reply, boot):
            weight = _weight(line) + bonus - 20 * (offers and line.block is Block.ITEM)
            if weight >= _WORTH:
                weighed.append((weight, len(weighed), line))
    chosen: list[tuple[int, int, Line]] = []
    for candidate in sorted(weighed, key=lambda one: (-one[0], one[1])):
        about = terms(candidate[2].text)
        if all(likeness(about, terms(other.text)) < _ALIKE for _, _, other in chosen):
            chosen.append(candidate)
        if len(chosen) == _AN_EXCHANGE_MAX:
            break
    weights = {number: weight for weight, number, _ in chosen}
    in_order = [line for _, _, line in sorted(chosen, key=lambda one: one[1])]
    numbers = sorted(weights)
    for group in as_paragraphs(in_order):
        weight = max(weights[number] for number in numbers[: len(group)])
        numbers = numbers[len(group) :]
        yield _fact(_standing(join_lines(group)), group[0].turn, (group[0].turn.event_id,), weight)


def _standing(text: str) -> str:
    """Return a fact without what only led to it."""
    plain = _LEADS.sub("", text)
    plain = plain[:1].upper() + plain[1:] if plain[:1].islower() and " " in plain[:12] else plain
    return plain.rstrip(":") + "." if plain.endswith(":") else plain


def _is_passing(line: Line) -> bool:
    """Tell whether a line is of no use to somebody who was not there."""
    own, text = line.own, line.text
    if line.block is Block.HEADING or cues.COMMANDS.match(own) or _ORDERS.match(own):
        return True
    if is_question(own) or is_claim(own):
        return True
    looks = (_HANGS.search(own), _ABOUT_ME.search(text), cues.LOGS.search(own), _MOMENT.search(own))
    starts = (wording.PASSING, cues.COURTESY, cues.ANNOUNCES, cues.INTENDS)
    return bool(any(looks) or _LEANS.match(text) or any(one.match(own) for one in starts))


def _weight(line: Line) -> int:
    own = line.own
    count = words(own)
    names = len({*code_names(own), *_SPANS.findall(own), *_ACRONYM.findall(own)})
    if count < 7 or (own.endswith((":", "\uff1a")) and names < 2) or _is_passing(line):
        return 0
    weight = 12 + 8 * min(names, 3) + 6 * bool(wording.STATES.search(own))
    weight += 10 * bool(wording.REASONS.search(own)) + 10 * bool(wording.TRAPS.search(own))
    weight += 10 * bool(_FIGURE.search(own)) + 8 * bool(_CONTRAST.search(own))
    weight -= 30 * bool(wording.POSSIBLE.search(own)) + 14 * bool(_POINTS_BACK.match(own))
    weight -= 8 * bool(_LINE_NUMBERS.search(own)) + 10 * bool(_TO_YOU.search(own))
    weight -= 10 * bool(cues.CONCLUDES.search(own) and not _FIGURE.search(own))
    weight -= 20 * (len(_SYMBOLS.findall(own)) * 10 > len(own))
    weight += 4 * (count >= 12) - 8 * (line.block is Block.ITEM) - 6 * (count > 45)
    return weight


def _commands(found: list[Exchange]) -> Iterator[Finding]:
    """Yield the commands that worked here, as one fact."""
    good: dict[str, tuple[str, ToolStep]] = {}
    for exchange in found:
        for step in exchange.steps:
            if step.use is not Use.SHELL or not is_routine(step.command) or step.result is None:
                continue
            key = signature(step.command)
            text = plain(step.command)
            if step.has_failed or step.was_refused:
                if key in good and good[key][0] == text:
                    del good[key]
                continue
            if key not in good or len(text) <= len(good[key][0]):
                good[key] = (text, step)
    kept = list(good.values())[-_COMMANDS_MAX:]
    if not kept:
        return
    shown = [
        f"`{text}`" + (f" ({count})" if (count := find_passed(step.output)) else "")
        for text, step in kept
    ]
    ids = [name for _, step in kept for name in step.event_ids]
    yield _fact("Commands that worked here: " + ", ".join(shown), kept[-1][1].call, tuple(ids), 52)


def _fact(text: str, turn: Turn, ids: tuple[str, ...], weight: int) -> Finding:
    return Finding(
        category=Category.KEY_FACT,
        content=text,
        summary=text,
        event_ids=ids,
        at_ms=turn.at_ms,
        files=(),
        weight=weight,
    )
