"""Replies that one machine refused, and that another had taken: merged, they may be what stands.

Who wrote one was told that it was not taken, so they are told that it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.clarification.model import Clarification, Entry
from agentx.clarification.replies.finding import mark_refusal
from agentx.clarification.replies.page import IssuePage, list_taken
from agentx.clarification.replies.parts import list_names
from agentx.clarification.watch.matters import list_matters
from agentx.kernel.text import preview, refer_to_nothing
from agentx.kernel.values import frozen

_SAID_CHARS = 200


@frozen
class ReplyAfterAll:
    """A reply that stands, and of which its page says that it was not taken."""

    state: Clarification  # or the matter that it was said to
    entry: Entry

    @property
    def mark(self) -> str:
        """The hidden mark of the comment that says so."""
        about = self.state.uid or self.state.id  # one comment may have answered several
        return f"<!-- agentx:taken:{self.entry.comment}:{about} -->"

    @property
    def comment(self) -> str:
        """What is said on the page."""
        asked = f' ("{_quote(self.state.question_of(self.entry))}")' if self.state.asked_on else ""
        return (
            f"{self.mark}\n@{self.entry.account}, your reply was taken after all, by another "
            f'machine: what stands for {self.state.id}{asked} is "{_quote(self.entry.body)}".'
        )


def find_after_all(page: IssuePage) -> Iterator[ReplyAfterAll]:
    """Yield the replies that stand, and of which the page says that they were not taken."""
    for whole, entry in list_taken(page.states):
        standing = (each for each in (whole, *list_matters(whole)) if each.persons_word == entry)
        state = next(standing, None)
        if state is not None and _was_refused(page, whole, entry):
            yield ReplyAfterAll(state=state, entry=entry)


def _was_refused(page: IssuePage, state: Clarification, entry: Entry) -> bool:
    """Tell whether a page says that a reply, or what it says to a question, was not taken."""
    if page.holds(mark_refusal(entry.comment)):
        return True
    rest = page.find_marked(mark_refusal(entry.comment, is_whole=False))
    names = {state.id, state.formerly.partition("@")[0]}
    return rest is not None and bool(names.intersection(list_names(rest.body)))


def _quote(text: str) -> str:
    said = refer_to_nothing(preview(text, _SAID_CHARS))
    return said.replace("<!--", "&lt;!--").replace("`", "'")
