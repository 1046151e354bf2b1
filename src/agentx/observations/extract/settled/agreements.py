"""What was settled by pointing at what the agent had said: "do it as you said".

Such an answer says little by itself, so the words that were meant are told with it.
"""

from __future__ import annotations

import re

from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, lines
from agentx.exchanges.tools import Use
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import Block, is_question, shorten, words

ANSWER_CHARS_MAX = 400
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
ANSWERED = 84  # the weight from which a decision is one that the user gave when asked
_MEANT_MAX = 4
_LOOKED_BACK_MAX = 5


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
