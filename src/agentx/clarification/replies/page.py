"""What an issue's page showed at a comment: which questions stood there, and which waited.

Whether a reply was clear is judged by the page as it was when the reply was written, and by the
order of comments, not by clocks: what was ambiguous stays so when a question goes away. Questions
of other machines, which the ledger here does not know yet, stand there too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agentx.clarification.model import (
    PERSON,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    read_question,
)
from agentx.clarification.replies.comments import is_post, marker
from agentx.clarification.replies.parts import list_names
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.roles import speak_role
from agentx.kernel.text import compile_late, preview, printable, refer_to_nothing
from agentx.kernel.values import frozen

_MARK = compile_late(r"<!-- agentx:clarification:([A-Za-z0-9-]+):([A-Za-z0-9@_:-]+) -->")
_HEADER = compile_late(r"\*\*(.{1,200}?)\*\* \((CLR-[0-9A-Za-z@_-]+), round ")
_TOPIC = compile_late(r"\n\*\*Topic\*\*: (.{1,300})")
_CALLS = frozenset({EntryType.QUESTION, EntryType.ESCALATION})
SAYS = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})
# Clocks of two machines that differ by less than this cannot say what was first.
_CLOCKS_APART_MS = 2 * MINUTE_MS


@frozen
class PageComment:
    """A comment on an issue's page."""

    id: int
    author: str
    body: str
    is_person: bool
    is_edited: bool
    is_ours: bool
    is_insider: bool = False  # its author may write to the repository
    at_ms: Millis = Millis(0)


@frozen
class ShownQuestion:
    """A question as the page showed it at a comment."""

    uid: str
    topic: str
    names: frozenset[str]
    state: Clarification | None  # None where only another machine knows it
    is_settled: bool
    waits_for_person: bool

    @property
    def called(self) -> str:
        """The name to call it by."""
        return self.state.id if self.state is not None else min(self.names)


class IssuePage:
    """The comments of an issue beside its ledger."""

    def __init__(self, comments: Sequence[PageComment], states: Sequence[Clarification]) -> None:
        self.comments = comments
        self.states = states
        self.heard_elsewhere: dict[str, int] = {}  # replies to questions of other machines
        self.forgotten: frozenset[str] = frozenset()  # questions that stand here and nowhere else
        self.by_id = {each.id: each for each in comments}
        self._ours = [each for each in comments if each.is_ours]
        self._marks: dict[str, int] = {}
        self._posts: dict[str, list[PageComment]] = {}  # by question
        for each in self._ours:
            found = _MARK.match(each.body.lstrip())
            if found is not None:
                self._marks.setdefault(found[0], each.id)
                self._posts.setdefault(found[1], []).append(each)
        self.programs = {each.author.casefold() for each in self._ours}
        places = {
            self.place(state, turn)
            for state in states
            for turn, entry in enumerate(state.thread)
            if not entry.comment
        }
        self._own = {each.author.casefold() for each in self._ours if each.id in places}

    def is_believed(self, comment: PageComment) -> bool:
        """Tell whether a comment of ours is no stranger's that only looks so."""
        return comment.is_ours and (comment.is_insider or comment.author.casefold() in self._own)

    def holds(self, mark: str) -> bool:
        """Tell whether a comment of ours carries a mark."""
        return self.find_marked(mark) is not None

    def find_marked(self, mark: str) -> PageComment | None:
        """Return the comment of ours that carries a mark, or None."""
        found = (each for each in self._ours if mark in each.body and self.is_believed(each))
        return next(found, None)

    def place(self, state: Clarification, turn: int) -> int | None:
        """Return which comment an entry of a thread is; None where it stands there not yet."""
        entry = state.thread[turn]
        if entry.comment:
            return entry.comment
        found = self._marks.get(marker(state, turn))
        if found is not None:
            return found
        before = self._posts.get((state.formerly or state.id).partition("@")[0], ())
        return next((each.id for each in before if is_post(each.body, state, turn)), None)

    def list_shown(self, at: PageComment) -> tuple[ShownQuestion, ...]:
        """Return the questions that stood above a comment."""
        own = (self._show(state, at) for state in self.states)
        return (*(shown for shown in own if shown is not None), *self._list_others(at))

    def list_newer(self, state: Clarification, than: PageComment) -> tuple[Entry, ...]:
        """Return what was said to a question, and asked further, since a comment."""
        said = tuple(enumerate(state.thread))[1:]
        return tuple(
            entry
            for turn, entry in said
            if not entry.late
            and (entry.type is not EntryType.ESCALATION or read_question(entry))
            and self._is_newer(entry, self.place(state, turn), than)
        )

    def _is_newer(self, entry: Entry, place: int | None, than: PageComment) -> bool:
        if place is None:
            return entry.at_ms + _CLOCKS_APART_MS >= than.at_ms
        return place > than.id

    def find_asked(self, state: Clarification, before: PageComment) -> Entry | None:
        """Return what a question had asked last above a comment, or None."""
        asked = (
            entry
            for turn, entry in enumerate(state.thread)
            if not entry.late
            and read_question(entry)
            and (self.place(state, turn) or before.id) < before.id
        )
        return next(reversed([*asked]), None)

    def _show(self, state: Clarification, at: PageComment) -> ShownQuestion | None:
        above = [
            entry
            for turn, entry in enumerate(state.thread)
            if not entry.late and (self.place(state, turn) or at.id) < at.id
        ]
        if not any(entry.type in _CALLS for entry in above):
            return None
        if state.stem and not any(entry.uid == state.uid for entry in above):
            return None  # what it shares with another thread stood there, and not its question
        kinds = [entry.type for entry in above]
        said = [kind for kind in kinds if kind is not EntryType.ESCALATION]
        is_settled = EntryType.RESOLUTION in kinds
        is_called = EntryType.ESCALATION in kinds
        is_persons = state.to == PERSON and said[-1:] == [EntryType.QUESTION]
        return ShownQuestion(
            uid=state.uid,
            topic=_quote(state.topic),
            names=_add_exact(self._list_names(state, at), state.uid),
            state=state,
            is_settled=is_settled,
            waits_for_person=not is_settled and (is_called or is_persons),
        )

    def _list_names(self, state: Clarification, at: PageComment) -> frozenset[str]:
        """Return how a question was called above a comment: as it was first, until that was said
        to have changed."""
        names = {state.id, state.formerly} - {""}
        posts = (*self._posts.get(state.stem, ()), *self._posts.get(state.uid, ()))
        above = [each for each in posts if each.id < at.id]
        if state.formerly and not any(name_renaming(state) in each.body for each in above):
            names.update(name for each in above for name in _read_header(each)[1:])
        return frozenset(names)

    def _list_others(self, at: PageComment) -> Iterator[ShownQuestion]:
        known = {state.uid for state in self.states} | {state.id for state in self.states}
        known |= {state.formerly.partition("@")[0] for state in self.states}
        for uid, posts in self._posts.items():
            above = [each for each in posts if each.id < at.id and self.is_believed(each)]
            heads = [head for head in map(_read_header, above) if head]
            if uid in known or not heads:
                continue
            titles = [title for title, _ in heads]
            is_settled = any(title.startswith("Resolved by ") for title in titles)
            is_settled = is_settled or self.heard_elsewhere.get(uid, at.id) < at.id
            last = next((each for each in reversed(titles) if not _is_call(each)), "")
            is_asked = last.endswith(f" asks {speak_role(PERSON)}")
            yield ShownQuestion(
                uid=uid,
                topic=_quote(_read_topic(above[0])),
                names=_add_exact((name for _, name in heads), uid),
                state=None,
                is_settled=is_settled,
                waits_for_person=not is_settled and (any(map(_is_call, titles)) or is_asked),
            )


