"""What the user said that was asked of them, and whether somebody waited for came."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.text import compile_late
from agentx.observations.closing.doings import CLAUSE, Deeds
from agentx.observations.closing.lapsed import NOT_YET
from agentx.observations.extract.left.asking import OPTIONS
from agentx.observations.extract.left.last_words import read_awaited
from agentx.observations.extract.left.open_list import read_open_list
from agentx.observations.extract.left.settled import UNDONE
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage, share_alike
from agentx.prose.sentences import is_question

_ANSWERS = 0.5  # of the words of a question, those of who answers it
_BRIEF_MAX = 3  # words of an answer that says no more than what is chosen
_EITHER = compile_late(r"(?i:,? (?:or|oder|ou|o) )")
_NAME = compile_late(r"(?<![^\W_])[A-Z\u00c0-\u00dd][^\W_]+")
_WORD = compile_late(r"[^\W_]+")
_SUBJECT_WORDS = 3
_ABOUT_MIN = 2


def is_answered(own: str, deeds: Deeds) -> bool:
    """Tell whether the user said what was asked: most of it, or one of what there was to choose."""
    options = OPTIONS.search(own)
    asked = OPTIONS.sub("", own)
    choices = options[1].split(" / ") if options else _EITHER.split(asked)
    about = terms(asked) - UNDONE
    if any(_picks(clause, about) for clause in _list_clauses(deeds)):
        return True
    for said in deeds.spoken:
        if len(about & said) >= _ABOUT_MIN and coverage(about, said) >= _ANSWERS:
            return True
        for choice in map(terms, choices if len(choices) > 1 else ()):
            is_brief = len(said) <= _BRIEF_MAX
            if choice and choice <= said and (is_brief or len(choice) >= _ABOUT_MIN):
                return True
    return False


def _list_clauses(deeds: Deeds) -> Iterator[str]:
    for answer in deeds.answers:
        for clause in CLAUSE.split(answer.text):
            if clause and not is_question(clause):
                yield clause


def _picks(clause: str, about: frozenset[str]) -> bool:
    """Tell whether a clause holds nothing but words of a question, and some that pick: a figure."""
    said = terms(clause) - UNDONE
    has_figure = any(char.isdigit() for char in clause)
    return bool(said) and said <= about and (has_figure or len(said) >= _ABOUT_MIN)


def has_come(own: str, deeds: Deeds) -> bool:
    """Tell whether somebody says of whom, or what, something waited for that they came."""
    awaited = read_awaited(own)
    if not awaited or len(read_open_list(awaited).items) > 1:
        return False
    wanted = terms(awaited) - UNDONE
    names = frozenset(match[0].casefold() for match in _NAME.finditer(awaited))
    for clause in _list_clauses(deeds):
        if NOT_YET.search(clause):
            continue
        first = " ".join(clause.split()[:_SUBJECT_WORDS])
        subject = frozenset(match[0].casefold() for match in _WORD.finditer(first))
        held = share_alike(wanted, terms(clause))
        if names & subject or len(held) > max(1, len(wanted) // 2):
            return True
    return False
