"""Say what happens in a run: it begins, a phase, a task, a check, a question, a lesson."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentx.agents.happenings import ValidationResult
from agentx.host.files.ground import ground_of
from agentx.host.files.plain import read_bytes
from agentx.kernel.errors import InvalidValue, NameMoved, NotFound
from agentx.kernel.ids import shorten_run
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import fold_text, preview
from agentx.operations.limits import RUN_CHECK_WAIT_S
from agentx.operations.runs.saying import Saying, check_speaker, refuse_driven
from agentx.project.claims import claim_data
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls, find_caller
from agentx.runs.choosing.place import Aim
from agentx.runs.model import Contract, Happening, Run, Verdict
from agentx.runs.replies import Checked, Told
from agentx.runs.rules.catalogue import KINDS, kind_named
from agentx.runs.rules.claims import DECLARES
from agentx.runs.rules.draft import escalation_name
from agentx.runs.task_work import read_contract
from agentx.wiring.bound.claims import (
    begins_work,
    bring_renewal,
    bring_words,
    ends_work,
    holding,
    meeting_others,
)
from agentx.wiring.runs import (
    find_shown_asks,
    list_asking_runs,
    list_run_questions,
    open_checks,
    open_runs,
    open_tasks,
)
from agentx.wiring.trust.git_refusal import require_files
from agentx.wiring.trust.persons_word import require_person, require_persons_word

EVENT_TYPES = tuple(KINDS)
# What asks a person.
_ASKS = frozenset({"escalation-raised", "conflict-found"})
# What settles a question to a person.
_PERSONS = frozenset({"escalation-resolved", "conflict-resolved"})
# What somebody did, or saw git do, and the verb that does it.
_OBSERVED = {
    "run-started": "run start",
    "run-completed": "run phase complete",
    "lane-opened": "run lane open",
    "lane-finished": "run lane finish LANE",
    "lane-merged": "run lane merge LANE",
    "lane-retried": "run lane retry LANE",
    "lane-taken": "run lane take LANE",
    "task-claimed": "run task take TASK",
    "task-released": "run task release TASK",
    "lane-reassigned": "run lane reassign LANE",
    "branch-made": "run lane open",
    "commit-made": "run lane finish LANE",
    "commit-given-up": "run resume --without COMMIT",
    "work-rebased": "run lane rebase",
    "conflict-found": "run lane merge LANE",
    "checks-run": "run verify --run 'COMMAND'",
    **dict.fromkeys(
        ("drive-began", "drive-held", "drive-ended", "turn-began", "turn-ended"), "run drive RUN"
    ),
}
# What ends a run, and takes what it asks out of the inbox.
_ENDS = frozenset({"run-failed", "run-completed"})


def start_run(
    project: Project,
    title: str,
    *,
    description: str = "",
    requester: str = "",
    checks: Iterable[str] = (),
    actor: str,
    caller: WhoCalls | None = None,
) -> Run:
    """Begin a run.

    Raises: InvalidValue in a bare repository: nobody could work on it there.
    """
    check_speaker(project, actor, caller)
    require_files(project)
    claim_data(project, "run start")
    return open_runs(project, caller=caller).start(
        title, description=description, requester=requester, checks=tuple(checks), actor=actor
    )


def record_event(
    project: Project,
    by: Saying,
    kind: str,
    detail: Mapping[str, Any],
    *,
    words: str = "",
    caller: WhoCalls | None = None,
    takes_checks: bool = True,
) -> Told:
    """Record an event of any type; `words` stand where that type keeps them, unless detail says.

    Checks are commands that others run: where `takes_checks` is not so, none are declared.

    Raises: NotThePerson for who answers what a person was asked and is none, for an agent that ends
        a run that asks one, takes it on, or says something in a person's name; InvalidValue for
        what only the verb can say that does it.
    """
    given = dict(detail)
    if words:
        given.setdefault(_words_field(kind), words)
    _check_observed(kind_named(kind), given)
    if not takes_checks and given.get("checks") and kind_named(kind) in DECLARES:
        raise InvalidValue(
            "what must pass is a command, and a person names it",
            hint="say in words what is to be so; the user adds the check: agentx run verify",
        )
    return record(project, by, kind, given, caller=caller)


def _check_observed(kind: str, given: Mapping[str, Any]) -> None:
    """Refuse what is only so where somebody did it, and which the verb says that does it.

    Raises: InvalidValue.
    """
    verb = _OBSERVED.get(kind, "")
    if kind == "verification-recorded" and str(given.get("verdict", "")).upper() != "FAILED":
        verb = "run verify"
    if verb:
        raise InvalidValue(
            f"{kind} is not taken on somebody's word: the command records it that does it",
            hint=f"agentx {verb}",
        )


def record(
    project: Project,
    by: Saying,
    kind: str,
    given: dict[str, Any],
    *,
    caller: WhoCalls | None = None,
) -> Told:
    """Record an event that a verb has seen happen.

    Raises: as `record_event`, but for what only the verb can say.
    """
    check_speaker(project, by.actor, caller)
    runs = open_runs(project, caller=caller)
    run_id = by.run_id
    if kind_named(kind) in _PERSONS:
        calls = find_caller(project) if caller is None else caller
        by = _as_person(project, by, given, calls)
        asked = str(given.get("escalation", ""))
        run_id = runs.which.choose(run_id or _find_asking(project, asked) or runs.which.active())
        given |= _check_shown(project, run_id, asked, calls)
    if kind_named(kind) in _ENDS:
        _check_asked(project, runs.which.choose(run_id), caller)
    said = Happening(kind=kind, actor=by.actor, task=by.task, lane=by.lane, detail=given)
    by = replace(by, run_id=runs.which.choose(run_id))
    if by.task and (begins_work(kind_named(kind)) or ends_work(kind_named(kind))):
        said = replace(said, kind=kind_named(kind))
        refuse_driven(project, by.run_id, caller)
        return _say_held(project, by, said, lambda: runs.say(by.run_id, said), caller)
    told = tell_people(project, runs.say(by.run_id, said))
    return bring_words(project, told) if kind_named(kind) in _ASKS | _PERSONS else told


def _check_shown(project: Project, run_id: str, escalation: str, calls: WhoCalls) -> dict[str, str]:
    """Return what the person was shown, for what they say is said to that.

    Raises: NameMoved, which shows it, where no terminal did and nobody vouches for the words.
    """
    shown = find_shown_asks(project)
    told = shown.find_told(run_id, escalation)
    if told or calls.via is not Via.TERMINAL:
        return {"about": told} if told else {}
    runs = open_runs(project)
    asked = runs.run(run_id)[0].escalations.get(escalation)
    if asked is not None and not runs.is_asked_by_somebody(run_id, escalation):
        shown.note_told([(run_id, asked)])
        raise NameMoved(
            f"{escalation} was not shown in your inbox yet, and nobody vouches for its words; "
            f"it asks: {fold_text(asked.question)!r}",
            hint="say it again to answer that; `agentx clarify inbox` shows all of it",
        )
    return {}


def tell_people(project: Project, told: Told) -> Told:
    """Tell the person what a run asks, and whoever works on it what was answered."""
    kinds = {event.kind for event in told.added}
    if not kinds & (_ASKS | _PERSONS | _ENDS):
        return told
    # Few events are told anybody.
    from agentx.wiring.listeners.notify import notify_of_run  # noqa: PLC0415  see above
    from agentx.wiring.section import renew_notices  # noqa: PLC0415  see above

    renew_notices(project)
    for event in told.added:
        asked = told.run.escalations.get(escalation_name(event.id))
        if event.kind in _ASKS and asked is not None and asked.open:
            notify_of_run(project, asked)
    return told


def _check_asked(project: Project, run_id: str, caller: WhoCalls | None) -> None:
    """Refuse an agent that ends a run which still asks a person something."""
    for one in list_run_questions(project):
        if one.run_id == run_id:
            hint = f'agentx run escalate --resolve {one.asked.id} "ANSWER"'
            what = f"that a run ends which asks them something ({one.asked.id})"
            require_person(project, what, hint=hint, caller=caller, about=one.asked.id)


def _as_person(project: Project, by: Saying, given: dict[str, Any], caller: WhoCalls) -> Saying:
    """Return that a person speaks, and keep how; an agent is refused."""
    about = str(given.get("escalation") or given.get("conflict") or "")
    hint = f'agentx run escalate --resolve {about} "ANSWER"'
    what = "what a run asked a person"
    given["via"] = require_persons_word(project, what, hint=hint, caller=caller, about=about)
    return replace(by, actor=PERSON_ROLE)


def _find_asking(project: Project, escalation: str) -> str:
    """Return the run that asks a question; nothing where none that goes on does.

    Raises: InvalidValue where several do: their names are short, and one may have been typed.
    """
    asking = [run for run in list_asking_runs(project) if escalation in run.escalations]
    if len(asking) > 1:
        named = "; ".join(
            f"`--run {shorten_run(run.id)}` {preview(run.escalations[escalation].question, 120)!r}"
            for run in asking
        )
        raise InvalidValue(f"{len(asking)} runs ask {escalation}", hint=f"say which: {named}")
    return asking[0].id if asking else ""


def contract_from(project: Project, file: Path) -> Contract:
    """Read a contract out of a file of YAML or Markdown.

    Raises: NotFound, InvalidValue, UnsafePath.
    """
    return read_contract(read_given(project, file).decode("utf-8", "replace"), file)


def read_given(project: Project, file: Path) -> bytes:
    """Return what is in a file that somebody named; one in the repository must be no link.

    Raises: NotFound, UnsafePath, OSError.
    """
    try:
        path = file.absolute()
        return read_bytes(path, ground=ground_of(path, project.root))
    except FileNotFoundError:
        raise NotFound(f"{file}: no such file") from None


def add_task(
    project: Project, by: Saying, contract: Contract, caller: WhoCalls | None = None
) -> Told:
    """Add a task with its contract; without a name it gets the next number."""
    return add_tasks(project, by, ((by.task, contract),), caller)


def add_tasks(
    project: Project,
    by: Saying,
    tasks: Iterable[tuple[str, Contract]],
    caller: WhoCalls | None = None,
) -> Told:
    """Add tasks with their contracts, in order, each under its name."""
    actor = check_speaker(project, by.actor, caller)
    return open_tasks(project, caller).add_all(by.run_id, tasks, actor=actor)


def revise_task(project: Project, by: Saying, changes: Mapping[str, Any]) -> Told:
    """Make a new version of a task's contract; what is not given stays as it was."""
    actor = check_speaker(project, by.actor)
    return open_tasks(project).revise(by.run_id, by.task, changes, actor=actor)


