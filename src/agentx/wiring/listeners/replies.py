"""To take what people said on the pages of issues into the ledgers: answers and decisions.

GitHub is asked only about issues with open questions, and only where the user named somebody. Who
wrote a comment that was taken sees a thumb below it; whoever wrote one that could not be is told
why, once. Which GitHub is asked, and who is named, must stand in the user's settings: a variable
can be said by whoever starts the process, an agent among them; and no agent takes replies.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.agents.happenings import ChannelMessage
from agentx.agents.hub.hub import Hub
from agentx.clarification.model import PERSON
from agentx.clarification.replies import PageComment, PersonsReply, ReplyNotTaken, find_replies
from agentx.kernel.errors import IllegalTransition, NotFound, UnavailableError
from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX
from agentx.kernel.text import cut
from agentx.kernel.values import frozen
from agentx.project.config import variable_of
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.github import github_issues
from agentx.wiring.listeners.happenings import tell_news
from agentx.wiring.listeners.mirror import list_people
from agentx.work.store.github.issues import GithubIssues, Post
from agentx.work.store.github.mapping import PostedComment

# What cannot be had now is had by the next look.
_TRIES = 2
# What decides whose words count.
_SETTINGS = ("work.mode", "github.repository", "github.base_url", "github.notify")


@frozen
class RepliesTaken:
    """What people had said, and what came of it."""

    taken: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    offline: str = ""


def take_replies(project: Project, hub: Hub, issues: Iterable[int] = ()) -> RepliesTaken:
    """Take people's replies on GitHub to the open questions of some issues, or of all.

    Raises: InvalidValue when the repository or the token is missing, or a name is none.
    """
    people = tuple(name for name in list_people(project) if "/" not in name)
    said = [variable_of(key) for key in _SETTINGS if _is_said(project, key)]
    if people and said:
        why = f"people's replies are not taken while {said[0]} is set: say it in your settings"
        return RepliesTaken(unclear=(why,))
    if find_caller(project).is_agent:
        return RepliesTaken()  # the daemon does, or the person
    wanted = set(issues)
    ledgers = [
        ledger
        for ledger in open_clarifications(project).ledgers()
        if (not wanted or ledger.issue in wanted) and any(state.is_active for state in ledger)
    ]
    if not (people and ledgers):
        return RepliesTaken()
    store = github_issues(project, tries=_TRIES, patience=project.patience)
    taken: list[str] = []
    unclear: list[str] = []
    offline = ""
    for ledger in ledgers:
        try:
            heard = tuple(map(_as_page_comment, store.hear(ledger.issue)))
            for found in find_replies(heard, ledger.clarifications, people):
                if isinstance(found, ReplyNotTaken):
                    _explain(store, ledger.issue, found, heard)
                    unclear.append(f"#{ledger.issue}: {found.author} replied: {found.why}")
                elif _take(project, hub, found):
                    taken.append(found.clarification_id)
                    store.acknowledge(found.remark)
        except UnavailableError as error:
            offline = error.message
        except NotFound:
            continue  # `issue sync` says that GitHub has no such issue
    return RepliesTaken(taken=tuple(taken), unclear=tuple(unclear), offline=offline)


def _is_said(project: Project, key: str) -> bool:
    return variable_of(key) in project.environment.variables


def _as_page_comment(said: PostedComment) -> PageComment:
    return PageComment(
        id=said.id,
        author=said.author,
        body=said.body,
        is_person=said.is_person,
        is_edited=said.is_edited,
        is_ours=said.is_ours,
    )


def _take(project: Project, hub: Hub, reply: PersonsReply) -> bool:
    say = hub.resolve if reply.settles else hub.answer
    body = cut(reply.body, CLARIFY_TEXT_CHARS_MAX)
    try:
        say(reply.clarification_id, body, by=PERSON, via=reply.via)
    except IllegalTransition:
        return False  # settled meanwhile
    project.log.record(
        "info", "github-reply", clarificationId=reply.clarification_id, author=reply.author
    )
    said = f"{reply.author}: {reply.clarification_id}"
    at = project.clock.now_ms()
    heard = ChannelMessage(timestamp=at, channel_id="github", direction="in", content=said)
    tell_news(project, heard)
    return True


def _explain(
    store: GithubIssues, issue: int, found: ReplyNotTaken, heard: tuple[PageComment, ...]
) -> None:
    mark = f"<!-- agentx:reply:{found.remark} -->"
    if any(mark in each.body for each in heard):
        return
    body = f"{mark}\n@{found.author}, your reply was not taken as a decision: {found.why}."
    store.mirror(issue, (Post(mark=mark, body=body),), {})
