"""What the commands of runs have in common: which run, who speaks, what is said back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import preview, printable
from agentx.runs.model import ORCHESTRATOR
from agentx.runs.rendering import event_line
from agentx.runs.replies import Told
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation

if TYPE_CHECKING:
    from rich.console import Console

_NAMED = "agentx.run"  # the run that an option names

Command = TypeVar("Command", bound=Callable[..., Any])


def of_run(command: Command) -> Command:
    """Add `--run`."""
    return click.option(
        "--run",
        "run_id",
        metavar="RUN",
        default="",
        help="Default: that of the lane you stand in, of AGENTX_RUN, or the only one in progress.",
    )(command)


def about_run(command: Command) -> Command:
    """Add the argument RUN; `--run`, as most commands take it, is understood as well."""

    def choose(context: click.Context, _given: click.Parameter, run_id: str) -> str:
        return run_id or str(context.meta.get(_NAMED, ""))

    def note(context: click.Context, _given: click.Parameter, run_id: str) -> None:
        context.meta[_NAMED] = run_id

    with_option = click.option(
        "--run", default="", hidden=True, is_eager=True, expose_value=False, callback=note
    )
    with_argument = click.argument(
        "run_id", metavar="RUN", required=False, default="", callback=choose
    )
    return with_argument(with_option(command))


def by_actor(command: Command) -> Command:
    """Add `--actor`, and `--run`."""
    return of_run(
        click.option(
            "--actor",
            default=ORCHESTRATOR,
            show_default=True,
            help="Who says so, such as executor.",
        )(command)
    )


def details(given: tuple[str, ...]) -> dict[str, Any]:
    """Return `--detail k=v` as a mapping; one name given twice is a list.

    Raises: InvalidValue.
    """
    found: dict[str, Any] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not name.strip():
            raise InvalidValue(f"{each[:60]!r} is not a detail", hint="use --detail name=value")
        key = name.strip()
        if key not in found:
            found[key] = value
        elif isinstance(found[key], list):
            found[key].append(value)
        else:
            found[key] = [found[key], value]
    return found


def tell(invocation: Invocation, told: Told, **extra: object) -> None:
    """Say what was recorded, and where the run stands now."""
    run = told.run
    data = {
        "run_id": run.id,
        "status": str(run.status),
        "phase": str(run.phase),
        "events": [
            {
                "event_id": event.id,
                "timestamp_ms": event.at_ms,
                "actor": event.actor,
                "type": event.kind,
                "task": event.task,
                "lane": event.lane,
                "detail": dict(event.detail),
            }
            for event in told.added
        ],
        "remarks": told.remarks,
        **extra,
    }
    invocation.show(data, lambda screen: draw_told(screen, told, str(extra.get("asked", ""))))


def draw_told(screen: Console, told: Told, asked: str = "") -> None:
    """Draw what was recorded; where that is an answer, with what was asked."""
    for event in told.added:
        screen.print(render.text(printable(event_line(event, told.run))), soft_wrap=True)
    if asked:
        screen.print(render.text(f"asked: {printable(preview(asked, 400))}"), soft_wrap=True)
    if not told.added:
        screen.print("nothing new: it was so already", style="dim")
    for remark in told.remarks:
        screen.print(render.text(f"note: {printable(remark)}"), style="yellow", soft_wrap=True)
    line = f"{told.run.id}  {told.run.phase}, {told.run.status}"
    screen.print(line, style="dim", soft_wrap=True)
