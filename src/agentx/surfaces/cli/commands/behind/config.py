"""`agentx config`: settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agentx.kernel.errors import InvalidValue, NotFound
from agentx.operations.setup.settings import (
    SettingPlace,
    list_settings,
    set_setting,
    unset_setting,
)
from agentx.project.config import SettingFault
from agentx.project.setting_rows import SettingRow
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, VerbGroup
from agentx.surfaces.cli.options import offer_settings

if TYPE_CHECKING:
    from rich.console import Console


@click.group(cls=VerbGroup, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Write data as JSON on stdout.")
@click.option("--project", metavar="DIR", default="", help="The project's folder (default: here).")
@click.pass_context
def command(ctx: click.Context, as_json: bool, project: str) -> None:
    """Show every setting, its value and where that comes from; set and unset them.

    Order: environment, then your own settings for this project (--here), then .agentx/config.toml
    as far as it is trusted and may set them, then your settings for all projects (--user), then
    the default.
    """
    invocation: Invocation = ctx.obj
    invocation.as_json = invocation.as_json or as_json
    invocation.project_directory = project or invocation.project_directory
    if ctx.invoked_subcommand is None:
        config = invocation.project.config
        rows = list_settings(invocation.project)
        reply = {"settings": rows, "passed_over": config.faults}
        invocation.show(reply, lambda screen: _draw(screen, rows, config.faults))


@command.command("get")
@click.argument("key", shell_complete=offer_settings)
@click.pass_obj
def get(invocation: Invocation, key: str) -> None:
    """Print the value of one setting."""
    row = invocation.project.config.rows.get(key)
    if row is None:
        raise NotFound(f"{key} is not a setting", hint="`agentx config` lists them")
    invocation.show(row, lambda screen: screen.print(_say(row.value)))


@command.command("set")
@click.argument("key", shell_complete=offer_settings)
@click.argument("value")
@click.option("--here", is_flag=True, help="For you alone, in this project.")
@click.option("--user", is_flag=True, help="For you alone, in all projects.")
@click.pass_obj
def set_(invocation: Invocation, key: str, value: str, here: bool, user: bool) -> None:
    """Write one setting.

    What a repository may set for all who work on it goes into .agentx/config.toml; everything
    else is yours alone, and is kept in your own folder for this project.
    """
    place = _place(here=here, user=user)
    done = set_setting(invocation.environment, _directory(invocation), key, value, place)
    reply = {"key": key, "value": done.value, "file": done.file}
    said = f"{key} = {_say(done.value)}  ({done.file})"
    invocation.show(reply, lambda screen: screen.print(said, soft_wrap=True))


@command.command("unset")
@click.argument("key", shell_complete=offer_settings)
@click.option("--here", is_flag=True, help="In your settings for this project.")
@click.option("--user", is_flag=True, help="In your settings for all projects.")
@click.pass_obj
def unset(invocation: Invocation, key: str, here: bool, user: bool) -> None:
    """Take one setting out of its file, so that the next one that sets it counts again.

    Without an option: out of your settings for this project, else out of .agentx/config.toml.
    """
    place = _place(here=here, user=user)
    done = unset_setting(invocation.environment, _directory(invocation), key, place)
    how = "is no longer" if done.removed else "was not"
    invocation.show(
        {"key": key, "removed": done.removed, "file": done.file},
        lambda screen: screen.print(f"{key} {how} set in {done.file}", soft_wrap=True),
    )


def _place(*, here: bool, user: bool) -> SettingPlace:
    if here and user:
        raise InvalidValue("--here and --user are two places", hint="give one of them")
    if user:
        return SettingPlace.USER
    return SettingPlace.HERE if here else SettingPlace.FITTING


def _directory(invocation: Invocation) -> Path:
    return Path(invocation.project_directory or Path.cwd())


def _say(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


def _draw(screen: Console, rows: tuple[SettingRow, ...], faults: tuple[SettingFault, ...]) -> None:
    table = render.table("SETTING", "VALUE", "FROM", "WHAT IT DOES")
    for row in rows:
        set_by = render.name_source(row.source)
        style = "" if set_by == "default" else "bold"
        about = render.text(row.about, style="dim not bold")
        table.add_row(row.key, _say(row.value), set_by, about, style=style)
    screen.print(table)
    for fault in faults:
        screen.print(f"! {fault.says}: {fault.mend}")
