"""How a claim reads: who, where, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentx.kernel.clock import Millis, to_iso
from agentx.runs.holding.settling import LostClaim, TaskClaim, say_holder
from agentx.runs.model import Run, RunEvent, Task

_MINUTE_MS = 60_000


def say_until(claim: TaskClaim, now_ms: int) -> str:
    """Return until when a claim holds and how long that is, or that it expired."""
    left = f" ({_say_left(claim, now_ms)} left)" if claim.holds_at(now_ms) else ""
    return f"{say_end(claim, now_ms)}{left}"


def say_end(claim: TaskClaim, now_ms: int) -> str:
    """Return until when a claim holds, or when it expired; what is read later says no more."""
    word = "until" if claim.holds_at(now_ms) else "expired at"
    day, _, time = to_iso(claim.until_ms)[:16].partition("T")
    on = "" if to_iso(Millis(now_ms)).startswith(day) else f" on {day}"
    return f"{word} {time} UTC{on}"


def say_shortly(claim: TaskClaim, checkout: str, now_ms: int) -> str:
    """Return who holds a task and for how long, for a column of a table."""
    whose = claim.person or claim.holder or claim.checkout
    if claim.checkout == checkout:
        return f"yours, {_say_left(claim, now_ms)}" if claim.holds_at(now_ms) else ""
    return f"{whose}, {_say_left(claim, now_ms) if claim.holds_at(now_ms) else 'expired'}"


def _say_left(claim: TaskClaim, now_ms: int) -> str:
    hours, minutes = divmod((claim.until_ms - now_ms) // _MINUTE_MS, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def tell_lost(run: Run, task: Task, lost: LostClaim, now_ms: int) -> str:
    """Return to who lost a task whose it is, why, and what becomes of the lane."""
    lane, stays = run.lanes.get(lost.claim.lane), ""
    if lane is not None and lane.open:
        is_here = lane.checkout == lost.claim.checkout
        stays = f"; {lane.id} " + ("stays with its commits" if is_here else "went there")
    until = say_end(lost.to, now_ms)
    return f"{task.id} is not yours: {say_holder(lost.to)} {lost.why}, {until}{stays}"


def list_lost(run: Run, checkout: str) -> Iterator[tuple[Task, LostClaim]]:
    """Yield the tasks that a checkout claimed and does not hold, while they are not over."""
    for task in run.tasks.values():
        lost = None if task.over or not task.claims else task.settled.find_lost(checkout)
        if lost is not None:
            yield task, lost


def list_taken_over(
    before: Run,
    after: Run,
    added: tuple[RunEvent, ...],
    see: Callable[[TaskClaim], TaskClaim],
) -> Iterator[str]:
    """Yield a word on each task that events took from another checkout."""
    for name in dict.fromkeys(event.task for event in added if "checkout" in event.detail):
        old = before.tasks[name].settled.claim if name in before.tasks else None
        new = after.tasks[name].settled.claim if name in after.tasks else None
        if old is not None and new is not None and old.checkout != new.checkout:
            had = say_until(see(old), new.since_ms)
            yield f"{name} was held by {say_holder(old)}, {had}; it is yours now"
