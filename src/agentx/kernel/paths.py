"""The roots: every folder and file of ours in a repository and in the user's data folder.

What lies inside of a folder is known to its room (`runs.paths`, `search.paths`, ...). Every
name that becomes part of a path is checked or encoded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import ProjectId, digest, project_id
from agentx.kernel.places import encode_name
from agentx.kernel.values import frozen

NOTICE_SUFFIX = ".notice"
RESERVED_STORE_NAMES = frozenset(
    {
        *("spool", "bin", "backups", "models", "unified", "trust", "tombstones", "keys", "kept"),
        *("daemons", "roles"),
    }
)


class _Rooted(Protocol):
    @property
    def root(self) -> Path: ...


class Below:
    """A file or folder below the root of a class of paths."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._last: tuple[Path, Path] | None = None  # a root, and what is meant below it

    def __get__(self, paths: _Rooted, _kind: type[object]) -> Path:
        # A command asks for the same few thousands of times, mostly of one root.
        root, last = paths.root, self._last
        if last is None or last[0] is not root:
            last = self._last = (root, root / self._path)
        return last[1]


@frozen(kw_only=False)
class ProjectPaths:
    """What lies in the user's repository."""

    root: Path

    own = Below(".agentx")  # all of ours but what runs keep
    settings = Below(".agentx/config.toml")  # project settings: only what the user set
    workflows = Below(".agentx/workflows")  # workflows in TOML
    roles = Below(".agentx/agents")  # the instructions of each role
    issues = Below(".agentx/issues")  # issues in local mode
    state = Below(".agentx/state")  # what holds for this checkout only
    agent_status = Below(".agentx/state/agent-status.json")  # who is doing what
    questions = Below(".agentx/questions")  # the questions as events
    question_writers = Below(".agentx/questions/writers")  # the public key of each writer of them
    ledgers = Below(".agentx/state/clarifications")  # the clarification ledgers
    observations = Below(".agentx/memory")  # the observations, one file an issue
    ignore_file = Below(".agentx/.gitignore")  # the rules of what is not committed
    run_memory = Below(".agent-memory")  # runs (STM), lessons (LTM) and their archive
    run_aside = Below(".agent-memory/aside")  # what goes along with runs, and no run is made from
    runs = Below(".agent-memory/runs")  # all runs
    lessons = Below(".agent-memory/ltm")  # what runs taught

    @property
    def asked(self) -> tuple[Path, Path]:
        """Where something lies as soon as anybody asked anything."""
        return self.questions, self.ledgers


