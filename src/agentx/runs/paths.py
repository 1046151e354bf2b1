"""Every path of the runs: all of them, one of them, and what this machine notes of them.

The root of a run may be empty: then the paths are relative to its folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentx.kernel.ids import parse_run_id
from agentx.kernel.paths import ProjectPaths


@dataclass(frozen=True, slots=True)
class RunPaths:
    """What lies in the folder of one run. Events are facts, all else is made from them."""

    root: Path = Path()

    @property
    def manifest(self) -> Path:
        """Where the run stands, as last seen."""
        return self.root / "manifest.yaml"

    def events(self, lane: str = "") -> Path:
        """The events, one folder an actor; those of a lane lie with the lane."""
        return (self.lane(lane) if lane else self.root) / "events"

    @property
    def artifacts(self) -> Path:
        """Plans, requirements and what else was written down."""
        return self.root / "artifacts"

    @property
    def constitution(self) -> Path:
        """The rules of the house that every task keeps."""
        return self.artifacts / "constitution.md"

    @property
    def task_graph(self) -> Path:
        """Which task waits for which."""
        return self.artifacts / "task-graph.yaml"

    @property
    def tasks(self) -> Path:
        """One folder a task."""
        return self.root / "tasks"

    def contract(self, task: str, version: int = 1) -> Path:
        """What a task is; a later version lies beside the first."""
        name = "contract.yaml" if version <= 1 else f"contract-v{version}.yaml"
        return self.tasks / task / name

    def written_contract(self, task: str) -> Path:
        """A contract that a person wrote as a page."""
        return self.tasks / task / "contract.md"

    def work_log(self, task: str) -> Path:
        """What was done for a task, session by session."""
        return self.tasks / task / "work-log.md"

    @property
    def lanes(self) -> Path:
        """One folder a lane."""
        return self.root / "lanes"

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
        return self.root / "escalations" / f"{escalation}.yaml"

    @property
    def pr_description(self) -> Path:
        """What the pull request says."""
        return self.root / "pr" / "description.md"

    @property
    def pr_checklist(self) -> Path:
        """What must be true before it is opened."""
        return self.root / "pr" / "checklist.md"

    @property
    def candidates(self) -> Path:
        """What the run taught and somebody may accept into long-term memory."""
        return self.root / "pr" / "promotion-candidate.yaml"

    @property
    def aside(self) -> Path:
        """What could not be read, kept for a person to look at."""
        return self.root / "aside"


@dataclass(frozen=True, slots=True)
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
    def archive(self) -> Path:
        """Runs that are over and packed away."""
        return self.project.run_memory / "archive"


@dataclass(frozen=True, slots=True)
class RunNotes:
    """What this machine notes of runs, in the folder of the project's store."""

    root: Path

    @property
    def active(self) -> Path:
        """The run that was last worked on here, as text."""
        return self.root / "runs" / "active"

    def desk(self, run: str) -> Path:
        """What is noted of a run; its lock is held while the run is written."""
        return self.root / "runs" / f"{parse_run_id(run)}.json"

    def git_mark(self, run: str) -> Path:
        """There while git works for a run: what it was doing when it died."""
        return self.root / "runs" / f"{parse_run_id(run)}.git"

    def worktree(self, run: str, name: str) -> Path:
        """The files of a lane, or of the work branch: outside of the checkout."""
        return self.root / "worktrees" / parse_run_id(run) / name
