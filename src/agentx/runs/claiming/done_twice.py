"""Tasks that clones which did not know of each other both did: two lanes of one are merged.

That is no gate: both are in the work branch, and whether one is too many only a person can tell.
It is told until somebody who knows of them says in the task's log what became of it, or the task
is taken up again. Who names each of the lanes knows: a word of who had not met the others does not.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentx.kernel.values import frozen
from agentx.runs.holding.settling import say_party
from agentx.runs.model import Lane, LaneStatus, Run, Task, TaskStatus

_NAME = re.compile(r"[\w-]+")


@frozen
class DoneTwice:
    """A task that is done more than once, and in which lanes."""

    task: Task
    lanes: tuple[Lane, ...]  # in the order in which they were merged

    @property
    def says(self) -> str:
        """What is so: in which lanes, and by whom."""
        times = "twice" if len(self.lanes) == 2 else f"{len(self.lanes)} times"
        return f"{self.task.id} is done {times}: {' and '.join(map(self._say_one, self.lanes))}"

    @property
    def is_settled(self) -> bool:
        """Whether somebody said a word on all of them since they were merged."""
        lanes, since_ms = {each.id for each in self.lanes}, self.lanes[-1].changed_ms
        said = (each.words for each in self.task.log if each.at_ms >= since_ms)
        return any(lanes.issubset(_NAME.findall(text)) for text in said)

    def say_ways(self, where: str) -> str:
        """Return what to do about it."""
        return f"look at them in {where}; take one out by a commit there, or leave them; say which"

    @property
    def command(self) -> str:
        """What says that: it names the lanes."""
        return f'agentx run task log {self.task.id} "{self._named}: WHAT STAYS"'

    @property
    def _named(self) -> str:
        return " and ".join(each.id for each in self.lanes)

    def _say_one(self, lane: Lane) -> str:
        who = say_party(self.task.claims, lane.checkout)
        return f"in {lane.id}" + (f" by {who}" if who else "")


def find_done_twice(run: Run, task: Task) -> DoneTwice | None:
    """Return that a task was done more than once since it was last taken up; None where not."""
    if task.status is not TaskStatus.COMPLETED:
        return None
    lanes = (each for each in run.lanes.values() if each.task == task.id)
    merged = (each for each in lanes if each.status is LaneStatus.MERGED)
    since = sorted(
        (each for each in merged if each.changed_ms >= task.reopened_ms),
        key=lambda each: (each.changed_ms, each.id),
    )
    return DoneTwice(task=task, lanes=tuple(since)) if len(since) > 1 else None


def list_done_twice(run: Run) -> Iterator[DoneTwice]:
    """Yield the tasks of a run that were done more than once."""
    for task in run.tasks.values():
        found = find_done_twice(run, task)
        if found is not None:
            yield found
