"""`agentx status`: what is remembered, and what is running."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from agentx.daemon.presence import is_served
from agentx.kernel.clock import age
from agentx.kernel.text import printable, show_name
from agentx.operations.capture.waiting import WaitingRecords, sum_up
from agentx.operations.upkeep.status import RoomsStatus, StatusReply, ToldStatus, status
from agentx.operations.upkeep.strangers import SHOW_TRUST
from agentx.project.settings import DaemonSettings
from agentx.search.model import TextIndexState
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.layout import lay, lay_facts, shorten_home
from agentx.surfaces.dates import Dates

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.project.project import Project


@click.command(cls=Verb)
@click.pass_obj
def command(invocation: Invocation) -> None:
    """Show what is remembered of this project, and what is running."""
    with invocation.reading() as memory:
        reply = status(invocation.project, memory)
    by_itself = invocation.project.config.section(DaemonSettings).auto
    home = str(invocation.environment.homes.home) if invocation.screen.is_terminal else ""

    def draw(screen: Console) -> None:
        past = _tell_past(invocation.project) if not reply.memory.log.sessions else []
        daemon = tell_daemon(reply, invocation.project, by_itself=by_itself)
        _draw(screen, reply, invocation.dates, home, daemon=daemon, past=past)

    invocation.show(reply, draw)


def _tell_past(project: Project) -> list[tuple[str, str]]:
    """Say what could be remembered, where nothing is: sessions that nobody took in yet."""
    from agentx.operations.capture.import_history import survey_history

    found = survey_history(project).harnesses
    count = sum(one.transcripts for one in found)
    if not count:
        return []
    size = render.size(sum(one.bytes for one in found))
    return [("waiting", f"{render.count(count, 'past session')}, {size}: `agentx import`")]


def _draw(
    screen: Console,
    reply: StatusReply,
    dates: Dates,
    home: str,
    *,
    daemon: str,
    past: list[tuple[str, str]],
) -> None:
    log = reply.memory.log
    where = f"{shorten_home(show_name(reply.root), home)} (by {reply.rule})"
    facts = (render.text(reply.project_id, style="bold"), render.text(where, style="dim"))
    for line in lay_facts(facts, screen.width, indent=2):
        screen.print(line)
    if reply.git_refuses:
        screen.print(printable(reply.git_refuses), style="yellow", soft_wrap=True)
    rows: list[tuple[str, str]] = [
        (
            "remembered",
            f"{render.count(log.events, 'event')} in {render.count(log.sessions, 'session')}",
        )
    ]
    rows += past
    if log.first_ms is not None and log.last_ms is not None:
        span = dates.say_span(log.first_ms, log.last_ms)
        rows.append(("", f"{span}, last {age(log.last_ms, now_ms=dates.now_ms)}"))
    for harness, count in log.by_harness.items():
        rows.append(("", f"{harness}: {count:,}"))
    if log.forgotten:
        rows.append(("forgotten", render.count(log.forgotten, "event")))
    if log.resumed:
        went_on = f"{render.count(log.resumed, 'forgotten session')} went on"
        rows.append(("", f"{went_on}: what came since is remembered"))
    rows += [("live" if at == 0 else "", one) for at, one in enumerate(_live(reply, dates))]
    if reply.role.source:
        said = reply.role.role or "none"
        rows.append(("role", f"{said} (by {render.name_source(reply.role.source)})"))
    rows += _rooms(reply.rooms)
    rows += _tell_told(reply.told)
    rows += _spool(reply.waiting)
    held = render.size(log.bytes_on_disk) if log.bytes_on_disk else "none yet; it will lie"
    rows.append(("store", f"{held} in {shorten_home(reply.store, home)}"))
    rows.append(("daemon", daemon))
    rows.append(("words", _words(reply.indexes.text)))
    spent = reply.memory.spending
    if spent is not None:
        used = f"{spent.tokens:,} of {spent.tokens_max:,} tokens"
        paid = f"${spent.usd:.2f} of ${spent.usd_max:.2f}"
        calls = render.count(spent.calls, "call")
        rows.append(("model", f"{spent.model}: {used}, {paid} today, {calls}"))
    if reply.model_rests:
        rows.append(("", reply.model_rests))
    rows += _list_hooks(reply)
    rows += [("untrusted", line) for line in reply.untrusted]
    if reply.untrusted:
        rows.append(("", f"look, then decide: `{SHOW_TRUST}`"))
    rows += [("settings", f"{fault.says}: {fault.mend}") for fault in reply.passed_over]
    for name, text in rows:
        for line in lay(render.text(f"  {name:<12}"), render.text(text), screen.width):
            screen.print(line)


def _live(reply: StatusReply, dates: Dates) -> list[str]:
    """Tell which sessions go on, and on which branch."""
    return [
        f"{one.harness}{f' as {one.agent}' if one.agent else ''}"
        f"{f' on {one.branch}' if one.branch else ''}, {dates.say(one.last_ms)},"
        f" {one.short_id or one.session_id}"
        for one in reply.live
    ]


def _spool(groups: tuple[WaitingRecords, ...]) -> list[tuple[str, str]]:
    """Tell what lies in the spools, what is this project's own first."""
    rows = [f"{render.count(one.records, 'record')} {one.says}" for one in sum_up(groups)]
    if any(one.is_stuck for one in groups):
        rows.append("what to do: `agentx doctor`")
    return [("spool" if at == 0 else "", row) for at, row in enumerate(rows or ["empty"])]