@frozen(kw_only=False)
class StorePaths:
    """What lies in one store's folder, mode 0700."""

    root: Path
    shared_by: str = ""  # the project that looks, where several have this store

    db = Below("db")  # RocksDB
    text_index = Below("bm25-index")  # the full-text index
    vector_index = Below("vector-index")  # of an earlier version: taken away, never read
    observation_words = Below("observation-words")  # which observations hold which words
    daemon = Below("daemon.json")  # who serves this store: pid, address, start
    daemon_lock = Below("daemon.lock")  # held by the daemon for as long as it lives
    daemon_log = Below("daemon.log")  # what the daemon said
    daemon_log_before = Below("daemon.log.1")  # what the daemon said before its log was full
    daemon_token = Below("daemon.token")  # what a caller over TCP must know
    socket = Below("daemon.sock")  # where the daemon listens
    hatch = Below("hatch.sock")  # where it answers small requests in JSON
    # What is known of each job: when it ran, what came of it, when it runs next.
    scheduler = Below("scheduler.json")
    scheduler_lock = Below("scheduler.lock")  # held while a command runs a job without a daemon
    spending = Below("spending.json")  # what models have cost, day by day
    # Pages of GitHub, for conditional requests and for being offline.
    github_cache = Below("github/pages")
    github_changed = Below("github/changed.json")  # replies that were taken, and changed since
    github_queue = Below("github/queue.jsonl")  # what waits for GitHub to be reachable
    import_cursors = Below("import-cursors.json")  # how far each transcript has been read
    # What `status` once found out: which hooks are installed, how many observations there are.
    notes = Below("notes.json")
    faults = Below("faults.jsonl")  # what could not be taken, for `doctor`
    exports = Below("exports.jsonl")  # where exports of this memory were written
    inventory = Below("inventory.json")  # which files of facts its projects had
    restoring = Below("restoring.json")  # a restore that has begun to swap, and is to be finished

    @property
    def private(self) -> Path:
        """What only this machine needs of a repository that is not ours; each project its own."""
        folder = self.root / "private"
        return folder / encode_name(self.shared_by) if self.shared_by else folder

    @property
    def tracked(self) -> Path:
        """Which of our private folders git tracks something of, as of which index."""
        return self.private / "tracked.json"

    @property
    def digests(self) -> Path:
        """What hooks print at session start, prepared beforehand; each project has its own."""
        folder = self.root / "digests"
        return folder / encode_name(self.shared_by) if self.shared_by else folder

    @property
    def log(self) -> Path:
        """Our own structured log; of projects that share a store each has its own."""
        folder = self.root / "logs"
        folder = folder / encode_name(self.shared_by) if self.shared_by else folder
        return folder / "agentx.jsonl"

    def digest(self, harness: str, branch: str = "", role: str = "") -> Path:
        """The digest of one harness, for a branch and a role; both empty is the default."""
        return (
            self.digests / f"{encode_name(branch)}+{encode_name(role)}+{encode_name(harness)}.txt"
        )

    def run_branch(self, checkout: Path | str) -> Path:
        """What is noted of the branch that keeps a checkout's runs; no backup carries it."""
        return self.root / "run-branch" / digest(str(checkout), size=6).hex()

    def notice(self, role: str = "") -> Path:
        """What a session of a role is told of this moment, before its digest."""
        return self.digests / f"{encode_name(role)}{NOTICE_SUFFIX}"

    def recall_counts(self, project: str) -> Path:
        """How often each thing of a project was recalled."""
        return self.root / "recalled" / f"{encode_name(project)}.json"

    @property
    def branches(self) -> Path:
        """What git was found to know of branches on which something was learnt."""
        mine = f"-{encode_name(self.shared_by)}" if self.shared_by else ""
        return self.root / f"branches{mine}.json"

    @property
    def decided(self) -> Path:
        """Which settled questions were looked at for what memory keeps of them."""
        mine = f"-{encode_name(self.shared_by)}" if self.shared_by else ""
        return self.root / f"decided{mine}.json"

    @property
    def borne_out(self) -> Path:
        """Which memories of questions were found to be told as they lie."""
        mine = f"-{encode_name(self.shared_by)}" if self.shared_by else ""
        return self.root / f"borne-out{mine}.json"

    @property
    def lost_words(self) -> Path:
        """Which words of the user's went with questions that others forgot, for the inbox."""
        mine = f"-{encode_name(self.shared_by)}" if self.shared_by else ""
        return self.root / f"lost-words{mine}.json"

    @property
    def persons(self) -> Path:
        """By what it is known again what people had kept, in none of its words."""
        mine = f"-{encode_name(self.shared_by)}" if self.shared_by else ""
        return self.root / f"persons{mine}.jsonl"

    @property
    def persons_words(self) -> Path:
        """What people told memory themselves, word for word, until they take it away."""
        folder = self.root / "persons"
        return folder / encode_name(self.shared_by) if self.shared_by else folder

    @property
    def visits(self) -> Path:
        """When the page was looked at."""
        mine = f"-{encode_name(self.shared_by)}" if self.shared_by else ""
        return self.root / f"visits{mine}.json"

    @property
    def walks(self) -> Path:
        """What agents did on the ways of issues through their workflows; each project its own."""
        folder = self.root / "walks"
        return folder / encode_name(self.shared_by) if self.shared_by else folder

    @property
    def shown(self) -> Path:
        """What names of questions meant to this user."""
        folder = self.root / "shown"
        return folder / encode_name(self.shared_by) if self.shared_by else folder

    @property
    def lines_held(self) -> Path:
        """What was seen in a project's files and git may take out of them, line by line."""
        folder = self.root / "held"
        return folder / encode_name(self.shared_by) if self.shared_by else folder

    @property
    def cautions(self) -> Path:
        """What hooks look commands and files up in."""
        return self.digests / "cautions.tsv"

    @property
    def digest_stamp(self) -> Path:
        """What the digests were made from, as a hash."""
        return self.digests / "stamp"

    @property
    def digests_begun(self) -> Path:
        """Which digests are made already, and from what, while the others are still to be made."""
        return self.digests / "begun"

    def socket_in(self, folder: Path) -> Path:
        """Where the daemon listens when its own folder cannot hold a socket: a short name."""
        return folder / f"{digest(str(self.root), size=12).hex()}.sock"

    def hatch_in(self, folder: Path) -> Path:
        """Where its hatch is then: the name is no longer than that of the socket."""
        return folder / f"{digest(str(self.root), size=12).hex()}.json"


