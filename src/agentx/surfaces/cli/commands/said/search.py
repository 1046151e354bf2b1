"""`agentx search`: everything remembered, by words and by time."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from agentx.daemon.door import open_other
from agentx.kernel.clock import Millis, point
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import printable
from agentx.memory.found import (
    KINDS,
    MODES,
    REMEMBERED,
    SearchHit,
    SearchReply,
    SearchRequest,
)
from agentx.operations.recall.everywhere import (
    CONSENT,
    EverywhereReply,
    check_consent,
    search_everywhere,
)
from agentx.operations.recall.origins import mark_reply
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.layout import lay, lay_facts
from agentx.surfaces.cli.screen import ask
from agentx.surfaces.dates import Dates

_LEVELS = {level: level for level in ("year", "month", "week", "day")}


@click.command(cls=Verb)
@click.argument("query", default=None, required=False)
@click.option(
    "--kind",
    type=click.Choice((*KINDS, "all")),
    default=None,
    help="Only this kind; without it, everything but lines of the table of contents.",
)
@click.option("--agent", default="", metavar="ROLE", help="Only this role.")
@click.option("--harness", default="", metavar="NAME", help="Only this agent CLI.")
@click.option("--role", default="", metavar="WHO", help="Only user, assistant or tool.")
@click.option("--session", "session_id", default="", metavar="ID", help="Only this session.")
@click.option("--issue", default="", metavar="N", help="Only this issue.")
@click.option("--since", default="", metavar="T", help="From this time: 2026-03-02, 7d.")
@click.option("--until", default="", metavar="T", help="Before this time.")
@click.option("--mode", default="auto", show_default=True, metavar=f"[{'|'.join(MODES)}]")
@click.option("--limit", default=10, show_default=True, metavar="N")
@click.option("--like", default="", metavar="ID", help="What says the same, instead of a QUERY.")
@click.option("--all-projects", is_flag=True, help="Every project on this machine.")
@click.option("--explain", is_flag=True, help="Show the plan, and why each hit is there.")
@click.pass_obj
def command(invocation: Invocation, /, **given: str | int | bool | None) -> None:
    """Find anything ever said: by words, "exact phrases", beginnings* and time.

    Plain questions work too: "what did we decide about retries last week?", and those that ask
    for a time alone: "yesterday", "what did Codex do on Friday?", "where did we stop?", "what is
    left to do?".
    """
    if (given["query"] is None) != bool(given["like"]):
        raise click.UsageError("give a QUERY, or --like ID")
    everywhere = bool(given.pop("all_projects"))
    if everywhere:
        _agree(invocation)
    request = _request(invocation, **given)
    with invocation.reading() as memory:
        invocation.freshen(memory)
        reply = SearchReply(hits=()) if everywhere else memory.search(request)
    reply = mark_reply(invocation.project, reply)
    if everywhere:
        # After the project's own store is closed: it is opened again like all others.
        found = search_everywhere(invocation.project, open_other, request)
        invocation.show(found, lambda screen: _draw_everywhere(screen, found, invocation.dates))
    else:
        invocation.show(reply, lambda screen: _draw(screen, reply, invocation.dates))


def _agree(invocation: Invocation) -> None:
    """See to it that the user agreed to have other projects searched: asked once, on a terminal."""
    try:
        check_consent(invocation.project)
    except InvalidValue:
        if invocation.as_json or not sys.stdin.isatty():
            raise
        ask("Let searches look into every project on this machine, when asked to?", or_leave=True)
        # Asked once in a life.
        from agentx.operations.setup.settings import SettingPlace, set_setting

        where = Path(invocation.project_directory or Path.cwd())
        set_setting(invocation.environment, where, CONSENT, "true", SettingPlace.USER)
        del invocation.project  # its settings are others now


def _request(invocation: Invocation, **given: str | int | bool | None) -> SearchRequest:
    now_ms = invocation.project.clock.now_ms()

    def moment(word: str) -> Millis | None:
        said = str(given[word])
        return point(said, now_ms=now_ms, zone=render.local_zone()) if said else None

    kind = given["kind"]
    return SearchRequest(
        query=str(given["query"] or ""),
        kinds=KINDS if kind == "all" else (str(kind),) if kind else REMEMBERED,
        agent=str(given["agent"]),
        harness=str(given["harness"]),
        role=str(given["role"]),
        session_id=str(given["session_id"]),
        issue=str(given["issue"]),
        since_ms=moment("since"),
        until_ms=moment("until"),
        now_ms=now_ms,
        mode=str(given["mode"]),
        limit=int(given["limit"] or 0),
        explain=bool(given["explain"]),
        like=str(given["like"]),
    )


def _draw(screen: Console, reply: SearchReply, dates: Dates) -> None:
    for line in reply.plan:
        screen.print(line, style="dim")
    if reply.plan:
        screen.print(f"layers: {', '.join(reply.layers)}\n", style="dim")
    _draw_notes(screen, reply.notes)
    if not reply.hits:
        if not reply.notes:
            screen.print("Nothing found.")
        return
    for hit in reply.hits:
        draw_hit(screen, hit, dates)
    screen.print("open one: agentx show ID", style="dim")


def _draw_notes(screen: Console, notes: tuple[str, ...]) -> None:
    for note in notes:
        screen.print(note, style="cyan")
    if notes:
        screen.print()


def _draw_everywhere(screen: Console, found: EverywhereReply, dates: Dates) -> None:
    _draw_notes(screen, found.notes)
    for hit in found.hits:
        screen.print(hit.project, style="bold")
        draw_hit(screen, hit, dates)
    if not found.hits:
        screen.print("Nothing found.")
    screen.print(f"looked in {render.count(len(found.searched), 'project')}", style="dim")
    for passed in found.passed_over:
        hint = f" ({passed.hint})" if passed.hint else ""
        screen.print(f"passed over {passed.project}: {passed.message}{hint}", style="yellow")


def _source(hit: SearchHit) -> Text:
    """Return who said it, or what it is: what was made of words is not taken for them."""
    issue = f"issue {hit.issue}" if hit.issue else ""
    if hit.kind == "event":
        said = render.harness(hit.harness).append(f"  {hit.role}")
        said.append(f"  {hit.agent}" if hit.agent else "")
        return said.append(_say_origin(hit), style="not bold yellow")
    facts = "  ".join(filter(None, (hit.harness, hit.agent, issue)))
    made = Text(_kind(hit), style="bold magenta")
    made.append(_say_origin(hit), style="not bold yellow")
    return made.append(f"  {facts}" if facts else "", style="not bold default")


def _say_origin(hit: SearchHit) -> str:
    """Return what must be told of a hit: words of others may stand in it."""
    return f"  {printable(hit.origin)}" if hit.origin else ""


def _kind(hit: SearchHit) -> str:
    """Return what a hit is: of a node of the table of contents, how much it covers."""
    if hit.kind == "toc_node":
        return _LEVELS.get(hit.doc_id.split(":")[1], "session")
    return hit.kind.replace("_", " ")


def draw_hit(screen: Console, hit: SearchHit, dates: Dates) -> None:
    """Draw one thing that was found; its snippet is somebody's words, and offers no command."""
    when = Text(dates.say(hit.timestamp_ms), style="dim")
    for line in lay_facts((when, _source(hit), Text(hit.doc_id, style="dim")), screen.width):
        screen.print(line)
    body = Text(hit.snippet)
    for start, end in hit.marks:
        body.stylize("bold yellow", start, end)
    for line in lay(Text("  "), body, screen.width, quoted=len(body)):
        screen.print(line)
    more = f"and {hit.alike:,} more like it: agentx search --like {hit.doc_id}"
    told = (
        ("  ", more if hit.alike else ""),
        ("  also: ", ", ".join(hit.made_of)),
        ("  why: ", "; ".join(hit.why)),
    )
    for head, said in told:
        if said:
            for line in lay(Text(head), Text(said), screen.width):
                screen.print(line, style="dim")
    screen.print()
