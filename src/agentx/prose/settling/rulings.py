"""What a person rules out or lays down in a plain sentence: "No semicolons.", "Not X: use Y".

Such a sentence has no word that settles; it is known by its form. A denial of a thing without a
verb of its own forbids it; one with a verb ("No rows are shown") reports how things are.
"""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.sentences import is_question, once_a_line, words
from agentx.prose.settling.amounts import sets_plainly
from agentx.prose.settling.errands import is_for_once, reports_fault
from agentx.prose.settling.liftings import lifts
from agentx.prose.settling.wishes import (
    FOR_EVER,
    asks_to_remember,
    bids_for_good,
    forbids_always,
    is_wish,
)

_OPENING = (
    r"\W*(?:(?:ok(?:ay)?|well|so|and|but|also|please|pls|hm+|right|alright|fine|then|sorry|yes|yeah"
    r"|by the way|btw|fyi|note|remember|important|reminder|ps|one (?:more )?thing|in general"
    r"|bitte|gut|nein|por favor|non|no)\b[\s,.!:;-]+)*?"
)
# What follows a denial that forbids nothing.
_IDLE = (
    r"(?:problem\w*|worr(?:y|ies)|idea|clue|thanks?|need|rush|hurry|doubt|wonder|way|luck|one|matter"
    r"|longer|sure|bad|yet|now|really|exactly|quite|much|so|that|this|it|there|necessarily|only|just"
    r"|nice|good|ok(?:ay)?|i|you|we|he|she|they|change|difference|success|response|working|possible"
    r"|enough|again|what|how|why|the|a|an|ist|sind|war)\b"
)
_FORBIDS = compile_late(
    rf"(?i:{_OPENING}(?:(?:no|not|kein\w*|pas de|nada de) (?:more )?(?!{_IDLE})[\w`@\"'#]"
    r"|(?:stop|quit|avoid) (?:\w+ing|the use of)\b"
    r"|(?:do not|don'?t|never) (?!worry|mind|bother|forget|know|think|get|see|understand|care)\w"
    r"|always (?!when|if)\w|niemals|nie wieder|nunca|jamais))"
)
# An order of every time, whatever it speaks of; "never works", "always failed" say how things are.
_ORDERS = compile_late(
    rf"(?i:{_OPENING}(?:(?:please|you|we) )?(?:do not|don'?t|never|always) "
    r"(?!(?:\w*(?<!s)s|(?!need\b|feed\b|seed\b|embed\b|proceed\b|exceed\b)\w+ed|saw|got|came|went|had"
    r"|was|did|ran|knew|it|that|this|the|when|if|worry|mind|bother|forget|know|think|get|see"
    r"|understand|care|seem|seems|focus(?=ing))\b)\w)"
)
# "100 is too low for them, make it 600"
_SETS_IT = compile_late(
    r"(?i:[,;.\u2013\u2014-] ?(?:please |let's |so |then )*(?:make|set|put|raise|lower|cut|bring)"
    r" (?:it|that|this|them)(?: (?:up|down|back))?(?: (?:to|at))? \d[\w.,/%]*(?: \w+)?\W*\Z)"
)
_THEN = compile_late(rf"(?i:{_OPENING}no (?!{_IDLE})\S.*? then\W*\Z)")
_INSTEAD = compile_late(
    r"(?i:\W*(?:no|not|nope|nein|non)[\s,:]+(?:the )?(?:other way|opposite|reverse)\b"
    rf"|{_OPENING}not (?!{_IDLE})[^:;,.\n]{{2,60}}[:;,] *(?:but|use|take|go|make|do|keep|we)\b)"
)
# "pnpm, not npm"
_RATHER = compile_late(
    r"(?i:\W*(?:(?:ok(?:ay)?|and|also|so|please|but|no)[, ]+)*"
    r"(?!(?:is|are|was|were|do|does|did|maybe|perhaps|probably|why|it|that|this|there|can|could|will"
    r"|would|should|must|has|have|had|may|i|we|you|they|he|she|still|if|or|better|certainly|of|or"
    r"|definitely|absolutely|hopefully|course|surely|apparently|said|whether)\b)"
    r"(?:(?:use|take|prefer|run) )?[\w@./`-]+,? not "
    r"(?!(?:yet|now|today|working|sure|needed|there|here|ok|really)\b)[\w@./`-]+"
    r"(?:,? (?:please|pls|plz|bitte|then))?\W*\Z)"
)
# What is used no longer, and what is from now on: "on arr\u00eate d'utiliser X, on passe \u00e0 Y".
_SWITCHES = cues.anywhere(
    r"""
    (?:on|nous) (?:arr\u00eat\w+|cess\w+) d['\u2019 ]?utiliser | on n['\u2019]utilise plus
    (?:on|nous) (?:abandonn\w+|rempla\u00e7?c?\w+) \S+ (?:par|pour|au profit)
    (?:on passe|nous passons|on migre|on bascule) (?:\u00e0|vers|sur) (?!l[a'\u2019]|autre|une)\S+
    (?:dejamos|vamos a dejar) de usar | ya no (?:usamos|usaremos|utilizamos)
    (?:nos )?(?:pasamos|cambiamos|migramos) a (?!la\b|el\b|otra|otro|lo\b)(?:usar )?\S+
    (?:paramos|deixamos|vamos (?:parar|deixar)) de usar | n\u00e3o (?:usamos|vamos usar) mais
    (?:passamos|vamos passar|mudamos|migramos|trocamos) (?:a usar|para) (?!a\b|o\b|outr\w+)\S+
    """,
    r"""
    \u05dc\u05d0 \u05de\u05e9\u05ea\u05de\u05e9\u05d9\u05dd .{0,40}\u05d9\u05d5\u05ea\u05e8
    \u05de\u05e4\u05e1\u05d9\u05e7\u05d9\u05dd \u05dc\u05d4\u05e9\u05ea\u05de\u05e9
    \u05e2\u05d5\u05d1\u05e8\u05d9\u05dd .{0,40}\u05dc-?[A-Za-z]
    \u05ea\u05e2\u05d1\u05d9\u05e8\w* .{0,40}\u05dc-?[A-Za-z]
    \ub354 ?\uc774\uc0c1 .{0,30}(?:\uc548 ?\uc4f0|(?:\uc4f0|\uc0ac\uc6a9\ud558)\uc9c0 ?\uc54a)
    [A-Za-z]\S* ?\ub300\uc2e0 .{0,30}(?:\uc4f0|\uc0ac\uc6a9|\uc501)
    [A-Za-z]\S*\ub85c ?(?:\ubc14[\uafb8\uafc9]|\uac08\uc544\ud0c0|\uc804\ud658|\uc62e[\uae30\uae41])
    """,
)
# The verb of a sentence that tells how things are.
_TELLS = cues.anywhere(
    r"""
    is | are | was | were | has | have | had | does | did | shows? | shown | found | finds? | works?
    worked | happen(?:s|ed)? | appear(?:s|ed)? | came | comes? | gets? | got | failed | fails?
    i | it | they | he | she | there | seems? | matters? | arrives? | exists?
    ist | sind | war | wird | werden | hat | haben | gibt
    """
)
_DENIES = compile_late(r"(?i:\W*(?:no|not)\s+\w)")
_CLAUSE = compile_late(
    r"[:;,.]\s|\b(?i:because|since|as|when|if|unless|which|that|who|weil|wenn)\b"
)
_OPENED = compile_late(
    rf"(?i:{_OPENING})(?=(?i:no|not|kein\w*|pas|stop|quit|avoid|do|don|never)\b)"
)
# Whoever says so ends what was being tried.
_GIVES_UP = cues.at_the_start(
    r"""
    forget (?:it|that|this|about) | never ?mind | scrap (?:it|that|this|the) | (?:please )?undo
    (?:take|roll|put|change|switch|turn) (?:it|that|this|everything|all)(?: of it)? back
    roll back | (?:let'?s )?(?:go|get) back to | back to (?:the|our|how|what) | abandon
    revert (?:it|that|this|everything|all|your|the last) | drop (?:it|that|this|the idea)
    throw (?:it|that|this) away | not worth it | leave it (?:as it was|alone|be)
    vergiss es | lass(?:en wir)? (?:das|es) | doch nicht | zur\u00fcck zu | olv[i\u00ed]dalo
    laisse tomber | annule
    """,
    after="ok(?:ay)? | well | hm+ | no | nope | nah | so | and | then | please | sorry | argh",
)
_TRIES = cues.at_the_start(
    r"""
    try | (?:let'?s|we (?:can|could)|you could|could you|can you|can we) (?:just )?try
    give (?:\S+ ){1,3}a try | experiment | (?:see|check) (?:if|whether) | what (?:if|about)
    probier\w* | versuch\w*
    """,
    after="ok(?:ay)? | well | so | and | now | then | please | maybe | also | next | perhaps",
)
_TALKS = cues.anywhere(
    "(?:we|i) (?:have|need|want|ought) to (?:talk|discuss|look|think|speak|meet|understand|decide)"
)
# Of every time, and not of the work at hand alone.
_FOR_GOOD = compile_late(
    rf"(?i:{_OPENING}(?:(?:please|you|we|i|everyone|agents?|let'?s) )*"
    r"(?:must |should |will |shall )?(?:always|never(?! ?mind)|do not ever|don'?t ever|immer|nie"
    r"|niemals|siempre|nunca|toujours|jamais|sempre|mai)\b)"
)
# "One PR per issue, always"; "it fails, always" says how it is.
_AT_THE_END = compile_late(
    rf"(?i:{_OPENING}(?!(?:it|this|that|they|he|she|i|you|there|nobody|nothing|if|when)\b)"
    r"[^,;:\n]{4,120}[,;\u2013\u2014-] ?(?:always|ever|for good|no exceptions?|without exceptions?"
    r"|period|full stop|immer|ohne Ausnahme|siempre|toujours|sempre)\W*\Z)"
)
# "Before any commit ...", "after each merge, ...": when it holds.
_OCCASION = compile_late(
    rf"(?i:{_OPENING}(?:before|after|on|for|with|in|at) (?:any|every|each|all|an?|the|your|our) "
    r"(?:[\w/-]+ ){0,2}?[\w/-]+,? (?=(?:please |you |we |everyone )*"
    r"(?:must |should |shall )?(?:always|never)\b))"
)
# What was tried is left, and what was there before stays.
_DROPS = compile_late(
    r"(?i:\b(?:we|we'll|we will|let's|lets|I'll) (?:then )?(?:stay|stick) (?:on|with)\b"
    r"|\b(?:drop|abandon|delete|throw away|close|forget|scrap) (?:this|the|that) "
    r"(?:branch|spike|experiment|attempt|try)\b"
    r"|\bthe (?:branch|spike|experiment) (?:is|was) not worth\b"
    r"|\b(?:wir )?bleiben (?:dann )?(?:bei|auf)\b|\bnos quedamos con\b|\bon reste sur\b)"
)
_SAID_MIN = 4
_WORDS_MIN = 3
_WISH_WORDS_MIN = 2
_WORDS_MAX = 40


