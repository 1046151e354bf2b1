"""What kind of thing a sentence tells: what was settled, changed, went wrong, came of it.

Of a person's words it is asked first whether they settle something, by the rule that decides what
is kept of a session too. A reason is no complaint: only what stands before "because" tells the
kind. Of an agent's words, what it proposes, praises or is about is a fact like any other; it says
what was changed only where something was.
"""

from __future__ import annotations

import re

from agentx.conversation.toc_model import BulletKind
from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.sentences import is_question, once_a_line
from agentx.prose.settling.asking import asks, commands, is_unsure
from agentx.prose.settling.rulings import rules_out
from agentx.prose.settling.verdict import decides, is_order, proposes, settles

_REASON = compile_late(
    r",?\s+(?:because|since|so that|due to|as (?:it|they|we|the)|weil|denn|porque|parce que)\b",
    re.IGNORECASE,
)
# What went wrong, in words that leave no doubt; an error may be handled, and a fact.
_FAILS = cues.anywhere(
    r"""
    fail(?:s|ed|ing|ures?)? | broken | breaks | broke | crash(?:es|ed|ing)? | leak(?:s|ed|ing)
    tim(?:es|ed|ing) out | flaky | hangs | hung | corrupt(?:ed|s|ion) | dead-?lock(?:s|ed)?
    (?:a|the|this|that|real|actual|same) bug | bugs? (?:in|is|was|where) | regression
    (?:throws?|threw|raise[ds]?|gets?|got|gives?|hits?|shows?) (?:\S+ ){0,3}(?:error|exception)s?
    fehler | schl\u00e4gt fehl | falla | erreur
    """,
    r"""
    \u9519\u8bef | \u5931\u8d25 | \u5931\u6557 | \u30a8\u30e9\u30fc | \ubc84\uadf8 | \uc624\ub958
    \u043e\u0448\u0438\u0431\u043a | \u062e\u0637\u0623 | \u05e9\u05d2\u05d9\u05d0\u05d4
    """,
)
_LACKS = cues.anywhere(
    r"""
    doesn'?t | didn'?t | cannot | can'?t | missing | incorrect(?:ly)? | wrong(?:ly)? | stale | lost
    loses | unexpected(?:ly)? | duplicate[ds]? | errors? | exceptions? | bugs? | problems?
    rejected | denied | times? ?outs? | conflicts?
    """
)
_WANTS = cues.at_the_start("we want (?:the|every|all|each|no) | i want (?:the|every|all|each|no)")
# A state that is over, and why it was so.
_WAS_BECAUSE = compile_late(
    r"\b(?:was|were)\b(?! (?:chosen|kept|added|made|left))[^.;]{0,60}?\bbecause\b", re.IGNORECASE
)
_PRAISES = cues.anywhere(
    r"""
    (?:this|it|that)(?: is|'s) (?:an? )?(?:\w+ly )?(?:solid|good|great|clean|nice|excellent|elegant)
    looks (?:good|great|solid|clean) | well[- ](?:done|structured|tested|designed|written)
    praise | nice (?:work|touch|job) | good (?:work|job|call)
    """
)
_GOES_ON = cues.anywhere(
    r"""
    (?:current|latest) (?:\S+ )?(?:status|state|progress) | so far | in progress
    is (?:still|now|currently|actively) (?:running|moving|working|waiting|building|going)
    """
)
# What is told to do, whoever is to do it: nothing was changed by it.
_INSTRUCTS = cues.at_the_start(
    r"""
    on (?:the |all |your |every |each |any )?other \w+ | on (?:each|every|all|your) \w+
    to (?:\w+ ){1,4}?(?:it|this|that|back|again|locally|everything)?,? ?(?:run|use|call|set|delete)
    next(?: steps?)?\b | you(?:'ll| will)? (?:need|have) to | you(?:'ll| will) want to
    """
)
# What was not done, by who might have.
_NOT_DONE = compile_late(
    r"(?i:\b(?:i|we)(?:(?: have|'ve| had)? not| haven'?t| hadn'?t| didn'?t| did not) )"
    r"(?P<verb>(?:yet )?\w+)"
)
_LET_BE = cues.anywhere("touch(?:ed)? | chang(?:e|ed) | alter(?:ed)? | modif(?:y|ied) | see | seen")
_NOTHING_DONE = compile_late(
    r"(?i:\b(?:no|nothing|none)\b[^.;,]{0,40}\b(?:was|were|is|are|has been|have been) "
    r"(?:changed|added|removed|updated|moved|renamed|modified|written|created|deleted))"
)
# Words of failure where nothing failed: denied, handled, or part of a name.
_NO_FAULT = compile_late(
    r"(?i:\b(?:no|not a|without(?: a| any)?|never an?|zero) (?:\w+ ){0,2}?(?:regressions?"
    r"|memory leaks?|bugs?|fail(?:ures?|ing)|errors?|crash(?:es)?|corruption|data loss)"
    r"|\b(?:fail(?:ure|ed|ing)?|bug|crash|error)s? (?:modes?|rates?|polic(?:y|ies)|handlers?|paths?"
    r"|trackers?|reports?|bounty|reporter|cases?|calls?|budget)"
    r"|\b(?:catch(?:es)?|handles?|retr(?:y|ies)|survives?|tolerates?"
    r"|already (?:has|supports|handles)) [^.;]{0,60})"
)
# What is open for sure; the rest is, unless it is said of every time.
_SURELY_OPEN = cues.anywhere(
    r"""
    to-?do | follow-?ups? | not yet | yet to | uncommitted | unpushed
    still (?:needs?|open|missing) | left (?:undone|open|out|to do|unresolved)
    (?:not|never) (?:been )?(?:committed|pushed|merged|deployed|implemented|tested|fixed)
    noch offen | queda pendiente
    """,
    r"\u5f85\u529e | \u672a\u5b8c\u6210 | \u672a\u89e3\u51b3",
)
_EVER = cues.anywhere("when | whenever | if | every | each | always | in general")


