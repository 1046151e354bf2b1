"""What was settled, and by whom.

First what the user settled: an answer to a question, a correction, a plan approved, a
step refused, a rule for later. Then what the agent chose, where it said why. A request
to do something is no decision, and neither is "yes, go on".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract import wording
from agentx.observations.extract.agreements import (
    ANSWER_CHARS_MAX,
    decision,
    find_acceptance,
    find_agreement,
    find_choice,
    offer_in,
)
from agentx.observations.extract.session.exchanges import Exchange
from agentx.observations.extract.session.lines import Boot, Line, is_document, lines
from agentx.observations.extract.session.tools import ToolStep, Use, answers, plan_of
from agentx.observations.extract.session.turns import Finding, Turn
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.passages import cut_passages
from agentx.prose.sentences import Block, is_question, sentences, shorten, show_excerpt, words
from agentx.prose.titles import is_written_by_machine, phrase_title, request

_PLAN_PASSAGES_MAX = 6
_LINES_A_PROMPT_MAX = 3
_APPROVED = compile_late(r"approved|proceed|start coding|accepted", re.IGNORECASE)
PLAN_PROMPT = compile_late(r"\s*implement (?:the|this) (?:following )?plan:?\s*\n", re.IGNORECASE)
_HEADING = compile_late(r"^#{1,3}\s+(?:plan:?\s*)?(.+)$", re.MULTILINE | re.IGNORECASE)
_SHORT_CHARS = 320
_ASKED_CHARS = 110
_REFUSED_CHARS = 70
_ENGLISH = compile_late(
    r"\b(?:the|a|an|is|are|to|of|and|in|it|that|for|you|we|i|with|on|not)\b", re.IGNORECASE
)
_SPECIFIC = compile_late(r"\d|`|[a-z]+[A-Z]|[\w-]+\.[a-z]{1,4}\b|\b[A-Z][\w-]+")
_THEN = compile_late(r"\w{3,} then[.!]?\Z|\Aso no \w", re.IGNORECASE)
# What a program wrote, and questions without their mark.
_PASTED = compile_late(
    r"--- FAIL|\bFAIL\b|Traceback|\.\w{2,4}:\d+:|\berror:"
    r"|\A(?:how|what|why|where|when|which|who|does|did|is|are|am)\b",
    re.IGNORECASE,
)
_AFTER_ALL_THIS = compile_late(r"\bafter all (?:this|that|these|those|the|of)\b", re.IGNORECASE)
_NARRATES = compile_late(
    r"\b(?:when i|it seems|right now we|double.?check|i (?:guess|wonder|just|ran|tried|saw|see|got)"
    r"|i (?:think|thought|realized|noticed|can'?t see|don'?t (?:see|get|understand|know)))\b",
    re.IGNORECASE,
)
_CONSTRAINS = cues.anywhere(
    r"""
    but | instead | rather than | (?:don'?t|do not|doesn'?t) | never | always | must | without
    keep | not | except | only (?:if|when|for|on) | because | so that | no longer | should be
    """
)
_RULE = cues.anywhere(
    r"""
    never | always | must(?:n't| not)? | (?:don'?t|do not) (?:use|add|want|touch|change|run|store)
    no (?:new|more|external) \w+ | only (?:use|support|run|when|if) | non-negotiable | from now on
    without (?:adding|changing|breaking|touching|using) | has to (?:be|work|stay)
    """
)


# People often ask without a mark. "Can we ..." is a wish.
_ASKS = compile_late(
    r"\W*(?:(?:and|so|but|ok|okay|also|then|hm+)[, ]+)*"
    r"(?:what|why|how|where|when|which|who|do|does|did|is|are|was|were|has|have)(?:'s|'re)? "
    r"(?:you|we|it|they|he|she|the|this|that|there|these|those|your|our|my|i|a|an)\b"
    r"|(?:(?:and|so|but|also|then)[, ]+)*(?:how|why) (?:do|does|did|is|are|was|can|should)\b",
    re.IGNORECASE,
)
# "doesn't that mean ..."
_ASKS_IF = compile_late(
    r"\b(?:does|do|is|are|was|were|did|has)n'?t (?:that|this|it|there|they)\b", re.IGNORECASE
)
_WISHES = compile_late(
    r"\b(?:can'?t|couldn'?t|shouldn'?t|why (?:not|don'?t)) (?:we|you)\b", re.IGNORECASE
)


_REQUESTS = compile_late(
    r"(?:(?:ok(?:ay)?|and|so|also|now|then|hm+|i think)[, ]+)*"
    r"(?:please|(?:can|could|would) (?:you|we)|we need to|you need to)\b",
    re.IGNORECASE,
)


def decisions(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what was settled, in the order in which it was."""
    plans: set[str] = set()
    for number, exchange in enumerate(found):
        if exchange.prompt is not None:
            yield from _of_prompt(exchange, boot, plans, is_first=number == 0)
        for step in exchange.steps:
            yield from _of_step(step, exchange, boot, plans)
        yield from _of_agent(exchange, boot)


