"""What an event says of who holds its task."""

from __future__ import annotations

from contextlib import suppress

from agentx.kernel.clock import Millis, from_iso
from agentx.kernel.text import compile_late, preview
from agentx.runs.holding.settling import ClaimAct, ClaimLine
from agentx.runs.limits import RUN_CLAIM_MS_MAX
from agentx.runs.model import RunEvent
from agentx.runs.rules.catalogue import RENEWS

# What leaves nothing to hold: the task is over, or somebody else shall begin it.
ENDS = frozenset({"task-completed", "task-failed", "task-dropped", "task-reopened"})
CLAIMED, RELEASED = "task-claimed", "task-released"
_NAME_CHARS_MAX = 40
_NO_NAME = compile_late(r"[^\w .'-]+")


def read_claim(event: RunEvent, lane: str = "") -> ClaimLine | None:
    """Return what an event says of who holds its task; None where it says nothing.

    `lane` is the one it speaks of, as it is called now.
    """
    if event.kind in ENDS:
        return ClaimLine(event_id=event.id, at_ms=event.at_ms, act=ClaimAct.ENDS)
    if "checkout" not in event.detail:
        return None
    checkout = event.text("checkout")[:_NAME_CHARS_MAX]
    if event.kind == RELEASED:
        return ClaimLine(
            event_id=event.id,
            at_ms=event.at_ms,
            act=ClaimAct.RELEASES,
            checkout=checkout,
            yields=event.texts("yields"),
        )
    if event.kind != CLAIMED and event.kind not in RENEWS:
        return None
    until_ms = Millis(0)
    with suppress(ValueError, OverflowError):
        until_ms = from_iso(event.text("until"))
    until_ms = min(until_ms, Millis(event.at_ms + RUN_CLAIM_MS_MAX))
    if not checkout or until_ms <= event.at_ms:
        return None
    return ClaimLine(
        event_id=event.id,
        at_ms=event.at_ms,
        checkout=checkout,
        until_ms=until_ms,
        holder=_read_name(event, "holder"),
        person=_read_name(event, "person"),
        lane=lane,
        is_shared=event.kind == CLAIMED and event.detail.get("shared") is True,
        is_taken=event.kind == CLAIMED and event.detail.get("taken") is True,
    )


def _read_name(event: RunEvent, field: str) -> str:
    # Others wrote it, and it stands within sentences that agents read.
    return preview(_NO_NAME.sub(" ", event.text(field)), _NAME_CHARS_MAX)
