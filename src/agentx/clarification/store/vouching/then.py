"""How events counted for who made a view: another user may have, or this one before they trusted.

A view names the events among those it was made from with a signature that did not count (`loose`).
So what it says can be told from what others wrote into it, whoever reads it: on another machine,
with another key, after a backup was restored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.store.question_events import QuestionEvent
from agentx.clarification.store.view import Made
from agentx.kernel.vouching.standing import Vouching


def judge_as_then(judged: Iterable[QuestionEvent], made: Made) -> tuple[QuestionEvent, ...]:
    """Return events, each as it stood for who made a view of them."""
    loose = frozenset(made.loose)
    return tuple(replace(event, standing=_stand(event, made, loose)) for event in judged)


def _stand(event: QuestionEvent, made: Made, loose: frozenset[str]) -> Vouching:
    if made.trusted is None:  # an earlier version believed every line
        return Vouching.SIGNED
    if not event.signature:
        return Vouching.UNSIGNED
    if event.id not in loose:
        return Vouching.SIGNED
    return Vouching.UNTRUSTED if event.standing is Vouching.SIGNED else event.standing
