"""What a message rules for good beside what else it settles, asks or wants.

    "yes, S3. And always prefix keys with the tenant id."
        for good: "And always prefix keys with the tenant id."        the rest: "yes, S3."

The choice may be overturned and the task is over some day: the rule stays. A rule keeps what is
said of it after it; a message that says nothing else is one ruling with its reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late, without_recall
from agentx.kernel.values import frozen
from agentx.prose.sentences import Block, is_question, words
from agentx.prose.settling.asking import commands, only_requests
from agentx.prose.settling.greetings import greets
from agentx.prose.settling.rulings import rules_for_good
from agentx.prose.settling.verdict import settles

_CHARS_MAX = 600
# "S3, and always prefix the keys": what follows is a ruling of its own, with its verb.
_AND = compile_late(
    r"(?i:[,;]? (?:and|und|y|et|e)(?: also| please)? (?=(?:always|never(?! ?mind)|immer|nie|niemals"
    r"|siempre|nunca|toujours|jamais|sempre)\b"
    r"(?! (?:by|for|in|on|at|to|with|from|as|the|a|an|of|so)\b)(?: \S+){3}))"
)
_LEFT_OVER = compile_late(r"(?i:[\s,;]+(?:and|und|y|et|e)?(?: also| please)?[\s,;]*\Z)")
ANSWERS = compile_late(
    r"(?i:\W*(?:y|yes|yep|yeah|yup|no|nope|ok(?:ay)?|sure|fine|right|agreed|ja|nein|gut|s[i\u00ed]"
    r"|oui|non|sim|da|go (?:with|for)|let'?s|the (?:first|second|third|last|former|latter))\b"
    r"|\W*(?:option |plan |variant )?(?:\d|[a-e])\W*\Z"
    r"|\W*\S+(?: \S+)?,? (?:then|it is|(?:is|sounds|looks) (?:fine|good|ok(?:ay)?|right))\W*\Z)"
)
# "Then we move the mailer from streams to a table."
_MOVES = compile_late(
    r"(?i:\W*(?:(?:then|so|ok(?:ay)?|and|now|let'?s) )*(?:we|i)(?:'ll| will)? "
    r"(?:move|switch|migrate|change|go)\b[^.;\n]{2,80}? (?:to|over to|back to|with|for) \S)"
)
_POINTS_BACK = compile_late(r"(?i:\b(?:it|its|them|there|that|this|those|these|one)\b)")
# "They keep them for years": said of the ruling before it.
_LEANS = compile_late(
    r"(?i:(?:it|they|that|this|he|she)(?:'s|'re)? (?!should|must|has to|have to)\w+)"
)
_NAMES = compile_late(r"`|\b[A-Z]\w|\w\d")
_NAME_WORDS_MAX = 3


@frozen
class PartedPrompt:
    """A message without what it rules for good, and that, ruling by ruling."""

    ruled: tuple[str, ...]
    rest: Turn
    may_settle: bool  # the rest, whatever its words


def part_standing(prompt: Turn, boot: Boot) -> PartedPrompt | None:
    """Return what a message rules for good, and its rest; None where it is all one."""
    text = without_recall(prompt.text).strip()
    if len(text) > _CHARS_MAX:
        return None
    said = [half for line in lines(prompt, boot) for half in _halve(line)]
    stretches = _list_stretches(said)
    held = {at for stretch in stretches for at in stretch}
    others = [line for at, line in enumerate(said) if at not in held]
    leading = (said[stretch[0]].own.partition(", ")[0] for stretch in stretches)
    leans = any(map(_POINTS_BACK.search, leading))
    if not stretches or not any(_counts(each) or _names(each, leans) for each in others):
        return None
    rest = text
    for at in sorted(held):
        if said[at].own not in rest:  # it was not said like that
            return None
        rest = rest.replace(said[at].own, " ", 1)
    return PartedPrompt(
        ruled=tuple(" ".join(said[at].own for at in stretch) for stretch in stretches),
        rest=replace(prompt, text=_LEFT_OVER.sub("", rest).strip()),
        may_settle=any(map(_may_settle, others)),
    )


def _halve(line: Line) -> tuple[Line, ...]:
    """Return a sentence, or what it says before "and always ..." and that."""
    found = _AND.search(line.own)
    if found is None or not found.start() or not rules_for_good(line.own[found.end() :]):
        return (line,)
    halves = line.own[: found.start()], line.own[found.end() :]
    return tuple(replace(line, text=half, own=half) for half in halves)


def _list_stretches(said: Sequence[Line]) -> list[list[int]]:
    """Return the lines that rule something for good, each with what is said of it after."""
    found: list[list[int]] = []
    for at, line in enumerate(said):
        if line.block is not Block.HEADING and rules_for_good(line.own):
            found.append([at])
            continue
        is_next = found and found[-1][-1] == at - 1 and line.paragraph == said[at - 1].paragraph
        if is_next and (_LEANS.match(line.own) or not _counts(line)):
            found[-1].append(at)
    return found


def _names(line: Line, leans: bool) -> bool:
    """Tell whether a line is a name, which may be an answer: "Kafka." before what is not of it."""
    return not leans and words(line.own) <= _NAME_WORDS_MAX and bool(_NAMES.search(line.own))


def _may_settle(line: Line) -> bool:
    own = line.own
    if is_question(own) or greets(own):
        return False
    is_work = commands(own) or only_requests(own)
    return settles(own) or (not is_work and bool(_NAMES.search(own[1:])))


def _counts(line: Line) -> bool:
    """Tell whether a line settles, asks or wants something, or answers what was offered."""
    own = line.own
    return bool(
        is_question(own)
        or ANSWERS.match(own)
        or _MOVES.match(own)
        or commands(own)
        or only_requests(own)
        or (words(own) > 2 and settles(own))
    )
