"""How things are with us, said in passing: who does what, where a thing is, what all are like.

    "Karin signs releases"     "Dev server is on port 8080"     "migrations go through Alembic"

Beside a ruling each is one too; alone it only tells how things are. What happened, what somebody
thinks of it and what is measured is none.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.prose import cues

# Who has a duty: "Ines reviews everything", "releases are signed by Karin".
_DUTY = compile_late(
    r"(?i:\W*(?:(?:and|also|und|y|et|e) )?(?-i:[A-Z]\w+|\w+)(?: (?-i:[A-Z]\w+))?"
    r"(?: (?:alone|only|allein|nur noch|solo|seul))? "
    r"(?:signs|owns|reviews|approves|merges|releases|deploys|handles|maintains|decides|publishes|leads"
    r"|manages|keeps|grants|pays|has the (?:keys?|password|last word|final say|say)"
    r"|is (?:responsible|in charge|on call|the owner)"
    r"|pr\u00fcft|entscheidet|verantwortet|betreut|genehmigt|unterschreibt|gibt \w[\w ]{0,30} frei"
    r"|nimmt \w[\w ]{0,30} ab|firma|revisa|decide|aprueba|publica|signe|valide|relit"
    r"|d\u00e9cide|g\u00e8re|approva|gestisce|controlla)\b)"
)
_BY = compile_late(
    r"(?i:\b(?:are|is) (?:only )?(?:signed|reviewed|approved|merged|released|deployed|owned|handled"
    r"|maintained|published|decided|done) (?:off )?(?:only )?by (?-i:[A-Z])\w+)"
)
# "line length 100", "dev server is on port 8080", "node 22 everywhere".
_VALUE = compile_late(
    r"(?i:\W*(?:(?:and|also|the|our|und|der|die|das|el|la|le) )*(?:[\w./`-]+ ){1,4}?"
    r"(?:(?:is|are|ist|sind|es|est|\u00e8|=) )?(?:(?:on|at|auf|en|sur|su) )?(?:port |version |v)?"
    r"\d[\w.:]*(?: (?:everywhere|from now on|now|desde ahora|ab jetzt"
    r"|d\u00e9sormais|for all|for everything|only|\u00fcberall|en todas partes|partout))?\W*\Z)"
)
_MEASURE = compile_late(
    r"(?i:\d ?(?:[kmgt]i?b|ms|s|secs?|seconds?|min|minutes?|hours?|days?|weeks?|%|percent|times|x"
    r"|users?|lines?|files?|tests?|rows?|errors?)\b)"
)
# What all of a kind are like, where they go and how they are made: without an article.
_ALL = compile_late(
    r"(?i:\W*(?:(?:and|also) )?(?!this\b|its\b|always\b|yes\b|thanks\b|users\b|customers\b|people\b"
    r"|things\b|others\b|does\b|is\b|was\b|has\b|as\b)(?:[a-z][\w-]* )?[a-z][\w-]*[a-rt-z]s "
    r"(?:go|live|belong|come|stay|get|use|need|follow|end|start|run|are) (?!to\b)\S)"
)
# What somebody thinks of it, or how it is just now.
_JUDGES = cues.anywhere(
    r"""
    are (?:an?|the|what|why|how)
    are (?:too|so|very|really|quite|still|all|just|now|already|not|never) \w+
    are (?:slow|fast|big|small|tiny|huge|broken|wrong|right|missing|down|late|angry|happy|better)
    are (?:expensive|cheap|hard|easy|bad|good|fine|ok|red|green|flaky|ugly|gone|done|there|here)
    are (?:ready|great|nice|worse|stuck|failing|scattered|annoying|confusing|old|new)
    """
)
_HAPPENED = cues.anywhere(
    r"""
    i | me | my | was | were | had | did | went | got | took | saw | said | told | asked | yesterday
    today | last | ago | tonight | just | again | ich | gestern | heute | ayer | hoy | hier | ieri
    cost | costs | takes? | seems? | looks? | would | could | might | maybe | if | when
    """
)


def states_norm(text: str) -> bool:
    """Tell whether a sentence says who does what, what a value is, or how all of a kind are."""
    if _HAPPENED.search(text):
        return False
    if _DUTY.match(text) or _BY.search(text):
        return True
    if _VALUE.match(text):
        return not _MEASURE.search(text)
    return _ALL.match(text) is not None and not _JUDGES.search(text)
