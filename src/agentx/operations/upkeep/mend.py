"""Damage mended: what would be done, then done, and what is gone for good.

A view is made again. A log is salvaged into a fresh one beside, completed from the transcripts that
agent CLIs still keep, and put in the place of the damaged one, which stays aside for its owner to
look at. A document of the store that cannot be read steps aside, so that work goes on.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from agentx.capture.transcripts import ImportRequest
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import mint
from agentx.kernel.values import frozen
from agentx.operations.capture.import_history import import_history
from agentx.project.project import Project
from agentx.wiring.bound.taking_out import take_folder
from agentx.wiring.keeping.backup import list_backups
from agentx.wiring.keeping.inspection import Damage, DamagedPart, inspect_memory
from agentx.wiring.keeping.keyring import load_keys, save_keys
from agentx.wiring.keeping.lost import is_log_gone
from agentx.wiring.keeping.restore import finish_restoring
from agentx.wiring.keeping.salvage import SalvagedLog, salvage_log
from agentx.wiring.kept.forgotten import keep_removed
from agentx.wiring.memory import open_store

_STEPS = {
    DamagedPart.LOG: (
        "salvage every readable event into a fresh log beside, complete it from the transcripts "
        "on this machine, make every view again, and keep the damaged log aside"
    ),
    DamagedPart.INDEX: "make the search index again, from the log",
    DamagedPart.KEYS: "write the keys of kept backups again, from the copy that is whole",
    DamagedPart.CACHE: "take away what is made again by itself",
    DamagedPart.DOCUMENT: "let files of the store that cannot be read step aside",
}


@frozen
class MendingPlan:
    """What is damaged, and what would be done about it."""

    damages: tuple[Damage, ...]

    @property
    def steps(self) -> tuple[str, ...]:
        """What would be done, in words."""
        parts = {damage.part for damage in self.damages}
        if DamagedPart.LOG in parts:
            parts -= {DamagedPart.INDEX}
        return tuple(step for part, step in _STEPS.items() if part in parts)

    @property
    def touches_log(self) -> bool:
        """Whether the log itself is mended: then the user is asked, and nobody else may use it."""
        return any(damage.part is DamagedPart.LOG for damage in self.damages)


def plan_mending(project: Project, *, deep: bool, told: HowFar = unheard) -> MendingPlan:
    """Look for damage, and say what would be done."""
    found = inspect_memory(project, deep=deep, told=told).damages
    return MendingPlan(damages=tuple(each for each in found if _is_ours_to_mend(project, each)))


def mend(project: Project, plan: MendingPlan) -> tuple[str, ...]:
    """Do what the plan says; return what was done and what is gone, in words.

    Raises: LockHeld, UnavailableError.
    """
    if finish_restoring(project):
        with suppress(AgentXError):  # what was said since is brought back then, and not lost
            take_folder(project, forgets=False)
        keep_removed(project)
        with open_store(project) as memory:
            memory.catch_up()
        return ("the restore that was interrupted is finished",)
    parts = {damage.part for damage in plan.damages}
    done = [
        _put_away(project, damage.part, damage.path)
        for damage in plan.damages
        if damage.path is not None and damage.part in (DamagedPart.CACHE, DamagedPart.DOCUMENT)
    ]
    if DamagedPart.KEYS in parts:
        save_keys(project, load_keys(project))
        done.append("the keys of kept backups are in two copies again")
    if DamagedPart.LOG in parts:
        done += _mend_log(project)
        return tuple(done)
    if DamagedPart.INDEX in parts:
        shutil.rmtree(project.store.text_index, ignore_errors=True)
        with open_store(project) as memory:
            memory.catch_up()
        done.append("the index is made again")
    return tuple(done)


def _is_ours_to_mend(project: Project, damage: Damage) -> bool:
    """Tell whether it may be touched: files in the repository are their people's."""
    if damage.part is not DamagedPart.DOCUMENT:
        return True
    return damage.path is not None and damage.path.is_relative_to(project.store.root)


def _put_away(project: Project, part: DamagedPart, path: Path) -> str:
    if part is DamagedPart.CACHE:
        for each in (path, *path.parent.glob(f"{path.name}-*")):
            each.unlink(missing_ok=True)
        return f"took {path} away: it is made again"
    aside = path.with_name(f"{path.name}.corrupt-{mint(project.clock.now_ms(), project.entropy)}")
    path.rename(aside)
    return f"put aside: {aside}"


def _mend_log(project: Project) -> list[str]:
    was_gone = is_log_gone(project.store)
    salvaged = salvage_log(project)
    done = [f"the log was laid again: {salvaged.events:,} events in {salvaged.sessions:,} sessions"]
    brought = 0
    with open_store(project) as memory:
        if salvaged.is_relaid:
            memory.reunite()
        try:
            reply = import_history(project, memory, ImportRequest())
            brought = sum(each.stored for each in reply.harnesses)
        except AgentXError as error:
            done.append(f"the transcripts could not be read again: {error.message}")
        memory.drain()
        memory.catch_up()
    if brought:
        done.append(f"{brought:,} events were brought back from transcripts")
    done += _say_gone(project) if was_gone else _say_lost(salvaged, brought)
    if salvaged.aside is not None:
        done.append(
            f"the damaged log is kept in {salvaged.aside}; when you need it no more: "
            f"rm -r '{salvaged.aside}'"
        )
    return done


def _say_gone(project: Project) -> list[str]:
    """Say what became of a log of which nothing was left to count."""
    said = ["gone: everything that was in the log alone; how much that was, nobody can tell"]
    kept = list_backups(project).paths
    if kept:
        said.append(f"a backup is kept: `agentx restore {kept[-1]}` brings that day back")
    return said


def _say_lost(salvaged: SalvagedLog, brought: int) -> list[str]:
    lost = salvaged.lost
    if not lost.count:
        return ["nothing that the log named is gone"]
    span = ""
    if lost.first_ms is not None and lost.last_ms is not None:
        span = f", from {to_iso(lost.first_ms)} to {to_iso(lost.last_ms)}"
    named = f", of sessions {', '.join(lost.sessions)}" if lost.sessions else ""
    back = " before transcripts were read again" if brought else ""
    return [f"gone{back}: {lost.count:,} events{span}{named}"]
