"""`agentx setup`: one agent CLI, or an editor."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from agentx.adapters.port import EditorName, SetupScope
from agentx.adapters.registry import EDITORS, find_installer
from agentx.kernel.capture import Harness
from agentx.kernel.errors import InvalidValue
from agentx.operations.setup.init import parse_harnesses
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.seen_by_git import look_at_git
from agentx.operations.setup.setup import Setup, setup
from agentx.operations.upkeep.people import require_person_out
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.begin.changes import (
    draw_editor,
    draw_scope,
    draw_seen,
    draw_setups,
)
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.options import offer_installers
from agentx.surfaces.cli.screen import ask, open_console

if TYPE_CHECKING:
    from agentx.project.project import Project


@click.command(cls=Verb)
@click.argument("harness", shell_complete=offer_installers)
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in SetupScope]),
    default=SetupScope.USER.value,
    show_default=True,
    help="All projects of this user, or this project only.",
)
@click.option(
    "--allow-tools/--no-allow-tools",
    default=None,
    help="Let Claude Code use the tools that only read without asking; asked if not said.",
)
@click.option(
    "--as-plugin",
    metavar="FOLDER",
    help="Write a plugin instead, to be installed by the agent CLI's own means.",
)
@click.option("--dry-run", is_flag=True, help="Say what would change, and leave it.")
@click.option("--diff", is_flag=True, help="Show every line that would change, and leave it.")
@click.option("--uninstall", is_flag=True, help="Take out exactly what was added.")
@click.pass_obj
def command(
    invocation: Invocation,
    harness: str,
    scope: str,
    allow_tools: bool | None,
    as_plugin: str | None,
    dry_run: bool,
    diff: bool,
    uninstall: bool,
) -> None:
    """Add AgentX to one agent CLI or to VS Code, or take it out again.

    HARNESS is claude-code, codex, gemini, opencode, copilot or vscode. What you have in its
    settings stays; a copy is kept before every change. Of VS Code nothing is captured: it gets the
    MCP server, whose prompts are /mcp.agentx.recall and others in its chat, and two tasks.
    """
    chosen = _parse_one(harness)
    if isinstance(chosen, EditorName) and (as_plugin is not None or allow_tools is not None):
        raise InvalidValue(f"--as-plugin and --allow-tools are not for {EDITORS[chosen].title}")
    if as_plugin is not None and isinstance(chosen, Harness):
        _write_plugin(invocation, chosen, as_plugin)
        return
    project, dry_run = invocation.project, dry_run or diff
    if uninstall and not dry_run:
        title = find_installer(chosen).title
        require_person_out(project, f"AgentX leaves {title}", f"setup {chosen} --uninstall")
    reply = setup(
        setup_inputs(project),
        Setup(
            harness=chosen,
            project_root=project.root,
            scope=SetupScope(scope),
            dry_run=dry_run,
            uninstall=uninstall,
            allow_tools=bool(allow_tools),
        ),
    )

    def show(screen: Console) -> None:
        draw_setups(screen, (reply,), project, diff=diff)
        if isinstance(chosen, EditorName) and not uninstall:
            draw_editor(screen, project, reply)
        elif reply.is_changed and not uninstall:
            draw_scope(screen, reply.scope)
            if reply.scope is SetupScope.PROJECT and not dry_run:
                draw_seen(screen, look_at_git(project, (reply,)))
        if dry_run:
            words = "Nothing was changed." + ("" if diff else " Every line of it: --diff")
            screen.print(words, style="dim")

    invocation.show(reply, show)
    if allow_tools is None and not (dry_run or uninstall or invocation.as_json):
        offer_tools(project, (chosen,), SetupScope(scope))


def _parse_one(name: str) -> Harness | EditorName:
    """Read the name of one agent CLI or editor.

    Raises: InvalidValue.
    """
    if name.strip() in EDITORS:
        return EditorName(name.strip())
    chosen = parse_harnesses(name)
    if len(chosen) != 1:
        raise InvalidValue("name one agent CLI", hint="`agentx init` sets up all that are in use")
    return chosen[0]


def _write_plugin(invocation: Invocation, harness: Harness, folder: str) -> None:
    from agentx.operations.setup.plugin import write_plugin

    reply = write_plugin(harness, Path(folder))

    def show(screen: Console) -> None:
        title = render.assemble((reply.title, "bold"), f": a plugin is in {reply.folder}")
        screen.print(title, soft_wrap=True)
        for name in reply.files:
            screen.print(f"  {name}", style="dim", soft_wrap=True)
        screen.print("Install it, with agentx on the PATH, where `agentx setup` has not been:")
        for line in reply.install:
            screen.print(f"  {line}", style="bold", soft_wrap=True)

    invocation.show(reply, show)


def offer_tools(project: Project, chosen: Sequence[str], scope: SetupScope) -> None:
    """Ask a person at a terminal whether Claude Code may read without asking each time."""
    if Harness.CLAUDE_CODE not in chosen or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    from agentx.operations.setup.tool_offer import allow_tools, describe_offer

    question = describe_offer(project, scope)
    if question and ask(question):
        draw_setups(open_console(stderr=True), (allow_tools(project, scope),), project)
