"""The verbs of `agentx run` by which somebody says something, and those that put right what was.

How the files of a run are made anew, and how a run goes on, is imported where that is asked for.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import bring_back_runs, run_events, show_run, show_schema, type_for
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import read_given, record_event, start_run, write_artifact
from agentx.project.roles.caller import find_caller
from agentx.runs.model import CANDIDATE_KINDS, CONFIDENCES
from agentx.surfaces.cli.commands.runs.options import about_run, by_actor, details, tell
from agentx.surfaces.cli.frame import Invocation, Verb, plain
from agentx.surfaces.cli.options import as_person as as_person_option
from agentx.surfaces.cli.screen import remark

_PIPED_BYTES_MAX = 4 * EVENT_TEXT_CHARS_MAX + 1  # more than any page may have


@click.command("start", cls=Verb)
@click.argument("title")
@click.option("--description", default="")
@click.option("--requester", default="", help="Who wants it.")
@click.option("--check", "checks", multiple=True, help="A command that the whole run must pass.")
@click.option("--actor", default="orchestrator", show_default=True)
@click.pass_obj
def start(
    invocation: Invocation,
    title: str,
    description: str,
    requester: str,
    checks: tuple[str, ...],
    actor: str,
) -> None:
    """Begin a run."""
    run = start_run(
        invocation.project,
        title,
        description=description,
        requester=requester,
        checks=checks,
        actor=actor,
    )

    def draw(screen: Any) -> None:
        screen.print(run.id, soft_wrap=True)
        typed = type_for(invocation.project, run, 'agentx run task add "TITLE"')
        screen.print(f"\nhint: plan it with `{typed}`", style="dim")

    invocation.show({"run_id": run.id, "title": run.title, "phase": str(run.phase)}, draw)


@click.command("event", cls=Verb)
@click.option("--type", "kind", default="", help="A type of event, such as task-started or note.")
@click.option("--task", "task_id", default="")
@click.option("--lane", "lane_id", default="")
@click.option("--detail", multiple=True, metavar="NAME=VALUE", help="A field; may be repeated.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--schema", is_flag=True, help="Print every type of event with its fields.")
@as_person_option
@by_actor
@click.pass_obj
def event(
    invocation: Invocation,
    kind: str,
    task_id: str,
    lane_id: str,
    detail: tuple[str, ...],
    limit: int,
    schema: bool,
    as_person: bool,
    run_id: str,
    actor: str,
) -> None:
    """Record an event; without --type, show the last ones."""
    if schema:
        invocation.write(*show_schema())
        return
    if not kind:
        _show_events(invocation, run_id, limit)
        return
    by = Saying(run_id=run_id, actor=actor, task=task_id, lane=lane_id)
    caller = find_caller(invocation.project, as_person=as_person)
    told = record_event(invocation.project, by, kind, details(detail), caller=caller)
    tell(invocation, told, event_id=told.added[0].id if told.added else "")


def _show_events(invocation: Invocation, run_id: str, limit: int) -> None:
    found = run_events(invocation.project, run_id, limit=limit)

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli import render

        for each, said in zip(found.events, found.lines, strict=True):
            line = render.text(invocation.dates.say(each.at_ms), style="dim").append(
                f"  {said}", "default"
            )
            screen.print(line, soft_wrap=True)

    told = [
        {**plain(each), **({"against": mark} if mark else {})}
        for each, mark in zip(found.events, found.marks, strict=True)
    ]
    invocation.show({"events": told}, draw)


@click.command("phase", cls=Verb)
@click.argument("phase", required=False, default="")
@click.option("--reason", default="", help="Why, where that is not plain.")
@by_actor
@click.pass_obj
def phase(invocation: Invocation, phase: str, reason: str, run_id: str, actor: str) -> None:
    """Go to a phase: `next`, its name, `complete` or `fail`; without one, say which it is."""
    if not phase:
        found = show_run(invocation.project, run_id)
        data = {"run_id": found.run_id, "phase": found.phase, "status": found.status}
        invocation.show(data, lambda screen: screen.print(f"{found.phase}  {found.status}"))
        return
    by = Saying(run_id=run_id, actor=actor)
    tell(invocation, go_to_phase(invocation.project, by, phase, reason=reason))


@click.command("checkpoint", cls=Verb)
@click.argument("text", required=False, default="")
@click.option("--task", "task_id", default="")
@click.option("--commit", default="")
@by_actor
@click.pass_obj
def checkpoint(
    invocation: Invocation, text: str, task_id: str, commit: str, run_id: str, actor: str
) -> None:
    """Mark a point from which work can go on."""
    given = {name: value for name, value in (("text", text), ("commit", commit)) if value}
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    tell(invocation, record_event(invocation.project, by, "checkpoint-made", given))


@click.command("escalate", cls=Verb)
@click.argument("text", metavar="QUESTION")
@click.option("--task", "task_id", default="")
@click.option("--lane", "lane_id", default="")
@click.option("--tried", multiple=True, help="What was tried.")
@click.option("--needed", default="", help="What would help.")
@click.option("--option", "options", multiple=True, help="A way it could be settled.")
@click.option("--no-block", is_flag=True, help="Work can go on meanwhile.")
@click.option("--resolve", metavar="ESC", default="", help="Answer this one with the text instead.")
@as_person_option
@by_actor
@click.pass_obj
def escalate(
    invocation: Invocation,
    text: str,
    task_id: str,
    lane_id: str,
    tried: tuple[str, ...],
    needed: str,
    options: tuple[str, ...],
    no_block: bool,
    resolve: str,
    as_person: bool,
    run_id: str,
    actor: str,
) -> None:
    """Ask a person; with --resolve answer as one, which no agent can."""
    by = Saying(run_id=run_id, actor=actor, task=task_id, lane=lane_id)
    if resolve:
        detail: dict[str, Any] = {"escalation": resolve, "resolution": text}
        caller = find_caller(invocation.project, as_person=as_person)
        told = record_event(invocation.project, by, "escalation-resolved", detail, caller=caller)
        asked = told.run.escalations.get(resolve)
        tell(invocation, told, asked="" if asked is None else asked.question)
        return
    detail = {"question": text, "tried": list(tried), "options": list(options), "needed": needed}
    detail = {name: value for name, value in detail.items() if value}
    detail["blocking"] = not no_block
    told = record_event(invocation.project, by, "escalation-raised", detail)
    tell(invocation, told, escalation_id=list(told.run.escalations)[-1])


@click.command("artifact", cls=Verb)
@click.argument("name", metavar="NAME")
@click.argument("file", metavar="FILE", required=False, default="-")
@click.option("--task", "task_id", default="")
@by_actor
@click.pass_obj
def artifact(
    invocation: Invocation, name: str, file: str, task_id: str, run_id: str, actor: str
) -> None:
    """Write a page of the run, such as plan.md or constitution.md, from a file or `-`."""
    try:
        if file == "-":
            raw = sys.stdin.buffer.read(_PIPED_BYTES_MAX)
        else:
            raw = read_given(invocation.project, Path(file))
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValue(f"{file} is not text in UTF-8: {error.reason}") from None
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    tell(invocation, write_artifact(invocation.project, by, name, text), name=name)


@click.command("propose", cls=Verb)
@click.argument("text")
@click.option("--kind", type=click.Choice(CANDIDATE_KINDS), required=True)
@click.option("--evidence", multiple=True, help="What proves it: a file, an event, a test.")
@click.option("--confidence", type=click.Choice(CONFIDENCES), default="MEDIUM", show_default=True)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file it is about.")
@click.option("--contradicts", multiple=True, metavar="LESSON", help="What it speaks against.")
@click.option("--task", "task_id", default="")
@click.option("--detail", multiple=True, metavar="NAME=VALUE", help="name, context, area, ...")
@by_actor
@click.pass_obj
def propose(
    invocation: Invocation,
    /,
    text: str,
    kind: str,
    confidence: str,
    task_id: str,
    detail: tuple[str, ...],
    run_id: str,
    actor: str,
    **lists: tuple[str, ...],
) -> None:
    """Offer what the run taught to long-term memory."""
    given = {**details(detail), "kind": kind, "text": text, "confidence": confidence}
    given.update({name: list(each) for name, each in lists.items() if each})
    by = Saying(run_id=run_id, actor=actor, task=task_id)
    told = record_event(invocation.project, by, "candidate-proposed", given)
    tell(invocation, told, candidate_id=list(told.run.candidates)[-1])


@click.command("resume", cls=Verb)
@about_run
@click.option("--actor", default="orchestrator", show_default=True)
@click.option(
    "--without", metavar="COMMIT", default="", help="Go on without a commit that is gone."
)
@as_person_option
@click.pass_obj
def resume(invocation: Invocation, run_id: str, actor: str, without: str, as_person: bool) -> None:
    """Take a run up again: what happened, where it stopped, what to do next."""
    caller = find_caller(invocation.project, as_person=as_person) if without else None
    from agentx.operations.runs.recover import resume_run

    found, rebuilt = resume_run(
        invocation.project, run_id, actor=actor, without=without, caller=caller
    )

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_resumption

        draw_resumption(screen, found, rebuilt)

    data = {
        "run_id": found.run_id,
        "interruption": str(found.interruption),
        "phase": str(found.phase),
        "status": str(found.status),
        "current_task": found.current_task,
        "stopped_at": found.stopped_at,
        "last_checkpoint": found.last_checkpoint,
        "last_log": found.last_log,
        "happened": found.happened,
        "answered": found.answered,
        "next": found.next,
        "mended": rebuilt.remarks,
        "faults": rebuilt.faults,
    }
    invocation.show(data, draw)


@click.command("rebuild", cls=Verb)
@about_run
@click.option("--all", "everything", is_flag=True, help="Every run.")
@click.option("--as-is", is_flag=True, help="What you took out of the files stays out, for good.")
@click.pass_obj
def rebuild(invocation: Invocation, run_id: str, everything: bool, as_is: bool) -> None:
    """Make a run's files from its events; what cannot be read is moved aside and named."""
    for line in () if as_is else bring_back_runs(invocation.project):
        remark(line)
    from agentx.operations.runs.recover import rebuild_runs

    found = rebuild_runs(invocation.project, run_id, everything=everything, as_is=as_is)

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_rebuilt

        draw_rebuilt(screen, found)

    data = {
        "runs": [
            {
                "run_id": each.run.id,
                "events": each.run.events,
                "files_changed": each.files_changed,
                "mended": each.remarks,
                "faults": each.faults,
            }
            for each in found
        ]
    }
    invocation.show(data, draw)


@click.command("pr", cls=Verb)
@about_run
@click.option("--actor", default="orchestrator", show_default=True)
@click.pass_obj
def prepare(invocation: Invocation, run_id: str, actor: str) -> None:
    """Show what the pull request says, and what is still missing."""
    from agentx.operations.runs.recover import pull_request

    found = pull_request(invocation.project, run_id, actor=actor)

    def draw(screen: Any) -> None:
        from agentx.surfaces.cli.commands.runs.draw import draw_pull_request

        draw_pull_request(screen, found)

    invocation.show(found, draw)