# Who begins so says what was settled, whatever the words after it complain of.
_SETTLED = cues.at_the_start(
    r"""
    (?:approved|decided|agreed|settled|ruled)(?: by (?:you|us|the \w+|[A-Z]\w+))?(?=:)
    beschlossen(?=:) | entschieden(?=:) | decidido(?=:) | d\u00e9cid\u00e9(?=\s?:)
    """
)
_CAUSE = cues.at_the_start(
    r"""
    (?:the |its )?(?:root |real |actual )?(?:cause|reason)s?(?= ?:| is| was) | because | why(?=:)
    (?:die )?ursache | (?:la )?causa? (?:es|est|era)
    """,
    after="so | and | found it | the",
)


def is_cause(text: str) -> bool:
    """Tell whether a line begins by saying why something was so."""
    return cues.begins(_CAUSE, text)


@once_a_line
def find_kind(text: str, *, by_user: bool, worked: bool = True) -> BulletKind:
    """Return what a sentence tells; `worked`: something was changed before it was said."""
    if is_question(text):
        return BulletKind.QUESTION
    return _of_person(text) if by_user else _of_agent(text, worked=worked)


def _is_idle(text: str) -> bool:
    """Tell whether an agent proposes, praises, or says how far it is: nothing came of it yet."""
    return bool(
        proposes(text)
        or _PRAISES.search(text)
        or _GOES_ON.search(text)
        or _INSTRUCTS.match(text)
        or _NOTHING_DONE.search(text)
    )


def _of_person(text: str) -> BulletKind:  # noqa: PLR0911  a table
    main = _REASON.split(text, maxsplit=1)[0]
    if is_order(text):
        return BulletKind.DECISION if settles(text) else BulletKind.REQUEST
    if is_unsure(text) or asks(text):
        return BulletKind.QUESTION
    fails = cues.EXPLAINS.search(main) or _FAILS.search(main)
    if rules_out(text) or _WANTS.match(text) or (settles(text) and not fails):
        return BulletKind.DECISION
    if fails:
        return BulletKind.PROBLEM
    if _LACKS.search(main):
        return BulletKind.PROBLEM
    if cues.CONCLUDES.search(text):
        return BulletKind.OUTCOME
    return BulletKind.CHANGE if cues.CHANGES.search(main) else BulletKind.REQUEST


def _of_agent(text: str, *, worked: bool) -> BulletKind:  # noqa: PLR0911  a table
    if cues.begins(_SETTLED, text):
        return BulletKind.DECISION
    is_ever = _EVER.search(text) is not None
    if cues.LEAVES_OPEN.search(text) and (_SURELY_OPEN.search(text) or not is_ever):
        return BulletKind.OPEN
    if decides(text, worked=worked):
        return BulletKind.DECISION
    if left := _NOT_DONE.search(text):
        return BulletKind.FACT if _LET_BE.search(left["verb"]) else BulletKind.OPEN
    if _is_idle(text):
        return BulletKind.FACT
    text = _NO_FAULT.sub(" ", text)
    if cues.EXPLAINS.search(text):
        return BulletKind.PROBLEM
    if cues.CONCLUDES.search(text):
        return BulletKind.OUTCOME
    if _FAILS.search(text) or _WAS_BECAUSE.search(text):
        return BulletKind.PROBLEM
    is_change = worked and cues.CHANGES.search(text) and not commands(text)
    return BulletKind.CHANGE if is_change else BulletKind.FACT
