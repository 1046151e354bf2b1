"""What was settled by pointing at what the agent had said: "option 2", "do it as you said".

Such an answer says little by itself, so the words that were meant are told with it.
"""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late
from agentx.observations.extract import wording
from agentx.observations.extract.session.exchanges import Exchange
from agentx.observations.extract.session.lines import Boot, lines
from agentx.observations.extract.session.tools import Use
from agentx.observations.extract.session.turns import Finding, Turn
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import Block, is_question, sentences, shorten, show_excerpt, words

ANSWER_CHARS_MAX = 400
_OFFER_CHARS_READ_MAX = 12_000
_PICKS = compile_late(
    r"(?:\boption|\bapproach|\bvariant|\bnumber|\bno\.|#|\band|,|&|\A\w*)\s*#?(\d|[abc])\b"
    r"|\bthe (first|second|third) (?:one|option|approach|way)\b",
    re.IGNORECASE,
)
_OPTION = compile_late(
    r"^[ \t]*(?:[-*] +)?(?:\*\*)?(?:option +)?(\d|[A-C])[.):] *(?:\*\*)? *(\S.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_AS_SAID = compile_late(
    r"\bas (?:you|u)(?:'ve| have)? \w+|\byour (?:plan|proposal|suggestion|idea|approach)\b"
    r"|\bas (?:described|proposed|suggested|discussed|detailed)\b",
    re.IGNORECASE,
)
_PROPOSES = compile_late(
    r"\b(?:we should|should(?:n't)? we|could(?:n't)? we|can'?t we|why not|what if we)\b",
    re.IGNORECASE,
)
_AGREES = compile_late(
    r"you(?:'re| are) (?:\w+ )?(?:right|correct)|yes\b|exactly|agreed"
    r"|(?:excellent|great|good) (?:insight|point|idea|catch)",
    re.IGNORECASE,
)
# What an answer begins with before it names its choice.
_AGREEING = compile_late(
    r"\s*(?:(?:ok(?:ay)?|yes|yep|yeah|fine|good|sure|right|alright|then|i'?d|i|we|let'?s|go|going|take"
    r"|use|with|for|the|pick|choose|prefer|like|ja|gut|dann|nimm|wir|nehmen)\b[\s,:.!-]+)*",
    re.IGNORECASE,
)
_NAMED_WORDS_MAX = 7
_NAME_CHARS_MIN = 3
ANSWERED = 84  # the weight from which a decision is one that the user gave when asked
_MEANT_MAX = 4
_LOOKED_BACK_MAX = 5
_ORDINALS = {"first": "1", "second": "2", "third": "3"}


def decision(content: str, summary: str, turn: Turn, ids: tuple[str, ...], weight: int) -> Finding:
    """Return something that was settled."""
    return Finding(
        category=Category.DECISION,
        content=content,
        summary=summary,
        event_ids=ids,
        at_ms=turn.at_ms,
        files=(),
        weight=weight,
    )


def offer_in(before: Exchange | None) -> Turn | None:
    """Return the reply in which the agent had just offered something."""
    reply = before.closing if before is not None else None
    return reply if reply is not None and wording.OFFERS.search(reply.text[-3_000:]) else None


def find_choice(text: str, offer: Turn, prompt: Turn) -> Finding | None:
    """Return the choice that an answer makes by number: "implement 1 and 3", "the second"."""
    if is_question(text) or words(text) > 20:
        return None
    options = {
        name.upper(): show_excerpt(said)
        for name, said in _OPTION.findall(offer.text[-_OFFER_CHARS_READ_MAX:])
    }
    found = [name or word for name, word in _PICKS.findall(text)]
    picked = [_ORDINALS.get(name.lower(), name.upper()) for name in found]
    named = [
        f"{name}: {shorten(options[name], 160).rstrip(':')}" for name in picked if name in options
    ]
    if len(options) < 2 or not named:
        return None
    return decision(
        f"The user chose: {' '.join(text.split())}\n" + "\n".join(named),
        f"{' '.join(text.split())} -> {'; '.join(named)}",
        prompt,
        (offer.event_id, prompt.event_id),
        84,
    )


def find_named(text: str, offer: Turn, prompt: Turn, boot: Boot) -> Finding | None:
    """Return the choice that an answer makes by its name: "ok, the outbox then"."""
    first = sentences(text)[:1]
    said = first[0].text if first else ""
    if is_question(said) or words(said) > _NAMED_WORDS_MAX:
        return None
    agreed = _AGREEING.match(said)
    named = said[agreed.end() :] if agreed else said
    name = named.strip(" .,!;:").removesuffix(" then").strip("`\"'")
    if len(name) < _NAME_CHARS_MIN or not terms(name):
        return None
    meant = [
        line.own
        for line in lines(offer, boot)
        if name.casefold() in line.own.casefold() and not is_question(line.own)
    ]
    if not meant:
        return None
    why = next((own for own in meant if wording.REASONS.search(own)), meant[-1])
    plain = " ".join(said.split())
    return decision(
        f"The user chose: {plain}\n{shorten(why, 240)}",
        f"{plain} -> {why}",
        prompt,
        (offer.event_id, prompt.event_id),
        ANSWERED,
    )


def find_acceptance(text: str, exchange: Exchange, prompt: Turn, boot: Boot) -> Finding | None:
    """Return what was settled by "do it as you said": the words that were meant."""
    if is_question(text) or not _AS_SAID.search(text):
        return None
    about = terms(text)
    before = exchange.before
    replies: list[Turn] = []
    while before is not None and len(replies) < _LOOKED_BACK_MAX:
        replies += [before.closing] if before.closing is not None else []
        before = before.before
    offer = next((one for one in replies if about & terms(one.text)), None)
    if offer is None:
        return None
    said = [line for line in lines(offer, boot) if not is_question(line.own)]
    meant = [line.own for line in said if line.block is not Block.HEADING and words(line.own) > 4]
    near = [number for number, own in enumerate(meant) if about & terms(own)]
    meant = meant[near[0] if near else 0 :][:_MEANT_MAX]
    if not meant:
        return None
    plain = " ".join(text.split())
    return decision(
        f"The user agreed: {plain}\n" + "\n".join(f"- {shorten(one, 240)}" for one in meant),
        f"{plain} -> {meant[0]}",
        prompt,
        (offer.event_id, prompt.event_id),
        76,
    )


def find_agreement(exchange: Exchange, prompt: Turn, boot: Boot) -> Finding | None:
    """Return a proposal that the user made by asking, where the agent agreed and did it."""
    reply = exchange.replies[0] if exchange.replies else None
    if reply is None or not any(step.use is Use.EDIT for step in exchange.steps):
        return None
    if not _AGREES.match(reply.text.strip()) or not _PROPOSES.search(prompt.text):
        return None
    said = [line for line in lines(prompt, boot) if _PROPOSES.search(line.own)]
    why = [
        line.own
        for line in lines(reply, boot)
        if words(line.own) > 6 and not cues.ANNOUNCES.match(line.own)
    ][:_MEANT_MAX]
    if not said:
        return None
    text = shorten(said[0].own, ANSWER_CHARS_MAX)
    content = f"The user proposed, and it was done: {text}"
    return decision(
        "\n".join((content, *(f"- {shorten(one, 240)}" for one in why))),
        f"Agreed: {text}",
        prompt,
        (prompt.event_id, reply.event_id),
        74,
    )
