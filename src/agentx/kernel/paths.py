"""The roots: every folder and file of ours in a repository and in the user's data folder.

What lies inside of a folder is known to its room (`runs.paths`, `search.paths`, ...). Every
name that becomes part of a path is checked or encoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import ProjectId, digest, project_id
from agentx.kernel.places import encoded

NOTICE_SUFFIX = ".notice"
RESERVED_STORE_NAMES = frozenset({"spool", "bin", "backups", "models", "unified"})


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

    @property
    def state(self) -> Path:
        """What holds for this checkout only."""
        return self.root / ".agentx" / "state"

    @property
    def agent_status(self) -> Path:
        """Who is doing what."""
        return self.state / "agent-status.json"

    @property
    def ledgers(self) -> Path:
        """The clarification ledgers."""
        return self.state / "clarifications"

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

    @property
    def lessons(self) -> Path:
        """What runs taught."""
        return self.run_memory / "ltm"


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


def counted(number: int) -> int:
    """Check a number that becomes part of a name.

    Raises: InvalidValue.
    """
    if number < 0:
        raise InvalidValue(f"{number} is not an issue number", hint="use 0 or more")
    return number