@lru_cache(maxsize=2_048)  # a session that runs is read again and again
def rules_out(text: str) -> bool:
    """Tell whether a sentence forbids something, or lays down what is to be from now on."""
    count = words(text)
    if not _WISH_WORDS_MIN <= count <= _WORDS_MAX or is_question(text):
        return False
    if asks_to_remember(text) or bids_for_good(text):
        return True
    if is_for_once(text):
        return False
    if is_wish(text) or _SWITCHES.search(text):
        return True
    return count >= _WORDS_MIN and _lays_down(text)


@once_a_line
def _lays_down(text: str) -> bool:
    if lifts(text) or sets_plainly(text):
        return True
    if _INSTEAD.match(text) or _RATHER.match(text) or _THEN.match(text):
        return True
    if _ORDERS.match(text) or _SETS_IT.search(text):
        return True
    return _FORBIDS.match(text) is not None and not _TELLS.search(_take_clause(text))


@once_a_line
def rules_for_good(text: str) -> bool:
    """Tell whether a sentence rules something for every task to come, and not of one thing."""
    occasion = _OCCASION.match(text)
    if occasion and rules_for_good(text[occasion.end() :]):
        return True
    is_told = reports_fault(text) and not _ORDERS.match(text)
    if _AT_THE_END.match(text) and not (is_question(text) or is_told):
        return True
    return rules_out(text) and bool(
        asks_to_remember(text)
        or FOR_EVER.search(text)
        or _FOR_GOOD.match(text)
        or forbids_always(text)
    )


def gives_up(text: str) -> bool:
    """Tell whether a prompt ends what was being done, and says something beside that."""
    return ends_attempt(text) and words(text) >= _SAID_MIN and not is_question(text)


def ends_attempt(text: str) -> bool:
    """Tell whether a prompt begins by ending what was being done."""
    return _GIVES_UP.match(text) is not None


def drops_attempt(text: str) -> bool:
    """Tell whether somebody leaves what was tried, and stays with what there was before."""
    return _DROPS.search(text) is not None


def only_tries(text: str) -> bool:
    """Tell whether a sentence wants something tried, or talked over: nothing is settled yet."""
    return _TRIES.match(text) is not None or _TALKS.search(text) is not None


def only_reports(text: str) -> bool:
    """Tell whether a sentence that begins with a denial only says how things are."""
    return _DENIES.match(text) is not None and _TELLS.search(_take_clause(text)) is not None


def _take_clause(text: str) -> str:
    """Return what a sentence begins with, up to where another clause begins."""
    opened = _OPENED.match(text)
    rest = text[opened.end() :] if opened else text
    return _CLAUSE.split(rest, maxsplit=1)[0]
