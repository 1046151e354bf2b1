"""Set a project up: one command from nothing to memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from agentx.adapters.registry import ADAPTERS
from agentx.capture.transcripts import ImportProgress, ImportReply, ImportRequest
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists
from agentx.kernel.capture import Harness
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.capture.import_history import import_history
from agentx.operations.setup.setup import Setup, SetupInputs, SetupReply, detect, setup
from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.project.settlement import settle

# Facts that a team shares are committed; what belongs to one machine is not.
IGNORE_RULES = """\
# Written by `agentx init`: what belongs to this machine alone.
/state/**/*.lock
/state/**/*.guard
/state/agentx.json
/issues/*.lock
/memory/
/sessions/
"""


@frozen
class InitRequest:
    """What to set up. `harnesses` empty means: those in use."""

    harnesses: tuple[Harness, ...] = ()
    with_import: bool = True
    dry_run: bool = False


@frozen
class SetupFailure:
    """An agent CLI that could not be set up; the others were."""

    harness: str
    message: str
    hint: str


@frozen
class InitReply:
    """What was set up."""

    project_id: str
    root: str
    store: str
    dry_run: bool
    setups: tuple[SetupReply, ...]
    failures: tuple[SetupFailure, ...]
    imported: ImportReply | None
    wrote_ignore_rules: bool


def init(
    project: Project,
    open_memory: Callable[[], Memory],
    inputs: SetupInputs,
    request: InitRequest,
    told: Callable[[ImportProgress], None] = lambda _step: None,
) -> InitReply:
    """Install hooks for the agent CLIs in use, import their history, and say what was done."""
    if not request.dry_run:
        claim_data(project, "init")
    wrote = _ignore_rules(project, dry_run=request.dry_run)
    setups: list[SetupReply] = []
    failures: list[SetupFailure] = []
    for harness in request.harnesses or detect(inputs.homes, _make_finder(project)):
        wanted = Setup(harness=harness, project_root=project.root, dry_run=request.dry_run)
        try:
            setups.append(setup(inputs, wanted))
        except AgentXError as error:
            failures.append(SetupFailure(harness=harness, message=error.message, hint=error.hint))
    if not request.dry_run:
        settle(project)
    return InitReply(
        project_id=project.id,
        root=str(project.root),
        store=str(project.store.root),
        dry_run=request.dry_run,
        setups=tuple(setups),
        failures=tuple(failures),
        imported=_import(project, open_memory, request, told) if request.with_import else None,
        wrote_ignore_rules=wrote,
    )


def parse_harnesses(text: str) -> tuple[Harness, ...]:
    """Read `auto` (nothing chosen) or a list of agent CLIs with commas.

    Raises: InvalidValue.
    """
    if text.strip() in ("", "auto"):
        return ()
    chosen = []
    for name in text.split(","):
        try:
            chosen.append(Harness(name.strip()))
        except ValueError:
            raise InvalidValue(
                f"{name.strip()!r} is not an agent CLI AgentX knows",
                hint="one of: auto, " + ", ".join(ADAPTERS),
            ) from None
    return tuple(dict.fromkeys(chosen))


def _import(
    project: Project,
    open_memory: Callable[[], Memory],
    request: InitRequest,
    told: Callable[[ImportProgress], None],
) -> ImportReply:
    with open_memory() as memory:
        memory.drain()
        return import_history(project, memory, ImportRequest(dry_run=request.dry_run), told)


def _make_finder(project: Project) -> Callable[[str], str | None]:
    return lambda command: shutil.which(command, path=project.environment.search_path)


def _ignore_rules(project: Project, *, dry_run: bool) -> bool:
    """Write the ignore rules once; what the user made of them stays."""
    path = project.paths.ignore_file
    if exists(path):
        return False
    if not dry_run:
        replace_file(path, IGNORE_RULES.encode(), mode=0o644)
    return True
