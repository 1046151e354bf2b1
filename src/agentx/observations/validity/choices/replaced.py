"""What a commit or a person takes instead of something that has no name of its own.

    "Row level security instead of middleware and policies (commit 4444ddd)"
        "The user chose: middleware; ..."                      chosen was just that
        "the middleware for lists, policies for objects"       of all that was left
        "Check lists in the middleware (commit 3333ccc)"       in the same file

A plain word is no name: it takes down only what chose it and nothing else, what is of all that
is named, and what a commit did with it in a file that is changed now.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.model import Category
from agentx.observations.validity.given_up import is_said_by_user
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.keyphrases import terms

Terms = frozenset[str]

_LEADS = r"(?:(?:the|a|an|our|all|old|any|both|der|die|das|den|el|la|los|le|les|des|il|lo)\s+)*"
_WORD = r"(?:`[^`\n]{1,40}`|[^\W\d][\w-]*)"
_PART = (
    rf"{_LEADS}{_WORD}(?: (?!and |or |und |by |with |for |in |to |et |y |e |as |on ){_WORD}){{0,2}}"
)
_LEFT = compile_late(
    rf"(?i:\b(?:instead of|rather than|in place of|statt|anstelle von|au lieu de|en lugar de"
    rf"|invece d[ie])\s+(?P<left>{_PART}(?:(?:, | and | or | und | et | y | e ){_PART})*)"
    rf"|\b(?:replac(?:e|es|ed)|ersetz(?:e|t)|remplace|reemplaza|sostituisc\w+)\s+(?P<old>{_PART}"
    rf"(?:(?:, | and | und | et | y | e ){_PART})*)\s+(?:by|with|durch|par|por|con)\b)"
)
# "Mirrors: one share instead of three disks": of what, and what is taken.
_SWAPPED = compile_late(
    rf"(?i:(?P<of>[^:;\n]{{2,40}}?) ?: {_LEADS}(?P<taken>[^:,.;\n]{{2,40}}?)"
    r" (?:instead of|rather than|in place of|statt|anstelle von|au lieu de|en lugar de"
    r"|invece d[ie]) )"
)
_JOINED = compile_late(r"(?i:, | and | or | und | et | y | e )")
_CHOSEN = compile_late(
    r"(?i:\bThe user (?:chose|answered): "
    r"(?:(?:yes|ok(?:ay)?|the|a|an|go with|use|take|let'?s|do)[, ]+)*"
    r"(?P<chosen>[^,.;:\n]{2,40}?)(?: then| it is| please)?(?=[,.;:\n]|\Z)"
    r"|\AThe user said: (?:ok(?:ay)?|yes|fine|alright|vale|gut|ja|bien|s\u00ed|oui|d'accord), "
    r"(?P<agreed>[\w.@+/`-]+)(?: then| it is| please)?(?=[,.;:\n]|\Z)"
    r"|\b(?:let'?s|lass uns|vamos con|allons pour) (?:do|use|take|try|go with|go for|have)? ?"
    r"(?:the |a |an )?(?P<lets>[^,.;:\n]{2,40}?)(?: then| instead| please)?(?=[,.;:\n]|\Z))"
)
_MEANS = compile_late(
    r"(?i:\b(?:in|with|by|via|using|through|mit|per|durch|avec|par|con) (?:an? |the |our |einer? )?"
    r"(?P<means>[\w-]+(?: [\w-]+)?))"
)
_COMMITTED = compile_late(r" \(commit |;|\n")
_CHOSEN_WORDS_MAX = 3


def may_replace_plainly(text: str) -> bool:
    """Tell whether a text names what something is taken instead of."""
    return _LEFT.search(text) is not None


def replaces_plainly(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether all that the older one chose or did is named as left."""
    if new.of.at_ms <= old.of.at_ms or new.of.session_id == old.of.session_id != "":
        return False
    is_commit = new.of.category is Category.CODE_CHANGE and "(commit " in new.of.text
    if not (is_commit or is_said_by_user(new.of.text)):
        return False
    parts = _list_left(new.text)
    is_fact = old.of.category is Category.KEY_FACT and is_said_by_user(old.of.text)
    if is_fact or old.of.category is Category.DECISION:
        return _is_chosen(parts, old) or (len(parts) > 1 and _is_of_all(parts, old))
    if old.of.category is not Category.CODE_CHANGE or not is_commit:
        return False
    if _swaps_again(parts, new, old):
        return True
    return not frozenset(new.of.files).isdisjoint(old.of.files) and _is_means(parts, old)


def _swaps_again(parts: list[Terms], new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a commit leaves just what an older one took for the same thing."""
    now, then = (_SWAPPED.match(each.text) for each in (new, old))
    if now is None or then is None or terms(now["of"]) != terms(then["of"]):
        return False
    return terms(then["taken"]) in parts


def _list_left(text: str) -> list[Terms]:
    """Return the words of each thing that something is taken instead of."""
    subject = _COMMITTED.split(text, maxsplit=1)[0]
    named = (match["left"] or match["old"] for match in _LEFT.finditer(subject))
    return [words for said in named for part in _JOINED.split(said) if (words := terms(part))]


def _is_chosen(parts: list[Terms], old: ComparedMemory) -> bool:
    """Tell whether the older one chose one of these, and nothing else."""
    found = _CHOSEN.search(old.of.text)
    said = next(filter(None, found.groups()), "") if found else ""
    chosen = terms(said)
    if not chosen or len(chosen) > _CHOSEN_WORDS_MAX:
        return False
    return any(part <= chosen or chosen <= part for part in parts)


def _is_of_all(parts: list[Terms], old: ComparedMemory) -> bool:
    return is_said_by_user(old.of.text) and all(part <= old.said for part in parts)


def _is_means(parts: list[Terms], old: ComparedMemory) -> bool:
    """Tell whether a commit did something by means of one of these."""
    subject = _COMMITTED.split(old.text, maxsplit=1)[0]
    means = [terms(match["means"]) for match in _MEANS.finditer(subject)]
    return any(held and (held <= part or part <= held) for part in parts for held in means)
