"""What was settled, and by whom.

First what the user settled: an answer to a question, a correction, a plan approved, a
step refused, a rule for later. Then what the agent chose, where it said why. A request
to do something is no decision, and neither is "yes, go on".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from agentx.exchanges import wording
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, lines
from agentx.exchanges.tools import ToolStep, Use, answers, plan_of
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.settled.adopted import find_adopted
from agentx.observations.extract.settled.agreements import (
    ANSWER_CHARS_MAX,
    ANSWERED,
    decision,
    find_acceptance,
    find_agreement,
)
from agentx.observations.extract.settled.answered import find_several_answers
from agentx.observations.extract.settled.given_up import was_given_up
from agentx.observations.extract.settled.options import find_choice, find_offer, only_gives_leave
from agentx.observations.extract.settled.plan_files import is_written_over
from agentx.observations.extract.settled.plans import word_plan
from agentx.observations.extract.settled.said import find_said, take_back
from agentx.observations.extract.settled.several import part_several
from agentx.observations.extract.settled.standing import part_standing
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.sentences import (
    is_question,
    shorten,
    show_excerpt,
    words,
)
from agentx.prose.settling.asking import only_asks
from agentx.prose.settling.errands import is_one_off
from agentx.prose.settling.rulings import (
    ends_attempt,
    gives_up,
)
from agentx.prose.titles import is_written_by_machine, request
from agentx.prose.whose.pasted import split_pasted

_APPROVED = compile_late(r"approved|proceed|start coding|accepted", re.IGNORECASE)
_PLAN_CHARS_MAX = 290  # of its title and its tables
APPROVED_PLAN = "The user approved a plan: "
# A plan that was agreed to, as agent CLIs hand it to a session that begins with it.
PLAN_PROMPT = compile_late(
    r"\s*(?:implement (?:the|this) (?:following )?plan:?\s*\n"
    r"|a previous agent produced the plan below\b[^#]{0,500}?\n\s*\n)",
    re.IGNORECASE,
)
_HEADING = compile_late(r"^#{1,3}\s+(?:plan:?\s*)?(.+)$", re.MULTILINE | re.IGNORECASE)
_REFUSED_CHARS = 70
# "No. Stop." before a ruling: the ruling says what is meant.
_BARE = compile_late(
    r"(?i:\W*(?:(?:no|nope|nah|stop|wait|hold on|hm+|ok(?:ay)?|yes|sorry|please|enough|argh|nein"
    r"|halt|non|arr\u00eate|alto|basta|para|bitte)\W*)+)"
)
_TAKES_BACK = compile_late(r"\bgit (?:checkout|restore|reset|stash|revert|clean)\b")
_HEARD = compile_late(r"(\AThe user said: .*)\nThe agent: .*\Z", re.DOTALL)


def decisions(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what was settled, in the order in which it was."""
    plans = _Plans(found)
    for number, exchange in enumerate(found):
        if exchange.prompt is not None and not was_given_up(found, number):
            yield from _of_prompt(exchange, boot, plans, is_first=number == 0)
        for step in exchange.steps:
            yield from _of_step(step, exchange, boot, plans)
        yield from _of_agent(exchange, boot)


# --- what the user answered -----------------------------------------------------------------


def _of_step(step: ToolStep, exchange: Exchange, boot: Boot, plans: _Plans) -> Iterator[Finding]:
    if step.was_refused:
        yield from _find_refusals(step, exchange, boot)
    elif step.use is Use.QUESTION:
        for asked, said in answers(step):
            if only_gives_leave(asked, said):
                continue
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
    if result.failed or result.response.get("awaitingLeaderApproval"):
        return False
    # A hook is told the plan itself, and is called only once it was agreed to.
    is_given_back = isinstance(result.response.get("plan"), str)
    return is_given_back or _APPROVED.search(result.text[:400]) is not None


