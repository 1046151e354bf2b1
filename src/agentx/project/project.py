"""Which project this is, and where its memory lives: the composition root.

A project's id comes from `MEMORY_PROJECT_ID`, else from the user's setting `project.id`,
else from the git repository (the same from every worktree and subfolder), else
from the folder itself; one that was moved keeps the id it had (`project.moves`).
`doctor` says which rule gave it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.host.files.logfile import LogFile
from agentx.host.files.plain import exists, is_folder
from agentx.host.git import facts as git
from agentx.host.system import SystemClock, system_entropy
from agentx.host.waits import WaitBudget
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError, NotFound
from agentx.kernel.ids import Entropy, ProjectId, digest, project_id
from agentx.kernel.paths import DataPaths, ProjectPaths, StorePaths
from agentx.kernel.values import frozen
from agentx.project.config import Config, Environment, load_config, stamp_settings
from agentx.project.moves import find_kept_name
from agentx.project.setting_rows import check_store_name
from agentx.project.settings import ProjectSettings, StorageSettings
from agentx.project.trust.trust import Trust
from agentx.work.limits import GITHUB_ASIDE_REPLY_WAIT_MS, GITHUB_ASIDE_WAIT_MS

if TYPE_CHECKING:
    from agentx.project.trust.private import PrivateFolders

_SLUG_CHARS_MAX = 40
_HASH_CHARS = 12


class Rule(StrEnum):
    """What gave a project its id."""

    ENVIRONMENT = "MEMORY_PROJECT_ID"
    SETTING = "project.id"
    GIT = "git repository"
    MARKER = "its marker"
    DIRECTORY = "directory"


@frozen
class Identity:
    """A project's id, the folder it is rooted at, and the rule that said so."""

    id: ProjectId
    root: Path
    rule: Rule
    natural: ProjectId  # the id by git or folder alone, by which the user's settings are kept


@frozen
class Project:
    """Everything a verb is given: where things are, and the settings."""

    identity: Identity
    directory: Path  # where the user is
    environment: Environment
    config: Config
    trust: Trust
    store: StorePaths
    clock: Clock
    entropy: Entropy
    log: LogFile
    patience: WaitBudget  # for what is far away and only by the way

    @property
    def id(self) -> ProjectId:
        """The project's id."""
        return self.identity.id

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self.identity.root

    @property
    def paths(self) -> ProjectPaths:
        """What lies in the repository."""
        return ProjectPaths(self.identity.root)

    @property
    def has_runs(self) -> bool:
        """Whether there are runs, in the folder or on the branch that keeps them.

        Whoever opens them has those back that the checkout lost.
        """
        return is_folder(self.paths.runs) or exists(self.store.run_branch(self.root))

    @property
    def private(self) -> PrivateFolders:
        """Where that lies which only this machine needs."""
        # Not every command asks for it, and each waits for what it imports.
        from agentx.project.trust.private import PrivateFolders  # noqa: PLC0415  see above

        return PrivateFolders(self.trust, self.store)

    @property
    def observations(self) -> Path:
        """Where this machine's own observations lie."""
        return self.private.place("memory")

    @property
    def held_questions(self) -> Path:
        """What is known of questions in this checkout, whatever git takes out of its files."""
        return self.store.lines_held / "questions"

    @property
    def asked(self) -> tuple[Path, ...]:
        """Where something lies as soon as anybody asked anything."""
        return (*self.paths.asked, self.held_questions)

    @property
    def has_questions(self) -> bool:
        """Whether anybody ever asked anything here."""
        return any(is_folder(each) for each in self.asked)

    @property
    def taught(self) -> tuple[Path, Path]:
        """Where something lies as soon as a run, or a person, taught anything."""
        return self.paths.lessons, self.store.lines_held / "lessons"

    @property
    def data(self) -> DataPaths:
        """What lies in the user's data folder."""
        return self.environment.data


