"""What runs offer to long-term memory: look at it, take it in, lay it aside."""

from __future__ import annotations

from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import shorten_run
from agentx.kernel.values import frozen
from agentx.lessons.model import Promoted, Taught
from agentx.lessons.promotion import Policy, accepts
from agentx.lessons.settings import LtmSettings
from agentx.operations.lessons.known import name_author
from agentx.project.project import Project
from agentx.runs.model import Run
from agentx.wiring.runs import open_runs
from agentx.wiring.taught.lessons import open_lessons
from agentx.wiring.taught.teaching import lessons_of
from agentx.wiring.trust.persons_word import require_person


@frozen
class CandidateRow:
    """A lesson that a run offers."""

    key: str
    run_id: str
    kind: str
    name: str
    text: str
    area: str
    confidence: str
    evidence: tuple[str, ...]
    source: str


def list_candidates(project: Project, run_id: str = "") -> tuple[CandidateRow, ...]:
    """Return what a run offers and nobody has decided on; of every run when none is named."""
    lessons = open_lessons(project)
    return tuple(
        _row(one) for run in _runs(project, run_id) for one in lessons.candidates(lessons_of(run))
    )


def find_policy(project: Project) -> Policy:
    """Return who decides what a run's end promotes."""
    return Policy(project.config.section(LtmSettings).promote)


def tell_undecided(project: Project, run: Run) -> tuple[str, ...]:
    """Return that lessons of a run wait for a word: they go with it once it is packed away."""
    policy = find_policy(project)
    offered = open_lessons(project).candidates(lessons_of(run))
    left = [one for one in offered if not accepts(policy, one)]
    if not left:
        return ()
    many = "1 lesson waits" if len(left) == 1 else f"{len(left)} lessons wait"
    look = f"agentx ltm candidates --run {shorten_run(run.id)}"
    return (f"{many} for a word before `agentx run archive`: `{look}`",)


def accept(project: Project, run_id: str, keys: tuple[str, ...], *, everything: bool) -> Promoted:
    """Take lessons of a run in.

    Raises: NotFound, InvalidValue when nothing was named.
    """
    run, _ = open_runs(project).run(run_id)
    if everything:
        return open_lessons(project).accept(lessons_of(run), Policy.ALL, actor=name_author(project))
    if not keys:
        raise InvalidValue("say which lessons", hint="name them, or take them all with --all")
    return open_lessons(project).accept_named(
        run.id, lessons_of(run), keys, actor=name_author(project)
    )


def reject(project: Project, run_id: str, keys: tuple[str, ...]) -> int:
    """Lay lessons of a run aside for good.

    Raises: NotFound; NotThePerson for an agent, where a person said it.
    """
    run, _ = open_runs(project).run(run_id)
    lessons, offered = open_lessons(project), lessons_of(run)
    for one in lessons.choose(run.id, offered, keys):
        if one.said_by:
            key = one.key.partition("/")[2]
            hint = f"agentx ltm reject --run {run.id} {key}"
            require_person(project, f"that {key} is laid aside", hint=hint, about=key)
    return lessons.reject(run.id, offered, keys, actor=name_author(project))


def _runs(project: Project, run_id: str) -> tuple[Run, ...]:
    runs = open_runs(project)
    return (runs.run(run_id)[0],) if run_id else tuple(runs.all())


def _row(one: Taught) -> CandidateRow:
    return CandidateRow(
        key=one.key.partition("/")[2],
        run_id=one.run,
        kind=str(one.kind),
        name=one.content.name,
        text=one.content.text,
        area=one.content.area,
        confidence=str(one.confidence),
        evidence=one.evidence,
        source=one.source,
    )
