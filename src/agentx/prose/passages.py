"""What a reply or a prompt says, cut into passages that stand alone and fit on a line.

    sentences --> without announcements --> neighbours together, up to a line

Neighbouring sentences of a paragraph are one passage while they fit, and so are the short
items of one list, with the words that lead to them. Law: a passage is made of whole
sentences, in their order, each as it was shown; what stands between them is a space, or
"; " between items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.keyphrases import code_names
from agentx.prose.sentences import (
    Block,
    Sentence,
    once_a_line,
    sentences,
    show_excerpt,
    words,
)

PASSAGE_CHARS_MAX = 240
_ITEM_CHARS_ALONE = 110  # an item that is longer than this stands for itself
_LEAD_CHARS_MAX = 90
_POLITE_WORDS_MAX = 10

# Says only what the agent is about to do, or asks what to do next.
_ANNOUNCES = compile_late(
    r"(?:(?:now|next|ok|okay|good|great|perfect|done|also|so|then|first|yes|right|alright)[,.!]? )*"
    r"(?:let me\b|let'?s\b(?! (?-i:[A-Z]))|i(?:'|\u2019)ll\b|i will\b"
    r"|i(?:'|\u2019| a)m (?!not\b)(?:\w+ly )?\w+ing\b"
    r"|i(?:'|\u2019| a)m (?:now|going|about)\b"
    r"|i (?:need|want|should|have to|can now|now have|have (?:the|a|everything)|understand|see)\b"
    r"|now (?:let|i|update|add|fix|run|check|the)\b|next,? i\b|time to\b|would you\b|do you want\b"
    r"|shall i\b|want me\b|should i\b)",
    re.IGNORECASE,
)
# Attests that it was looked at, or that all is well: true of that moment only.
_ATTESTS = compile_late(
    r"(?:verified|validated|verification|validation|checks?(?: run)?|tests?(?: run)?)(?: with)?: "
    r"|(?:all|both|the)(?: \d[\d,]*)?(?: \w+){0,3} (?:tests?|checks?) "
    r"(?:now |still |all )?pass\w*[.!]*\Z"
    r"|(?:the )?(?:working tree|worktree|build|lint\w*|typecheck\w*|ci)(?: \w+)? "
    r"(?:is|are|now|still|passes|passed|succeeds|succeeded)(?: \w+)?[.!]*\Z",
    re.IGNORECASE,
)
# Says nothing without what follows.
_BARE = compile_late(
    r"(?:done|perfect|great|good|all (?:clean|done|good|set)|yes|no|ok|okay|fixed|looks good|got it"
    r"|exactly|correct|agreed|understood|makes sense|here(?:'|\u2019)?s (?:a |the |what|my)[^.]*"
    r"|here are[^.]*|summary of[^.]*|the (?:plan|summary) [^.]*:)[.!:]*\Z",
    re.IGNORECASE,
)


@frozen
class Stretch:
    """Some sentences that are told together, and where they stand."""

    text: str
    start: int  # of the first sentence, in the whole text
    end: int  # of the last one
    block: Block
    heading: str = ""  # the one it stands under
    items: int = 1  # how many items of a list it joins


@frozen
class _Part:
    """A paragraph, an item or a heading."""

    said: tuple[tuple[Sentence, str], ...]
    block: Block

    @property
    def text(self) -> str:
        return " ".join(shown for _, shown in self.said)


def cut_passages(text: str, said: Iterable[Sentence] | None = None) -> tuple[Stretch, ...]:
    """Return the passages of a text, in order; of its sentences, where these are known."""
    found: list[Stretch] = []
    heading = lead = ""
    open_list: Stretch | None = None
    for part in _parts(text, sentences(text) if said is None else said):
        if part.block is Block.HEADING:
            heading, lead = part.text, ""
            continue
        kept = _Part(
            said=tuple(each for each in part.said if not says_nothing(each[1])), block=part.block
        )
        if not kept.said:
            continue
        goes_on = kept.block is Block.ITEM and bool(found) and found[-1] is open_list
        if kept.block is Block.ITEM and len(kept.text) <= _ITEM_CHARS_ALONE:
            if kept.text.endswith(":"):
                lead, open_list = kept.text, None
                continue
            joined = _join(found[-1], kept) if goes_on else None
            open_list = joined or _begin_list(kept, lead, heading)
            if joined:
                found[-1] = joined
            else:
                found.append(open_list)
            continue
        open_list = None
        left, lead = _take_lead(kept)
        found += _pack(left, kept.block, heading)
    return tuple(found)


@once_a_line
def says_nothing(text: str) -> bool:
    """Tell whether a sentence only announces, greets or leads on."""
    if _ANNOUNCES.match(text) or _BARE.match(text) or _ATTESTS.match(text):
        return True
    polite = cues.COURTESY.match(text) is not None and words(text) <= _POLITE_WORDS_MAX
    return polite and not code_names(text)


def _parts(text: str, found: Iterable[Sentence]) -> Iterator[_Part]:
    said: list[tuple[Sentence, str]] = []
    for sentence in found:
        shown = show_excerpt(text[sentence.start : sentence.end])
        before = said[-1][0] if said else None
        if before is not None and (
            before.block is not sentence.block
            or sentence.block is Block.HEADING
            or _is_apart(text[before.end : sentence.start])
        ):
            yield _Part(said=tuple(said), block=before.block)
            said = []
        said.append((sentence, shown))
    if said:
        yield _Part(said=tuple(said), block=said[-1][0].block)


def _is_apart(gap: str) -> bool:
    """Tell whether two sentences stand in two paragraphs or two items: a line may only be full."""
    return bool(gap.strip()) or gap.count("\n") > 1


def _take_lead(part: _Part) -> tuple[tuple[tuple[Sentence, str], ...], str]:
    """Return a paragraph without the words that lead to a list, and these."""
    last = part.said[-1][1]
    if part.block is Block.PROSE and last.endswith(":"):
        return part.said[:-1], last
    return part.said, ""


def _begin_list(item: _Part, lead: str, heading: str) -> Stretch:
    led = f"{lead} {item.text}" if lead and len(lead) <= _LEAD_CHARS_MAX else item.text
    return Stretch(
        text=led,
        start=item.said[0][0].start,
        end=item.said[-1][0].end,
        block=Block.ITEM,
        heading=heading,
    )


def _join(passage: Stretch, item: _Part) -> Stretch | None:
    text = f"{passage.text.rstrip('.')}; {item.text}"
    if len(text) > PASSAGE_CHARS_MAX:
        return None
    return Stretch(
        text=text,
        start=passage.start,
        end=item.said[-1][0].end,
        block=Block.ITEM,
        heading=passage.heading,
        items=passage.items + 1,
    )


# "Decision 7 reverses the queue half of decision 3": may be overturned without what is said beside.
_REVERSES = compile_late(
    r"(?i:\b(?:revers|supersed|overturn|replac)(?:es|ed)\b[^.;\n]{0,60}"
    r"\b(?:decision|adr|rfc) ?#?\d)"
)


def _pack(said: tuple[tuple[Sentence, str], ...], block: Block, heading: str) -> Iterator[Stretch]:
    """Yield sentences with their neighbours, while they fit on a line."""
    held: list[tuple[Sentence, str]] = []
    for each in (*said, None):
        chars = sum(len(shown) + 1 for _, shown in held)
        fits = each is not None and chars + len(each[1]) <= PASSAGE_CHARS_MAX
        beside = [*held[-1:], *([each] if each is not None else ())]
        is_apart = any(_REVERSES.search(shown) for _, shown in beside)
        if each is not None and (not held or (fits and not is_apart)):
            held.append(each)
            continue
        if held:
            yield Stretch(
                text=" ".join(shown for _, shown in held),
                start=held[0][0].start,
                end=held[-1][0].end,
                block=block,
                heading=heading,
            )
        held = [each] if each is not None else []