def open_project(directory: Path, environment: Environment) -> Project:
    """Find the project that a folder belongs to.

    Raises: NotFound when there is no such folder, InvalidValue for an id that cannot be.
    """
    folder = directory.expanduser().absolute()
    if not folder.is_dir():
        raise NotFound(f"{folder}: no such folder", hint="give an existing folder with --project")
    identity, config, trust = _identify(folder, environment)
    clock = SystemClock()
    store = store_of(identity, config, environment.data)
    return Project(
        identity=identity,
        directory=folder,
        environment=environment,
        config=config,
        trust=trust,
        store=store,
        clock=clock,
        entropy=system_entropy,
        log=LogFile(store.log, clock),
        patience=WaitBudget(
            clock, limit_ms=GITHUB_ASIDE_WAIT_MS, once_ms=GITHUB_ASIDE_REPLY_WAIT_MS
        ),
    )


def locate(directory: str, environment: Environment) -> tuple[Identity, StorePaths]:
    """Settle which project and store a working directory belongs to, even one that is gone."""
    identity, config, _ = look_up(directory, environment)
    return identity, store_of(identity, config, environment.data)


def look_up(directory: str, environment: Environment) -> tuple[Identity, Config, Trust]:
    """Return which project a working directory belongs to, even one that is gone, as it is set."""
    folder = Path(directory)
    nearest = folder
    while not nearest.is_dir() and nearest != nearest.parent:
        nearest = nearest.parent
    if nearest != folder and git.repository(nearest) is None:
        identity = _from_directory(folder)
        trust = Trust(folder, None, environment.data.trust)
        config = load_config(environment, identity.natural, trust)
    else:
        identity, config, trust = _identify(nearest, environment)
    return identity, config, trust


def store_of(identity: Identity, config: Config, data: DataPaths) -> StorePaths:
    """Return where the project's memory lives."""
    if config.section(StorageSettings).mode == "unified":
        return replace(data.unified_store, shared_by=identity.id)
    return data.store(identity.id)


def find_natural_id(directory: Path, data: DataPaths) -> ProjectId:
    """Return the id that git, the folder or its marker gives a project, whatever settings say."""
    folder = directory.expanduser().absolute()
    found = git.find_repository(folder) if folder.is_dir() else None
    return _find_own(folder, found, data)[0].natural


def _identify(folder: Path, environment: Environment) -> tuple[Identity, Config, Trust]:
    own, trust = _find_own(folder, git.find_repository(folder), environment.data)
    config = load_config(environment, own.natural, trust)
    pinned = config.section(ProjectSettings).id
    for forced, rule in ((environment.project_id, Rule.ENVIRONMENT), (pinned, Rule.SETTING)):
        if forced:
            named = project_id(check_store_name(forced))
            return replace(own, id=named, rule=rule), config, trust
    return own, config, trust


def _find_own(
    folder: Path, found: git.Repository | None, data: DataPaths
) -> tuple[Identity, Trust]:
    own = _from_directory(folder) if found is None else _from_repository(found)
    trust = Trust(own.root, None if found is None else found.common, data.trust)
    called = own.root if found is None else found.named_after

    def name(root: Path, apart: str) -> ProjectId:
        return name_after(called if root == own.root else root, apart)

    kept = project_id(find_kept_name(own.root, trust, name))
    if kept != own.natural:
        own = replace(own, id=kept, natural=kept, rule=Rule.MARKER)
    return own, trust


def _from_repository(found: git.Repository) -> Identity:
    name = name_after(found.named_after)
    return Identity(id=name, root=found.root, rule=Rule.GIT, natural=name)


def _from_directory(folder: Path) -> Identity:
    name = name_after(folder)
    return Identity(id=name, root=folder, rule=Rule.DIRECTORY, natural=name)


def name_after(folder: Path, apart: str = "") -> ProjectId:
    """Return an id that a person recognises and that no other folder has.

    `apart` tells a second project of the same folder from the first.
    """
    real = str(folder.resolve()) + apart
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in folder.name)
    slug = "-".join(part for part in plain.lower().split("-") if part)[:_SLUG_CHARS_MAX]
    return project_id(f"{slug or 'project'}-{digest(real).hex()[:_HASH_CHARS]}")


def follow_settings(project: Project) -> Project:
    """Return a project as its settings are now; as it was set, where they are wrong."""
    said = project.environment, project.identity.natural, project.trust
    config = replace(project.config, stamp=stamp_settings(*said))
    with suppress(AgentXError):
        config = load_config(*said)
    return replace(project, config=config)
