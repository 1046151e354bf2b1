"""`agentx ltm`: what runs taught, for people to read, decide on and correct."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import click

from agentx.kernel.clock import age
from agentx.kernel.ids import is_ulid
from agentx.kernel.vouching.standing import UNVERIFIED
from agentx.lessons.model import (
    PATTERNS,
    Confidence,
    Content,
    LessonKind,
    LessonRow,
    Priority,
    Promoted,
)
from agentx.operations.lessons.candidates import CandidateRow, accept, list_candidates, reject
from agentx.operations.lessons.known import (
    LessonList,
    RunMetrics,
    add_lesson,
    judge_lesson,
    list_lessons,
    show_lesson,
    show_metrics,
)
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.surfaces.dates import Dates


_NAMED_MAX = 4
_COLOURS = {"HIGH": "green", "MEDIUM": "yellow", "LOW": "dim"}


@click.group(cls=VerbGroup)
def command() -> None:
    """What runs taught: patterns, decisions, tech debt, metrics, learnings.

    The pages in .agent-memory/ltm/ may be edited by hand: every command takes your changes in.
    """


def _listing(name: str, about: str, kinds: tuple[LessonKind, ...]) -> None:
    @command.command(name, help=about)
    @click.argument("lesson", required=False, default="")
    @click.option("--all", "everything", is_flag=True, help="Those that hold no longer, too.")
    @click.option("--area", default="", metavar="NAME", help="Only of this area.")
    @click.pass_obj
    def listing(invocation: Invocation, lesson: str, everything: bool, area: str) -> None:
        if lesson:
            _show(invocation, show_lesson(invocation.project, lesson))
            return
        found = list_lessons(invocation.project, kinds, everything=everything, area=area)
        _warn(invocation, found.faults)
        invocation.show(found, lambda screen: _draw_lessons(screen, found, name))


_listing("patterns", "What works, what goes wrong, what solved it.", PATTERNS)
_listing("decisions", "Decisions, each with its context.", (LessonKind.DECISION,))
_listing("debt", "What was left undone.", (LessonKind.DEBT,))
_listing("learnings", "What is known of each area.", (LessonKind.LEARNING,))


@command.command("metrics")
@click.pass_obj
def metrics(invocation: Invocation) -> None:
    """How the runs went."""
    found = show_metrics(invocation.project)
    invocation.show(found, lambda screen: _draw_metrics(screen, found, invocation.dates))


@command.command("show")
@click.argument("lesson")
@click.pass_obj
def show(invocation: Invocation, lesson: str) -> None:
    """One lesson, with where it was learnt."""
    _show(invocation, show_lesson(invocation.project, lesson))


@command.command("candidates")
@click.option("--run", "run_id", default="", metavar="ID", help="Only of this run.")
@click.pass_obj
def candidates(invocation: Invocation, run_id: str) -> None:
    """What runs offer and nobody has decided on."""
    found = list_candidates(invocation.project, run_id)
    data = {"candidates": found}
    invocation.show(data, lambda screen: _draw_candidates(screen, found))


@command.command("accept")
@click.argument("keys", nargs=-1)
@click.option(
    "--run", "run_id", default="", metavar="ID", help="The run (default: the active one)."
)
@click.option("--all", "everything", is_flag=True, help="Everything the run offers.")
@click.pass_obj
def accept_(invocation: Invocation, keys: tuple[str, ...], run_id: str, everything: bool) -> None:
    """Take lessons of a run in, by the number that `candidates` shows, or by key (--json)."""
    done = accept(invocation.project, run_id, keys, everything=everything)
    invocation.show(done, lambda screen: _draw_promoted(screen, done))


@command.command("reject")
@click.argument("keys", nargs=-1, required=True)
@click.option(
    "--run", "run_id", default="", metavar="ID", help="The run (default: the active one)."
)
@click.pass_obj
def reject_(invocation: Invocation, keys: tuple[str, ...], run_id: str) -> None:
    """Lay lessons of a run aside for good."""
    count = reject(invocation.project, run_id, keys)
    invocation.show(
        {"rejected": count},
        lambda screen: screen.print(f"laid aside: {render.count(count, 'lesson')}"),
    )


@command.command("add")
@click.argument("text")
@click.option("--kind", type=click.Choice(tuple(map(str, LessonKind))), default="learning")
@click.option("--name", default="", help="What it is called.")
@click.option("--context", default="", help="When it matters.")
@click.option("--area", default="", help="The part of the project it is about.")
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file it is about.")
@click.option("--line", default=0, metavar="N", help="Where in the file (tech debt).")
@click.option("--priority", type=click.Choice(tuple(map(str, Priority))), default="MEDIUM")
@click.option("--confidence", type=click.Choice(tuple(map(str, Confidence))), default="MEDIUM")
@click.option("--run", "run_id", default="", metavar="ID", help="The run it was learnt from.")
@click.pass_obj
def add(invocation: Invocation, /, text: str, **given: str | int | tuple[str, ...]) -> None:
    """Write a lesson down. One that is known already is confirmed."""
    files = given["files"]
    content = Content(
        name=str(given["name"]),
        text=text,
        context=str(given["context"]),
        area=str(given["area"]),
        files=files if isinstance(files, tuple) else (),
        line=int(given["line"]) if isinstance(given["line"], int) else 0,
        priority=Priority(str(given["priority"])),
    )
    kind, confidence = LessonKind(str(given["kind"])), Confidence(str(given["confidence"]))
    row = add_lesson(invocation.project, kind, content, confidence, str(given["run_id"]))
    invocation.show(row, lambda screen: screen.print(f"{row.id}  {row.name or row.text}"))


def _verdict(name: str, about: str) -> None:
    @command.command(name, help=about)
    @click.argument("lesson")
    @click.argument("reason", required=False, default="")
    @click.option("--run", "run_id", default="", metavar="ID", help="The run that showed it.")
    @click.pass_obj
    def judge(invocation: Invocation, lesson: str, reason: str, run_id: str) -> None:
        row = judge_lesson(invocation.project, lesson, name, run_id=run_id, reason=reason)
        invocation.show(
            row, lambda screen: screen.print(f"{row.id}  {row.confidence}  {row.status}")
        )


_verdict("confirm", "A lesson held again: its confidence rises.")
_verdict("contradict", "A lesson did not hold: its confidence falls.")
_verdict("resolve", "A debt was paid.")
_verdict("retire", "A lesson holds no longer.")


def _warn(invocation: Invocation, faults: tuple[str, ...]) -> None:
    for fault in faults:
        invocation.talk.print(f"agentx: {fault}", style="yellow")


def _show(invocation: Invocation, row: LessonRow) -> None:
    now_ms = invocation.project.clock.now_ms()
    invocation.show(row, lambda screen: _draw_lesson(screen, row, now_ms))


def _draw_lessons(screen: Console, found: LessonList, what: str) -> None:
    if not found.lessons:
        screen.print(f"No {what} yet. Runs offer lessons: `agentx ltm candidates` lists them.")
        return
    table = render.table("ID", "TRUST", "LEARNT FROM", "AREA", "LESSON")
    for row in found.lessons:
        colour = _COLOURS[row.confidence] if row.status == "ACTIVE" else "strike dim"
        said = f"{row.name}: {row.text}" if row.name and row.name != row.text else row.text
        said = f"({row.against}) {said}" if row.against else said
        table.add_row(
            row.id,
            render.text(_say_trust(row), style=colour),
            render.count(len(row.learned_from), "run") if row.learned_from else "by hand",
            row.area,
            said,
        )
    screen.print(table)


def _say_trust(row: LessonRow) -> str:
    is_claim = row.status == UNVERIFIED.upper()
    return UNVERIFIED if is_claim else str(row.priority or row.confidence)


def _draw_lesson(screen: Console, row: LessonRow, now_ms: int) -> None:
    screen.print(render.assemble((row.id, "bold"), f"  {row.kind}  {row.confidence}  {row.status}"))
    if row.name:
        screen.print(render.line(row.name, 200))
    screen.print(render.line(row.text, 4_000))
    facts = {
        "context": row.context,
        "area": row.area,
        "files": ", ".join(row.files) + (f":{row.line}" if row.line else ""),
        "consequences": "; ".join(row.consequences),
        "learnt from": ", ".join(row.learned_from),
        "contradicted by": ", ".join(row.contradicted_by),
        "but": row.against,
        "because": row.reason,
        "evidence": ", ".join(row.evidence),
        "taken in by": row.accepted_by,
        "changed": age(row.changed_ms, now_ms=now_ms),
    }
    for name, value in facts.items():
        if value:
            screen.print(render.text(f"  {name}  ", style="dim"), render.line(value, 1_000))


def _draw_candidates(screen: Console, found: tuple[CandidateRow, ...]) -> None:
    if not found:
        screen.print("Nothing waits for a decision.")
        return
    for run_id, rows in groupby(found, key=lambda row: row.run_id):
        table = render.table(">NO", "KIND", "TRUST", "LESSON")
        # A number counts within its run, as `accept --run` takes it.
        for number, row in enumerate(rows, start=1):
            trust = f"{row.confidence}, proven" if row.is_proven else row.confidence
            table.add_row(str(number), row.kind, trust, _say_candidate(row))
        screen.print(run_id, style="bold", soft_wrap=True)
        screen.print(table)
        screen.print(
            f"hint: `agentx ltm accept NO ... --run {run_id}` keeps some, `--all` all of them\n",
            style="dim",
            soft_wrap=True,
        )


def _say_candidate(row: CandidateRow) -> str:
    """Return what a lesson says, whether it is known, and what it rests on."""
    is_named = row.name and not row.text.startswith(row.name.rstrip("\u2026"))
    said = f"{row.name}: {row.text}" if is_named else row.text
    said = f"({row.against}) {said}" if row.against else said
    known = f" (known as {row.known_as}: that is confirmed)" if row.known_as else ""
    events = sum(map(is_ulid, row.evidence))
    named = [each for each in row.evidence if not is_ulid(each)]
    counted = [render.count(events, "event")] if events else []
    rests = ", ".join((*named[:_NAMED_MAX], *counted))
    return f"{said}{known}" + (f"\nrests on: {rests}" if rests else "")


def _draw_promoted(screen: Console, done: Promoted) -> None:
    for name, ids in (
        ("learnt", done.learnt),
        ("confirmed", done.confirmed),
        ("contradicted", done.contradicted),
    ):
        if ids:
            screen.print(f"{name}: {', '.join(ids)}")
    if not (done.learnt or done.confirmed):
        screen.print("nothing new")
    if done.left:
        screen.print(f"{render.count(done.left, 'lesson')} still to decide on", style="dim")


def _draw_metrics(screen: Console, found: RunMetrics, dates: Dates) -> None:
    if not found.runs:
        screen.print("No run was packed away yet: `agentx run archive`, `agentx run clean`.")
        return
    for one in found.runs:
        screen.print(one.run_id, style="bold", soft_wrap=True)
        facts = (
            f"ended {dates.say(one.completed_ms)}",
            one.outcome,
            f"{one.duration_minutes:,} min",
            f"{one.tasks_completed} tasks done, {one.tasks_failed} failed",
            f"{one.escalations} asked",
            f"+{one.lines_added} -{one.lines_removed} lines",
            render.count(one.files_changed, "file"),
            one.verification_status,
        )
        screen.print("  " + "  ".join(facts), soft_wrap=True)
    screen.print(
        f"{found.summary['successful_runs']} of {found.summary['total_runs']} runs succeeded, "
        f"{found.summary['average_duration_minutes']} minutes and "
        f"{found.summary['average_tasks_per_run']} tasks on average"
    )
