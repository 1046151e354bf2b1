"""The verbs of lanes: git first, then the event that says so.

What git has done and no event tells yet, because the process died in between, is found
by doing the verb again: a branch without work is taken over, a merge that is in is only
recorded. A conflict is recorded with its files and asks a person; git is as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from agentx.kernel.errors import AgentXError, ConflictError, IllegalTransition
from agentx.runs.choosing.naming import name_lane
from agentx.runs.lacking.mending import refuse_unmerged
from agentx.runs.model import Happening, Lane, LaneStatus, Run, RunEvent
from agentx.runs.paths import WORK_FOLDER
from agentx.runs.replies import Changes, Landed, LaneTold, Told, Unmerged
from agentx.runs.rules.decide import decide, find_lane
from agentx.runs.service import Runs
from agentx.runs.store.git_shared import tell_unpushed
from agentx.runs.store.git_taking import find_brought
from agentx.runs.store.run_store import OpenRun
from agentx.runs.store.shared.branches import Conflicted, Moved, lane_branch, work_branch
from agentx.runs.store.shared.landed import find_landed
from agentx.runs.store.shared.lane_roots import tell_submodules


class LaneWork:
    """Lanes of runs, with git."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._git = runs.git

    def open(self, run_id: str, *, actor: str, lane: str = "", task: str = "") -> LaneTold:
        """Open a lane: a branch and a folder of its own.

        Raises: NotFound, IllegalTransition, ConflictError, LimitError, UnavailableError.
        """
        opened = lane

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            nonlocal opened
            # A branch of that very name is what a command that was killed has left behind.
            is_there = bool(lane) and self._git.has_lane(desk.run.id, lane)
            is_known = is_there or lane in desk.run.lanes
            opened = lane if is_known else name_lane(desk, lane)
            return self._open(desk, actor=actor, lane=opened, task=task)

        return self._tell(self._runs.doing(run_id, work), lambda: opened)

    def _open(self, desk: OpenRun, *, actor: str, lane: str, task: str) -> tuple[RunEvent, ...]:
        run = desk.run
        branch = lane_branch(run.id, lane)
        said = Happening(
            kind="lane-opened", actor=actor, lane=lane, task=task, detail={"branch": branch}
        )
        # Refused before git is touched.
        desk.check(said)
        self._catch_up(desk)
        start = run.git.latest_commit if run.git.work_branch else run.git.base_commit
        _, made = self._git.ensure_work(run.id, start)
        first: tuple[RunEvent, ...] = ()
        if made or not run.git.work_branch:
            detail = {"branch": work_branch(run.id)}
            first = desk.say(Happening(kind="branch-made", actor=actor, detail=detail))
        commit = self._git.open(run.id, lane)
        desk.remarks += tell_submodules(self._git.folder(run.id, lane))
        detail = {"branch": branch, "commit": commit}
        return (*first, *desk.say(replace(said, detail=detail)))

    def finish(self, run_id: str, lane: str, *, actor: str) -> LaneTold:
        """Say that a lane's work is done; all of it must be committed."""
        lane = self._runs.which.choose_lane(lane)

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            found = find_lane(desk.run, lane)
            desk.check(_say("lane-finished", actor, found.id, {}))
            commit = self._find_tip(desk.run, found)
            return desk.say(_say("lane-finished", actor, found.id, {"commit": commit}))

        return self._tell(self._runs.doing(run_id, work), lambda: lane)

    def merge(
        self,
        run_id: str,
        lane: str,
        *,
        actor: str,
        see_person: Callable[[Run, Lane], None] = lambda _run, _lane: None,
        before_said: Callable[[], None] | None = None,
    ) -> LaneTold:
        """Merge a lane into the work branch; a conflict is recorded and asks a person.

        `see_person` refuses an agent where what is left of a merged lane lies here alone, and
        another checkout has the lane: who has it may have taken just that out. `before_said` is
        done once git has merged and before an event says so; where it refuses, git is as it was.
        """
        lane = self._runs.which.choose_lane(lane)
        conflict = before = ""
        merged = ("", "")  # the commit of the lane, and the one that holds it

        def say(desk: OpenRun) -> tuple[RunEvent, ...]:
            return _say_merged(desk, find_lane(desk.run, lane), actor, *merged)

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            nonlocal conflict, before, merged
            run, found = desk.run, find_lane(desk.run, lane)
            desk.check(_say("lane-merged", actor, found.id, {}))
            desk.remarks += self._git.recover(run)
            self._catch_up(desk)
            tips = self._list_left(run, found, see_person) or (self._find_tip(run, found),)
            before = self._git.find_work(run.id)
            done = self._merge(run, found, tips)
            if isinstance(done, Conflicted):
                desk.remarks += done.remarks
                events, conflict = _conflict(desk, actor, "merge", found.id, done.files)
                return events
            merged = (tips[0], done.commit)
            return () if before_said else say(desk)

        told = self._runs.doing(run_id, work)
        if before_said is not None and not conflict:
            try:
                before_said()
            except AgentXError:
                self._take_back(run_id, before, merged[1])
                raise
            done = self._runs.doing(run_id, say)
            told = replace(done, remarks=(*told.remarks, *done.remarks))
        name = find_lane(told.run, lane).id
        stays = "" if conflict else self._git.leave(told.run.id, name)
        kept = self._git.folders.take_remarks()
        if stays:
            kept = (*kept, f"{self._git.folder(told.run.id, name)} stays: {stays}")
        told = replace(told, remarks=(*told.remarks, *kept))
        return self._tell(told, lambda: lane, conflict)

    def rebase(self, run_id: str, *, actor: str, is_kept: bool = False) -> LaneTold:
        """Put the work branch on top of its base; a conflict is recorded and asks a person.

        What is kept as it is has its base merged into it.
        """
        conflict = ""

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            nonlocal conflict
            run = desk.run
            open_lanes = [each.id for each in run.lanes.values() if each.open]
            if open_lanes:
                raise IllegalTransition(
                    f"{', '.join(open_lanes)} would be left behind by a rebase",
                    hint="merge or fail the lanes first",
                )
            if not run.git.work_branch:
                raise ConflictError(
                    f"{run.id} has no work branch yet", hint="`agentx run lane open` makes it"
                )
            desk.remarks += self._git.recover(run)
            self._catch_up(desk)
            before = self._git.find_work(run.id)
            unmerged = self._git.list_unmerged(run)
            for each in (one for one in unmerged if not one.is_elsewhere):
                raise IllegalTransition(
                    f"{each.lane} is merged in part: {each.why}",
                    hint=f"`agentx run lane merge {each.lane}` takes that in; then rebase",
                )
            lost = {each.lane for each in unmerged}
            took = self._git.list_held(run, before)
            done = self._git.rebase(run, is_kept=is_kept)
            if isinstance(done, Conflicted):
                desk.remarks += done.remarks
                events, conflict = _conflict(desk, actor, "rebase", "", done.files)
                return events
            stuck = any(each.open and each.operation == "rebase" for each in run.conflicts.values())
            if done.already and done.commit == run.git.latest_commit and not stuck:
                return ()
            holds = [
                lane.born
                for lane in run.lanes.values()
                if lane.status is LaneStatus.MERGED and lane.id not in lost
            ]
            detail = {
                "commit": done.commit,
                "onto": done.onto,
                "before": before,
                "holds": holds,
                **({"took": list(took)} if took else {}),
            }
            events = desk.say(Happening(kind="work-rebased", actor=actor, detail=detail))
            self._git.end(run.id)
            return events

        return self._tell(self._runs.doing(run_id, work), lambda: "", conflict)

    def fail(self, run_id: str, lane: str, reason: str, *, actor: str) -> LaneTold:
        """Say that a lane did not work; its branch and folder stay for whoever looks."""
        said = _say("lane-failed", actor, lane, {"reason": reason})
        return self._tell(self._runs.say(run_id, said), lambda: lane)

    def retry(self, run_id: str, lane: str, *, actor: str, reason: str = "") -> LaneTold:
        """Try a failed lane again, from what is on its branch."""

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            found = find_lane(desk.run, lane)
            said = _say("lane-retried", actor, found.id, {"reason": reason} if reason else {})
            decide(desk.run, said)
            self._git.reopen(desk.run.id, found.id, found.branch)
            return desk.say(said)

        return self._tell(self._runs.doing(run_id, work), lambda: lane)

    def reassign(self, run_id: str, lane: str, *, actor: str, reason: str = "") -> LaneTold:
        """Give a lane's task to a new lane that begins where the work branch is."""
        opened = ""

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            nonlocal opened
            found = find_lane(desk.run, lane)
            opened = name_lane(desk)
            detail: dict[str, object] = {"to": opened}
            if reason:
                detail["reason"] = reason
            given = desk.say(_say("lane-reassigned", actor, found.id, detail))
            return (*given, *self._open(desk, actor=actor, lane=opened, task=found.task))

        return self._tell(self._runs.doing(run_id, work), lambda: opened)

    def changes(self, run: Run) -> Changes | None:
        """Return what the work branch changes, compared with where the run began."""
        return self._git.changes(run, run.git.base_branch or run.git.base_commit)

    def record_changes(self, run_id: str, *, actor: str) -> tuple[Told, Changes | None]:
        """Record what the work branch holds, for the pull request; once for each commit."""
        found: Changes | None = None

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            nonlocal found
            self._catch_up(desk)
            found = self.changes(desk.run)
            made = (each for each in reversed(desk.events) if each.kind == "commit-made")
            known = next((each for each in made if not each.lane), None)
            if found is None or (known is not None and known.text("commit") == found.commit):
                return ()
            detail = {
                "commit": found.commit,
                "branch": work_branch(desk.run.id),
                "files": list(found.files[:200]),
                "files_changed": len(found.files),
                "lines_added": found.lines_added,
                "lines_removed": found.lines_removed,
            }
            return desk.say(Happening(kind="commit-made", actor=actor, detail=detail))

        return self._runs.doing(run_id, work), found

    def tell_unpushed(self, run: Run) -> tuple[str, ...]:
        """Return that the work branch is not pushed as it is here, where there is a remote."""
        return tuple(tell_unpushed(self._git.root, run))

    def find_landed(self, run: Run) -> Landed | None:
        """Return where the work of a run came in already; None where nowhere."""
        return find_landed(self._git.root, run)

    def list_unmerged(self, run: Run) -> tuple[Unmerged, ...]:
        """Return the lanes that count as merged and are not in the work branch here."""
        return self._git.list_unmerged(run)

    def _merge(self, run: Run, lane: Lane, tips: tuple[str, ...]) -> Moved | Conflicted:
        """Merge commits of a lane one after the other; one that conflicts ends it, as it was."""
        title = run.tasks[lane.task].contract.title if lane.task in run.tasks else run.title
        done = [self._git.merge(run, tips[0], f"Merge {lane.id}: {title}")]
        for tip in tips[1:]:
            if isinstance(done[-1], Moved):
                done.append(self._git.merge(run, tip, f"Merge {lane.id}: {title}"))
        if isinstance(done[-1], Conflicted) and not lane.open:
            self._git.reopen(run.id, lane.id, lane.branch)  # to be mended there
        return done[-1]

    def _take_back(self, run_id: str, before: str, commit: str) -> None:
        """Put the work branch back to before a merge that no event will tell."""

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            self._git.take_back(desk.run.id, before, commit)
            return ()

        with suppress(AgentXError):  # what is in the way stays; the refusal says more
            self._runs.doing(run_id, work)

    def _list_left(
        self, run: Run, lane: Lane, see_person: Callable[[Run, Lane], None]
    ) -> tuple[str, ...]:
        """Return what of a lane that is merged came after; nothing of one that is not yet.

        Raises: IllegalTransition where nothing did.
        """
        if lane.status is not LaneStatus.MERGED:
            return ()
        unmerged = (each for each in self._git.list_unmerged(run) if each.lane == lane.id)
        found = next(unmerged, None)
        if found is not None and not found.left:
            raise refuse_unmerged(run, found)
        if found is None:
            raise IllegalTransition(
                f"{lane.id} is MERGED, and nothing of it is left",
                hint="`agentx run lane list` shows how the lanes stand",
            )
        if found.is_persons:
            see_person(run, lane)
        return found.left

    def _find_tip(self, run: Run, lane: Lane) -> str:
        """Return the commit of a lane: of one that is worked on elsewhere all that is known of it.

        Raises: NotFound, ConflictError.
        """
        if lane.checkout in ("", self._runs.own.checkout):
            return self._git.tip(run, lane)
        return find_brought(self._git, run, lane)

    def _catch_up(self, desk: OpenRun) -> None:
        """Bring the work branch up to what others pushed, before anything is built on it."""
        desk.remarks += self._git.catch_up(desk.run)

    def _tell(self, told: Told, lane: Callable[[], str], conflict: str = "") -> LaneTold:
        given = lane()
        found = find_lane(told.run, given) if given else None
        name = WORK_FOLDER if found is None else found.id
        return LaneTold(
            told=told,
            lane=found,
            folder=str(self._git.folder(told.run.id, name)),
            conflict=told.run.conflicts.get(conflict),
        )


