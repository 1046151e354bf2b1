"""What is wrong, and the mend.

Each check looks at one thing and says what it saw. A check never changes anything;
`fix` does, and only what is safe: files of ours, made again as they should be.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

from agentx.capture.faults import Faults
from agentx.clarification.summary import tell_contested
from agentx.host.files.below.walking import walk_refused
from agentx.host.files.plain import is_folder
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import AgentXError
from agentx.memory.port import Memory
from agentx.operations.capture.exclude import exclude_from_capture, is_project_excluded
from agentx.operations.capture.waiting import list_waiting, sum_up
from agentx.operations.issues.workflows import check_workflows
from agentx.operations.setup.installed import is_installed
from agentx.operations.setup.setup import (
    Setup,
    SetupInputs,
    is_launcher,
    launchers,
    setup,
    write_launcher,
)
from agentx.operations.upkeep.asking import (
    check_allowed,
    check_editors,
    check_hooks,
    list_used,
)
from agentx.operations.upkeep.health import CONTESTED, Diagnosis, Health, HealthCheck
from agentx.operations.upkeep.integrity import check_memory, say_once, try_verbs
from agentx.operations.upkeep.leftovers import remove_vectors
from agentx.operations.upkeep.people import check_people
from agentx.operations.upkeep.strangers import SHOW_TRUST, list_untrusted
from agentx.project.moves import find_original
from agentx.project.project import Project, Rule
from agentx.runs.lacking.mending import say_mending
from agentx.search.model import NO_VECTORS
from agentx.wiring.bound.leftovers import find_leftovers
from agentx.wiring.bound.run_branch import list_notes
from agentx.wiring.clarifications import ledgers_aside, list_contested, open_clarifications
from agentx.wiring.models import explain_rest
from agentx.wiring.observation_upkeep import (
    list_damaged_observations,
    list_missing,
    list_unheeded_drops,
    list_unverified,
)
from agentx.wiring.runs import (
    list_claimed_runs,
    list_damaged_runs,
    list_gone_runs,
    list_unmerged_runs,
)
from agentx.wiring.taught.lessons import list_damaged_memory
from agentx.wiring.trust.changed_replies import is_note_whole, list_changes
from agentx.wiring.trust.git_refusal import find_git_refusal

_FREE_BYTES_LOW = 500 * 1024 * 1024
_FAULTS_SHOWN = 5


def diagnose(
    project: Project,
    open_memory: Callable[[], AbstractContextManager[Memory]],
    inputs: SetupInputs,
    *,
    deep: bool = False,
    told: HowFar = unheard,
) -> Diagnosis:
    """Look at everything; `deep` reads every block of the log and opens every event."""
    groups: dict[str, Callable[[], Iterable[HealthCheck]]] = {
        "project": lambda: (_project(project),),
        # Before anything else reads: what a reader mends or moves aside could not be told then.
        "integrity": lambda: check_memory(project, deep=deep, told=told),
        "trust": lambda: _strangers(project),
        "link": lambda: _links(project),
        "store": lambda: _store(project, open_memory),
        "spool": lambda: _spool(project),
        "excluded": lambda: _list_excluded(project),
        "disk": lambda: (_room(project),),
        "commands": lambda: _launchers(inputs),
        "hooks": lambda: check_hooks(project, inputs),
        "editors": lambda: check_editors(project, inputs),
        "ledgers": lambda: _ledgers(project),
        "replies": lambda: _replies(project) if project.trust.has_data else (),
        "people": lambda: check_people(project),
        "memory": lambda: _observations(project),
        "model": lambda: _model(project),
        "agents": lambda: check_allowed(project),
        "workflows": lambda: _workflows(project),
        "runs": lambda: _runs(project),
        "verbs": lambda: try_verbs(project),
        "left over": lambda: _left_over(project),
        "faults": lambda: _faults(project),
    }
    checks: list[HealthCheck] = []
    for done, (name, look) in enumerate(groups.items(), start=1):
        checks += _look(name, look)
        told(done, len(groups))
    return Diagnosis(checks=say_once(checks))


def _look(name: str, look: Callable[[], Iterable[HealthCheck]]) -> tuple[HealthCheck, ...]:
    """Return what a look sees; one that fails says so and hides nothing of the others."""
    try:
        return tuple(look())
    except (AgentXError, OSError) as error:
        says = error.message if isinstance(error, AgentXError) else str(error)
        hint = error.hint if isinstance(error, AgentXError) else ""
        return (HealthCheck(name=name, health=Health.WRONG, says=says, mend=hint),)


def fix(project: Project, inputs: SetupInputs) -> tuple[str, ...]:
    """Mend what can be mended without asking; return what was done."""
    done: list[str] = []
    for check in _launchers(inputs):
        if check.health is not Health.GOOD:
            write_launcher(inputs)
            done.append(f"wrote the {check.name}")
    for harness in list_used(project, inputs):
        wanted = Setup(harness=harness, project_root=project.root)
        if not is_installed(inputs, wanted):
            try:
                setup(inputs, wanted)
                done.append(f"installed hooks: {harness}")
            except AgentXError as error:
                done.append(f"could not install hooks for {harness}: {error.message}")
    for folder in (project.data.root, project.store.root):
        if folder.is_dir() and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
            done.append(f"closed {folder} to other users")
    done += (f"took {path} away: nothing reads it" for path in remove_vectors(project))
    return tuple(done)


def _project(project: Project) -> HealthCheck:
    says = f"{project.id}, by {project.identity.rule}, rooted at {project.root}"
    original = find_original(project.root, project.trust)
    if original is not None:
        share = f"agentx config set --here project.id {original.project_id}"
        return HealthCheck(
            name="project",
            health=Health.NOTE,
            says=f"{says}; a copy of {original.root}, with a memory of its own",
            mend=f"`{share}` lets both have one",
        )
    if project.identity.rule is Rule.DIRECTORY:
        health = Health.NOTE
        mend = "not a git repository: other folders of it have a memory of their own"
        refused = find_git_refusal(project)
        if refused is not None:
            health, says, mend = Health.WRONG, f"{says}; {refused.message}", refused.hint
        return HealthCheck(name="project", health=health, says=says, mend=mend)
    return HealthCheck(name="project", health=Health.GOOD, says=says)


def _links(project: Project) -> Iterator[HealthCheck]:
    """Name the links, pipes and devices in the repository's memory: none of them is followed."""
    places = (project.paths.settings.parent, project.paths.run_memory)
    found = [path for place in places for path in walk_refused(place)]
    for path in found[:_FAULTS_SHOWN]:
        yield HealthCheck(
            name="link",
            health=Health.WRONG,
            says=f"{path} is a link or no plain file: it is not followed ({len(found)} in all)",
            mend="put the file or folder itself in its place, or remove it",
        )


