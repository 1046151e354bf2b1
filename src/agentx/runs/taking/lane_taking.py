"""The verbs by which a lane comes to this clone: taken from another, or made for who resumes."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.errors import AgentXError, ConflictError, IllegalTransition
from agentx.runs.model import Happening, Lane, Run, RunEvent
from agentx.runs.replies import LaneTold
from agentx.runs.rules.decide import find_lane
from agentx.runs.rules.gates import tell_unwanted
from agentx.runs.service import Runs
from agentx.runs.store.git_taking import bring_lane, find_brought, has_folder
from agentx.runs.store.run_store import OpenRun


class LaneTaking:
    """Lanes that change their clone."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def find(self, run_id: str, lane: str) -> tuple[Run, Lane]:
        """Return a lane that can be taken.

        Raises: NotFound, InvalidValue, IllegalTransition.
        """
        with self._runs.which.naming(run_id) as name:
            run, _ = self._runs.run(name)
            found = find_lane(run, lane)
            if run.over or not found.open:
                status = run.status if run.over else found.status
                raise IllegalTransition(
                    f"{run.id if run.over else found.id} is {status}: there is nothing to take",
                    hint="`agentx run lane list` shows how the lanes stand",
                )
            return run, found

    def prepare(self, run: Run, lane: Lane) -> tuple[str, ...]:
        """Fetch what was pushed, and see that all of a lane can come here; return what was found.

        Raises: NotFound where commits are not pushed, ConflictError.
        """
        remarks = self._runs.fetch(run.id)
        find_brought(self._runs.git, run, lane)
        return remarks

    def take(self, run_id: str, lane: str, *, actor: str) -> LaneTold:
        """Bring a lane here, branch and folder, and say so.

        Raises: as `prepare`.
        """
        folder = ""

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            nonlocal folder
            found, own = find_lane(desk.run, lane), self._runs.own.checkout
            made, commit = bring_lane(self._runs.git, desk.run, found)
            folder = str(made)
            self._runs.git.copies.forget(desk.run.id, found.id)
            if found.checkout == own:
                return ()
            detail = {"checkout": own, "commit": commit, "from": found.checkout}
            detail = {name: value for name, value in detail.items() if value}
            return desk.say(Happening(kind="lane-taken", actor=actor, lane=found.id, detail=detail))

        told = self._runs.doing(run_id, work)
        return LaneTold(told=told, lane=find_lane(told.run, lane), folder=folder)

    def make_folders(self, run: Run) -> Iterator[str]:
        """Make the folders of lanes that are free to be worked on here; yield what came of it."""
        for lane in () if run.over else run.lanes.values():
            if not lane.open or not self._is_free(run, lane):
                continue
            try:
                yield from self._make_folder(run, lane)
            except AgentXError as error:
                yield f"{lane.id} could not be made here: {error.whole}"

    def _is_free(self, run: Run, lane: Lane) -> bool:
        """Tell whether a lane may be worked on here: nobody else holds its task, or lost it."""
        known, task = self._runs.own.known, run.tasks.get(lane.task)
        is_own = lane.checkout in ("", known)
        claim = None if task is None else self._runs.own.find_claim(task)
        if claim is not None:
            return claim.checkout == known and (is_own or claim.lane == lane.id)
        return is_own or not tell_unwanted(run, lane)

    def _make_folder(self, run: Run, lane: Lane) -> Iterator[str]:
        git = self._runs.git
        if has_folder(git, run, lane):
            try:
                if git.is_trusted:
                    git.folders.require_up(lane.id, git.folder(run.id, lane.id))
            except ConflictError as error:
                yield error.whole
            return
        folder, _ = bring_lane(git, run, lane)
        yield f"{lane.id} is in {folder}"
        yield from git.folders.take_remarks()
