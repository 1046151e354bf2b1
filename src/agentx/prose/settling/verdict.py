"""Whether what a person says settles something. One rule for all who ask.

The table of contents and what is kept of a session must not disagree about the same sentence.
"""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.cues import anywhere, at_the_start
from agentx.prose.settling.asking import CONSTRAINS, only_requests
from agentx.prose.settling.rulings import only_tries, rules_out
from agentx.prose.titles import phrase_title

# A user who settles something. Said of what is to be, not of what is to be done next.
SETTLES = anywhere(
    r"""
    decid\w+ | agreed | go(?:ing)? with | stick(?:ing)? (?:to|with) | instead(?: of)? | rather than
    prefer\w* | non-negotiable | not? (?:crdt|more|longer) | from now on | must(?:n't| not)? | never
    always | only | (?:don'?t|do not|doesn'?t|shouldn'?t|won'?t|can'?t|cannot) | without | keep
    has to | have to | needs? to be | should (?:be|not|stay|only|always|never|use|work|remain)
    by default | switch(?:ed|ing)? (?:to|from) | after all
    let'?s (?:use|keep|go|stick|drop|not|avoid|make)
    we (?:want|use|support|need|have|are) | i (?:want|prefer|don'?t|will have|would rather)
    (?:is|are) (?:fine|enough|ok|required|mandatory|not) | then use | use | no need | leave
    stay | stays
    make sure | ensure | important | be careful | convention | policy | rule | avoid | except
    entschieden | statt | bleibt | bleiben | nicht | kein\w* | immer | nie | nur | soll\w* | sonst
    en lugar de | siempre | nunca | au lieu de | toujours | jamais | dann
    """,
    r"""
    \u51b3\u5b9a | \u6c7a\u5b9a | \u6539\u7528 | \u4e0d\u8981 | \u5fc5\u987b | \u5fc5\u9808
    \u4f7f\u7528 | \u7981\u6b62
    """,
)


# What could be done, said by who does not do it.
_PROPOSES = anywhere(
    r"""
    maybe | perhaps | consider | alternatively | suggest(?:s|ed|ions?)? | recommend(?:s|ed|ations?)?
    i(?:'d| would) (?:go|suggest|recommend|take|use|pick|choose|prefer|keep|call|lean|say)
    you (?:can|could|may|might|should) | worth (?:adding|considering|checking|doing|a)
    (?:could|would|might|should) (?:be|also|then|just|instead|want|need|make|add|use|move|rename)
    one (?:option|way|idea) | option (?:\d|[a-c]) | nice to have | optional(?:ly)?
    (?:clean|cleaner|cleanest|simple|simplest|better|best|right|easiest|safest|other) way is to
    """
)
# A person who says so reports what is wrong.
_FALLS_SHORT = compile_late(
    r"\b(?:doesn'?t|didn'?t|isn'?t|aren'?t|won'?t|can'?t|cannot|(?:is|are|does|did) not) (?:\w+ )?"
    r"(?:work|show|load|start|run|open|compile|build|render|respond|appear|update|save|pass|match"
    r"|exist)(?:s|ed|ing)?\b",
    re.IGNORECASE,
)
_SUPPOSES = at_the_start(r"if (?:the|you|we|it|this|that|a|an|your|our|they|there)")
_ORDERS = at_the_start(
    r"""
    set | put | turn | enable | disable | switch | let | give | allow | raise | lower | increase
    reduce | pin | limit | store | return | send | start | stop | bump | wire | hide | mark | name
    print | log | cache | sort | format | simplify | convert | expose | generate | include | exclude
    keep | leave | take | ship | draw | avoid | quit | do not | don'?t | never | always
    """
)


def settles(text: str) -> bool:
    """Tell whether a sentence of a person settles how something is to be."""
    if rules_out(text):
        return True
    if only_requests(text) or only_tries(text) or _FALLS_SHORT.search(text):
        return False
    found = SETTLES.search(text) or cues.PRESCRIBES.search(text) or cues.DECIDED.search(text)
    return bool(found or (is_order(text) and CONSTRAINS.search(text)))


def is_order(text: str) -> bool:
    """Tell whether a sentence of a person wants something done, in the imperative."""
    phrase = phrase_title(text)
    return bool(cues.COMMANDS.match(phrase) or _ORDERS.match(phrase) or only_requests(text))


def decides(text: str) -> bool:
    """Tell whether a sentence of an agent tells a decision, and not what could be one."""
    if cues.DECIDED.search(text):
        return True
    return cues.DECIDES.search(text) is not None and not proposes(text)


def proposes(text: str) -> bool:
    """Tell whether a sentence only says what could be done."""
    return bool(_PROPOSES.search(text) or _SUPPOSES.match(text))