# --- what the user answered -----------------------------------------------------------------


def _of_step(step: ToolStep, exchange: Exchange, boot: Boot, plans: set[str]) -> Iterator[Finding]:
    if step.was_refused:
        yield from _find_refusals(step, exchange, boot)
    elif step.use is Use.QUESTION:
        for asked, said in answers(step):
            yield decision(
                f"{shorten(asked, 110)} The user answered: {shorten(said, 110)}",
                f"{shorten(asked, 110)} -> {said}",
                step.result or step.call,
                step.event_ids,
                88,
            )
    elif step.use is Use.PLAN and step.result is not None and _is_approved(step.result):
        yield from _plan(plan_of(step), step.result, step.event_ids, plans)


def _is_approved(result: Turn) -> bool:
    return not result.failed and _APPROVED.search(result.text[:400]) is not None


def _find_refusals(step: ToolStep, exchange: Exchange, boot: Boot) -> Iterator[Finding]:
    said = step.words_of_user
    plain = " ".join(said.split())
    if words(plain) < 4 or wording.GOES_ON.match(plain) or only_asks(plain):
        return
    what = shorten(_in_short(step), _REFUSED_CHARS)
    text = shorten(plain, ANSWER_CHARS_MAX)
    content = f"The user refused `{what}` and said: {text}"
    after = next((one for one in exchange.replies if one.at_ms >= step.call.at_ms), None)
    then = [] if after is None else [line.own for line in lines(after, boot) if words(line.own) > 5]
    if then:
        content += f"\nThe agent: {shorten(then[0], 240)}"
    ids = (*step.event_ids, *((after.event_id,) if after is not None and then else ()))
    summary = text if words(text) > 12 else f"{text} (refused: {what})"
    yield decision(content, summary, step.result or step.call, ids, 86)


def _in_short(step: ToolStep) -> str:
    """Return what a step was about to do, with paths as the project has them."""
    plan = plan_of(step)
    if plan:
        heading = _HEADING.search(plan)
        return f"the plan {show_excerpt(heading[1])}" if heading else "the plan"
    where = step.call.directory.rstrip("/")
    text = " ".join(step.call.text.split())
    return text.replace(where + "/", "") if where else text


def only_asks(text: str) -> bool:
    """Tell whether a text asks for information; "can't we use X?" is a wish."""
    said = sentences(text)
    if not said or _WISHES.search(text):
        return False
    return all(
        is_question(one.text) or _ASKS.match(one.text) or _ASKS_IF.search(one.text) for one in said
    )


def only_requests(text: str) -> bool:
    """Tell whether a text wants something done and does not say how: a request settles nothing."""
    asked = [one.text for one in sentences(text)]
    return any(
        _REQUESTS.match(one) or cues.COMMANDS.match(phrase_title(one)) for one in asked
    ) and not _CONSTRAINS.search(text)


def _plan(plan: str, turn: Turn, ids: tuple[str, ...], plans: set[str]) -> Iterator[Finding]:
    heading = _HEADING.search(plan)
    title = (
        show_excerpt(heading[1])
        if heading
        else request(plan) or shorten(show_excerpt(plan[:300]), 120)
    )
    key = title.casefold()
    if not plan or key in plans:
        return
    plans.add(key)
    yield decision(
        "\n".join((f"The user approved a plan: {title}", *_steps_of(plan, title))),
        f"Plan approved: {title}",
        turn,
        ids,
        80,
    )


def _steps_of(plan: str, title: str) -> list[str]:
    """Return what a plan says, without its tables and its own title."""
    said = (passage.text for passage in cut_passages(plan))
    return [text for text in said if text != title][:_PLAN_PASSAGES_MAX]


# --- what the user said ---------------------------------------------------------------------