def task_step(project: Project, by: Saying, kind: str, detail: Mapping[str, Any]) -> Told:
    """Move a task that is there: begin it, log, complete, fail, drop, block, reopen, retry it."""
    actor = check_speaker(project, by.actor)
    said = Happening(kind=kind, actor=actor, task=by.task, lane=by.lane, detail=dict(detail))
    return _say_held(project, by, said, lambda: open_tasks(project).step(by.run_id, said))


def _say_held(
    project: Project,
    by: Saying,
    said: Happening,
    act: Callable[[], Told],
    caller: WhoCalls | None = None,
) -> Told:
    """Say something of a task; what begins work on it claims it first, other work renews that."""
    if ends_work(said.kind):
        with meeting_others(project) as remarks:
            told = act()
        return replace(told, remarks=(*remarks, *told.remarks))
    if not begins_work(said.kind):
        return bring_renewal(project, act())
    with holding(project, Aim(run_id=by.run_id, task=by.task), said, caller) as remarks:
        told = act()
    return replace(told, remarks=tuple(dict.fromkeys((*remarks, *told.remarks))))


def record_verification(
    project: Project, by: Saying, verdict: str, checks: Iterable[str], *, summary: str = ""
) -> Told:
    """Record what was checked: `name=evidence` passed, `!name=evidence` failed."""
    found = [_check(each) for each in checks]
    if verdict.upper() == Verdict.PASSED and not all(each["passed"] for each in found):
        raise InvalidValue(
            "a check failed, so the verdict is not PASSED",
            hint="use --verdict FAILED or PASSED_WITH_WARNINGS",
        )
    checks_of = open_checks(project)
    aim = Aim(run_id=by.run_id, task=by.task, lane=by.lane)
    by = replace(by, task=checks_of.find_task(aim))
    commit = checks_of.find_commit(aim)
    detail = {
        "verdict": verdict,
        "checks": found,
        **_pick_given(summary=summary, commit=commit),
    }
    kind = "verification-recorded"
    told = task_step(project, by, kind, detail) if by.task else record(project, by, kind, detail)
    failed = tuple(str(each["name"]) for each in found if not each["passed"])
    _tell_verdict(project, by.actor, verdict.upper() != Verdict.FAILED, failed)
    return told


