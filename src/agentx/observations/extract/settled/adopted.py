"""What somebody else ruled, and the person who passed it on took up.

    "Tom wrote:"  "> never allow insecure packages on build hosts"  "so replace it"

What is quoted is nobody's rule by itself. Where the person says behind it that it is to be done,
it is told with its author and with the words that took it up. Law: only where the end of the
quotation is sure, by its marks: else it could take itself up.
"""

from __future__ import annotations

from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.settled.agreements import ANSWERED, decision
from agentx.prose.cues import at_the_start
from agentx.prose.sentences import is_question, sentences, shorten
from agentx.prose.settling.rulings import rules_out
from agentx.prose.settling.verdict import settles
from agentx.prose.whose.pasted import list_quoted

_RULES_MAX = 2
_RULE_CHARS = 150
_LEAD_CHARS = 60
_OWN_CHARS = 120
_MARKS = compile_late(
    r"(?m)^[ \t]*>+[ \t]?|[\"\u201c\u201d\u201e\u00ab\u00bb]+|'{3}|`{3}|^[ \t]*[-*] "
)
_ADOPTS = at_the_start(
    r"""
    so (?:please )?(?!translat|answer|writ|repl(?:y|ies)|summar|what|is|are|does|how|why|who)\w+
    (?:follow|apply|obey|respect|adopt|implement|heed) (?:that|this|it|them|these|those|his|her)
    (?:do|make) (?:that|this|it|so|as|what|just that)\b
    (?:comply with|stick to|go by|act on|take over) (?:that|this|it|them|what)
    (?:he|she|they|\w+)(?:'s| is| are) (?:absolutely |of course )?right | agreed | i agree
    makes sense
    (?:we|i|you)(?:'ll| will| should| must| have to)? (?:follow|obey|adopt|respect|comply|stick)
    (?:we|i|you)(?:'ll| will| should| must| have to)? do (?:that|so|it|what|as)
    let'?s (?:do|follow|adopt|respect|stick) | from now on (?:that|this|we)
    (?:that|this)(?:'s| is) (?:now |from now on )?(?:our|the|a) (?:rule|policy)
    also (?:bitte )?(?!was|wie|warum|ist)\w+ | (?:so )?machen wir (?:das )?(?:so|auch)
    mach(?:e|t|en)? (?:das |es )?so | halt\w* (?:dich|uns|euch) daran
    (?:er|sie) hat recht | hazlo | as\u00ed (?:que|lo) | tiene raz\u00f3n | fais (?:comme )?\u00e7a
    on fait comme \u00e7a | donc \w+ | il a raison | facciamo cos\u00ec | ha ragione | quindi \w+
    fa(?:z|zemos) assim | ent\u00e3o \w+
    """,
    after="ok(?:ay)? | and | please | yes | hm+ | bitte | und | y | et | e",
)
_REFUSES = compile_late(
    r"(?i:\b(?:ignore|nonsense|wrong|not (?:us|ours|our|relevant|true|now)|don'?t|do not|no need"
    r"|unsinn|quatsch|ignorier\w*|ignora|tonter\u00eda|n'importe quoi)\b)"
)


def find_adopted(prompt: Turn) -> Finding | None:
    """Return what a person took up of what they passed on, with who said it."""
    text = without_recall(prompt.text)
    quoted = list_quoted(text)
    if not quoted:
        return None
    last = quoted[-1]
    own = " ".join(text[last.end :].split())
    if not own or is_question(own) or not _ADOPTS.match(own) or _REFUSES.search(own):
        return None
    said = [one.text for one in sentences(_MARKS.sub(" ", text[last.start : last.end]))]
    rules = [each for each in said if rules_out(each) or settles(each)][:_RULES_MAX]
    if not rules:
        return None
    lead = shorten(last.announced, _LEAD_CHARS)
    told = " ".join(shorten(each, _RULE_CHARS) for each in rules)
    line = f'{lead} "{told}" {shorten(own, _OWN_CHARS)}'.strip()
    return decision(f"The user said: {line}", line, prompt, (prompt.event_id,), ANSWERED)
