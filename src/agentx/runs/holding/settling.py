"""Who holds a task: what all clones claimed, settled the same in every one of them.

    still held            who claimed earlier keeps it; at the same moment the smaller name
    held no longer        whoever claims next has it; also where it had run out for who claims,
                          who says so
    shared before local   a claim that the remote took stands before one that it never saw
    taken by a person     it is theirs, whoever had it

A party is a checkout: whoever works in it. A claim is renewed by work; a renewal that no remote
saw does not hold against one who claimed there after the last that it did see.

Pure. What is claimed lies in events, in the order of (time, id), so any merge gives one holder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.runs.limits import RUN_CLAIM_MS_MAX

_NEVER = Millis(0)
_SAME_TIME_MS = 5 * 60 * 1000  # clocks that differ by less agree


class ClaimAct(StrEnum):
    """What a line says of a claim."""

    CLAIMS = "claims"
    RELEASES = "releases"
    ENDS = "ends"  # the task is over: nobody needs it


@frozen
class ClaimLine:
    """What one event says of who holds a task."""

    event_id: str
    at_ms: Millis
    said_ms: Millis = _NEVER  # by the clock of who said it, where that differs
    act: ClaimAct = ClaimAct.CLAIMS
    checkout: str = ""
    until_ms: Millis = _NEVER
    holder: str = ""  # the role or actor
    person: str = ""  # how the checkout's user calls themself
    lane: str = ""
    is_shared: bool = False  # it was said after a look at the remote, to be pushed at once
    is_taken: bool = False  # by a person, from whoever has it
    yields: tuple[str, ...] = ()  # claims of this checkout that never held: somebody was faster
    past: str = ""  # the last word of a claim that had run out for who says this


@frozen
class TaskClaim:
    """A claim as it stands."""

    checkout: str
    since_ms: Millis
    until_ms: Millis
    shared_ms: Millis = _NEVER  # until when, as far as a remote knows
    event_id: str = ""  # its last word,
    dated_ms: Millis = _NEVER  # where that stands among the events,
    said_ms: Millis = _NEVER  # when it was said by the clock there,
    length_ms: int = 0  # and for how long
    holder: str = ""
    person: str = ""
    lane: str = ""

    def holds_at(self, at_ms: int) -> bool:
        """Tell whether it has not expired."""
        return at_ms < self.until_ms


def say_holder(claim: TaskClaim | ClaimLine) -> str:
    """Return who holds a task, and in which checkout."""
    who = " of ".join(word for word in (claim.holder, claim.person) if word)
    return f"{who} ({claim.checkout})" if who else claim.checkout


def say_party(lines: Iterable[ClaimLine], checkout: str) -> str:
    """Return who works in a checkout, as far as claims on a task name them."""
    own = [line for line in lines if line.checkout == checkout and (line.holder or line.person)]
    return say_holder(own[-1]) if own else checkout


# When a claim was first seen here; it is kept where clocks differ, else it may be now.
FindSeen = Callable[[str, bool], Millis]


def judge_clocks(claim: TaskClaim, now_ms: int, find_seen: FindSeen) -> TaskClaim:
    """Return a claim with its end as the clock here tells it.

    A clock there that is ahead of this one, or behind the dates of events that came before, says
    nothing of when the claim began here: it holds its length from when it was first seen. Of one
    that is seen a day late nothing is left. Where those dates are ahead of here as well nobody
    knows which clock is wrong: the claim holds just so.
    """
    is_late = claim.dated_ms - claim.said_ms > _SAME_TIME_MS
    seen_ms = find_seen(claim.event_id, is_late or claim.said_ms - now_ms > _SAME_TIME_MS)
    is_behind = is_late and seen_ms < claim.dated_ms + RUN_CLAIM_MS_MAX
    if is_behind or claim.said_ms - seen_ms > _SAME_TIME_MS:
        return replace(claim, until_ms=Millis(seen_ms + claim.length_ms))
    # What an older word of a wrong clock reached for holds no more.
    is_far = claim.until_ms - claim.said_ms > RUN_CLAIM_MS_MAX
    return replace(claim, until_ms=Millis(claim.said_ms + claim.length_ms)) if is_far else claim


class WhyLost(StrEnum):
    """Why a claim gave way."""

    EARLIER = "claimed it earlier"
    SHARED = "claimed it at the remote, which had not seen your claim"
    EXPIRED = "claimed it after yours had expired"
    TAKEN = "took it"


@frozen
class LostClaim:
    """A claim that gave way, to whom, and why."""

    claim: TaskClaim
    to: TaskClaim
    why: WhyLost


@frozen
class SettledClaims:
    """Who holds a task, and whose claims gave way since it was last free."""

    claim: TaskClaim | None = None
    lost: tuple[LostClaim, ...] = ()
    ended: TaskClaim | None = None  # what stood when the task ended, while nobody claims it again

    def find_lost(self, checkout: str) -> LostClaim | None:
        """Return how a checkout lost the task, if it did."""
        return next((each for each in self.lost if each.claim.checkout == checkout), None)


def settle(lines: Iterable[ClaimLine]) -> SettledClaims:
    """Return who holds a task after all that was said of it, in order."""
    known = tuple(lines)
    void = {(line.checkout, name) for line in known for name in line.yields}
    stands: TaskClaim | None = None
    ended: TaskClaim | None = None
    lost: dict[str, LostClaim] = {}
    for line in known:
        if (line.checkout, line.event_id) in void:
            continue
        match line.act:
            case ClaimAct.ENDS:
                stands, ended, lost = None, stands, {}
            case ClaimAct.RELEASES:
                lost.pop(line.checkout, None)
                if stands is not None and stands.checkout == line.checkout:
                    stands = None
            case ClaimAct.CLAIMS:
                stands, ended = _claim(stands, line, lost), None
    return SettledClaims(claim=stands, lost=tuple(lost.values()), ended=ended)


def _claim(stands: TaskClaim | None, line: ClaimLine, lost: dict[str, LostClaim]) -> TaskClaim:
    new = _begin(line)
    if stands is not None and stands.checkout == line.checkout:
        return _renew(stands, new)
    if stands is not None:
        why = _tell_why_it_gives_way(stands, line)
        if why is None:
            before = lost.get(line.checkout)
            lost[line.checkout] = (
                LostClaim(claim=new, to=stands, why=WhyLost.EARLIER)
                if before is None
                else replace(before, claim=_renew(before.claim, new), to=stands)
            )
            return stands
        lost[stands.checkout] = LostClaim(claim=stands, to=new, why=why)
    lost.pop(line.checkout, None)
    return new


def _tell_why_it_gives_way(stands: TaskClaim, line: ClaimLine) -> WhyLost | None:
    """Return why what stands gives way to a claim of another checkout; None where it holds."""
    if line.is_taken:
        return WhyLost.TAKEN
    said_ms = line.said_ms or line.at_ms
    if not stands.holds_at(said_ms) or (line.past and line.past == stands.event_id):
        return WhyLost.EXPIRED
    if line.is_shared and said_ms >= stands.shared_ms:
        return WhyLost.SHARED
    is_tie = line.at_ms == stands.since_ms and line.is_shared == bool(stands.shared_ms)
    return WhyLost.EARLIER if is_tie and line.checkout < stands.checkout else None


def _begin(line: ClaimLine) -> TaskClaim:
    return TaskClaim(
        checkout=line.checkout,
        since_ms=line.at_ms,
        until_ms=line.until_ms,
        shared_ms=line.until_ms if line.is_shared else _NEVER,
        event_id=line.event_id,
        dated_ms=line.at_ms,
        said_ms=line.said_ms or line.at_ms,
        length_ms=line.until_ms - (line.said_ms or line.at_ms),
        holder=line.holder,
        person=line.person,
        lane=line.lane,
    )


def _renew(claim: TaskClaim, more: TaskClaim) -> TaskClaim:
    return replace(
        claim,
        until_ms=max(claim.until_ms, more.until_ms),
        shared_ms=max(claim.shared_ms, more.shared_ms),
        event_id=more.event_id,
        dated_ms=more.dated_ms,
        said_ms=more.said_ms,
        length_ms=more.length_ms,
        holder=more.holder or claim.holder,
        person=more.person or claim.person,
        lane=more.lane or claim.lane,
    )
