"""Replies that one machine refused, and that another had taken: merged, they may be what stands.

Who wrote one was told that it was not taken, so they are told that it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.clarification.model import Clarification, Entry
from agentx.clarification.replies.finding import mark_refusal
from agentx.clarification.replies.page import IssuePage, list_taken
from agentx.kernel.text import preview, refer_to_nothing
from agentx.kernel.values import frozen

_SAID_CHARS = 200


@frozen
class ReplyAfterAll:
    """A reply that stands, and of which its page says that it was not taken."""

    state: Clarification
    entry: Entry

    @property
    def mark(self) -> str:
        """The hidden mark of the comment that says so."""
        about = self.state.uid or self.state.id  # one comment may have answered several
        return f"<!-- agentx:taken:{self.entry.comment}:{about} -->"

    @property
    def comment(self) -> str:
        """What is said on the page."""
        said = refer_to_nothing(preview(self.entry.body, _SAID_CHARS))
        said = said.replace("<!--", "&lt;!--").replace("`", "'")
        return (
            f"{self.mark}\n@{self.entry.account}, your reply was taken after all, by another "
            f'machine: what stands for {self.state.id} is "{said}".'
        )


def find_after_all(page: IssuePage) -> Iterator[ReplyAfterAll]:
    """Yield the replies that stand, and of which the page says that they were not taken."""
    for state, entry in list_taken(page.states):
        if entry is state.persons_word and page.holds(mark_refusal(entry.comment)):
            yield ReplyAfterAll(state=state, entry=entry)
