"""The commands and what they share: find one, run it, turn failure into an exit code.

`agentx --help` imports nothing but click: a command's module is imported when it is called.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from agentx import __version__
from agentx.kernel.errors import AgentXError
from agentx.surfaces.cli import CHAPTERS, COMMANDS, GONE
from agentx.surfaces.cli.failure import Failure, Interrupted, failure_of, unforeseen
from agentx.surfaces.cli.frame import Invocation
from agentx.surfaces.cli.screen import prepare_streams, write_json, write_text

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Commands(click.Group):
    """The commands, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  as above
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"agentx.surfaces.cli.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        command.name = cmd_name
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and let its words out; a reader that left is no failure of its."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            # Without its number: click would leave with 1.
            raise BrokenPipeError from error
        return done

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing any; options as click knows them."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=about)
            for name, (_, about) in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  as above
        """Write the list without importing what it lists."""
        width = max(map(len, COMMANDS))
        for title, names in CHAPTERS.items():
            with formatter.section(title):
                rows = [
                    (name.ljust(width), COMMANDS[name][1]) for name in names if name in COMMANDS
                ]
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may have been meant, or what became of it."""
        if args[0] in GONE:
            ctx.fail(f"No such command {args[0]!r} any more: {GONE[args[0]]}.")
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches  # only who mistyped waits for it

            near = get_close_matches(args[0], COMMANDS, 1)
            if near:
                ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)


_HELP = frozenset({"-h", "--help"})


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="agentx %(version)s")
@click.option("--json", "as_json", is_flag=True, help="Write data as JSON on stdout.")
@click.option("--project", metavar="DIR", default="", help="The project's folder (default: here).")
@click.option("--no-pager", is_flag=True, help="Write long answers at once, not page by page.")
@click.pass_context
def agentx(ctx: click.Context, as_json: bool, project: str, no_pager: bool) -> None:
    """One memory for all your coding agents.

    Captures every session of Claude Code, Codex, Gemini CLI, OpenCode and Copilot CLI into one
    append-only log on this machine, and gives it back. Without a command: one screen of what is
    remembered, what waits for you, and what happened since yesterday.
    """
    ctx.obj = Invocation(project_directory=project, as_json=as_json, is_paged=not no_pager)
    if ctx.invoked_subcommand is None:
        from agentx.surfaces.cli.commands.begin.glance import (
            show_glance,
        )  # who says more needs less

        show_glance(ctx.obj)


def run(given: list[str]) -> NoReturn:
    """Run one command and leave with its exit code."""
    as_json = "--json" in given
    prepare_streams()
    try:
        if as_json and not _HELP.isdisjoint(given[: _end_of_options(given)]):
            _describe(given)
        # Not standalone, click gives back the code that a command left with.
        left = agentx.main(args=given, prog_name="agentx", standalone_mode=False)
        if isinstance(left, int):
            sys.exit(left)
    except click.exceptions.Exit as leaving:
        sys.exit(leaving.exit_code)
    except click.exceptions.Abort as aborted:
        hint = aborted.hint if isinstance(aborted, Interrupted) else ""
        _leave(
            Failure(exit_code=130, code="interrupted", message="interrupted", hint=hint), as_json
        )
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        if as_json:
            _describe(given)
        write_text(help_wanted.format_message() + "\n")
        sys.exit(0)
    except click.ClickException as error:
        usage = isinstance(error, click.UsageError) and error.ctx is not None
        hint = f"see `{error.ctx.command_path} --help`" if usage and error.ctx else ""  # type: ignore[attr-defined]  # narrowed by usage
        _leave(
            Failure(exit_code=2, code="usage", message=error.format_message(), hint=hint), as_json
        )
    except BrokenPipeError:
        # The reader has seen enough; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (AgentXError, OSError) as error:
        _leave(failure_of(error), as_json)
    except Exception as error:  # noqa: BLE001  one of the three places: a surface's outermost frame
        _leave(unforeseen(error), as_json)
    sys.exit(0)


def _describe(given: list[str]) -> NoReturn:
    from agentx.surfaces.cli.describe import describe

    write_json(describe(agentx, given))
    sys.exit(0)


def _end_of_options(given: list[str]) -> int:
    return given.index("--") if "--" in given else len(given)


def _leave(failure: Failure, as_json: bool) -> NoReturn:
    if as_json:
        write_json(failure.as_data())
    else:
        write_text(failure.as_text(), to_stderr=True)
    sys.exit(failure.exit_code)
