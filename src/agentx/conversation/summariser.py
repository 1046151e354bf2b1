"""What the house asks of a summariser, and what a model must prove.

The extractive summariser only repeats what was said, so its lines are their own proof. A
model may write anything. Each of its lines is kept only when it can be gripped to the
segment: by a quotation that stands in an event word for word, or by sentences that hold
most of what the line says; and only when it is put together from whole clauses of those
sentences. A person is told only by whole sentences. A title is how a clause begins that was
said. What cannot be gripped is dropped, and a summary of which nothing is left is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from agentx.conversation.extract.salience import Judgement, judge
from agentx.conversation.extract.summary import Extractive, find_worth
from agentx.conversation.grips import grip
from agentx.conversation.limits import (
    SEGMENT_BULLETS_MAX,
    SUMMARY_TOOL_HEAD_CHARS_MAX,
    SUMMARY_TOOL_TAIL_CHARS_MAX,
)
from agentx.conversation.model import Event
from agentx.conversation.toc_model import Bullet, Grip, Segment, SegmentSummary
from agentx.kernel.capture import Role
from agentx.kernel.clock import Millis
from agentx.kernel.ids import NodeId
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.evidence import (
    HELD_BY_QUOTATION,
    HELD_BY_SENTENCES,
    QUOTE_CHARS_MIN,
    bears_out,
)
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness
from agentx.prose.limits import (
    BULLET_CHARS_MAX,
    EXCERPT_CHARS_MAX,
    KEYWORDS_MAX,
    SUMMARY_HEAD_CHARS_MAX,
    TITLE_CHARS_MAX,
)
from agentx.prose.restating import is_named_after, is_put_together
from agentx.prose.sentences import (
    Block,
    Sentence,
    sentences,
    shorten,
    show_excerpt,
    windows,
)

_TERMS_MIN = 3
_SAME = 0.8
_QUOTE_WORDS_MAX = 80
_QUOTE_REACH_CHARS = 100_000  # no model is shown more of one event
_SENTENCES_MAX = 2
_CLAIMS_READ_MAX = 40
_LINE = compile_late(r"\S[^\n]*")


class Summariser(Protocol):
    """Whatever can tell a segment in a few lines."""

    @property
    def name(self) -> str:
        """Who writes: `extractive`, or a model's name."""
        ...

    def summarise(self, segment: Segment) -> SegmentSummary:
        """Return the segment in a few lines, every one of them with a grip."""
        ...


@frozen
class Claim:
    """A line that a model wrote, and where it says it has it from."""

    text: str
    quote: str = ""
    event_ids: tuple[str, ...] = ()


@frozen
class Written:
    """What a model wrote about a segment, before anything of it is believed."""

    title: str = ""
    claims: tuple[Claim, ...] = ()
    keywords: tuple[str, ...] = ()


@frozen
class Proven:
    """The lines that could be gripped, with their grips, in the order of their evidence."""

    bullets: tuple[Bullet, ...] = ()
    grips: tuple[Grip, ...] = ()


@frozen(kw_only=False)
class _Evidence:
    event: Event
    start: int
    end: int
    text: str
    about: frozenset[str]


def prove_summary(written: Written, segment: Segment, *, by: str) -> SegmentSummary | None:
    """Return what of a model's summary can be proven; None when that is not a single line.

    A title that names what the segment does not is replaced by the extractive one.
    """
    proven = prove(written.claims, segment.events, segment.node_id)
    if not proven.bullets:
        return None
    own = Extractive().summarise(segment)
    title = shorten(show_excerpt(written.title), TITLE_CHARS_MAX)
    everything = " ".join(_read(event) for event in segment.events)
    known = everything.casefold()
    keywords = [
        word for word in map(show_excerpt, written.keywords) if word and word.casefold() in known
    ]
    return SegmentSummary(
        title=title if _is_fair_title(title, segment.events) else own.title,
        bullets=proven.bullets,
        grips=proven.grips,
        keywords=tuple(dict.fromkeys((*keywords, *own.keywords)))[:KEYWORDS_MAX],
        written_by=by,
    )


def prove(claims: Iterable[Claim], events: Sequence[Event], node_id: NodeId) -> Proven:
    """Keep the claims that the events prove, and grip them; drop the others."""
    everywhere = [piece for event in events for piece in _pieces(event)]
    worth = find_worth(tuple(events))
    bullets: list[tuple[Bullet, frozenset[str]]] = []
    grips: dict[str, Grip] = {}
    for claim in list(claims)[:_CLAIMS_READ_MAX]:
        text = shorten(show_excerpt(claim.text[:EXCERPT_CHARS_MAX]), BULLET_CHARS_MAX)
        about = terms(text)
        if not about or any(likeness(about, said) >= _SAME for _, said in bullets):
            continue
        evidence = _find_quoted(claim, text, events) or _find_support(text, everywhere)
        if evidence:
            held = [grip(piece.event, piece.start, piece.end, node_id) for piece in evidence]
            grips.update((made.grip_id, made) for made in held)
            judged = [worth(each.event, each.start, each.end) for each in evidence]
            bullets.append((_bullet(text, evidence, held, judged), about))
        if len(bullets) == SEGMENT_BULLETS_MAX:
            break
    ordered = sorted((bullet for bullet, _ in bullets), key=lambda bullet: bullet.timestamp_ms)
    return Proven(bullets=tuple(ordered), grips=tuple(grips.values()))


