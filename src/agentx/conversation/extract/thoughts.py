"""What is said in a text, thought by thought.

A thought is one or more whole sentences of one paragraph or list item that fit one line: what
was found and why is often told in two. What announces the next step, is polite or asks
belongs to no thought.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.limits import BULLET_CHARS_MAX
from agentx.prose.sentences import ELLIPSIS, Block, Sentence, is_question, show_excerpt

_TERMS_MIN = 3  # a shorter sentence adds nothing: a greeting, a yes
_SAME_BLOCK = compile_late(r"[ \t]*\n?[ \t]*\Z")
# Work that goes on is no conclusion: what came of it will be told.
_GOES_ON = cues.at_the_start(
    r"""
    i'?m | i am | i'?ll | i will | i'?ve (?:got|started|begun) | we'?ll | we are going | let me
    let'?s | going to | about to | (?:now|next|first|then) i | working on | waiting for | checking
    looking | reading | running | using | now (?:update|add|run|fix|create|remove|check|the)
    """,
    after=r"""
    ok(?:ay)? | great(?: news)? | good(?: news)? | perfect | excellent | alright | now | next
    first | then | so | sure | yes | right | got it | finally | also | and | but | meanwhile
    """,
)


@frozen(kw_only=False)
class Thought:
    """Whole sentences that make one line."""

    start: int
    end: int
    text: str
    block: Block
    parts: tuple[Sentence, ...]


def thoughts(text: str, said: Iterable[Sentence]) -> list[Thought]:
    """Return the thoughts of a text, of which `said` are the sentences, in order."""
    found: list[Thought] = []
    held: list[Sentence] = []
    for sentence in said:
        if held and not _goes_with(text, held, sentence):
            found.append(_make_thought(text, held))
            held = []
        if is_telling(sentence):
            held.append(sentence)
        elif held:
            found.append(_make_thought(text, held))
            held = []
    if held:
        found.append(_make_thought(text, held))
    return found


def part_by(text: str, thought: Thought, is_other: Callable[[str], bool]) -> tuple[Thought, ...]:
    """Return a thought in pieces where some of its sentences are of another kind than the rest."""
    marks = [is_other(part.text) for part in thought.parts]
    if all(marks) or not any(marks):
        return (thought,)
    grouped = groupby(zip(marks, thought.parts, strict=True), key=lambda pair: pair[0])
    return tuple(_make_thought(text, [part for _, part in group]) for _, group in grouped)


def is_telling(sentence: Sentence) -> bool:
    """Tell whether a sentence tells anything that outlasts the moment."""
    text = sentence.text.replace("\u2019", "'")
    return not (
        sentence.block is Block.HEADING
        or text.endswith((":", "\uff1a"))
        or is_question(text)
        or cues.COURTESY.match(text)
        or cues.ANNOUNCES.match(text)
        or _GOES_ON.match(text)
    )


def _goes_with(text: str, held: list[Sentence], sentence: Sentence) -> bool:
    """Tell whether a sentence is of the same block as those before it and fits their line."""
    last = held[-1]
    length = sum(len(one.text) + 1 for one in held) + len(sentence.text)
    return (
        last.block is sentence.block
        and length <= BULLET_CHARS_MAX
        and not last.text.endswith(ELLIPSIS)
        and _SAME_BLOCK.match(text, last.end, sentence.start) is not None
        and min(len(terms(last.text)), len(terms(sentence.text))) >= _TERMS_MIN
    )


def _make_thought(text: str, held: list[Sentence]) -> Thought:
    first, last = held[0], held[-1]
    line = first.text if first is last else show_excerpt(text[first.start : last.end])
    return Thought(first.start, last.end, line, first.block, tuple(held))
