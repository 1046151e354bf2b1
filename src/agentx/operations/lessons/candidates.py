"""What runs offer to long-term memory: look at it, take it in, lay it aside."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import shorten_run
from agentx.kernel.values import frozen
from agentx.lessons.model import LongTerm, Promoted, Taught
from agentx.lessons.promotion import POLICY, Policy, accepts, most_alike
from agentx.lessons.settings import LtmSettings
from agentx.operations.lessons.known import name_author
from agentx.project.project import Project
from agentx.runs.model import Run
from agentx.wiring.runs import open_runs
from agentx.wiring.taught.lessons import open_lessons
from agentx.wiring.taught.teaching import offer_lessons
from agentx.wiring.trust.persons_word import require_person

UNDECIDED = "for a word before `agentx run archive`"


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
    is_proven: bool = False  # by what was run, and by git
    against: str = ""  # what must be told with it
    known_as: str = ""  # the lesson that says the same: accepting it confirms that


def list_candidates(project: Project, run_id: str = "") -> tuple[CandidateRow, ...]:
    """Return what a run offers and nobody has decided on; of every run when none is named."""
    lessons = open_lessons(project)
    known = lessons.read().known
    return tuple(
        _row(one, known)
        for run in _runs(project, run_id)
        for one in lessons.candidates(offer_lessons(project, run))
    )


def find_policy(project: Project) -> Policy:
    """Return who decides what a run's end promotes."""
    return Policy(project.config.section(LtmSettings).promote)


@frozen
class ProposedLessons:
    """What a run offers, and what of it was taken in without asking."""

    proposed: int = 0  # nobody has decided on them
    known: int = 0  # of those, what is known already: accepting them confirms that
    accepted: tuple[str, ...] = ()  # taken in by the policy
    accepted_by: str = ""
    remarks: tuple[str, ...] = ()  # the same, to be said


def take_in_proven(project: Project, run: Run) -> Promoted:
    """Take in what a run proves, where the user's policy is to be not asked about that.

    Raises: NotFound, UnavailableError.
    """
    if find_policy(project) is not Policy.PROVEN or open_runs(project).list_unmerged(run):
        return Promoted()  # what git says otherwise of proves nothing
    offered = offer_lessons(project, run)
    return open_lessons(project).accept(offered, Policy.PROVEN, actor=POLICY, is_unasked=True)


def find_proposed(project: Project, run: Run) -> ProposedLessons:
    """Return what a run taught so far, in figures, and what a person may type about it."""
    lessons = open_lessons(project)
    known = lessons.read().known
    left = lessons.candidates(offer_lessons(project, run))
    same = sum(most_alike(known, one) is not None for one in left)
    took = tuple(
        lesson.id
        for lesson in known.lessons.values()
        if lesson.by_policy and lesson.is_active and lesson.learned_from[:1] == (run.id,)
    )
    policy = str(find_policy(project))
    remarks = (*_say_taken(took, policy), *_say_left(len(left), same, shorten_run(run.id)))
    return ProposedLessons(
        proposed=len(left),
        known=same,
        accepted=took,
        accepted_by=f"policy {policy}" if took else "",
        remarks=remarks,
    )


def _say_taken(took: tuple[str, ...], policy: str) -> Iterator[str]:
    if took:
        many = "1 lesson was" if len(took) == 1 else f"{len(took)} lessons were"
        yield (
            f"{many} taken in by the policy {policy} (ltm.promote): {', '.join(took)}; "
            f"`agentx ltm retire {took[0]}` takes it back"
        )


def _say_left(count: int, same: int, run: str) -> Iterator[str]:
    if count:
        many = "1 lesson is" if count == 1 else f"{count} lessons are"
        already = f" ({same} known already)" if same else ""
        yield (
            f"{many} proposed{already}: `agentx ltm candidates --run {run}` shows what, "
            f"`agentx ltm accept --all --run {run}` keeps it for the next run"
        )


def tell_undecided(project: Project, run: Run) -> tuple[str, ...]:
    """Return that lessons of a run wait for a word: they go with it once it is packed away."""
    policy = find_policy(project)
    offered = open_lessons(project).candidates(offer_lessons(project, run))
    left = [one for one in offered if not accepts(policy, one)]
    if not left:
        return ()
    many = "1 lesson waits" if len(left) == 1 else f"{len(left)} lessons wait"
    look = f"agentx ltm candidates --run {shorten_run(run.id)}"
    return (f"{many} {UNDECIDED}: `{look}`",)


def accept(project: Project, run_id: str, keys: tuple[str, ...], *, everything: bool) -> Promoted:
    """Take lessons of a run in.

    Raises: NotFound, InvalidValue when nothing was named.
    """
    run, _ = open_runs(project).run(run_id)
    if everything:
        offered = offer_lessons(project, run)
        return open_lessons(project).accept(offered, Policy.ALL, actor=name_author(project))
    if not keys:
        raise InvalidValue("say which lessons", hint="name them, or take them all with --all")
    return open_lessons(project).accept_named(
        run.id, offer_lessons(project, run), keys, actor=name_author(project)
    )


def reject(project: Project, run_id: str, keys: tuple[str, ...]) -> int:
    """Lay lessons of a run aside for good.

    Raises: NotFound; NotThePerson for an agent, where a person said it.
    """
    run, _ = open_runs(project).run(run_id)
    lessons, offered = open_lessons(project), offer_lessons(project, run)
    for one in lessons.choose(run.id, offered, keys):
        if one.said_by:
            key = one.key.partition("/")[2]
            hint = f"agentx ltm reject --run {run.id} {key}"
            require_person(project, f"that {key} is laid aside", hint=hint, about=key)
    return lessons.reject(run.id, offered, keys, actor=name_author(project))


def _runs(project: Project, run_id: str) -> tuple[Run, ...]:
    runs = open_runs(project)
    return (runs.run(run_id)[0],) if run_id else tuple(runs.all())


def _row(one: Taught, known: LongTerm) -> CandidateRow:
    same = most_alike(known, one)
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
        is_proven=one.is_proven,
        against=one.against,
        known_as="" if same is None else same.id,
    )