def name_renaming(state: Clarification) -> str:
    """Return the mark of the comment that says how a question is called now."""
    return f"<!-- agentx:clarification:{state.uid or state.id}:now:{state.id} -->"


def say_renaming(state: Clarification) -> str:
    """Return the comment that says how a question is called now."""
    before = state.formerly.partition("@")[0]
    topic = _quote(state.question if state.stem else state.topic)
    return (
        f"{name_renaming(state)}\n{before} of {speak_role(state.asker)} is {state.id} now "
        f"(another question was called {before} too): {topic}"
    )


def is_settled_for_good(state: Clarification) -> bool:
    """Tell whether nothing can be said to a question any more."""
    return state.status in (ClarificationStatus.RESOLVED, ClarificationStatus.ABANDONED)


def list_taken(states: Iterable[Clarification]) -> Iterator[tuple[Clarification, Entry]]:
    """Yield what was taken from a page, with its question."""
    for state in states:
        for entry in state.thread:
            if entry.comment and entry.type in SAYS:
                yield state, entry


def _quote(topic: str) -> str:
    said = printable(preview(topic, 100)).replace("`", "'")
    return refer_to_nothing(said).replace("<!--", "&lt;!--")


def _add_exact(names: Iterable[str], uid: str) -> frozenset[str]:
    """Return names, and with each the one that never means another question."""
    known = set(names)
    return frozenset(known | {f"{name}@{uid}" for name in known if uid and "@" not in name})


def _read_topic(comment: PageComment) -> str:
    found = _TOPIC.search(comment.body[:2000])
    return found[1] if found is not None else ""


def _is_call(title: str) -> bool:
    return title.startswith("Escalated: ")


def _read_header(comment: PageComment) -> tuple[str, ...]:
    """Return what a comment of ours is, and how its question was called then."""
    found = _HEADER.search(comment.body[:1000])
    if found is None:
        return ()
    named = list_names(found[2])
    return (found[1], named[0]) if named else ()
