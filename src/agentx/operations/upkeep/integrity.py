"""Whether the memory is what was written: the log, its views, the documents, and every verb's word.

`doctor` must never say that all is well while another command prints an error. So after the files
were read through, the verbs that read are tried themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from agentx.host.files import plain
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import AgentXError, NotFound
from agentx.observations.model import SearchFilters
from agentx.operations.issues.read import IssueQuery, list_issues
from agentx.operations.issues.state import state
from agentx.operations.memory.read import memory_list
from agentx.operations.questions.held import WRITES_BACK
from agentx.operations.runs.read import list_archived, list_runs
from agentx.operations.upkeep.health import Health, HealthCheck
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.keeping.backup import list_backups
from agentx.wiring.keeping.inspection import DamagedPart, Inspection, inspect_memory
from agentx.wiring.keeping.inventory import take_inventory
from agentx.work.settings import WorkSettings

_SHOWN = 20


def check_memory(project: Project, *, deep: bool, told: HowFar = unheard) -> Iterator[HealthCheck]:
    """Read the memory through and say what is damaged."""
    if not plain.is_folder(project.store.root):
        says = f"none yet; it will lie in {project.store.root}"
        yield HealthCheck(name="log", health=Health.NOTE, says=says)
        return
    seen = inspect_memory(project, deep=deep, told=told)
    for damage in seen.damages[:_SHOWN]:
        is_view = damage.part is DamagedPart.CACHE
        yield HealthCheck(
            name=damage.part,
            health=Health.NOTE if is_view else Health.WRONG,
            says=damage.says,
            mend=damage.mend,
        )
    if len(seen.damages) > _SHOWN:
        yield HealthCheck(
            name="damage",
            health=Health.WRONG,
            says=f"{len(seen.damages) - _SHOWN:,} more things are damaged",
            mend="agentx doctor --fix",
        )
    if not any(damage.part is DamagedPart.LOG for damage in seen.damages):
        yield _sound(seen, deep=deep)
    yield from _check_inventory(project)
    yield _check_backups(project)


def _check_inventory(project: Project) -> Iterator[HealthCheck]:
    missing = take_inventory(project)
    for each in missing[:_SHOWN]:
        what = "is shorter than it was" if each.is_shorter else "is gone; it was there"
        held = project.held_questions / each.name.removeprefix(".agentx/questions/")
        mend = (
            "did nobody take it away, nor git by a switch of branches? Bring it back by git, "
            "or by `agentx restore` of a kept backup"
        )
        yield HealthCheck(
            name="missing",
            health=Health.NOTE,
            says=f"{each.name} {what} at {each.seen}",
            mend=WRITES_BACK if plain.is_file(held) else mend,
        )
    if len(missing) > _SHOWN:
        says = f"{len(missing) - _SHOWN:,} more files are gone or shorter"
        yield HealthCheck(name="missing", health=Health.NOTE, says=says)


def _check_backups(project: Project) -> HealthCheck:
    kept = list_backups(project)
    if not kept.paths:
        return HealthCheck(
            name="backups",
            health=Health.NOTE,
            says="none kept",
            mend="`agentx scheduler run backup` makes one; a daemon does so every day",
        )
    return HealthCheck(
        name="backups", health=Health.GOOD, says=f"{kept}, the newest: {kept.paths[-1]}"
    )


def _sound(seen: Inspection, *, deep: bool) -> HealthCheck:
    if not seen.is_whole:
        says = "opened and at its full length; its blocks were not read"
        return HealthCheck(
            name="log", health=Health.GOOD, says=says, mend="`agentx doctor --deep` reads them all"
        )
    opened = ", every event opened" if deep else ""
    says = f"every block read, {seen.rows:,} rows{opened}"
    return HealthCheck(name="log", health=Health.GOOD, says=says)


def try_verbs(project: Project) -> Iterator[HealthCheck]:
    """Try what the rooms' reading verbs would say, and tell of those that would print an error."""
    for name, verb in _VERBS.items():
        try:
            damaged = verb(project)
        except NotFound:
            continue
        except AgentXError as error:
            says = f"`agentx {name}`: {error.message}"
            yield HealthCheck(name="verb", health=Health.WRONG, says=says, mend=error.hint)
            continue
        for each in damaged[:_SHOWN]:
            yield HealthCheck(
                name="verb",
                health=Health.WRONG,
                says=f"`agentx {name}`: {each}",
                mend="mend the file, bring it back from a backup, or take it away",
            )


def say_once(checks: Iterable[HealthCheck]) -> tuple[HealthCheck, ...]:
    """Return checks without a file that is no document where a verb says what is wrong with it."""
    known = tuple(checks)
    verbs = [check.says for check in known if check.name == "verb"]

    def is_named(check: HealthCheck) -> bool:
        name = "/".join(Path(check.says.partition(": ")[0]).parts[-2:])
        return check.name == DamagedPart.DOCUMENT and any(name in says for says in verbs)

    return tuple(check for check in known if not is_named(check))


def _try_issues(project: Project) -> tuple[str, ...]:
    if project.config.section(WorkSettings).mode != "local":
        return ()  # nobody is asked over the network for this
    return list_issues(project, IssueQuery(with_closed=True)).damaged


def _try_questions(project: Project) -> tuple[str, ...]:
    if not any(map(plain.is_folder, project.asked)):
        return ()
    questions = open_clarifications(project)
    damaged = questions.survey().damaged
    more = (each for each in questions.list_faults() if not any(each in one for one in damaged))
    return (*damaged, *more)


def _try_memory(project: Project) -> tuple[str, ...]:
    if plain.is_folder(project.observations):
        memory_list(project, SearchFilters(limit=1))
    return ()


def _try_state(project: Project) -> tuple[str, ...]:
    state(project)
    return ()


def _try_runs(project: Project) -> tuple[str, ...]:
    if project.has_runs:
        list_runs(project)
        list_archived(project)
    return ()


_VERBS: dict[str, Callable[[Project], tuple[str, ...]]] = {
    "memory list": _try_memory,
    "clarify": _try_questions,
    "issue list": _try_issues,
    "state": _try_state,
    "run list": _try_runs,
}
