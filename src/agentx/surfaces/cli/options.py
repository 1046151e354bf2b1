"""Options of several verbs: who speaks, and what agents may take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from agentx.adapters.port import EditorName
from agentx.kernel.capture import Harness


def offer_harnesses(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """Return what completes the name of an agent CLI."""
    return [each.value for each in Harness if each.startswith(begun)]


def offer_installers(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Return what completes the name of an agent CLI or an editor."""
    editors = [each.value for each in EditorName if each.startswith(begun)]
    return offer_harnesses(ctx, param, begun) + editors


def offer_settings(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """Return what completes the name of a setting."""
    from agentx.project.setting_rows import list_defaults

    return [row.key for row in list_defaults() if row.key.startswith(begun)]


as_person = click.option(
    "--as-person",
    is_flag=True,
    help="A program says what a person said; kept as unconfirmed. At a terminal it is not needed.",
)

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_DAY_MINUTES = 24 * 60
MINUTES = click.IntRange(1, _DAY_MINUTES)
SITTING_MINUTES = click.IntRange(1, 7 * _DAY_MINUTES)
# What the loop takes where nothing is said is said in the words, and is zero here.
_Kind = click.IntRange | click.FloatRange
_NUMBERS: dict[str, _Kind] = {
    "--turns": click.IntRange(0, 1_000),
    "--tokens": click.IntRange(0),
    "--usd": click.FloatRange(0.0),
}


def minutes(default: int, kind: click.IntRange, words: str, name: str = "--minutes") -> Decorator:
    """Return an option for a time."""
    return _bound(name, kind, default, words)


def whole(name: str, default: float, words: str) -> Decorator:
    """Return an option for something that must be more than nothing, with what it is otherwise."""
    kind = click.FloatRange(0.01) if isinstance(default, float) else click.IntRange(1)
    return _bound(name, kind, default, words)


def of_loop(name: str, words: str) -> Decorator:
    """Return an option that leaves a bound to the loop where nothing is said."""
    kind = _NUMBERS[name]
    default = 0.0 if isinstance(kind, click.FloatRange) else 0
    return click.option(name, type=kind, default=default, metavar="N", help=words)


def _bound(name: str, kind: _Kind, default: float, words: str) -> Decorator:
    return click.option(
        name, type=kind, default=default, show_default=True, metavar="N", help=words
    )
