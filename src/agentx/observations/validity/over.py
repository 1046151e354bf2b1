"""What is over with something else: with a thing that was removed, with an issue that was closed.

"Cypress keeps a video of each run"             "remove Cypress (commit 1a2b3c4)"
"The remaining clue: the list is empty"         "Close #26", of the same issue
"...; the retry half (5 tries, 30 s) stands"    "Retry policy (reverses the retry half of 3)"
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.model import Category
from agentx.observations.validity.given_up import Thing, is_said_by_user, list_removed, speaks_of
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.cues import anywhere
from agentx.prose.keyphrases import terms
from agentx.prose.settling.libraries import find_raiser, list_libraries

# What is said by who looks for the cause of something, and is over when it was found.
_HUNTS = anywhere(
    r"""
    clues? | suspects? | (?:did not|didn'?t|cannot|can'?t|could not) reproduce | ruled out
    if it (?:comes back|shows up|happens again|returns) | so (?:it is |it'?s )?not
    of (?:\d+ )?runs | still (?:fails?|flaky)
    """
)
_STANDS = compile_late(
    r"(?i:\bthe ([^,.;:()\n]{2,40}?)(?: \([^)\n]*\))? (?:stands|stays|holds|remains|is kept)\b)"
)
_WORKED = compile_late(r"` worked\W*\Z")
_PATH = compile_late(r"(?<=\s)[\w.@+-]*/[\w./@+\u2026-]*|(?<=\s)[\w@+-]+\.[A-Za-z]\w{0,5}\b")
_CODE = compile_late(r"`([^`\n]{2,80})`")
_IS_PATH = compile_late(r"/|\w\.[a-z]\w{0,5}\Z")
PARTS = terms("half part side choice rule policy design way question answer adr")


def is_of_removed(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether the older one is of something that is there no more, open or mended as it is."""
    category = old.of.category
    if category not in (Category.ERROR, Category.KEY_FACT) or is_said_by_user(old.of.text):
        return False
    text = old.of.text
    if _WORKED.search(text):  # how a tool is called holds for any file
        text = _PATH.sub("", text)
    removed = list_removed(new.given_up)
    if _names_only(removed, text) or any(speaks_of(each, text, category) for each in removed):
        return True
    raiser = find_raiser(text) if category is Category.ERROR else ""
    return bool(raiser) and any(raiser in list_libraries(each.said) for each in removed)


def _names_only(removed: tuple[Thing, ...], text: str) -> bool:
    """Tell whether every path that a text names is there no more."""
    named = {each for each in _CODE.findall(text) if _IS_PATH.search(each)}
    gone = {thing.said.strip("` ") for thing in removed}
    return bool(named) and named <= gone


def is_of_hunt(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether the older one was learnt on the hunt for what was closed."""
    is_fact = old.of.category is Category.KEY_FACT and not is_said_by_user(old.of.text)
    is_same = str(old.of.issue) in new.closed
    return is_fact and is_same and _HUNTS.search(old.text) is not None


def says_it_stands(old: ComparedMemory, about: frozenset[str]) -> bool:
    """Tell whether a memory says of something that it stands."""
    return any(terms(each) - PARTS == about for each in _STANDS.findall(old.text))
