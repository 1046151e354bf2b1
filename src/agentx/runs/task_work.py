"""The verbs of tasks: each looks at the run while its lock is held, then says what happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.text import quote_word
from agentx.runs.choosing.naming import next_name
from agentx.runs.model import Contract, Happening, RunEvent
from agentx.runs.pages.contracts import fields_of
from agentx.runs.replies import Told
from agentx.runs.service import Runs
from agentx.runs.store.by_hand import contract_in
from agentx.runs.store.run_store import OpenRun

_DONE = "task-completed"


class TaskWork:
    """Tasks of runs."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def add(self, run_id: str, contract: Contract, *, actor: str, task: str = "") -> Told:
        """Add a task with its contract; without a name it gets the next number."""

        return self.add_all(run_id, ((task, contract),), actor=actor)

    def add_all(self, run_id: str, tasks: Iterable[tuple[str, Contract]], *, actor: str) -> Told:
        """Add tasks with their contracts, in order; one without a name gets the next number."""

        def work(desk: OpenRun) -> Iterator[RunEvent]:
            for task, contract in tasks:
                name, detail = task or next_name(desk.run.tasks, "TASK-"), fields_of(contract)
                said = Happening(kind="task-added", actor=actor, task=name, detail=detail)
                yield from desk.say(self._runs.clean(said))

        return self._runs.doing(run_id, work)

    def revise(self, run_id: str, task: str, changes: Mapping[str, Any], *, actor: str) -> Told:
        """Make a new version of a task's contract; what is not given stays as it was.

        Raises: NotFound, InvalidValue.
        """

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            known = desk.run.tasks.get(task)
            if known is None:
                raise NotFound(f"{task}: no such task", hint="`agentx run task list` shows them")
            detail = {**fields_of(known.contract), **changes}
            if detail == fields_of(known.contract):
                raise InvalidValue(f"{task}: nothing would change", hint="say what is different")
            said = Happening(kind="task-revised", actor=actor, task=task, detail=detail)
            return desk.say(self._runs.clean(said))

        return self._runs.doing(run_id, work)

    def step(self, run_id: str, said: Happening) -> Told:
        """Move a task that is there: begin it, log, complete, fail, drop, block or check it.

        Without a name it is the task of the lane that somebody stands in.

        Raises: NotFound.
        """

        def work(desk: OpenRun) -> tuple[RunEvent, ...]:
            if said.task in desk.run.tasks:
                return desk.say(self._runs.clean(said))
            here = self._runs.which.find_task(desk.run)
            meant = _read_as_text(said, here)
            task = meant.task or here
            if task not in desk.run.tasks:
                hint = "`agentx run task list` shows them, `agentx run task add TITLE` makes one"
                if task and here and said.kind == _DONE:
                    typed = f"agentx run task done {here} {quote_word(task)}"
                    hint = f"this is the lane of {here}: `{typed}`"
                raise NotFound(
                    f"{task}: no such task in {desk.run.id}"
                    if task
                    else f"it is not said which task of {desk.run.id} is meant",
                    hint=hint,
                )
            return desk.say(self._runs.clean(replace(meant, task=task)))

        return self._runs.doing(run_id, work)


def _read_as_text(said: Happening, here: str) -> Happening:
    """Return what was said where only words were given: of the task of the lane, in its folder."""
    if said.kind != _DONE or not here or " " not in said.task or "text" in said.detail:
        return said
    return replace(said, task="", detail={**said.detail, "text": said.task})


def read_contract(text: str, file: Path) -> Contract:
    """Read a contract out of the text of a file of YAML or Markdown.

    Raises: InvalidValue.
    """
    found = contract_in(text, file)
    if found is None:
        raise InvalidValue(f"{file} is no contract", hint="it needs at least a title")
    return found