def _strangers(project: Project) -> Iterator[HealthCheck]:
    for fault in project.config.faults:
        yield HealthCheck(name="settings", health=Health.WRONG, says=fault.says, mend=fault.mend)
    for line in list_untrusted(project):
        yield HealthCheck(name="trust", health=Health.NOTE, says=line, mend=SHOW_TRUST)


def _store(
    project: Project, open_memory: Callable[[], AbstractContextManager[Memory]]
) -> Iterator[HealthCheck]:
    try:
        with open_memory() as memory:
            status = memory.status()
    except AgentXError as error:
        yield HealthCheck(name="store", health=Health.WRONG, says=error.message, mend=error.hint)
        return
    counted = f"{status.log.events:,} events in {status.log.sessions:,} sessions"
    if project.store.root.exists():
        says = f"{counted}, {project.store.root}"
        yield HealthCheck(name="store", health=Health.GOOD, says=says)
    if status.log.resumed:
        yield HealthCheck(
            name="forgotten",
            health=Health.NOTE,
            says=f"forgotten sessions that went on: {status.log.resumed:,}; "
            "what came since is remembered",
            mend="`agentx forget --session ID` once they are over; `agentx exclude` keeps all out",
        )
    if project.store.root.exists() and project.store.root.stat().st_mode & 0o077:
        yield HealthCheck(
            name="permissions",
            health=Health.WRONG,
            says=f"{project.store.root} can be read by other users",
            mend="agentx doctor --fix",
        )
    served = status.served_by == "daemon"
    yield HealthCheck(
        name="daemon",
        health=Health.GOOD if served else Health.NOTE,
        says=f"running, pid {status.daemon_pid}" if served else "not running",
        mend="" if served else "`agentx daemon start` keeps memory up to date by itself",
    )


