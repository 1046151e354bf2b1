"""Why a command failed, as the agent said it.

    "The linker can't find zstd."       said of what just failed, in its words
    "Found it: `follow_links(true)`..." said of what the fix then changed
    "I think it is the wait time."      a guess: the cause only if what was done about it helped

Law: what was said before the command failed once more, after something was done about it, is no
cause where a better one was said since; a guess that did not help is none at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agentx.exchanges import wording
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.passing import says_still
from agentx.exchanges.tools import FileChange
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.passages import says_nothing
from agentx.prose.sentences import Block, is_question, words

_CAUSE = cues.anywhere(
    r"""
    root cause | because | due to | caused by | turn(?:s|ed) out | race condition
    the (?:real |actual )?(?:issue|problem|bug|culprit|reason|cause|fix) (?:is|was)
    found (?:it|the (?:issue|problem|bug|cause)) | was missing | is missing | pins? | pulled in
    fails? (?:when|if|since|as) | needs? | requires? | (?:was|were) (?:renamed|removed|moved|not)
    doesn'?t | does not | instead of | exists? only | only (?:from|since|in) | not running
    cannot | can'?t | wraps? | complains? | expects? | is named | has no | ursache | weil
    """
)
# What came out well explains no failure.
_CAME_WELL = cues.at_the_start(r"(?:\S+ ){0,5}(?:pass(?:ed|es)|succeed(?:ed|s))(?: now)?(?=[.:;,])")
_EXPLAINS_WORDS_MIN = 5
_REMEDY_WORDS_MAX = 20
_OF_ONESELF = cues.at_the_start(
    r"""
    i | i'?m | i'?ll | i'?ve | we | let | now | next | first | then | adding | fixing | running
    checking | trying | updating | looking | as (?:expected|intended) | red | good | ok(?:ay)?
    \d+ (?:tests?|errors?|failures?|of) | still
    (?:one|two|three|some|all|both|the) (?:\w+ )?tests?
    """
)
_SAYS_WHY = cues.anywhere(
    "because | due to | found (?:it|the \\w+) | weil | porque | parce que | debido a"
)
# "The test fails because ...", said at once: of what just failed, whatever words it shares with it.
_FAILS_BECAUSE = cues.anywhere(
    r"""
    (?:fails?|failed|failing|breaks|broke|crash(?:es|ed)?|errors? out) (?:\w+ )?(?:because|since|as)
    (?:fails?|failed|failing|breaks|broke|crash(?:es|ed)?) due to
    (?:schl\u00e4gt|schlug) fehl,? weil | \u00e9choue parce que | falla porque
    """
)
# What would mend it, said right after why it broke: the other half of the cause.
_REMEDY = cues.anywhere(
    r"""
    (?:is|are) (?:needed|required|necessary|missing) | needs? | requires? | must | has to | have to
    only works? (?:with|when|if|on)
    """
)
# "Raising the time-out to 10 seconds": what is done, and not why.
_DOES = compile_late(r"\A\W*[A-Z][a-z]+ing\b(?!,)")
# What a reply says under it was the matter.
_LEADS = cues.at_the_start(
    r"""
    fixed | found (?:it|the \w+) | (?:root )?causes? | why | the (?:problem|issue|bug|cause)
    what (?:was|went|is) (?:wrong|broken|happening) | diagnosis | explanation | reason
    behoben | ursache | grund | causa | arreglado | corrig\u00e9
    """
)
_NAME_CHARS_MIN = 4


def is_guess(line: Line) -> bool:
    """Tell whether something is only thought to be so."""
    return is_action(line) or wording.GUESSES.search(line.own) is not None


def is_action(line: Line) -> bool:
    """Tell whether a line says what is done, and not how things are."""
    return _DOES.match(line.own) is not None


def find_fixed_causes(said: Sequence[Line], fixes: Iterable[FileChange]) -> list[Line]:
    """Return what is said to be the matter of the very thing that the fix changed."""
    changed = "\n".join(row for fix in fixes for row in (*fix.removed, *fix.added))
    found: list[Line] = []
    led = False
    for line in said:
        own = line.own
        if line.block is Block.HEADING:
            led = bool(_LEADS.match(own))
            continue
        explains = led or _LEADS.match(own) or cues.EXPLAINS.search(own) or _SAYS_WHY.search(own)
        led = False
        names = [name for name in code_names(own) if len(name) >= _NAME_CHARS_MIN]
        if not explains or not any(name in changed for name in names):
            continue
        if not (is_question(own) or is_guess(line) or own.endswith(":") or _CAME_WELL.match(own)):
            found.append(line)
    return found[:1]


def find_causes(
    errors: Sequence[str], command: str, between: int | None, reply: Turn, boot: Boot
) -> list[Line]:
    """Return what a reply says of why something went wrong.

    `between` is how many steps were taken since; None once it was mended.
    """
    about = terms(" ".join(errors)) - terms(command)
    names = {name.lower() for name in code_names(" ".join(errors))}
    told = " ".join(errors).lower()
    kept: list[Line] = []
    said = lines(reply, boot)
    for number, line in enumerate(said):
        own = line.own
        if words(own) < 6 or is_question(own) or own.endswith(":") or line.block is Block.HEADING:
            continue
        if cues.ANNOUNCES.match(own) or cues.INTENDS.match(own) or wording.POSSIBLE.search(own):
            continue
        fails_so = bool(_FAILS_BECAUSE.search(own))
        says_so = bool(fails_so or cues.EXPLAINS.search(own) or _SAYS_WHY.search(own))
        explains = says_so or bool(_CAUSE.search(own))
        soon = between is not None and between <= (3 if says_so else 1)
        shared = len(terms(own) & about)
        enough = 1 if soon else 2
        related = shared >= enough or any(name in own.lower() for name in names)
        # "The linker can't find zstd", said at once of "cannot find -lzstd".
        related |= soon and any(len(word) > 3 and word in told for word in terms(own))
        related |= fails_so and soon and not between
        if explains and related and not says_nothing(own) and not _CAME_WELL.match(own):
            kept.append(_join_remedy(line, said[number + 1 : number + 2]))
    return kept


def _join_remedy(line: Line, after: Sequence[Line]) -> Line:
    """Return a cause with what is said right after it to be needed."""
    for one in after:
        is_stated = not (is_question(one.own) or one.own.endswith(":"))
        intends = cues.ANNOUNCES.match(one.own) or cues.INTENDS.match(one.own)
        is_brief = one.paragraph == line.paragraph and words(one.own) <= _REMEDY_WORDS_MAX
        if is_brief and is_stated and not intends and _REMEDY.search(one.own):
            return replace(line, text=f"{line.text} {one.own}")
    return line


def may_explain(line: Line) -> bool:
    """Tell whether a line states something: it is not announced, asked or guessed."""
    own = line.own
    if words(own) < _EXPLAINS_WORDS_MIN or own.endswith(":") or line.block is Block.HEADING:
        return False
    if is_question(own) or says_nothing(own) or says_still(own) or _OF_ONESELF.match(own):
        return False
    if _CAME_WELL.match(own) or is_action(line):
        return False
    return not (
        cues.ANNOUNCES.match(own)
        or cues.INTENDS.match(own)
        or cues.COURTESY.match(own)
        or wording.POSSIBLE.search(own)
    )