def _of_prompt(
    exchange: Exchange, boot: Boot, plans: set[str], *, is_first: bool
) -> Iterator[Finding]:
    prompt = exchange.prompt
    assert prompt is not None, "the caller looked"
    text = without_recall(prompt.text).strip()
    if is_written_by_machine(text):
        return
    plan = PLAN_PROMPT.match(text)
    if plan:
        yield from _plan(text[plan.end() :].strip(), prompt, (prompt.event_id,), plans)
        return
    offer = offer_in(exchange.before)
    if offer is not None and len(text) <= ANSWER_CHARS_MAX:
        choice = find_choice(text, offer, prompt)
        if choice is not None:
            yield choice
            return
    taken_up = (
        find_acceptance(text, exchange, prompt, boot) if len(text) <= ANSWER_CHARS_MAX else None
    )
    if taken_up is not None:
        yield taken_up
        return
    proposal = find_agreement(exchange, prompt, boot)
    if proposal is not None:
        yield proposal
        return
    yield from _find_said(exchange, prompt, boot, is_first=is_first, offered=offer is not None)


def _find_said(
    exchange: Exchange, prompt: Turn, boot: Boot, *, is_first: bool, offered: bool
) -> Iterator[Finding]:
    taken: list[Line] = []
    pasted = is_document(prompt)
    for line in lines(prompt, boot):
        if pasted and line.block is not Block.PROSE:
            continue
        if _settles(line, is_first=is_first or pasted, offered=offered):
            taken.append(line)
    if not taken:
        return
    text = _strip_question(prompt, boot) if len(prompt.text) <= _SHORT_CHARS else ""
    text = text or _join(taken[:_LINES_A_PROMPT_MAX])
    ids = [prompt.event_id]
    before = exchange.before.closing if exchange.before and not is_first else None
    content = f"The user said: {text}"
    if before is not None:
        asked = _last_question(before, boot)
        if asked:
            content = f"{content}\nAsked: {shorten(asked, _ASKED_CHARS)}"
            ids.insert(0, before.event_id)
    yield decision(content, text, prompt, tuple(ids), 70 + 8 * (not is_first))


def _strip_question(prompt: Turn, boot: Boot) -> str:
    """Return a short prompt whole, without what it asks."""
    return " ".join(line.own for line in lines(prompt, boot) if not is_question(line.own))


def _join(taken: list[Line]) -> str:
    texts: list[str] = []
    for line in taken:
        if not any(line.own in text for text in texts):
            texts.append(line.own if texts else line.text)
    return " ".join(texts)


def _settles(line: Line, *, is_first: bool, offered: bool) -> bool:
    text = line.own
    if cues.LOGS.search(text) or _PASTED.search(text) or line.block is Block.HEADING:
        return False
    if not is_first and _THEN.search(text):
        return True
    if words(text) < 4 or is_question(text) or _settles_nothing(text):
        return False
    if cues.DECIDES.search(text) or cues.TAKES_BACK.search(_AFTER_ALL_THIS.sub("", text)):
        return True
    return bool(_RULE.search(text)) if is_first else _answers(text, offered=offered)


def _settles_nothing(text: str) -> bool:
    return bool(wording.GOES_ON.match(text) or cues.COURTESY.match(text) or _NARRATES.search(text))


def _answers(text: str, *, offered: bool) -> bool:
    """Tell whether a line in the middle of a session settles something."""
    if wording.CORRECTS.match(text):
        return True
    # An order settles how it is to be done only where it says so.
    settling = _CONSTRAINS if cues.COMMANDS.match(phrase_title(text)) else wording.SETTLES
    if settling.search(text) and len(terms(text)) > 1:
        return True
    # In a language without such words, what is specific in an answer tells.
    foreign = not _ENGLISH.search(text)
    return (offered or foreign) and len(_SPECIFIC.findall(text)) > 1 and words(text) > 4


def _last_question(reply: Turn, boot: Boot) -> str:
    asked = [line.text for line in lines(reply, boot) if is_question(line.own)]
    return asked[-1] if asked and words(asked[-1]) > 4 else ""


# --- what the agent chose -------------------------------------------------------------------


def _of_agent(exchange: Exchange, boot: Boot) -> Iterator[Finding]:
    refused = [step.call.at_ms for step in exchange.steps if step.was_refused]
    for reply in exchange.replies:
        if any(0 <= at_ms - reply.at_ms < 120_000 for at_ms in refused):
            continue  # the user did not want it
        for line in lines(reply, boot):
            own = line.own
            if is_question(own) or own.endswith(":") or words(own) < 6:
                continue
            if wording.POSSIBLE.search(own):
                continue
            if wording.CHOOSES.search(own) and _gives_reason(own) and code_names(own):
                yield decision(line.text, line.text, reply, (reply.event_id,), 62)


def _gives_reason(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:because|since|so that|instead of|rather than|which|to avoid|to keep)\b", text
        )
    )
