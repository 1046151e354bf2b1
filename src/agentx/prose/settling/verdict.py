"""Whether what a person says settles something. One rule for all who ask.

The table of contents and what is kept of a session must not disagree about the same sentence.
"""

from __future__ import annotations

from agentx.prose import cues
from agentx.prose.cues import anywhere
from agentx.prose.settling.asking import only_requests
from agentx.prose.settling.rulings import only_tries, rules_out

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


def settles(text: str) -> bool:
    """Tell whether a sentence of a person settles how something is to be."""
    if rules_out(text):
        return True
    found = SETTLES.search(text) or cues.PRESCRIBES.search(text)
    return found is not None and not (only_requests(text) or only_tries(text))
