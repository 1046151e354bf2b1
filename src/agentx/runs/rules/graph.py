"""Which task waits for which: cycles are found, and what is ready is known."""

from __future__ import annotations

from collections.abc import Mapping

from agentx.runs.model import Run, Task, TaskStatus

Graph = Mapping[str, tuple[str, ...]]  # task -> those it waits for


def graph_of(tasks: Mapping[str, Task]) -> Graph:
    """Return what each task waits for."""
    return {name: task.contract.depends_on for name, task in tasks.items()}


def cycle_in(graph: Graph) -> tuple[str, ...]:
    """Return tasks that wait for each other in a circle, the first again at the end; or nothing.

    Without recursion: a chain of thousands of tasks is a plan, too.
    """
    done: set[str] = set()
    for start in graph:
        if start in done:
            continue
        path = [start]
        waits = [iter(graph[start])]
        on_path = {start}
        while path:
            below = next(waits[-1], None)
            if below is None:
                done.add(path[-1])
                on_path.discard(path.pop())
                waits.pop()
            elif below in on_path:
                return (*path[path.index(below) :], below)
            elif below not in done and below in graph:
                path.append(below)
                on_path.add(below)
                waits.append(iter(graph[below]))
    return ()


def layers(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """Return the tasks in steps: those of one step can be done at the same time.

    What waits in a circle, or for something unknown, is left out.
    """
    found: list[tuple[str, ...]] = []
    placed: set[str] = set()
    left = dict(graph)
    while True:
        step = tuple(name for name, waits in left.items() if placed.issuperset(waits))
        if not step:
            return tuple(found)
        found.append(step)
        placed.update(step)
        for name in step:
            del left[name]


def ready(run: Run) -> tuple[str, ...]:
    """Return the tasks that can be begun now, in the order they were planned."""
    return tuple(
        name
        for name, task in run.tasks.items()
        if task.status is TaskStatus.PENDING and not waits_for(run, task)
    )


def waits_for(run: Run, task: Task) -> tuple[str, ...]:
    """Return what must be done before a task can begin."""
    return tuple(
        name
        for name in task.contract.depends_on
        if name not in run.tasks or not run.tasks[name].over
    )
