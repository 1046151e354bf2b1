"""A workflow as a team writes it in TOML, checked before anybody relies on it.

Every problem is named with file, line, field and mend, and all of them at once: a
person mends a file in one sitting. A workflow may lower the number of rounds that
agents talk before a person is called; it can never raise it.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import (
    CLARIFY_ROUNDS_BLOCKING_MAX,
    CLARIFY_ROUNDS_NON_BLOCKING_MAX,
    CLARIFY_SLA_MINUTES_DEFAULT,
)
from agentx.kernel.roles import HUB_ROLE, PERSON_ROLE, role_name
from agentx.kernel.text import compile_late
from agentx.work.limits import CLARIFY_SLA_MINUTES_MAX, WORKFLOW_ITERATIONS_MAX, WORKFLOW_STEPS_MAX
from agentx.work.model import Problem, Status, Step, Workflow, parse_status
from agentx.work.store.toml_lines import TOP, Lines, field_lines

CONDITION = compile_late(r"has_label:(\S.*)")
_STEP_ID = compile_late(r"[a-z0-9][a-z0-9_-]{0,63}")
_AT_LINE = compile_late(r"\s*\(at line (\d+), column (\d+)\)")
_FILE_FIELDS = ("name", "description", "steps")
_STEP_FIELDS = tuple(field.name for field in fields(Step))


def read_workflow(
    text: str, *, name: str, file: str, roles: Iterable[str]
) -> Workflow | tuple[Problem, ...]:
    """Return the workflow that a text describes, or everything that is wrong with it."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        last = text.count("\n") + 1
        line = int(found[1]) if found else last
        said = _AT_LINE.sub("", str(error)).replace(" (at end of document)", "")
        return (
            Problem(
                file=file,
                line=line,
                field="",
                message=f"is not TOML: {said}",
                mend="mend that line; texts stand in quotes, lists in [ ]",
            ),
        )
    desk = _Desk(file=file, lines=field_lines(text, "steps"), roles=tuple(roles))
    workflow = _workflow(document, name, desk)
    if desk.problems:
        return tuple(sorted(desk.problems, key=lambda problem: problem.line))
    assert workflow is not None, "no problem means a workflow"
    return workflow


def refusal(problems: tuple[Problem, ...]) -> InvalidValue:
    """Return the error that a broken file becomes."""
    more = len(problems) - 1
    rest = f"; {more} more: agentx workflow check" if more else ""
    return InvalidValue(str(problems[0]), hint=problems[0].mend + rest)


