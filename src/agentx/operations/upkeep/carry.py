"""Every fact of a memory into one file, and back from it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import AgentXError, IndexUnavailable, InvalidValue
from agentx.memory.port import Memory
from agentx.operations.setup.settings import SettingPlace, set_setting
from agentx.project.audit import AuditAct, record_act
from agentx.project.claims import claim_data, claim_private
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import find_caller
from agentx.wiring.bound.taking_out import take_folder
from agentx.wiring.keeping.export import Exported, export_memory
from agentx.wiring.keeping.restore import Restored, has_memory, name_project, restore_memory
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.forgotten import keep_removed, note_forgotten
from agentx.wiring.kept.loss import RestoreLoss, find_loss
from agentx.wiring.kept.said import keep_said, leave_unsaid
from agentx.wiring.memory import open_store
from agentx.wiring.observation_upkeep import settle_observations
from agentx.wiring.runs import open_run_store
from agentx.wiring.taught.lessons import open_lessons
from agentx.wiring.trust.persons_word import require_person

_PASSPHRASE_BYTES_MAX = 4_096


def export(
    project: Project,
    open_memory: Callable[[], Memory],
    path: Path,
    *,
    passphrase: str = "",
    told: HowFar = unheard,
) -> Exported:
    """Take what hooks have captured, bring the views up to date, and write all into a file.

    Raises: InvalidValue, DataError, UnavailableError.
    """
    with open_memory() as memory:
        memory.drain()
        memory.catch_up(told)
    done = export_memory(project, path, passphrase=passphrase)
    record_act(project, AuditAct.EXPORTED, path=path.absolute(), events=done.events)
    return done


def restore(
    project: Project, path: Path, *, passphrase: str = "", told: HowFar = unheard
) -> Restored:
    """Put an export in the place of this memory, and make its views.

    Raises: InvalidValue, DataError, LockHeld, UnavailableError: nothing has changed then;
        NotThePerson for an agent, where something stands already: what people decided since would
        be taken back.
    """
    if has_memory(project):
        hint = f"agentx restore {path}"
        require_person(project, "that this memory is replaced", hint=hint, about="restore")
    # Where nothing stood, what the user reads back is the user's; elsewhere trust stays as it is.
    claim_private(project)
    claim_data(project, "restore")
    note_forgotten(project)  # also by others, and before it was noted
    done = restore_memory(project, path, passphrase=passphrase)
    leave_unsaid(project)
    keep_removed(project)  # before any session is captured anew
    with suppress(AgentXError):  # what was said since is brought back then, and not lost
        take_folder(project, forgets=False)
    if not find_caller(project).is_agent:  # the key that signed stays where it was
        open_lessons(project).adopt()
        open_run_store(project).vouching.adopt()
    record_act(project, AuditAct.RESTORED, path=path.absolute(), events=done.events)
    with open_store(project) as memory:
        if done.is_settled:
            with suppress(IndexUnavailable):
                memory.adopt_index()
        memory.catch_up(told)
    _follow(project)
    return done


def _follow(project: Project) -> None:
    """Take out of memory again what a person dropped since, and keep what questions came to."""
    for bring_up in (keep_decisions, keep_said, settle_observations):
        try:
            bring_up(project)
        except AgentXError as error:  # the next sync does it
            project.log.record("warning", "restore-unsettled", message=error.message)


def find_home(project: Project, path: Path, *, passphrase: str = "") -> Project:
    """Return the project that an export is to be restored as: on another machine, or in another
    folder, a project has another id by nature, and an export keeps the one it had.

    Raises: InvalidValue, DataError for a file that is none of ours; NotThePerson for an agent,
        where the folder would be another project.
    """
    named = name_project(path, passphrase=passphrase)
    if named == project.id:
        return project
    what = "that this folder is another project"
    require_person(project, what, hint=f"agentx restore {path}", about="restore")
    forced = {**project.environment.variables, "MEMORY_PROJECT_ID": named}
    return open_project(project.directory, read_environment(forced))


def settle_home(project: Project, home: Project) -> None:
    """Let this folder be the project that was restored, from now on.

    Raises: UnavailableError.
    """
    if home.id != project.id:
        there = project.environment, project.directory
        set_setting(*there, "project.id", home.id, SettingPlace.HERE)


def would_replace(project: Project) -> bool:
    """Tell whether a restore would put something aside."""
    return has_memory(project)


def list_loss(project: Project, path: Path, *, passphrase: str = "") -> RestoreLoss:
    """Return what people decided, and told memory, that a restore would take back.

    Raises: InvalidValue, DataError for a file that is none of ours, UnavailableError.
    """
    return find_loss(project, path, passphrase=passphrase)


def read_passphrase(path: str) -> str:
    """Return the passphrase in a file, its last line end aside; nothing without a file.

    Raises: InvalidValue.
    """
    if not path:
        return ""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(_PASSPHRASE_BYTES_MAX + 1)
        text = raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValue(f"{path}: no passphrase can be read there: {error}") from error
    if not text or len(raw) > _PASSPHRASE_BYTES_MAX:
        raise InvalidValue(f"{path}: is empty or too long for a passphrase")
    return text
