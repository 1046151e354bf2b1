"""What came of an open end in other words than its own: an edit, a task, somebody's deed.

"the `bastion` group still allows 0.0.0.0/0"        an edit of it takes 0.0.0.0/0 out
"I suggest #17. The user said: Tomorrow."           #17 was worked on
"fine until somebody asks for a month"              somebody asked for it
"The user said: lena will check the ldap part"      "lena checked ldap, the port is wrong"
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.closing.doings import CLAUSE, ISSUE, Deeds
from agentx.observations.closing.edits import PATH_SIGN
from agentx.observations.closing.lapsed import NOT_YET
from agentx.observations.extract.left.settled import UNDONE
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import is_question

# "The `bastion` group still allows 0.0.0.0/0": what is so of what.
_STILL_SO = compile_late(
    r"(?i:(?P<what>.{2,100}?) (?:still|noch(?: immer)?|todav\u00eda|a\u00fan|sigue|encore|toujours)"
    r" (?P<how>(?!(?:to|not|nicht|no|fails?|failing|be|being|un)\b)[^\n]{2,120}))"
)
_PIECE = compile_late(r"[\w@][\w./:@+-]*\w")
_MARKED = compile_late(r"\d|[_/@]|\w[.:]\w|[a-z][A-Z]")
# "I did not measure: it is fine until somebody asks for a calendar of a month".
_UNTIL_ASKED = compile_late(
    r"(?i:\b(?:until|unless|till|bis|hasta que|jusqu'\u00e0 ce que) "
    r"(?:(?:somebody|someone|anybody|anyone|we|you|they|the \w+|jemand|wir|alguien|on|quelqu'un) )+"
    r"(?:asks?|needs?|wants?|complains?|fragt|braucht|will|pide|quiere|demande|veut)"
    r"(?: (?:for|about|nach|por))? (?P<what>[^.;:\n]{3,60}))"
)
_ENDING = compile_late(r"\.[a-z]{1,4}\b")  # of a file's name
_CODE = compile_late(r"`([^`\n]+)`")
# What somebody will do, and how they are called.
_WILL = compile_late(
    r"(?i:(?:\A|[.;,] )(?P<who>[^\W\d_]{2,20})(?: (?:from|of|in|von|aus|de) (?:the )?\w+)?"
    r" (?:will|is going to|'ll|wird|va a|va) (?:\w+ly )?(?P<does>[^\W\d_]{3,}))"
)
_STEM_CHARS = 4
_WORDS_MIN = 2


def did_as_said(said: str, deeds: Deeds) -> bool:
    """Tell whether somebody did what the user said they would: "lena checked ldap"."""
    found = _WILL.search(said)
    if found is None:
        return False
    who, stem = found["who"].casefold(), found["does"].casefold()[:_STEM_CHARS]
    for answer in deeds.answers:
        for each in CLAUSE.split(answer.text):
            clause, _, _ = each.partition(": ")  # what came of it
            words = clause.casefold().split()
            if who not in words[:2] or is_question(clause) or NOT_YET.search(clause):
                continue
            if any(word.startswith(stem) for word in words if word != who):
                return " will " not in f" {clause.casefold()} "
    return False


def was_begun(own: str, deeds: Deeds) -> bool:
    """Tell whether the one issue that somebody put off by its number was worked on since."""
    named = frozenset(ISSUE.findall(own))
    return len(named) == 1 and named <= deeds.issues


def has_been_asked_for(own: str, deeds: Deeds) -> bool:
    """Tell whether what is fine "until somebody asks for X" was asked for."""
    found = _UNTIL_ASKED.search(own)
    wanted = terms(found["what"]) - UNDONE if found else frozenset[str]()
    return len(wanted) >= _WORDS_MIN and any(wanted <= said for said in deeds.spoken)


def was_taken_out(own: str, deeds: Deeds) -> bool:
    """Tell whether what something still has, or uses, was taken out of just that by an edit."""
    found = _STILL_SO.match(own) if deeds.edited.taken_out else None
    if found is None:
        return False
    how, _, _ = found["how"].partition(", ")
    code = {piece for name in _CODE.findall(how) for piece in _PIECE.findall(name)}
    named = code or {each for each in _PIECE.findall(how) if _MARKED.search(each)}
    what = terms(PATH_SIGN.sub(" ", _ENDING.sub("", found["what"]))) - UNDONE
    asked = frozenset[str]().union(*deeds.asked, *deeds.committed)
    return any(
        not named.isdisjoint(each.pieces) and not what.isdisjoint(each.where | asked)
        for each in deeds.edited.taken_out
    )
