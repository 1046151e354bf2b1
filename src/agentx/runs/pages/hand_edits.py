"""What people changed by hand in files that are made from events: taken in, never lost.

A file that differs from what the events give is one of three things: old, because events
came in since; a mixture, because git merged two of them; or edited. The first two hold no
line that is not in some version of it. What does is a person's, and becomes an event.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import MERGE_MARKS
from agentx.runs.model import BY_HAND, Contract, Happening, Run, RunEvent, Task
from agentx.runs.pages.contracts import contract_on, fields_of
from agentx.runs.pages.files import artifact_page, artifact_text, work_log
from agentx.runs.rules.catalogue import name_checked

# What the head of an artifact says of it; another version says it otherwise.
_HEADS = ("run_id:", "actor:", "created:", "task_id:", "version:", "---")


def read_artifact(run: Run, name: str, found: str, events: Iterable[RunEvent]) -> Happening | None:
    """Return what a person made of an artifact, or of a file laid beside the artifacts."""
    known = run.artifacts.get(name)
    if known is not None:
        if found == artifact_page(run, known):
            return None
        versions = (
            event.text("text")
            for event in events
            if event.kind == "artifact-written" and event.text("name") == name
        )
        if not any(True for _ in _foreign(found, versions)):
            return None
    try:
        name_checked(name, "an artifact")
    except InvalidValue:
        return None
    text = artifact_text(found)
    if not text.strip() or (known is not None and known.text.strip() == text.strip()):
        return None
    detail = {"name": name, "text": text}
    return Happening(kind="artifact-written", actor=BY_HAND, detail=detail)


def read_log(task: Task, found: str) -> Happening | None:
    """Return what a person added to a work log."""
    if found == work_log(task):
        return None
    foreign = list(_foreign(found, (work_log(task),)))
    if not foreign:
        return None
    text = "\n".join(foreign)
    return Happening(kind="task-progressed", actor=BY_HAND, task=task.id, detail={"text": text})


def is_known_contract(found: Contract, task: Task) -> bool:
    """Tell whether a contract on disk is one that was agreed, in any version."""
    return found in task.contracts


def read_task(run: Run, task: str, contract: Contract) -> Happening | None:
    """Return the task that a person laid down as a file."""
    known = run.tasks.get(task)
    if known is not None and known.born:
        return None
    return Happening(kind="task-added", actor=BY_HAND, task=task, detail=fields_of(contract))


def page_contract(page: str) -> Contract | None:
    """Return the contract of a page of Markdown, or None when it is none."""
    try:
        return contract_on(page)
    except InvalidValue:
        return None


def _foreign(found: str, versions: Iterable[str]) -> Iterable[str]:
    known = {line.rstrip() for text in versions for line in text.splitlines()}
    for line in found.splitlines():
        plain = line.rstrip().removeprefix("# ")
        if not plain or line.startswith(MERGE_MARKS) or plain.startswith(_HEADS):
            continue
        if line.rstrip() not in known:
            yield line.rstrip()
