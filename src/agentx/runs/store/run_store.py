"""One project's runs on disk: read by anyone, written under the run's lock on this machine.

    with store.editing(run_id) as desk:
        desk.run                       where it stands
        desk.record(happenings)        events appended and synced, then the files made from them

The lock and the notes lie in the project's store, outside of the checkout: nothing that
git would see. Dying after the events are written loses nothing: the next command makes
the files again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from agentx import __version__
from agentx.host.crash import CrashPoint, passing
from agentx.host.documents.json_file import json_file
from agentx.host.documents.yaml_rows import dump_rows
from agentx.host.files.atomic import replace_file, write_if_changed
from agentx.host.files.below.walking import sum_up_files
from agentx.host.files.kept import FactsKept
from agentx.host.files.merged_lines import LineFault, has_merge_marks
from agentx.host.files.plain import exists, read_bytes
from agentx.host.git.layout import lay_out
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    IllegalTransition,
    InvalidValue,
    NotFound,
    UnavailableError,
)
from agentx.kernel.ids import Entropy, RunId, digest, mint
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.redaction.redact import redact
from agentx.redaction.tree import redact_tree
from agentx.runs.claiming.own_claims import OwnClaims
from agentx.runs.model import Happening, Run, RunEvent
from agentx.runs.pages.files import pages
from agentx.runs.paths import RunNotes, RunPaths, RunsPaths
from agentx.runs.rules.decide import decide
from agentx.runs.rules.fold import evolve, fold, in_order
from agentx.runs.rules.gates import NOTHING_MOVED, Tell
from agentx.runs.rules.lines import LATEST_MS
from agentx.runs.settings import BRANCH
from agentx.runs.store.archive import Archive, read_packed_events
from agentx.runs.store.by_hand import MARKED, ByHand
from agentx.runs.store.event_files import (
    EventsRead,
    EventWriter,
    FilesLook,
    list_runs,
    look_at_event_files,
    read_events,
    repair,
)
from agentx.runs.store.index_file import IndexFile
from agentx.runs.store.kept.branch import KeptBranch
from agentx.runs.store.kept.notes import KeptNotes
from agentx.runs.store.local.checkouts import CheckoutName
from agentx.runs.store.local.followed import fold_followed
from agentx.runs.store.local.seen_claims import SeenClaims
from agentx.runs.store.vouching import RunPen, RunVouching

_CHECKOUT_CHARS = 8
_Notes = dict[str, dict[str, object]]


class RunStore:
    """The runs of one project."""

    def __init__(
        self,
        project: ProjectPaths,
        store: StorePaths,
        clock: Clock,
        entropy: Entropy,
        pen: RunPen | None = None,
        *,
        kept: KeptBranch | None = None,
        guard: Callable[[Run, Happening], Happening] = lambda _run, said: said,
        ask_git: Callable[[Run], Tell] = lambda _run: NOTHING_MOVED,
        name_role: Callable[[], str] = lambda: "",
        name_person: Callable[[], str] = lambda: "",
        checkout: str = "",
        list_due: Callable[[], dict[str, str]] = dict,
    ) -> None:
        self.kept = kept  # on a branch of their own, where that is so
        self._is_at_desk = False
        self.guard = guard  # refuses what who calls may not say; returns it as they say it
        self.ask_git = ask_git  # says what git has now of a run
        self.paths = RunsPaths(project)
        self._notes = RunNotes(store.root)
        self.clock = clock
        self.entropy = entropy
        self._checkout = checkout or str(project.root)  # as what it is noted, wherever it lies
        self._name = CheckoutName(self._notes.writers, self._checkout, clock, list_due)
        self.own = OwnClaims(
            self.find_writer,
            self._name.find,
            clock,
            name_role=name_role,
            name_person=name_person,
            find_seen=SeenClaims(self._notes.claims, clock).find_first,
        )
        self._archive = Archive(project)
        self.vouching = RunVouching(pen, self._notes, self._checkout, clock, self._list_all_events)
        self.index = IndexFile(project, self.ids, self.look, self.read_packed)

    def ids(self) -> tuple[RunId, ...]:
        """Return the runs there are, newest first.

        Raises: UnavailableError where nobody can tell.
        """
        self.bring_back()
        return list_runs(self.paths.project.runs)

    def exists(self, run_id: str) -> bool:
        """Tell whether there is such a run."""
        self.bring_back()
        return exists(self.paths.run(run_id).root)

    def events(self, run_id: str) -> EventsRead:
        """Return the events of a run, in order.

        Raises: NotFound, UnavailableError.
        """
        if not self.exists(run_id):
            raise NotFound(f"{run_id}: no such run", hint="`agentx run list` shows the runs")
        return self.read(run_id)

    def bring_back(self) -> tuple[str, ...]:
        """Lay out again what the checkout lost and the branch keeps; say what that was."""
        if self.kept is None or self._is_at_desk:
            return ()
        self._make_pages(self.kept.notes)
        if not self.kept.find_lost():
            return ()
        try:
            runs = self.kept.bring_back()
            for run_id in (name for name, is_whole in runs.items() if not is_whole):
                if exists(self.paths.run(run_id).root):
                    with self._desk(run_id) as desk:
                        desk.show(everything=True)
        except (AgentXError, OSError) as error:
            return (f"runs that are on the branch {BRANCH} cannot be laid out: {error}",)
        return tuple(f"{run_id} was brought back from the branch {BRANCH}" for run_id in runs)

    @contextmanager
    def as_left(self) -> Iterator[None]:
        """Bring nothing back meanwhile: what is not in the folder may have been taken out."""
        self._is_at_desk = True
        try:
            yield
        finally:
            self._is_at_desk = False

    def _make_pages(self, notes: KeptNotes) -> None:
        """Make the pages anew that may say what was taken out: who did that was killed."""
        for run_id in notes.list_unmade():
            with suppress(AgentXError, OSError):
                if exists(self.paths.run(run_id).root):
                    with self._desk(run_id) as desk:
                        desk.show(everything=True)
                notes.end_unmade(run_id)

    def read(self, run_id: str, look: FilesLook | None = None) -> EventsRead:
        """Return the events of a run in order, each with whether somebody vouches for it.

        Raises: UnavailableError.
        """
        found = read_events(self.paths.run(run_id), run_id, look)
        # A run that is packed and has a folder again, by a merge say, is both together.
        faults = found.faults
        packed: tuple[RunEvent, ...] = ()
        try:
            packed = tuple(read_packed_events(self._archive, run_id))
        except CorruptRecord as error:
            where = self._archive.path(run_id).name
            faults = (*faults, LineFault(file=where, line=0, reason=error.message))
        events = self.vouching.judge((*found.events, *packed))
        return replace(found, events=tuple(in_order(events)), faults=faults)

    def read_packed(self, run_id: str) -> tuple[RunEvent, ...]:
        """Return the events of a run that is packed away, in order.

        Raises: CorruptRecord.
        """
        return tuple(in_order(self.vouching.judge(read_packed_events(self._archive, run_id))))

    def _list_all_events(self) -> Iterator[RunEvent]:
        """Yield every event there is, as it stands in the files."""
        for run_id in self.ids():
            with suppress(AgentXError, OSError):
                yield from read_events(self.paths.run(run_id), run_id).events
        for run_id in self._archive.ids():
            with suppress(AgentXError, OSError):
                yield from read_packed_events(self._archive, run_id)

    def look(self, run_id: str) -> Run:
        """Return where a run stands.

        Raises: NotFound, UnavailableError.
        """
        return fold(run_id, self.events(run_id).events)

    def stamp(self, run_id: str, look: FilesLook | None = None) -> str:
        """Return a text that changes when events are added, or other words count."""
        look = look_at_event_files(self.paths.run(run_id)) if look is None else look
        counts = self.vouching.stamp()
        return f"{look.stamp}:{counts}" if counts else look.stamp

    def sum_up(self, run_id: str) -> str:
        """Return a text that changes when anything does of which a run's files are made."""
        files = sum_up_files(self.paths.run(run_id).root)
        return f"{__version__}:{files}:{self.vouching.stamp()}" if files else ""

    def look_made(self, run_id: str) -> str:
        """Return how everything was when the files of a run were last made here; empty if never."""
        with suppress(OSError):
            return read_bytes(self._find_made(run_id)).decode("utf-8", "replace")
        return ""

    def note_made(self, run_id: str) -> None:
        """Note that the files of a run are as they should be."""
        with suppress(UnavailableError):  # all of them are made again then, next time
            replace_file(self._find_made(run_id), self.sum_up(run_id).encode(), is_synced=False)

    def _find_made(self, run_id: str) -> Path:
        checkout = digest(self._checkout).hex()[:_CHECKOUT_CHARS]
        return self._notes.last_look(run_id, checkout)

    @contextmanager
    def editing(self, run_id: str) -> Iterator[OpenRun]:
        """Hold the run's lock on this machine, and give its desk.

        Raises: NotFound, LockHeld, UnavailableError.
        """
        if not self.exists(run_id):
            raise NotFound(f"{run_id}: no such run", hint="`agentx run list` shows the runs")
        with self._desk(run_id) as desk:
            yield desk

    @contextmanager
    def making(self, run_id: str) -> Iterator[OpenRun]:
        """Give the desk of a run that is not there yet."""
        self.lay_out()
        with self._desk(run_id) as desk:
            yield desk

    def lay_out(self) -> None:
        """Say to git how the runs are merged, where the code brings them.

        Where it does not, what each clone lays there would stand in the way of a pull of somebody's
        lessons: git writes over no file that it does not know.
        """
        if self.kept is None:
            lay_out(self.paths.project.run_memory)

    @contextmanager
    def _desk(self, run_id: str) -> Iterator[OpenRun]:
        self.vouching.begin()
        kept = FactsKept()
        file = json_file(self._notes.desk(run_id), self.clock, owner="agentx run")
        with kept.telling(), file.editing() as doc:
            checkouts = doc.setdefault("checkouts", {})
            notes = checkouts.setdefault(self._checkout, {})
            self._is_at_desk = True
            try:
                desk = OpenRun(self, run_id, notes, kept)
                try:
                    yield desk
                finally:
                    desk.commit()
            finally:
                self._is_at_desk = False

    # --- which run ----------------------------------------------------------------------------

    def find_writer(self) -> str:
        """Return a short name of this checkout; it is the same after a kill."""
        return self._name.make(self.entropy)


