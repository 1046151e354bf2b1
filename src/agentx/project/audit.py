"""The audit log: what was trusted, forgotten, taken out and read across projects.

One file for all projects of a user, in the data folder, so that it outlives every store. It
says who was served and how much, never the words: what was forgotten must not live on in the
record of its forgetting.
"""

from __future__ import annotations

from enum import StrEnum

from agentx.host.files.logfile import LogFile
from agentx.project.project import Project


class AuditAct(StrEnum):
    """What is worth being able to look up later."""

    TRUSTED = "trusted"
    REVOKED = "trust-revoked"
    FORGOTTEN = "forgotten"
    EXPORTED = "exported"
    RESTORED = "restored"
    READ_ELSEWHERE = "read-elsewhere"
    REFUSED = "speaker-refused"
    UNVERIFIED = "speaker-unverified"
    CALLED = "tool-called"


def record_act(project: Project, act: AuditAct, **facts: object) -> None:
    """Write down that something was done for a project; never fails what was done.

    Facts are counts, ids and paths, never words of the conversation.
    """
    log = LogFile(project.data.audit, project.clock)
    log.record("info", act, project=project.id, root=project.root, **facts)
