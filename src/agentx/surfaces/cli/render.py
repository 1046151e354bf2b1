"""How things look on a terminal: times, counts, tables.

`rich` is imported when something is drawn: a program that asks for JSON does not pay for it.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from agentx.kernel.text import preview, printable

if TYPE_CHECKING:
    from rich.table import Table
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


def moment(at_ms: int | None) -> str:
    """Return a time as people write it here."""
    if at_ms is None:
        return "-"
    return datetime.fromtimestamp(at_ms / 1000, tz=local_zone()).strftime("%Y-%m-%d %H:%M")


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


def table(*columns: str) -> Table:
    """Return a table without boxes, readable without colour."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        name = column.lstrip(">")
        made.add_column(
            name,
            justify="right" if column.startswith(">") else "left",
            overflow="ellipsis",
            no_wrap=True,
        )
    return made


def text(words: str = "", style: str = "") -> Text:
    """Return words to be drawn."""
    from rich.text import Text  # see above

    return Text(words, style=style)


def assemble(*parts: str | tuple[str, str]) -> Text:
    """Return words side by side, each with its style."""
    from rich.text import Text  # see above

    return Text.assemble(*parts)


def harness(name: str) -> Text:
    """Return the name of an agent CLI in its colour."""
    return text(name, style=HARNESS_COLOURS.get(name, ""))


def line(words: str, chars_max: int = 100) -> Text:
    """Return a text as one safe line; wide characters count as two."""
    made = text(preview(printable(words), chars_max))
    made.truncate(chars_max, overflow="ellipsis")
    return made
