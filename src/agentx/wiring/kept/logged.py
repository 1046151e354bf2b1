"""What the project's own log says of questions, without their words once they are forgotten."""

from __future__ import annotations

from collections.abc import Collection

from agentx.project.project import Project

_QUESTION = "clarificationId"
_KEPT = frozenset(
    ("time", "level", "event", "pid", _QUESTION, "issueNumber", "fromAgent", "toAgent", "status")
)


def blank_logged(project: Project, names: Collection[str]) -> None:
    """Take the words of forgotten questions out of the log, by what they were called here."""
    try:
        project.log.blank(_QUESTION, names, kept=_KEPT)
    except OSError as error:
        project.log.record("warning", "log-not-blanked", message=str(error))