def _spool(project: Project) -> Iterator[HealthCheck]:
    """Tell every record that lies in a spool, also what waits for other projects and homes."""
    groups = sum_up(list_waiting(project))
    if not groups:
        yield HealthCheck(name="spool", health=Health.GOOD, says="empty")
    for group in groups:
        yield HealthCheck(
            name="spool",
            health=Health.WRONG if group.is_stuck else Health.NOTE,
            says=f"{group.records:,} records {group.says}",
            mend=group.mend,
        )


def _list_excluded(project: Project) -> Iterator[HealthCheck]:
    listed = exclude_from_capture(project, "", remove=False).excluded
    if is_project_excluded(project):
        yield HealthCheck(
            name="excluded",
            health=Health.NOTE,
            says="nothing of this project is captured: it is excluded",
            mend=f"`agentx exclude --remove {project.root}` captures it again",
        )
    elif listed:
        says = f"never captured: {', '.join(listed[:_FAULTS_SHOWN])}"
        more = f" and {len(listed) - _FAULTS_SHOWN} more" if len(listed) > _FAULTS_SHOWN else ""
        yield HealthCheck(name="excluded", health=Health.GOOD, says=says + more)


def _room(project: Project) -> HealthCheck:
    folder: Path = project.data.root
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if not os.access(folder, os.W_OK):
        return HealthCheck(
            name="disk",
            health=Health.WRONG,
            says=f"{folder} cannot be written",
            mend="make it writable: hooks keep what they capture in the temporary folder meanwhile",
        )
    low = free < _FREE_BYTES_LOW
    return HealthCheck(
        name="disk",
        health=Health.WRONG if low else Health.GOOD,
        says=f"{_say_room(free)} free",
        mend="free some space" if low else "",
    )


def _say_room(free: int) -> str:
    """Return how much room there is, in a unit that does not make nothing of little."""
    return f"{free / 1024**3:,.1f} GB" if free >= 1024**3 else f"{free / 1024**2:,.1f} MB"


def _launchers(inputs: SetupInputs) -> Iterator[HealthCheck]:
    for path, text in launchers(inputs):
        name = "hook command" if path == inputs.data.launcher else "mcp command"
        if is_launcher(path, text):
            yield HealthCheck(name=name, health=Health.GOOD, says=str(path))
            continue
        yield HealthCheck(
            name=name,
            health=Health.WRONG if path.exists() else Health.NOTE,
            says=f"{path} {'is of another installation' if path.exists() else 'is not installed'}",
            mend="agentx doctor --fix",
        )


def _workflows(project: Project) -> Iterator[HealthCheck]:
    problems = check_workflows(project)
    if problems:
        more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
        mend = f"{problems[0].mend}; all of them: agentx workflow check"
        says = f"{problems[0]}{more}"
        yield HealthCheck(name="workflows", health=Health.WRONG, says=says, mend=mend)


def _ledgers(project: Project) -> Iterator[HealthCheck]:
    for path in ledgers_aside(project):
        yield HealthCheck(
            name="ledger",
            health=Health.NOTE,
            says=f"{path} was damaged and moved aside",
            mend=f"mend it and move it back, or delete it: {path.name.partition('.corrupt-')[0]}",
        )
    told = project.trust.has_data and any(map(is_folder, project.asked))
    for state, writer in islice(list_contested(project) if told else (), _FAULTS_SHOWN):
        yield HealthCheck(
            name=CONTESTED,
            health=Health.NOTE,
            says=tell_contested(state, writer).partition(" Read it: ")[0],
            mend=f"read it, and say what holds: agentx clarify --issue {state.issue}",
        )


def _replies(project: Project) -> Iterator[HealthCheck]:
    """Look at what is noted of replies on GitHub that were changed after they were taken."""
    note = project.store.github_changed
    try:
        is_whole = is_note_whole(project)
        changed = list_changes(project, open_clarifications(project).ledger)
    except OSError as error:
        says = f"{note} cannot be read, and no question until it can: {error.strerror or error}"
        yield HealthCheck(name="replies", health=Health.WRONG, says=says, mend=f"delete it: {note}")
        return
    if not is_whole:
        says = f"{note} is damaged: of replies that were edited or deleted nobody is told"
        yield HealthCheck(name="replies", health=Health.WRONG, says=says, mend="agentx issue sync")
    for each in changed[:_FAULTS_SHOWN]:
        says, _, mend = each.partition("; to change it, ")
        yield HealthCheck(name=CONTESTED, health=Health.NOTE, says=says, mend=mend)


