"""`agentx run verify`: run the checks and keep how they ended, or say what was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.ids import is_run_id
from agentx.kernel.text import preview, printable
from agentx.operations.limits import RUN_CHECK_WAIT_S, RUN_CHECK_WAIT_S_MAX
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import declare_checks, is_run, record_verification, run_checks
from agentx.runs.model import ORCHESTRATOR, Verdict
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.runs.options import tell
from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.runs.replies import Checked

_EXIT_FAILED = 3
_LINES_SHOWN = 15
_SHOWN_MAX = 5
_RUN_CHARS = 4  # the end of a run's id, by which it is named


@click.command("verify", cls=Verb)
@click.argument("words", metavar="[COMMAND]...", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--run",
    "runs",
    metavar="COMMAND",
    multiple=True,
    help="A command to execute; may be repeated. The name of a run names the run instead.",
)
@click.option("--task", "task_id", default="", help="The task; without one, the whole run.")
@click.option("--lane", "lane_id", default="", help="The lane to do it in; default: the task's.")
@click.option(
    "--timeout",
    type=click.IntRange(1, RUN_CHECK_WAIT_S_MAX),
    default=RUN_CHECK_WAIT_S,
    show_default=True,
    help="Seconds that a command may take.",
)
@click.option("--declare", is_flag=True, help="Only say that the run must pass these commands.")
@click.option(
    "--verdict",
    type=click.Choice([str(each) for each in Verdict], case_sensitive=False),
    default=None,
    help="Execute nothing: say what was seen.",
)
@click.option("--check", "checks", multiple=True, metavar="NAME=EVIDENCE", help="!NAME=... failed.")
@click.option("--summary", default="")
@click.option(
    "--actor", default=ORCHESTRATOR, show_default=True, help="Who says so, such as verifier."
)
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    runs: tuple[str, ...],
    task_id: str,
    lane_id: str,
    timeout: int,
    declare: bool,
    verdict: str | None,
    checks: tuple[str, ...],
    summary: str,
    actor: str,
) -> None:
    """Execute the checks that a task, or the run, must pass, and those that are named.

    They run in the lane's folder, else in that of the work branch, else in the checkout. Exit
    code, output and commit are kept; a check that fails gives the exit code 3. With --verdict
    nothing is executed: what somebody saw is recorded. It stands for no check that a contract
    asks for.
    """
    invocation: Invocation = ctx.obj
    run_id, commands = _tell_apart(invocation, runs, words)
    by = Saying(run_id=run_id, actor=actor, task=task_id, lane=lane_id)
    if declare:
        tell(invocation, declare_checks(invocation.project, by, commands))
        return
    if verdict is not None:
        if commands:
            raise InvalidValue(
                "the commands say how it went: no verdict is said beside them",
                hint="leave out --verdict, or leave out the commands",
            )
        tell(
            invocation,
            record_verification(invocation.project, by, verdict, checks, summary=summary),
        )
        return
    if checks or summary:
        raise InvalidValue("what was seen needs a verdict", hint="add --verdict PASSED or FAILED")
    invocation.talk.print("running the checks ...", style="dim")
    done = run_checks(invocation.project, by, commands, wait_s=timeout)
    invocation.show(_list_facts(done), lambda screen: _draw(screen, done))
    ctx.exit(0 if done.report.passed else _EXIT_FAILED)


def _tell_apart(
    invocation: Invocation, given: tuple[str, ...], words: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Return the run that is named, if one is, and the commands."""
    import shlex
    import shutil

    named = [each for each in given if is_run_id(each) or is_run(invocation.project, each)]
    if len(named) > 1:
        raise InvalidValue(f"two runs are named: {', '.join(named[:2])}")
    commands = [each.strip() for each in given if each not in named]
    if words:
        commands.append(words[0] if len(words) == 1 else shlex.join(words))
    for each in commands:
        # A run that is not here is more likely meant than a program that is not.
        if len(each) == _RUN_CHARS and each.isalnum() and shutil.which(each) is None:
            raise NotFound(
                f"{each} is neither a run nor a command here",
                hint="`agentx run list` shows the runs",
            )
    if not all(commands):
        raise InvalidValue("a command is empty", hint="--run 'COMMAND'")
    return next(iter(named), ""), tuple(commands)


def _list_facts(done: Checked) -> dict[str, Any]:
    run = done.told.run
    return {
        "run_id": run.id,
        "status": str(run.status),
        "phase": str(run.phase),
        "event_id": done.report.event_id,
        "task_id": done.told.added[0].task,
        "verdict": str(done.report.verdict),
        "commit": done.report.commit,
        "dirty": done.report.dirty,
        "folder": done.folder,
        "checks": done.report.checks,
        "not_run": done.unrun,
        "remarks": done.told.remarks,
    }


def _draw(screen: Console, done: Checked) -> None:
    for check in done.report.checks:
        style = "green" if check.passed else "red"
        word = "passed" if check.passed else "FAILED"
        line = render.text(f"{word}  ", style=style).append(printable(check.name), "default")
        screen.print(line.append(f"  {check.evidence}", "dim"), soft_wrap=True)
        if not check.passed:
            for row in check.output.splitlines()[-_LINES_SHOWN:]:
                screen.print(render.text(f"    {printable(row)}"), style="dim", soft_wrap=True)
    for remark in _list_remarks(done):
        screen.print(render.text(f"note: {printable(remark)}"), style="yellow", soft_wrap=True)
    where = done.told.added[0].task or done.told.run.id
    screen.print(
        f"{where}: {done.report.verdict}, in {done.folder} (event {done.report.event_id})",
        style="dim",
        soft_wrap=True,
    )


def _list_remarks(done: Checked) -> list[str]:
    found = list(done.told.remarks)
    if done.report.dirty:
        files = ", ".join(done.report.dirty[:_SHOWN_MAX])
        found.append(f"not committed: {files}; it counts once that is and it ran again")
    found += (
        f"not run, as nobody whom you trust asks for it: {preview(each, 80)}" for each in done.unrun
    )
    return found
