"""`agentx config`: settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agentx.kernel.errors import NotFound
from agentx.project.config import USER_ONLY, SettingRow, set_value, unset_value
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup

if TYPE_CHECKING:
    from rich.console import Console


@click.group(cls=VerbGroup, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Write data as JSON on stdout.")
@click.option("--project", metavar="DIR", default="", help="The project's folder (default: here).")
@click.pass_context
def command(ctx: click.Context, as_json: bool, project: str) -> None:
    """Show every setting, its value and where that comes from; set and unset them.

    Order: environment, then .agentx/config.toml, then the user's file, then the default.
    """
    invocation: Invocation = ctx.obj
    invocation.as_json = invocation.as_json or as_json
    invocation.project_directory = project or invocation.project_directory
    if ctx.invoked_subcommand is None:
        rows = tuple(invocation.project.config.rows.values())
        invocation.show({"settings": rows}, lambda screen: _draw(screen, rows))


@command.command("get")
@click.argument("key")
@click.pass_obj
def get(invocation: Invocation, key: str) -> None:
    """Print the value of one setting."""
    row = invocation.project.config.rows.get(key)
    if row is None:
        raise NotFound(f"{key} is not a setting", hint="`agentx config` lists them")
    invocation.show(row, lambda screen: screen.print(_say(row.value)))


@command.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--user", is_flag=True, help="For all projects of this user.")
@click.pass_obj
def set_(invocation: Invocation, key: str, value: str, user: bool) -> None:
    """Write one setting into the project's file."""
    path = _path(invocation, user=user or key in USER_ONLY)
    kept = set_value(path, key, value)
    reply = {"key": key, "value": kept, "file": str(path)}
    invocation.show(reply, lambda screen: screen.print(f"{key} = {_say(kept)}  ({path})"))


@command.command("unset")
@click.argument("key")
@click.option("--user", is_flag=True, help="In the user's file.")
@click.pass_obj
def unset(invocation: Invocation, key: str, user: bool) -> None:
    """Take one setting out of the file, so that the default counts again."""
    path = _path(invocation, user=user)
    was_there = unset_value(path, key)
    said = f"{key} is no longer set in {path}" if was_there else f"{key} was not set in {path}"
    invocation.show(
        {"key": key, "removed": was_there, "file": str(path)}, lambda screen: screen.print(said)
    )


def _path(invocation: Invocation, *, user: bool) -> Path:
    if user:
        return invocation.environment.user_settings
    return invocation.project.paths.settings


def _say(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


def _draw(screen: Console, rows: tuple[SettingRow, ...]) -> None:
    table = render.table("SETTING", "VALUE", "FROM", "WHAT IT DOES")
    for row in rows:
        table.add_row(row.key, _say(row.value), row.source, row.about)
    screen.print(table)
