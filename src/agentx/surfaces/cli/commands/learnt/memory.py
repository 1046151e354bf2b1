"""`agentx memory`: what agents decided, changed, broke and found out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from agentx.kernel.clock import Millis, age, point
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.kernel.text import printable
from agentx.observations.model import Category, ObservationIndex, SearchFilters
from agentx.operations.memory import read as memory_read
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.learnt.curate import (
    drop,
    edit,
    keep,
    pin,
    show_dropped,
    undrop,
    unpin,
)
from agentx.surfaces.cli.commands.learnt.review import review
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.layout import lay
from agentx.surfaces.cli.progress import behind_progress
from agentx.surfaces.cli.screen import ask
from agentx.surfaces.dates import Dates

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.operations.memory.stats import MemoryStats

_CATEGORIES = tuple(each.value for each in Category)
_STYLES = {
    Category.DECISION: "green",
    Category.CODE_CHANGE: "blue",
    Category.ERROR: "red",
    Category.KEY_FACT: "cyan",
    Category.COMPACTION_SUMMARY: "magenta",
}


def _add_filters(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options that narrow what it shows."""
    options = (
        click.option("--agent", default="", metavar="ROLE", help="Only of this role."),
        click.option("--issue", type=click.IntRange(0), metavar="N", help="Only of this issue."),
        click.option("--category", type=click.Choice(_CATEGORIES), help="Only of this kind."),
        click.option("--since", default="", metavar="T", help="From this time: 2026-03-02, 7d."),
        click.option("--until", default="", metavar="T", help="Before this time."),
        click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N"),
    )
    for option in reversed(options):
        verb = option(verb)
    return verb


@click.group(cls=VerbGroup)
def command() -> None:
    """Show what agents decided, changed, broke and found out, per issue; correct it.

    Captured at the end of each session and recalled at the start of the next. The files lie in
    .agentx/memory/ and are complete after `agentx sync`.
    """


for _verb in (review, keep, edit, pin, unpin, drop, undrop, show_dropped):
    command.add_command(_verb)


@command.command("search")
@click.argument("query")
@_add_filters
@click.pass_obj
def search(invocation: Invocation, /, query: str, limit: int, **given: Any) -> None:
    """Find observations by their words, best first."""
    filters = _filters(invocation, **given)
    found = memory_read.memory_search(invocation.project, query, filters=filters, limit=limit)
    _show_rows(invocation, found, "Nothing found.")


@command.command("list")
@_add_filters
@click.pass_obj
def list_(invocation: Invocation, /, limit: int, **given: Any) -> None:
    """Show observations, newest first."""
    filters = _filters(invocation, limit=limit, **given)
    found = memory_read.memory_list(invocation.project, filters)
    asked = filters != SearchFilters(limit=limit)
    nothing = "No observation fits." if asked else "No observations yet."
    _show_rows(invocation, found, invocation.project.private.say_untold() or nothing)


@command.command("show")
@click.argument("observation_id", metavar="ID")
@click.pass_obj
def show(invocation: Invocation, observation_id: str) -> None:
    """Show one observation in full, with where it is known from."""
    found = memory_read.memory_show(invocation.project, observation_id)
    away = "merged since; this is the original" if found.archived else ""
    if found.dropped:
        away = "dropped by a person: `agentx memory dropped` says when and why"
    invocation.show(found, lambda screen: _draw_one(screen, found, away, invocation.dates))


@command.command("add")
@click.argument("text")
@click.option(
    "--agent", default="", metavar="ROLE", help="Who found it out (default: the role here, or you)."
)
@click.option("--issue", type=click.IntRange(0), default=0, metavar="N", help="Where it belongs.")
@click.option(
    "--category", type=click.Choice(_CATEGORIES), default=Category.KEY_FACT.value, show_default=True
)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file it speaks of.")
@click.pass_obj
def add(
    invocation: Invocation,
    text: str,
    agent: str,
    issue: int,
    category: str,
    files: tuple[str, ...],
) -> None:
    """Remember something, in at most 2,000 characters."""
    from agentx.daemon.door import prepare_next
    from agentx.operations.memory.write import NewObservation, memory_add

    draft = NewObservation(text=text, agent=agent, issue=issue, category=category, files=files)
    kept = memory_add(invocation.project, draft)
    if len(text.strip()) > OBSERVATION_CHARS_MAX:
        invocation.talk.print(f"only the first {OBSERVATION_CHARS_MAX:,} characters were kept")
    invocation.show({"id": kept.id}, lambda screen: screen.print(kept.id))
    prepare_next(invocation.project)


@command.command("remove")
@click.argument("observation_id", metavar="ID")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(invocation: Invocation, observation_id: str, yes: bool) -> None:
    """Take an observation away for good."""
    from agentx.operations.memory.write import memory_remove

    found = memory_read.memory_show(invocation.project, observation_id).observation
    if not (yes or invocation.as_json) and sys.stdin.isatty():
        said = render.line(found.summary, 70)
        ask(f"Remove for good: {said}?", or_leave=True)
    done = memory_remove(invocation.project, observation_id)
    lines = (f"removed {observation_id}", *render.say_left(done.exports, done.copies))
    data = {"removed": observation_id, "exports": done.exports, "copies": done.copies}
    invocation.show(data, lambda screen: screen.print("\n".join(lines), soft_wrap=True))