class OpenRun:
    """A run while its lock is held."""

    def __init__(self, store: RunStore, run_id: str, notes: _Notes, kept: FactsKept) -> None:
        self._store = store
        self._kept = kept
        self.paths: RunPaths = store.paths.run(run_id)
        self._writer = EventWriter(self.paths, notes, store.clock, store.entropy)
        found = store.read(run_id)
        self.faults: tuple[LineFault, ...] = found.faults
        self._unsound = found.unsound
        self.remarks: list[str] = []
        self.fresh: list[RunEvent] = []
        self._hand = ByHand(self.paths, self.remarks, store.kept)
        self._events = list(found.events)
        self.run = fold_followed(run_id, self._events)
        # Where all is as it was left, only what changes from here on has to be made.
        made = "" if self._hand.gone else store.look_made(run_id)
        self._made = self.run if made and made == store.sum_up(run_id) else None
        if self.run.started and self._made is None:
            self._take_in()

    @property
    def writer(self) -> str:
        """A short name of this checkout, which no other clone has."""
        return self._store.find_writer()

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Every event, in order."""
        return tuple(self._events)

    def say(self, said: Happening) -> tuple[RunEvent, ...]:
        """Decide what follows from something that happened, and record it.

        Raises: as `check`, UnavailableError.
        """
        return self.record(self.check(said))

    def check(self, said: Happening) -> tuple[Happening, ...]:
        """Return what follows from something that happened, and record nothing.

        Raises: as `decide`; what the guard raises.
        """
        said = self._store.guard(self.run, said)
        self._store.own.check(self.run, said)
        follows = decide(self.run, said, self._store.ask_git(self.run))
        return self._store.own.stamp(self.run, follows)

    def record(self, happenings: Iterable[Happening]) -> tuple[RunEvent, ...]:
        """Write what happened; return after it is on disk.

        Raises: UnavailableError: nothing happened then.
        """
        made: list[RunEvent] = []
        run = self.run
        for happening in happenings:
            made.append(self._stamp(run, happening))
            run = evolve(run, made[-1])
        if made:
            self._begin()
            with self._kept.writing():
                self._writer.append(tuple(made))
            self._events += made
            self.fresh += made
            self.run = run
        return tuple(made)

    def _begin(self) -> None:
        if self._store.kept is not None:
            self._store.kept.begin(self.run.id)

    def leave(self) -> None:
        """Say that the run's folder goes now: it is packed."""
        if self._store.kept is not None:
            self._store.kept.begin(self.run.id, leaves=True)

    def commit(self) -> None:
        """Have what was written on the branch that keeps runs; what is in the way is a remark."""
        if self._store.kept is not None:
            self.remarks += self._store.kept.commit(self.run.id)

    def _stamp(self, run: Run, said: Happening) -> RunEvent:
        # Later than everything this desk has seen, whatever the clock says: what was known when
        # something was decided stands before it.
        at_ms = Millis(min(max(self._store.clock.now_ms(), run.updated_ms + 1), LATEST_MS - 1))
        task, lane = run.tasks.get(said.task), run.lanes.get(said.lane)
        made = RunEvent(
            id=mint(at_ms, self._store.entropy),
            at_ms=at_ms,
            run=run.id,
            actor=said.actor,
            kind=said.kind,
            task=said.task,
            task_of="" if task is None else task.born,
            lane=said.lane,
            lane_of="" if lane is None else lane.born,
            detail=said.detail,
        )
        return self._store.vouching.sign(made)

    def show(self, *, everything: bool = False) -> int:
        """Make the files of the run what the events say; return how many changed.

        Those that were made before and are as they were are left out, unless `everything` is meant.
        """
        changed = 0
        made = pages(self.run, None if everything else self._made)
        # What people write there was taken in, or kept.
        taken_in = {self.paths.artifacts / name for name in self.run.artifacts}
        taken_in |= {self.paths.work_log(path.parent.name) for path in made}
        for relative, page in made.items():
            path = self.paths.root / relative
            data = (
                page.encode("utf-8", "replace") if isinstance(page, str) else dump_rows(dict(page))
            )
            if path not in taken_in:
                self._hand.keep_over(self.run, path, data)
            if write_if_changed(path, data):
                changed += 1
                passing(CrashPoint.RUN_VIEW_WRITTEN)
        changed += self._hand.take_away(self._events, made)
        aside = self._store.index.put(self.run)
        if aside:
            self.remarks.append(f"index.yaml: {MARKED}; yours is in {aside}")
        self._made = self.run
        self._store.note_made(self.run.id)
        return changed

    def find_made(self) -> Callable[[str, bytes], bool]:
        """Return what tells of a page, as it was once, that we make it and nobody edited it."""
        return self._hand.find_made(self.run, self.events)

    def repair(self) -> list[str]:
        """Move aside what cannot be read, and read again."""
        done = repair(self.paths, self._unsound)
        if done:
            self.faults = read_events(self.paths, self.run.id).faults
        return done

    # --- what people changed by hand ------------------------------------------------------------

    def _take_in(self) -> None:
        """Make events of what people changed by hand in the files of the run."""
        for path, said in tuple(self._hand.find_changes(self.run, self._events)):
            if said is None:
                assert path is not None, "what is no text lies in a file"
                found = read_bytes(path)
                marked = has_merge_marks(found)
                self._hand.keep(path, found, MARKED if marked else "it is no text, or too long")
                continue
            try:
                cleaned = replace(said, detail=redact_tree(dict(said.detail), redact))
                self.record(decide(self.run, cleaned))  # whoever calls did not say it
            except (InvalidValue, NotFound, IllegalTransition) as error:
                if path is not None:
                    self._hand.keep(path, read_bytes(path), error.message)
            else:
                self.remarks.append(f"taken in: {said.kind} {said.task or said.detail['name']}")