def run_checks(
    project: Project,
    by: Saying,
    commands: Iterable[str],
    *,
    wait_s: int = RUN_CHECK_WAIT_S,
    environment: Mapping[str, str] | None = None,
) -> Checked:
    """Execute what a task's contract, or the run's, asks for and what is named; keep the result.

    Raises: InvalidValue, NotFound, LimitError, ConflictError, IllegalTransition.
    """
    actor = check_speaker(project, by.actor)
    aim = Aim(run_id=by.run_id, task=by.task, lane=by.lane)
    checks, wait_ms = open_checks(project), wait_s * 1000
    done = checks.run(aim, commands, actor=actor, wait_ms=wait_ms, environment=environment)
    done = replace(done, told=bring_renewal(project, done.told))
    failed = tuple(each.name for each in done.report.checks if not each.passed)
    _tell_verdict(project, actor, done.report.passed, failed)
    return done


def declare_checks(project: Project, by: Saying, commands: Iterable[str]) -> Told:
    """Say which commands the whole run must pass; those before are replaced."""
    return record_event(project, by, "checks-declared", {"checks": list(commands)})


def is_run(project: Project, name: str) -> bool:
    """Tell whether a text names a run: by its id, or the end of it."""
    return any(name == each or each.endswith(f"-{name}") for each in open_runs(project).ids())