# --- evidence -------------------------------------------------------------------------------


def _find_quoted(claim: Claim, text: str, events: Sequence[Event]) -> tuple[_Evidence, ...]:
    """Return the place of a claim's quotation, if it stands somewhere and bears the claim out.

    A quotation that is too short to do so is read with the sentences it stands in.
    """
    if len(claim.quote.strip()) < QUOTE_CHARS_MIN:
        return ()
    words = claim.quote.split()[:_QUOTE_WORDS_MAX]
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    for event in sorted(events, key=lambda event: event.event_id not in claim.event_ids):
        found = pattern.search(event.text, 0, _QUOTE_REACH_CHARS)
        if found:
            start, end = found.span()
            place = _Evidence(event, start, end, found[0], terms(found[0]))
            around = [piece for piece in _pieces(event) if piece.start < end and start < piece.end]
            around = around[:_SENTENCES_MAX]
            for evidence in ((place,), tuple(around)):
                if evidence and _bears_out(text, evidence, HELD_BY_QUOTATION, around):
                    return evidence
    return ()


def _find_support(text: str, pieces: Sequence[_Evidence]) -> tuple[_Evidence, ...]:
    """Return the one or two sentences of one event that bear a claim out."""
    about = terms(text)
    if len(about) < _TERMS_MIN:
        return ()  # too little to be found by
    ranked = sorted(pieces, key=lambda piece: -len(about & piece.about))
    for first in ranked[:_SENTENCES_MAX]:
        if _bears_out(text, (first,), HELD_BY_SENTENCES, (first,)):
            return (first,)
        left = about - first.about
        others = [piece for piece in pieces if piece.event is first.event and piece is not first]
        second = max(others, key=lambda piece: len(left & piece.about), default=None)
        both = sorted((first, second), key=lambda piece: piece.start) if second else ()
        if both and _bears_out(text, both, HELD_BY_SENTENCES, both):
            return tuple(both)
    return ()


def _bears_out(
    text: str, evidence: Sequence[_Evidence], share: float, whole: Sequence[_Evidence]
) -> bool:
    """Tell whether evidence bears a line out, and the line turns no whole sentence around."""
    if not bears_out(text, " ".join(piece.text for piece in evidence), share):
        return False
    if any(piece.event.role is Role.USER for piece in whole):
        said = (show_excerpt(piece.text).casefold() for piece in whole)
        return text.casefold() in (*said, " ".join(show_excerpt(one.text) for one in whole))
    if whole[0].event.role is Role.TOOL:
        return is_put_together(text, (), [piece.text for piece in whole])
    # Its whole event: what leads to a sentence may turn it.
    return is_put_together(text, [_read(whole[0].event)])


def _pieces(event: Event) -> list[_Evidence]:
    """Return what can be evidence in an event: its sentences, or the lines of a tool's output."""
    if event.role is Role.TOOL:
        return [_piece(event, line) for line in _lines(event.text)]
    return [_piece(event, sentence) for sentence in sentences(event.text)]


def _lines(text: str) -> list[Sentence]:
    """Return the lines of a tool's output that lie near its ends."""
    found = []
    for begin, end in windows(text, SUMMARY_TOOL_HEAD_CHARS_MAX, SUMMARY_TOOL_TAIL_CHARS_MAX):
        for line in _LINE.finditer(text, begin, end):
            stop = min(line.end(), line.start() + EXCERPT_CHARS_MAX)
            found.append(Sentence(line.start(), stop, line[0], Block.PROSE))
    return found


def _piece(event: Event, sentence: Sentence) -> _Evidence:
    excerpt = event.text[sentence.start : sentence.end]
    return _Evidence(event, sentence.start, sentence.end, excerpt, terms(excerpt))


def _read(event: Event) -> str:
    """Return what a model was shown of an event, at most."""
    return event.text[:SUMMARY_HEAD_CHARS_MAX]


# --- what comes out -------------------------------------------------------------------------


def _bullet(
    text: str,
    evidence: Sequence[_Evidence],
    held: Sequence[Grip],
    judged: Sequence[Judgement | None],
) -> Bullet:
    """Return a line; what it is and weighs is as the rules would say, so that periods compare."""
    first = evidence[0].event
    own = judge(Sentence(0, len(text), text, Block.PROSE), by_user=first.role is Role.USER)
    best = max(filter(None, judged), key=lambda one: one.weight, default=own)
    return Bullet(
        text=text,
        grip_ids=tuple(made.grip_id for made in held),
        kind=best.kind,
        weight=best.weight,
        timestamp_ms=Millis(first.timestamp_ms),
    )


def _is_fair_title(title: str, events: Sequence[Event]) -> bool:
    """Tell whether a title is about the segment, in words that were said in it."""
    said_in = [_read(event) for event in events if event.role is not Role.TOOL]
    printed = [_read(event) for event in events if event.role is Role.TOOL]
    return bool(terms(title)) and is_named_after(title, said_in, printed)
