"""Take the transcripts that agent CLIs keep on disk into the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from agentx.capture.transcripts import (
    ImportDone,
    ImportPhase,
    ImportProgress,
    ImportReply,
    ImportRequest,
    import_transcripts,
    survey_transcripts,
)
from agentx.kernel.bus import HowFar
from agentx.memory.port import Memory
from agentx.project.exclusion import list_patterns
from agentx.project.project import Project

_LOOK_MS = 200
_STANDSTILL_MS = 20_000


def import_history(
    project: Project,
    memory: Memory | None,
    request: ImportRequest,
    told: Callable[[ImportProgress], None] = lambda _step: None,
    *,
    with_views: bool = False,
) -> ImportReply:
    """Take transcripts into the log, or with `dry_run` say what would be: without a memory.

    In two steps: when the first is over every word can be found, and the newest sessions are in
    every view. The second, `with_views`, sums up the rest; left out, it is for who comes next.

    Raises: InvalidValue for a source that is neither an agent CLI nor a path with transcripts.
    """
    began = time.monotonic()
    reply = import_transcripts(
        memory,
        request,
        told,
        environment=project.environment,
        project_id=project.id,
        cursors=project.store.import_cursors,
        now_ms=project.clock.now_ms(),
        excluded=list_patterns(project),
    )
    if memory is None or request.dry_run:
        return reply
    stored = sum(one.stored for one in reply.harnesses)

    def tell(phase: ImportPhase, done: int, total: int) -> None:
        told(ImportProgress(done=done, total=total, harness="", events=stored, phase=phase))

    memory.make_searchable(partial(tell, ImportPhase.INDEXING))
    _await_words(project, memory, partial(tell, ImportPhase.INDEXING))
    found = ImportDone(
        dry_run=False,
        harnesses=reply.harnesses,
        damaged=reply.damaged,
        searchable_ms=int((time.monotonic() - began) * 1000),
    )
    if not with_views:
        return found
    memory.settle(partial(tell, ImportPhase.SUMMING))
    return replace(found, complete_ms=int((time.monotonic() - began) * 1000))


def _await_words(project: Project, memory: Memory, told: HowFar) -> None:
    """Wait for a daemon that indexes by itself, for as long as it gets on with it."""
    total = left = memory.index_report().text.entries_left
    waited_ms = 0
    while left and waited_ms < _STANDSTILL_MS:
        told(max(0, total - left), total)
        project.clock.sleep_ms(_LOOK_MS)
        before, left = left, memory.index_report().text.entries_left
        waited_ms = 0 if left < before else waited_ms + _LOOK_MS


def survey_history(project: Project) -> ImportReply:
    """Count the transcripts of a project that were not taken yet, without reading them."""
    return survey_transcripts(
        environment=project.environment,
        project_id=project.id,
        cursors=project.store.import_cursors,
        excluded=list_patterns(project),
    )
