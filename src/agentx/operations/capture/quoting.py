"""What else holds the words of events that go: learnt from them, or written down by somebody.

A run of several words in the same order is taken for a quotation. What was learnt from the events
goes with them; a run, a lesson, a question or an observation that somebody wrote stays, and is
told with what takes it away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.conversation.model import Event
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.search.document import Document
from agentx.wiring.rooms import searchable_rooms

_WORDS = 7  # in a row
_LINE_CHARS_MAX = 100
_MENDS = {
    "observations": "agentx memory remove {id}",
    "runs": "a fact of the run: take the line out of {folder} by hand, then `agentx run rebuild "
    "--as-is`; what was committed or pushed before is beyond its reach",
    "lessons": "a fact of the lessons: take the line out of {folder} by hand, and out of {held}",
    "clarifications": "agentx clarify forget {id}",
}


@frozen
class Quote:
    """Something that stays although it holds the words."""

    kind: str
    id: str
    says: str
    mend: str


class Quotes:
    """What the rooms of a project hold of some events."""

    def __init__(
        self, project: Project, events: Iterable[Event], whole: set[str], query: str
    ) -> None:
        """Look through every room; `whole` are the sessions that go with all that is theirs."""
        gone = list(events)
        ids = {event.event_id for event in gone}
        known = {run for event in gone for run in runs_of(event.text)}
        wanted = " ".join(query.casefold().split())
        self.learnt = 0
        quoted: list[Quote] = []
        for room, document in _documents(project) if gone else ():
            if document.session in whole or ids.intersection(document.drawn_from):
                self.learnt += 1
            elif (wanted and wanted in " ".join(document.text.casefold().split())) or (
                known.intersection(runs_of(document.text))
            ):
                quoted.append(_quote(project, room, document))
        self.quoted = tuple(quoted)


def _documents(project: Project) -> Iterator[tuple[str, Document]]:
    rooms = searchable_rooms(project)
    for part in sorted(rooms.stamps()):
        for document in rooms.documents(part):
            yield part.partition("/")[0], document


def _quote(project: Project, room: str, document: Document) -> Quote:
    folders = {
        "runs": project.paths.runs,
        "lessons": project.paths.lessons,
    }
    mend = _MENDS[room].format(
        id=document.doc_id, folder=folders.get(room, ""), held=project.taught[1]
    )
    return Quote(
        kind=room, id=document.doc_id, says=preview(document.text, _LINE_CHARS_MAX), mend=mend
    )


def runs_of(text: str) -> Iterator[tuple[str, ...]]:
    """Yield every run of words of a text; one that is a little shorter is a run itself."""
    words = ["".join(filter(str.isalnum, word)) for word in text.casefold().split()]
    words = [word for word in words if word]
    if _WORDS // 2 < len(words) < _WORDS:
        yield tuple(words)
    for start in range(len(words) - _WORDS + 1):
        yield tuple(words[start : start + _WORDS])
