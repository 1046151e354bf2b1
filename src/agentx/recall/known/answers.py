"""What memory answers a question with, if it does: who said it, when, and where that stands.

    a resolved question     that asks the same; decided by a person, or answered by who is asked now
    a decision of a session that says it in one short sentence, proven by what was said there

Never offered: what was overturned or replaced, what is being asked anew, what nobody decided, what
was itself taken from memory, and what a file claims in a person's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from agentx.clarification.contested import find_contesting
from agentx.clarification.data import KnownAnswer
from agentx.clarification.model import (
    PARTIAL,
    PERSON,
    UNKNOWN,
    Clarification,
    ClarificationStatus,
    Entry,
    NewQuestion,
)
from agentx.clarification.rendering import name_speaker
from agentx.clarification.watch.awaiting import is_of_same_issue
from agentx.clarification.watch.gathered import gather
from agentx.clarification.watch.later import find_contesting_elsewhere, find_later
from agentx.clarification.watch.matters import list_matters
from agentx.clarification.ways import LET_GO, UNVERIFIED
from agentx.kernel.text import compile_late, cut, fold_text, preview_ends, whole_head, whole_tail
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.labels import word_decision
from agentx.observations.model import Category, Observation
from agentx.observations.validity.marking import find_replacing
from agentx.prose import cues
from agentx.prose.likeness import list_words
from agentx.prose.same.wording import is_same_question, key_topic, key_words, list_leads
from agentx.prose.sentences import ELLIPSIS, sentences
from agentx.recall.known.asked import AskedFor, list_terms, read_asked, read_signs
from agentx.recall.limits import KNOWN_ANSWER_CHARS_MAX, KNOWN_ASKED_CHARS_MAX

# A sentence that says more than the answer speaks of something else, too.
_ANSWER_TERMS_MAX = 2
_SUBJECT_TERMS_MIN = 2
# What speaks of itself in so few words is a subject of its own in every issue.
_TERMS_ELSEWHERE_MIN = 3
_TERMS_ASKED_MIN = 2
_CONTRARY_CHARS = 120
_CONTRARY_MAX = 2
# What a role says who needs no answer any more; a person who says so has decided.
_GIVES_UP = frozenset((LET_GO, "go on without", "does not matter any more"))
_REASON = compile_late(r"(?i),? (?:because|since|so that|as it|in order to)\b.*|\s*\(.*\)")
_CLAUSES = compile_late(r"[;,]| (?:and|but|while|whereas) ")
_FRAME = compile_late(
    r"(?i)^(?:decided|decision|chosen|agreed|ruled|we (?:decided|agreed|chose)|the user \w+)"
    r"(?: that| to| on)?:?\s+"
)
_TURNS = cues.anywhere(
    r"""
    switch\w* | instead | replac\w* | mov(?:e|es|ed|ing) | migrat\w* | drop(?:s|ped|ping)?
    no longer | not | never | no more | rather | remov\w* | revert\w* | abandon\w* | chang\w*
    gave up | away from | was | were | used to | after all | until | except | unless | only
    """
)
_POINTS_AT_IT = frozenset({"it", "that", "this"})
_HELPS = frozenset({"you", "will", "do", "going", "with"})
_TAKES = compile_late(
    r"(?i:(?:\W*\b(?:ok(?:ay)?|thanks?(?: you)?|thx|great|good|fine|perfect|agreed|understood|noted"
    r"|got it|will do|done|clear|makes sense|sounds good|going with (?:that|it)|settled)\b\W*)+)"
)
_SAYS_AMOUNT = compile_late(r"\d")
_OF_QUESTION = "[CLR-"  # a settled question is looked at itself
# What a sentence that states something can answer.
_STATED = frozenset({"which", "where", "whether", "whether should"})


@frozen
class Known:
    """What is searched: questions, and what sessions taught."""

    clarifications: tuple[Clarification, ...] = ()
    memories: tuple[Observation, ...] = ()  # what sessions taught, as far as it is near


def find_known_answer(
    request: NewQuestion, known: Known, *, itself: str = ""
) -> KnownAnswer | None:
    """Return what answers a question already, or None. `itself` is its own id once it is kept."""
    asked = read_asked(request.topic, request.question)
    may_be_elsewhere = _may_be_elsewhere(asked)
    leads = list_leads(request.question)  # most ask something else, which is seen at a glance
    alike = [
        state
        for state in known.clarifications
        if state.id != itself
        and _has_all(state.question.casefold(), leads)
        and is_same_question(state, request)
        and (may_be_elsewhere or is_of_same_issue(state, request))
    ]
    if any(state.is_active for state in alike):
        return None  # somebody asks it anew: what was said once is in doubt
    over = [state for state in alike if state.resolved_ms is not None]
    # Who only let it go took back nothing of what was said before.
    settled = [state for state in over if _is_answered(state) and not _is_let_go(state)]
    if over and not settled:
        return None  # what was said last there was said to something else
    if settled:
        topics = {key_topic(state.topic) for state in settled}  # the same has the same topic
        others = gather(one for one in known.clarifications if key_topic(one.topic) in topics)
        standing = [state for state in settled if find_later(state, others) is None]
        newest = max(standing, default=None, key=lambda state: (state.resolved_ms or 0, state.id))
        if newest is None or find_contesting(newest) or find_contesting_elsewhere(newest, others):
            return None  # it does not stand for sure: somebody has to be asked
        same = {state.id for state in alike}
        rest = [state for state in known.clarifications if state.id not in same]
        return _offer_settled(newest, settled, request, replace(known, clarifications=(*rest,)))
    return _offer_decision(asked, request, known.memories)


def _is_answered(state: Clarification) -> bool:
    """Tell whether what a question came to was said to what it asked last.

    Else it was said before that, or to what a person was called with past the last round.
    """
    word = find_word(state) or state.resolution
    said = "" if word is None else state.question_of(word)
    return key_words(state.topic, said) == key_words(state.topic, state.question)


def _is_let_go(state: Clarification) -> bool:
    """Tell whether nobody said a word to a question that was settled."""
    said = (state.answered, state.decision)
    words = [word for word in said if word is not None]
    return all(map(state.says_nothing, words))


def _may_be_elsewhere(asked: AskedFor) -> bool:
    """Tell whether a question says by itself what it is about, in whatever issue it is asked."""
    if asked.points:
        return False
    return len(asked.asked) >= _TERMS_ASKED_MIN and len(asked.subject) >= _TERMS_ELSEWHERE_MIN


def _has_all(text: str, leads: Iterable[str]) -> bool:
    return all(lead in text for lead in leads)


def read_decision(state: Clarification, by: str = "") -> Observation | None:
    """Return what a settled question, or a matter, came to; None where nothing was decided.

    `by` is what the person is called who decided it, where that is known.
    """
    said = _say_answer(state)
    settled = state.resolution
    if not said or settled is None or state.resolved_ms is None:
        return None
    said = said if said.endswith((".", "!", "?")) else f"{said}."
    word = state.decision or settled
    asked = _cut_asked(fold_text(state.question_of(word)))
    # Each by itself: what tells one from the other is never cut out.
    said = cut(f"{state.topic}: {said}", KNOWN_ANSWER_CHARS_MAX)
    content = f"{word_decision(said, _name_decider(state, by), asked)} [{state.id}]"
    return Observation(
        id=str(state.id),
        agent=_find_decider(state),
        issue_number=state.issue,
        category=Category.DECISION,
        content=content,
        summary=content,
        tokens=estimate(content),
        timestamp_ms=state.resolved_ms,
        session_id="",
    )


def _cut_asked(asked: str) -> str:
    """Return what was asked in one line: how it begins, and its end, where the question stands."""
    if len(asked) <= KNOWN_ASKED_CHARS_MAX:
        return asked
    head = KNOWN_ASKED_CHARS_MAX // 4
    return f"{whole_head(asked, head)} {ELLIPSIS} {whole_tail(asked, head * 3)}"


def list_decisions(state: Clarification) -> tuple[tuple[Clarification, Observation], ...]:
    """Return what a thread came to, and what people said to what it asked before.

    Each with the thread, or the matter, that came to it.
    """
    found = ((each, read_decision(each)) for each in (state, *list_matters(state)))
    return tuple((each, decision) for each, decision in found if decision is not None)


def _offer_settled(
    newest: Clarification,
    settled: Iterable[Clarification],
    request: NewQuestion,
    others: Known,
) -> KnownAnswer | None:
    # What was taken from memory stands as long as what it was taken from.
    taken = newest.answered.source if newest.answered is not None else ""
    if taken:
        first = next((state for state in settled if state.id == taken), None)
        if first is None or (first.answered is not None and first.answered.source):
            return None
        newest = first
    decision = read_decision(newest)
    if decision is None or not _counts(newest, request.to):
        return None
    asked = read_asked(newest.topic, newest.question)
    if _is_overturned(decision, asked, _say_answer(newest), others):
        return None
    word = find_word(newest)
    assert word is not None, "looked at just now"
    return KnownAnswer(
        grip=str(newest.id),
        text=_say_answer(newest),
        by=_name_decider(newest),
        at_ms=decision.timestamp_ms,
        issue=newest.issue,
        issue_title="" if is_of_same_issue(newest, request) else newest.issue_mark.title,
        asked=newest.question_of(word),
        doubt=word.doubt,
        asked_of=request.to,
        proofs=(newest.uid,) if newest.uid else (),
    )


def _is_overturned(decision: Observation, asked: AskedFor, said: str, others: Known) -> bool:
    """Tell whether what is known of later took a decision back, or may have: it is asked again."""
    mark = f"[{decision.id}]"
    kept = [one for one in others.memories if one.content.endswith(mark)]
    if any(one.superseded_by for one in kept):
        return True
    memories = (one for one in others.memories if one not in kept and not one.superseded_by)
    newer: list[Observation] = []
    answer = frozenset(list_terms(said)) - asked.subject
    for one in chain(memories, _list_after(others.clarifications, decision.timestamp_ms)):
        if one.timestamp_ms > decision.timestamp_ms:
            if _is_about(one.content, asked, answer):
                return True
            newer.append(one)
    plain = replace(decision, content=decision.content.removesuffix(mark).strip())
    return bool(newer) and decision.id in find_replacing([plain, *newer])


def _list_after(states: Iterable[Clarification], since_ms: int) -> Iterator[Observation]:
    """Yield what questions came to that were settled after a moment; to word each takes long."""
    after = (state for state in states if (state.resolved_ms or 0) > since_ms)
    return filter(None, map(read_decision, after))


def _is_about(content: str, asked: AskedFor, answer: frozenset[str]) -> bool:
    """Tell whether a later text speaks of the same, and does not merely say it again."""
    held = frozenset(list_terms(content))
    shared = len(held & asked.subject)
    is_near = shared >= _SUBJECT_TERMS_MIN or (shared and held & answer)
    is_again = answer <= held and not cues.finds(_TURNS, content)
    return bool(is_near) and not is_again


def _offer_decision(
    asked: AskedFor, request: NewQuestion, memories: tuple[Observation, ...]
) -> KnownAnswer | None:
    if request.to == PERSON or asked.points or asked.denies:
        return None  # what an agent noted is not what the person says
    standing = [
        one
        for one in memories
        if one.category is Category.DECISION
        and not (
            one.superseded_by or one.changed_files or one.branch or _OF_QUESTION in one.content
        )
        and (one.event_ids or one.reviewed or one.agent == PERSON)
    ]
    told = [(one, said) for one in standing if (said := _find_saying(asked, one.content))]
    if len({said.casefold() for _, said in told}) != 1:
        return None  # nothing, or several that do not say the same
    newest, said = max(told, key=lambda pair: (pair[0].timestamp_ms, pair[0].id))
    return KnownAnswer(
        grip=newest.id,
        text=said,
        by=newest.agent,
        at_ms=newest.timestamp_ms,
        issue=newest.issue_number,
        proofs=newest.event_ids[:3],
    )


def _find_saying(asked: AskedFor, content: str) -> str:
    """Return the sentence that says just what is asked for; nothing where none does."""
    wanted = asked.wanted.strip()
    is_amount = wanted.startswith("how ") or wanted == "when"
    if not (wanted in _STATED or is_amount) or len(asked.subject) < _SUBJECT_TERMS_MIN:
        return ""
    for found in sentences(content):
        said = content[found.start : found.end].strip()
        plain = _REASON.sub("", _FRAME.sub("", said))
        terms = list_terms(plain)
        # An amount is asked for by its measure ("how long"), which the answer does not repeat.
        subject = asked.subject - {wanted.removeprefix("how ")} if is_amount else asked.subject
        beside = [term for term in terms if term not in subject]
        if not subject <= {*terms} or len(beside) > _ANSWER_TERMS_MAX or _CLAUSES.search(plain):
            continue
        if said.endswith("?") or cues.finds(cues.DOUBTS, said):
            continue
        if (is_amount and not _SAYS_AMOUNT.search(plain)) or (
            wanted in {"which", "where"} and not beside
        ):
            continue
        return said
    return ""


def _say_answer(state: Clarification) -> str:
    """Return what settled a question; nothing where it was only let go."""
    settled = state.resolution
    if state.status is not ClarificationStatus.RESOLVED or settled is None:
        return ""
    word = state.decision
    if word is not None and state.lets_go(word):
        return ""  # what an offshoot begins with was answered elsewhere
    is_let_go = state.lets_go(settled)
    decided = fold_text(settled.body)
    if is_let_go:  # that takes back nothing of what was said before
        decided = fold_text(word.body) if word is not None and word.is_persons_word else ""
    answered, bare = fold_text(state.answer), decided.casefold().rstrip(".! ")
    gives_up = settled.speaker != PERSON and bare in _GIVES_UP
    if gives_up and bare not in fold_text(state.question_of(settled)).casefold():
        return ""
    if decided and answered and (settled.speaker == PERSON or _is_settlers(state)):
        assert state.answered is not None, "it says something"
        is_same = state.question_of(state.answered) == state.question_of(settled)
        is_other = _compare(decided) != _compare(answered)
        is_told = is_same and is_other
        before = f" ({_name_answerer(state)} had answered: {answered})" if is_told else ""
        return f"{decided}{before}{_say_contrary(state, told=state.answered if is_same else None)}"
    said = "" if _is_weak(state) else answered or decided
    return f"{said}{_say_contrary(state)}" if said else ""


def _is_settlers(state: Clarification) -> bool:
    """Tell whether a role that settled a question said otherwise than was answered.

    Who takes the answer, in its words or with thanks, leaves it the answerer's. Any other text is
    told beside it: words that the answer has too may say the contrary of it.
    """
    settled = state.resolution
    if settled is None or settled is not state.decision or not settled.body:
        return False
    if state.answered is None or _is_taken(settled.body, state.question_of(settled)):
        return False
    said, answered = (
        (tuple(term for term in list_terms(text) if term not in _POINTS_AT_IT), read_signs(text))
        for text in (settled.body, state.answered.body)
    )
    return not said[0] or said != answered


def _compare(said: str) -> object:
    """Return by what two texts say the very same."""
    return said.casefold(), read_signs(said)


def _is_taken(said: str, question: str) -> bool:
    """Tell whether a text only takes what was answered; "done" answers whether it is done."""
    if not _TAKES.fullmatch(said):
        return False
    return not set(list_words(said)) & set(list_words(question)) - _POINTS_AT_IT - _HELPS


def _say_contrary(state: Clarification, told: Entry | None = None) -> str:
    """Return what people said otherwise to the same question, in every clone alike."""
    words = [each for each in state.contrary_words if each != told]
    others = list(dict.fromkeys(map(_say_other, words)))
    shown = "; ".join(others[-_CONTRARY_MAX:])
    return f" (a person had said otherwise: {shown})" if shown else ""


def _is_weak(state: Clarification) -> bool:
    """Tell whether who answered left it open, and nobody else decided."""
    if state.answered is None:
        return False
    worth = state.answered.worth
    return worth.standing in {PARTIAL, UNKNOWN} or worth.confidence == "low"


def _counts(state: Clarification, asked: str) -> bool:
    """Tell whether it is the word of a person, or of who is asked now; a person's own beyond doubt.

    Words that nobody vouches for are no answer.
    """
    word = find_word(state)
    if word is None or word.doubt == UNVERIFIED:
        return False
    if asked == PERSON:
        return word.speaker == PERSON and not word.doubt
    return word.speaker in {PERSON, asked}


def find_word(state: Clarification) -> Entry | None:
    """Return whose word a settled question came to: a person's who said it, else who answered.

    A role that settles it otherwise than was answered does so in its own name.
    """
    settled, said = state.resolution, state.decision
    if said is not None and said.speaker == PERSON:
        return said
    is_settlers = settled is not None and (settled.speaker == PERSON or _is_settlers(state))
    return settled if is_settlers else state.answered


def _find_decider(state: Clarification) -> str:
    """Return whose word it is: the person's who decided, else who answered, else who settled it."""
    word = find_word(state) or state.resolution
    return word.speaker if word is not None else ""


def _name_decider(state: Clarification, by: str = "") -> str:
    word = find_word(state) or state.resolution
    if word is None:
        return ""
    said = name_speaker(word)
    is_theirs = word.speaker == PERSON and not word.account  # who keeps a comment did not say it
    return said.replace("a person", by, 1) if by and is_theirs else said


def _name_answerer(state: Clarification) -> str:
    return name_speaker(state.answered) if state.answered is not None else state.to


def _say_other(word: Entry) -> str:
    said = preview_ends(fold_text(word.body), _CONTRARY_CHARS)
    return f"{said} ({word.doubt})" if word.doubt else said
