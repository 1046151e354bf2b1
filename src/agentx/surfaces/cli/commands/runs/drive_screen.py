"""What a driver does, as it happens: lines that stay, and below them one line a lane.

Piped, or with --json, lines alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

from agentx.kernel.clock import Clock
from agentx.kernel.text import preview, printable
from agentx.operations.driving.asked import DriveNews, NewsOf
from agentx.surfaces.cli.progress import say_duration
from agentx.surfaces.cli.screen import write_text

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_WORDS_CHARS = 300
_OVER = "merged into"


@contextmanager
def open_screen(head: str, clock: Clock, *, is_json: bool) -> Iterator[Callable[[DriveNews], None]]:
    """Give who is told what happens."""
    if is_json:
        yield _tell_json
        return
    write_text(f"{printable(head)}\n")
    if not sys.stdout.isatty():
        yield _tell_line
        return
    from rich.console import Console
    from rich.live import Live

    lanes = Lanes(clock)
    with Live(lanes, console=Console(highlight=False), refresh_per_second=4) as live:
        yield lanes.show_on(live)


def _tell_json(news: DriveNews) -> None:
    write_text(json.dumps(asdict(news)) + "\n")
    sys.stdout.flush()


def _tell_line(news: DriveNews) -> None:
    if news.doing is not NewsOf.SAID:
        write_text(say_line(news) + "\n")
        sys.stdout.flush()


def say_line(news: DriveNews) -> str:
    """Return a piece of news as a line."""
    return f"{_say_time(news)} {_say_rest(news)}"


def _say_time(news: DriveNews) -> str:
    return datetime.fromtimestamp(news.at_ms / 1000, UTC).astimezone().strftime("%H:%M:%S")


def _say_rest(news: DriveNews) -> str:
    who = " ".join(filter(None, (news.task, news.lane and f"({news.lane})", news.runner)))
    cost = f" [{news.tokens:,} tokens, {news.usd:.2f} dollars]" if news.tokens else ""
    text = printable(preview(news.text, _WORDS_CHARS))
    return f"{who}: {text}{cost}" if who else f"{text}{cost}"


def _draw_line(news: DriveNews) -> Table:
    """Return a piece of news with its time beside it, so that what is long stays together."""
    from rich.table import Table

    from agentx.surfaces.cli.render import text

    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(text(_say_time(news)), text(_say_rest(news)))
    return table


@dataclass
class _Row:
    task: str = ""
    runner: str = ""
    doing: str = ""
    since_ms: int = 0
    tokens: int = 0
    usd: float = 0.0


class Lanes:
    """One line a lane: who works there, what is done now and since when, what it took."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rows: dict[str, _Row] = {}
        self._lock = Lock()

    def show_on(self, live: Live) -> Callable[[DriveNews], None]:
        """Return what shows a piece of news."""

        def show(news: DriveNews) -> None:
            self.take(news)
            if news.doing is not NewsOf.SAID:
                live.console.print(_draw_line(news))

        return show

    def take(self, news: DriveNews) -> None:
        """Take in a piece of news."""
        if not news.lane:
            return
        with self._lock:
            row = self._rows.setdefault(news.lane, _Row())
            row.task = news.task or row.task
            row.runner = news.runner or row.runner
            row.doing = news.text
            if news.doing is not NewsOf.SAID or not row.since_ms:
                row.since_ms = news.at_ms
            row.tokens += news.tokens
            row.usd += news.usd
            if news.doing is NewsOf.MERGE and news.text.startswith(_OVER):
                del self._rows[news.lane]

    def __rich__(self) -> Table:
        """Return the lanes as a table, as they are now."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1), expand=True)
        for width in (8, 12, 11):
            table.add_column(no_wrap=True, min_width=width)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        table.add_column(no_wrap=True, justify="right")
        table.add_column(no_wrap=True, justify="right")
        with self._lock:
            rows = {lane: replace(row) for lane, row in self._rows.items()}
        for lane, row in sorted(rows.items()):  # each stays in its place
            doing = Text(printable(preview(row.doing, _WORDS_CHARS)))
            cost = f"{row.tokens:,} ${row.usd:.2f}" if row.tokens else ""
            took = say_duration(max(self._clock.now_ms() - row.since_ms, 0) / 1000)
            table.add_row(row.task, lane, row.runner, doing, took, cost)
        return table
