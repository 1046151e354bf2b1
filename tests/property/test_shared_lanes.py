"""Goal: two people work on one run from two clones, and git is the truth of what is merged.

Method: random histories with a bare remote and real git: lanes are opened, worked in, merged, cut
short at every point where git or the events are written, pushed and pulled in any order. After
each step: what counts as merged and is not named as missing is in the work branch; no commit of
anybody is lost; the person's own branch and files are theirs. In the end both clones agree.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.kernel.errors import AgentXError
from agentx.runs.model import LaneStatus
from tests.support.kept_runs import Kept
from tests.support.repository import commit, git
from tests.support.run_stories import Killed, Team, killed
from tests.support.shared_run import ACTOR, Pair

_POINTS = (
    CrashPoint.RUN_EVENTS_WRITTEN,
    CrashPoint.RUN_VIEW_WRITTEN,
    CrashPoint.RUN_BRANCH_MADE,
    CrashPoint.RUN_WORKTREE_MADE,
    CrashPoint.RUN_GIT_BEGUN,
    CrashPoint.RUN_GIT_DONE,
    CrashPoint.RUN_KEPT,
)
_STEPS = 10


class History:
    """What two people did, and what must be true of it."""

    def __init__(self, folder: Path, seed: int, make: Callable[..., Team]) -> None:
        self.chance = random.Random(seed)
        self.pair = Pair(folder, make)
        self.teams = (self.pair.one, self.pair.two)
        self.commits: list[tuple[Team, str, str, str]] = []  # who, lane, file, commit
        self.mine = {team.root: git(team.root, "rev-parse", "HEAD") for team in self.teams}
        self.told: list[str] = []
        self.known: set[str] = set()  # events that were there when a command told it was done
        self.unsure: set[str] = set()  # what a command wrote that was killed

    def step(self) -> None:
        """Let somebody do something, perhaps until they are killed, and look whether all holds."""
        team = self.chance.choice(self.teams)
        begins = (self._open, self._begin_known)
        often = (*begins, self._work, self._work, self._merge, self._merge, self._share)
        loses = (self._lose,) * 2 if isinstance(team, Kept) else ()
        act = self.chance.choice((*often, *often, self._share, self._push, self._resume, *loses))
        self.told.append(f"{team.root.name} {act.__name__}")
        kills = (self._open, self._begin_known, self._merge, self._resume)
        if self.chance.random() < 0.2 and act in kills:
            point = self.chance.choice(_POINTS)
            crash.arm(point, killed)
            self.told[-1] += f" dies at {point}"
        try:
            self._acknowledge(team)
            with suppress(AgentXError):
                act(team)
        except Killed:
            self.unsure |= self._list_events(team) - self.known
        finally:
            crash.disarm()
        for each in self.teams:
            self._hold(each)

    def _open(self, team: Team) -> None:
        number = len(self.pair.look(team).tasks) + 1
        task = f"TASK-{number:03}-{team.root.name}"
        team.says(self.pair.run_id, "task-added", task=task, title=f"do {task}")
        self._acknowledge(team)
        team.lanes.open(self.pair.run_id, actor=ACTOR, task=task)

    def _begin_known(self, team: Team) -> None:
        """Begin a task that the other may have begun, too: who claimed it earlier holds it."""
        team.clock.advance(self.chance.randrange(1, 10 * 60) * 1_000)
        names = [name for name, task in self.pair.look(team).tasks.items() if not task.over]
        if not names:
            return
        name = self.chance.choice(names)
        run = self.pair.look(team)
        held = run.tasks[name].find_claim(max(team.clock.now_ms(), run.updated_ms + 1))
        try:
            team.lanes.open(self.pair.run_id, actor=ACTOR, task=name)
        finally:
            if held is not None and held.checkout != team.store.find_writer():
                claim = self.pair.look(team).tasks[name].settled.claim
                assert claim == held, self.told

    def _work(self, team: Team) -> None:
        lane = self._choose_lane(team, LaneStatus.ACTIVE)
        folder = team.runs.git.folder(self.pair.run_id, lane)
        if not lane or not folder.is_dir():
            return
        # Mostly a file of its own; now and then one that others change too.
        file = "a.py" if self.chance.random() < 0.1 else f"f{len(self.commits)}.py"
        commit(folder, file, **{file.replace(".", "_"): f"{len(self.commits)}\n"})
        self.commits.append((team, lane, file, git(folder, "rev-parse", "HEAD")))

    def _merge(self, team: Team) -> None:
        lane = self._choose_lane(team, LaneStatus.ACTIVE, LaneStatus.FINISHED)
        if lane:
            team.lanes.merge(self.pair.run_id, lane, actor=ACTOR)

    def _push(self, team: Team) -> None:
        refs = f"refs/heads/agent/{self.pair.run_id}/*"
        git(team.root, "push", "-q", "origin", f"{refs}:{refs}", check=False)

    def _share(self, team: Team) -> None:
        self.pair.share(team)
        self.mine[team.root] = git(team.root, "rev-parse", "HEAD")

    def _lose(self, team: Team) -> None:
        before = self._list_events(team)
        git(team.root, "clean", "-fdxq")
        # What was being written when a process was killed, nobody was told to be kept.
        assert before - self.unsure <= self._list_events(team) <= before, self.told

    def _list_events(self, team: Team) -> set[str]:
        return {event.id for event in team.runs.events(self.pair.run_id)}

    def _acknowledge(self, team: Team) -> None:
        self.known = self._list_events(team)

    def _resume(self, team: Team) -> None:
        team.runs.resume(self.pair.run_id)

    def _choose_lane(self, team: Team, *statuses: LaneStatus) -> str:
        own = team.store.find_writer()
        names = [
            lane.id
            for lane in self.pair.look(team).lanes.values()
            if lane.status in statuses and lane.id.endswith(own)
        ]
        return self.chance.choice(names) if names else ""

    def _hold(self, team: Team) -> None:
        said = "\n".join(self.told)
        run = self.pair.look(team)
        missing = {each.lane for each in team.lanes.list_unmerged(run)}
        merged = [
            lane.id
            for lane in run.lanes.values()
            if lane.status is LaneStatus.MERGED and lane.id not in missing
        ]
        work = f"agent/{self.pair.run_id}/work"
        for maker, lane, _, made in self.commits:
            if maker is team:
                assert git(team.root, "branch", "-a", "--contains", made), f"lost {made}\n{said}"
            if lane in merged:
                assert _is_ancestor(team, made, work), f"{lane} counts as merged\n{said}"
        assert git(team.root, "rev-parse", "HEAD") == self.mine[team.root], said
        assert git(team.root, "branch", "--show-current") == "main", said

    def end(self) -> None:
        """Let everybody push and pull until nothing is new; both see the same."""
        for _ in range(3):
            for team in self.teams:
                with suppress(AgentXError):
                    team.runs.resume(self.pair.run_id)
                self._push(team)
                self._share(team)
        self._share(self.teams[0])
        said = "\n".join(self.told)
        one, two = (self.pair.look(team) for team in self.teams)
        assert one == two, said
        for team in self.teams:
            self._hold(team)
        if not one.conflicts:
            for team in self.teams:
                assert not team.lanes.list_unmerged(one), said


def _is_ancestor(team: Team, made: str, work: str) -> bool:
    """Tell whether a commit is in the work branch here, or else in the one that was pushed."""
    for branch in (f"refs/heads/{work}", f"refs/remotes/origin/{work}"):
        if git(team.root, "rev-parse", "-q", "--verify", branch, check=False):
            return made in git(team.root, "rev-list", branch).split()
    return False


def play(seed: int, steps: int = _STEPS, make: Callable[..., Team] = Team) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder), seed, make)
        for _ in range(steps):
            history.step()
        history.end()


@pytest.mark.promise("runs.git-is-true")
def test_what_counts_as_merged_is_in_the_branch_of_two_clones() -> None:
    play(7)


@pytest.mark.promise("runs.kept-exchange")
def test_two_clones_agree_by_a_branch_of_its_own_whatever_a_checkout_loses() -> None:
    play(3, make=Kept)


@pytest.mark.soak
@pytest.mark.parametrize("make", [Team, Kept])
@pytest.mark.parametrize("seed", range(60))
def test_many_histories_of_two_clones(seed: int, make: Callable[..., Team]) -> None:
    play(seed, 30, make)
