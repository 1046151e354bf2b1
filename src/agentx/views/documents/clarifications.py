"""Clarifications as documents that can be found: a question with its answers, by issue and role.

A part is a ledger; a document is a clarification. What was resolved is found by what it
came to first. One that was abandoned is superseded: nobody answered, and nobody asks. Who shows one
tells beside it what speaks against it by now (`mark_questions`): an excerpt may leave that out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.clarification.model import Clarification, ClarificationStatus, EntryType
from agentx.clarification.rendering import say_worth
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.summary import find_note
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.roles import quote_names
from agentx.kernel.text import fold_text, hang
from agentx.search.document import Document

CLARIFICATION = "clarification"


class ClarificationDocuments:
    """The ledgers of a project, as a room that can be searched."""

    name = "clarifications"

    def __init__(self, store: LedgerStore, project: str) -> None:
        self._store = store
        self._project = project

    def parts(self) -> Iterable[tuple[str, str]]:
        """Yield the number of each issue with a ledger, and what changes when that does."""
        for stamp in self._store.stamps():
            yield str(stamp.issue), str(stamp)

    def documents(self, key: str) -> Iterator[Document]:
        """Yield the clarifications of an issue; none of a ledger that is damaged or gone."""
        try:
            ledger = self._store.read(int(key))
        except CorruptRecord:
            return
        for state in ledger:
            yield clarification_document(state, self._project)


def clarification_document(state: Clarification, project: str) -> Document:
    """Return a clarification as a document."""
    # What was decided is said first; what was told a person to call them says nothing of its own.
    turns = [*filter(None, (state.decision,)), *state.thread]
    told = (entry for entry in dict.fromkeys(turns) if not entry.is_claim)
    spoken = [entry for entry in told if entry.type is not EntryType.ESCALATION]
    names = {state.asker, state.to, *(entry.speaker for entry in spoken)}
    said = [
        f"{entry.speaker_shown}{say_worth(entry)}: {hang(quote_names(entry.body, names))}"
        for entry in spoken
        if entry.body
    ]
    # What speaks against it is told in front of what is found, as it is known then.
    said += filter(None, (quote_names(find_note(state), names),))
    newest = state.thread[-1].at_ms if state.thread else state.created_ms
    return Document(
        doc_type=CLARIFICATION,
        doc_id=state.id,
        text="\n".join((fold_text(quote_names(state.topic, names)), *said)),
        timestamp_ms=newest,
        keywords=(state.id, state.topic),
        project=project,
        agent=state.asker,
        issue=str(state.issue),
        superseded=state.status is ClarificationStatus.ABANDONED,
    )
