"""How much a sentence tells, and what kind of thing.

A sentence is worth remembering when it carries a decision, a change, a problem with its
cause, an outcome, or an answer. It is not when it greets, announces what will be looked at
next, or asks whether to go on. Its words tell how much (`cues`): a sentence with words of
several kinds weighs as the first that is looked for, and one in a language without such words
by what is in it. What it tells is said by `kinds`.

Weights are whole numbers and are only compared with one another.
"""

from __future__ import annotations

from agentx.conversation.extract.kinds import find_kind
from agentx.conversation.extract.thoughts import Thought
from agentx.conversation.toc_model import BulletKind
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.sentences import Block, Sentence, is_question, once_a_line, words
from agentx.prose.settling.rulings import rules_out

# Below this a thought is not worth a line of its own beside another, or beside a few.
WORTH_A_LINE = 70
WORTH_ANOTHER_LINE = 76

_WEIGHT = {
    BulletKind.DECISION: 56,
    BulletKind.PROBLEM: 60,
    BulletKind.OUTCOME: 60,
    BulletKind.CHANGE: 58,
    BulletKind.ANSWER: 60,
    BulletKind.REQUEST: 42,
    BulletKind.QUESTION: 38,
    BulletKind.FACT: 25,
}
# Of a thought, beside what it names.
_TELLS = {
    BulletKind.DECISION: 14,
    BulletKind.PROBLEM: 18,
    BulletKind.OUTCOME: 18,
    BulletKind.CHANGE: 20,
    BulletKind.OPEN: 32,
    BulletKind.ANSWER: 20,
    BulletKind.REQUEST: 6,
    BulletKind.QUESTION: 0,
    BulletKind.FACT: 2,
}
_CLOSES = 22  # the reply that ends an exchange says what came of it
_DECIDED = 42  # a decision is told even where it names nothing out of code
_SETTLED = 30  # by who may
_SETTLES = 14  # in so many words
_TERMS_MIN = 4
_STRONG = 34  # for words that leave no doubt
_CUES = (
    (BulletKind.OUTCOME, cues.CONCLUDES),  # first: how it ended counts more than what was wrong
    (BulletKind.PROBLEM, cues.COMPLAINS),
    (BulletKind.CHANGE, cues.CHANGES),
    (BulletKind.DECISION, cues.PRESCRIBES),
)

_SPECIFIC = compile_late(
    r"`[^`]+`|\b\w+_\w+\b|\b\w+\.[a-z]{1,4}\b|\b\d+(?:\.\d+)?\s?(?:%|[mun]?s\b|x\b|[KMG]B\b)"
)
_SYMBOLS = compile_late(r"[{}();=<>|\\$\[\]~^]")
_ASSIGNS = compile_late(r"\w\s?:?=\s?['\"\w]")


@frozen(kw_only=False)
class Judgement:
    """What a sentence tells and how much."""

    kind: BulletKind
    weight: int
    about: frozenset[str] = frozenset()  # its terms, where they were asked for


def judge(sentence: Sentence, *, by_user: bool) -> Judgement:
    """Weigh a sentence by itself."""
    weight = _judge(sentence, _shape(sentence), by_user=by_user).weight
    return Judgement(find_kind(sentence.text, by_user=by_user), weight)


def _judge(sentence: Sentence, unshapely: int, *, by_user: bool) -> Judgement:
    text = sentence.text
    kind, weight = _weigh_words(text, by_user=by_user)
    weight += min(len(_SPECIFIC.findall(text)), 3) * 5
    weight -= _noise(text, by_user=by_user)
    weight -= unshapely
    if by_user:
        # What a user says counts more, except for the points of a plan that was pasted.
        weight += -10 if sentence.block is Block.ITEM else 10 * (kind is not BulletKind.REQUEST)
    return Judgement(kind, weight)


