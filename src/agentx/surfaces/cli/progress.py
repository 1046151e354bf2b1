"""How far work has come, on stderr, for work that takes over a second: with a rate and an end.

    catching up ----------          12,345/24,690  2,345/s  0:05 left

Nothing is drawn for a program, into a pipe, or for work that is done before one would look. Of
work that does not say how far it is, what is done is named, and for how long.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Lock, Timer
from typing import TYPE_CHECKING, Self, TypeVar

from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.text import preview
from agentx.surfaces.cli import render

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, Task
    from rich.text import Text

    from agentx.surfaces.cli.frame import Invocation

Done = TypeVar("Done")

_LOOKED_AT_S = 1.0  # what is done sooner needs no bar
_RATE_OVER_S = 10.0
_RATE_AFTER_S = 0.5
_RATE_OF_AT_LEAST = 2  # moments, however long they are apart
_WIDE = 80
_BAR, _BAR_SHORT = 20, 6


def tell_lines(invocation: Invocation) -> Callable[[str], None]:
    """Return what shows each thing that is done as it happens, a line each."""

    def tell(line: str) -> None:
        room = invocation.talk.width if invocation.talk.is_terminal else len(line)
        invocation.talk.print(preview(line, room), style="dim", no_wrap=True)

    return tell


def behind_progress(
    invocation: Invocation, update: Callable[[HowFar], Done], what: str = "reading the log"
) -> Done:
    """Do work behind a line that shows how far it is, once it takes a while."""
    if not is_watched(invocation):
        return update(unheard)
    with ProgressLine(invocation, what) as line:
        return update(line.tell)


def is_watched(invocation: Invocation) -> bool:
    """Tell whether a person looks at a terminal meanwhile; colours may be forced into a file."""
    return not invocation.as_json and invocation.talk.is_terminal and invocation.talk.file.isatty()


class ProgressLine:
    """One line that is drawn over until the work is done, and leaves no trace.

    Work that has several parts tells them in turns, each with a total of its own: what is shown
    is their sum.
    """

    def __init__(self, invocation: Invocation, what: str, *, after_s: float = _LOOKED_AT_S) -> None:
        self._talk = invocation.talk
        self._began = time.monotonic()
        self._what = what
        self._parts: dict[int, int] = {}  # how much of each total is done
        self._seen: deque[tuple[float, int]] = deque()
        self._say_amount: Callable[[int, int], str] = _say_count
        self._say_rate: Callable[[float], str] = _say_each
        self._drawn: Progress | None = None
        self._is_over = False
        self._lock = Lock()
        self._is_watched = is_watched(invocation)
        self._timer = Timer(after_s, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        """Begin to wait for the moment at which somebody looks."""
        if self._is_watched:
            self._timer.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._drawn is not None:
                self._drawn.stop()

    @property
    def is_wide(self) -> bool:
        """Whether there is room for more than the amount, the rate and the end."""
        return self._talk.width >= _WIDE

    @property
    def phase(self) -> str:
        """What is being done now."""
        return self._what

    def say(self, words: str) -> None:
        """Say something that stays, above the line; only to who looks at it."""
        if self._drawn is not None:
            self._talk.print(words, style="dim")

    def turn_to(
        self,
        what: str,
        say_amount: Callable[[int, int], str] | None = None,
        say_rate: Callable[[float], str] | None = None,
    ) -> None:
        """Go on with another part of the work, which is measured in something else."""
        with self._lock:
            if what == self._what:
                return
            self._what = what
            self._parts.clear()
            self._seen.clear()
            self._say_amount, self._say_rate = say_amount or _say_count, say_rate or _say_each
            self._draw()

    def tell(self, done: int, total: int) -> None:
        """Say how far it is: so much of so much."""
        with self._lock:
            if total <= 0:
                return  # nothing is to be done
            self._parts[total] = max(done, self._parts.get(total, 0))
            now = time.monotonic()
            self._seen.append((now, sum(self._parts.values())))
            while len(self._seen) > _RATE_OF_AT_LEAST and now - self._seen[0][0] > _RATE_OVER_S:
                self._seen.popleft()
            self._draw()

    def _show(self) -> None:
        """Open the line; what was told until then is shown at once."""
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn

        began = self._began

        class Elapsed(ProgressColumn):
            """For how long it goes on, where nobody says how far it is."""

            def render(self, task: Task) -> Text:
                passed = say_duration(time.monotonic() - began)
                return render.text(passed if task.total is None else "")

        with self._lock:
            if self._is_over:
                return
            width = _BAR if self.is_wide else _BAR_SHORT
            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=width),
                TextColumn("{task.fields[far]}"),
                Elapsed(),
            )
            self._drawn = Progress(*columns, console=self._talk, transient=True)
            self._drawn.add_task(self._what, total=None, far="")
            self._drawn.start()
            self._draw()

    def _draw(self) -> None:
        if self._drawn is None or self._is_over:
            return
        done, total = sum(self._parts.values()), sum(self._parts)
        self._drawn.update(
            self._drawn.task_ids[0],
            description=self._what,
            # What is all told and still goes on has an end that nobody knows.
            total=total if done < total else None,
            completed=done,
            far=self._say_far(done, total),
        )

    def _say_far(self, done: int, total: int) -> str:
        if not total:
            return ""
        said = [self._say_amount(done, total)]
        (first_s, first), (last_s, last) = self._seen[0], self._seen[-1]
        passed = last_s - first_s
        if passed >= _RATE_AFTER_S and last > first and done < total:
            rate = (last - first) / passed
            said += [self._say_rate(rate), f"{say_duration((total - done) / rate)} left"]
        return "  ".join(said)


def say_duration(seconds: float) -> str:
    """Return a time as a clock would count it down: `0:05`, `1:02:03`."""
    whole = int(seconds)
    minutes = f"{whole // 60 % 60}:{whole % 60:02}"
    return f"{whole // 3600}:{minutes.zfill(5)}" if whole >= 3600 else minutes


def _say_count(done: int, total: int) -> str:
    return f"{done:,}/{total:,}"


def _say_each(rate: float) -> str:
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:,.1f}/s"
