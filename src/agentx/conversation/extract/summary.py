"""A segment in a few lines, without a model.

What was concluded is told, not how it was come by: the thoughts of the reply that ended an
exchange, commits, what a person settled; what was said on the way only where it found
something. The weightiest that differ from one another are kept and told in the order in
which they were said. Nothing is written anew: each line is what `sentences.shown` makes
of the words at its place, or a question and its answer joined by an arrow.

The same events always give the same summary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from agentx.conversation.extract.kinds import find_kind, is_cause
from agentx.conversation.extract.salience import (
    WORTH_A_LINE,
    WORTH_ANOTHER_LINE,
    Judgement,
    is_courtesy,
    is_open,
    weigh,
)
from agentx.conversation.extract.thoughts import part_by, thoughts
from agentx.conversation.extract.titling import is_said, title_of
from agentx.conversation.extract.toolwork import (
    find_answers,
    find_refusal,
    findings,
    has_changed,
    list_changed_files,
)
from agentx.conversation.grips import grip
from agentx.conversation.limits import SEGMENT_BULLETS_MAX
from agentx.conversation.model import Event
from agentx.conversation.toc_model import Bullet, BulletKind, Grip, Segment, SegmentSummary
from agentx.kernel.capture import EventType
from agentx.kernel.ids import NodeId
from agentx.kernel.text import compile_late, whole_head
from agentx.kernel.values import frozen
from agentx.prose import titles
from agentx.prose.keyphrases import keyphrases, terms
from agentx.prose.likeness import likeness
from agentx.prose.limits import BULLET_CHARS_MAX, EXCERPT_CHARS_MAX
from agentx.prose.sentences import Sentence, is_question, sentences, shorten, show_excerpt
from agentx.prose.whose.pasted import is_quoted

NAME = "extractive"
ARROW = " \u2192 "

_REPLIES = frozenset({EventType.ASSISTANT_MESSAGE, EventType.ASSISTANT_STOP, EventType.NOTE})
_ALIKE = 0.6
_PER_EVENT_MAX = 4
_FEW = 3
_ANSWER_CHARS_MAX = 160
_QUESTION_CHARS_MAX = 150
_LINES_READ_MAX = 600
_CENTRAL_TERMS = 8
_SAID_TO_TOOL = 84
_ASKED_OF_TOOL = 60
_LINE = compile_late(r"\S[^\n]*")


@frozen(kw_only=False)
class _Place:
    event: Event
    start: int
    end: int


@frozen
class _Done:
    """What was made of a prompt before a reply to it."""

    solved: bool  # something was changed
    worked: bool  # the same, or nobody can tell


@frozen(kw_only=False)
class _Candidate:
    places: tuple[_Place, ...]
    text: str
    kind: BulletKind
    weight: int
    about: frozenset[str]

    @property
    def event(self) -> Event:
        return self.places[-1].event


class Extractive:
    """Summarises by choosing what was said."""

    name = NAME

    def summarise(self, segment: Segment) -> SegmentSummary:
        """Return a segment in one to five lines; none only where nothing at all was said."""
        candidates = _weigh(list(_candidates(segment.events)))
        best = max(candidates, key=lambda one: one.weight, default=None)
        keywords = _keywords(segment.events, candidates)
        title = title_of(segment, best.text if best is not None else "", keywords)
        chosen = _choose(candidates, terms(title)) or list(_anything(segment.events))
        return SegmentSummary(
            title=title,
            bullets=tuple(_bullet(candidate, segment.node_id) for candidate in chosen),
            grips=_grips(chosen, segment.node_id),
            keywords=keywords,
            written_by=NAME,
        )


def find_worth(events: tuple[Event, ...]) -> Callable[[Event, int, int], Judgement | None]:
    """Return what tells the kind and the weight of what was said at a place of some events.

    Nothing where the rules would not have told it: who picks it knows better.
    """
    known: dict[str, list[tuple[_Place, _Candidate]]] = {}
    for one in _weigh(list(_candidates(events))):
        for place in one.places:
            known.setdefault(place.event.event_id, []).append((place, one))

    def find(event: Event, start: int, end: int) -> Judgement | None:
        over = [
            one
            for place, one in known.get(event.event_id, ())
            if place.start < end and start < place.end
        ]
        best = max(over, key=lambda one: one.weight, default=None)
        return None if best is None else Judgement(best.kind, best.weight)

    return find


# --- candidates -----------------------------------------------------------------------------


def _candidates(events: tuple[Event, ...]) -> Iterator[_Candidate]:
    """Yield everything that could be a line, in the order in which it was said."""
    closing = _closing(events)
    asked: _Candidate | None = None
    said: set[str] = set()
    changed = False  # something was made of the prompt at hand
    uses_tools = any(event.event_type is EventType.TOOL_CALL for event in events)
    for index, event in enumerate(events):
        if event.machine or event.is_payload:
            continue
        fresh: list[_Candidate] = []
        if event.event_type is EventType.TOOL_RESULT:
            fresh = list(_of_tool(event))
        elif event.event_type is EventType.USER_MESSAGE:
            fresh = list(_of_prompt(event, asked))
            asked, changed = None, False
        elif event.event_type in _REPLIES or event.event_type is EventType.SUBAGENT_STOP:
            read = sentences(event.text)
            done = _Done(solved=changed, worked=changed or not uses_tools)
            fresh = list(_of_reply(event, read, done, closes=index in closing))
            asked = _question(event, read) if event.text.strip() else asked
        changed = changed or has_changed(event)
        for candidate in fresh:
            folded = candidate.text.casefold()
            if folded not in said:  # a reply is often repeated when a turn ends
                said.add(folded)
                yield candidate


def _of_prompt(event: Event, asked: _Candidate | None) -> Iterator[_Candidate]:
    if titles.is_written_by_machine(event.text):
        return
    read = sentences(event.text)
    answer = _answer(event, read, asked) if asked else None
    if answer:
        yield answer
        return
    for thought in thoughts(event.text, read):
        if is_quoted(event.text, thought.start):
            continue  # a mail, or a reply: nobody here said it
        judged = weigh(thought, by_user=True, closes=False)
        place = _Place(event, thought.start, thought.end)
        yield _Candidate((place,), thought.text, judged.kind, judged.weight, judged.about)


def _of_reply(
    event: Event, read: list[Sentence], done: _Done, *, closes: bool
) -> Iterator[_Candidate]:
    found = thoughts(event.text, read)
    for thought in (piece for each in found for piece in part_by(event.text, each, is_open)):
        judged = weigh(thought, by_user=False, closes=closes, worked=done.worked)
        kind = judged.kind
        if kind is BulletKind.PROBLEM and closes and done.solved:
            # Told at the end of work on it: what was solved, or only why it was so.
            kind = BulletKind.FACT if is_cause(thought.text) else BulletKind.OUTCOME
        place = _Place(event, thought.start, thought.end)
        yield _Candidate((place,), thought.text, kind, judged.weight, judged.about)


def _of_tool(event: Event) -> Iterator[_Candidate]:
    yield from _of_person(event)
    for found in findings(event):
        if found.text:
            place = _Place(event, found.start, found.end)
            yield _candidate(place, found.text, found.kind, found.weight)


def _of_person(event: Event) -> Iterator[_Candidate]:
    """Yield what a person said to a tool: why it must not run, or an answer."""
    begins = find_refusal(event)
    if begins >= 0:
        read = [
            Sentence(each.start + begins, each.end + begins, each.text, each.block)
            for each in sentences(event.text[begins:])
        ]
        for thought in thoughts(event.text, read):
            place = _Place(event, thought.start, thought.end)
            kind = find_kind(thought.text, by_user=True)
            weight = _SAID_TO_TOOL if kind is BulletKind.DECISION else _ASKED_OF_TOOL
            yield _candidate(place, thought.text, kind, weight)
    for asked, answer in find_answers(event):
        question = shorten(show_excerpt(event.text[slice(*asked)]), _QUESTION_CHARS_MAX)
        text = shorten(
            question + ARROW + show_excerpt(event.text[slice(*answer)]), BULLET_CHARS_MAX
        )
        places = (_Place(event, *asked), _Place(event, *answer))
        yield _Candidate(places, text, BulletKind.ANSWER, _SAID_TO_TOOL, terms(text))


def _question(event: Event, read: list[Sentence]) -> _Candidate | None:
    """Return what a reply asked at its end."""
    if not read or not is_question(read[-1].text):
        return None
    last = read[-1]
    return _candidate(_Place(event, last.start, last.end), last.text, BulletKind.QUESTION, 0)


def _answer(event: Event, read: list[Sentence], question: _Candidate) -> _Candidate | None:
    """Join a question to the short answer that settled it: neither says anything alone."""
    if len(event.text) > _ANSWER_CHARS_MAX or not read or any(is_question(s.text) for s in read):
        return None
    if len(question.about) < 3 and not (question.about and terms(event.text)):
        return None
    first, last = read[0], read[-1]
    asked = shorten(question.text, _QUESTION_CHARS_MAX)
    text = shorten(
        asked + ARROW + show_excerpt(event.text[first.start : last.end]), BULLET_CHARS_MAX
    )
    weight = 40 if is_courtesy(question.text) else 80
    places = (*question.places, _Place(event, first.start, last.end))
    return _Candidate(places, text, BulletKind.ANSWER, weight, terms(text))


def _candidate(place: _Place, text: str, kind: BulletKind, weight: int) -> _Candidate:
    return _Candidate((place,), text, kind, weight, terms(text))


def _closing(events: tuple[Event, ...]) -> frozenset[int]:
    """Return where the last reply of each turn stands."""
    found: set[int] = set()
    last = -1
    for index, event in enumerate(events):
        if event.event_type is EventType.USER_MESSAGE and last >= 0:
            found.add(last)
            last = -1
        elif event.event_type in _REPLIES and event.text and not event.machine:
            last = index
    return frozenset(found | {last} - {-1})


def _weigh(candidates: list[_Candidate]) -> list[_Candidate]:
    """Weigh candidates against one another, by what the segment is about."""
    counts = Counter(term for candidate in candidates for term in candidate.about)
    shared = [(term, count) for term, count in counts.items() if count > 1]
    ranked = sorted(shared, key=lambda item: (-item[1], item[0]))
    central = frozenset(term for term, _ in ranked[:_CENTRAL_TERMS])
    return [
        _Candidate(
            one.places,
            one.text,
            one.kind,
            one.weight + 2 * min(len(one.about & central), 4),
            one.about,
        )
        for one in candidates
    ]


# --- choice ---------------------------------------------------------------------------------


def _choose(candidates: list[_Candidate], asked: frozenset[str]) -> list[_Candidate]:
    """Return the best that differ from one another, in the order in which they were said."""
    order = sorted(range(len(candidates)), key=lambda at: (-_worth(candidates[at], asked), at))
    picked: list[int] = []
    per_event: Counter[str] = Counter()
    for at in order:
        candidate = candidates[at]
        least = WORTH_A_LINE if len(picked) < _FEW else WORTH_ANOTHER_LINE
        if picked and _worth(candidate, asked) < least:
            break
        if not candidate.about or per_event[candidate.event.event_id] == _PER_EVENT_MAX:
            continue
        if any(likeness(candidate.about, candidates[other].about) >= _ALIKE for other in picked):
            continue
        picked.append(at)
        per_event[candidate.event.event_id] += 1
        if len(picked) == SEGMENT_BULLETS_MAX:
            break
    return [candidates[at] for at in sorted(picked)]


def _worth(candidate: _Candidate, asked: frozenset[str]) -> int:
    """Return the weight of a line beside the title: what the title says already tells little."""
    alike = likeness(candidate.about, asked)
    asks = candidate.kind in (BulletKind.REQUEST, BulletKind.QUESTION)
    repeats = alike >= _ALIKE if asks else alike >= 0.9 and len(candidate.about) < len(asked) + 2
    return candidate.weight - (35 if repeats else 0)


def _anything(events: Iterable[Event]) -> Iterator[_Candidate]:
    """Yield the first line that says anything, where nothing is worth a line."""
    for event in filter(is_said, events):
        line = _LINE.search(event.text)
        if line:
            piece = line[0][:EXCERPT_CHARS_MAX].rstrip()
            excerpt = whole_head(piece, BULLET_CHARS_MAX) or piece[:BULLET_CHARS_MAX]
            place = _Place(event, line.start(), line.start() + len(excerpt))
            yield _Candidate(
                (place,), show_excerpt(excerpt) or excerpt, BulletKind.FACT, 0, frozenset()
            )
            return


# --- what comes out -------------------------------------------------------------------------


def _bullet(candidate: _Candidate, node_id: NodeId) -> Bullet:
    return Bullet(
        text=candidate.text,
        grip_ids=tuple(held.grip_id for held in _grips([candidate], node_id)),
        kind=candidate.kind,
        weight=candidate.weight,
        timestamp_ms=candidate.event.timestamp_ms,
    )


def _grips(candidates: Iterable[_Candidate], node_id: NodeId) -> tuple[Grip, ...]:
    held = {}
    for candidate in candidates:
        for place in candidate.places:
            made = grip(place.event, place.start, place.end, node_id)
            held[made.grip_id] = made
    return tuple(held.values())


def _keywords(events: Iterable[Event], candidates: list[_Candidate]) -> tuple[str, ...]:
    files = dict.fromkeys(name for event in events for name in list_changed_files(event))
    spoken = (
        candidate.text
        for candidate in candidates[:_LINES_READ_MAX]
        if candidate.event.event_type is not EventType.TOOL_RESULT
    )
    return keyphrases(spoken, files)
