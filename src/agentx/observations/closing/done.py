"""What a later session did about what an earlier one left open.

    "Left open: I have not committed anything yet"     a later session commits all there is
    "Left open: the docs still need an example"        "write the docs example", and it did
    "Left open: Open: renew the key, an alarm"         the key is renewed: the alarm is left

Law: an open end falls only by what was done. Somebody asked for just that and it was worked on, a
commit or a sentence says that it is so by now, and what was left open then is something else. Of a
list each item falls by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from agentx.exchanges.passing import says_still
from agentx.kernel.text import compile_late
from agentx.observations.closing.answered import has_come, is_answered
from agentx.observations.closing.came_since import (
    did_as_said,
    has_been_asked_for,
    was_begun,
    was_taken_out,
)
from agentx.observations.closing.doings import CLAUSE, Deeds, Doings, read_states
from agentx.observations.closing.edited import find_edited, may_be_edited
from agentx.observations.closing.edits import PATH_SIGN
from agentx.observations.closing.lapsed import (
    has_lapsed,
    holds_for_a_time,
    leave_past_days,
)
from agentx.observations.extract.left.asking import asks_user
from agentx.observations.extract.left.open_list import OpenList, read_open_list, tell_rest
from agentx.observations.extract.left.settled import UNDONE, is_settled, leave_unsettled
from agentx.observations.extract.left.unticked import ON_THE_LIST
from agentx.observations.labels import BY_USER, LABELS, WAITS, strip_label
from agentx.observations.model import Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.observations.validity.open_ends import is_uncommitted
from agentx.observations.validity.rewording import reword
from agentx.prose.cues import anywhere
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import coverage

_LOOKED_AT_MAX = 500
_BROKEN = anywhere(
    r"""
    still (?:fails?|failing|broken|red) | (?:is|are|stays?|remains?) (?:broken|red|failing)
    """
)
_ASKS_FOR = 0.6  # of the words of what was open, those of who asked for it
_ASKS_IN_SHORT = 0.5
_SAYS_SO = 0.75  # those of who says that it is so
_DID_SO = 0.65  # of a commit, and of what was open, each those of the other
_WORKED_ON = 0.75  # those of who asked for some of it, and of all that is told of the work then
_ABOUT_IT = 0.5  # of the words of who says so, more than these are those of what was open
_SAID_AGAIN = 0.5
# Who put it off, and whose list it was on, is not what is open.
_BESIDE = compile_late(rf"\AThe user said: | \({ON_THE_LIST}.*\Z|(?<=.) The user said: .*\Z")
# Said of an item of a list, behind it.
_BESIDE_ITEM = compile_late(
    r"(?i:[;,(\u2013\u2014-]\s*(?:it|they|that|this|which|es|das|die|sie) .*\Z)"
)
_ABOUT_MIN = 2
_SHORT_MIN = 4  # letters of a word that is said in short
# What it takes, and by when it must be done, is no part of it.
_SAYS_WHY = compile_late(
    r"(?i:(?:that|it|this|which|they)(?: still)? (?:needs?|takes?|costs?|will|would)\b)"
)
_WHY = compile_late(
    r"(?i:(?<=\w) (?:before|until|because|since|so that)\b.*)|\([^()]*\)"
    r"|(?i:\A(?:after|once|on|from) [^.;:\n]{3,40}: )|(?i:\b(?:in|into|at) )`[\w./-]+\.\w+`"
    r"|(?i:(?<=\w\w) (?:with|using|via|through|mit|avec|con|com) (?:an? |the )?`[^`\n]+`"
    r"[^.;:\n]*)"
)
_LACKING = compile_late(
    r"(?i:(?P<what>.+?) (?:is|are) (?:still )?(?:missing|not there|lacking)\b"
    r"|(?P<was>.+?) (?:fehlt|fehlen)\b|.+? (?:has|have) no (?P<none>.+)\Z)"
)
# "`load.py` can do it once you tell me from which day".
_ONCE_TOLD = compile_late(
    r"(?i:\b(?:once|as soon as|when|after|until|sobald|wenn|cuando|en cuanto|d\u00e8s que|quand"
    r"|quando|appena) (?:you|du|ihr|tu|vous|me|mi)"
    r" (?:tell|say|told|name|give|let me know|sagst|sagt|nennst|digas?|dis|dites|dici)"
    r"(?: me| us| mir| uns)?,? (?P<what>[^.;\n]{2,60}))"
)
_SAME_IN = compile_late(
    r"(?i:\A(?:the |do the |dasselbe |lo mismo |le m\u00eame |la m\u00eame chose )?(?:same |idem )?"
    r"(?:thing |fix |change )?(?:in|for|at|en|pour|para|dans) (?:the )?`?"
    r"(?P<name>[\w./-]*[_./][\w./-]*\w)(?:\(\))?`?[.]?\Z)"
)
_HALVES = 2
_COMMIT = compile_late(r"(?i:commit)")
_PUSHED = compile_late(r"(?i:push)")
_UNSAVED = compile_late(
    r"(?i:\bun(?:committed|pushed)\b|(?:\bnot|n['\u2019]t|\bnothing)\s(?:\w+\s){0,3}(?:commit|push))"
)


def find_done(
    store: ObservationStore,
    doings: Doings,
    *,
    branch: str,
    session_id: str,
    mended: Collection[str] = (),
) -> Iterator[tuple[Observation, str]]:
    """Yield the open ends that a session did something about, each with what is left of it.

    `mended`: the sessions whose failures it mended. Only what was open before the session began
    is looked at.
    """
    rows = store.search_by_filters(
        SearchFilters(superseded=False, pinned=False, limit=_LOOKED_AT_MAX)
    )
    ids = [row.id for row in rows if may_have_changed(row.summary, doings.deeds)]
    for one in store.get_by_ids(ids) if ids else ():
        if one.superseded_by:
            continue
        if one.session_id == session_id:
            if _went_on(one, doings):
                yield one, ""
            continue
        if holds_apart(one, branch):
            continue
        rest = find_rest(one, doings.deeds, is_mended=one.session_id in mended)
        if rest != one.content:
            yield one, rest


def holds_apart(one: Observation, branch: str) -> bool:
    """Tell whether what was done on a branch says nothing of a memory of another one.

    What is left to do may be done from anywhere, and stays open where that work does not reach.
    How another branch stands, and what it has not saved, only work on it changes.
    """
    if not (one.branch and branch) or one.branch == branch:
        return False
    own = one.content
    is_of_branch = is_uncommitted(own) or _UNSAVED.search(own) or _BROKEN.search(own)
    return not own.startswith(LABELS) or is_of_branch is not None


def may_have_changed(text: str, deeds: Deeds) -> bool:
    """Tell whether a memory says that something is left, holds for a time, or was edited."""
    return is_left_open(text) or holds_for_a_time(text) or may_be_edited(text, deeds.edited)


def is_left_open(text: str) -> bool:
    """Tell whether a memory says first of all that something is left."""
    return text.startswith(LABELS) or is_uncommitted(text)


def find_rest(one: Observation, deeds: Deeds, *, is_mended: bool = False) -> str:
    """Return what is left of an open end after what a session did; its text if nothing was.

    `is_mended`: what failed in its session was mended.
    """
    if one.timestamp_ms >= deeds.begun_ms:
        return one.content
    if not is_left_open(one.content):
        rest = "" if has_lapsed(one, deeds) else leave_past_days(one, deeds)
        return rest and find_edited(replace(one, content=rest), deeds.edited)
    return _leave_undone(one, deeds, is_mended=is_mended)


def _leave_undone(one: Observation, deeds: Deeds, *, is_mended: bool) -> str:
    said = strip_label(one.content)
    label = one.content[: len(one.content) - len(said)]
    own = _BESIDE.sub("", said)
    is_committed = is_uncommitted(own) and deeds.commits_all
    if (is_mended and _BROKEN.search(own)) or is_committed or _is_done(own, deeds):
        return ""
    if not label:
        return one.content
    if _has_ended(own, deeds, is_put_off=said != own):
        return ""
    if label == WAITS and asks_user(own):
        return "" if is_answered(own, deeds) else one.content
    rest = _find_rest(said, own, deeds)
    return label + rest if rest else ""


def _has_ended(own: str, deeds: Deeds, *, is_put_off: bool) -> bool:
    """Tell whether the whole of an open end is over, in whatever words."""
    if _is_other_state(own, deeds) or _was_told(own, deeds) or _is_same_done(own, deeds):
        return True
    if has_come(own, deeds) or (_BROKEN.search(own) and deeds.passes_whole and says_still(own)):
        return True
    return (is_put_off and was_begun(own, deeds)) or has_been_asked_for(own, deeds)


def _find_rest(said: str, own: str, deeds: Deeds) -> str:
    """Return what is left of a text; `own` is it without whose words, or list, stand beside it."""
    left = leave_unsettled(own, deeds.answers, is_only=False)
    if said != own:
        beside = said.removeprefix(own).partition(f" {BY_USER}")[2]
        is_over = bool(beside) and (
            is_settled(beside, deeds.answers, is_only=False) or did_as_said(beside, deeds)
        )
        return said.replace(own, left) if left and not is_over else ""
    listed = read_open_list(left)
    done = [each for each in listed.left if _is_done(each, deeds)]
    done += [each for each in _list_enumerated(listed, deeds) if each not in done]
    # What is said again is told by who said it last.
    done += [each for each in listed.left if done and _is_said_again(each, deeds)]
    return tell_rest(listed, done) if done and left else left


def _is_said_again(item: str, deeds: Deeds) -> bool:
    about = terms(_BESIDE_ITEM.sub("", item)) - UNDONE
    return any(coverage(about, other) >= _SAYS_SO for other in deeds.open_again)


def _is_other_state(own: str, deeds: Deeds) -> bool:
    """Tell whether all that was said to stand at some value has another one now."""
    then = read_states(own)
    return bool(then) and all(
        name in deeds.states and deeds.states[name] != value for name, value in then.items()
    )


def _went_on(one: Observation, doings: Doings) -> bool:
    """Tell whether the user spoke after what a session had asked them: that is the answer."""
    is_asked = one.content.startswith(WAITS) and asks_user(one.content)
    return is_asked and doings.last_prompt_ms > one.timestamp_ms


def _was_told(own: str, deeds: Deeds) -> bool:
    """Tell whether what somebody was to tell first was told, and worked on.

    In the words of what was to be told, or by a figure for what has a name there.
    """
    if len(read_open_list(own).items) > _HALVES or not (found := _ONCE_TOLD.search(own)):
        return False
    about = terms(found["what"]) - UNDONE
    named = {part for name in code_names(own) for part in terms(PATH_SIGN.sub(" ", name))}
    return any(
        (about and about < said)
        or (not said.isdisjoint(named) and any(each[0].isdigit() for each in said))
        for said in deeds.asked
    )


def _is_same_done(own: str, deeds: Deeds) -> bool:
    """Tell whether the same was asked for where it was left: "same in `resume()`"."""
    found = _SAME_IN.match(own)
    if found is None:
        return False
    names = terms(found["name"])
    return any(
        len(said) == 1 and name.endswith((each, f"_{each}", f".{each}", f"/{each}"))
        for said in deeds.asked
        for each in said
        for name in names
        if each == name or not name.removesuffix(each)[-1:].isalnum()
    )


def _list_enumerated(listed: OpenList, deeds: Deeds) -> list[str]:
    """Return the items of one word that a sentence says are so: "April and May are in"."""
    single = {each: terms(each) - UNDONE for each in listed.left}
    every = frozenset[str]().union(*(held for held in single.values() if len(held) == 1))
    return [
        each
        for each, held in single.items()
        if len(held) == 1 and any(held <= said and said - UNDONE <= every for said in deeds.told)
    ]


def _is_done(own: str, deeds: Deeds) -> bool:
    """Tell whether each part of what was open was saved, or asked for and done."""
    if not (terms(own) - UNDONE or _UNSAVED.search(own)):
        return False
    if was_taken_out(own, deeds):
        return True
    parts = [
        _WHY.sub("", each) for each in CLAUSE.split(_WHY.sub("", own)) if not _SAYS_WHY.match(each)
    ]
    parts = [each for each in parts if terms(each) - UNDONE or _UNSAVED.search(each)]
    return bool(parts) and all(
        _is_saved(each, deeds) or _is_so(_read_about(each), deeds) for each in parts
    )


def _read_about(part: str) -> frozenset[str]:
    """Return the words of what is open: of what is missing, only what that is."""
    lacking = _LACKING.match(part)
    what = next(filter(None, lacking.groups()), "") if lacking else ""
    named = code_names(what)
    if named:
        return terms(named[0])
    return (terms(what) - UNDONE) or (terms(part) - UNDONE)


def _is_saved(own: str, deeds: Deeds) -> bool:
    """Tell whether all that was left uncommitted, or unpushed, was committed or pushed."""
    if not _UNSAVED.search(own) or len(terms(own) - UNDONE) > 1:
        return False
    if _PUSHED.search(own) and deeds.pushes:
        return True
    whole = deeds.commits_as_asked or deeds.commits_all
    return bool(_COMMIT.search(own)) and whole


def _is_so(about: frozenset[str], deeds: Deeds) -> bool:
    """Tell whether just what was open was asked for and worked on, or is said to be so by now."""
    if not about or any(coverage(about, other) >= _SAID_AGAIN for other in deeds.open_again):
        return False
    if len(about) >= _ABOUT_MIN and any(
        (work.asked & about) - UNDONE and coverage(about, work.about) >= _WORKED_ON
        for work in deeds.work
    ):
        return True
    heads = _list_heads(about)
    for said in deeds.asked:
        if heads.isdisjoint(_list_heads(said)):
            continue  # no word of it is any of these, in short or in full
        wanted = said - UNDONE
        # One word is a subject that many share: nothing else may be wanted of it.
        enough = len(about) >= _ABOUT_MIN or wanted <= about
        # Who names nothing else may say it in short.
        least = _ASKS_IN_SHORT if len(wanted) >= _ABOUT_MIN and wanted <= about else _ASKS_FOR
        if wanted and enough and coverage(about, _put_alike(about, wanted)) >= least:
            return True
    if len(about) < _ABOUT_MIN:
        return False
    numbers = {each for each in about if each[0].isdigit()}
    told = (
        (deeds.told, _SAYS_SO, _ABOUT_IT),
        (deeds.committed, _DID_SO, _DID_SO),
        (deeds.committed, _SAYS_SO, _ABOUT_IT),
    )
    return any(
        numbers <= said
        and len(about & said) >= _ABOUT_MIN
        and coverage(about, said) >= least
        and coverage(said - UNDONE, about) > least_of_it
        for sentences, least, least_of_it in told
        for said in sentences
        if not about.isdisjoint(said)
    )


# What a session did is held against all that is open, and what is open against many sessions.
@lru_cache(maxsize=2_000)
def _list_heads(words: frozenset[str]) -> frozenset[str]:
    """Return what words begin with: two that are alike begin with the same."""
    return frozenset(word[:_SHORT_MIN] for word in words)


def _put_alike(about: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
    """Return what is wanted in the words of what was open, where it is said in short or longer."""
    return frozenset(
        each
        for each in about
        if each in wanted
        or any(
            min(len(each), len(other)) >= _SHORT_MIN
            and (each.startswith(other) or other.startswith(each))
            for other in wanted
        )
    )


def mark_done(
    store: ObservationStore, done: Iterable[tuple[Observation, str]], by: str
) -> tuple[Observation, ...]:
    """Mark open ends as closed by what a session taught; return what is kept of them instead."""
    rests: list[Observation] = []
    marked: list[Observation] = []
    for one, rest in done:
        if rest:
            rests.append(reword(one, rest))
        marked.append(replace(one, superseded_by=rests[-1].id if rest else by))
    if rests:
        store.store(rests)
    store.amend(marked)
    return tuple(rests)