@command.command("compact")
@click.option("--issue", type=click.IntRange(0), metavar="N", help="Only this issue.")
@click.option(
    "--older-than",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Merge what is older [default: 90].",
)
@click.pass_obj
def compact(invocation: Invocation, issue: int | None, older_than: int | None) -> None:
    """Merge related old observations; their originals go to the archive."""
    from agentx.operations.memory.write import memory_compact

    done = behind_progress(
        invocation,
        lambda told: memory_compact(
            invocation.project, issue=issue, older_than_days=older_than, told=told
        ),
        "merging issues",
    )

    def draw(screen: Console) -> None:
        if not done.archived:
            screen.print("Nothing to merge: what is old stands alone, or nothing is old enough.")
            return
        merged = render.count(len(done.merged), "new one")
        screen.print(
            f"merged {render.count(done.archived, 'observation')} of"
            f" {render.count(done.issues, 'issue')} into {merged}"
        )
        screen.print("the originals are kept in the archive: agentx memory show ID", style="dim")

    invocation.show(done, draw)


@command.command("migrate")
@click.option("--to", required=True, type=click.Choice(("json", "sqlite")))
@click.pass_obj
def migrate(invocation: Invocation, to: str) -> None:
    """Keep observations in SQLite, or in JSON files again; verified before it switches."""
    from agentx.operations.memory.write import memory_migrate

    done = behind_progress(
        invocation, lambda told: memory_migrate(invocation.project, to, told), "moving observations"
    )

    def draw(screen: Console) -> None:
        screen.print(
            f"{render.count(done.observations, 'observation')} and"
            f" {render.count(done.archived, 'original')} in the archive are now kept in {to}"
        )
        screen.print(f"digest of all of them: {done.digest}", style="dim")
        screen.print(f"the old store is kept in {done.kept_aside}", style="dim", soft_wrap=True)

    invocation.show(done, draw)


@command.command("verify")
@click.pass_obj
def verify(invocation: Invocation) -> None:
    """Check observations against git: whose files changed since, and what was taken back."""
    from agentx.operations.memory.check import memory_verify

    found = behind_progress(
        invocation, lambda told: memory_verify(invocation.project, told), "checking observations"
    )

    def draw(screen: Console) -> None:
        screen.print(
            f"checked {render.count(found.checked, 'observation')}: {found.stale:,} with files"
            f" changed since, {found.superseded:,} superseded; {found.amended:,} marked anew"
        )
        for name in found.missing:
            screen.print(f"{name} is not there as a person had it kept: `agentx doctor` says more")
        for name in found.unverified:
            if name not in found.missing:
                screen.print(f"{name} claims a person, who did not have it kept in these words")
        for line in found.damaged:
            screen.print(line, soft_wrap=True)

    invocation.show(found, draw)


@command.command("budget")
@click.option("--agent", default="", metavar="ROLE", help="Who is about to start.")
@click.option("--issue", type=click.IntRange(0), default=0, metavar="N", help="On which issue.")
@click.option("--context", default="", metavar="TEXT", help="What the work is about.")
@click.option(
    "--session",
    "session_id",
    default="",
    metavar="ID",
    help="Instead: how full this session's context is, and what compaction would leave.",
)
@click.pass_obj
def budget(invocation: Invocation, agent: str, issue: int, context: str, session_id: str) -> None:
    """Show what a session would begin with, and how much of it is recalled memory."""
    if session_id:
        from agentx.operations.memory.session import session_budget

        with invocation.reading() as memory:
            invocation.freshen(memory, views=False)
            measured = session_budget(invocation.project, memory, session_id)
        invocation.show(measured, lambda screen: screen.print(measured.report))
        return
    from agentx.operations.memory.check import memory_budget

    found = memory_budget(invocation.project, agent=agent, issue=issue or None, context=context)
    invocation.show(found, lambda screen: screen.print(found.report))


@command.command("stats")
@click.pass_obj
def stats(invocation: Invocation) -> None:
    """Show what is kept, and how captures, recalls and searches went lately."""
    from agentx.operations.memory.stats import memory_stats

    found = memory_stats(invocation.project)
    invocation.show(found, lambda screen: _draw_stats(screen, found, invocation.dates))


def _filters(invocation: Invocation, *, limit: int | None = None, **given: Any) -> SearchFilters:
    now_ms = invocation.project.clock.now_ms()

    def moment(said: str) -> Millis | None:
        return point(said, now_ms=now_ms, zone=render.local_zone()) if said else None

    return SearchFilters(
        agent=given["agent"],
        issue_number=given["issue"],
        category=None if given["category"] is None else Category(given["category"]),
        since_ms=moment(given["since"]),
        until_ms=moment(given["until"]),
        limit=limit,
    )