class _Desk:
    """Where one file is read: collects problems, and takes values of the right kind."""

    def __init__(self, *, file: str, lines: Lines, roles: tuple[str, ...]) -> None:
        self.file = file
        self.roles = roles
        self.problems: list[Problem] = []
        self._lines = lines

    def wrong(self, table: int, field: str, message: str, mend: str) -> None:
        """Note a problem."""
        line = self._lines.get((table, field)) or self._lines.get((table, ""), 1)
        where = field if table == TOP else f"steps[{table + 1}].{field}" if field else "[[steps]]"
        self.problems.append(
            Problem(file=self.file, line=line, field=where, message=message, mend=mend)
        )

    def unknown(self, table: int, given: Iterable[str], known: tuple[str, ...]) -> None:
        """Note the fields that nobody knows."""
        for field in given:
            if field not in known:
                near = difflib.get_close_matches(field, known, n=1)
                self.wrong(
                    table,
                    field,
                    "is not a field of a workflow",
                    f"did you mean {near[0]}?" if near else f"fields: {', '.join(known)}",
                )

    def text(self, table: int, values: dict[str, Any], field: str, *, needed: bool = False) -> str:
        """Take a text."""
        value = values.get(field, "")
        if not isinstance(value, str):
            self.wrong(table, field, f"is {_kind(value)}: must be a text", f'{field} = "..."')
            return ""
        if needed and not value.strip():
            said = "is empty" if field in values else "is missing"
            self.wrong(table, field, said, f'{field} = "..."')
        return value.strip()

    def flag(self, table: int, values: dict[str, Any], field: str, *, default: bool) -> bool:
        """Take true or false."""
        value = values.get(field, default)
        if not isinstance(value, bool):
            self.wrong(table, field, f"is {_kind(value)}: must be true or false", f"{field} = true")
            return default
        return value

    def count(
        self, table: int, values: dict[str, Any], field: str, bound: tuple[int, str]
    ) -> int | None:
        """Take a whole number from 1 to a bound, which is given with its reason."""
        if field not in values:
            return None
        value, (most, why) = values[field], bound
        if isinstance(value, bool) or not isinstance(value, int):
            self.wrong(
                table, field, f"is {_kind(value)}: must be a whole number", f"{field} = {most}"
            )
            return None
        if not 1 <= value <= most:
            self.wrong(table, field, f"is {value}: must be 1 to {most}{why}", f"{field} = {most}")
            return None
        return value

    def texts(self, table: int, values: dict[str, Any], field: str) -> tuple[str, ...]:
        """Take a list of texts."""
        value = values.get(field, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.wrong(table, field, "must be a list of texts", f'{field} = ["..."]')
            return ()
        return tuple(dict.fromkeys(each.strip() for each in value))

    def take(self, table: int, field: str, reader: Callable[[str], str], given: str) -> str:
        """Take a text through a reader that refuses what it does not know."""
        try:
            return reader(given)
        except InvalidValue as error:
            self.wrong(table, field, error.message, error.hint)
            return ""


def _workflow(document: dict[str, Any], name: str, desk: _Desk) -> Workflow | None:
    desk.unknown(TOP, document, _FILE_FIELDS)
    said = desk.text(TOP, document, "name")
    if said and said != name:
        desk.wrong(
            TOP,
            "name",
            f"is {said!r}, but the file is {name}.toml",
            f'name = "{name}", or leave it',
        )
    tables = document.get("steps", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        desk.wrong(TOP, "steps", "must be tables", "begin each step with [[steps]]")
        return None
    if not 1 <= len(tables) <= WORKFLOW_STEPS_MAX:
        desk.wrong(
            TOP,
            "steps",
            f"has {len(tables)} steps: must be 1 to {WORKFLOW_STEPS_MAX}",
            "begin each step with [[steps]]",
        )
        return None
    steps = tuple(_step(number, table, desk) for number, table in enumerate(tables))
    _order(steps, desk)
    return Workflow(
        name=name,
        description=desk.text(TOP, document, "description"),
        steps=steps,
        source=desk.file,
    )


def _step(number: int, values: dict[str, Any], desk: _Desk) -> Step:
    desk.unknown(number, values, _STEP_FIELDS)
    step_id = desk.text(number, values, "id", needed=True)
    if step_id and _STEP_ID.fullmatch(step_id) is None:
        desk.wrong(
            number,
            "id",
            f"{step_id[:60]!r} cannot be an id",
            'use a-z, 0-9 and -: id = "implement"',
        )
    agent = desk.text(number, values, "agent", needed=True)
    if agent:
        agent = desk.take(number, "agent", lambda said: _read_role(said, desk.roles), agent)
    condition = desk.text(number, values, "condition")
    if condition and CONDITION.fullmatch(condition) is None:
        desk.wrong(
            number,
            "condition",
            f"{condition[:60]!r} is not a condition",
            'condition = "has_label:..."',
        )
    iterate = desk.flag(number, values, "iterate", default=False)
    most = desk.count(number, values, "max_iterations", (WORKFLOW_ITERATIONS_MAX, ""))
    if most is not None and not iterate:
        desk.wrong(number, "max_iterations", "needs iterate = true", "iterate = true, or leave it")
    return Step(
        id=step_id,
        title=desk.text(number, values, "title") or step_id,
        agent=agent,
        needs=desk.texts(number, values, "needs"),
        optional=desk.flag(number, values, "optional", default=False),
        condition=condition,
        status_on_start=_status(number, values, "status_on_start", desk),
        status_on_complete=_status(number, values, "status_on_complete", desk),
        output=desk.text(number, values, "output"),
        template=desk.text(number, values, "template"),
        iterate=iterate,
        max_iterations=most if most is not None else 10 if iterate else 1,
        completion_criteria=desk.text(number, values, "completion_criteria"),
        **_clarify_fields(number, values, agent, desk),
    )


def _clarify_fields(number: int, values: dict[str, Any], agent: str, desk: _Desk) -> dict[str, Any]:
    blocking = desk.flag(number, values, "clarify_blocking_allowed", default=True)
    cap = CLARIFY_ROUNDS_BLOCKING_MAX if blocking else CLARIFY_ROUNDS_NON_BLOCKING_MAX
    why = (
        " (a workflow may lower the limit, never raise it"
        f"; {CLARIFY_ROUNDS_NON_BLOCKING_MAX} where clarify_blocking_allowed = false)"
    )
    minutes = desk.count(number, values, "clarify_sla_minutes", (CLARIFY_SLA_MINUTES_MAX, ""))
    targets = tuple(
        desk.take(number, "can_clarify", lambda said: _read_role(said, desk.roles), each)
        for each in desk.texts(number, values, "can_clarify")
    )
    if agent and agent in targets:
        desk.wrong(number, "can_clarify", f"{agent} cannot ask itself", f"take {agent} out")
    return {
        "can_clarify": tuple(dict.fromkeys(targets)),
        "clarify_max_rounds": desk.count(number, values, "clarify_max_rounds", (cap, why)),
        "clarify_sla_minutes": CLARIFY_SLA_MINUTES_DEFAULT if minutes is None else minutes,
        "clarify_blocking_allowed": blocking,
    }


def _order(steps: tuple[Step, ...], desk: _Desk) -> None:
    """Check that ids are unique, and that needs name earlier work without a circle."""
    seen: dict[str, int] = {}
    for number, step in enumerate(steps):
        if step.id and step.id in seen:
            desk.wrong(
                number, "id", f"{step.id!r} is taken by step {seen[step.id] + 1}", "rename one"
            )
        seen.setdefault(step.id, number)
    for number, step in enumerate(steps):
        for need in step.needs:
            if need not in seen:
                near = difflib.get_close_matches(need, seen, n=1)
                mend = f"did you mean {near[0]}?" if near else f"steps: {', '.join(seen)}"
                desk.wrong(number, "needs", f"{need!r} is not a step", mend)
    placed: set[str] = set()
    waiting = list(steps)
    while moved := [
        step for step in waiting if all(n in placed or n not in seen for n in step.needs)
    ]:
        placed.update(step.id for step in moved)
        waiting = [step for step in waiting if step.id not in placed]
    if waiting:
        knot = ", ".join(step.id for step in waiting)
        desk.wrong(
            seen[waiting[0].id], "needs", f"steps wait for each other: {knot}", "take one need out"
        )


def _status(number: int, values: dict[str, Any], field: str, desk: _Desk) -> Status | None:
    said = desk.text(number, values, field)
    read = desk.take(number, field, parse_status, said) if said else ""
    return Status(read) if read else None


def _read_role(said: str, roles: tuple[str, ...]) -> str:
    if said == HUB_ROLE:
        raise InvalidValue(f"{HUB_ROLE} routes and does no step", hint="name the role that works")
    if said == PERSON_ROLE:
        raise InvalidValue(
            f"{PERSON_ROLE} is a person: no agent plays it",
            hint=f"name a role; every role may ask {PERSON_ROLE} without being allowed to",
        )
    return role_name(said, (role for role in roles if role != HUB_ROLE))


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(value), "a date")
