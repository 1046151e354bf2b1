"""What holds now, and why something was left: asked for either, what replaced comes first.

    which HTTP client do we use?     what was decided for one of them (`chosen`)
    which retry policy do we use?    what replaced the choice that names every word of it
    why did we leave httpx?          what names httpx and gives it up, before what was for it

What was chosen once names the words of such a question best, and what replaced it may name none of
them. So what replaced it is looked up by its tie, though no word of the question stands in it.

Law: only a question of this shape is answered so; nothing that was found is lost by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.cues import anywhere
from agentx.prose.likeness import coverage
from agentx.prose.sentences import is_question, sentences
from agentx.prose.tools.kinds import read_kind
from agentx.recall.question.order.chosen import list_chosen, list_overturned
from agentx.recall.question.order.reasons import states_reason
from agentx.recall.question.rank import Ranked
from agentx.search.analysis import terms
from agentx.search.document import Filters, Trait
from agentx.search.text.evidence import Evidence, add_documents
from agentx.search.text.index import Reading

_WHO = r"(?:we|they|the team|wir)"
_LEAVE = (
    r"(?:leave|drop|abandon|ditch|scrap|remove|replace|retire|reverse|kill|stop using|quit using"
    r"|give up(?: on)?|get rid of|throw out|(?:move|switch|migrate|go|get|step) (?:away |off )?from"
    r"|move off(?: of)?|no longer use|not use)"
)
_LEFT = compile_late(
    rf"\A\W*(?:and |so |but )?(?:(?:why|when|how come) (?:did |do |have |are )?{_WHO}"
    rf" (?:ever |then |finally )?(?:{_LEAVE}|left|dropped|removed|replaced|abandoned|stopped using"
    r"|moved? away from|no longer use)"
    r"|(?:why|how come) (?:don'?t|do not|aren'?t|are not) we (?:use|using)"
    r"|what (?:replaced|took the place of|do we use instead of|did we (?:use to )?replace)"
    r"|why (?:was|were|is|are)(?= [^?]{2,60} (?:dropped|removed|replaced|abandoned|gone))"
    r"|warum (?:haben|nutzen|verwenden) wir)\s+(?P<thing>(?:[^?.!\n]|\.(?=\w)){2,80})",
    re.IGNORECASE,
)
_TAIL = compile_late(
    r"\s+(?:any ?more|again|at all|nicht mehr|aufgegeben|ersetzt|dropped|removed|replaced|abandoned"
    r"|gone|with|by|for|in favou?r|and|to)\b.*\Z",
    re.IGNORECASE,
)
# How a text says that something was left; "moved to it" says the contrary.
_GIVES_UP = anywhere(
    r"""
    mov(?:e|es|ed|ing) | switch\w* | migrat\w+ | replac\w+ | instead | drop(?:s|ped|ping)? | left
    leav(?:e|es|ing) | abandon\w* | remov\w+ | stop(?:s|ped|ping)? | no longer | gone | away
    get rid | got rid | threw | throw | kill\w* | revers\w+ | ditch\w* | retir\w+ | give up
    gave up | not any ?more | go back | went back | supersed\w+ | ersetz\w* | statt | weg von
    """
)
_SUPERSEDED, _DRAWN = int(Trait.SUPERSEDED), int(Trait.DRAWN)
_UNSAID = int(Trait.ACT | Trait.TOOL)
_ABOVE = 1.001
_LOOKED_AT = 60
_MOVED_MAX = 2
_STEPS_MAX = 8
# Of the words of what is asked for, those that what was replaced must name.
_SAME_SHARE = 0.6


@frozen(kw_only=False)
class HoldingQuestion:
    """Of what it is asked what holds, or why it was left."""

    about: frozenset[str]
    is_left: bool
    tools: frozenset[str] = frozenset()  # of the kind that is asked for, where that is known


def read_holding(question: str) -> HoldingQuestion | None:
    """Return what a question asks about, if it is one of these."""
    if left := _LEFT.match(question):
        about = frozenset(terms(_TAIL.sub("", left["thing"])))
        return HoldingQuestion(about, is_left=True) if about else None
    if (asked := read_kind(question)) is None:
        return None
    about = frozenset(terms(asked.thing))
    return HoldingQuestion(about, is_left=False, tools=asked.tools) if about else None


def bring_replacing(
    evidence: Evidence,
    reading: Reading,
    filters: Filters,
    asked: HoldingQuestion,
) -> Mapping[int, int]:
    """Add what replaced what was found; return by the key of what was replaced that of it."""
    found: dict[int, int] = {}
    wanted = [
        (key, each.place)
        for key, each in evidence.candidates.items()
        if each.traits & _SUPERSEDED
        and not asked.tools
        and coverage(asked.about, frozenset(terms(reading.hit(each.place, 0).passage)))
        >= _SAME_SHARE
    ]
    first = {key: reading.ties(place).superseded_by for key, place in wanted}
    first |= list_overturned(reading, filters, asked.tools)
    for key, by in first.items():
        newest = by
        for _ in range(_STEPS_MAX):
            if newest and newest not in evidence.candidates:
                add_documents(evidence, reading, (newest,), filters)
            held = evidence.candidates.get(newest)
            after = reading.ties(held.place).superseded_by if held is not None else 0
            if not after:
                break
            newest = after
        if newest in evidence.candidates:
            found[key] = newest
    return found


def bring_chosen(
    evidence: Evidence, reading: Reading, filters: Filters, asked: HoldingQuestion
) -> tuple[int, ...]:
    """Add what was decided for a tool of the kind that is asked for; return it, the best first."""
    keys = list_chosen(reading, filters, asked.tools, asked.about)
    if missing := [key for key in keys if key not in evidence.candidates]:
        add_documents(evidence, reading, missing, filters)
    return tuple(key for key in keys if key in evidence.candidates)


def lead_with_holding(
    ranked: Sequence[Ranked],
    asked: HoldingQuestion,
    replaced: Mapping[int, int],
    read: Callable[[Ranked], str],
    stands_for: Mapping[int, int],
    *,
    chosen: Sequence[int] = (),
) -> tuple[Ranked, ...]:
    """Put what holds first, or what says why something was left; `read` opens a passage.

    What was `chosen` holds whatever replaced something.
    """
    if not ranked:
        return ()
    rows = {each.candidate.key: each for each in ranked}
    leaving = list(_list_leaving(ranked, asked, read)) if asked.is_left else []
    if asked.is_left and states_reason(read(ranked[0]), asked.about):
        leaving.insert(0, ranked[0].candidate.key)
    holds = chosen or _list_newest(ranked, replaced, stands_for)
    newest = [stands_for.get(each, each) for each in holds]
    firsts = dict.fromkeys([*leaving[:1], *newest, *leaving])
    moved = [rows[key] for key in firsts if key in rows][:_MOVED_MAX]
    best = ranked[0].score
    lifted = [
        replace(each, score=max(each.score, best * (1 + (_ABOVE - 1) * (len(moved) - at))))
        for at, each in enumerate(moved)
    ]
    names = {each.candidate.key for each in moved}
    return (*lifted, *(each for each in ranked if each.candidate.key not in names))


def leaves(text: str, about: frozenset[str]) -> bool:
    """Tell whether a text says of a thing that it is left: it names it, and gives something up."""
    said = [each.text for each in sentences(text)] or [text]
    beside = [*said, *(f"{one} {other}" for one, other in pairwise(said))]
    return any(
        about.issubset(terms(part)) and not is_question(part) and _gives_up(part, about)
        for part in beside
    )


def _gives_up(part: str, about: frozenset[str]) -> bool:
    """Tell whether a part gives something up, and did not come to the thing by it."""
    for match in _GIVES_UP.finditer(part):
        came_to = re.search(r"\b(?:to|with|by|auf|zu|durch)\b(.{0,40})", part[match.end() :])
        after = frozenset(terms(came_to[1])) if came_to else frozenset()
        if not about & after or re.search(r"\bfrom\b", part[match.end() :]):
            return True
    return False


def _list_leaving(
    ranked: Sequence[Ranked], asked: HoldingQuestion, read: Callable[[Ranked], str]
) -> Iterator[int]:
    """Yield what says that the thing was left: words before what was only done or printed."""
    found = [
        each
        for each in ranked[:_LOOKED_AT]
        if not each.candidate.traits & _SUPERSEDED and leaves(read(each), asked.about)
    ]
    for is_said in (True, False):
        for each in found:
            if bool(each.candidate.traits & _UNSAID) != is_said:
                yield each.candidate.key


def _list_newest(
    ranked: Sequence[Ranked], replaced: Mapping[int, int], stands_for: Mapping[int, int]
) -> Iterable[int]:
    """Return what replaced the best of what was found, in the order of that."""
    places = {each.candidate.key: at for at, each in enumerate(ranked)}
    known = sorted(replaced, key=lambda key: places.get(stands_for.get(key, key), len(places)))
    return [replaced[key] for key in known]
