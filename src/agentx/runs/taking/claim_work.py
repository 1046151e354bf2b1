"""The verbs of claims: hold a task, and let go of it.

A claim that a remote shall know is said after a look there and pushed at once. Whose push comes
second never held the task: it yields, whatever the clocks say.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.errors import IllegalTransition, NotFound
from agentx.kernel.values import frozen
from agentx.runs.claiming.telling import say_until
from agentx.runs.holding.settling import TaskClaim, say_holder, settle
from agentx.runs.model import ORCHESTRATOR, Happening, Run, RunEvent, Task
from agentx.runs.replies import Told
from agentx.runs.service import Runs
from agentx.runs.store.run_store import OpenRun


@frozen
class WantedClaim:
    """Which task somebody wants to hold, and how."""

    run_id: str
    task: str
    actor: str
    lane: str = ""
    probe: Happening | None = None  # what shall follow: what refuses that refuses the claim
    is_shared: bool = False  # it is pushed at once
    taken_via: str = ""  # how a person takes it from whoever has it


class ClaimWork:
    """Claims of one checkout."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._own = runs.own

    def find_task(self, run_id: str, task: str) -> tuple[Run, Task]:
        """Return the task that is meant: the one that is named, or of where somebody stands.

        Raises: NotFound, InvalidValue.
        """
        with self._runs.which.naming(run_id) as name:
            run, _ = self._runs.run(name)
            return run, self._find(run, task)

    def _find(self, run: Run, task: str) -> Task:
        name = task or self._runs.which.find_task(run)
        if name not in run.tasks:
            raise NotFound(
                f"{name}: no such task in {run.id}"
                if name
                else f"it is not said which task of {run.id} is meant",
                hint="`agentx run task list` shows them, `agentx run task add TITLE` makes one",
            )
        return run.tasks[name]

    def find_rival(self, task: Task) -> TaskClaim | None:
        """Return who else holds a task; None where it is free, or this checkout's."""
        claim = None if task.over else self._own.find_claim(task)
        return None if claim is None or claim.checkout == self._own.checkout else claim

    def is_own(self, task: Task) -> bool:
        """Tell whether this checkout holds a task."""
        claim = self._own.find_claim(task)
        return claim is not None and claim.checkout == self._own.checkout

    def claim(self, wanted: WantedClaim) -> Told:
        """Hold a task from now on.

        Raises: NotFound, IllegalTransition where somebody else holds it; as `probe` is refused.
        """

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            known = self._find(desk.run, wanted.task)
            if wanted.probe is not None:
                desk.check(wanted.probe)
            return desk.say(
                self._own.say_claimed(
                    desk.run,
                    known,
                    wanted.actor,
                    lane=wanted.lane,
                    is_shared=wanted.is_shared,
                    taken_via=wanted.taken_via,
                )
            )

        return self._runs.doing(wanted.run_id, work)

    def release(
        self, run_id: str, task: str, *, actor: str, claim_id: str = "", reason: str = ""
    ) -> Told:
        """Hold a task no more; a claim that is named was never held.

        Raises: NotFound, IllegalTransition where this checkout does not hold it.
        """

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            known = self._find(desk.run, task)
            claim = known.settled.claim
            if not claim_id and (claim is None or claim.checkout != self._own.checkout):
                whose = "nobody" if claim is None else f"{say_holder(claim)}, not by this checkout"
                raise IllegalTransition(
                    f"{known.id} is held by {whose}",
                    hint="`agentx run task list` shows who holds what",
                )
            yields = (claim_id,) if claim_id else ()
            return desk.say(self._own.say_released(known.id, actor, yields=yields, reason=reason))

        return self._runs.doing(run_id, work)

    def check_faster(self, run_id: str, task: str, claim_id: str) -> IllegalTransition | None:
        """Return that somebody else holds a task if one claim of this checkout is taken away."""
        run, known = self.find_task(run_id, task)
        claim = settle(line for line in known.claims if line.event_id != claim_id).claim
        now_ms = self._own.now_ms
        claim = None if claim is None else self._own.see(claim)
        if claim is None or claim.checkout == self._own.checkout or not claim.holds_at(now_ms):
            return None
        return IllegalTransition(
            f"{task}: {say_holder(claim)} was faster and holds it, {say_until(claim, now_ms)}",
            hint=self._runs.which.complete(
                "`agentx run task list` shows what is free; "
                f"a person may take it: `agentx run task take {task}`",
                run,
            ),
        )

    def list_for_remote(self, run: Run) -> Iterator[tuple[str, str]]:
        """Yield the claims of this checkout that were said to be pushed: the event, the task."""
        for task in () if run.over else run.tasks.values():
            own = [each for each in task.claims if each.checkout == self._own.known]
            void = {name for each in own for name in each.yields}
            for line in own:
                if line.is_shared and line.event_id not in void and not task.over:
                    yield line.event_id, task.id

    def yield_claim(self, run_id: str, task: str, claim_id: str) -> None:
        """Say that a claim never held: who said it was cut short before any remote knew of it."""
        reason = "it was cut short before it was pushed"
        said = self._own.say_released(task, ORCHESTRATOR, yields=(claim_id,), reason=reason)
        self._runs.doing(run_id, lambda desk: desk.record((said,)))

    def note_lanes(self, run_id: str) -> None:
        """Keep to which commit own lanes came: others can tell whether that is pushed.

        Whoever exchanges runs only brings it there, whatever their role.
        """
        run, _ = self._runs.run(run_id)
        if not run.over and any(self._list_moved(run)):
            self._runs.doing(run_id, lambda desk: desk.record(self._list_moved(desk.run)))

    def _list_moved(self, run: Run) -> Iterator[Happening]:
        for lane in run.lanes.values():
            if not lane.open or lane.checkout != self._own.checkout:
                continue
            tip = self._runs.git.find_tip(run, lane.id)
            if tip and tip != lane.commit:
                yield Happening(
                    kind="commit-made",
                    actor=ORCHESTRATOR,
                    lane=lane.id,
                    detail={"commit": tip, "branch": lane.branch},
                )
