"""Every path of the runs: all of them, one of them, and what this machine notes of them.

The root of a run may be empty: then the paths are relative to its folder.
"""

from __future__ import annotations

from pathlib import Path

from agentx.kernel.ids import parse_run_id
from agentx.kernel.paths import Below, ProjectPaths
from agentx.kernel.values import frozen

WORK_FOLDER = "work"  # beside the folders of the lanes: that of the work branch


@frozen(kw_only=False)
class RunPaths:
    """What lies in the folder of one run. Events are facts, all else is made from them."""

    root: Path = Path()

    manifest = Below("manifest.yaml")  # where the run stands, as last seen
    artifacts = Below("artifacts")  # plans, requirements and what else was written down
    # The rules of the house that every task keeps.
    task_graph = Below("artifacts/task-graph.yaml")  # which task waits for which
    tasks = Below("tasks")  # one folder a task
    lanes = Below("lanes")  # one folder a lane
    escalations = Below("escalations")  # questions to a person
    pr_description = Below("pr/description.md")  # what the pull request says
    pr_checklist = Below("pr/checklist.md")  # what must be true before it is opened
    # What the run taught and somebody may accept into long-term memory.
    candidates = Below("pr/promotion-candidate.yaml")
    aside = Below("aside")  # what could not be read, kept for a person to look at

    def events(self, lane: str = "") -> Path:
        """The events, one folder an actor; those of a lane lie with the lane."""
        return (self.lane(lane) if lane else self.root) / "events"

    def contract(self, task: str, version: int = 1) -> Path:
        """What a task is; a later version lies beside the first."""
        name = "contract.yaml" if version <= 1 else f"contract-v{version}.yaml"
        return self.tasks / task / name

    def hand_contract(self, task: str) -> Path:
        """A contract that a person wrote as a page."""
        return self.tasks / task / "contract.md"

    def work_log(self, task: str) -> Path:
        """What was done for a task, session by session."""
        return self.tasks / task / "work-log.md"

    def lane(self, lane: str) -> Path:
        """One lane."""
        return self.lanes / lane

    def lane_manifest(self, lane: str) -> Path:
        """Where a lane stands."""
        return self.lane(lane) / "manifest.yaml"

    def lane_task(self, lane: str, task: str) -> Path:
        """A task of a lane."""
        return self.lane(lane) / "tasks" / f"{task}.yaml"

    def verification(self, task: str) -> Path:
        """What was checked of a task, or of the whole run."""
        return self.root / "verification" / f"{task or 'run'}-verification.yaml"

    def escalation(self, escalation: str) -> Path:
        """A question to a person."""
        return self.escalations / f"{escalation}.yaml"


@frozen(kw_only=False)
class RunsPaths:
    """The runs of a project."""

    project: ProjectPaths

    def run(self, run: str) -> RunPaths:
        """One run."""
        return RunPaths(self.project.runs / parse_run_id(run))

    @property
    def index(self) -> Path:
        """All runs at a glance."""
        return self.project.run_memory / "index.yaml"

    @property
    def aside(self) -> Path:
        """What a person wrote into the index, kept before it was made again."""
        return self.project.run_aside

    @property
    def archive(self) -> Path:
        """Runs that are over and packed away."""
        return self.project.run_memory / "archive"


@frozen(kw_only=False)
class RunNotes:
    """What this machine notes of runs, in the folder of the project's store."""

    root: Path

    writers = Below("runs/writers.json")  # what checkouts are called in the ids of their lanes
    vouched = Below("runs/vouched.json")  # what was unsigned here before, and what is doubted
    shown = Below("runs/shown.json")  # which questions a person was shown
    claims = Below("runs/claims.json")  # when claims of other clocks were first seen
    worktrees = Below("worktrees")  # the files of lanes, one folder a run

    def desk(self, run: str) -> Path:
        """What is noted of a run; its lock is held while the run is written."""
        return self.root / "runs" / f"{parse_run_id(run)}.json"

    def last_look(self, run: str, checkout: str) -> Path:
        """How the files of a run were when they were last made in a checkout."""
        return self.root / "runs" / "made" / f"{parse_run_id(run)}-{checkout}"

    def git_mark(self, run: str) -> Path:
        """There while git works for a run: what it was doing when it died."""
        return self.root / "runs" / f"{parse_run_id(run)}.git"

    def coming_up(self, run: str) -> Path:
        """There while the folder of a run's work branch is brought up: from where, and to where."""
        return self.root / "runs" / f"{parse_run_id(run)}.up"

    def making(self, run: str, name: str) -> Path:
        """There while git fills a folder of a run's, which holds it."""
        return self.root / "runs" / "making" / f"{parse_run_id(run)}-{name}"

    def driving(self, run: str) -> Path:
        """Held by the driver of a run while it is at work on this machine."""
        return self.root / "runs" / "driving" / parse_run_id(run)

    def turn(self, run: str, lane: str) -> Path:
        """Which process plays an agent in a lane, while one does."""
        return self.root / "runs" / "turns" / parse_run_id(run) / f"{lane or 'plan'}.json"

    def outfit(self, run: str, lane: str) -> Path:
        """There once a lane was given what the checkout needs to run."""
        return self.root / "runs" / "outfits" / parse_run_id(run) / lane

    def approvals(self, run: str) -> Path:
        """Where it is noted which checks of a run a person approved."""
        return self.root / "runs" / "approved" / f"{parse_run_id(run)}.json"

    def strange(self, run: str, lane: str) -> Path:
        """Where what lay in the place of a lane's `.git` is kept."""
        return self.root / "runs" / "strange" / parse_run_id(run) / lane

    def copy(self, run: str, lane: str) -> Path:
        """Of which commit the branch of a lane was made that another checkout has."""
        return self.root / "runs" / "copies" / parse_run_id(run) / lane

    def places(self, run: str, lane: str) -> Path:
        """Where the branch of a lane was at remotes when it was looked at."""
        return self.root / "runs" / "seen" / parse_run_id(run) / lane

    def worktree(self, run: str, name: str) -> Path:
        """The files of a lane, or of the work branch: outside of the checkout."""
        return self.worktrees / parse_run_id(run) / name