def _say(kind: str, actor: str, lane: str, detail: dict[str, object]) -> Happening:
    return Happening(kind=kind, actor=actor, lane=lane, detail=detail)


def _say_merged(
    desk: OpenRun, lane: Lane, actor: str, tip: str, commit: str
) -> tuple[RunEvent, ...]:
    """Say that a lane is merged, and finished if nobody said that yet."""
    merged = _say("lane-merged", actor, lane.id, {"commit": commit})
    desk.check(merged)
    first: tuple[RunEvent, ...] = ()
    if lane.status is LaneStatus.ACTIVE:
        first = desk.say(_say("lane-finished", actor, lane.id, {"commit": tip}))
    return (*first, *desk.say(merged))


def _conflict(
    desk: OpenRun, actor: str, operation: str, lane: str, files: tuple[str, ...]
) -> tuple[tuple[RunEvent, ...], str]:
    """Record a conflict, unless the same one is open already."""
    for known in desk.run.conflicts.values():
        if known.open and (known.operation, known.lane, known.files) == (operation, lane, files):
            return (), known.id
    detail: dict[str, object] = {"operation": operation, "files": list(files)}
    said = Happening(kind="conflict-found", actor=actor, lane=lane, detail=detail)
    return desk.say(said), list(desk.run.conflicts)[-1]