def _tell_verdict(project: Project, actor: str, passed: bool, failed: tuple[str, ...]) -> None:
    from agentx.wiring.listeners.happenings import tell_news  # noqa: PLC0415  it knows the whole log

    at = project.clock.now_ms()
    tell_news(project, ValidationResult(timestamp=at, agent=actor, passed=passed, errors=failed))


def write_artifact(project: Project, by: Saying, name: str, text: str) -> Told:
    """Write a page of the run; the one before stays in the events."""
    return record_event(project, by, "artifact-written", {"name": name, "text": text})


def _check(said: str) -> dict[str, Any]:
    name, _, evidence = said.partition("=")
    plain = name.strip()
    if not plain.lstrip("!"):
        raise InvalidValue(f"{said!r} is not a check", hint="use NAME=EVIDENCE, or !NAME=EVIDENCE")
    return {
        "name": plain.lstrip("!").strip(),
        "passed": not plain.startswith("!"),
        "evidence": evidence.strip(),
    }


def _pick_given(**values: str) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _words_field(kind: str) -> str:
    """Return the field in which an event of a type holds its words."""
    shape = KINDS.get(kind.strip().lower().replace("_", "-"))
    needs = () if shape is None else shape.needs
    return next((name for name in needs if name in ("reason", "question", "title")), "text")
