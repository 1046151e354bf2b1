"""Set a project up: one command from nothing to memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.adapters.port import SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.settings.plugins import has_plugin
from agentx.capture.transcripts import ImportProgress, ImportReply, ImportRequest
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists
from agentx.kernel.capture import Harness
from agentx.kernel.errors import AgentXError, ConflictError, InvalidValue
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.capture.import_history import import_history, survey_history
from agentx.operations.setup.programs.live import LiveReply, try_hooks
from agentx.operations.setup.setup import Setup, SetupInputs, SetupReply, detect, setup
from agentx.project.claims import claim_data
from agentx.project.exclusion import exclude, list_excluded
from agentx.project.project import Project
from agentx.project.settlement import settle
from agentx.wiring.trust.git_refusal import require_files

# Facts that a team shares are committed; what belongs to one machine is not.
IGNORE_RULES = """\
# Written by `agentx init`: what belongs to this machine alone.
/state/
/issues/*.lock
/memory/
/sessions/
# Each clone writes its own, so a pull stops at nobody's.
/.gitignore
"""


@frozen
class InitRequest:
    """What to set up. `harnesses` empty means: those in use."""

    harnesses: tuple[Harness, ...] = ()
    scope: SetupScope = SetupScope.USER
    exclude: tuple[str, ...] = ()  # folders that are never captured, whoever works there
    with_import: bool = True
    with_views: bool = True  # sum it up too: nobody else will
    with_check: bool = True  # whether a test event goes through the hooks at the end
    dry_run: bool = False


@frozen
class SetupFailure:
    """An agent CLI, or the project, that could not be set up; the others were."""

    harness: str
    message: str
    hint: str


@frozen
class InitReply:
    """What was set up."""

    project_id: str
    root: str
    store: str
    scope: SetupScope
    dry_run: bool
    setups: tuple[SetupReply, ...]
    failures: tuple[SetupFailure, ...]
    excluded: tuple[str, ...]
    history: ImportReply | None  # what was not imported yet
    imported: ImportReply | None
    wrote_ignore_rules: bool
    live: LiveReply | None = None  # what came of a test event; None where none was sent

    @property
    def is_changed(self) -> bool:
        """Say whether any agent CLI is, or would be, set up otherwise than before."""
        return any(one.is_changed for one in self.setups)


def init(
    project: Project,
    open_memory: Callable[[], Memory],
    inputs: SetupInputs,
    request: InitRequest,
    told: Callable[[ImportProgress], None] = lambda _step: None,
) -> InitReply:
    """Install hooks for the agent CLIs in use, import their history, and say what was done.

    A store is begun only where there is history to take into it.

    Raises: ConflictError where only this project is to be captured and all are already,
        UnavailableError where git refuses the repository, InvalidValue for a bare one.
    """
    require_files(
        project
    )  # else this folder would have a memory of its own, beside its repository's
    chosen = request.harnesses or detect(inputs.homes, _make_finder(project))
    if request.scope is SetupScope.PROJECT:
        _refuse_user_wide(inputs, chosen)
    has_store = exists(project.store.root)
    if not request.dry_run:
        for folder in request.exclude:  # before anything could be captured or imported
            exclude(project.data, folder, here=project.directory)
        claim_data(project, "init")
    setups, failures = _set_up_all(project, inputs, request, chosen)
    wrote = False
    try:
        wrote = _ignore_rules(project, dry_run=request.dry_run)
    except AgentXError as error:  # a folder that cannot be written is no reason to capture nothing
        failures = (*failures, _say_unwritable(project, error, has_hooks=bool(setups)))
    history = survey_history(project) if request.with_import else None
    reply = InitReply(
        project_id=project.id,
        root=str(project.root),
        store=str(project.store.root),
        scope=request.scope,
        dry_run=request.dry_run,
        setups=setups,
        failures=failures,
        excluded=request.exclude if request.dry_run else list_excluded(project.data),
        history=history,
        imported=None,
        wrote_ignore_rules=wrote,
    )
    if request.dry_run:
        return reply
    imported = None
    if history is not None and (_has_new(history) or has_store):
        settle(project)
        imported = _import(project, open_memory, request, told)
    live = try_hooks(project, inputs) if setups and request.with_check else None
    return replace(reply, imported=imported, live=live)


def _say_unwritable(project: Project, error: AgentXError, *, has_hooks: bool) -> SetupFailure:
    """Say what it means that our folder in a project cannot be written: not that nothing was."""
    cause = error.__cause__
    reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else error.message
    hooks = "; the hooks above are in place, and sessions are captured" if has_hooks else ""
    return SetupFailure(
        harness="this project",
        message=f"{project.paths.own} cannot be written ({reason}): issues, questions and the "
        f"ignore rules have no place there{hooks}",
        hint=f"make {project.paths.own} a folder that you may write, then `agentx init` again",
    )


def list_user_wide(inputs: SetupInputs, harnesses: Iterable[Harness]) -> tuple[Harness, ...]:
    """Return the agent CLIs that have something of ours for all projects of the user."""
    found = []
    for harness in harnesses:
        out = Setup(harness=harness, project_root=Path(), dry_run=True, uninstall=True)
        with suppress(AgentXError):  # a file that cannot be read is told of when it is to change
            if has_plugin(harness, inputs.homes) or setup(inputs, out).is_changed:
                found.append(harness)
    return tuple(found)


def _refuse_user_wide(inputs: SetupInputs, harnesses: Iterable[Harness]) -> None:
    known = list_user_wide(inputs, harnesses)
    if known:
        raise ConflictError(
            f"every repository is captured already: hooks for all are in {', '.join(known)}",
            hint="take them out first: agentx uninstall --keep-memory",
        )


def _set_up_all(
    project: Project, inputs: SetupInputs, request: InitRequest, chosen: Iterable[Harness]
) -> tuple[tuple[SetupReply, ...], tuple[SetupFailure, ...]]:
    setups: list[SetupReply] = []
    failures: list[SetupFailure] = []
    for harness in chosen:
        wanted = Setup(
            harness=harness,
            project_root=project.root,
            scope=request.scope,
            dry_run=request.dry_run,
        )
        try:
            setups.append(setup(inputs, wanted))
        except AgentXError as error:
            failures.append(SetupFailure(harness=harness, message=error.message, hint=error.hint))
    return tuple(setups), tuple(failures)


def _has_new(history: ImportReply) -> bool:
    return any(one.transcripts for one in history.harnesses)


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
                hint=f"one of: auto, {', '.join(ADAPTERS)}; an editor: agentx setup vscode",
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
        with_views = request.with_views
        return import_history(project, memory, ImportRequest(), told, with_views=with_views)


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
