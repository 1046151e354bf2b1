"""What a memory says that the edits of a later session made otherwise, though nobody said so.

    "batch size 128 from now on"        batch_size: 128 -> 256
        batch size 128 from now on (since then: `batch_size` is 256)

    "Sessions are in Redis"             store: redis -> store: postgres    in sessions.yml
    "Export invoices in a Sidekiq job"  gem "sidekiq" -> gem "good_job"
        are told no more

Laws: a value falls where the memory gives just the one that was replaced, for the same name or the
same thing; a word where the memory names what is set, or its file. What somebody decided is told
with what came since; what was only so, or done, is over.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from functools import lru_cache

from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import compile_late
from agentx.observations.closing.edits import DroppedLibrary, Edited, EditedValue, EditedWord
from agentx.observations.labels import LABELS, SINCE
from agentx.observations.model import Category, Observation
from agentx.observations.validity.choices.since_then import tell_since
from agentx.observations.validity.given_up import (
    Thing,
    is_spoken_against,
    list_words,
    speaks_of,
    strip_beside,
    was_for,
)
from agentx.observations.validity.resting import leave_claim, rests_on
from agentx.prose.keyphrases import terms
from agentx.prose.paces import list_paces, read_cron
from agentx.prose.settling.amounts import SetAmount, list_taken_paces, measure, read_amounts

_OF = (Category.DECISION, Category.KEY_FACT, Category.CODE_CHANGE)
_CODE = compile_late(r"\w+[_.-]\w+|[a-z]+[A-Z]\w*|[A-Z][A-Z0-9]{2,}")
_UNIT_IN_NAME = compile_late(
    r"(?i:[_.-](?P<unit>ms|millis|secs?|seconds?|s|mins?|minutes?|hours?|h|days?|kb|mb|gb|bytes"
    r"|percent)\Z)"
)
_UNITS = {"millis": "ms", "sec": "s", "secs": "s"}
_IS = r"(?:is|are|was|stays?|at|now|set|to|of|ist|sind|es|son|est|sont|\u00e9|\u00e8|s\u00e3o|sono)"
_SPELT = rf"`?(?:[\"'])?(?: ?(?:{_IS}\b|=|:|->))* ?[`\"']?"
_INTERVAL = compile_late(r"(?i:[_.-]?(?:interval|period|frequency|cadence|every))")
_EACH = compile_late(
    r"(?i:\b(?:every|each|alle|cada|toutes les|tous les|ogni|om de) "
    r"(?P<number>\d+) ?(?P<unit>[a-z]+))"
)
_WORD = compile_late(r"[^\W_]\w*")
_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
_COMMITTED = compile_late(r" \(commit |;|\n")
_CLAUSES = compile_late(r"(?i:[.,;:]\s+|\n|\s(?:and|but|und|aber|y|pero|et|mais)\s)")
_PARTS = compile_late(r"[-_.]+|(?<=[a-z0-9])(?=[A-Z])")
# What may stand before a name that is meant alone, and after its value.
_BEFORE = (
    r"(?:the|our|an?|set|use|keep|make|with|and|to|put|take|raise|lower|cut|default|please|ok|then|now"
    r"|want|is|at|of|la|el|le|die|der|das|nimm|usa|prends|mit|con|avec|und|y|et)"
)
_SCOPES = (
    r"(?:for|in|on|when|while|if|f\u00fcr|im|bei|para|en|pour|dans|sur)"
    r" (?!now\b|from\b|the (?:future|config)|all\b|every)"
)
# How a line says that something is taken, or what takes it.
_TAKES = (
    r"(?:in|with|via|through|using|by|on|onto|to|for|use|uses|take|chose|answered|choose|pick|add"
    r"|needs?|requires?|go with|mit|per|durch|nimm|nehmen|avec|par|prends|utilise\w*|con|por|usa\w*"
    r"|usiamo|utilizz\w+|nutz\w+|verwend\w+"
    r"|com|su|met)"
)
# Said of all that runs by the clock.
_TIMED = terms("cron crontab schedule schedules job jobs workflow workflows")
_NAME_CHARS_MIN = 3
_NUMBER = compile_late(r"(?<![\w.])\d+(?:\.\d+)?")
_WHY = compile_late(
    r"(?i:,? \b(?:because|since|as|although|while|when|unless|so that|after|before)\b)"
)
_SIGN = compile_late(r"[kmsg]")
_PARTS_MIN = 2  # one word is a setting of many things
_CHOSE = r"\bThe user (?:chose|answered): (?:the |a )?`?"


def may_be_edited(text: str, edited: Edited) -> bool:
    """Tell whether a memory may say something that was edited."""
    if not edited or text.startswith(LABELS):
        return False
    if any(_may_set(text, one) for one in edited.values):
        return True
    return any(_may_be_of(text, one) for one in edited.words) or any(
        _spell(one.name).search(text) for one in edited.libraries
    )


def find_edited(one: Observation, edited: Edited) -> str:
    """Return what is left of a memory after what was edited; its text if nothing of it was."""
    said = one.content
    if one.category not in _OF or one.agent == PERSON_ROLE or said.startswith(LABELS):
        return said
    for library in edited.libraries:
        said = said and _drop_library(replace(one, content=said), library)
    for word in edited.words:
        said = said and _leave_word(replace(one, content=said), word)
    for value in edited.values if said else ():
        said = _set_value(replace(one, content=said), value)
    return said


def _may_set(text: str, value: EditedValue) -> bool:
    if value.was in text or value.now in text:
        return True
    if _INTERVAL.search(value.name) and list_paces(text):
        return True
    return bool(_read_set(value) and read_amounts(text))


# --- values ---------------------------------------------------------------------------------


def _set_value(one: Observation, value: EditedValue) -> str:
    base, sign, since = one.content.partition(SINCE)
    if sign and _is_number_in(value.was, since) and _names(one, base, value):
        is_as_said = _gives(base, value.name, value.now) or _says_in_words(base, value, value.now)
        return base if is_as_said else _tell(base, value)
    if sign or not _is_replaced(one, base, value):
        return one.content
    if one.category is Category.CODE_CHANGE:
        return "" if value.path in one.files else one.content
    return _tell(base, value)


def _tell(base: str, value: EditedValue) -> str:
    # What is no unit is a type of the language: "36f".
    unit = value.unit if measure("1", value.unit)[0] else ""
    return tell_since(base, f"`{value.name}` is {value.now} {unit}".rstrip())


def _is_replaced(one: Observation, said: str, value: EditedValue) -> bool:
    """Tell whether a memory gives just the value that was replaced, for what was set."""
    if one.files and value.path not in one.files and one.category is Category.CODE_CHANGE:
        return False
    if _gives(said, value.name, value.was) or _says_in_words(said, value, value.was):
        return True
    if _recurs(said, value):
        return True
    return any(
        each.about == set_.about and each.dimension == set_.dimension and each.amount == set_.amount
        for set_ in _read_set(value)
        for each in read_amounts(_subject(one, said))
    )


def _subject(one: Observation, said: str) -> str:
    is_change = one.category is Category.CODE_CHANGE
    return _COMMITTED.split(said, maxsplit=1)[0] if is_change else strip_beside(said)


def _names(one: Observation, said: str, value: EditedValue) -> bool:
    """Tell whether a memory sets what was edited, whatever to."""
    if _CODE.fullmatch(value.name) and value.name in said:
        return True
    if any(_says_in_words(said, value, each) for each in _NUMBER.findall(said)):
        return True
    wanted = {each.about for each in _read_set(value)}
    return any(each.about in wanted for each in read_amounts(_subject(one, said)))


def _gives(said: str, name: str, number: str) -> bool:
    """Tell whether a text gives a name out of code just this value."""
    if _CODE.fullmatch(name) is None or name not in said:
        return False
    found = re.search(rf"(?<![\w.-]){re.escape(name)}{_SPELT}{re.escape(number)}(?![\w.]*\d)", said)
    return found is not None or any(
        f"(`{name}`)" in each and _NUMBER.findall(each.replace(name, "")) == [number]
        for each in _CLAUSES.split(said)
    )


def _says_in_words(said: str, value: EditedValue, number: str) -> bool:
    """Tell whether a text gives a number in plain words, and of nothing else: "batch size 128"."""
    parts = _list_parts(value.name)
    parts = parts[1:] if _SIGN.fullmatch(parts[0]) else parts  # `kUndoDepth`
    if len(parts) < _PARTS_MIN:
        return False
    name = " ".join(map(re.escape, parts))
    found = re.search(
        rf"(?:\A|[.,;:!(] ?|\b{_BEFORE} ){name}{_SPELT}{re.escape(number)}(?!\.?\d)(?!\w)"
        rf"(?! {_SCOPES})",
        said,
        re.IGNORECASE,
    )
    return found is not None and value.unit.lower() in (
        "",
        *said[found.end() :].lower().split()[:1],
    )


def _recurs(said: str, value: EditedValue) -> bool:
    """Tell whether a text says that something is done each time that a setting names."""
    if not _INTERVAL.search(value.name) or not _is_plain(value.was):
        return False
    name, unit = _part_unit(value)
    dimension, amount = measure(value.was, unit)
    of = {each.casefold() for each in _list_parts(_INTERVAL.sub("", name))}
    # Where its name says no more, its file says of what: `INTERVAL_MIN` in `SyncWorker.kt`.
    stem = posixpath.basename(value.path).partition(".")[0]
    any_of = {each.casefold() for each in _list_parts(stem)} if not of else set()
    if dimension != "time" or not (of or any_of):
        return False
    for sentence in _SENTENCE.split(said):
        held = {part.casefold() for word in _WORD.findall(sentence) for part in _split(word)}
        if (of and of <= held) or not any_of.isdisjoint(held):
            found = (measure(match["number"], match["unit"]) for match in _EACH.finditer(sentence))
            paces = {each.seconds for each in list_taken_paces(sentence)}
            if (dimension, amount) in found or paces == {amount}:
                return True
    return False


def _split(word: str) -> list[str]:
    """Return a word, and the parts of a name out of code."""
    return [word, *_list_parts(word)]


def _is_number_in(number: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(number)}(?!\.?\d)", text) is not None


@lru_cache(maxsize=200)
def _read_set(value: EditedValue) -> tuple[SetAmount, ...]:
    """Return what was set before, as somebody would say it."""
    name, unit = _part_unit(value)
    dimension, amount = measure(value.was, unit) if _is_plain(value.was) else ("", 0.0)
    read = read_amounts(f"{name} is {value.was}") if _is_plain(value.was) else ()
    return tuple(replace(each, amount=amount, dimension=dimension) for each in read)


def _part_unit(value: EditedValue) -> tuple[str, str]:
    """Return the name of a setting without the unit that it ends with, and that."""
    found = _UNIT_IN_NAME.search(value.name)
    unit = value.unit or (found["unit"].lower() if found else "")
    return value.name[: found.start()] if found else value.name, _UNITS.get(unit, unit)


def _is_plain(number: str) -> bool:
    return number.replace(".", "", 1).isdigit()


# --- words ----------------------------------------------------------------------------------


def _may_be_of(text: str, word: EditedWord) -> bool:
    low = text.casefold()
    return word.was.casefold() in low or f"`{word.name}`" in text or _is_paced(word, text)


def _is_paced(word: EditedWord, text: str) -> bool:
    """Tell whether a text says in words how often something came, which comes otherwise now."""
    was = read_cron(word.was)
    return bool(was) and was != read_cron(word.now) and was in _list_seconds(text)


def _list_seconds(text: str) -> set[float]:
    return {each.seconds for each in list_paces(text)}


def _leave_word(one: Observation, word: EditedWord) -> str:
    base, sign, since = one.content.partition(SINCE)
    if sign and since.startswith(f"`{word.name}` is {word.was})"):
        is_back = read_cron(word.now) in _list_seconds(base)
        is_as_said = is_back or _spell(word.now).search(base)
        return base if is_as_said else _tell_word(base, word)
    is_paced = any(_is_of_paced(word, each) for each in _CLAUSES.split(base))
    found = _spell(word.was).search(base)
    if is_paced or (found and " " in word.was and _shares_scope(word, base)):
        is_change = one.category is Category.CODE_CHANGE  # when something runs: called by no other
        return one.content if sign or is_change else _tell_word(base, word)
    if found is None or not _shares_scope(word, base):
        return one.content
    thing = Thing(list_words(found[0]), is_name=True, said=found[0])
    if _is_of_library(thing, one, base):
        return _leave_rest(thing, one)
    if sign or one.category is not Category.DECISION or not _takes(thing, base):
        return one.content
    return _tell_word(base, word)


def _is_of_paced(word: EditedWord, clause: str) -> bool:
    return _is_paced(word, clause) and _shares_scope(word, clause)


def _shares_scope(word: EditedWord, text: str) -> bool:
    return not _list_scope(word).isdisjoint(terms(text))


def _tell_word(base: str, word: EditedWord) -> str:
    return tell_since(base, f"`{word.name}` is {word.now}")


@lru_cache(maxsize=200)
def _list_scope(word: EditedWord) -> frozenset[str]:
    """Return the words by which somebody says of what a setting is: of its name and its file."""
    said = " ".join((*_list_parts(word.name), *_PARTS.split(word.path.replace("/", "-"))))
    return terms(said) - terms(word.was) - terms(word.now) - _TIMED


# --- libraries ------------------------------------------------------------------------------


def _drop_library(one: Observation, library: DroppedLibrary) -> str:
    base, sign, since = one.content.partition(SINCE)
    name = f"`{library.name}`"
    if library.is_back:
        return base if sign and since.startswith(f"{name} is ") else one.content
    found = _spell(library.name).search(base)
    if found is None or len(library.name) < _NAME_CHARS_MIN:
        return one.content
    thing = Thing(list_words(found[0]), is_name=True, said=found[0], is_removed=True)
    if _is_of_library(thing, one, base):
        return _leave_rest(thing, one)
    if sign or one.category is not Category.DECISION or not _takes(thing, base):
        return one.content
    return tell_since(base, f"{name} is no longer in {library.path or 'use'}")


def _leave_rest(thing: Thing, one: Observation) -> str:
    """Return what a fact says beside a library, with what was edited of it since."""
    if one.category is not Category.KEY_FACT:
        return ""
    base, sign, since = one.content.partition(SINCE)
    rest = leave_claim((thing,), base)
    return f"{rest.rstrip('. ') if sign else rest}{sign}{since}" if rest else ""


def _is_of_library(thing: Thing, one: Observation, said: str) -> bool:
    """Tell whether a memory says no more than that a library was chosen, or is in use."""
    if one.category is Category.DECISION:
        return re.search(rf"{_CHOSE}{re.escape(thing.said)}(?=\W|\Z)", said) is not None
    if one.category is Category.CODE_CHANGE:
        return _takes(thing, _subject(one, said))
    said = _WHY.split(said, maxsplit=1)[0]
    return (
        was_for(thing, said, one.category)
        or speaks_of(thing, said, one.category)
        or rests_on((thing,), said, one.category)
    )


def _takes(thing: Thing, text: str) -> bool:
    """Tell whether a line takes a library, or is about it, and is not against it."""
    name = re.escape(thing.said)
    for sentence in _SENTENCE.split(strip_beside(text)):
        taken = re.search(rf"\b{_TAKES}:? (?:an? |the |our )?`?{name}\b", sentence, re.IGNORECASE)
        leads = re.match(rf"\W*(?:[Tt]he )?`?{name}\b", sentence)
        if (taken or leads) and not is_spoken_against(sentence, thing):
            return True
    return False


@lru_cache(maxsize=500)
def _spell(name: str) -> re.Pattern[str]:
    """Return how people write the name of a library: "good_job" is GoodJob."""
    parts = map(re.escape, _list_parts(name))
    return re.compile(rf"(?<![\w-])(?:{'[-_ .]?'.join(parts)})(?![\w-]|\.\w)", re.IGNORECASE)


def _list_parts(name: str) -> list[str]:
    return [each for each in _PARTS.split(name) if each]
