"""`agentx logs`: AgentX's own structured log, and the audit log."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from agentx.operations.upkeep.logs import audit, logs
from agentx.surfaces.cli.frame import Invocation, Verb


@click.command(cls=Verb)
@click.option("--limit", default=50, show_default=True, metavar="N")
@click.option("--event", default="", metavar="NAME", help="Only records of this name.")
@click.option(
    "--audit",
    "audited",
    is_flag=True,
    help="What was trusted, forgotten, exported, restored or read across projects: all projects.",
)
@click.pass_obj
def command(invocation: Invocation, limit: int, event: str, audited: bool) -> None:
    """Show AgentX's own log, oldest first."""
    read = audit if audited else logs
    records = read(invocation.project, limit=limit, event=event)
    invocation.show({"records": records}, lambda screen: _draw(screen, records))


def _draw(screen: Console, records: tuple[dict[str, object], ...]) -> None:
    if not records:
        screen.print("The log is empty.")
    for record in records:
        known = {"time", "level", "event"}
        fields = "  ".join(f"{name}={value}" for name, value in record.items() if name not in known)
        style = {"error": "red", "warning": "yellow"}.get(str(record.get("level")), "")
        row = Text(f"{record.get('time', '')}  ", style="dim")
        screen.print(
            row.append(f"{record.get('event', '')}  ", style=style or "bold").append(fields)
        )
