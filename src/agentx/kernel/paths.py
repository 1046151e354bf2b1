"""Every path in the user's repository: `.agentx/` and `.agent-memory/`.

With `run_paths` (one run) and `store_paths` (the user's data) these are all paths on disk: no
other file contains a path literal. Every name that becomes part of a path is checked here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import parse_run_id
from agentx.kernel.run_paths import RunPaths as RunPaths  # noqa: PLC0414  others look for it here


@dataclass(frozen=True, slots=True)
class ProjectPaths:
    """What lies in the user's repository."""

    root: Path

    @property
    def settings(self) -> Path:
        """Project settings: only what the user set."""
        return self.root / ".agentx" / "config.toml"

    @property
    def workflows(self) -> Path:
        """Workflows in TOML."""
        return self.root / ".agentx" / "workflows"

    @property
    def roles(self) -> Path:
        """The instructions of each role."""
        return self.root / ".agentx" / "agents"

    @property
    def issues(self) -> Path:
        """Issues in local mode."""
        return self.root / ".agentx" / "issues"

    def issue(self, number: int) -> Path:
        """One issue."""
        return self.issues / f"{counted(number)}.json"

    @property
    def issue_numbers(self) -> Path:
        """What is locked while the next issue gets its number; it is never written."""
        return self.root / ".agentx" / "state" / "issue-numbers"

    @property
    def agent_status(self) -> Path:
        """Who is doing what."""
        return self.root / ".agentx" / "state" / "agent-status.json"

    @property
    def ledgers(self) -> Path:
        """The clarification ledgers."""
        return self.root / ".agentx" / "state" / "clarifications"

    def ledger(self, issue: int) -> Path:
        """The clarifications of one issue."""
        return self.ledgers / f"issue-{counted(issue)}.json"

    def artifacts(self, issue: int) -> tuple[Path, ...]:
        """Where an issue's requirements, designs and decisions are written down, if they are."""
        number = counted(issue)
        docs = self.root / "docs"
        return (
            docs / "prd" / f"PRD-{number}.md",
            docs / "ux" / f"UX-{number}.md",
            docs / "adr" / f"ADR-{number}.md",
            docs / "specs" / f"SPEC-{number}.md",
        )

    @property
    def observations(self) -> Path:
        """The observations, one file an issue."""
        return self.root / ".agentx" / "memory"

    @property
    def log(self) -> Path:
        """Our own structured log."""
        return self.root / ".agentx" / "logs" / "agentx.jsonl"

    @property
    def ignore_file(self) -> Path:
        """The rules of what is not committed."""
        return self.root / ".agentx" / ".gitignore"

    @property
    def run_memory(self) -> Path:
        """Runs (STM), lessons (LTM) and their archive."""
        return self.root / ".agent-memory"

    @property
    def runs(self) -> Path:
        """All runs."""
        return self.run_memory / "runs"

    def run(self, run: str) -> RunPaths:
        """One run."""
        return RunPaths(self.runs / parse_run_id(run))

    @property
    def run_index(self) -> Path:
        """All runs at a glance."""
        return self.run_memory / "index.yaml"

    @property
    def lessons(self) -> LtmPaths:
        """What runs taught."""
        return LtmPaths(self.run_memory / "ltm")

    @property
    def run_archive(self) -> Path:
        """Runs that are over and packed away."""
        return self.run_memory / "archive"


@dataclass(frozen=True, slots=True)
class LtmPaths:
    """What lies in the folder of long-term memory. Events are facts, all else is made from them."""

    root: Path = Path()

    @property
    def events(self) -> Path:
        """The events, one folder an actor."""
        return self.root / "events"

    @property
    def code_patterns(self) -> Path:
        """What works well in code."""
        return self.root / "patterns" / "code-patterns.yaml"

    @property
    def error_patterns(self) -> Path:
        """What goes wrong, and what mends it."""
        return self.root / "patterns" / "error-patterns.yaml"

    @property
    def solution_patterns(self) -> Path:
        """What solved a problem."""
        return self.root / "patterns" / "solution-patterns.yaml"

    @property
    def decisions(self) -> Path:
        """Decisions, one page each."""
        return self.root / "decisions"

    @property
    def debt(self) -> Path:
        """What was left undone."""
        return self.root / "tech-debt" / "tech-debt-registry.yaml"

    @property
    def metrics(self) -> Path:
        """How the runs went."""
        return self.root / "metrics" / "run-metrics.yaml"

    @property
    def learnings(self) -> Path:
        """What is known of each area, one page each."""
        return self.root / "learnings" / "area-learnings"

    @property
    def aside(self) -> Path:
        """Pages as git left them, kept for a person to look at."""
        return self.root / "aside"


@dataclass(frozen=True, slots=True)
class ObservationPaths:
    """What lies in the folder of the observations."""

    root: Path

    @property
    def manifest(self) -> Path:
        """A line for every observation."""
        return self.root / "manifest.json"

    def issue(self, number: int) -> Path:
        """The observations of one issue."""
        return self.root / f"issue-{counted(number)}.json"

    @property
    def archive(self) -> Path:
        """The originals of observations that were merged."""
        return self.root / "archive"

    def archived(self, number: int) -> Path:
        """The originals of one issue."""
        return self.archive / f"issue-{counted(number)}-archived.json"

    @property
    def pending(self) -> Path:
        """What was stored and is not in the files yet."""
        return self.root / "pending.jsonl"

    @property
    def database(self) -> Path:
        """All of them, for those who keep them in SQLite."""
        return self.root / "observations.db"

    def replaced(self, mark: str) -> Path:
        """Where a migration puts what it has replaced."""
        return self.root / f"replaced-{mark}"


def counted(number: int) -> int:
    """Check a number that becomes part of a name.

    Raises: InvalidValue.
    """
    if number < 0:
        raise InvalidValue(f"{number} is not an issue number", hint="use 0 or more")
    return number
