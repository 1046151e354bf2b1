"""What kind of thing a memory is to whoever begins: the groups of a section, in their order.

Observations are stored under the categories of the specification. What is left to do and what
the user wants are kinds of their own here, told by how they are worded.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.labels import FIXED_BY, LABELS, PASSED
from agentx.observations.model import Category
from agentx.prose.cues import anywhere, finds
from agentx.prose.sentences import sentences
from agentx.prose.settling.rulings import rules_for_good
from agentx.prose.settling.wishes import forbids_always, is_wish


class Kind(StrEnum):
    """A group of the section, by its heading."""

    OPEN_END = "Open ends"
    PREFERENCE = "What the user wants"
    DECISION = "Decisions"
    FACT = "How things work here"
    ERROR = "Errors and their fixes"
    CHANGE = "What changed lately"


_OF_CATEGORY = {
    Category.DECISION: Kind.DECISION,
    Category.CODE_CHANGE: Kind.CHANGE,
    Category.ERROR: Kind.ERROR,
    Category.KEY_FACT: Kind.FACT,
    Category.COMPACTION_SUMMARY: Kind.FACT,
}
_USER = compile_late(r"(?:The user|User)\b|(?:Asked|Preference): ")
# What somebody asked for is no fact: it is told with what was done about it.
_ASKED = compile_late(r"[^:.\n]{2,60} (?:asked|reported): ")
_WANTS = anywhere(
    r"""
    (?:the )?user (?:wants|prefers|likes|expects|asked (?:for|to always)|does not want|doesn't want)
    i (?:prefer|like|don'?t (?:like|need)|no longer|hate)
    i (?:want|don'?t want|do not want) (?!an? |the |one |two |this |that |it |to be |[a-z0-9]+ on )
    please (?:always|never|don'?t)
    always | never | as simple as | from now on | make sure | preference | don'?t ever
    should (?:always|never)
    (?:nie|niemals|nunca|jamais|mai) (?!mehr passiert) | immer (?!noch|wieder|mehr)
    siempre (?!que) | toujours (?!pas)
    until i (?:say|tell) | bis ich (?:es |das )?sage | hasta que (?:yo )?(?:lo |te )?diga
    """
)
# How somebody works whatever the task, in whatever form it was said.
_FOR_GOOD = anywhere(
    r"""
    how (?:i|we) (?:like|want|prefer) to work | (?:my|our|house|ground) rules
    remember (?:this |that |it )?for good
    """
)
# What was settled anew is a decision, however its reason is put.
_SETTLED = anywhere(
    r"we (?:reverse|revert|drop|leave|switch|move) | revers(?:e|es) (?:it|decision|this|that)"
)
# A plan says what is to be done, whatever stands in it.
_PLANNED = compile_late(r"The user (?:approved|refused|changed)\b")
_HEARD = compile_late(r"(?:; |\n)The agent: .*\Z")
# What others do all the time is a reason, and no rule.
_HABIT = compile_late(
    r"(?i:\b(?:people|users?|customers?|clients?|colleagues|developers|devs|folks|newcomers|they"
    r"|he|she|everyone|everybody|somebody|someone|nobody) (?:always|never)\b)"
)
_OPEN = anywhere(
    r"""
    (?:left|still) (?:undone|open|unresolved|to do|unfixed|uncommitted|pending|missing|unverified)
    not (?:yet|been) (?:done|fixed|implemented|committed|pushed|merged|released|published|tested)
    to-?dos?(?=:) | (?:an?|as|left) to-?do (?:for|to|in)
    remains? (?:open|unfixed|unresolved|undone|to be)
    (?:is|are|but|and|stays?|remains?) (?:uncommitted|unpushed)
    not (?:implemented|committed|pushed|merged|seen fixed|fixed)
    (?:is|are|still) waiting (?:for|on) | waits (?:for|on) (?:you|your|approval|review|the user)
    blocked (?:on|until) | blocked by \#\d+
    needs? to be (?:done|fixed) | still needs? to be
    follow-?ups? | next steps?(?=:) | (?:for|in) a (?:later|future|separate) (?:pr|session|change)
    (?:for|in) a (?:later|future|separate) issue | out of scope
    (?:is|are|was|were|been) (?:deferred|postponed) | (?:deferred|postponed) (?:to|until|for)
    (?<!as an )open (?:end|question|item)s?
    """
)
_CODE = compile_late(r"`[^`\n]*`")
_MENDED = compile_late(rf"(?:; |\n|\. )(?:{FIXED_BY}|{PASSED})")


@lru_cache(maxsize=2_000)  # as lines are worded: once, for who serves many
def kind_of(category: Category, text: str) -> Kind:
    """Return the kind of a memory, by its category and its words."""
    if _is_open(category, text):
        return Kind.OPEN_END
    if _USER.match(text) and finds(_FOR_GOOD, text):
        return Kind.PREFERENCE
    if category is Category.DECISION and _USER.match(text) and _is_wanted(text):
        return Kind.PREFERENCE
    if category is Category.KEY_FACT and _ASKED.match(text):
        return Kind.CHANGE
    return _OF_CATEGORY[category]


def _is_open(category: Category, text: str) -> bool:
    """Tell whether a memory says that something is left: not of what it is made, nor of what was.

    What a program is called says nothing of the work on it.
    """
    if text.startswith(LABELS):
        return True
    if category is Category.CODE_CHANGE or (category is Category.ERROR and _MENDED.search(text)):
        return False
    return finds(_OPEN, _CODE.sub("`", text))


def _is_wanted(text: str) -> bool:
    """Tell whether what the user settled is how the user wants things, whatever the task."""
    if _PLANNED.match(text):
        return False
    text = _HABIT.sub("", _HEARD.sub("", text))
    said = text.partition(": ")[2] or text
    if finds(_SETTLED, said):
        return False
    if finds(_WANTS, text) or is_wish(said) or forbids_always(said):
        return True
    return any(rules_for_good(one.text) for one in sentences(said))
