"""`agentx import`: history from the transcripts of agent CLIs."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext, suppress

import click
from rich.console import Console

from agentx.capture.transcripts import (
    ImportDone,
    ImportPhase,
    ImportProgress,
    ImportReply,
    ImportRequest,
)
from agentx.daemon.auto.calling import call_daemon, may_call
from agentx.host.heap import keep_few_arenas
from agentx.kernel.clock import point
from agentx.operations.capture.import_history import import_history
from agentx.surfaces.cli import render
from agentx.surfaces.cli.failure import Interrupted
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.progress import ProgressLine
from agentx.surfaces.dates import say_date

_DAMAGED_SHOWN = 10
_GOES_ON = "what was read until now is kept; run the same command again for the rest"
_NICE = 5
_MB = 1_000_000


@click.command(cls=Verb)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--since", default="", metavar="T", help="Only what happened since: 2026-03-02, 30d.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="At most N transcripts, newest first."
)
@click.option("--dry-run", is_flag=True, help="Say what would be imported, and leave it.")
@click.option("--all-projects", is_flag=True, help="Also what was done in other folders.")
@click.pass_obj
def command(
    invocation: Invocation,
    sources: tuple[str, ...],
    since: str,
    limit: int | None,
    dry_run: bool,
    all_projects: bool,
) -> None:
    """Take the transcripts that agent CLIs keep on disk into the log.

    SOURCE is an agent CLI (claude-code, codex, gemini, opencode, copilot), a transcript or a
    folder of them; none means all agent CLIs. Importing twice changes nothing.
    """
    project = invocation.project
    request = ImportRequest(
        sources=sources,
        since_ms=point(since, now_ms=project.clock.now_ms(), zone=render.local_zone())
        if since
        else None,
        limit=limit,
        dry_run=dry_run,
        all_projects=all_projects,
    )
    keep_few_arenas()  # before the store begins threads
    # What is only looked at needs no store, and begins none.
    opened = nullcontext(None) if dry_run else invocation.memory()
    with opened as memory, watch(invocation) as line:
        if memory is not None:
            memory.drain()
        give_way()
        with_views = not may_call(project)
        try:
            reply = import_history(project, memory, request, follow(line), with_views=with_views)
        except KeyboardInterrupt:
            raise Interrupted("" if dry_run else _GOES_ON) from None
    if not (dry_run or with_views):
        call_daemon(project)
    invocation.show(reply, lambda screen: draw(screen, reply))


def give_way() -> None:
    """Let other work of the machine go first: an import takes all that is left."""
    with suppress(OSError):
        os.nice(_NICE)


def follow(line: ProgressLine) -> Callable[[ImportProgress], None]:
    """Return what hears how far an import is, and shows it."""
    now: list[ImportProgress] = []

    def say_read(done: int, total: int) -> str:
        read = f"{done / _MB:,.1f}/{total / _MB:,.1f} MB"
        return f"{now[0].done:,}/{now[0].total:,}  {read}" if line.is_wide else read

    def tell(step: ImportProgress) -> None:
        now[:] = [step]
        if step.phase is ImportPhase.READING:
            line.turn_to(step.phase, say_read, lambda rate: f"{rate / _MB:,.1f} MB/s")
            line.tell(step.bytes_done, step.bytes_total)
            return
        if step.phase is ImportPhase.SUMMING and line.phase != step.phase:
            line.say("every word can be found; Ctrl-C leaves the rest for later")
        line.turn_to(step.phase)
        line.tell(step.done, step.total)

    return tell


def watch(invocation: Invocation) -> ProgressLine:
    """Return the line that shows how far an import is."""
    return ProgressLine(invocation, "looking for transcripts")


def draw(screen: Console, reply: ImportReply) -> None:
    """Show what an import did."""
    excluded = sum(one.excluded for one in reply.harnesses)
    if excluded:
        count = render.count(excluded, "transcript")
        screen.print(f"{count} of excluded folders passed over", style="dim")
    seen = [one for one in reply.harnesses if one.transcripts or one.unchanged]
    if not seen:
        screen.print("No transcripts of this project found.")
        others = sum(one.other_projects for one in reply.harnesses)
        if others:
            screen.print(
                f"\nhint: {render.count(others, 'transcript')} of other folders: "
                "see them with --all-projects --dry-run",
                style="dim",
            )
        return
    unchanged = sum(one.unchanged for one in seen)
    read = [one for one in seen if one.transcripts]
    if not read:
        count = render.count(unchanged, "transcript")
        screen.print(f"Nothing new: {count} unchanged since the last import.")
        return
    new = ">WOULD READ" if reply.dry_run else ">NEW"
    table = render.table("AGENT CLI", ">SESSIONS", ">PROMPTS", ">EVENTS", new, ">SIZE", "DATES")
    zone = render.local_zone()
    for one in read:
        table.add_row(
            render.harness(one.harness),
            f"{one.sessions:,}",
            f"{one.prompts:,}",
            f"{one.events:,}",
            f"{one.events if reply.dry_run else one.stored:,}",
            render.size(one.bytes),
            f"{say_date(one.first_ms, zone)} to {say_date(one.last_ms, zone)}"
            if one.events
            else "-",
        )
    screen.print(table)
    if isinstance(reply, ImportDone) and reply.complete_ms is None:
        screen.print("\nEvery word can be found now; a daemon sums up what is left.")
    if unchanged:
        screen.print(
            f"\n{render.count(unchanged, 'transcript')} unchanged since the last import",
            style="dim",
        )
    for one in read:
        if one.keeps_transcripts_days is not None:
            screen.print(
                f"\n{one.harness} deletes its transcripts after {one.keeps_transcripts_days} days; "
                "what is imported stays",
                style="dim",
            )
    if reply.damaged:
        _draw_damaged(screen, reply)


def _draw_damaged(screen: Console, reply: ImportReply) -> None:
    count = sum(one.damaged for one in reply.harnesses)
    screen.print(f"\n{render.count(count, 'damaged line')} skipped:", style="yellow")
    for item in reply.damaged[:_DAMAGED_SHOWN]:
        screen.print(f"  {item.path}:{item.line}: {item.reason}", soft_wrap=True)
    if count > _DAMAGED_SHOWN:
        screen.print(f"  and {count - _DAMAGED_SHOWN} more: --json names up to 100", style="dim")
