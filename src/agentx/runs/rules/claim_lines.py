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
    said_ms = find_said(event)
    until_ms = min(_read_time(event, "until"), Millis(said_ms + RUN_CLAIM_MS_MAX))
    if not checkout or until_ms <= said_ms:
        return None
    return ClaimLine(
        event_id=event.id,
        at_ms=event.at_ms,
        said_ms=said_ms,
        checkout=checkout,
        until_ms=until_ms,
        holder=read_name(event, "holder"),
        person=read_name(event, "person"),
        lane=lane,
        is_shared=event.kind == CLAIMED and event.detail.get("shared") is True,
        is_taken=event.kind == CLAIMED and event.detail.get("taken") is True,
        past=event.text("past"),
    )


def find_said(event: RunEvent) -> Millis:
    """Return what the clock said of who wrote an event: earlier than its date, if another's was
    ahead.
    """
    return min(_read_time(event, "said_at") or event.at_ms, event.at_ms)


def _read_time(event: RunEvent, field: str) -> Millis:
    with suppress(ValueError, OverflowError):
        return from_iso(event.text(field))
    return Millis(0)


def read_name(event: RunEvent, field: str) -> str:
    """Return how somebody is called who others wrote of, as it may stand within a sentence."""
    # Agents read it.
    return preview(_NO_NAME.sub(" ", event.text(field)), _NAME_CHARS_MAX)
