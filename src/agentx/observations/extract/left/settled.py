"""Whether a person's words settle what was said to be left.

    agent  "DNS must point to the new balancer."       user  "dns is switched"
    agent  "I haven't run the tests."                  user  "ran them, all green"
    agent  "HR must say which one is right."           user  "carry over: it's 30 june"
    agent  "Remaining: dark mode, a menu."             user  "the menu we don't need"

What names its thing settles it whenever it is said. What names nothing ("done", "no need") answers
what was said just before, and only where that was one thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.extract.left.open_list import read_open_list, tell_rest
from agentx.observations.extract.left.open_words import is_open, tells_to
from agentx.observations.extract.left.put_off import TIMES
from agentx.observations.extract.left.reports import (
    DoneReport,
    ReportKind,
    names_deed,
    read_reports,
)
from agentx.prose.cues import anywhere
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import share_alike
from agentx.prose.sentences import is_question, sentences

# Words by which something is said to be left; they are not what it is about.
UNDONE = terms(
    "left open not done yet still todo to do missing remaining needs need must has have be been is"
    " are i anything nothing something by hand it that this and the committed commit pushed push"
    " add added implement implemented write written update updated fix fixed test tested change"
    " started begun falta faltan pendiente queda offen fehlt noch muss musst waiting please you du"
    " haz hacer hace mach mache machen fais faire make do"
)
_TRIES = anywhere(
    r"""
    tests? | tested | testing | try | tried | check\w* | verif\w+ | confirm\w* | devices? | phones?
    prob[ae]\w* | prueb\w+ | ausprobier\w* | getestet | testen | essay\w+ | v\u00e9rifi\w+ | run
    """
)
_WANTS_WORD = anywhere(
    r"""
    (?:must|has to|have to|needs? to|should|can) (?:say|decide|confirm|tell|choose|clarify|answer)
    need to know | which (?:one|of) | whether | unclear | i (?:do not|don'?t) know (?:which|whether)
    muss (?:entscheiden|sagen) | ob | decidir | si (?:se|hay|es)
    """
)
# What waits for no more than somebody's word, and how one gives it.
_WANTS_YOURS = anywhere(
    r"""
    (?:needs?|wants?|requires?|awaits?|waits? for) your
    (?:needs?|waits? for|braucht|wartet auf) dein\w* | (?:is|bleibt) your (?:call|decision|choice)
    (?:is|are) (?:up to|for) you | necesita tu | attend (?:ta|votre)
    """
)
_GIVES_WORD = compile_late(
    r"(?i:\W*(?:(?:ok(?:ay)?|then|so|and|let'?s|we|take|go (?:with|for)|do|nimm|wir nehmen"
    r"|la|el|die|the)[\s,]+)*"
    r"(?:option \w|variante? \w|opci\u00f3n \w|(?:both|neither|beides?|keins|ambas|[1-9a-d])\b"
    r"|(?:the )?(?:first|second|third|last|former|latter)\b"
    r"|(?:yes|yep|yeah|no|nope|sure|agreed|approved|ok(?:ay)?|go|do it|ja|nein|s\u00ed|oui|non)\b))"
)
_PUTS_OFF = anywhere(
    r"""
    ask | later | tomorrow | leave it | not now | next week | until | don'?t know | no idea | morgen
    """
)
_SAYS_SO = anywhere("is | are | it's | was | take | use | ist | sind | es | son | est | sont")
_ASKS_WHOM = compile_late(
    r"\b(?:[Aa]sk(?:ing)?|[Ff]rom|[Tt]alk to|[Ff]rag|[Pp]reguntar a|[Dd]emander \u00e0) "
    r"(?:(?P<who>[A-Z][a-z]+)|(?:the|our|my) (?P<which>[a-z]{3,}))\b"
)
_AFTER = compile_late(
    r"(?i:(?:after|when|because|since|so|which|who|until|as|where|if|once|then it|weil|damit|sobald"
    r"|daf\u00fcr|dazu|for (?:that|this|which)|para eso|pour \u00e7a"
    r"|wenn|cuando|porque|quand|parce)\b)"
)
_CODE = compile_late(r"`([^`\n]+)`")
# "All done, except X": X is what is left.
_EXCEPT = compile_late(
    r"(?i:\A(?:all|everything|alles|todo|tout|tutto|tudo)\b[^.;\n]{0,60}?"
    r"\b(?:except|but|bis auf|au\u00dfer|excepto|salvo|sauf|tranne|exceto)(?: for)? )"
)
_LACKS = anywhere(
    r"""
    isn'?t | aren'?t | (?:is|are) not | missing | lacks? | yet | fehl(?:t|en)
    noch (?:nicht|kein\w*)
    falta\w* | todav\u00eda | manque\w* | pas encore | manca\w* | non ancora | ainda | ontbre\w+
    """
)
_BEFORE = anywhere(
    r"""
    yesterday | already | last (?:night|week|weekend) | this morning | gestern | schon | bereits
    ayer | anoche | ya | hier | d\u00e9j\u00e0 | ieri | gi\u00e0 | ontem | j\u00e1 | gisteren | al
    """
)
_ENOUGH = 0.6
_SEVERAL = 2
_FEW = 3
_STEM_MIN = 5
_NAMED_MIN = 4


@frozen
class SpokenWords:
    """A person's words, and whether they are the next after what was left."""

    text: str
    is_next: bool = False


def leave_unsettled(
    own: str, answers: Sequence[SpokenWords], *, is_only: bool, near: str = ""
) -> str:
    """Return what is left of an open end after a person's words; of a list each item falls alone.

    `is_only`: nothing else was said to be left beside it. `near`: what was said just before it.
    """
    if not answers:
        return own
    about = terms(f"{near} {own}") - UNDONE if near else frozenset[str]()
    if near and any(_answers(own, about, each) for each in answers):
        return ""
    listed = read_open_list(own)
    items = [each for each in listed.left if not _AFTER.match(each)]
    # Where some of it says that it is open, the rest only stands beside it.
    items = [each for each in items if not listed.head and is_open(each)] or items
    if len(items) < _SEVERAL:
        return "" if is_settled(own, answers, is_only=is_only) else own
    unnamed = is_only and is_settled(own, answers, is_only=True, is_named=False)
    done = [each for each in items if is_settled(each, answers, is_only=False)]
    if unnamed or len(done) == len(items):
        return ""
    return tell_rest(listed, done) if done else own


def is_settled(
    own: str, answers: Iterable[SpokenWords], *, is_only: bool, is_named: bool = True
) -> bool:
    """Tell whether a person's words settle one thing that was left.

    `is_named`: by words that name it, too.
    """
    own = _EXCEPT.sub("", own)
    about = (terms(own) | terms(own.replace("-", " "))) - UNDONE - TIMES
    for answer in answers:
        if is_named and _says_past(answer.text, about):
            return True
        if any(
            _settles(report, own, about, answer, is_only=is_only)
            for report in read_reports(answer.text)
            if is_named or not report.about
        ):
            return True
        if is_named and _answers(own, about, answer):
            return True
    return False


def _settles(
    report: DoneReport, own: str, about: frozenset[str], answer: SpokenWords, *, is_only: bool
) -> bool:
    if not report.about:
        return _settles_unnamed(report, own, about, answer, is_only=is_only)
    if _names_all(report, own, about):
        return True
    shared = share_alike(report.about, about)
    is_named = len(shared) >= max(_SEVERAL, _ENOUGH * len(report.about))
    if shared != report.about and not is_named:
        return False
    is_enough = answer.is_next or len(shared) >= _SEVERAL
    if report.kind is ReportKind.WAIVED:
        # One word that stands for just this.
        return is_enough or (shared == report.about and len(max(shared, key=len)) >= _NAMED_MIN)
    # One word is a subject that many share: it stands out, or what was done to it is named.
    is_enough = is_enough or bool(report.deed) or _stands_out(own, shared)
    is_enough = is_enough or 2 * len(shared) >= len(about)
    # What only is not there yet is there, whatever was done for it.
    is_lack = len(shared) >= _SEVERAL and _LACKS.search(own) is not None
    return is_enough and (is_lack or names_deed(report, own))


def _settles_unnamed(
    report: DoneReport, own: str, about: frozenset[str], answer: SpokenWords, *, is_only: bool
) -> bool:
    """Tell whether who names no thing means this one: by what was done, or as the next to speak."""
    if report.deed and names_deed(report, own) and len(about) <= _FEW:
        return True  # "uploaded": just what was to be
    if report.kind is ReportKind.WORKS:
        return answer.is_next and (_TRIES.search(own) is not None or tells_to(own))
    return answer.is_next and is_only and names_deed(report, own)


def _says_past(text: str, about: frozenset[str]) -> bool:
    """Tell whether somebody says of just this that it was so before today, in any language."""
    if len(about) < _SEVERAL:
        return False
    for sentence in sentences(text[:1_200]):
        said = sentence.text
        if not _BEFORE.search(said) or is_question(said) or _PUTS_OFF.search(said):
            continue
        held = terms(said)
        if all(any(_begins_alike(each, other) for other in held) for each in about):
            return True
    return False


def _begins_alike(one: str, other: str) -> bool:
    """Tell whether two words have the same stem, as far as one sees without a language."""
    size = min(len(one), len(other))
    return one == other or (size >= _STEM_MIN and one[: size - 2] == other[: size - 2])


def _names_all(report: DoneReport, own: str, about: frozenset[str]) -> bool:
    """Tell whether a report names all that was left, and where: "the battery in node 4"."""
    if report.kind is not ReportKind.DONE or not report.deed or not names_deed(report, own):
        return False
    told = report.about | {report.deed}
    return bool(share_alike(report.about, about)) and share_alike(about, told) == about


def _stands_out(own: str, shared: frozenset[str]) -> bool:
    """Tell whether an open end begins with one of some words, or has it as code."""
    first = next((word for word in own.split() if terms(word) - UNDONE), "")
    named = terms(first).union(*(terms(code) for code in _CODE.findall(own)))
    return bool(share_alike(shared, named))


def _answers(own: str, about: frozenset[str], answer: SpokenWords) -> bool:
    """Tell whether somebody says what was not known, or what the one says who was to be asked."""
    whom = {(match["who"] or match["which"]).lower() for match in _ASKS_WHOM.finditer(own)}
    wants = answer.is_next and _WANTS_WORD.search(own) is not None
    is_yours = answer.is_next and _WANTS_YOURS.search(own) is not None
    if not (whom or wants or is_yours):
        return False
    for sentence in sentences(answer.text[:1_200]):
        said = sentence.text
        if is_question(said) or _PUTS_OFF.search(said):
            continue
        held = terms(said)
        shared = share_alike(held, about)
        if is_yours and (_GIVES_WORD.match(said) or len(shared) >= _SEVERAL):
            return True
        if wants and (len(shared) >= _SEVERAL or (shared and _SAYS_SO.search(said))):
            return True
        if shared & whom and len(shared) >= _SEVERAL:
            return True
    return False
