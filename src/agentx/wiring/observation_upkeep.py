"""What keeps the observations in order: settling them into their files, and moving them."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

from agentx.host.files.disk import look_at
from agentx.host.files.plain import is_folder, look
from agentx.host.system import system_entropy
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import ConflictError
from agentx.kernel.values import frozen
from agentx.observations.model import Migrated, StoreFault
from agentx.observations.store.aside import list_damaged
from agentx.observations.store.database import remove_database
from agentx.observations.store.files.pending import Pending
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.migration import absorb, migrate
from agentx.observations.store.paths import ObservationPaths
from agentx.observations.store.sqlite.store import SqliteObservationStore
from agentx.observations.store.words.view import WordView
from agentx.project.project import Project
from agentx.project.setting_files import set_value
from agentx.views.documents.observations import ObservationDocuments
from agentx.wiring.observations import (
    open_observations,
    open_store,
    open_vouched,
    prepare_observations,
)
from agentx.wiring.vouched.stamping import stamp_ledgers
from agentx.wiring.vouched.store import VouchedStore


@frozen
class MissingMemory:
    """What a person told memory and is not there as they had it kept."""

    id: str
    is_changed: bool  # it is there in other words, or as somebody else's
    is_worded: bool  # its words are on record

    @property
    def says(self) -> str:
        """What is wrong with it."""
        what = "was changed by hand" if self.is_changed else "is gone from the files of memory"
        return f"{self.id}, which a person had kept, {what}"

    @property
    def mend(self) -> str:
        """What a person can do."""
        away = f"to leave it away: agentx memory remove {self.id}"
        if self.is_worded:
            return f"`agentx sync` brings back what they said; {away}"
        return f"say it again with agentx memory add, its words are on no record; {away}"


def settle_observations(project: Project) -> int:
    """Bring the files of the observations up to date, as `agentx sync` does; return the acts."""
    if not is_folder(project.observations):
        return 0
    with closing(open_observations(project)) as room:
        moved = room.settle()
        store = room.store
        if isinstance(store, VouchedStore):
            if is_folder(project.store.root):
                store.begin_record()
            store = store.plain
        if isinstance(store, SqliteObservationStore):
            # A process that was at work during a migration may have gone on with the files.
            pending = ObservationPaths(project.observations).pending
            moved += absorb(Pending(pending, project.clock, system_entropy), store)
        if moved:
            room.stats()  # notes what a person should know
        return moved


def rebuild_observation_words(project: Project) -> int:
    """Make the words of the observations anew from their files; return how many observations."""
    if not is_folder(project.observations):
        return 0
    words = WordView(project.store.observation_words, project.observations).path
    remove_database(words)
    settle_observations(project)
    with closing(open_observations(project)) as room:
        return room.store.get_stats().total_observations


def list_damaged_observations(project: Project) -> tuple[StoreFault, ...]:
    """Return what is wrong with the files of the observations, and what was put aside of them.

    Raises: AgentXError when they cannot be read at all.
    """
    folder = project.observations
    if not is_folder(folder):
        return ()
    with closing(open_store(project)) as store:
        store.get_stats()
        if isinstance(store, JsonObservationStore):
            store.look_through()
        found = store.faults()
    told = {each.hint for each in found}
    return found + tuple(
        StoreFault(
            what="it was damaged and moved aside",
            where=str(path),
            hint=f"mend it and move it back, or delete it: {path.name.partition('.corrupt-')[0]}",
        )
        for path in list_damaged(folder)
        if not any(path.name in hint for hint in told)
    )


def list_unverified(project: Project) -> tuple[str, ...]:
    """Return the ids of memories that claim a person and that nothing bears out.

    Raises: AgentXError when they cannot be read at all.
    """
    if not is_folder(project.observations):
        return ()
    with closing(open_vouched(project)) as store:
        return tuple(one.id for one in store.list_unverified())


def list_unheeded_drops(project: Project) -> tuple[StoreFault, ...]:
    """Return what a file says that a person dropped of what a person had kept, and nobody did.

    Raises: AgentXError when it cannot be read at all.
    """
    if not is_folder(project.observations):
        return ()
    with closing(open_vouched(project)) as store:
        unheeded = store.drops.list_unheeded()
    where = str(ObservationPaths(project.observations).dropped)
    return tuple(
        StoreFault(
            what=f"says that a person dropped {name}, which is on no record of theirs",
            where=where,
            hint=f"to take that line out: agentx memory undrop {name}",
        )
        for name in unheeded
    )


def list_missing(project: Project) -> tuple[MissingMemory, ...]:
    """Return what people told memory themselves and is not there as they had it kept.

    Raises: AgentXError when it cannot be read at all.
    """
    if look(project.store.persons) is None:
        return ()
    with closing(open_vouched(project)) as store:
        missing = store.list_missing()
        there = {one.id for one in store.plain.get_by_ids(missing)}
        unworded = store.words.lacks(missing)
    return tuple(
        MissingMemory(id=each, is_changed=each in there, is_worded=each not in unworded)
        for each in missing
    )


def move_observations(project: Project, to: str, told: HowFar = unheard) -> Migrated:
    """Move every observation to the other kind of store, and use that from now on.

    Raises: ConflictError when it is in use already, or the setting is not the project's to change.
    """
    row = project.config.rows["memory.backend"]
    if row.value == to:
        raise ConflictError(f"observations are kept in {to} already")
    if row.source == "environment":
        raise ConflictError(
            "memory.backend is set in the environment", hint="unset AGENTX_MEMORY_BACKEND first"
        )
    prepare_observations(project)
    done = migrate(
        project.observations,
        to=to,
        clock=project.clock,
        entropy=system_entropy,
        view_folder=project.store.observation_words,
        told=told,
    )
    own = project.environment.settings_here(project.identity.natural)
    set_value(own, "memory.backend", to)
    project.log.record(
        "info", "memory-migrated", backend=to, observations=done.observations, digest=done.digest
    )
    return done


def observation_source(project: Project) -> ObservationDocuments:
    """Return the observations as search indexes them."""

    def stamp() -> str:
        paths = ObservationPaths(project.observations)
        files = (paths.manifest, paths.pending, paths.database, Path(f"{paths.database}-wal"))
        borne_out_by = stamp_ledgers(project)
        return repr([str(paths.root), *(look_at(path) for path in files), borne_out_by])

    return ObservationDocuments(partial(open_vouched, project), stamp, project.id)
