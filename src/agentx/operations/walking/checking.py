"""What a step's output is worth before it is handed on: its document, its checks, its verdict."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.agents.happenings import ValidationResult
from agentx.kernel.errors import AgentXError
from agentx.operations.limits import RUN_CHECK_WAIT_S
from agentx.operations.walking.asked import WalkDesk, builds
from agentx.wiring.listeners.happenings import tell_news
from agentx.wiring.walking.walks import WalkGit, find_template, read_output, run_check
from agentx.work.model import Step
from agentx.work.progress import output_of
from agentx.work.walk.model import Walked, WalkEvent
from agentx.work.walk.outputs import JUDGES, find_faults, read_criteria, read_verdict

_SAY_VERDICT = (
    "no verdict was found in {where}: one line of its own, `Verdict: approved` or "
    "`Verdict: changes needed`"
)
_SAY_CRITERIA = (
    "your report does not say whether the criteria are met: one line of its own, `Criteria: met` "
    "or `Criteria: not met`"
)


def check_step(desk: WalkDesk, step: Step, last: WalkEvent) -> WalkEvent:
    """Return what a step's output is worth, and tell of it."""
    project, issue = desk.project, desk.request.issue
    text, errors = "", list[str]()
    if step.output:
        text, errors = _read_document(desk, step)
    errors += _list_strays(desk, step)
    if builds(step) and not errors:
        errors += _run_checks(desk, step)
    verdict = ""
    if step.agent in JUDGES and not errors:
        found = read_verdict(text or last.report)
        where = output_of(step, issue) if step.output else "your report"
        errors += [] if found else [_SAY_VERDICT.format(where=where)]
        verdict = found or ""
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
        verdict=verdict,
        is_again=is_met is False,
    )


def _read_document(desk: WalkDesk, step: Step) -> tuple[str, list[str]]:
    path = output_of(step, desk.request.issue)
    try:
        text = read_output(desk.project, path)
        template = find_template(desk.project, step.template) if step.template else ""
    except (AgentXError, OSError, UnicodeDecodeError) as error:
        return "", [f"{path} cannot be read: {error}"]
    if text is None:
        return "", [f"{path} is not there: write it"]
    return text, [f"{path}: {fault}" for fault in find_faults(text, template)]


def _list_strays(desk: WalkDesk, step: Step) -> Iterator[str]:
    """Yield what who judges by a document has changed besides: they mend nothing themselves."""
    if step.agent not in JUDGES or not step.output:
        return
    own = output_of(step, desk.request.issue)
    strays = [name for name in WalkGit(desk.project).list_changed() if name != own]
    if strays:
        named = ", ".join(strays[:10])
        yield f"put back what you changed besides {own}: {named}"


def _run_checks(desk: WalkDesk, step: Step) -> Iterator[str]:
    for command in desk.request.checks:
        wait_ms = min(RUN_CHECK_WAIT_S * 1000, max(desk.left_ms, 1))
        fault = run_check(desk.project, command, wait_ms)
        desk.told(f"[{step.id}] {'failed' if fault else 'passed'}: {command}")
        if fault:
            yield fault