@frozen(kw_only=False)
class SpoolPaths:
    """The spool folder of one working directory."""

    root: Path

    tmp = Below("tmp")  # being written
    new = Below("new")  # whole, and waiting to be taken
    refused = Below("refused")  # what could not be taken at all; `doctor` reports it
    directory = Below("directory")  # what this folder stands for: `places.origin_of`
    # The folder of the store this directory belongs to and the project, as text.
    store = Below("store")
    mark = Below("mark")  # by which the repository is known that lay here then
    role = Below("role")  # that its sessions play unless they say otherwise; empty for none
    called = Below("called")  # its age says when a hook sent for a daemon


@frozen(kw_only=False)
class DataPaths:
    """What lies in the user's data folder, `$XDG_DATA_HOME/agent-memory`."""

    root: Path

    spools = Below("spool")  # all spool folders
    excluded = Below("spool/excluded")  # what is never captured: a folder or a project a line
    known_as = Below("spool/known-as")  # where this data folder was before, and what it adopted
    # The hook command that agent CLIs call: its path never changes.
    launcher = Below("bin/agentx-hook")
    # The `agentx` command that agent CLIs start as their MCP server: it never moves.
    command = Below("bin/agentx")
    places = Below("daemons")  # one file for each daemon that nobody started by hand may hold
    roles = Below("roles")  # roles that were set for single sessions, a file each
    writers = Below("writers.json")  # the name of each checkout that wrote questions
    signing_key = Below("keys/signing.key")  # the user's own: seals views, signs what people say
    public_key = Below("keys/signing.pub")  # its other half, noted
    clis = Below("clis")  # where agent CLIs are at home while they are a model
    model_offered = Below("clis/offered")  # the offer of one was made: it is made once
    audit = Below("audit.jsonl")  # what was trusted, forgotten, exported, read across projects
    trust = Below("trust")  # what the user trusts, one record a repository
    shown = Below("shown")  # what a person was shown, a folder for all that a repository is called
    taken_away = Below("taken-away.jsonl")  # decisions that a person took out of memory
    backups = Below("backups")  # copies of the settings files of agent CLIs, before we edited them
    tombstones = Below("tombstones")  # what was forgotten, a file a store: no restore undoes it
    keys = Below("keys")  # what opens kept backups, in two copies a store
    kept = Below("kept")  # kept backups, a folder a store

    def store(self, project: ProjectId) -> StorePaths:
        """The store of one project."""
        return StorePaths(self.root / project_id(project))

    @property
    def unified_store(self) -> StorePaths:
        """The one store of unified mode."""
        return StorePaths(self.root / "unified")

    def spool(self, working_directory: str) -> SpoolPaths:
        """The spool folder of a working directory."""
        return SpoolPaths(self.spools / encode_name(working_directory))

    @property
    def left_by_vectors(self) -> tuple[Path, ...]:
        """What earlier versions kept to search by meaning: a model, and an index in each store."""
        found = (*self.root.glob("models/minilm"), *self.root.glob("*/vector-index"))
        return tuple(sorted(found))


def runtime_folder(runtime: Path | None, temporary: Path, user: int) -> Path:
    """The user's folder for sockets: in `$XDG_RUNTIME_DIR`, else in the temporary folder."""
    return runtime / "agentx" if runtime is not None else temporary / f"agentx-{user}"


def check_number(number: int) -> int:
    """Check a number that becomes part of a name.

    Raises: InvalidValue.
    """
    if number < 0:
        raise InvalidValue(f"{number} is not an issue number", hint="use 0 or more")
    return number
