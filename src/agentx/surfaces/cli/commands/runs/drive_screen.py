"""What a driver does, as it happens: lines that stay, and below them one line a lane.

Piped, or with --json, lines alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

from agentx.kernel.text import preview, printable
from agentx.operations.driving.asked import DriveNews, NewsOf
from agentx.surfaces.cli.screen import write_text

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_WORDS_CHARS = 300
_OVER = "merged into"


@contextmanager
def open_screen(title: str, run_id: str, *, is_json: bool) -> Iterator[Callable[[DriveNews], None]]:
    """Give who is told what happens."""
    if is_json:
        yield _tell_json
        return
    write_text(f"{title} ({run_id})\n")
    if not sys.stdout.isatty():
        yield _tell_line
        return
    from rich.console import Console
    from rich.live import Live

    lanes = _Lanes()
    with Live(lanes.draw(), console=Console(highlight=False), refresh_per_second=4) as live:
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


class _Lanes:
    """One line a lane: who works there, what is done now, what it took."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, str]] = {}
        self._tokens: dict[str, int] = {}
        self._usd: dict[str, float] = {}
        self._lock = Lock()

    def show_on(self, live: Live) -> Callable[[DriveNews], None]:
        """Return what shows a piece of news."""

        def show(news: DriveNews) -> None:
            with self._lock:
                self._take(news)
                if news.doing is not NewsOf.SAID:
                    live.console.print(_draw_line(news))
                live.update(self.draw())

        return show

    def _take(self, news: DriveNews) -> None:
        if not news.lane:
            return
        row = self._rows.setdefault(news.lane, {"task": "", "runner": "", "doing": ""})
        row["task"] = news.task or row["task"]
        row["runner"] = news.runner or row["runner"]
        row["doing"] = news.text
        self._tokens[news.lane] = self._tokens.get(news.lane, 0) + news.tokens
        self._usd[news.lane] = self._usd.get(news.lane, 0.0) + news.usd
        if news.doing is NewsOf.MERGE and news.text.startswith(_OVER):
            del self._rows[news.lane]

    def draw(self) -> Table:
        """Return the lanes as a table."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1), expand=True)
        for width in (8, 12, 11):
            table.add_column(no_wrap=True, min_width=width)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        table.add_column(no_wrap=True, justify="right")
        for lane, row in self._rows.items():
            cost = f"{self._tokens[lane]:,} {self._usd[lane]:.2f}$"
            doing = Text(printable(preview(row["doing"], _WORDS_CHARS)))
            table.add_row(row["task"], lane, row["runner"], doing, cost)
        return table
