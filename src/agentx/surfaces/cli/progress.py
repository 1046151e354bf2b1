"""How far work has come, on stderr, for work that takes a while: with a rate and an end.

Nothing is drawn for a program, into a pipe, or for work that is done before one would look.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from agentx.kernel.bus import HowFar, unheard

if TYPE_CHECKING:
    from rich.progress import Progress, Task

    from agentx.surfaces.cli.frame import Invocation

Done = TypeVar("Done")


def behind_progress(
    invocation: Invocation, update: Callable[[HowFar], Done], what: str = "reading the log"
) -> Done:
    """Run a catch-up or a rebuild behind a progress bar that shows only when it takes a while."""
    talk = invocation.talk
    if invocation.as_json or not talk.is_terminal:
        return update(unheard)
    with ExitStack() as drawing:

        @cache
        def bar() -> Progress:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn(what),
                BarColumn(bar_width=20),
                TextColumn("{task.completed:,}/{task.total:,}"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(compact=True),
            )
            made = drawing.enter_context(Progress(*columns, console=talk, transient=True))
            made.add_task(what, total=1, rate="")
            return made

        def tell(done: int, total: int) -> None:
            task = bar().tasks[0]
            bar().update(task.id, completed=done, total=max(total, 1), rate=say_rate(task))

        return update(tell)


def say_rate(task: Task) -> str:
    """Return how much is done in a second, once that is known."""
    return f"{task.speed:,.0f}/s" if task.speed else ""
