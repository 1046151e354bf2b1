"""What git took out of the files of questions: it counts here, and can be written back."""

from __future__ import annotations

from agentx.host.files.plain import is_folder
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications

_NAMED_MAX = 5


def put_back(project: Project) -> tuple[str, ...]:
    """Write into the files again what git took out of them; return of which questions.

    Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
    """
    return open_clarifications(project).put_back()


def tell_missing(project: Project) -> str:
    """Say of which questions lines are in no file now; nothing where all are there."""
    if not is_folder(project.held_questions):
        return ""
    names = open_clarifications(project).survey().missing
    if not names:
        return ""
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return (
        f"{', '.join(names[:_NAMED_MAX])}{more}: not all that was said is in the files here now "
        "(git took it out, or another branch has it); it counts here all the same"
    )


WRITES_BACK = "agentx clarify put-back"  # for others to get it
