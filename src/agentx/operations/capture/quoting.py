"""What else holds the words of events that go: learnt from them, or written down by somebody.

A run of several words in the same order is taken for a quotation. What was learnt from the events
goes with them; a run, a lesson, a question or an observation that somebody wrote stays, and is
told with what takes it away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from agentx.conversation.model import Event
from agentx.host.files.plain import is_folder, list_folder, read_bytes
from agentx.kernel.clock import Millis
from agentx.kernel.text import preview
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.search.document import Document
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.observations import open_vouched
from agentx.wiring.rooms import searchable_rooms

_WORDS = 7  # in a row
_LINE_CHARS_MAX = 100
_MENDS = {
    "observations": "agentx memory remove {id}",
    "runs": "a fact of the run: take the line out of {folder} by hand, then `agentx run rebuild "
    "--as-is`; what was committed or pushed before is beyond its reach",
    "lessons": "a fact of the lessons: take the line out of {folder} by hand, and out of {held}",
    "clarifications": "agentx clarify forget {id}",
    "issues": "write it otherwise: agentx issue update {id}, or {folder}; what git has of it stays",
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
        """Look through every room; `whole` are the sessions that go with all that is theirs.

        Who asks for words is told where they stand, also where no event says them.
        """
        gone = list(events)
        ids = {event.event_id for event in gone}
        known = {run for event in gone for run in runs_of(event.text)}
        wanted = " ".join(query.casefold().split())
        self.learnt = 0
        quoted: list[Quote] = []
        for room, document in _documents(project) if gone or wanted else ():
            if document.session in whole or ids.intersection(document.drawn_from):
                self.learnt += 1
            elif (wanted and wanted in " ".join(document.text.casefold().split())) or (
                known.intersection(runs_of(document.text))
            ):
                quoted.append(_quote(project, room, document))
        # Of one thing once, as it is found first.
        self.quoted = tuple({(each.kind, each.id): each for each in reversed(quoted)}.values())[
            ::-1
        ]


def _documents(project: Project) -> Iterator[tuple[str, Document]]:
    rooms = searchable_rooms(project)
    for part in sorted(rooms.stamps()):
        for document in rooms.documents(part):
            yield part.partition("/")[0], document
    yield from (("clarifications", each) for each in _list_threads(project))
    yield from (("observations", each) for each in _list_dropped(project))
    yield from (("issues", each) for each in _list_issues(project))


def _list_threads(project: Project) -> Iterator[Document]:
    """Yield all that was said in questions, as it was: what is found of them leaves some out."""
    for state in (
        open_clarifications(project).list_all() if any(map(is_folder, project.asked)) else ()
    ):
        text = "\n".join((state.topic, *(entry.body for entry in state.thread)))
        yield Document(doc_type="thread", doc_id=state.id, text=text, timestamp_ms=state.created_ms)


def _list_issues(project: Project) -> Iterator[Document]:
    """Yield the issues whose files lie here."""
    folder = project.paths.issues
    for name in list_folder(folder).files if is_folder(folder) else ():
        if not name.startswith(".") and not name.endswith(".lock"):
            text = read_bytes(folder / name).decode("utf-8", "replace")
            yield Document(
                doc_type="issue", doc_id=Path(name).stem, text=text, timestamp_ms=Millis(0)
            )


def _list_dropped(project: Project) -> Iterator[Document]:
    """Yield what a person dropped: its text lies in the archive until it is removed."""
    if not is_folder(project.observations):
        return
    with closing(open_vouched(project)) as store:
        noted = store.drops.read().dropped
        found = [(each, store.get_archived(name)) for name, each in noted.items()]
    for each, old in found:
        said = "\n".join((old.content if old else "", each.why))
        yield Document(
            doc_type="dropped",
            doc_id=each.id,
            text=said,
            timestamp_ms=each.at_ms,
            session=old.session_id if old else "",
            drawn_from=old.event_ids if old else (),
        )


def _quote(project: Project, room: str, document: Document) -> Quote:
    folders = {
        "runs": project.paths.runs,
        "lessons": project.paths.lessons,
        "issues": project.paths.issues,
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
