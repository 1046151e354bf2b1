"""Every path in the user's data folder: stores, their indexes, the spool.

Every name that becomes part of a path is checked or encoded here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentx.kernel.ids import ProjectId, digest, parse_run_id, project_id
from agentx.kernel.paths import counted
from agentx.kernel.places import encoded

NOTICE_SUFFIX = ".notice"


@dataclass(frozen=True, slots=True)
class StorePaths:
    """What lies in one store's folder, mode 0700."""

    root: Path
    shared_by: str = ""  # the project that looks, where several have this store

    @property
    def db(self) -> Path:
        """RocksDB."""
        return self.root / "db"

    @property
    def text_index(self) -> Path:
        """The full-text index."""
        return self.root / "bm25-index"

    @property
    def vector_index(self) -> Path:
        """The vectors."""
        return self.root / "vector-index"

    @property
    def observation_words(self) -> Path:
        """Which observations hold which words."""
        return self.root / "observation-words"

    @property
    def digests(self) -> Path:
        """What hooks print at session start, prepared beforehand; each project has its own."""
        folder = self.root / "digests"
        return folder / encoded(self.shared_by) if self.shared_by else folder

    def digest(self, harness: str, branch: str = "", role: str = "") -> Path:
        """The digest of one harness, for a branch and a role; both empty is the default."""
        return self.digests / f"{encoded(branch)}+{encoded(role)}+{encoded(harness)}.txt"

    def notice(self, role: str = "") -> Path:
        """What a session of a role is told of this moment, before its digest."""
        return self.digests / f"{encoded(role)}{NOTICE_SUFFIX}"

    def recalled(self, project: str) -> Path:
        """How often each thing of a project was recalled."""
        return self.root / "recalled" / f"{encoded(project)}.json"

    @property
    def digest_stamp(self) -> Path:
        """What the digests were made from, as a hash."""
        return self.digests / "stamp"

    @property
    def daemon(self) -> Path:
        """Who serves this store: pid, address, start."""
        return self.root / "daemon.json"

    @property
    def daemon_lock(self) -> Path:
        """Held by the daemon for as long as it lives."""
        return self.root / "daemon.lock"

    @property
    def daemon_log(self) -> Path:
        """What the daemon said."""
        return self.root / "daemon.log"

    @property
    def daemon_log_before(self) -> Path:
        """What the daemon said before its log was full."""
        return self.root / "daemon.log.1"

    @property
    def daemon_token(self) -> Path:
        """What a caller over TCP must know."""
        return self.root / "daemon.token"

    @property
    def socket(self) -> Path:
        """Where the daemon listens."""
        return self.root / "daemon.sock"

    def socket_in(self, folder: Path) -> Path:
        """Where the daemon listens when its own folder cannot hold a socket: a short name."""
        return folder / f"{digest(str(self.root), size=12).hex()}.sock"

    @property
    def scheduler(self) -> Path:
        """What is known of each job: when it ran, what came of it, when it runs next."""
        return self.root / "scheduler.json"

    @property
    def scheduler_lock(self) -> Path:
        """Held while a command runs a job without a daemon."""
        return self.root / "scheduler.lock"

    @property
    def active_run(self) -> Path:
        """The run that was last worked on here, as text."""
        return self.root / "runs" / "active"

    @property
    def lesson_desk(self) -> Path:
        """Locked while lessons are written on this machine; it is never written."""
        return self.root / "runs" / "lessons"

    @property
    def lesson_pages(self) -> Path:
        """What the pages of lessons looked like when they were last made here."""
        return self.root / "runs" / "lessons.pages"

    def run_desk(self, run: str) -> Path:
        """What this machine notes of a run; its lock is held while the run is written."""
        return self.root / "runs" / f"{parse_run_id(run)}.json"

    def run_git_mark(self, run: str) -> Path:
        """There while git works for a run: what it was doing when it died."""
        return self.root / "runs" / f"{parse_run_id(run)}.git"

    def worktree(self, run: str, name: str) -> Path:
        """The files of a lane, or of the work branch: outside of the checkout."""
        return self.root / "worktrees" / parse_run_id(run) / name

    @property
    def spending(self) -> Path:
        """What models have cost, day by day."""
        return self.root / "spending.json"

    @property
    def github_cache(self) -> Path:
        """Pages of GitHub, for conditional requests and for being offline."""
        return self.root / "github" / "pages"

    @property
    def github_queue(self) -> Path:
        """What waits for GitHub to be reachable."""
        return self.root / "github" / "queue.jsonl"

    @property
    def import_cursors(self) -> Path:
        """How far each transcript has been read."""
        return self.root / "import-cursors.json"

    @property
    def log(self) -> Path:
        """Our own structured log, for a project that was not set up with `agentx init`."""
        return self.root / "agentx.jsonl"

    @property
    def faults(self) -> Path:
        """What could not be taken, for `doctor`."""
        return self.root / "faults.jsonl"


