"""What sessions learnt, weighed for whoever begins: each memory a line that may be told.

What a memory is worth is said by its kind, by what its words hold (names, numbers and reasons
against chatter), by the formula of the specification, and by how much of it answers what is to
be done. Being of the issue at hand, or of its files, lifts it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from heapq import nlargest
from typing import TYPE_CHECKING

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.ids import parse_observation_id, shorten_id
from agentx.observations.labels import LABELS, WAITS, strip_label, strip_said
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import coverage
from agentx.prose.sentences import is_question
from agentx.prose.sentences import words as count_words
from agentx.prose.settling.amounts import list_taken_back
from agentx.recall.section.choose import Tellable
from agentx.recall.section.kinds import Kind, kind_of
from agentx.recall.section.taken_down import TakenDown
from agentx.recall.section.wording import word_memory

if TYPE_CHECKING:
    from agentx.observations.model import Observation

_OF_KIND = {
    Kind.OPEN_END: 0.9,
    Kind.PREFERENCE: 1.0,
    Kind.DECISION: 1.0,
    Kind.FACT: 0.7,
    Kind.ERROR: 0.9,
    Kind.CHANGE: 0.95,
}
_REASON = cues.anywhere("because | since | so that | due to | otherwise | root cause | in order to")
_CHATTER = cues.anywhere(
    r"""
    i(?:['\u2019](?:m|ll|ve)| am| will| have) | let me | working tree | now i | next i
    next is | steps? \d+ (?:to|and) \d+
    final pass | tests? (?:now )?pass(?:es|ed)? | looks good | all green | as expected
    (?:ci|build|suite|pipeline|everything) is (?:now )?green
    """
)
# What was looked at and found to be as it should be: nobody has to know it any more.
_CONFIRMS = cues.anywhere(
    r"""
    match(?:es)?(?: exactly)?(?=[;.,]|$) | all match | match(?:es)? (?:the|`|exactly)
    (?:is|are|was|were|looks?|all) (?:accurate|correct|intact|unchanged|up[ -]to[ -]date|untouched)
    left (?:untouched|alone|as is) | verified | confirm(?:s|ed) | successfully | no changes? needed
    committed as | (?:re)?played (?:on|back|against) | rehearsed
    """
)
_TAKES_OVER = cues.anywhere(
    "(?:revers|replac|supersed|overturn|overrul)(?:es|ed|s) | switch(?:ed)? (?:from|to) | after all"
)
# A command that does not work here, with the one that does: whoever begins will run one of them.
_WORKED = compile_late(r"; `[^`]+` worked")
# What a session was asked to do is done with; what came of it is told by what was kept of that.
_REQUESTS = compile_late(
    r"[^:.\n]{2,60} (?:asked|reported): "
    r"|The user said: (?:(?:ok(?:ay)?|and|so)[ ,.]+)*(?:first(?: thing| task)?|next|today|task): "
    r"|(?:The user said|Planned[^:]{0,40}): (?:(?:also|now|ok(?:ay)?|and|then|so|next)[ ,.]+)*"
    r"(?:can (?:you|we)|could you|please|add|fix|write|make|create|implement|update|review|check"
    r"|improve|run|replace|remove|rename|move|change|enrich|extend|refactor|show|look|find"
    r"|investigate|commit|push|merge|install|explain)\b",
    re.IGNORECASE,
)
# What a piece of code does stands in the code.
_DESCRIBES = compile_late(
    r"`[^`]+`(?:,? (?:and|or|[+/]|`[^`]+`|struct|type|class|interface|enum|func(?:tion)?|method"
    r"|field|helper|hook|component|package|module|variable|constant|option|flag)s?){0,4}"
    r"(?::| [\u2013\u2014-]) "
)
_HASH = compile_late(r"\b[0-9a-f]{7,40}\b|#\d+|\b\d+(?:\.\d+)+\b")
# What was settled at last, and what only led there.
_APPROVED = compile_late(r"The user approved a plan: ")
_REFUSED_PLAN = compile_late(r"The user refused `the plan ")
_SETTLES_ANEW = cues.anywhere(
    r"""
    revers(?:e|es|ed) | instead of | replac(?:e|es|ed) | throw(?:s|n)? | gone
    (?:move|switch)\w* (?:\S+ ){0,5}?from | no longer
    """
)
_REVERSES = cues.anywhere("revers(?:e|es|ed) (?:it|this|that|the|our|decision|\\d+)")
# What broke once and is mended, or is gone with what it was of; what happened by the clock.
_MENDED = compile_late(r"\(since mended in ")
_REMOVED = compile_late(r"\(since removed: ")
_BY_CLOCK = compile_late(r"\b\d{1,2}:\d\d(?::\d\d)?\b.*\b\d{1,2}:\d\d(?::\d\d)?\b")
# What a line is worth more, or less, that holds these, says these, begins with these.
_HOLDING = (
    (_HASH, 0.1),
    (_WORKED, 0.2),
    (_APPROVED, 0.3),
    (_REFUSED_PLAN, -0.4),
    (_MENDED, -0.4),
    (_REMOVED, -0.5),
    (_BY_CLOCK, -0.3),
)
_POINTS = cues.anywhere(
    "as (?:decided|discussed|agreed|planned|you said) | in (?:those|these|your|just those) words"
)
# How one task is to be done.
_ERRAND = cues.anywhere(
    "let (?:a|an|the|another|your) (?:sub-?)?agents? | (?:spawn|start|use) (?:a|the) sub-?agents?"
)
_SAYING = (
    (_REASON, 0.2),
    (cues.PRESCRIBES, 0.15),
    (_ERRAND, -0.25),
    (_CHATTER, -0.25),
    (_CONFIRMS, -0.25),
    (_POINTS, -0.25),
)
_BEGINNING = (
    (cues.COURTESY, -0.2),
    (cues.LEANS, -0.2),
    # An answer without its question; that something was done, and not what.
    (
        cues.at_the_start(
            r"""
            not (?:before|until|yet|really|quite) | because | no | yes | only if | it depends
            i would(?: not|n'?t)?(?=[:,.]) | honestly
            """
        ),
        -0.3,
    ),
    (cues.at_the_start("merged | committed(?: as)? | pushed | closed | done | erledigt"), -0.25),
)
_LABEL = compile_late(r"The user (?:said|asked|reported): ")
_RULED = compile_late(r"(?:\A|[.?!;] )The user (?!was shown)\w+")
_PLAN = "Planned"  # and carried out or overtaken since, as a rule
_WORDS_MIN = 6
_WAITS_LIFT = 0.4  # for what waits for the user: nobody else can go on with it
_FORMULA_SHARE = 0.5
ANSWER_LIFT = 1.0
ISSUE_LIFT = 2.0
_FILES_LIFT = 0.5
_INSTEAD_LIFT = 1.0  # for what holds now instead of what was asked of
_AGE_SHARE = 0.25  # of the worth of a change, which the oldest loses
_REPEATED_LIFT = 0.5  # for what went wrong more than once: it will again
_CAUSE = compile_late(r"; Cause: (.+?)(?:; Fixed by: |\n|\Z)")
_CAUSE_SHARE = 0.5  # of the worth of a fact: its error says it
_CAUSE_WORDS, _SAME_CAUSE = 2.5, 0.8
_FILES_SHOWN_MAX = 3
_WRITTEN_PLACES = 6  # for what somebody wrote down, so that it is told at the next start
_ANSWERS_MIN = 0.35  # of what the best answer holds
_REPLACED_ANSWERS_MIN = 0.6  # for what no longer holds: told only to who asks of just that


@frozen
class WeighedMemory:
    """A memory, and what the formula of the specification says of it."""

    observation: Observation
    score: float
    is_of_issue: bool = False
    mark: str = ""  # of what holds elsewhere: where
    share: float = 1.0  # of its worth, where it is told
    restored: str | None = None  # what replaced it does not hold here, but where this says


@frozen
class Memories:
    """What there is to choose from, and how much there is beyond it."""

    weighed: tuple[WeighedMemory, ...] = ()
    standing: int = 0  # memories that nothing has replaced
    tokens_max: int = 0  # what may be told of them at most
    elsewhere: Mapping[str, str] = field(default_factory=dict)  # sessions, and where they were
    replacing: frozenset[str] = frozenset()  # the ids of what replaced something
    taken_down: TakenDown = TakenDown()


def weigh(
    given: Sequence[WeighedMemory], context: str = "", replacing: frozenset[str] = frozenset()
) -> list[Tellable]:
    """Return what may be told, each with its worth.

    `replacing` are the ids of what holds instead of something: said by a person, it is a ruling.
    """
    known = [one for one in given if not _is_overview(one.observation)]
    lines = [word_memory(one.observation) for one in known]
    said = [_list_words(strip_label(line)) for line in lines]
    answers = _match(known, lines, said, context)
    handed = _hand_on(known, answers)
    placed = _list_placed(known)
    reworded = _list_reworded(known)
    files = frozenset(path for one in known if one.is_of_issue for path in one.observation.files)
    causes = _list_causes(known)
    times = [one.observation.timestamp_ms for one in known]
    oldest_ms, newest_ms = min(times, default=0), max(times, default=0)
    found = []
    for one, line, words, own, other in zip(known, lines, said, answers, handed, strict=True):
        observed = one.observation
        if not line or observed.id in reworded:
            continue
        kind = kind_of(observed.category, line)
        # By whose words something was put off is not what is open.
        about = words & terms(strip_said(line)) if kind is Kind.OPEN_END else words
        author, at_ms = _find_newest(observed)
        worth = value_line(kind, line) * (1 - _FORMULA_SHARE + _FORMULA_SHARE * one.score)
        if kind is Kind.CHANGE:  # what changed lately
            worth *= 1 - _AGE_SHARE * (newest_ms - at_ms) / max(newest_ms - oldest_ms, 1)
        answer = max(own, other)
        instead = other >= _ANSWERS_MIN or _TAKES_OVER.search(line) is not None
        if kind is Kind.FACT and _is_cause(observed, words, causes):
            worth *= _CAUSE_SHARE
        lift = ISSUE_LIFT * one.is_of_issue + ANSWER_LIFT * answer + _INSTEAD_LIFT * other
        replaced_by = observed.superseded_by if one.restored is None else ""
        lift += _REPEATED_LIFT if observed.repeats else 0
        if not one.is_of_issue and not files.isdisjoint(observed.files):
            lift += _FILES_LIFT
        found.append(
            Tellable(
                doc_id=observed.id,
                told_as=observed.told_as,
                text=line + _doubts(one),
                words=about or words,
                kind=kind,
                session=observed.session_id,
                at_ms=at_ms,
                worth=worth * (1 + lift) * one.share,
                has_place=observed.id in placed and (observed.pinned or not one.mark),
                answers=answer >= (_REPLACED_ANSWERS_MIN if replaced_by else _ANSWERS_MIN),
                takes_over=instead and answer >= _ANSWERS_MIN and not one.mark,
                author=author,
                replaced_by=replaced_by,
                is_of_issue=one.is_of_issue,
                is_elsewhere=bool(one.mark),
                is_ruling=_is_ruling(observed, line)
                or (observed.id in replacing and _LABEL.match(line) is not None),
            )
        )
    return found


@lru_cache(maxsize=2_000)  # as a line is worded: once, for who serves many
def value_line(kind: Kind, line: str) -> float:
    """Return what a line is worth by its kind and its words alone."""
    worth = _OF_KIND[kind] + 0.12 * min(len(set(code_names(line))), 3)
    worth += sum(more for pattern, more in _HOLDING if pattern.search(line))
    is_open = kind is Kind.OPEN_END and line.startswith(LABELS)
    worth += sum(
        more for cue, more in _SAYING if not (is_open and cue is _CHATTER) and cues.finds(cue, line)
    )
    worth += sum(more for cue, more in _BEGINNING if cues.begins(cue, line))
    if kind is Kind.DECISION and (cues.finds(_SETTLES_ANEW, line) or list_taken_back(line)):
        worth += 0.4 if cues.finds(_REVERSES, line) else 0.25
    if kind is Kind.FACT and _DESCRIBES.match(line):
        worth -= 0.3
    if kind is not Kind.PREFERENCE and _REQUESTS.match(line):
        worth -= 0.4 if kind is Kind.CHANGE else 0.2
    if line.startswith(_PLAN):
        worth -= 0.3
    if is_open:  # short or not: somebody has to do it, or to answer
        return max(worth + (_WAITS_LIFT if line.startswith(WAITS) else 0), 0.05)
    if is_question(line) or cues.begins(cues.ANNOUNCES, line):
        worth -= 0.4
    if count_words(_LABEL.sub("", line, count=1)) < _WORDS_MIN:
        worth -= 0.3
    return max(worth, 0.05)


_list_words = lru_cache(maxsize=2_000)(terms)  # as above


def _is_ruling(observed: Observation, line: str) -> bool:
    """Tell whether a person said, answered or refused it, and did not only ask for something."""
    is_decided = observed.category is Category.DECISION
    return is_decided and _RULED.search(line) is not None and _REQUESTS.match(line) is None


def _list_causes(known: Sequence[WeighedMemory]) -> dict[str, list[frozenset[str]]]:
    """Return the words of each cause that an error names, by the events that it was made of."""
    found: dict[str, list[frozenset[str]]] = {}
    for observed in (one.observation for one in known):
        cause = _CAUSE.search(observed.content) if observed.category is Category.ERROR else None
        for event in observed.event_ids if cause is not None else ():
            found.setdefault(event, []).append(terms(cause[1]) if cause else frozenset())
    return found


def _is_cause(
    observed: Observation, words: frozenset[str], causes: Mapping[str, list[frozenset[str]]]
) -> bool:
    """Tell whether a fact says little more than the cause of an error, which tells it too."""
    return any(
        len(words) <= _CAUSE_WORDS * len(cause) and coverage(cause, words) >= _SAME_CAUSE
        for event in observed.event_ids
        for cause in causes.get(event, ())
    )


def _is_overview(observed: Observation) -> bool:
    """Tell whether it only sums up sessions, whose memories are there."""
    return observed.category is Category.COMPACTION_SUMMARY


def _list_placed(known: Sequence[WeighedMemory]) -> frozenset[str]:
    """Return the ids of what a person pinned, and of the newest that somebody wrote down."""
    pinned = [one.observation for one in known if one.observation.pinned]
    written = [
        one.observation
        for one in known
        if not (one.observation.event_ids or one.observation.sources or one.observation.pinned)
    ]
    newest = nlargest(_WRITTEN_PLACES, written, key=lambda one: (one.timestamp_ms, one.id))
    return frozenset(one.id for one in (*pinned, *newest))


def _match(
    known: Sequence[WeighedMemory],
    lines: Sequence[str],
    said: Sequence[frozenset[str]],
    context: str,
) -> list[float]:
    """Return how well each answers a context, where there is one."""
    if not context.strip():
        return [0.0] * len(known)
    from agentx.recall.question.context import match_context  # noqa: PLC0415  a start has none

    return match_context([one.observation for one in known], lines, said, context)


def _hand_on(known: Sequence[WeighedMemory], answers: Sequence[float]) -> list[float]:
    """Return for each how well what it replaced answers: who asks of that wants what holds now.

    What closed an open end is not what holds instead of it.
    """
    handed = [0.0] * len(known)
    places = {one.observation.id: at for at, one in enumerate(known)}
    for one, answer in zip(known, answers, strict=True):
        if one.restored is not None or one.observation.content.startswith(LABELS):
            continue
        at = places.get(one.observation.superseded_by)
        if at is not None:
            handed[at] = max(handed[at], answer)
    return handed


def _list_reworded(known: Sequence[WeighedMemory]) -> frozenset[str]:
    """Return the ids of what is told in other words by what was made of it, of the same moment."""
    by_id = {one.observation.id: one.observation for one in known}
    return frozenset(
        each.id
        for each in by_id.values()
        if (made := by_id.get(each.superseded_by)) is not None
        and (made.session_id, made.timestamp_ms) == (each.session_id, each.timestamp_ms)
        and made.event_ids == each.event_ids
        and (terms(made.content) <= terms(each.content) or each.content[:-1] in made.content)
    )


def _find_newest(observed: Observation) -> tuple[str, int]:
    """Return who saw it last, and when: of what was seen again or merged, the newest."""
    others = [parse_observation_id(each) for each in (*observed.repeats, *observed.sources[-1:])]
    newest = max(others, key=lambda each: each.timestamp_ms, default=None)
    if newest is None or newest.timestamp_ms < observed.timestamp_ms:
        return observed.agent, observed.timestamp_ms
    return newest.agent, newest.timestamp_ms


def _doubts(told: WeighedMemory) -> str:
    """Return what speaks against trusting a memory as it stands."""
    one, found = told.observation, [told.mark] if told.mark else []
    if one.superseded_by:
        by = f"replaced by {shorten_id(one.superseded_by)}"
        stands = told.restored is not None
        found += [f"{by} {told.restored}"] if told.restored else []
        found += [] if stands else [f"no longer holds, {by}"]
    if one.against:
        found.append(one.against)
    if one.changed_files:
        rest = len(one.changed_files) - _FILES_SHOWN_MAX
        more = f" and {rest} more" if rest > 0 else ""
        found.append(f"changed since: {', '.join(one.changed_files[:_FILES_SHOWN_MAX])}{more}")
    return f" ({'; '.join(found)})" if found else ""
