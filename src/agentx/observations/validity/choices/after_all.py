"""What the user takes instead, for a thing that is named: its earlier choice falls.

    "git-cliff for the changelog after all"      "`CHANGELOG.md` is written by hand"
    "we moved the dev server to 9090"            "Dev server is on port 8080"

Only a short earlier line of just that thing falls: what says more stands.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.model import Category
from agentx.observations.validity.given_up import is_said_by_user
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.keyphrases import terms

_AFTER_ALL = compile_late(
    r"(?i:(?:\A|[:.;,!]\s+|\b(?:and|but|ok) )(?P<taken>[^\s,.;:]+(?: [^\s,.;:]+){0,3}?) "
    r"(?:for|as|f\u00fcr|para|pour) (?:the |our |das |den |die |el |la |le )?"
    r"(?P<thing>[^\s,.;:]+(?: [^\s,.;:]+){0,2}?),? "
    r"(?:after all|instead|doch|al final|finalement)\b)"
)
# "`--json` should be one document after all": takes back what was chosen for it.
_SHOULD_BE = compile_late(
    r"(?i:(?:\A|[:.;,!]\s+|\b(?:and|but|ok) )(?:the |our )?"
    r"(?P<thing>[^\s,.;:]+(?: [^\s,.;:]+){0,2}?) "
    r"(?:should|must|soll(?:te)?|debe) (?:be|use|take|sein|ser) (?P<taken>[^,.;:]{2,40}?)"
    r" (?:after all|instead|doch|al final|finalement)\b)"
)
_CHOSEN = "The user chose: "
_MOVED = compile_late(
    r"(?i:\bwe(?:'ve| have)? (?:moved|changed|switched|put) (?:the |our )?"
    r"(?P<thing>[^\s,.;:]+(?: [^\s,.;:]+){0,3}?) (?:over )?(?:to|onto) "
    r"(?:port )?(?P<number>\d[\w.]*))"
)
_NUMBER = compile_late(r"\b\d[\w.]*")
_MORE_MAX = 4  # words that the earlier line says beside the thing
_MORE_OF_CHOSEN_MAX = 8


def may_turn_round(text: str) -> bool:
    """Tell whether a text takes something else for a thing that it names."""
    return any(form.search(text) for form in (_AFTER_ALL, _SHOULD_BE, _MOVED))


def turns_round(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether the user took something else for just what the older one is about."""
    if not is_said_by_user(new.of.text) or new.of.at_ms <= old.of.at_ms:
        return False
    if old.of.category not in (Category.DECISION, Category.KEY_FACT):
        return False
    moved = _MOVED.search(new.text)
    if moved:
        numbers = set(_NUMBER.findall(old.text))
        is_brief = _is_of(moved["thing"], old, _MORE_MAX)
        return is_brief and len(numbers) == 1 and moved["number"] not in numbers
    found = _AFTER_ALL.search(new.text) or _SHOULD_BE.search(new.text)
    if found is None or old.of.category is not Category.DECISION:
        return False
    is_other = not terms(found["taken"]) & old.said
    # What was chosen is told with the words of its option.
    more_max = _MORE_OF_CHOSEN_MAX if _CHOSEN in old.of.text else _MORE_MAX
    return is_other and _is_of(found["thing"], old, more_max)


def _is_of(thing: str, old: ComparedMemory, more_max: int) -> bool:
    about = terms(thing)
    return bool(about) and about <= old.said and len(old.said - about) <= more_max
