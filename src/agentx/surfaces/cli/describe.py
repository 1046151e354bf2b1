"""What `--help --json` says of a command, for a program."""

from __future__ import annotations

from typing import Any

import click


def describe(root: click.Group, given: list[str]) -> dict[str, Any]:
    """Return what the command that some words name is for, and what it takes."""
    command: click.Command = root
    ctx = click.Context(root, info_name="agentx", resilient_parsing=True)
    words = iter(given)
    for word in words:
        if word == "--project":
            next(words, None)  # its folder may be called like a command
        elif isinstance(command, click.Group) and not word.startswith("-"):
            found = command.get_command(ctx, word)
            if found is None:
                break
            command = found
            ctx = click.Context(found, info_name=word, parent=ctx, resilient_parsing=True)
    return _describe(command, ctx)


def _describe(command: click.Command, ctx: click.Context) -> dict[str, Any]:
    said: dict[str, Any] = {
        "command": ctx.command_path,
        "usage": command.get_usage(ctx).removeprefix("Usage: "),
        "says": _one_line(command.help or ""),
        "arguments": [
            {"name": each.human_readable_name, "required": each.required, "many": each.nargs != 1}
            for each in command.get_params(ctx)
            if isinstance(each, click.Argument)
        ],
        "options": [
            _describe_option(each)
            for each in command.get_params(ctx)
            if isinstance(each, click.Option) and not each.hidden
        ],
    }
    if isinstance(command, click.Group):
        names = command.list_commands(ctx)
        parts = {name: command.get_command(ctx, name) for name in names}
        said["commands"] = {
            name: _one_line(part.get_short_help_str(1_000)) for name, part in parts.items() if part
        }
    return said


def _describe_option(option: click.Option) -> dict[str, Any]:
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    return {
        "names": [*option.opts, *option.secondary_opts],
        "takes": "" if option.is_flag else option.metavar or option.type.name,
        "choices": [str(each) for each in choices],
        "required": option.required,
        "many": option.multiple,
        "says": _one_line(option.help or ""),
    }


def _one_line(text: str) -> str:
    return " ".join(text.replace("\b", " ").split())
