"""`agentx daemon`: the background process of a project's store."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agentx import __version__
from agentx.daemon import control
from agentx.daemon.address import tcp
from agentx.daemon.auto.keeping import make_way, serve_for_hooks
from agentx.daemon.control import Condition, DaemonState, Ending, Started
from agentx.daemon.launch import DaemonWish, launch, serve
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.screen import ask

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.daemon.servers import Offer, Places, Servers
    from agentx.operations.setup.service import ServiceReply

_EXIT_UNDECIDED = 2
_EXIT_NOT_ENABLED = 6
_MANAGER = click.option(
    "--manager",
    type=click.Choice(["systemd", "launchd"]),
    help="Whose file; without it that of whoever runs here.",
)
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.group(cls=VerbGroup)
def command() -> None:
    """Start and stop the background process of this project's store.

    It takes what hooks capture at once and serves gRPC on a Unix socket. Everything works without
    it: then each command opens the store itself.
    """


@command.command("start")
@click.option("--tcp", "listen", default="", metavar="HOST:PORT", help="Listen on TCP too.")
@click.option("--tls-cert", type=_FILE, help="PEM certificate: needed beyond loopback.")
@click.option("--tls-key", type=_FILE, help="PEM key of the certificate.")
@click.option("--foreground", is_flag=True, help="Stay in the foreground, for a service manager.")
@click.option("--idle-exit-ms", type=click.IntRange(min=0), default=0, hidden=True)
@click.option("--to-log", is_flag=True, hidden=True)
@click.option("--by-hook", is_flag=True, hidden=True)
@click.pass_obj
def start(
    invocation: Invocation,
    *,
    listen: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    foreground: bool,
    idle_exit_ms: int,
    to_log: bool,
    by_hook: bool,
) -> None:
    """Start the daemon, and return when it answers."""
    if by_hook:
        invocation.project_directory = str(Path(invocation.project_directory).absolute())
        serve_for_hooks(lambda: invocation.project, open_servers)
        return
    wish = DaemonWish(
        listen=listen, tls_certificate=tls_cert, tls_key=tls_key, idle_exit_ms=idle_exit_ms
    )
    if listen:
        tcp(listen, tls_cert, tls_key)  # refused here, where the user sees it, not in a log
    if not (to_log or idle_exit_ms):
        make_way(invocation.project.store)
    if foreground:
        serve(invocation.project, wish, open_servers, log_to_file=to_log)
        return
    started = launch(invocation.project, wish)
    now_ms = invocation.project.clock.now_ms()
    invocation.show(
        {**_tell(started.state, now_ms), "was_running": started.was_running},
        lambda screen: _draw_started(screen, started),
    )


@command.command("stop")
@click.pass_obj
def stop(invocation: Invocation) -> None:
    """Stop the daemon, and return when it is gone."""
    ending = control.stop(invocation.project.store)
    was_running = ending is not Ending.NOT_RUNNING
    invocation.show(
        {"was_running": was_running, "ending": ending.value},
        lambda screen: screen.print(f"the daemon {_speak(ending)}"),
    )


@command.command("status")
@click.pass_obj
def status(invocation: Invocation) -> None:
    """Say whether the daemon runs, and where it can be reached."""
    from agentx.daemon.door import is_held

    found = control.state(invocation.project.store)
    now_ms = invocation.project.clock.now_ms()
    runs = found.condition is Condition.RUNNING
    answers = runs and not is_held(invocation.project.store)

    def draw(screen: Console) -> None:
        _draw(screen, found, now_ms)
        if runs and not answers:
            screen.print("\nit does not answer: `agentx daemon stop` ends it", style="yellow")

    invocation.show({**_tell(found, now_ms), "answers": answers}, draw)


@command.command("install")
@_MANAGER
@click.option("--enable", is_flag=True, help="Have it started too, now and at every login.")
@click.option("--dry-run", is_flag=True, help="Show the file, and leave it.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_context
def install(
    ctx: click.Context, manager: str | None, enable: bool, dry_run: bool, yes: bool
) -> None:
    """Let systemd or launchd start the daemon of this project.

    Hooks start one anyway, which leaves when idle; this one stays. The file is shown before it is
    written, and `agentx daemon uninstall` takes it away again.
    """
    from agentx.operations.setup import service

    invocation: Invocation = ctx.obj
    chosen = service.choose_manager(manager)
    shown = service.install_service(invocation.project, chosen, dry_run=True)
    if shown.changed and not (dry_run or yes):
        _ask_for_it(ctx, shown)
    if not dry_run:
        shown = service.install_service(invocation.project, chosen, enable=enable)
    invocation.show(shown, lambda screen: _draw_service(screen, shown))
    if shown.enabled is False:
        ctx.exit(_EXIT_NOT_ENABLED)


@command.command("uninstall")
@_MANAGER
@click.option("--dry-run", is_flag=True, help="Show what would go, and leave it.")
@click.pass_obj
def uninstall(invocation: Invocation, manager: str | None, dry_run: bool) -> None:
    """Take away what `agentx daemon install` wrote, and nothing else."""
    from agentx.operations.setup import service
    from agentx.operations.upkeep.people import require_person_out

    if not dry_run:
        require_person_out(invocation.project, "its service is taken out", "daemon uninstall")
    chosen = service.choose_installed(invocation.project, manager)
    gone = service.remove_service(invocation.project, chosen, dry_run=dry_run)
    invocation.show(gone, lambda screen: _draw_service(screen, gone))


def _ask_for_it(ctx: click.Context, shown: ServiceReply) -> None:
    """Show the file and ask; where nobody can be asked, say how to go on and leave."""
    invocation: Invocation = ctx.obj
    if invocation.as_json or not sys.stdin.isatty():
        invocation.show(shown, lambda screen: _draw_service(screen, shown))
        invocation.talk.print("nothing was written: say `agentx daemon install --yes`")
        ctx.exit(_EXIT_UNDECIDED)
    _draw_service(invocation.talk, shown)
    ask("Write it?", or_leave=True)


def _draw_service(screen: Console, reply: ServiceReply) -> None:
    from agentx.operations.setup.service import list_words

    for row in reply.diff.splitlines() if reply.dry_run else ():
        screen.print(f"  {row}", soft_wrap=True)
    for line in list_words(reply):
        screen.print(line, soft_wrap=True)


def open_servers(offer: Offer, places: Places) -> Servers:
    """Return the servers that a daemon is handed: gRPC, and the hatch."""
    from agentx.surfaces.grpc import server as grpc  # only the daemon pays
    from agentx.surfaces.hatch.server import open_hatch  # as above

    opened = grpc.open_servers(offer, places)
    try:
        return replace(opened, hatch=open_hatch(offer, places))
    except BaseException:
        for server in opened:
            server.wait_until_ended()
        raise


def _tell(found: DaemonState, now_ms: int) -> dict[str, Any]:
    return {
        "state": found.condition.value,
        "pid": found.pid or None,
        "address": found.address or None,
        "tcp_address": found.tcp_address or None,
        "token_file": found.token_file or None,
        "version": found.version or None,
        "started_ms": found.started_ms,
        "uptime_ms": _uptime_ms(found, now_ms),
    }


def _uptime_ms(found: DaemonState, now_ms: int) -> int | None:
    return None if found.started_ms is None else max(0, now_ms - found.started_ms)


def _draw_started(screen: Console, started: Started) -> None:
    verb = "was running already" if started.was_running else "started"
    version = started.state.version
    of = f", of AgentX {version}" if version not in {"", __version__} else ""
    screen.print(f"the daemon {verb}, process {started.state.pid}{of}")
    _draw_addresses(screen, started.state)


def _draw(screen: Console, found: DaemonState, now_ms: int) -> None:
    match found.condition:
        case Condition.RUNNING:
            minutes = (_uptime_ms(found, now_ms) or 0) // 60_000
            screen.print(
                f"running, process {found.pid}, for {render.count(minutes, 'minute')}, "
                f"version {found.version}"
            )
            _draw_addresses(screen, found)
        case Condition.CHANGING:
            screen.print(f"starting or stopping, process {found.pid}")
        case Condition.STALE:
            screen.print(f"not running: process {found.pid} was killed")
            screen.print("\nhint: `agentx daemon start` clears up and starts anew", style="dim")
        case Condition.STOPPED:
            screen.print("not running")


def _draw_addresses(screen: Console, found: DaemonState) -> None:
    screen.print(f"  socket  {found.address}", soft_wrap=True)
    if found.tcp_address:
        screen.print(f"  tcp     {found.tcp_address}, token in {found.token_file}", soft_wrap=True)


def _speak(ending: Ending) -> str:
    if ending is Ending.KILLED:
        return "did not stop and was killed: nothing that was acknowledged is lost"
    return ending.value
