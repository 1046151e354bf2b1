"""To take what people said on the pages of issues into the ledgers: answers and decisions.

GitHub is asked only about issues with open questions, with questions settled or replies taken of
late, and only where the user named somebody. Who wrote a comment that was taken sees a thumb below
it; whoever wrote one that could not be is told why, once, and so is who changed one that was taken.
What says otherwise than was decided before it was read is kept beside that, and told. Which GitHub
is asked, and who is named, must stand in the user's settings: a variable can be said by whoever
starts the process, an agent among them; and no agent takes replies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from agentx.agents.happenings import ChannelMessage
from agentx.agents.hub.hub import Hub
from agentx.clarification.contested import is_otherwise
from agentx.clarification.limits import CLARIFY_DECIDED_TOLD_MS
from agentx.clarification.model import PERSON, Clarification, Ledger
from agentx.clarification.replies.after_all import find_after_all
from agentx.clarification.replies.changed import ReplyChanged, find_changed
from agentx.clarification.replies.finding import PersonsReply, ReplyNotTaken, find_replies
from agentx.clarification.replies.page import IssuePage, PageComment, list_taken
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.vouching.forgetting import ForgottenNames
from agentx.clarification.watch.later import tell_later
from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    InvalidValue,
    NotFound,
    UnavailableError,
)
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.wiring.clarifications import make_pen, open_clarifications
from agentx.wiring.github import github_issues
from agentx.wiring.listeners.deciders import list_deciders
from agentx.wiring.listeners.happenings import tell_news
from agentx.wiring.trust.changed_replies import REPLIES_LOOKED_AT_MS, note_changes
from agentx.work.store.github.issues import GithubIssues, Post
from agentx.work.store.github.mapping import PostedComment

# What cannot be had now is had by the next look.
_TRIES = 2


@frozen
class RepliesTaken:
    """What people had said, and what came of it."""

    taken: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()  # and has not been told before
    posted: int = 0
    offline: str = ""


def take_replies(project: Project, hub: Hub, issues: Iterable[int] = ()) -> RepliesTaken:
    """Take people's replies on GitHub to the open questions of some issues, or of all.

    Raises: InvalidValue when the repository or the token is missing, or a name is none.
    """
    people, why = list_deciders(project)
    if people and not project.trust.has_data:
        why = "people's replies are not taken while the repository is not trusted: agentx trust"
    if why:
        return RepliesTaken(unclear=(why,))
    if find_caller(project).is_agent:
        return RepliesTaken()  # the daemon does, or the person
    wanted = set(issues)
    ledgers = [
        ledger.issue
        for ledger in open_clarifications(project).ledgers()
        if (not wanted or ledger.issue in wanted) and _is_heard(project, ledger)
    ]
    if not (people and ledgers):
        return RepliesTaken()
    store = github_issues(project, tries=_TRIES, patience=project.patience)
    found = [_Listener(project, hub, store, people, issue).listen() for issue in ledgers]
    return RepliesTaken(
        taken=tuple(name for each in found for name in each.taken),
        unclear=tuple(why for each in found for why in each.unclear),
        posted=sum(each.posted for each in found),
        offline=next((each.offline for each in found if each.offline), ""),
    )


class _Listener:
    """Who takes the replies on one issue."""

    def __init__(
        self, project: Project, hub: Hub, store: GithubIssues, people: Sequence[str], issue: int
    ) -> None:
        self._project = project
        self._hub = hub
        self._store = store
        self._people = people
        self._issue = issue
        self._taken: list[str] = []
        self._unclear: list[str] = []
        self._posted = 0
        self._elsewhere: dict[str, int] = {}
        self._forgotten = _gather_forgotten(project, issue).uids

    def listen(self) -> RepliesTaken:
        """Take what is said there, oldest first; then tell what was changed."""
        offline = ""
        try:
            heard = tuple(map(_as_page_comment, self._store.hear(self._issue)))
            after = 0
            page = self._turn(heard)
            while found := next(find_replies(page, self._people, after), ()):
                after = found[0].remark
                self._follow(found)
                page = self._turn(heard)
            self._tell_changes(page)
            for each in find_after_all(page):
                if not page.holds(each.mark):
                    self._post(each.mark, each.comment)
        except UnavailableError as error:
            offline = error.message
        except NotFound:
            pass  # `issue sync` says that GitHub has no such issue
        return RepliesTaken(
            taken=tuple(self._taken),
            unclear=tuple(self._unclear),
            posted=self._posted,
            offline=offline,
        )

    def _turn(self, heard: tuple[PageComment, ...]) -> IssuePage:
        """Return the page beside the ledger as it is now: each reply changes it."""
        ledger = open_clarifications(self._project).ledger(self._issue)
        page = IssuePage(heard, tell_later(ledger.clarifications, ledger.clarifications))
        page.heard_elsewhere = self._elsewhere
        page.forgotten = self._forgotten
        return page

    def _follow(self, found: Sequence[PersonsReply | ReplyNotTaken]) -> None:
        before = len(self._taken)
        for each in found:
            if isinstance(each, ReplyNotTaken):
                self._keep_missed(each)
                if each.is_told:
                    continue
                words = f"@{each.author}, your reply was not taken as a decision: {each.why}."
                if not each.is_whole:
                    words = f"@{each.author}, not all of your reply was taken: {each.why}."
                if self._post(each.mark, f"{each.mark}\n{words}"):
                    self._unclear.append(f"#{self._issue}: {each.author} replied: {each.why}")
            elif self._take(each):
                self._taken.append(each.clarification_id)
        if len(self._taken) > before:
            self._store.acknowledge(found[0].remark)

    def _take(self, reply: PersonsReply) -> bool:
        say = self._hub.resolve if reply.settles else self._hub.answer
        try:
            say(reply.exact, reply.body, by=PERSON, via=reply.via)
        except UnavailableError:
            raise
        except AgentXError as error:  # settled meanwhile, or words that no thread takes
            facts = {"clarificationId": reply.clarification_id, "author": reply.author}
            self._project.log.record("warning", "github-reply", message=error.message, **facts)
            return False
        self._project.log.record(
            "info", "github-reply", clarificationId=reply.clarification_id, author=reply.author
        )
        said = f"{reply.author}: {reply.clarification_id}"
        at = self._project.clock.now_ms()
        heard = ChannelMessage(timestamp=at, channel_id="github", direction="in", content=said)
        tell_news(self._project, heard)
        return True

    def _keep_missed(self, reply: ReplyNotTaken) -> None:
        """Keep what says otherwise than what was decided before it was read: people disagree."""
        room = open_clarifications(self._project)
        for each in reply.missed:
            with suppress(NotFound, InvalidValue):  # forgotten meanwhile, or no thread takes it
                state = room.find(each.exact)
                if each.to_asked or is_otherwise(each.body, state):
                    room.keep_missed(each.exact, each.body, via=each.via, to_asked=each.to_asked)

    def _tell_changes(self, page: IssuePage) -> None:
        """Tell who changed a reply that was taken what is on record, there and in the inbox."""
        changes: list[ReplyChanged] = list(find_changed(page))
        for each in changes:
            if not page.holds(each.mark) and self._post(each.mark, each.comment):
                self._unclear.append(f"#{self._issue}: {each.story}; {each.mend}")
        note_changes(self._project, self._issue, changes)

    def _post(self, mark: str, body: str) -> bool:
        """Post what carries a mark, unless it stands there or waits; return whether it is new."""
        done = self._store.mirror(self._issue, (Post(mark=mark, body=body),), {})
        self._posted += done.posted
        return done.new > 0


def _is_heard(project: Project, ledger: Ledger) -> bool:
    since_ms = project.clock.now_ms() - REPLIES_LOOKED_AT_MS
    is_open = any(state.is_active or _was_settled(project, state) for state in ledger)
    is_open = is_open or any(entry.at_ms >= since_ms for _, entry in list_taken(ledger))
    return is_open or _was_forgotten(project, ledger.issue)


def _was_forgotten(project: Project, issue: int) -> bool:
    """Tell whether a question was forgotten of late: what stands of it there may be replied to."""
    since_ms = project.clock.now_ms() - CLARIFY_DECIDED_TOLD_MS
    return any(at_ms >= since_ms for at_ms in _gather_forgotten(project, issue).numbers.values())


def _gather_forgotten(project: Project, issue: int) -> ForgottenNames:
    store = LedgerStore(project.paths, project.clock, make_pen(project))
    with suppress(CorruptRecord):
        return store.gather_forgotten(issue)
    return ForgottenNames()


def _was_settled(project: Project, state: Clarification) -> bool:
    """Tell whether a question was settled of late: a reply to it may not be read yet."""
    since_ms = project.clock.now_ms() - CLARIFY_DECIDED_TOLD_MS
    return state.resolved_ms is not None and state.resolved_ms >= since_ms


def _as_page_comment(said: PostedComment) -> PageComment:
    return PageComment(
        id=said.id,
        author=said.author,
        body=said.body,
        is_person=said.is_person,
        is_edited=said.is_edited,
        is_ours=said.is_ours,
        is_insider=said.is_insider,
        at_ms=said.created_ms,
    )
