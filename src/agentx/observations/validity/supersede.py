"""Which memory took an older one back.

Decisions of one issue: the newer one is on the same subject and says so ("instead of", "switch
from X to Y", "after all"), answers the same question differently, or gives another value for the
same thing.

Of what people ruled: the newer one overrules the older one (`overruled.py`).

Of any kind, from one session to a later one: the newer one names what is given up, and the older
one was for just that; it reverts its commit, measures again, mends or closes what was open.

Law: two that only share words stand side by side: what is wrongly called replaced is lost to the
reader, what is missed is only told beside what replaced it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from agentx.kernel.text import compile_late, fold_text
from agentx.kernel.values import frozen
from agentx.observations.labels import LABELS
from agentx.observations.model import Category
from agentx.observations.validity import open_ends
from agentx.observations.validity.choices.after_all import may_turn_round, turns_round
from agentx.observations.validity.choices.finished import closes, commits, finishes
from agentx.observations.validity.choices.lapsed import ends_time, is_for_a_time
from agentx.observations.validity.choices.named_amount import may_set_by_name, sets_by_name
from agentx.observations.validity.choices.named_value import may_set_value, sets_value
from agentx.observations.validity.choices.replaced import may_replace_plainly, replaces_plainly
from agentx.observations.validity.choices.returning import may_return, returns_to
from agentx.observations.validity.choices.ruled import is_ruled, read_act
from agentx.observations.validity.figures import corrects, names_wrong
from agentx.observations.validity.given_up import (
    is_said_by_user,
    list_given_up,
    list_removed,
    list_words,
    was_for,
)
from agentx.observations.validity.over import (
    PARTS,
    is_of_hunt,
    is_of_removed,
    says_it_stands,
)
from agentx.observations.validity.overruled import is_of_other, overrules, rules_several
from agentx.observations.validity.pairing import is_near, pair_all, pair_told
from agentx.observations.validity.reading import (
    CHARS_READ_MAX,
    NUMBER,
    Comparable,
    ComparedMemory,
    ReadBefore,
    read_memory,
)
from agentx.observations.validity.resting import is_elsewhere_now
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness, overlap
from agentx.prose.settling.amounts import (
    read_amounts,
    sets_only,
)
from agentx.prose.settling.verdict import settles

Rule = Callable[[ComparedMemory, ComparedMemory], bool]


@frozen(kw_only=False)
class _Rules:
    """The rules by which a memory can replace others: any, and those of its own session."""

    every: tuple[Rule, ...] = ()
    of_session: tuple[Rule, ...] = ()
    of_its_user: tuple[Rule, ...] = ()  # where its user says so, later


_NO_RULES = _Rules()
_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
# A number with its unit, and any other number: an id, a version, a step.
_MEASURE = compile_late(
    r"(?<![\w.#-])\d[\d,]*(?:\.\d+)?(?P<unit> ?(?:%|per ?cent|ns|us|\u00b5s|ms|s|secs?|seconds?|min"
    r"|minutes?|h|hours?|days?|[KMGT]i?B|kB|bytes?|tokens?|lines?|tests?|rows?|requests?|queries)"
    r"(?:/s)?)(?![\w-])"
)
_REVERTS = compile_late(
    r"\ARevert \"(?P<subject>.+?)\"(?: |$)"
    r"|\brevert(?:s|ed|ing)? (?:commit )?`?(?P<hash>[0-9a-f]{7,40})\b",
    re.IGNORECASE | re.MULTILINE,
)
# Who reverses something is about it, whatever it is called by: "the retry half of decision 3".
_REVERSES = compile_late(
    r"\b(?:revers|supersed|overturn|overrul|revok)(?:es|ed|s) (?:the )?"
    r"(?P<about>[^,.;:()\n]{2,60}?)(?= of\b|[,.;:()\n]|\Z)",
    re.IGNORECASE,
)
_UNNAMED = compile_late(r"(?i:\b(?:it|them|this|these|those|es|sie|diese)\b)")
_COMMITTED = compile_late(r"\(commit ([0-9a-f]{7,40})\)")
_FAILED = compile_late(r"\A`(?P<command>.+?)` failed[^:\n]*: (?P<error>.+?)(?:;|\n|\Z)")
_MENDED = compile_late(r"(?:^|; ?)(?:Fixed by: |Cause: |`[^`]+` worked|It passed)", re.MULTILINE)
_SAME_SUBJECT = 0.75
_SAME_BUT_NUMBERS = 0.8
_REASON = compile_late(r"(?i:,? \b(?:because|since|so that|as|weil|damit|due to)\b)")
_SAME_MEASURED = 0.9
_SAME_FAILURE = 0.8
_MEASURED_TERMS_MIN = 4
_SHARED_MIN = 2
_BRIEF_TERMS_MAX = 12  # who says so little means what is named
_HASH_CHARS = 7
_HEAD_WORDS = 2


def list_sought(one: Comparable) -> list[str]:
    """Return the words by which what it may replace is found, whatever else that says."""
    text = one.text[:CHARS_READ_MAX]
    given_up = list_given_up(text, one.category)
    sought = [thing.said for thing in (*given_up, *list_removed(given_up))]
    if one.category is Category.DECISION:
        sought += [match["about"] for match in _REVERSES.finditer(text)]
    return [*sought, *(f"{number} open" for number in sorted(open_ends.list_closed(text)))]


def find_superseded(
    given: Iterable[Comparable],
    *,
    by: Collection[str] | None = None,
    about: Collection[str] | None = None,
) -> list[tuple[str, str]]:
    """Return pairs of an older memory's id and the id of the one that replaced it.

    `by` names the newer ones that are asked about, `about` those of which one must be in each
    pair; all are, where it is None.
    """
    ordered = sorted(given, key=lambda one: (one.at_ms, one.id))
    read_with_rules = [_known.read(one, is_newer=by is None or one.id in by) for one in ordered]
    read = [mine for mine, _ in read_with_rules]
    rules = {index: found for index, (_, found) in enumerate(read_with_rules) if found.every}
    if about is None:
        pairs = pair_all(read, rules)
    else:
        told = {index for index, one in enumerate(ordered) if one.id in about}
        pairs = pair_told(read, rules, told)
    found: dict[str, str] = {}
    for index, at in pairs:
        old = ordered[at].id
        if (
            old not in found
            and ordered[at].may_fall_to(ordered[index])
            and _replaces(read[index], read[at], rules[index])
            and (about is None or is_near(read, index, at))
        ):
            found[old] = ordered[index].id
    return sorted(found.items())


def _read(one: Comparable, is_newer: bool) -> tuple[ComparedMemory, _Rules]:
    """Return a memory as it is compared, and the rules by which it can replace others."""
    mine = read_memory(one, is_newer=is_newer)
    if not (is_newer and mine.may_replace):
        return mine, _NO_RULES
    return mine, _part_rules(mine, _list_rules(mine))


def _read_act(one: Comparable, is_newer: bool) -> tuple[ComparedMemory, _Rules] | None:
    """Return the line of a commit that says what it did, and the rules that are of acts."""
    act = read_act(one)
    if act is None:
        return None
    mine = read_memory(act, is_newer=is_newer)
    return mine, _part_rules(mine, [rule for rule in _list_rules(mine) if rule in _OF_ACTS])


_known = ReadBefore(_read)
_acts = ReadBefore(_read_act)


def find_hashes(text: str) -> list[str]:
    """Return the commits that a change says it made."""
    return _COMMITTED.findall(text[:CHARS_READ_MAX])


def is_overturned(new: Comparable, old: Comparable) -> bool:
    """Tell whether a choice as a whole was given up, or its question answered otherwise.

    A commit chose what it did, where nobody said so.
    """
    if old.category not in (Category.DECISION, Category.CODE_CHANGE) or is_revert(new.text):
        return False
    newer, older = read_memory(new, is_newer=True), read_memory(old, is_newer=False)
    if _gives_up(newer, older) or replaces_plainly(newer, older):
        return True
    is_answer = old.category is Category.DECISION and bool(newer.asked)
    return is_answer and _answers_anew(newer, older)


def is_revert(text: str) -> bool:
    """Tell whether a change takes a commit back."""
    return _REVERTS.search(text[:CHARS_READ_MAX]) is not None


def _list_rules(new: ComparedMemory) -> list[Rule]:
    """Return the rules by which a memory can replace another at all, as far as it alone tells."""
    category, text = new.of.category, new.text
    is_change = category is Category.CODE_CHANGE
    decides = category is Category.DECISION
    can = {
        _answers_anew_here: decides and new.is_answered,
        _takes_back: decides and new.takes_back,
        _sets_anew: decides and bool(new.numbers),
        closes: bool(new.closed),
        is_of_hunt: bool(new.closed),
        corrects: names_wrong(text),
        _gives_up: bool(new.given_up),
        is_of_removed: bool(list_removed(new.given_up)),
        _overrules: bool(new.stances) and is_said_by_user(new.of.text),
        _reverses: decides and _REVERSES.search(text) is not None,
        turns_round: may_turn_round(text),
        returns_to: is_said_by_user(new.of.text) and may_return(text),
        ends_time: is_said_by_user(new.of.text) and not is_for_a_time(text),
        replaces_plainly: (is_change or decides) and may_replace_plainly(text),
        _reverts: is_change and is_revert(new.of.text),
        _sets_amount: category is not Category.ERROR and bool(read_amounts(text)),
        sets_by_name: may_set_by_name(new),
        sets_value: category is not Category.ERROR and may_set_value(new.text),
        is_elsewhere_now: category is Category.KEY_FACT,
        _measures_anew: category is Category.KEY_FACT and bool(_list_units(new)),
        _mends: category is Category.ERROR and _MENDED.search(new.of.text) is not None,
        commits: is_change and open_ends.is_commit(new.of.text),
        finishes: is_change,
    }
    return [rule for rule, may in can.items() if may]


def _part_rules(new: ComparedMemory, rules: Iterable[Rule]) -> _Rules:
    every = tuple(rules)
    if not new.of.session_id:
        return _Rules(every)
    its_user = _OF_ITS_USER if is_said_by_user(new.of.text) else frozenset[Rule]()
    return _Rules(
        every,
        of_session=tuple(rule for rule in every if rule in _OF_ONE_SESSION),
        of_its_user=tuple(rule for rule in every if rule in _OF_ONE_SESSION | its_user),
    )


def _replaces(new: ComparedMemory, old: ComparedMemory, rules: _Rules) -> bool:
    # What a person ruled falls by a person's word, or by an act that undoes it.
    if is_ruled(old.of) and not is_said_by_user(new.of.text) and not is_ruled(new.of):
        act = _acts.read(new.of, is_newer=True)
        if act is None:  # unless a decision says that it reverses that one
            return _reverses in rules.every and _reverses(new, old)
        new, rules = act
    for rule in _choose(new, old, rules):  # noqa: SIM110  of very many: `any` takes longer
        if rule(new, old):
            return True
    return False


def _choose(new: ComparedMemory, old: ComparedMemory, rules: _Rules) -> tuple[Rule, ...]:
    """Return the rules of a memory that hold for an older one.

    What a session says of itself takes nothing back, but what its user says of it does.
    """
    if not new.of.session_id or new.of.session_id != old.of.session_id:
        return rules.every
    return rules.of_its_user if new.of.at_ms > old.of.at_ms else rules.of_session


def _is_half_meant(old: ComparedMemory) -> bool:
    """Tell whether a person ruled several things at once: one of them is not all."""
    is_ruled = old.of.category is Category.DECISION and is_said_by_user(old.of.text)
    return is_ruled and rules_several(old.stances)


@lru_cache(maxsize=500)
def _list_settling(text: str) -> tuple[str, ...]:
    """Return the sentences that settle something: what leads to a choice is none."""
    return tuple(each for each in _SENTENCE.split(text) if settles(each))


def _overrules(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a person overruled what was decided or asked for."""
    if not (old.is_prescribed and is_said_by_user(new.of.text)):
        return False
    mine, theirs = new.stances, old.stances
    return bool(mine and theirs) and overrules(mine, theirs)


