"""`agentx uninstall`: everything out again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from agentx.daemon.control import Ending, stop
from agentx.daemon.presence import is_served
from agentx.kernel.errors import InvalidValue
from agentx.kernel.paths import StorePaths
from agentx.kernel.text import show_name
from agentx.operations.setup.leaving.account import GoneThing
from agentx.operations.setup.leaving.memory import MemoryHeld
from agentx.operations.setup.leaving.uninstall import LeaveReply, LeaveRequest, uninstall
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.begin import changes
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.screen import ask, ask_which

if TYPE_CHECKING:
    from agentx.project.config import Environment

_EXIT_LEFT = 4
_MEMORY_OWNERS = ("Memory", "Settings")
_NAMES_SHOWN = 5


@click.command(cls=Verb)
@click.option("--keep-memory", is_flag=True, help="Keep what is remembered; the default.")
@click.option("--remove-memory", is_flag=True, help="Remove it too, for good.")
@click.option("--dry-run", is_flag=True, help="Say what would go, and leave it.")
@click.option("--diff", is_flag=True, help="Show every line that would change, and leave it.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    keep_memory: bool,
    remove_memory: bool,
    dry_run: bool,
    diff: bool,
    yes: bool,
) -> None:
    """Take AgentX out: of all agent CLIs and projects, its daemons, services and programs.

    What is yours in settings files stays as it is; a copy of each is kept. The memory is kept
    unless you have it removed. Leaves with 4 when something could not be undone.
    """
    if keep_memory and remove_memory:
        raise InvalidValue("keep the memory or remove it, not both")
    invocation: Invocation = ctx.obj
    is_talk = sys.stdin.isatty() and sys.stderr.isatty() and not invocation.as_json
    if dry_run or diff:
        plan = _run(invocation, LeaveRequest(remove_memory=remove_memory, dry_run=True))
        invocation.show(plan, lambda screen: _draw(screen, plan, invocation, diff=diff))
        return
    if remove_memory and not (yes or is_talk):
        raise InvalidValue("the memory would be removed for good", hint="say --yes")
    is_seen = False
    if not yes and is_talk:
        is_seen = sys.stdout.isatty()
        remove_memory = _ask_person(invocation, remove_memory, keep_memory)
    reply = _run(invocation, LeaveRequest(remove_memory=remove_memory))
    invocation.show(reply, lambda screen: _draw(screen, reply, invocation, is_seen=is_seen))
    ctx.exit(_EXIT_LEFT if any(each.is_fault for each in reply.left) else 0)


def _run(invocation: Invocation, request: LeaveRequest) -> LeaveReply:
    def end(paths: StorePaths) -> bool:
        return is_served(paths) if request.dry_run else stop(paths) is not Ending.NOT_RUNNING

    # Not the project: a setting that is wrong must not keep anybody from leaving.
    directory = Path(invocation.project_directory or Path.cwd()).absolute()
    return uninstall(invocation.environment, directory, end, request)


def _ask_person(invocation: Invocation, remove: bool, keep: bool) -> bool:
    """Show what would go, and ask; return whether the memory goes too."""
    plan = _run(invocation, LeaveRequest(remove_memory=remove, dry_run=True))
    talk = invocation.talk
    _draw_gone(talk, plan, invocation.environment)
    if plan.gone:
        ask("Take all of this out?", or_leave=True)
    if keep or not (remove or plan.memory.projects):
        return False
    changes.tell(talk, f"Memory: {_tell_memory(plan.memory, invocation.environment)}")
    if not remove:
        remove = ask_which("[k]eep it, or [r]emove it for good? (Return: keep)", "kr") == "r"
    if remove:
        ask("Nothing brings it back. Remove it?", or_leave=True)
    return remove


def _draw(
    screen: Console,
    reply: LeaveReply,
    invocation: Invocation,
    *,
    diff: bool = False,
    is_seen: bool = False,
) -> None:
    environment = invocation.environment
    if diff:
        changes.draw_diffs(screen, (each.diff for each in reply.gone))
    if is_seen and reply.gone:
        screen.print(f"{render.count(len(reply.gone), 'thing')} taken out.")
    else:
        _draw_gone(screen, reply, environment)
    if not reply.gone:
        is_clean = not any(each.is_fault for each in reply.left)
        said = "Nothing of AgentX is left to take out." if is_clean else "Nothing was taken out."
        screen.print(said)
    for each in reply.left:
        style = "red" if each.is_fault else "yellow"
        place = _shorten(each.path, environment)
        why = each.why.removeprefix(f"{each.path}: ")
        changes.tell(screen, f"left: {place}: {show_name(why)}", style=style)
        if each.mend:
            changes.tell(screen, f"-> {show_name(each.mend)}", indent=2, style="dim")
    if reply.dry_run:
        changes.tell(screen, "Nothing was changed." + ("" if diff else " Every line: --diff"))
    _draw_rest(screen, reply, environment)


def _draw_gone(screen: Console, reply: LeaveReply, environment: Environment) -> None:
    rows = [
        (each.owner, _shorten(each.path, environment), each.says)
        for each in reply.gone
        if each.owner not in _MEMORY_OWNERS
    ]
    if any(each.owner in _MEMORY_OWNERS for each in reply.gone):
        rows.append(("Memory", *_sum_memory(reply.gone, reply.memory, environment)))
    changes.draw_rows(screen, rows)


def _draw_rest(screen: Console, reply: LeaveReply, environment: Environment) -> None:
    """Say what stays on purpose."""
    kept = {each.backup for each in reply.gone if each.backup}
    if kept and not reply.removes_memory:
        folder = _shorten(str(Path(next(iter(kept))).parent), environment)
        changes.tell(screen, f"Copies of the files as they were: {folder}", style="dim")
    if reply.memory.files and not reply.removes_memory:
        words = f"Memory is kept: {_tell_memory(reply.memory, environment)}."
        out = "Remove it: agentx uninstall --remove-memory."
        changes.tell(screen, f"{words} {out}")
    if reply.memory.files and reply.removes_memory and not reply.dry_run:
        changes.tell(screen, tell_memory_gone(reply))
    if reply.gone and not reply.dry_run:
        changes.tell(screen, "Agent CLIs that run now: start them anew.", style="dim")
        words = "The program itself goes as it came: pip, pipx or uv uninstall agentx."
        changes.tell(screen, words, style="dim")


def tell_memory_gone(reply: LeaveReply) -> str:
    """Say of how many projects the memory is gone, or left."""
    projects = render.count(len(reply.memory.projects), "project")
    if reply.memory_left:
        return f"Memory is not gone: of {len(reply.memory_left)} of {projects} it is left."
    return f"Memory is gone: {render.size(reply.memory.bytes)} of {projects}."


def _sum_memory(
    gone: Sequence[GoneThing], held: MemoryHeld, environment: Environment
) -> tuple[str, str]:
    count = sum(each.owner in _MEMORY_OWNERS for each in gone)
    told = f"{render.size(held.bytes)}, {render.count(len(held.projects), 'project')}"
    return _shorten(held.folder, environment), f"- {told}, {render.count(count, 'place')}"


def _tell_memory(held: MemoryHeld, environment: Environment) -> str:
    names = ", ".join(held.projects[:_NAMES_SHOWN])
    more = len(held.projects) - _NAMES_SHOWN
    said = f"{names} and {more} more" if more > 0 else names or "no session yet"
    return f"{_shorten(held.folder, environment)} ({render.size(held.bytes)}, {show_name(said)})"


def _shorten(path: str, environment: Environment) -> str:
    return changes.shorten(path, environment.homes.home)