def weigh(thought: Thought, *, by_user: bool, closes: bool, worked: bool = True) -> Judgement:
    """Weigh a thought: by what it tells, how specific it is, and whether a reply ended with it."""
    shapes = [_shape(part) for part in thought.parts]
    cue, best = _weightiest(thought, shapes, by_user=by_user)
    kind = find_kind(best.text, by_user=by_user, worked=worked)
    if not by_user and cues.LEAVES_OPEN.search(thought.text):
        cue = BulletKind.OPEN
        kind = cue if any(is_open(part.text) for part in thought.parts) else kind
    strong = cues.DECIDES.search(thought.text) or cues.EXPLAINS.search(thought.text)
    weight = _TELLS[cue] + (_SETTLES if strong else 0)
    decided = cues.DECIDED.search(thought.text) is not None
    settled = by_user and kind is BulletKind.DECISION
    decided = decided or (settled and (rules_out(best.text) or is_reversal(best.text)))
    weight += _DECIDED if decided else _SETTLED if settled else 0
    weight += 8 * min(len(set(code_names(thought.text))), 3)
    about = terms(thought.text)
    weight += 2 * min(len(about), 15) - (30 if len(about) < _TERMS_MIN and not decided else 0)
    weight += _CLOSES if closes else 0
    weight -= max(shapes)
    said = thought.text.replace("\u2019", "'")
    weight -= 8 if cues.DOUBTS.search(said) else 0
    weight -= 40 if cues.PASSES.search(said) else 0
    if not by_user:
        weight -= 30 if cues.NARRATES.search(said) else 0
    return Judgement(kind, weight, about)


def _weightiest(
    thought: Thought, shapes: list[int], *, by_user: bool
) -> tuple[BulletKind, Sentence]:
    """Return the weightiest sentence of a thought, and by which words it weighs."""
    first = thought.parts[0]
    if len(thought.parts) == 1:
        return _weigh_words(first.text, by_user=by_user)[0], first
    judged = [
        (_judge(part, unshapely, by_user=by_user), part)
        for part, unshapely in zip(thought.parts, shapes, strict=True)
    ]
    best, part = max(judged, key=lambda one: one[0].weight)
    return best.kind, part


@once_a_line
def is_open(text: str) -> bool:
    """Tell whether a sentence of an agent says that something is left."""
    return find_kind(text, by_user=False) is BulletKind.OPEN


def is_reversal(text: str) -> bool:
    """Tell whether a line takes an earlier one back."""
    return cues.TAKES_BACK.search(text) is not None


def is_courtesy(text: str) -> bool:
    """Tell whether a line is politeness, or asks whether to go on."""
    return cues.COURTESY.match(text) is not None


def _weigh_words(text: str, *, by_user: bool) -> tuple[BulletKind, int]:
    """Return what the words of a sentence weigh, and by which of them."""
    if is_question(text):
        return BulletKind.QUESTION, _WEIGHT[BulletKind.QUESTION]
    if cues.DECIDES.search(text):
        return BulletKind.DECISION, _WEIGHT[BulletKind.DECISION] + _STRONG
    if cues.EXPLAINS.search(text):
        return BulletKind.PROBLEM, _WEIGHT[BulletKind.PROBLEM] + _STRONG
    for kind, cue in _CUES:
        if cue.search(text):
            return kind, _WEIGHT[kind]
    silent = BulletKind.REQUEST if by_user else BulletKind.FACT
    return silent, _WEIGHT[silent]


def _noise(text: str, *, by_user: bool) -> int:
    if cues.COURTESY.match(text):
        return 70
    if not by_user and cues.ANNOUNCES.match(text):
        return 45
    if not by_user and cues.INTENDS.match(text):
        return 22
    return 8 if cues.DOUBTS.search(text) else 0


def _shape(sentence: Sentence) -> int:
    """Return what is taken off for not being a sentence that can stand alone."""
    text = sentence.text
    count = words(text)
    less = 0
    if count < 4:
        less += 35
    elif count < 6:
        less += 12
    if text.endswith((":", "\uff1a")):
        less += 45  # it leads to what follows, which is not here
    if sentence.block is Block.HEADING:
        less += 25
    if cues.LEANS.match(text):
        less += 8
    if cues.LOGS.search(text):
        less += 45
    if len(_SYMBOLS.findall(text)) * 8 > len(text) or len(_ASSIGNS.findall(text)) > 1:
        less += 40  # code, not prose
    return less
