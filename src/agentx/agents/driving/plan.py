"""A plan: tasks that wait for each other, read from what a planner wrote or a person's file.

{"tasks": [{"id": "T1", "title": "...", "goal": "...", "files": ["src/a.py"],
            "acceptance": ["..."], "depends_on": [], "checks": ["pytest tests/a"]}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import RUN_TITLE_CHARS_MAX
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

PLAN_TASKS_MAX = 40
_FENCED = compile_late(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)
_FIELDS = frozenset({"id", "title", "goal", "scope", "files", "acceptance", "depends_on", "checks"})
_LISTS = ("files", "acceptance", "depends_on", "checks")
_TEXT_CHARS_MAX = 4_000
_HINT = 'a plan is {"tasks": [{"id": "T1", "title": "...", "goal": "...", "depends_on": []}]}'


@frozen
class PlannedTask:
    """A task of a plan; what it waits for is named by the plan's own ids."""

    id: str
    title: str
    goal: str = ""
    scope: str = ""
    files: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()


def read_plan_text(text: str) -> tuple[PlannedTask, ...]:
    """Return the plan in what a planner wrote; the last one, as it may have shown the form first.

    Raises: InvalidValue, saying what is wrong with it.
    """
    for candidate in (*reversed(_FENCED.findall(text)), text[text.find("{") :]):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "tasks" in value:
            return read_plan(value)
    raise InvalidValue("there is no plan in it", hint=_HINT)


def read_plan(value: object) -> tuple[PlannedTask, ...]:
    """Return a plan's tasks, each after those that it waits for.

    Raises: InvalidValue, naming the task.
    """
    tasks = value.get("tasks") if isinstance(value, Mapping) else value
    if not isinstance(tasks, list | tuple) or not tasks:
        raise InvalidValue("a plan needs tasks", hint=_HINT)
    if len(tasks) > PLAN_TASKS_MAX:
        raise InvalidValue(
            f"{len(tasks)} tasks are too many for one run, at most {PLAN_TASKS_MAX}",
            hint="make them larger, or plan a part of it",
        )
    found = [_read_task(number, each) for number, each in enumerate(tasks, start=1)]
    names = [task.id for task in found]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise InvalidValue(f"two tasks of the plan are called {twice!r}", hint="name them apart")
    return _sort(found)


def _read_task(number: int, value: object) -> PlannedTask:
    if not isinstance(value, Mapping):
        raise InvalidValue(f"task {number} of the plan is no object", hint=_HINT)
    unknown = sorted(set(map(str, value)) - _FIELDS)
    if unknown:
        raise InvalidValue(
            f"task {number} of the plan has {unknown[0]!r}",
            hint=f"known: {', '.join(sorted(_FIELDS))}",
        )
    title = " ".join(_text(number, "title", value.get("title")).split())
    if not title or len(title) > RUN_TITLE_CHARS_MAX:
        raise InvalidValue(
            f"task {number} of the plan needs a title of at most {RUN_TITLE_CHARS_MAX} characters",
            hint="say the rest as its goal",
        )
    lists = {name: _texts(number, name, value.get(name)) for name in _LISTS}
    return PlannedTask(
        id=_text(number, "id", value.get("id")).strip() or f"T{number}",
        title=title,
        goal=_text(number, "goal", value.get("goal")),
        scope=_text(number, "scope", value.get("scope")),
        **lists,
    )


def _text(number: int, name: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int) or len(str(value)) > _TEXT_CHARS_MAX:
        raise InvalidValue(f"task {number} of the plan: {name} is no text, or too long")
    return str(value)


def _texts(number: int, name: str, value: object) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(given, list | tuple):
        raise InvalidValue(f"task {number} of the plan: {name} is no list of texts")
    return tuple(_text(number, name, each).strip() for each in given)


def _sort(tasks: Iterable[PlannedTask]) -> tuple[PlannedTask, ...]:
    left = {task.id: task for task in tasks}
    known = frozenset(left)
    done: dict[str, PlannedTask] = {}
    for task in left.values():
        lacking = next((name for name in task.depends_on if name not in known), "")
        if lacking:
            raise InvalidValue(
                f"{task.id} of the plan waits for {lacking!r}, which is no task of it",
                hint=f"its tasks are {', '.join(known)}",
            )
    while left:
        free = [task for task in left.values() if done.keys() >= set(task.depends_on)]
        if not free:
            raise InvalidValue(
                f"tasks of the plan wait in a circle: {', '.join(sorted(left))}",
                hint="leave out one of the dependencies",
            )
        done |= {task.id: task for task in free}
        left = {name: task for name, task in left.items() if name not in done}
    return tuple(done.values())
