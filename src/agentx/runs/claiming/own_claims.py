"""What one checkout may do with the tasks of a run, and what its work says of who holds them.

    check    refuses what begins or ends a task that somebody else holds
    stamp    puts the claim into the event that begins a task, and renews it by work

The first half of its time a claim needs no renewal: a stamp is put where the second half runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property

from agentx.kernel.clock import Clock, Millis, to_iso
from agentx.kernel.errors import IllegalTransition
from agentx.kernel.roles import PERSON_ROLE
from agentx.runs.claiming.telling import say_until
from agentx.runs.holding.settling import FindSeen, TaskClaim, judge_clocks, say_holder
from agentx.runs.limits import RUN_CLAIM_MS
from agentx.runs.model import ORCHESTRATOR, Happening, Lane, LaneStatus, Run, Task
from agentx.runs.rules.catalogue import CLAIM_FIELDS, RENEWS
from agentx.runs.rules.claim_lines import CLAIMED, RELEASED

# What begins work on a task: whoever says it holds the task.
BEGINS = frozenset({"task-started", "task-retried", "lane-opened"})
_OF_LANE = frozenset({"lane-finished", "lane-merged", "lane-failed", "lane-retried"})
_GUARDED = (
    BEGINS
    | _OF_LANE
    | {"task-blocked", "task-completed", "task-dropped", "task-failed", "lane-reassigned", CLAIMED}
)
_ENDS_RUN = frozenset({"run-completed", "run-failed"})  # who did is told to who works on
_SAME_MOMENT_MS = 1_000
_LEADS = (ORCHESTRATOR, PERSON_ROLE)  # whose task another of their checkout may work on


class OwnClaims:
    """The claims of one checkout."""

    def __init__(
        self,
        make_checkout: Callable[[], str],
        find_checkout: Callable[[], str],
        clock: Clock,
        *,
        name_role: Callable[[], str] = lambda: "",
        name_person: Callable[[], str] = lambda: "",
        find_seen: FindSeen | None = None,
    ) -> None:
        self._make_checkout = make_checkout
        self._find_checkout = find_checkout
        self._clock = clock
        self._name_role = name_role
        self._name_person = name_person
        self._find_seen = find_seen or (lambda _event_id, _is_kept: clock.now_ms())

    @cached_property
    def checkout(self) -> str:
        """What this checkout is called; it gets a name now, if it had none."""
        return self._make_checkout()

    @property
    def known(self) -> str:
        """What this checkout is called, if it is yet: who only looks gives it no name."""
        return self._find_checkout()

    @property
    def person(self) -> str:
        """How this checkout's user calls themself."""
        return self._name_person()

    @property
    def now_ms(self) -> Millis:
        """What this checkout's clock says: claims are judged by that, not by how events are dated.

        One clock that is ahead dates all events that come after its own.
        """
        return self._clock.now_ms()

    def see(self, claim: TaskClaim) -> TaskClaim:
        """Return a claim with its end as this checkout's clock tells it."""
        if claim.checkout == self.known:
            return claim
        return judge_clocks(claim, self.now_ms, self._find_seen)

    def find_claim(self, task: Task) -> TaskClaim | None:
        """Return the claim that holds a task now, if one does."""
        found = task.settled.claim if task.claims else None
        seen = None if found is None else self.see(found)
        return seen if seen is not None and seen.holds_at(self.now_ms) else None

    # --- what is refused ------------------------------------------------------------------------

    def check(self, run: Run, said: Happening) -> None:
        """Refuse what begins or ends a task that somebody else holds.

        Raises: IllegalTransition, naming who and until when.
        """
        if said.kind not in _GUARDED or said.detail.get("taken") is True:
            return
        lane = run.lanes.get(said.lane)
        task = run.tasks.get(said.task or ("" if lane is None else lane.task))
        now_ms = self.now_ms
        claim = None if task is None or task.over else self.find_claim(task)
        if task is None or claim is None:
            return
        if claim.checkout != self.checkout:
            if not self._may_yet(said, lane, claim):
                raise _refuse(task, claim, now_ms, "")
        elif said.kind in BEGINS | {CLAIMED} and self._is_anothers(run, said, claim):
            raise _refuse(task, claim, now_ms, " here")

    def _may_yet(self, said: Happening, lane: Lane | None, claim: TaskClaim) -> bool:
        """Tell whether a verb of lanes is for others than who holds the task, too."""
        if lane is None:
            return False
        is_holders = lane.id == claim.lane or (not claim.lane and lane.checkout == claim.checkout)
        if said.kind == "lane-merged":  # who finished it handed it over
            return is_holders and lane.status is not LaneStatus.ACTIVE
        # Who lost the task gives the own lane up, and nobody else's.
        return said.kind == "lane-failed" and not is_holders and lane.checkout == self.checkout

    def _is_anothers(self, run: Run, said: Happening, claim: TaskClaim) -> bool:
        """Tell whether somebody else of this checkout works on a task: in another lane or role."""
        held, wanted = run.lanes.get(claim.lane), run.lanes.get(said.lane)
        if held is not None and held.open and wanted is not None and wanted.id != held.id:
            return True
        who = self._name_role() or said.actor
        return claim.holder not in ("", who, *_LEADS)

    # --- what is said ---------------------------------------------------------------------------

    def stamp(self, run: Run, follows: Iterable[Happening]) -> tuple[Happening, ...]:
        """Return what happens, with the claims that it makes or renews; no other's are believed.

        What ends the run says who did.
        """
        stamped: set[str] = set()
        made = []
        for said in follows:
            plain = _strip(said) if said.kind in RENEWS | _ENDS_RUN else said
            if said.kind in _ENDS_RUN and self._name_person():
                plain = replace(plain, detail={**plain.detail, "person": self._name_person()})
            task = run.tasks.get(said.task)
            if task is None or said.kind not in RENEWS or task.id in stamped:
                made.append(plain)
                continue
            found = self._claim(run, task, plain)
            stamped |= {task.id} if found else set()
            made.append(replace(plain, detail={**plain.detail, **found}) if found else plain)
        return tuple(made)

    def _claim(self, run: Run, task: Task, said: Happening) -> dict[str, object]:
        claim = self.find_claim(task)
        begins = said.kind in BEGINS
        if claim is not None and claim.checkout != self.checkout:
            return {}
        if claim is None and not begins:
            return {}
        is_due = self.is_due(task)
        is_new = claim is None or (begins and (said.lane or "") not in ("", claim.lane))
        who = self._name_role() or said.actor
        is_handed = claim is not None and begins and claim.holder != who
        if not (is_due or is_new or is_handed):
            return {}
        return self._word(run, who if begins else "") | self._name_past(task)

    def _name_past(self, task: Task) -> dict[str, object]:
        """Return which claim had run out here though its own clock says otherwise."""
        old = task.settled.claim
        if old is None or old.checkout == self.checkout or not old.holds_at(self.now_ms):
            return {}
        return {} if self.see(old).holds_at(self.now_ms) else {"past": old.event_id}

    def is_due(self, task: Task) -> bool:
        """Tell whether work on a task renews the claim of this checkout now."""
        now_ms = self.now_ms
        claim = self.find_claim(task)
        is_own = claim is not None and claim.checkout == self.checkout
        return claim is not None and is_own and claim.until_ms - now_ms <= RUN_CLAIM_MS // 2

    def _word(self, run: Run, holder: str = "") -> dict[str, object]:
        """Return the fields of a claim that begins or is renewed now.

        Which clock is wrong nobody knows where events are of later than this one: it may be this,
        so the claim begins with them, though no more than its own length from now.
        """
        now_ms = self.now_ms
        at_ms = max(now_ms, run.updated_ms + 1)
        until_ms = min(at_ms, now_ms + RUN_CLAIM_MS) + RUN_CLAIM_MS
        found = {"checkout": self.checkout, "until": to_iso(until_ms)}
        if at_ms - now_ms > _SAME_MOMENT_MS:
            found["said_at"] = to_iso(now_ms)
        if holder:
            found |= {"holder": holder, "person": self._name_person()}
        return {name: value for name, value in found.items() if value}

    def name_holder(self, actor: str) -> str:
        """Return as whom somebody holds a task: by the role they play, else by their name."""
        return self._name_role() or actor

    def say_claimed(
        self,
        run: Run,
        task: Task,
        actor: str,
        *,
        lane: str = "",
        is_shared: bool = False,
        taken_via: str = "",
    ) -> Happening:
        """Return that this checkout holds a task from now on; how a person took it, if one did."""
        claim = self.find_claim(task)
        is_own = claim is not None and claim.checkout == self.checkout
        holder = claim.holder if claim is not None and is_own else self.name_holder(actor)
        lane = lane or (claim.lane if claim is not None and is_own else "")
        said: dict[str, object] = self._word(run, holder) | self._name_past(task)
        flags = {"shared": is_shared, "taken": bool(taken_via), "via": taken_via}
        said |= {name: value for name, value in flags.items() if value}
        return Happening(kind=CLAIMED, actor=actor, task=task.id, lane=lane, detail=said)

    def say_released(
        self, task: str, actor: str, *, yields: tuple[str, ...] = (), reason: str = ""
    ) -> Happening:
        """Return that this checkout holds a task no more."""
        detail: dict[str, object] = {"checkout": self.checkout}
        detail |= {"yields": list(yields)} if yields else {}
        detail |= {"reason": reason} if reason else {}
        return Happening(kind=RELEASED, actor=actor, task=task, detail=detail)


def _strip(said: Happening) -> Happening:
    if not CLAIM_FIELDS.keys() & said.detail.keys():
        return said
    kept = {name: value for name, value in said.detail.items() if name not in CLAIM_FIELDS}
    return replace(said, detail=kept)


def _refuse(task: Task, claim: TaskClaim, now_ms: int, where: str) -> IllegalTransition:
    return IllegalTransition(
        f"{task.id} is held by {say_holder(claim)}{where}, {say_until(claim, now_ms)}",
        hint="`agentx run task list` shows what is free; "
        f"a person may take it: `agentx run task take {task.id}`",
    )
