"""`agentx search`: everything remembered, by words and by time."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from agentx.app.found import KINDS, MODES, SearchHit, SearchReply, SearchRequest
from agentx.kernel.clock import Millis
from agentx.kernel.when import age, point
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb


@click.command(cls=Verb)
@click.argument("query")
@click.option("--kind", type=click.Choice((*KINDS, "all")), default="event", show_default=True)
@click.option("--agent", default="", metavar="ROLE", help="Only this role.")
@click.option("--harness", default="", metavar="NAME", help="Only this agent CLI.")
@click.option("--role", default="", metavar="WHO", help="Only user, assistant or tool.")
@click.option("--session", "session_id", default="", metavar="ID", help="Only this session.")
@click.option("--issue", default="", metavar="N", help="Only this issue.")
@click.option("--since", default="", metavar="T", help="From this time: 2026-03-02, 7d.")
@click.option("--until", default="", metavar="T", help="Before this time.")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True)
@click.option("--limit", default=10, show_default=True, metavar="N")
@click.option("--explain", is_flag=True, help="Show the plan, and why each hit is there.")
@click.pass_obj
def command(invocation: Invocation, /, **given: str | int | bool) -> None:
    """Find anything ever said: by words, "exact phrases", beginnings* and time.

    Plain questions work too: "what did we decide about retries last week?"
    """
    request = _request(invocation, **given)
    with invocation.memory() as memory:
        memory.drain()
        memory.catch_up()
        reply = memory.search(request)
    now_ms = invocation.project.clock.now_ms()
    invocation.show(reply, lambda screen: _draw(screen, reply, now_ms))


def _request(invocation: Invocation, **given: str | int | bool) -> SearchRequest:
    now_ms = invocation.project.clock.now_ms()

    def moment(word: str) -> Millis | None:
        said = str(given[word])
        return point(said, now_ms=now_ms, zone=render.local_zone()) if said else None

    kind = str(given["kind"])
    return SearchRequest(
        query=str(given["query"]),
        kinds=KINDS if kind == "all" else (kind,),
        agent=str(given["agent"]),
        harness=str(given["harness"]),
        role=str(given["role"]),
        session_id=str(given["session_id"]),
        issue=str(given["issue"]),
        since_ms=moment("since"),
        until_ms=moment("until"),
        now_ms=now_ms,
        mode=str(given["mode"]),
        limit=int(given["limit"]),
        explain=bool(given["explain"]),
    )


def _draw(screen: Console, reply: SearchReply, now_ms: int) -> None:
    for line in reply.plan:
        screen.print(line, style="dim")
    if reply.plan:
        screen.print(f"layers: {', '.join(reply.layers)}\n", style="dim")
    if not reply.hits:
        screen.print("Nothing found.")
        return
    for hit in reply.hits:
        _draw_hit(screen, hit, now_ms)
    screen.print("open one: agentx show ID", style="dim")


def _draw_hit(screen: Console, hit: SearchHit, now_ms: int) -> None:
    head = Text(f"{render.moment(hit.timestamp_ms)} ", style="dim")
    head.append(f"({age(hit.timestamp_ms, now_ms=now_ms)})  ", style="dim")
    head.append_text(render.harness(hit.harness)).append(f"  {hit.role or hit.kind}")
    screen.print(head.append(f"  {hit.doc_id}", style="dim"))
    body = Text("  " + hit.snippet)
    for start, end in hit.marks:
        body.stylize("bold yellow", start + 2, end + 2)
    screen.print(body)
    if hit.also:
        screen.print(f"  also: {', '.join(hit.also)}", style="dim")
    if hit.why:
        screen.print(f"  why: {'; '.join(hit.why)}", style="dim")
    screen.print()
