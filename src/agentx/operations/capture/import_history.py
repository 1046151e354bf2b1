"""Take the transcripts that agent CLIs keep on disk into the log."""

from __future__ import annotations

from collections.abc import Callable

from agentx.capture.transcripts import (
    ImportProgress,
    ImportReply,
    ImportRequest,
    import_transcripts,
    survey_transcripts,
)
from agentx.memory.port import Memory
from agentx.project.exclusion import list_patterns
from agentx.project.project import Project


def import_history(
    project: Project,
    memory: Memory | None,
    request: ImportRequest,
    told: Callable[[ImportProgress], None] = lambda _step: None,
) -> ImportReply:
    """Take transcripts into the log, or with `dry_run` say what would be: without a memory.

    Raises: InvalidValue for a source that is neither an agent CLI nor a path with transcripts.
    """
    return import_transcripts(
        memory,
        request,
        told,
        environment=project.environment,
        project_id=project.id,
        cursors=project.store.import_cursors,
        excluded=list_patterns(project),
    )


def survey_history(project: Project) -> ImportReply:
    """Count the transcripts of a project that were not taken yet, without reading them."""
    return survey_transcripts(
        environment=project.environment,
        project_id=project.id,
        cursors=project.store.import_cursors,
        excluded=list_patterns(project),
    )