def _rooms(rooms: RoomsStatus) -> list[tuple[str, str]]:
    rows = []
    if rooms.observations or rooms.lessons:
        learnt = f"{render.count(rooms.observations, 'observation')}"
        lessons = f", {render.count(rooms.lessons, 'lesson')} of runs" if rooms.lessons else ""
        rows.append(("learnt", learnt + lessons))
    said = tell_questions(rooms)
    rows += [("" if at else "questions", row) for at, row in enumerate(said)]
    if rooms.active_run:
        rows.append(("run", rooms.active_run))
    return rows


def tell_questions(rooms: RoomsStatus) -> Iterator[str]:
    """Yield what is asked, and who has to see to it."""
    if rooms.questions_yours:
        yield f"{len(rooms.questions_yours):,} for you: `agentx clarify inbox`"
    if among := rooms.questions_between_agents:
        yield f"{among:,} open between agents: `agentx clarify`"
    if answered := rooms.questions_answered:
        yield f"{answered:,} answered, for who asked to go on: `agentx clarify`"
    if rooms.questions_contested:
        yield f"{len(rooms.questions_contested):,} contested: `agentx clarify inbox`"
    if rooms.questions_unread:
        of = render.count(rooms.questions_unread, "issue")
        yield f"those of {of} cannot be read, and still wait: `agentx doctor`"


def _tell_told(told: ToldStatus) -> list[tuple[str, str]]:
    """Say how much of what sessions were told was wanted."""
    if not told.lines:
        return []
    moments = {"at prompts": told.at_prompts, "at actions": told.at_actions}
    lately = ", ".join(f"{count:,} {where}" for where, count in moments.items() if count)
    said = f"{render.count(told.lines, 'line')}, {told.things:,} different"
    opened = f"; {told.opened:,} opened" + (f"; lately {lately}" if lately else "")
    return [("told", said + opened)]


def _words(state: TextIndexState) -> str:
    if not state.ready:
        return "not yet indexed: `agentx sync`"
    left = f"; {state.entries_left:,} log entries behind" if state.entries_left else ""
    return f"{render.count(state.passages, 'passage')}, {render.size(state.bytes_on_disk)}{left}"


def _list_hooks(reply: StatusReply) -> Iterator[tuple[str, str]]:
    """Say which agent CLIs call AgentX, and which do not as this version would have it."""
    name = "hooks"
    if reply.hooks or not reply.hooks_differing:
        yield name, ", ".join(reply.hooks) or "none: `agentx init` installs them"
        name = ""
    for each in reply.hooks_differing:
        yield name, f"{each}: not as this version has them, `agentx setup {each}`"
        name = ""
    if reply.editors:
        yield "editors", f"{', '.join(reply.editors)}: can ask; nothing of it is captured"


def tell_daemon(reply: StatusReply, project: Project, *, by_itself: bool) -> str:
    """Say whether a daemon runs, and what may be done where none answers."""
    if reply.memory.served_by != "daemon":
        if is_served(project.store):
            return "there, and did not answer: `agentx daemon status`"
        if by_itself:
            return "not running: a session starts it, or `agentx daemon start`"
        return "not running: `agentx daemon start`, or `agentx sync` now and then"
    minutes = reply.memory.daemon_uptime_ms // 60_000
    return f"running, pid {reply.memory.daemon_pid}, for {minutes} min"
