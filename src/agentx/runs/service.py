"""The verbs of runs: begin one, say what happened, look at it, take it up again.

Whoever writes holds the run's lock on this machine for as long as that takes: the events
are appended and synced, then the files are made from them, then the bell is rung.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from agentx.kernel.bus import Bus
from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    InvalidValue,
    NotFound,
)
from agentx.kernel.ids import run_id as new_run_id
from agentx.kernel.text import shows_something
from agentx.redaction.redact import redact
from agentx.redaction.tree import redact_tree
from agentx.runs.choosing.place import WorkPlace
from agentx.runs.choosing.which_run import WhichRun
from agentx.runs.claiming.own_claims import OwnClaims
from agentx.runs.claiming.telling import list_taken_over
from agentx.runs.context import Context, ContextSource, Piece, Tier, assemble
from agentx.runs.events import RunEnded, RunRecorded, RunRepaired
from agentx.runs.lacking.mending import (
    list_gone_steps,
    list_lost_steps,
    list_unshallow_steps,
    refuse_unmerged,
)
from agentx.runs.model import (
    ORCHESTRATOR,
    PHASES,
    Happening,
    Phase,
    Run,
    RunEvent,
    Task,
)
from agentx.runs.pages.pieces import (
    find_area,
    list_answer_pieces,
    list_done_before,
    list_history,
    list_pinned,
    make_log_piece,
    make_piece,
)
from agentx.runs.replies import (
    GoneCommit,
    Interruption,
    NextStep,
    Rebuilt,
    Resumption,
    Told,
    Unmerged,
)
from agentx.runs.resuming import WhoGoesOn, resumption
from agentx.runs.rules.catalogue import kind_named
from agentx.runs.rules.claims import ASKS, GOES_ON
from agentx.runs.rules.decide import find_lane
from agentx.runs.rules.draft import escalation_name
from agentx.runs.rules.fold import fold, mark_misplaced
from agentx.runs.rules.gates import Missing, list_lifted, list_stale, list_unready
from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.store.git_shared import list_gone, name_remote
from agentx.runs.store.local.followed import fold_followed
from agentx.runs.store.local.glimpsing import has_asked, names_any
from agentx.runs.store.run_store import OpenRun, RunStore
from agentx.runs.store.sources import sources, yaml_text

_GO_ON = "agentx run phase"


class Runs:
    """The runs of one project."""

    def __init__(
        self,
        store: RunStore,
        lanes: GitLanes,
        bus: Bus,
        find_place: Callable[[], WorkPlace] = WorkPlace,
    ) -> None:
        self._store = store
        self.git = lanes
        self._bus = bus
        self.clock = store.clock
        self.which = WhichRun(store, find_place)

    @property
    def own(self) -> OwnClaims:
        """What this checkout holds."""
        return self._store.own

    # --- reading --------------------------------------------------------------------------------

    def ids(self) -> tuple[str, ...]:
        """Return the runs there are, newest first."""
        return self._store.ids()

    def run(self, run_id: str) -> tuple[Run, tuple[str, ...]]:
        """Return where a run stands, and what of its files could not be read."""
        name = self.which.choose_to_see(run_id)
        found = self._store.events(name)
        return fold_followed(name, found.events), tuple(str(each) for each in found.faults)

    def story(self, run_id: str) -> tuple[Run, tuple[RunEvent, ...], tuple[str, ...]]:
        """Return where a run stands, its events in order, and what could not be read."""
        name = self.which.choose_to_see(run_id)
        found = self._store.events(name)
        run, events = fold(name, found.events), mark_misplaced(name, found.events)
        return run, events, tuple(str(each) for each in found.faults)

    def events(self, run_id: str) -> tuple[RunEvent, ...]:
        """Return the events of a run, in order."""
        name = self.which.choose_to_see(run_id)
        return mark_misplaced(name, self._store.events(name).events)

    def is_asked_by_somebody(self, run_id: str, escalation: str) -> bool:
        """Tell whether somebody vouches for the words of a question to a person."""
        raised = (each for each in self.events(run_id) if each.kind in ASKS)
        named = (each for each in raised if escalation_name(each.id) == escalation)
        return any(map(self._store.vouching.is_signed, named))

    def all(self) -> Iterator[Run]:
        """Yield every run, newest first."""
        for run_id in self._store.ids():
            run = self._store.look(run_id)
            if run.started:
                yield run

    def list_asking(self) -> Iterator[Run]:
        """Yield the runs that go on and ever asked a person something, newest first."""
        return (run for run in self.list_asked() if not run.over)

    def list_asked(self) -> Iterator[Run]:
        """Yield the runs that ever asked a person something, newest first."""
        for run_id in self._store.ids():
            if has_asked(self._store.paths.run(run_id)):
                run = self._store.look(run_id)
                if run.started:
                    yield run

    def list_stories_of(self, ids: Collection[str]) -> Iterator[tuple[Run, tuple[RunEvent, ...]]]:
        """Yield the runs that hold any of these events, with all of theirs."""
        for run_id in self._store.ids():
            if names_any(self._store.paths.run(run_id), ids):
                said = self._store.events(run_id).events
                yield fold(run_id, said), mark_misplaced(run_id, said)

    def list_packed(self, since: Millis) -> Iterator[Run]:
        """Yield the runs that were packed away since then, newest first; one that is damaged is
        stepped over.
        """
        for line in self.list_archived():
            if str(line.get("archived_at", "")) >= to_iso(since):
                with suppress(CorruptRecord):
                    yield fold(line["run_id"], self._store.read_packed(line["run_id"]))

    def list_archived(self) -> tuple[dict[str, Any], ...]:
        """Return the index's line of each run that is packed away, newest first."""
        return self._store.index.list_archived()

    # --- writing --------------------------------------------------------------------------------

    def start(
        self,
        title: str,
        *,
        description: str = "",
        requester: str = "",
        checks: tuple[str, ...] = (),
        actor: str = ORCHESTRATOR,
    ) -> Run:
        """Begin a run.

        Raises: InvalidValue, UnavailableError.
        """
        plain = " ".join(redact(title).split())
        if not shows_something(plain):
            raise InvalidValue("a run needs a title", hint='agentx run start "Add e-mail checks"')
        name = new_run_id(plain, self._store.clock.now_ms(), self._store.entropy)
        branch, commit = self.git.base()
        detail = {
            "title": plain,
            "description": redact(description),
            "requester": redact(requester),
            "base_branch": branch,
            "base_commit": commit,
            "checks": [redact(each) for each in checks],
        }
        said = Happening(
            kind="run-started",
            actor=actor,
            detail={key: value for key, value in detail.items() if value},
        )
        with self._store.making(name) as desk:
            desk.say(said)
            desk.show()
        self._tell(desk, actor)
        return desk.run

    def say(self, run_id: str, said: Happening) -> Told:
        """Record what an actor says happened, with what follows from it.

        Raises: InvalidValue, NotFound, IllegalTransition, LimitError, UnavailableError.
        """

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            cleaned = self.clean(said)
            if cleaned.lane and cleaned.kind != "lane-opened":
                cleaned = replace(cleaned, lane=find_lane(desk.run, cleaned.lane).id)
            self._check_phase(desk.run, cleaned)
            return desk.say(cleaned)

        return self.doing(run_id, work)

    def check_merged(self, run: Run) -> None:
        """See that every lane that counts as merged is in the work branch here.

        Raises: IllegalTransition.
        """
        for each in self.list_unmerged(run):
            raise refuse_unmerged(run, each)

    def _check_phase(self, run: Run, said: Happening) -> None:
        """See that a run goes on from its verification with all that counts as merged."""
        later = PHASES[PHASES.index(run.phase) + 1 :]
        is_on = said.kind == "run-completed" or (
            said.kind == "phase-entered" and said.detail.get("phase") in later
        )
        if is_on and PHASES.index(run.phase) >= PHASES.index(Phase.VERIFICATION):
            self.check_merged(run)

    def doing(self, run_id: str, work: Callable[[OpenRun], Iterable[RunEvent]]) -> Told:
        """Do some work at a run's desk, then bring its files up to date and ring the bell."""
        with self.which.naming(run_id) as name, self._store.editing(name) as desk:
            before = desk.run
            added = tuple(work(desk))
            desk.show()
        self._tell(desk, added[0].actor if added else "")
        if desk.run.over and not before.over:
            self._bus.tell(RunEnded(run_id=name, status=str(desk.run.status)))
        remarks = [*desk.remarks, *self.git.folders.take_remarks()]
        remarks += list_taken_over(before, desk.run, added, self.own.see)
        if any(event.kind in GOES_ON for event in added):
            remarks += (f"{each.id} waits for an answer still" for each in desk.run.holding)
        return Told(run=desk.run, added=added, remarks=tuple(remarks))

    def clean(self, said: Happening) -> Happening:
        """Return what was said, without secrets and with the type's right name."""
        detail = redact_tree(dict(said.detail), redact)
        return replace(said, kind=kind_named(said.kind), detail=detail)

    def _tell(self, desk: OpenRun, actor: str) -> None:
        kinds = tuple(event.kind for event in desk.fresh)
        if kinds:
            self._bus.tell(RunRecorded(run_id=desk.run.id, kinds=kinds, actor=actor))
        if desk.remarks:
            self._bus.tell(RunRepaired(run_id=desk.run.id, remarks=tuple(desk.remarks)))

    def next_phase(self, run_id: str, *, actor: str) -> Told:
        """Go on to the phase that follows."""

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            turn = PHASES.index(desk.run.phase) + 1
            said = Happening(kind="run-completed", actor=actor)
            if turn < len(PHASES):
                detail = {"phase": str(PHASES[turn])}
                said = Happening(kind="phase-entered", actor=actor, detail=detail)
            self._check_phase(desk.run, said)
            return desk.say(said)

        return self.doing(run_id, work)

    # --- taking it up again ---------------------------------------------------------------------

    def rebuild(self, run_id: str) -> Rebuilt:
        """Make the files of a run from its events; what cannot be read is moved aside."""
        name = self.which.choose_to_see(run_id)
        with self._repairing(name) as desk:
            changed = desk.show(everything=True)
        self._store.index.rebuild({name: desk.run})
        return self._tell_rebuilt(desk, ORCHESTRATOR, changed)

    @contextmanager
    def _repairing(self, run_id: str) -> Iterator[OpenRun]:
        """Give the desk of a run, with what cannot be read there moved aside."""
        with self._store.editing(run_id) as desk:
            desk.remarks[:0] = desk.repair()
            self._store.lay_out()
            yield desk

    def _tell_rebuilt(
        self, desk: OpenRun, actor: str, changed: int, more: Iterable[str] = ()
    ) -> Rebuilt:
        self._tell(desk, actor)
        faults = tuple(str(each) for each in desk.faults)
        remarks = tuple(dict.fromkeys((*desk.remarks, *more)))
        return Rebuilt(run=desk.run, files_changed=changed, remarks=remarks, faults=faults)

    def resume(self, run_id: str, *, actor: str = ORCHESTRATOR) -> tuple[Resumption, Rebuilt]:
        """Put right what an interruption left, and say how to go on."""
        steps: list[NextStep] = []
        found: list[str] = []
        name = self.which.choose_to_see(run_id)
        with self.which.naming(name), self._repairing(name) as desk:
            if desk.run.git.work_branch:
                found += self._say_done(desk.run, self.git.recover)
                steps += self._list_strays(desk.run)
                found += self._say_done(desk.run, self._fetch)
                found += self.git.folders.tell_half_way(name)
            try:
                if not desk.run.over:
                    desk.say(Happening(kind="run-resumed", actor=actor))
            finally:
                changed = desk.show()
        rebuilt = self._tell_rebuilt(desk, actor, changed, found)
        unmerged, gone = self.list_unmerged(desk.run), self.list_gone(desk.run)
        way = self.way_on(desk.run, mark_misplaced(name, desk.events), unmerged, gone)
        return replace(way, next=(*steps, *way.next)), rebuilt

    def _list_strays(self, run: Run) -> Iterator[NextStep]:
        known = frozenset(lane.branch for lane in run.lanes.values())
        for branch in self.git.strays(run.id, known):
            command = f"agentx run lane open --lane {branch.rpartition('/')[2]}"
            text = f"{branch} was made by a command that was cut short"
            yield NextStep(text=text, command=self.which.complete(command, run))

    def fetch(self, run_id: str) -> tuple[str, ...]:
        """Bring the work branch up to what others pushed; what is in the way is only said."""
        try:
            with self.which.naming(run_id) as name, self._store.editing(name) as desk:
                return self._say_done(desk.run, self._fetch)
        except AgentXError as error:
            return (error.whole,)

    def _fetch(self, run: Run) -> tuple[str, ...]:  # that of a run that is over stays as it is
        return self.git.look(run) if run.over else self.git.catch_up(run)

    def _say_done(self, run: Run, work: Callable[[Run], tuple[str, ...]]) -> tuple[str, ...]:
        """Do something with git while the run is held; what is in the way is only said."""
        try:
            with self.which.naming(run.id):
                return (*work(run), *self.git.folders.take_remarks())
        except AgentXError as error:
            return (error.whole,)

    def way_on(
        self,
        run: Run,
        events: tuple[RunEvent, ...] = (),
        unmerged: tuple[Unmerged, ...] = (),
        gone: tuple[GoneCommit, ...] = (),
    ) -> Resumption:
        """Return how to go on with a run, from this machine."""
        here = WhoGoesOn(
            checkout=self.own.known,
            now_ms=self.clock.now_ms(),
            folder=lambda name: str(self.git.folder(run.id, name)),
            find_claim=self.own.find_claim,
            tell=self._store.ask_git(run),
        )
        found = resumption(run, events, here)
        name = partial(name_remote, self.git.root)
        lost = (*list_lost_steps(run, unmerged, name), *list_gone_steps(run, gone))
        ways = found.next
        if unmerged:
            ways = tuple(step for step in ways if not step.command.startswith(_GO_ON))
            if found.interruption is Interruption.NONE:
                found = replace(found, interruption=Interruption.LOST)
        steps = (*list_unshallow_steps(run, unmerged, gone), *lost, *ways)
        complete = self.which.completing(run)
        typed = (replace(step, command=complete(step.command)) for step in steps)
        return replace(found, next=tuple(typed))

    def list_unmerged(self, run: Run) -> tuple[Unmerged, ...]:
        """Return the lanes of a run which count as merged, and git says otherwise."""
        return self.git.list_unmerged(run)

    def list_gone(self, run: Run) -> tuple[GoneCommit, ...]:
        """Return the commits that a run which goes on stands on, and that are not here."""
        return () if run.over else list_gone(self.git.root, run)

    def list_missing(self, run: Run) -> tuple[Missing, ...]:
        """Return what must be so before the run goes past its verification."""
        found = list_unready(run, self._store.ask_git(run))
        complete = self.which.completing(run)
        return tuple(replace(each, command=complete(each.command)) for each in found)

    def list_lifted(self, run: Run) -> frozenset[str]:
        """Return the tasks that failed last, and passed since with the whole run."""
        return list_lifted(run, self._store.ask_git(run))

    def tell_stale(self, run: Run, *, only: str | None = None) -> dict[str, str]:
        """Return why the last verdict of a task, or of the run, is not of what is there now."""
        return list_stale(run, self._store.ask_git(run), only)

    # --- context --------------------------------------------------------------------------------

    def context(
        self, run_id: str, task: str, budget_tokens: int, others: Iterable[ContextSource] = ()
    ) -> Context:
        """Return what an agent should be handed for a task.

        Raises: NotFound, BudgetExceeded.
        """
        run, _ = self.run(run_id)
        name = task or self.which.find_task(run) or run.current_task
        found = run.tasks.get(name)
        with self.which.naming(run.id):
            if found is None:
                raise NotFound(
                    f"{name or 'the current task'}: no such task in {run.id}",
                    hint="`agentx run task list` shows them; name one with --task",
                )
        pieces = (
            *list_pinned(run, found, yaml_text),
            *list_answer_pieces(run),
            *self._task_local(run, found),
            *list_done_before(run, found),
            *(piece for source in others for piece in source.pieces(find_area(run, found))),
            *list_history(run, self.events(run.id)),
        )
        return assemble(run.id, found.id, pieces, budget_tokens)

    def _task_local(self, run: Run, task: Task) -> Iterator[Piece]:
        if task.log:
            yield make_log_piece(Tier.TASK_LOCAL, task)
        lane = self.git.folder(run.id, task.lane) if task.lane else None
        root = lane if lane is not None and lane.is_dir() else self._store.paths.project.root
        for name, text in sources(root, task.contract.files):
            yield make_piece(Tier.TASK_LOCAL, name, text)
