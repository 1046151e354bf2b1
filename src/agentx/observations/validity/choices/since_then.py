"""What a ruling says of a part of an older memory: the rest of it stands, and is told with it.

    "Quarantine for 30 days: moved to the bucket"    "30 days quarantine is too long, 14 max"
    "always run phpstan before a commit, level 6"    "phpstan level 6 is silly, 5 is enough"
    "The user approved a plan: presigned PUT URLs"   "presigned POST instead of PUT, because ..."
    "the drift check runs hourly and a full one ..." "the hourly check is noisy, daily is enough"

Laws: it names the old value and what it is of, and gives another one; of a plan it names what was
taken instead. What says nothing but the old value is replaced by other rules.
"""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.labels import SINCE
from agentx.observations.model import Category
from agentx.observations.validity.given_up import is_said_by_user
from agentx.observations.validity.reading import Comparable
from agentx.prose.keyphrases import terms
from agentx.prose.paces import list_paces
from agentx.prose.sentences import is_question, shorten
from agentx.prose.settling.amounts import list_taken_paces, read_paced

_NUMERAL = r"\d+(?:[.,]\d+)?"
_TOO = (
    r"(?:(?:is|are|was|gets?|ist|sind|war|es|son|est|sont|'s) )?"
    r"(?:(?:getting|now|far|way|much|really|just|a bit|a little|etwas|viel|doch|ya) )*"
    r"(?:too \w+|not enough|silly|overkill|nonsense|excessive|pointless|zu (?:lang|kurz|viel|wenig"
    r"|hoch|niedrig|grob|streng|gro\u00df|klein)\w*|zuviel|\u00fcbertrieben|demasiad[oa]s?"
    r"|muy (?:poco|larg[oa]|alt[oa]|baj[oa]|cort[oa])|insuficiente|trop \w+|pas assez)"
)
_REJECTED = compile_late(
    rf"(?i:(?<![\w.#/-])(?P<old>{_NUMERAL})(?![\w.])(?P<of>[^.;:\d\n]{{0,40}}?)[ ,]{_TOO}"
    rf"(?P<rest>[^\n]{{0,160}}))"
)
_SET = compile_late(rf"(?<![\w.#/-])(?P<new>{_NUMERAL})(?![\w.]\d)")
_FOR = ("instead of", "rather than", "statt", "en lugar de", "au lieu de")
_INSTEAD = compile_late(
    rf"(?P<said>(?P<taken>[\w`*-]+(?: [\w`*-]+){{0,4}}) (?:{'|'.join(_FOR)})"
    r" (?:the |a |an )?(?P<left>[\w`*-]+))"
)
_NUMBERS = compile_late(_NUMERAL)
_CAPITALS = compile_late(r"(?<![\w-])[A-Z]{2,}(?![\w-])")
_PLAN = "The user approved a plan: "
_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = compile_late(r"[,;]\s+(?:and |so |und |y |et )?")
_SAID = compile_late(r"\AThe user (?:said|asked|reported): ")
_AND = compile_late(r"(?i:[,;:]\s+|\s(?:and|but|und|aber|y|pero|et|mais)\s)")
_SAID_CHARS = 90
_OF = (Category.DECISION, Category.KEY_FACT)
_UNITS = terms("day days week weeks hour hours minute minutes min second seconds ms mb gb kb tage")


def may_change_part(one: Comparable) -> bool:
    """Tell whether a memory may change a part of an older one."""
    return _rejects_part(one.text)


# The same memories are asked with every session that is captured.
@lru_cache(maxsize=1_500)
def _rejects_part(text: str) -> bool:
    by_user = is_said_by_user(text) and bool(_REJECTED.search(text) or list_paces(text))
    # The words themselves are found far faster than what stands around them.
    return by_user or (any(map(text.__contains__, _FOR)) and bool(_INSTEAD.search(text)))


def find_since(new: Comparable, old: Comparable) -> str:
    """Return what a newer memory says of a part of an older one; empty where nothing."""
    if new.at_ms <= old.at_ms or SINCE in old.text or old.category not in _OF:
        return ""
    if old.text.startswith(_PLAN):
        return _find_taken(new, old)
    if not is_said_by_user(new.text):
        return ""
    return _find_set(new, old) or _find_pace(new.text, old.text)


def tell_since(content: str, said: str) -> str:
    """Return a memory with what was said of a part of it since."""
    return f"{content.rstrip('.; ')}{SINCE}{shorten(said.rstrip('. '), _SAID_CHARS)})"


def _find_set(new: Comparable, old: Comparable) -> str:
    """Return the words that give another value than one of the older one, which is called wrong."""
    for sentence in _SENTENCE.split(_SAID.sub("", new.text)):
        found = _REJECTED.search(sentence)
        given = _SET.search(found["rest"]) if found else None
        if found is None or given is None:
            continue
        numbers = _NUMBERS.findall(old.text)
        if found["old"] not in numbers or given["new"] in numbers or given["new"] == found["old"]:
            continue
        about = {each for each in terms(sentence) if not each[0].isdigit()} - _UNITS
        if about & terms(old.text):
            return next(each for each in _CLAUSE.split(found["rest"]) if given["new"] in each)
    return ""


def _find_pace(new: str, old: str) -> str:
    """Return the words that have something done at another pace than the older one says.

    They name the old pace beside the new one, or what just that is done to.
    """
    then = [each for each in _split_clauses(old) if list_paces(each)]
    if not then:
        return ""
    for sentence in _SENTENCE.split(_SAID.sub("", new)):
        taken = list_taken_paces(sentence)
        if is_question(sentence) or not taken:
            continue
        now, named = taken[-1].seconds, {each.seconds for each in list_paces(sentence)}
        about, called = read_paced(sentence), _list_called(sentence)
        for clause in then:
            was = {each.seconds for each in list_taken_paces(clause)}
            if len(was) != 1 or now in was:
                continue
            same = read_paced(clause)
            is_named = bool(about & same or any(map(clause.lower().split().__contains__, called)))
            if (is_named and was <= named) or (about and about == same):
                return _tell_pace(sentence)
    return ""


def _list_called(sentence: str) -> list[str]:
    """Return what is called by its pace: "the hourly check"."""
    behind = (sentence[each.end :].lower().split()[:1] for each in list_paces(sentence))
    return [word for words in behind for word in words]


def _tell_pace(sentence: str) -> str:
    """Return the clause that says how often, or all that was said."""
    clauses = [each for each in _CLAUSE.split(sentence) if list_taken_paces(each)]
    return clauses[-1] if clauses else sentence


def _split_clauses(text: str) -> list[str]:
    return [part for each in _SENTENCE.split(_SAID.sub("", text)) for part in _AND.split(each)]


def _find_taken(new: Comparable, old: Comparable) -> str:
    """Return what was taken instead of something that a plan names."""
    if is_said_by_user(new.text) and new.category is not Category.DECISION:
        return ""
    held = _name_words(old.text)
    for found in _INSTEAD.finditer(new.text):
        left, taken = _name_words(found["left"]), _name_words(found["taken"])
        if left and left <= held and taken & held and not taken <= held:
            return found["said"].replace("*", "").strip()
    return ""


@lru_cache(maxsize=500)
def _name_words(text: str) -> frozenset[str]:
    """Return the words that a text is about, and what is written in capitals: `PUT`."""
    return terms(text).union(_CAPITALS.findall(text))
