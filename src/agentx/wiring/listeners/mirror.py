"""The threads of clarifications on GitHub: a view of the ledgers, made true again and again.

Every entry of a thread is one comment, once, however often it is mirrored; two labels
say whether something is open or late; an escalation mentions whom the user named.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import (
    Clarification,
    ClarificationStatus,
    EntryType,
    Ledger,
)
from agentx.clarification.replies.comments import comment, former_marks, marker
from agentx.clarification.replies.page import name_renaming, say_renaming
from agentx.kernel.errors import NotFound, UnavailableError
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.github import github_issues, github_queue
from agentx.wiring.listeners.deciders import list_deciders, list_people
from agentx.work.port import say_outage
from agentx.work.store.github.issues import MIRROR, Post

ACTIVE_LABEL = "clarification:active"
STALE_LABEL = "clarification:stale"

# What cannot be mirrored now waits: a command must not.
_MIRROR_TRIES = 2


@frozen
class SyncReply:
    """What was sent to GitHub, and what waits."""

    posted: int
    sent: int
    waiting: int
    refused: tuple[str, ...] = ()
    offline: str = ""
    replies: tuple[str, ...] = ()  # questions that people answered or settled there
    unclear: tuple[str, ...] = ()  # what people said there that settled nothing, and why

    @property
    def outage(self) -> str:
        """Why not everything was sent, in words; nothing where it was."""
        return say_outage(self.offline)


def mirror(project: Project, issues: Iterable[int] = ()) -> SyncReply:
    """Bring GitHub up to date: what waits, then the threads of some issues, or of all.

    Every entry of a thread becomes one comment, once, however often this is called. GitHub out
    of reach is no failure: what could not be sent waits.

    Raises: InvalidValue when the repository or the token is missing.
    """
    store = github_issues(project, tries=_MIRROR_TRIES, patience=project.patience)
    queue = github_queue(project)
    left = [entry for entry in queue.waiting() if entry.kind == MIRROR]
    wanted = set(issues)
    if wanted:
        wanted.update(entry.issue for entry in left)
    caught_up, posted = store.catch_up(), 0
    offline = caught_up.offline
    refused = list(caught_up.refused)
    for ledger in open_clarifications(project).ledgers():
        if wanted and ledger.issue not in wanted:
            continue
        try:
            done = store.mirror(ledger.issue, _posts(project, ledger), _labels(ledger))
            posted, offline = posted + done.posted, offline or done.offline
        except NotFound as error:
            refused.append(error.message)
        except UnavailableError as error:
            offline = error.message
            is_noted = any(entry.issue == ledger.issue for entry in left)
            has_all = is_noted or store.is_mirrored(
                ledger.issue, _posts(project, ledger), _labels(ledger)
            )
            if not has_all:
                queue.add(ledger.issue, MIRROR, {})
            continue
        for entry in left:
            if entry.issue == ledger.issue:
                queue.note_sent(entry)
    return SyncReply(
        posted=posted,
        sent=caught_up.sent,
        waiting=len(queue.waiting()),
        refused=tuple(refused),
        offline=offline,
    )


def _posts(project: Project, ledger: Ledger) -> Iterable[Post]:
    people, heard = list_people(project), list_deciders(project)[0]
    for state in ledger:
        if state.formerly and state.is_active:
            yield Post(mark=name_renaming(state), body=say_renaming(state))
        for index, entry in enumerate(state.thread):
            is_twice = entry.late and entry.type is EntryType.ESCALATION  # by another clone
            # What was said there stands there; what nobody vouches for does nowhere else.
            if not (is_twice or entry.is_claim or entry.account):
                yield Post(
                    mark=marker(state, index),
                    body=comment(state, index, people, heard),
                    before=former_marks(state, index),
                )


def _labels(ledger: Ledger) -> dict[str, bool]:
    return {
        ACTIVE_LABEL: any(state.is_active for state in ledger),
        STALE_LABEL: any(_is_stale(state) for state in ledger),
    }


def _is_stale(state: Clarification) -> bool:
    return state.status is ClarificationStatus.STALE
