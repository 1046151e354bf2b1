"""Replies that were taken, and edited or deleted since: what is on record stays, and that is told.

Who edited a comment is not told by its page, so an edit decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.clarification.model import Clarification, ClarificationStatus, Entry
from agentx.clarification.replies.page import IssuePage, list_taken
from agentx.clarification.replies.parts import split_reply
from agentx.clarification.watch.later import was_said_since
from agentx.clarification.watch.matters import list_matters
from agentx.kernel.text import preview, refer_to_nothing
from agentx.kernel.values import frozen

EDITED, DELETED = "edited", "deleted"


@frozen
class ReplyChanged:
    """A reply whose comment says something else than what was taken, or is gone."""

    state: Clarification
    entry: Entry
    what: str  # edited, deleted

    @property
    def mark(self) -> str:
        """The hidden mark of the comment that says so."""
        about = self.state.uid or self.state.id  # one comment may have answered several
        return f"<!-- agentx:{self.what}:{self.entry.comment}:{about} -->"

    @property
    def happened(self) -> str:
        """What happened, in no words of the reply."""
        return f"{self.entry.account}'s reply on GitHub was {self.what} after it was taken"

    @property
    def story(self) -> str:
        """What happened, and what is on record."""
        said = preview(self.entry.body, 200)
        return (
            f"{self.happened}; "
            f'the decision on record for {self.state.id} is the earlier text: "{said}"'
        )

    @property
    def mend(self) -> str:
        """How the decision can be changed."""
        if self.state.status is ClarificationStatus.ANSWERED:
            return f"to change it, write a new comment: `{self.state.id}: your decision`"
        return "to change it, tell the agent, or have it asked anew"

    @property
    def comment(self) -> str:
        """What is said on the page."""
        story = refer_to_nothing(self.story).replace("<!--", "&lt;!--").replace("`", "'")
        return f"{self.mark}\n@{self.entry.account}: {story}; {self.mend}."


def find_changed(page: IssuePage) -> Iterator[ReplyChanged]:
    """Yield the replies that were taken and have changed since."""
    for whole, entry in list_taken(page.states):
        standing = (each for each in (whole, *list_matters(whole)) if each.persons_word == entry)
        state = next(standing, None)
        if state is None or was_said_since(state, page.states, 0):
            continue  # something newer is on record
        asked = page.place(whole, 0)
        if asked is None or asked not in page.by_id or asked >= entry.comment:
            continue  # another page: nothing can be told of what is missing on it
        remark = page.by_id.get(entry.comment)
        if remark is None:
            yield ReplyChanged(state=state, entry=entry, what=DELETED)
        elif remark.is_edited and not _says_same(remark.body, state, entry):
            yield ReplyChanged(state=state, entry=entry, what=EDITED)


def _says_same(body: str, state: Clarification, entry: Entry) -> bool:
    names = {state.id, state.formerly.partition("@")[0]}
    return any(
        part.text == entry.body
        and (not part.names or names & {name.partition("@")[0] for name in part.names})
        for part in split_reply(body)
    )