def _observations(project: Project) -> Iterator[HealthCheck]:
    try:
        faults = list_damaged_observations(project)
        unheeded = list_unheeded_drops(project)
        missing = list_missing(project)
        unverified = {*list_unverified(project)} - {each.id for each in missing}
    except AgentXError as error:
        yield HealthCheck(name="memory", health=Health.WRONG, says=error.message, mend=error.hint)
        return
    for fault in faults[:_FAULTS_SHOWN]:
        says = f"{fault.where}: {fault.what}"
        yield HealthCheck(name="memory", health=Health.NOTE, says=says, mend=fault.hint)
    for fault in unheeded[:_FAULTS_SHOWN]:
        says = f"{fault.where}: {fault.what}"
        yield HealthCheck(name="memory", health=Health.WRONG, says=says, mend=fault.hint)
    for lost in missing[:_FAULTS_SHOWN]:
        yield HealthCheck(name="memory", health=Health.WRONG, says=lost.says, mend=lost.mend)
    for name in sorted(unverified)[:_FAULTS_SHOWN]:
        yield HealthCheck(
            name="memory",
            health=Health.WRONG,
            says=f"{name} claims a person, who did not have it kept in these words",
            mend=f"agentx memory show {name}; to take it away: agentx memory remove {name}",
        )


def _model(project: Project) -> Iterator[HealthCheck]:
    says = explain_rest(project)
    if says:
        mend = "`agentx logs` tells more; run it once yourself, or choose another llm.provider"
        yield HealthCheck(name="model", health=Health.NOTE, says=says, mend=mend)


def _runs(project: Project) -> Iterator[HealthCheck]:
    for run_id, faults in list_damaged_runs(project):
        yield HealthCheck(
            name="run",
            health=Health.WRONG,
            says=f"{run_id}: {len(faults)} lines are no events, the first: {faults[0]}",
            mend=f"`agentx run rebuild {run_id}` moves aside what cannot be read",
        )
    for run_id, claims in list_claimed_runs(project):
        yield HealthCheck(
            name="run",
            health=Health.WRONG,
            says=f"{run_id}: {claims[0]}",
            mend="it settles nothing; `agentx trust --show` lists the writers, and whom you trust",
        )
    for run_id, unmerged in list_unmerged_runs(project):
        first = unmerged[0]
        yield HealthCheck(
            name="run",
            health=Health.NOTE if first.is_over else Health.WRONG,
            says=f"{run_id}: {first.lane} counts as merged, but {first.why}",
            mend=say_mending(run_id, first),
        )
    for run_id, gone in list_gone_runs(project):
        yield HealthCheck(
            name="run",
            health=Health.WRONG,
            says=f"{run_id}: {gone.commit[:10]}, {gone.what}, is not in this repository",
            mend=say_mending(run_id, gone),
        )
    left = find_leftovers(project)
    if left:
        yield HealthCheck(
            name="run",
            health=Health.NOTE,
            says=f"{len(left)} branches and folders are left of runs that are over or not known",
            mend="`agentx run prune --dry-run` lists them, `agentx run prune` takes them away",
        )
    for note in list_notes(project):
        health = Health.WRONG if note.is_wrong else Health.NOTE
        yield HealthCheck(name="run", health=health, says=note.says, mend=note.mend)
    for name, says, mend in list_damaged_memory(project):
        yield HealthCheck(name=name, health=Health.WRONG, says=says, mend=mend)


def _left_over(project: Project) -> Iterator[HealthCheck]:
    """Tell once, while it is there, what became of search by meaning."""
    left = [str(path) for path in project.data.left_by_vectors]
    if left:
        more = f" and {len(left) - _FAULTS_SHOWN} more" if len(left) > _FAULTS_SHOWN else ""
        yield HealthCheck(
            name="left over",
            health=Health.NOTE,
            says=f"{NO_VECTORS}; it left behind: {', '.join(left[:_FAULTS_SHOWN])}{more}",
            mend="`agentx doctor --fix` takes it away; nothing that is remembered is in it alone",
        )


def _faults(project: Project) -> Iterator[HealthCheck]:
    newest = Faults(project.store.faults, project.clock).newest(_FAULTS_SHOWN)
    for fault in newest:
        yield HealthCheck(
            name="fault",
            health=Health.NOTE,
            says=f"{fault.at} {fault.kind}: {fault.file}: {fault.reason}",
        )
