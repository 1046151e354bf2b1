"""What a commit of the branch holds, taken into this checkout: lines joined, runs packed alike.

Whether a run lies in its folder is part of the branch as its files are: who packed it since both
sides were one took the folder away, and who laid it out again since brought it back. A run with
more events than its archive holds stays laid out, wherever that is known.
"""

from __future__ import annotations

from contextlib import suppress

from agentx.host.files.plain import exists
from agentx.host.git.own_branch import StoredFile
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.runs.store.archive import Archive, read_packed_events
from agentx.runs.store.event_files import events_in, read_events
from agentx.runs.store.kept.branch import KeptBranch
from agentx.runs.store.kept.facts import MEMORY, PACKED, run_of
from agentx.runs.store.run_store import RunStore

_RUNS = f"{MEMORY}/runs"


@frozen
class LaidOut:
    """Which runs lie in folders at a commit, and where both sides were one before."""

    there: frozenset[str]
    before: frozenset[str]
    is_known: bool  # whether they ever were one

    @property
    def left(self) -> frozenset[str]:
        """The runs whose folders went there since."""
        return self.before - self.there

    def is_restored(self, run_id: str) -> bool:
        """Tell whether somebody laid a run out there since."""
        return self.is_known and run_id in self.there - self.before


def take_in(store: RunStore, kept: KeptBranch, tip: str) -> tuple[str, ...]:
    """Take in what a commit of the branch holds; return the runs that are others now.

    Raises: UnavailableError, ConflictError, DataError.
    """
    lacking = kept.find_lacking(tip)
    archive = Archive(store.paths.project)
    laid_out = _find_laid_out(kept, tip)
    packed = {run_of(path) for path in lacking if path.endswith(PACKED)}
    packed = {run for run in packed | laid_out.left if run not in laid_out.there}
    wanted = _leave_packed(kept, store, lacking, laid_out)
    kept.is_held = True
    try:
        kept.lay(wanted)
        going = {run for run in packed if exists(store.paths.run(run).root)}
        runs = sorted({*map(run_of, wanted), *going} - {""})
        changed = []
        for run_id in runs:
            kept.begin(run_id)
            is_gone = run_id in going and _go_with_archive(store, archive, run_id)
            if is_gone or any(run_of(path) == run_id for path in wanted):
                changed.append(run_id)
            if exists(store.paths.run(run_id).root):
                with store.editing(run_id) as desk:
                    desk.show(everything=True)
        if runs:
            store.index.rebuild({})
    finally:
        kept.is_held = False
    return tuple(changed)


def _find_laid_out(kept: KeptBranch, tip: str) -> LaidOut:
    mine = kept.branch.find_tip()
    base = kept.branch.find_base(mine, tip) if mine else ""
    before = kept.branch.list_names(base, _RUNS) if base else ()
    there = kept.branch.list_names(tip, _RUNS)
    return LaidOut(there=frozenset(there), before=frozenset(before), is_known=bool(base))


def _leave_packed(
    kept: KeptBranch, store: RunStore, lacking: dict[str, StoredFile], laid_out: LaidOut
) -> dict[str, StoredFile]:
    """Return what is to be laid out, without the files of runs that are packed here with all that.

    Raises: UnavailableError.
    """
    found, archive = dict(lacking), Archive(store.paths.project)
    runs = {run_of(path) for path in lacking if path.startswith(f"{_RUNS}/")}
    for run_id in runs:
        is_packed = exists(archive.path(run_id)) and not exists(store.paths.run(run_id).root)
        if not is_packed or laid_out.is_restored(run_id):
            continue
        below = [path for path in lacking if path.startswith(f"{_RUNS}/{run_id}/")]
        texts = kept.branch.read_blobs(lacking[path].blob for path in below).values()
        theirs = {event.id for text in texts for event in events_in(text, run_id)}
        with suppress(AgentXError):
            if theirs <= {event.id for event in read_packed_events(archive, run_id)}:
                for path in below:
                    del found[path]
    return found


def _go_with_archive(store: RunStore, archive: Archive, run_id: str) -> bool:
    """Pack a run here too that another clone packed, where its archive has all of it.

    Tell whether that was done; one with more events stays as it is. What somebody laid into its
    folder is packed with it.
    """
    with suppress(AgentXError, OSError), store.editing(run_id) as desk:
        here = {event.id for event in read_events(store.paths.run(run_id), run_id).events}
        if here <= {event.id for event in read_packed_events(archive, run_id)}:
            archive.add(run_id, desk.find_made())
            desk.leave()
            archive.drop_folder(run_id)
            return True
    return False
