"""Packing a run away, in five steps that may be interrupted anywhere and gone on with.

    1 decisions  2 patterns and learnings  3 tech debt  4 metrics      into long-term memory
    5 the folder, packed and checked, then removed; the index follows

Each step can be done twice without harm: lessons know which candidates they came from, a
measure replaces itself, a packed folder is compared before it goes.
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.host.git import facts as git
from agentx.kernel.bus import Bus, Say
from agentx.kernel.errors import ConflictError
from agentx.kernel.ids import shorten_run
from agentx.lessons.model import PATTERNS, LessonKind
from agentx.lessons.promotion import Policy
from agentx.lessons.service import Lessons
from agentx.project.project import Project
from agentx.runs.choosing.retention import is_due
from agentx.runs.events import RunArchived
from agentx.runs.model import Run
from agentx.runs.replies import Archived
from agentx.runs.rules.gates import list_lifted
from agentx.runs.store.archive import Archive
from agentx.runs.store.run_store import RunStore
from agentx.wiring.listeners.log import log_told
from agentx.wiring.runs import open_run_store, open_runs
from agentx.wiring.taught.lessons import open_archive, open_lessons
from agentx.wiring.taught.teaching import Churn, lessons_of, measure_run

STEPS = (
    ("decisions", (LessonKind.DECISION,)),
    ("patterns", (*PATTERNS, LessonKind.LEARNING)),
    ("tech debt", (LessonKind.DEBT,)),
)


class Archiving:
    """Packs the runs of one project away."""

    def __init__(
        self,
        runs: RunStore,
        lessons: Lessons,
        archive: Archive,
        churn: Callable[[Run], Churn],
        bus: Bus | None = None,
    ) -> None:
        self._runs = runs
        self._lessons = lessons
        self._archive = archive
        self._churn = churn
        self._bus = bus if bus is not None else Bus()

    def due(self, runs: tuple[Run, ...], now_ms: int) -> tuple[Run, ...]:
        """Return the runs that have stayed long enough."""
        return tuple(run for run in runs if is_due(run, now_ms))

    def sweep(self) -> None:
        """Finish what an interruption left."""
        self._archive.sweep()

    def archive(
        self, run_id: str, policy: Policy, *, actor: str, told: Say = lambda _step: None
    ) -> Archived:
        """Pack a run that is over away. Nobody writes to it meanwhile.

        Raises: ConflictError while it goes on; NotFound, CorruptRecord, UnavailableError.
        """
        with self._runs.editing(run_id) as desk:
            run = desk.run
            if not run.over:
                named = f"--run {shorten_run(run.id)}"
                raise ConflictError(
                    f"{run.id} is still {run.status}",
                    hint=f"end it first: `agentx run phase complete {named}`, "
                    f"or `agentx run phase fail --reason WHY {named}`",
                )
            offered = lessons_of(run, self._runs.ask_git(run).holds)
            learnt: list[str] = []
            confirmed: list[str] = []
            for name, kinds in STEPS:
                told(name)
                done = self._lessons.accept(
                    offered, policy, actor=actor, kinds=kinds, is_unasked=True
                )
                learnt += done.learnt
                confirmed += done.confirmed
            told("metrics")
            lifted = list_lifted(run, self._runs.ask_git(run))
            self._lessons.measure(measure_run(run, self._churn(run), lifted), actor=actor)
            undecided = len(self._lessons.candidates(offered))
            told("archive")
            # First what the events say: then all clones that have them pack the same bytes.
            desk.show()
            self._archive.pack(run.id, desk.find_made())
            path = self._runs.index.note_archived(run, self._runs.clock.now_ms())
            desk.leave()
            self._archive.remove_folder(run.id)
        self._bus.tell(RunArchived(run=run.id, archive=path))
        return Archived(
            run_id=run.id,
            archive_path=path,
            learnt=tuple(learnt),
            confirmed=tuple(confirmed),
            undecided=undecided,
        )


def open_archiving(project: Project) -> Archiving:
    """Return what packs a project's runs away."""
    bell = Bus()
    log_told(project, bell, {RunArchived: "run-archived"})
    store = open_run_store(project, lanes=open_runs(project).git)
    lessons, archive = open_lessons(project, bell), open_archive(project)
    return Archiving(store, lessons, archive, lambda run: _count_churn(project, run), bell)


def _count_churn(project: Project, run: Run) -> Churn:
    """Return how much a run changed; nothing where git does not know."""
    tip = run.git.latest_commit or run.git.work_branch
    if not tip:
        return Churn()
    own = project.paths.run_memory.name
    # From the branch it began on, which may have moved on; from the commit where that is gone.
    for base in (run.git.base_branch, run.git.base_commit):
        counted = git.churn(project.root, base, tip, without=own)
        if counted is not None:
            return Churn(*counted)
    return Churn()
