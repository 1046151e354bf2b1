"""What a step's output is worth before it is handed on: its document, its checks, its verdict."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.agents.happenings import ValidationResult
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import digest
from agentx.operations.limits import RUN_CHECK_WAIT_S
from agentx.operations.walking.asked import WalkDesk, builds
from agentx.wiring.listeners.happenings import tell_news
from agentx.wiring.walking.walk_git import WalkGit
from agentx.wiring.walking.walks import find_template, read_output, run_check
from agentx.work.model import Step
from agentx.work.progress import output_of
from agentx.work.walk.model import StepVerdict, Walked, WalkEvent
from agentx.work.walk.outputs import JUDGES, find_faults, read_criteria, read_verdict
from agentx.work.walk.schedule import find_begun

_SAY_VERDICT = (
    "no verdict was found in {where}: one line of its own, `Verdict: approved` or "
    "`Verdict: changes needed`"
)
_SAY_LEFT = (
    "the checks left this in the folder: {names}. Let git ignore it, or take it away; what is "
    "there still is committed with your work"
)
_NAMED_MAX = 10
_SAY_ANEW = "{where} is as it was before your turn: write down what you found now"
_HALF_DONE = "a {what} is under way: end it, or give it up (git {what} --abort)"
_SAY_CRITERIA = (
    "your report does not say whether the criteria are met: one line of its own, `Criteria: met` "
    "or `Criteria: not met`"
)


def check_step(desk: WalkDesk, step: Step, last: WalkEvent) -> WalkEvent:
    """Return what a step's output is worth, and tell of it."""
    project, issue = desk.project, desk.request.issue
    text, errors = "", list[str]()
    if step.output:
        found, errors = read_document(desk, step)
        text = found or ""
    began = find_begun(desk.read(), step.id)
    errors += _list_strays(desk, step, began)
    verdict = ""
    if step.agent in JUDGES and not errors:
        if step.output and began is not None and began.before == digest_of(text):
            errors.append(_SAY_ANEW.format(where=output_of(step, issue)))
        said = read_verdict(text or last.report)
        where = output_of(step, issue) if step.output else "your report"
        errors += [] if said else [_SAY_VERDICT.format(where=where)]
        verdict = said or ""
    # Who judges may leave behind what shows that the work does not pass.
    half = WalkGit(project).find_half_done()
    errors += [_HALF_DONE.format(what=half)] if half else []
    if builds(step) and not errors and verdict != StepVerdict.CHANGES:
        errors += _run_checks(desk, step)
    is_met = read_criteria(last.report) if step.iterate and not errors else True
    if is_met is None:
        errors.append(_SAY_CRITERIA)
    at_ms = project.clock.now_ms()
    tell_news(
        project,
        ValidationResult(
            timestamp=at_ms,
            agent=step.agent,
            passed=not errors,
            errors=tuple(each.splitlines()[0] for each in errors),
            issue_number=issue,
        ),
    )
    return WalkEvent(
        kind=Walked.STEP_CHECKED,
        at_ms=at_ms,
        step=step.id,
        role=step.agent,
        runner=last.runner,
        session=last.session,
        report=last.report,
        errors=tuple(errors),
        verdict="" if errors else verdict,
        is_again=is_met is False,
    )


def read_document(desk: WalkDesk, step: Step) -> tuple[str | None, list[str]]:
    """Return the document of a step, and what is wrong with it; None where there is none."""
    path = output_of(step, desk.request.issue)
    try:
        text = read_output(desk.project, path)
        began = next((each.commit for each in desk.read()), "")
        template = find_template(desk.project, step.template, began) if step.template else ""
    except (AgentXError, OSError, UnicodeDecodeError) as error:
        return "", [f"{path} cannot be read: {error}"]
    if text is None:
        return None, [f"{path} is not there: write it"]
    return text, [f"{path}: {fault}" for fault in find_faults(text, template)]


def digest_of(text: str | None) -> str:
    """Return by what a document is known again; nothing of one that is not there."""
    return digest(text, size=8).hex() if text else ""


def _list_strays(desk: WalkDesk, step: Step, began: WalkEvent | None) -> Iterator[str]:
    """Yield what who judges by a document has changed besides: they mend nothing themselves."""
    if step.agent not in JUDGES or not step.output:
        return
    own = output_of(step, desk.request.issue)
    git = WalkGit(desk.project)
    since = git.list_since(began.commit if began is not None else "")
    strays = [name for name in dict.fromkeys((*git.list_changed(), *since)) if name != own]
    if strays:
        named = ", ".join(strays[:10])
        yield f"put back what you changed besides {own}: {named}"


def _run_checks(desk: WalkDesk, step: Step) -> Iterator[str]:
    git = WalkGit(desk.project)
    before = frozenset(git.list_changed())
    faults = []
    for command in desk.request.checks:
        wait_ms = min(RUN_CHECK_WAIT_S * 1000, max(desk.left_ms, 1))
        fault = run_check(desk.project, command, wait_ms)
        desk.told(f"[{step.id}] {'failed' if fault else 'passed'}: {command}")
        faults += [fault] if fault else []
    yield from faults
    # Whoever made it did not mean it to be committed; who leaves it there once told does.
    left = [name for name in git.list_changed() if name not in before]
    if left and not faults:
        yield _SAY_LEFT.format(names=", ".join(left[:_NAMED_MAX]))
