"""What events of a driver mean: whose run it is to drive, and what its agents did.

A drive is held like a task: one checkout at a time, until a time that it puts off as it works.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from agentx.kernel.clock import Millis, from_iso
from agentx.runs.holding.settling import ClaimAct, ClaimLine
from agentx.runs.limits import RUN_CLAIM_MS_MAX
from agentx.runs.model import RunEvent
from agentx.runs.parts.turns import AgentTurn, TurnEnd
from agentx.runs.rules.claim_lines import find_said, read_name
from agentx.runs.rules.draft import RunDraft, lane_named, task_named

BEGAN, HELD, ENDED = "drive-began", "drive-held", "drive-ended"
TURN_BEGAN, TURN_ENDED = "turn-began", "turn-ended"
_COUNT_MAX = 10**15


def _drive_said(draft: RunDraft, event: RunEvent) -> None:
    line = _read_line(event)
    if line is not None:
        draft.drives.append(line)


def _read_line(event: RunEvent) -> ClaimLine | None:
    driver = read_name(event, "driver")
    if not driver:
        return None
    if event.kind == ENDED:
        return ClaimLine(
            event_id=event.id, at_ms=event.at_ms, act=ClaimAct.RELEASES, checkout=driver
        )
    said_ms, until_ms = find_said(event), Millis(0)
    with suppress(ValueError, OverflowError):
        until_ms = min(from_iso(event.text("until")), Millis(said_ms + RUN_CLAIM_MS_MAX))
    if until_ms <= said_ms:
        return None
    return ClaimLine(
        event_id=event.id,
        at_ms=event.at_ms,
        said_ms=said_ms,
        checkout=driver,
        until_ms=until_ms,
        holder="driver",
        person=read_name(event, "person"),
        is_taken=event.kind == BEGAN and event.detail.get("taken") is True,
    )


def _turn_began(draft: RunDraft, event: RunEvent) -> None:
    draft.turns.append(
        AgentTurn(
            id=event.id,
            began_ms=event.at_ms,
            task=task_named(draft, event),
            lane=lane_named(draft, event),
            runner=event.text("runner"),
            role=event.text("role"),
            why=event.text("why"),
            driver=event.text("driver"),
            lessons=event.texts("lessons"),
        )
    )


def _turn_ended(draft: RunDraft, event: RunEvent) -> None:
    for at in reversed(range(len(draft.turns))):
        found = draft.turns[at]
        if found.id == event.text("turn"):
            draft.turns[at] = replace(
                found,
                end=TurnEnd(event.text("end")),
                ended_ms=event.at_ms,
                text=event.text("text"),
                asks=event.text("asks"),
                commit=event.git_name("commit"),
                session=event.text("session"),
                model=event.text("model"),
                tokens=_count(event, "tokens"),
                micro_usd=_count(event, "micro_usd"),
                is_estimated=event.detail.get("estimated") is True,
            )
            return


def _count(event: RunEvent, name: str) -> int:
    found = event.detail.get(name)
    is_count = isinstance(found, int) and not isinstance(found, bool)
    return min(max(int(found), 0), _COUNT_MAX) if is_count else 0  # type: ignore[call-overload]  # it is an int


DRIVE_STEPS = {
    **dict.fromkeys((BEGAN, HELD, ENDED), _drive_said),
    TURN_BEGAN: _turn_began,
    TURN_ENDED: _turn_ended,
}