def _show_rows(invocation: Invocation, found: tuple[ObservationIndex, ...], nothing: str) -> None:
    now_ms = invocation.project.clock.now_ms()
    marks = memory_read.memory_marks(invocation.project, found)

    def draw(screen: Console) -> None:
        if not found:
            screen.print(nothing)
            return
        for row in found:
            issue = f"  issue {row.issue_number}" if row.issue_number else ""
            old = age(row.timestamp_ms, now_ms=now_ms)
            said = f"  {old}{issue}  {row.agent}  "
            screen.print(
                render.assemble(_kind(row.category), said, (row.id, "dim")), soft_wrap=True
            )
            mark = f"({marks[row.id]}) " if row.id in marks else ""
            said = printable(_doubt(row) + mark) + row.summary
            for line in lay(render.text("  "), render.text(said), screen.width, lines_max=3):
                screen.print(line)
            told = printable(f"({row.against})") if row.against else ""
            for line in lay(render.text("  "), render.text(told), screen.width) if told else ():
                screen.print(line)  # behind what was said, and never cut with it
            screen.print()
        screen.print("open one: agentx memory show ID", style="dim")

    invocation.show({"observations": found, "elsewhere": marks}, draw)


def _doubt(row: ObservationIndex) -> str:
    pinned = "(pinned) " if row.pinned else ""
    if row.superseded_by:
        return f"{pinned}(superseded) "
    return f"{pinned}{'(files changed since) ' if row.stale else ''}"


def _kind(category: Category) -> tuple[str, str]:
    return category, _STYLES[category]


def _draw_one(screen: Console, shown: memory_read.Shown, away: str, dates: Dates) -> None:
    found, learnt_on = shown.observation, str(shown.learnt_on)
    issue = f"issue {found.issue_number}" if found.issue_number else "no issue"
    whose = f"  {issue}  {found.agent}  "
    screen.print(render.assemble(_kind(found.category), whose, (found.id, "dim")))
    old = age(found.timestamp_ms, now_ms=dates.now_ms)
    screen.print(f"{dates.say(found.timestamp_ms)} ({old}), {found.tokens} tokens", style="dim")
    screen.print()
    screen.print(printable(found.content), soft_wrap=True)
    facts = (
        ("pinned: told at the start of every session", found.pinned),
        (f"mended by hand {dates.say(found.mended_ms)}", found.mended_ms),
        (away, away),
        (learnt_on, learnt_on),
        (f"superseded by {found.superseded_by}", found.superseded_by),
        (printable(found.against), found.against),
        (f"holds instead of {', '.join(shown.replaced)}", shown.replaced),
        (f"changed since it was written: {', '.join(found.changed_files)}", found.changed_files),
        (f"files: {', '.join(found.files)}", found.files),
        (f"commit: {found.commit}", found.commit),
        (f"session: {found.session_id}", found.session_id),
        (f"events: {', '.join(found.event_ids)}", found.event_ids),
        (f"merged from: {', '.join(found.sources)}", found.sources),
    )
    said = [text for text, known in facts if known]
    if said:
        screen.print()
    for text in said:
        screen.print(printable(text), style="dim", soft_wrap=True)


def _draw_stats(screen: Console, found: MemoryStats, dates: Dates) -> None:
    store = found.store
    state = "" if found.enabled else ", switched off (memory.enabled)"
    screen.print(
        f"{render.count(store.total_observations, 'observation')} of"
        f" {render.count(store.issue_count, 'issue')}, {store.total_tokens:,} tokens,"
        f" {render.size(store.bytes_on_disk)} in {found.backend}{state}"
    )
    if store.oldest_ms is not None and store.newest_ms is not None:
        screen.print(
            f"{dates.say_span(store.oldest_ms, store.newest_ms)}"
            f" ({age(store.newest_ms, now_ms=dates.now_ms)})",
            style="dim",
        )
    for name, counts in (("kinds", store.by_category), ("agents", store.by_agent)):
        if counts:
            said = ", ".join(f"{word} {count:,}" for word, count in counts.items())
            screen.print(f"{name}: {said}")
    screen.print(
        f"superseded {store.superseded:,}, with files changed since {store.stale:,},"
        f" merged away {store.archived:,}"
    )
    screen.print()
    table = render.table("LATELY", ">TIMES", ">OBSERVATIONS", ">TOKENS", ">MEDIAN", ">WORST")
    for name, row in (
        ("captures", found.captures),
        ("recalls", found.recalls),
        ("searches", found.searches),
    ):
        table.add_row(
            name,
            f"{row.times:,}",
            f"{row.observations:,}",
            f"{row.tokens:,}",
            f"{row.median_ms:,.0f} ms",
            f"{row.worst_ms:,.0f} ms",
        )
    screen.print(table)
    screen.print(
        f"\nrecall displaced {found.displaced_tokens:,} tokens of reading again; it may use"
        f" {found.max_tokens:,} a session (memory.maxTokens)"
    )
    if found.captures_skipped:
        screen.print(f"captures skipped: {found.captures_skipped}", style="yellow")
    for sentence in found.alerts:
        screen.print(f"! {sentence}", style="yellow")
