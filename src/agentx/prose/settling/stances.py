"""What a ruling is for and what it is against, clause by clause.

    "Switch the job queue from Kafka to Postgres, because it is there."
        for: job queue | to Postgres        against: Kafka

Pieces are parted by prepositions, so that what was chosen can be told from what it was chosen
for. Why it was ruled is no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import is_question, once_a_line
from agentx.prose.settling import stance_words as table
from agentx.prose.settling.liftings import put_lifting

Terms = frozenset[str]

_SENTENCE = compile_late(r"(?<=[.!?;])\s+|[\u3002\uff01\uff1f\uff1b\n]+")
_CLAUSE = compile_late(
    r"[,:]\s+|\s+[\u2013\u2014-]\s+"
    r"|\s+(?:so|but|then|aber|mais|pero)\s+"
    r"|\s+and\s+(?=(?:use|bump|set|drop|keep|raise|lower|put|store|move|switch|remove|make)\b)",
    re.IGNORECASE,
)
# Why, before what is ruled.
_LED = compile_late(r"(?i:\A\W*(?:(?:and|so|ok(?:ay)?)[, ]+)?now that [^,;\n]{2,80}, )")
# "X out", "X is dead", "X it is", "X then": a few words that drop or take something by name.
_NAME = (
    r"(?P<thing>(?!(?:it|that|this|they|what|and|ok|so|find|try|see)\b)"
    r"[^\s,.;]+(?: [^\s,.;]+){0,2})"
)
_DROPS = compile_late(
    rf"(?i:(?P<lead>\A|[,;] |\band )(?:{_NAME}(?: is| are)? out(?=[.,;!]|\s*\Z)"
    rf"|{_NAME.replace('thing', 'dead')} (?:is|are) (?:dead|history|off the table)\b))"
)
_TAKES = compile_late(
    rf"(?i:(?P<lead>\A|[,;] )(?:ok(?:ay)?,? |fine,? )?{_NAME} (?:then|it is)(?=[.,;!]|\s*\Z))"
)
# "X is replaced by Y": who says so replaces X.
_IS_REPLACED = compile_late(
    r"(?i:(?:the |our |der |die |das |el |la )?(?P<old>[^\s,.;:()]+(?: [^\s,.;:()]+){0,2}?) (?:"
    r"(?:(?:is|are|was|were|gets?|got|(?:has|have) been|(?:will|should|must|shall) be|to be)"
    r" )+(?:now |finally )?(?:replaced|superseded) (?:by|with) (?P<en>\S[^,.;:()]*)"
    r"|(?:wird|wurde|werden|wurden) (?:jetzt |nun )?durch "
    r"(?P<de>\S[^,.;:()]*?) (?:ersetzt|abgel\u00f6st)"
    r"|(?:es|fue|ser\u00e1|queda) (?:reemplazad|sustituid)[oa] por (?P<es>\S[^,.;:()]*)"
    r"|(?:est|sera|a \u00e9t\u00e9) remplac\u00e9e? par (?P<fr>\S[^,.;:()]*)))"
)
_CLAUSE_UNSPACED = compile_late(r"[,\uff0c\u3001\uff1a:]\s*")
_WORD = compile_late(r"#?[^\W_](?:(?:[\w'\u2019./+-]|:(?=\d))*[\w%])?%?|[$\u20ac%]")
_NUMBER = compile_late(r"\d+(?:[.,:]\d+)*")
_GLUED = compile_late(r"(\d+(?:[.,]\d+)*)([A-Za-z%]{1,3})")
_HANGUL_ENDS = compile_late(
    r"(?<=\w)(?:\uc73c\ub85c|\uc5d0\uc11c|[\uc744\ub97c\uc740\ub294\uc774\uac00\uc5d0\ub85c])\Z"
)
_HANGUL_TOPICS = ("\uc740", "\ub294")
_PARTICLES = compile_late(r"[\u306f\u3092\u306b\u3067\u306e\u3078\u3068]")
_NAMED = compile_late(r"[a-z][A-Z]|[A-Z]{2}|[\d_/`]|\w\.\w")
_SWAPS = ("swap", "exchange", "tausch")
_CHARS_MAX = 600
_CLAUSES_MAX = 12
SUBJECT = "<"  # stands before the verb


@frozen(kw_only=False)
class StancePiece:
    """Some words that belong together, and the preposition before them."""

    lead: str
    words: Terms
    count: int  # of words: names have parts
    is_named: bool


@frozen
class RuledNumber:
    """A number, and what it measures."""

    number: str
    dimension: str


@frozen
class Stance:
    """What a clause rules."""

    verb: str = ""
    kind: str = ""  # of its verb
    pieces: tuple[StancePiece, ...] = ()
    against: tuple[StancePiece, ...] = ()  # what is given up or not wanted
    measures: tuple[RuledNumber, ...] = ()
    is_denied: bool = False  # all of it
    permits: bool = False
    changes: bool = False  # it says that something was otherwise
    adds: bool = False  # beside what there is
    sentence: int = 0  # which one it is of

    @property
    def words(self) -> Terms:
        return frozenset(word for piece in self.pieces for word in piece.words)

    @property
    def named(self) -> Terms:
        """The words of all that it names."""
        return self.words.union(*(each.words for each in self.against))

    @property
    def is_exclusive(self) -> bool:
        """It was chosen among others."""
        return self.changes or bool(self.against)


@dataclass(slots=True)
class _Reading:
    """A clause while it is read."""

    language: str
    lead: str = ""
    last: str = ""  # the word before
    held: list[str] = field(default_factory=list)
    into: str = "for"
    verb: str = ""
    kind: str = ""
    pieces: list[StancePiece] = field(default_factory=list)
    against: list[StancePiece] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    is_denied: bool = False

    def close(self, lead: str = "", into: str = "") -> None:
        """End the piece that is being read, and begin another."""
        piece = _make_piece(self.lead, self.held)
        if piece is not None:
            (self.pieces if self.into == "for" else self.against).append(piece)
        self.lead, self.held = lead, []
        self.into = into or "for"


@once_a_line
def read_stances(text: str) -> tuple[Stance, ...]:
    """Return what a ruling is for and against."""
    found: list[Stance] = []
    for at, own in enumerate(_SENTENCE.split(text[:_CHARS_MAX])):
        if not own or is_question(own):
            continue
        sentence = _put_plainly(put_lifting(_LED.sub("", own)))
        language = _find_language(sentence)
        is_spaced = sentence.isascii() or max(sentence) < "\u3040"
        clauses = (_CLAUSE if is_spaced else _CLAUSE_UNSPACED).split(sentence)
        for number, clause in enumerate(clauses):
            stance = _read_clause(clause, language, is_first=number == 0)
            if stance is None:
                continue
            if number and found and not stance.pieces:  # "use X for Y, no Z": for the same
                stance = replace(stance, pieces=found[-1].pieces, kind=found[-1].kind)
            found.append(replace(stance, sentence=at))
            if len(found) == _CLAUSES_MAX:
                return tuple(found)
    return tuple(found)


def _put_plainly(sentence: str) -> str:
    """Return a sentence with what is dropped or taken in short said as a ruling says it."""
    said = _DROPS.sub(lambda m: f"{m['lead']}drop {m['thing'] or m['dead']}", sentence)
    said = _TAKES.sub(lambda m: f"{m['lead']}use {m['thing']}", said)
    return _IS_REPLACED.sub(_say_who_replaces, said) if " " in said else said


def _say_who_replaces(found: re.Match[str]) -> str:
    new = next(found[each] for each in ("en", "de", "es", "fr") if found[each])
    return f"replace {found['old']} with {new}"


def _read_clause(clause: str, language: str, *, is_first: bool) -> Stance | None:
    state = _Reading(language)
    said = ""
    for role, text in _list_marked(clause):
        if role == "reason":
            break
        said += text
        if role:
            _take_mark(state, role, text)
        else:
            for word in _WORD.finditer(text):
                _take_word(state, word[0])
    if state.into == "against" and not state.held and "not" in state.marks:
        state.is_denied = True
    state.close()
    # What follows the first clause and rules nothing says why.
    if not is_first and not (state.marks or state.kind):
        return None
    if not (state.pieces or state.against):
        return None
    return Stance(
        verb=state.verb,
        kind=state.kind,
        pieces=tuple(state.pieces),
        against=tuple(state.against),
        measures=_list_measures(said),
        is_denied=state.is_denied,
        permits="may" in state.marks and not state.is_denied,
        changes=not state.marks.isdisjoint({"now", "move", "replace", "instead", "anew"}),
        adds="also" in state.marks,
    )


def _take_mark(state: _Reading, role: str, text: str) -> None:
    state.marks.add("no" if role == "nothing" else role)
    if role in ("instead", "no", "replace", "nothing"):
        state.close(into="against")
        if role == "replace" and text.casefold().startswith(_SWAPS):
            state.marks.add("swap")
    elif role == "before":
        if not state.held and state.pieces:
            state.against.append(state.pieces.pop())
        state.into = "against"
        state.close()
    elif role == "not":
        # "pnpm, not npm": alone, it denies the next thing only.
        if text.casefold() in ("not", "nicht") and not state.is_denied:
            state.close(into="against")
        else:
            state.is_denied = True
    elif role in ("use", "anew"):
        if state.held and not (state.lead or state.kind):
            state.lead = SUBJECT
        state.close()
        state.verb, state.kind = state.verb or role, state.kind or table.CHOOSES
    elif role in ("may", "now"):
        state.close() if state.into == "against" else None


def _take_word(state: _Reading, word: str) -> None:
    lowered = word.casefold()
    _read_word(state, word, lowered)
    state.last = lowered


def _is_thing(state: _Reading, verb: str) -> bool:
    """Tell whether a word that may be a verb names something: "the upload limit"."""
    return verb in table.ALSO_THINGS and (bool(state.held) or state.last in table.ARTICLES)


def _read_word(state: _Reading, word: str, lowered: str) -> None:
    if lowered in table.PREPOSITIONS[state.language]:
        moved = "from von vom de du desde".split()
        gives_up = lowered in moved and "move" in state.marks
        if not state.held and state.into == "against":
            return
        if state.into == "against" and "swap" in state.marks:
            lowered = "to"  # "swap X for Y"
        state.close(lead=lowered, into="against" if gives_up else "")
    elif lowered == "off" and state.held:
        state.marks.add("no")
        state.into = "against"
        state.close()
    elif lowered in table.COPULAS and not state.kind:
        state.verb, state.kind = "be", "be"
        state.close(lead="=")
    elif not state.kind and lowered in table.KIND_OF_VERB and not _is_thing(state, lowered):
        state.verb, state.kind = _stem(lowered), table.KIND_OF_VERB[lowered]
        if lowered in table.MOVES_A_VALUE:
            state.marks.add("now")
        if state.held and not state.lead:
            state.lead = SUBJECT
            state.close()
    elif lowered not in table.IDLE:
        if not state.verb and not state.kind:
            state.verb = _stem(lowered)
        state.held.append(word)
        if "\uac00" <= word[-1] <= "\ud7af" and (joined := _HANGUL_ENDS.search(word)):
            if joined[0] in _HANGUL_TOPICS and not (state.lead or state.pieces):
                state.lead = SUBJECT
            state.close(into=state.into)


def _list_marked(clause: str) -> Iterator[tuple[str, str]]:
    """Yield the stretches of a clause, each with its role; plain ones have none."""
    marks = table.MARKS
    if not clause.isascii() and max(clause) >= "\u3040":
        clause = _PARTICLES.sub(_part_names, clause) if _has_kana(clause) else clause
        marks = table.MARKS_UNSPACED
    at = 0
    for found in marks.finditer(clause):
        if found.start() > at:
            yield "", clause[at : found.start()]
        yield found.lastgroup or "", found[0]
        at = found.end()
    yield "", clause[at:]


def _has_kana(text: str) -> bool:
    return any("\u3040" <= char <= "\u30ff" for char in text)


def _part_names(found: re.Match[str]) -> str:
    """Part what a particle joins, unless it is one of the letters of a word."""
    before = found.string[found.start() - 1 : found.start()]
    return f" {found[0]}" if before and not "\u3040" <= before <= "\u309f" else found[0]


def _make_piece(lead: str, held: list[str]) -> StancePiece | None:
    words: set[str] = set()
    count = 0
    for each in held:
        plain = _HANGUL_ENDS.sub("", each) if each[-1:] >= "\uac00" else each
        parts = terms(plain) | (terms(plain.replace("-", " ")) if "-" in plain else frozenset())
        if _NUMBER.fullmatch(plain):
            parts = frozenset({plain})  # a time of day is one thing
        count += bool(parts)
        words |= parts
    if not words:
        return None
    is_named = any(each[:1].isupper() or _NAMED.search(each) for each in held)
    return StancePiece(lead, frozenset(words), count, is_named)


def _list_measures(clause: str) -> tuple[RuledNumber, ...]:
    """Return the numbers of a clause with what they measure, but for those that are names."""
    words = [match[0] for match in _WORD.finditer(clause)]
    found = []
    for at, word in enumerate(words):
        after = words[at + 1].casefold() if at + 1 < len(words) else ""
        number, unit = table.NUMBER_WORDS.get(word.casefold(), ""), after
        if not number and _NUMBER.fullmatch(word):
            number = word
        elif glued := _GLUED.fullmatch(word):
            number, unit = glued[1], glued[2].casefold()
        elif word.endswith("%") and _NUMBER.fullmatch(word[:-1]):
            number, unit = word[:-1], "%"
        if not number or word.casefold() in table.IDLE:
            continue
        dimension = "clock" if ":" in number else table.DIMENSION_OF_UNIT.get(unit, "")
        if not dimension and _is_name_of(words[at - 1] if at else "", after):
            continue
        found.append(RuledNumber(number=number, dimension=dimension))
    return tuple(found)


def _is_name_of(before: str, after: str) -> bool:
    """Tell whether a number is the name of what stands before it: "topic 3"."""
    if before.casefold() in table.NUMBERED:
        return True
    is_open = not after or after in table.PREPOSITIONS["en"] or after in table.IDLE
    is_plain = before.isalpha() and before.islower()
    return is_open and is_plain and before not in table.BEFORE_VALUES


def _find_language(sentence: str) -> str:
    words = frozenset(sentence.casefold().replace(",", " ").replace(".", " ").split())
    return max(table.TELLING, key=lambda name: len(words & table.TELLING[name]))


def _stem(word: str) -> str:
    return next(iter(terms(word)), word.removesuffix("s"))