@dataclass(frozen=True, slots=True)
class IndexPaths:
    """The folder of an index: generations side by side, one of which answers."""

    root: Path

    @property
    def current(self) -> Path:
        """The name of the generation that answers."""
        return self.root / "current"

    @property
    def writer_lock(self) -> Path:
        """Held by the one process that may write."""
        return self.root / "writer.lock"

    def generation(self, number: int) -> GenerationPaths:
        """One generation."""
        return GenerationPaths(self.root / f"g-{counted(number):04}")


@dataclass(frozen=True, slots=True)
class GenerationPaths:
    """One generation of an index."""

    root: Path

    @property
    def version(self) -> Path:
        """Which format the generation has."""
        return self.root / "version.json"

    @property
    def mark(self) -> Path:
        """How far its owner had come at the last commit."""
        return self.root / "mark.json"

    @property
    def passages(self) -> Path:
        """Documents, in passages."""
        return self.root / "passages"

    @property
    def windows(self) -> Path:
        """Stretches of sessions."""
        return self.root / "windows"

    @property
    def chapters(self) -> Path:
        """Chapters of sessions."""
        return self.root / "chapters"


@dataclass(frozen=True, slots=True)
class SpoolPaths:
    """The spool folder of one working directory."""

    root: Path

    @property
    def tmp(self) -> Path:
        """Being written."""
        return self.root / "tmp"

    @property
    def new(self) -> Path:
        """Whole, and waiting to be taken."""
        return self.root / "new"

    @property
    def refused(self) -> Path:
        """What could not be taken at all; `doctor` reports it."""
        return self.root / "refused"

    @property
    def directory(self) -> Path:
        """The working directory this folder stands for, as text."""
        return self.root / "directory"

    @property
    def store(self) -> Path:
        """The folder of the store this directory belongs to, as text: settled once."""
        return self.root / "store"


@dataclass(frozen=True, slots=True)
class DataPaths:
    """What lies in the user's data folder, `$XDG_DATA_HOME/agent-memory`."""

    root: Path

    def store(self, project: ProjectId) -> StorePaths:
        """The store of one project."""
        return StorePaths(self.root / project_id(project))

    @property
    def unified(self) -> StorePaths:
        """The one store of unified mode."""
        return StorePaths(self.root / "unified")

    @property
    def spools(self) -> Path:
        """All spool folders."""
        return self.root / "spool"

    def spool(self, working_directory: str) -> SpoolPaths:
        """The spool folder of a working directory."""
        return SpoolPaths(self.spools / encoded(working_directory))

    @property
    def launcher(self) -> Path:
        """The hook command that agent CLIs call: its path never changes."""
        return self.root / "bin" / "agentx-hook"

    @property
    def command(self) -> Path:
        """The `agentx` command that agent CLIs start as their MCP server: it never moves."""
        return self.root / "bin" / "agentx"

    @property
    def vector_model(self) -> Path:
        """The weights of the model behind the vectors, for all projects."""
        return self.root / "models" / "minilm"

    @property
    def vector_indexes(self) -> tuple[Path, ...]:
        """The vectors of every store there is."""
        return tuple(sorted(self.root.glob("*/vector-index")))

    @property
    def backups(self) -> Path:
        """Copies of the settings files of agent CLIs, before we edited them."""
        return self.root / "backups"


def runtime_folder(runtime: Path | None, temporary: Path, user: int) -> Path:
    """The user's folder for sockets: in `$XDG_RUNTIME_DIR`, else in the temporary folder."""
    return runtime / "agentx" if runtime is not None else temporary / f"agentx-{user}"


RESERVED_STORE_NAMES = frozenset({"spool", "bin", "backups", "models", "unified"})