def _are_of_one_issue(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether both are decisions of one issue."""
    both = {new.of.category, old.of.category}
    return both == {Category.DECISION} and new.of.issue == old.of.issue


def _answers_anew(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether the same question was answered differently, or at last."""
    same = likeness(new.asked, old.asked) >= _SAME_SUBJECT
    anew = new.answered != old.answered or not old.is_answered
    return same and new.is_answered and anew


def _answers_anew_here(new: ComparedMemory, old: ComparedMemory) -> bool:
    return _are_of_one_issue(new, old) and _answers_anew(new, old)


def _takes_back(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a decision names what it leaves, and the older one was for just that."""
    if not (_are_of_one_issue(new, old) and new.takes_back) or _is_half_meant(old):
        return False
    # What "them" are is known to who said it: they may be the very thing that is named now.
    if not _UNNAMED.search(old.text) and is_of_other(new.stances, old.stances):
        return False
    shared = new.said & old.said
    for about in new.left:
        # What the older one itself left behind is no choice of it.
        if not about or any(about & one for one in old.left):
            continue
        brief = about <= old.said and len(old.said) <= _BRIEF_TERMS_MAX
        if brief or (2 * len(about & old.said) >= len(about) and len(shared) >= _SHARED_MIN):
            return True
    return False


def _sets_anew(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether two decisions differ in nothing but a number."""
    if not new.numbers or not old.numbers or new.numbers & old.numbers:
        return False
    first, second = new.besides_numbers, old.besides_numbers
    if min(len(first), len(second)) < _SHARED_MIN or not _are_of_one_issue(new, old):
        return False
    # Each naming something of its own, they are about two things.
    if _set_in(new) - _set_in(old) and _set_in(old) - _set_in(new):
        return False
    return len(first & second) >= _SAME_BUT_NUMBERS * max(len(first), len(second))


def _set_in(one: ComparedMemory) -> frozenset[str]:
    """Return the words of what is set, without why."""
    return terms(NUMBER.sub(" ", _REASON.split(one.text, maxsplit=1)[0]))


def _reverses(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a decision on a subject reverses one that set its numbers.

    Both are about the subject: the newer one by more than the word, the older one at once; or the
    older one says that just this stands.
    """
    if new.of.category is not Category.DECISION or not (old.numbers and old.is_prescribed):
        return False
    for match in _REVERSES.finditer(new.text):
        about = terms(NUMBER.sub(" ", match["about"])) - PARTS
        if about and says_it_stands(old, about):
            return True
        besides = terms(new.text[: match.start()] + new.text[match.end() :])
        if about and about <= besides and about <= frozenset(list_words(old.text)[:_HEAD_WORDS]):
            return True
    return False


def _gives_up(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether something is named as given up that the older one was for.

    What broke is not taken back with what it came from, but with what it is of (`over.py`).
    """
    if old.of.category in (Category.ERROR, Category.COMPACTION_SUMMARY):
        return False
    if is_of_other(new.stances, old.stances):
        return False
    things = [thing for thing in new.given_up if old.said.issuperset(thing.words)]
    if things and _is_half_meant(old):
        settling = _list_settling(old.text)
        chosen = terms(settling[0]) if len(settling) == 1 else frozenset()
        things = [thing for thing in things if chosen.issuperset(thing.words)]
    return any(was_for(thing, old.of.text, old.of.category) for thing in things)


def _reverts(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a commit took the older one's commit back."""
    if {new.of.category, old.of.category} != {Category.CODE_CHANGE}:
        return False
    for match in _REVERTS.finditer(new.of.text[:CHARS_READ_MAX]):
        made = [each[:_HASH_CHARS] for each in find_hashes(old.of.text)]
        if match["hash"] and match["hash"][:_HASH_CHARS].lower() in made:
            return True
        subject = fold_text(match["subject"] or "")
        if subject and fold_text(old.text).startswith(subject):
            return True
    return False


def _measures_anew(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a fact gives other measures, in the same units, of the same thing."""
    if not (new.of.category is old.of.category is Category.KEY_FACT):
        return False
    units = [_list_units(each) for each in (new, old)]
    if not units[0] or units[0] != units[1] or new.numbers & old.numbers:
        return False
    first, second = new.besides_numbers, old.besides_numbers
    return min(len(first), len(second)) >= _MEASURED_TERMS_MIN and bool(
        overlap(first, second, least=_SAME_MEASURED)
    )


def _sets_amount(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether all that the older one sets was set to something else since.

    What an agent says takes no ruling of a person back; a ruling takes back what was so.
    """
    if old.of.category not in (Category.KEY_FACT, Category.DECISION):
        return False
    is_ruled = is_said_by_user(old.of.text)
    if new.of.at_ms <= old.of.at_ms or (is_ruled and not is_said_by_user(new.of.text)):
        return False
    if old.of.text.startswith(LABELS) or (old.is_prescribed and not sets_only(old.text)):
        return False
    then = [each for each in read_amounts(old.text) if old.is_prescribed or not each.sentence]
    now = read_amounts(new.text) if then else ()
    return bool(then) and all(any(each.is_replaced_by(one) for one in now) for each in then)


def _list_units(one: ComparedMemory) -> list[str]:
    """Return the units of what was measured; none where another number is named beside them."""
    if NUMBER.search(_MEASURE.sub(" ", one.text)):
        return []
    return [match["unit"].strip() for match in _MEASURE.finditer(one.text)]


def _mends(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether the same failure was not mended before, and was explained or mended now."""
    if {new.of.category, old.of.category} != {Category.ERROR}:
        return False
    now, then = _FAILED.match(new.of.text), _FAILED.match(old.of.text)
    if now is None or then is None or now["command"] != then["command"]:
        return False
    same = overlap(terms(now["error"]), terms(then["error"]), least=_SAME_FAILURE)
    return bool(same and _MENDED.search(new.of.text) and not _MENDED.search(old.of.text))


# What a session says of itself; the first three are of one issue, whichever session it is.
_OF_ONE_SESSION: frozenset[Rule] = frozenset(
    {_answers_anew_here, _takes_back, _sets_anew, closes, corrects, _sets_amount}
)
_OF_ACTS: frozenset[Rule] = frozenset(
    {_gives_up, replaces_plainly, is_of_removed, sets_value, sets_by_name}
)
_OF_ITS_USER: frozenset[Rule] = frozenset({_gives_up, _overrules, is_of_removed})
