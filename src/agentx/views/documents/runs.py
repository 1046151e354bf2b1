"""Runs as documents that can be found: the run, its tasks, and what was said in its events.

A part is a run; its stamp changes when events are added. Found are words that people and
agents wrote: titles, contracts, work logs, decisions, questions and answers, artifacts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.kernel.errors import NotFound
from agentx.runs.model import Run, RunEvent
from agentx.runs.rules.fold import fold
from agentx.runs.store.run_store import RunStore
from agentx.search.document import Document

RUN, RUN_EVENT = "run", "run_event"

_SILENT = frozenset({"run-started", "run-resumed", "session-attached", "phase-entered"})
_WORDS = (
    *("title", "goal", "scope", "text", "why", "question", "needed", "resolution", "reason"),
    *("summary", "name"),
)


class RunDocuments:
    """The runs of a project, to be searched."""

    name = "runs"

    def __init__(self, store: RunStore, project: str) -> None:
        self._store = store
        self._project = project

    def parts(self) -> Iterable[tuple[str, str]]:
        """Yield each run with its stamp."""
        for run_id in self._store.ids():
            yield run_id, self._store.stamp(run_id)

    def documents(self, key: str) -> Iterator[Document]:
        """Yield what can be found of a run; nothing when it is gone."""
        try:
            events = self._store.events(key).events
        except NotFound:
            return
        run = fold(key, events)
        if run.started:
            yield self._overview(run)
        newest = {artifact.event_id for artifact in run.artifacts.values()}
        for event in events:
            words = _say(event)
            if words and event.kind not in _SILENT:
                old = event.kind == "artifact-written" and event.id not in newest
                yield self._event(run, event, words, superseded=old)

    def _overview(self, run: Run) -> Document:
        tasks = [f"{task.id}: {task.contract.title}" for task in run.tasks.values()]
        lines = (run.title, run.description, run.outcome_reason, *tasks)
        return Document(
            doc_type=RUN,
            doc_id=run.id,
            text="\n".join(line for line in lines if line),
            timestamp_ms=run.updated_ms,
            project=self._project,
        )

    def _event(self, run: Run, event: RunEvent, words: str, *, superseded: bool) -> Document:
        head = " ".join(part for part in (run.title, event.kind, event.task) if part)
        return Document(
            doc_type=RUN_EVENT,
            doc_id=event.id,
            text=f"{head}\n{words}",
            timestamp_ms=event.at_ms,
            project=self._project,
            agent=event.actor,
            superseded=superseded,
        )


def _say(event: RunEvent) -> str:
    found = [event.text(name) for name in _WORDS if event.text(name)]
    found += [each for name in ("acceptance", "tried", "options") for each in event.texts(name)]
    return "\n".join(found)
