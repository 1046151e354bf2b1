"""How things look on a terminal: counts, tables, names.

`rich` is imported when something is drawn: a program that asks for JSON does not pay for it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.kernel.text import hang
from agentx.surfaces.cli.layout import Grid, flatten, lay, shorten

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


HARNESS_COLOURS = {
    "claude-code": "dark_orange3",
    "codex": "green",
    "gemini": "blue",
    "opencode": "magenta",
    "copilot": "cyan",
}


def local_zone() -> tzinfo:
    """Return the zone of this machine."""
    zone = datetime.now(tz=UTC).astimezone().tzinfo  # noqa: TID251  the zone, not the time
    assert zone is not None, "astimezone always gives a zone"
    return zone


def size(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1024 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError("unreachable")


def count(number: int, noun: str) -> str:
    """Return `1 event`, `2,345 events`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def table(*columns: str, lines_max: int = 0, header: bool = True) -> Grid:
    """Return a table without boxes, readable without colour."""
    return Grid(*columns, lines_max=lines_max, header=header)


def text(words: str = "", style: str = "") -> Text:
    """Return words to be drawn."""
    from rich.text import Text  # see above

    return Text(words, style=style)


def assemble(*parts: str | tuple[str, str]) -> Text:
    """Return words side by side, each with its style."""
    from rich.text import Text  # see above

    return Text.assemble(*parts)


def read_colours(words: str) -> Text:
    """Return words whose colours stand in them, as a terminal has them."""
    from rich.text import Text  # see above

    return Text.from_ansi(words)


def harness(name: str) -> Text:
    """Return the name of an agent CLI in its colour."""
    return text(name, style=HARNESS_COLOURS.get(name, ""))


def line(words: str, cells_max: int = 100) -> Text:
    """Return a text as one safe line; wide characters count as two."""
    return text(shorten(flatten(words), cells_max))


def name_source(source: str) -> str:
    """Return where a value comes from as one types it: a path would leave no room for the rest."""
    path = Path(source)
    if path.suffix != ".toml":
        return source
    if path.parent.name == ".agentx":
        return "repository"
    return "--here" if path.parent.name == "projects" else "--user"


def print_whole(screen: Console, line: str, style: str = "") -> None:
    """Print a line that is copied, such as a command: no screen is too narrow for it."""
    screen.print(text(line, style), no_wrap=True, overflow="ignore", crop=False)


def print_hanging(screen: Console, words: str, style: str = "") -> None:
    """Print what somebody said behind who did; where a screen ends a line, too, the next stands in.

    So none begins as what somebody else said does, wherever its words were written to be cut.
    """
    for line in hang(words).split("\n"):
        for part in lay(text(), text(line, style), screen.width, indent=2):
            screen.print(part)


def say_left(exports: Iterable[str], copies: Iterable[str]) -> Iterator[str]:
    """Yield where what was forgotten may stand still, and what becomes of it there."""
    paths, aside = tuple(exports), tuple(copies)
    if paths:
        yield (
            "exports of before may still hold it: a restore here leaves it out, one in a home "
            "that knows nothing of this does not:"
        )
        yield from (f"  {path}" for path in paths)
    if aside:
        yield "what a restore or a mending put aside may still hold it:"
        yield from (f"  rm -r {shlex.quote(path)}" for path in aside)
