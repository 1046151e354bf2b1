"""What was left open, and what closed it.

    "Merged, #26 stays open."               "Close #26."
    "`ops/notes.md` is uncommitted."        a later commit of that file

Only what is named the same on both sides is closed: a number, a file. What tells of more than of
what is open stays: the rest of it still holds.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.prose.cues import CHANGES, CONCLUDES, anywhere

_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
_REFERENCE = compile_late(r"(?:#|\b(?:PR|pull request|issue|MR) #?)(\d{1,7})\b", re.IGNORECASE)
_OPEN = anywhere(
    r"""
    (?:stays?|is|are|still|left|kept|keep|leave|remains?)(?: #?\d+| it| this)?(?: still)? open
    not (?:yet )?(?:merged|closed|fixed|resolved|done) | unmerged | pending | waiting (?:for|on)
    draft
    """
)
_CLOSED = compile_late(
    r"\b(?:clos(?:e|es|ed|ing)|fixes|fixed|resolves|resolved|merged)\b[^.;,#\n]{0,20}?"
    r"(?:#|\b(?:PR|pull request|issue|MR) #?)(\d{1,7})\b"
    r"|(?:#|\b(?:PR|pull request|issue|MR) #?)(\d{1,7}) (?:is|was|has been|got) (?:now )?"
    r"(?:closed|merged|fixed|resolved|done)\b",
    re.IGNORECASE,
)
# Where one of these stands, it has not happened, or is still to.
_NOT_YET = anywhere(
    r"""
    not | never | don'?t | didn'?t | isn'?t | until | once | when | if | before | unless | should
    would | could | can | will | reopen\w* | stays? | wait(?:s|ing)? | to be
    """
)
_UNCOMMITTED = anywhere(
    r"uncommitted | unstaged | (?:not|never|n't) (?:yet )?(?:been )?(?:yet )?committed"
)
_COMMIT = compile_late(r"\(commit [0-9a-f]{7,40}\)")


def list_open(text: str, *, by_user: bool = False) -> frozenset[str]:
    """Return the numbers of what a text says first of all is open; a person, last of all."""
    said = [each for each in _SENTENCE.split(text) if each]
    told = said[-1:] if by_user else said[:1]
    is_open = any(_OPEN.search(each) for each in told)
    return frozenset(_REFERENCE.findall(told[0])) if is_open else frozenset()


def list_closed(text: str) -> frozenset[str]:
    """Return the numbers of what a text says was closed."""
    return frozenset(
        match[1] or match[2]
        for sentence in _SENTENCE.split(text)
        if not _NOT_YET.search(sentence)
        for match in _CLOSED.finditer(sentence)
    )


# Asked of the same lines with every session that is captured.
@lru_cache(maxsize=2_000)
def is_uncommitted(text: str) -> bool:
    """Tell whether a text says first of all that something was left uncommitted.

    Where it tells of a change beside that, the change is what is kept of it.
    """
    first = _SENTENCE.split(text, maxsplit=1)[0]
    left = _UNCOMMITTED.sub(" ", first)
    return left != first and not (CHANGES.search(left) or CONCLUDES.search(left))


def is_commit(text: str) -> bool:
    """Tell whether a change is a commit."""
    return _COMMIT.search(text) is not None