def _find_refusals(step: ToolStep, exchange: Exchange, boot: Boot) -> Iterator[Finding]:
    said = step.words_of_user
    plain = " ".join(said.split())
    if words(plain) < 4 or wording.GOES_ON.match(plain) or only_asks(plain):
        return
    what = shorten(_in_short(step), _REFUSED_CHARS)
    text = shorten(plain, ANSWER_CHARS_MAX)
    content = f"The user refused `{what}` and said: {text}"
    after = next((one for one in exchange.replies if one.at_ms >= step.call.at_ms), None)
    about = terms(f"{what} {plain}")
    # What the agent says next may be of something else.
    then = [
        line.own
        for line in (lines(after, boot) if after is not None else ())
        if words(line.own) > 5 and not about.isdisjoint(terms(line.own))
    ]
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


class _Plans:
    """The plans that were told so far, of a session."""

    def __init__(self, found: list[Exchange]) -> None:
        self._found = found
        self._told: set[str] = set()

    def takes(self, plan: str, title: str) -> bool:
        """Tell whether a plan is told: once, and not if another one took its place."""
        key = title.casefold()
        if not plan or key in self._told:
            return False
        self._told.add(key)
        return not is_written_over(plan, title, self._found)


def _plan(plan: str, turn: Turn, ids: tuple[str, ...], plans: _Plans) -> Iterator[Finding]:
    heading = _HEADING.search(plan)
    title = (
        show_excerpt(heading[1])
        if heading
        else request(plan) or shorten(show_excerpt(plan[:300]), 120)
    )
    if not plans.takes(plan, title):
        return
    head, said = word_plan(plan, title, _PLAN_CHARS_MAX)
    yield decision(
        "\n".join((APPROVED_PLAN + head, *said)),
        f"Plan approved: {title}",
        turn,
        ids,
        80,
    )


# --- what the user said ---------------------------------------------------------------------


def _of_prompt(
    exchange: Exchange, boot: Boot, plans: _Plans, *, is_first: bool
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
    several = find_several_answers(prompt, exchange.before.closing if exchange.before else None)
    if several:
        yield from several
        return
    own, pasted = split_pasted(text)
    if own != text or pasted:  # what was pasted settles nothing by its words
        adopted = find_adopted(prompt)
        if adopted is not None:
            yield adopted
            return
        text, prompt = own.strip(), replace(prompt, text=own)
    parted = part_several(prompt, boot) or (None if is_first else part_standing(prompt, boot))
    if parted is None:
        yield from _settle_prompt(text, prompt, exchange, boot, is_first=is_first)
        return
    # Each ruling stays when the rest is over.
    ids = (prompt.event_id,)
    for own in parted.ruled:
        yield decision(f"The user said: {own}", own, prompt, ids, ANSWERED)
    rest = parted.rest.text
    if not rest or _BARE.fullmatch(rest):
        return
    settled = [
        # How the agent took it is of the whole message, and would be taken for its rules.
        replace(one, content=_HEARD.sub(r"\1", one.content), weight=max(ANSWERED, one.weight))
        for one in _settle_prompt(rest, parted.rest, exchange, boot, is_first=is_first)
    ]
    if not settled and parted.may_settle and not is_one_off(rest):
        plain = " ".join(rest.split())
        settled = [decision(f"The user said: {plain}", plain, prompt, ids, ANSWERED)]
    yield from settled


def _is_undone(text: str, exchange: Exchange) -> bool:
    """Tell whether a few words end what was being done, and it was taken back."""
    return ends_attempt(text) and any(_TAKES_BACK.search(step.command) for step in exchange.steps)


def _settle_prompt(
    text: str, prompt: Turn, exchange: Exchange, boot: Boot, *, is_first: bool
) -> Iterator[Finding]:
    if exchange.before is not None and (gives_up(text) or _is_undone(text, exchange)):
        yield take_back(text, exchange.before, prompt, boot)
        return
    offer = find_offer(exchange.before.closing if exchange.before else None)
    if offer is not None and exchange.before is not None and len(text) <= ANSWER_CHARS_MAX:
        choice = find_choice(text, exchange.before, offer, prompt, boot)
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
    yield from find_said(exchange, prompt, boot, is_first=is_first, offered=offer is not None)


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
