"""Whether what a person says settles something. One rule for all who ask.

The table of contents and what is kept of a session must not disagree about the same sentence.
"""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.cues import anywhere, at_the_start
from agentx.prose.sentences import is_question, once_a_line, sentences
from agentx.prose.settling.asking import (
    CHOOSES,
    CONSTRAINS,
    asks,
    calls_command,
    commands,
    is_unsure,
    only_requests,
)
from agentx.prose.settling.errands import (
    cut_reason,
    does_it_oneself,
    drop_guesses,
    is_errand,
    is_for_once,
    reports_fault,
    wants_a_look,
)
from agentx.prose.settling.greetings import drop_task, greets
from agentx.prose.settling.rulings import only_tries, rules_out
from agentx.prose.titles import phrase_title

# A user who settles something. Said of what is to be, not of what is to be done next.
SETTLES = anywhere(
    r"""
    decid\w+ | agreed | go(?:ing)? with | stick(?:ing)? (?:to|with) | instead(?: of)? | rather than
    prefer\w* | non-negotiable | not? (?:more|longer) | from now on | must(?:n't| not)?
    never(?! ?mind)
    always | only | (?:don'?t|do not|doesn'?t|shouldn'?t|won'?t|can'?t|cannot) | without | keep
    has to | (?<!i )have to | needs? to be | should (?!i\b|we\b)\w+
    by default | switch(?:ed|ing)? (?:to|from) | after all
    let'?s (?:use|keep|go|stick|drop|not|avoid|make)
    let'?s (?:do|have) (?!(?:it|that|this|them|so|an?|the)\b)[a-z]\w+
    we (?:want|use|support|keep|take|store|ship|don'?t|do not|never|only|write|run|call)
    we(?:'ve| have)? (?:moved|switched|migrated) [^.;?]{1,60} to | is what we \w+
    (?:owns|handles|maintains|is responsible for|is in charge of) [^.;?]{1,40} (?:now|from now on)
    (?:is|are) (?:dead|history|retired|off the table)
    i (?:want|prefer|don'?t|will have|would rather) | i'?d rather
    (?:is|are) (?:fine|enough|ok|required|mandatory|not) | no need | leave
    (?<!i )(?<!you )(?<!they )(?<!we )(?<!to )(?<!can )use
    (?<!the )(?<!whole )(?<!a )stay
    stays | minimum | maximum | at most | at least | supports? | you may | may (?:not|only)
    we \w+ (?:with|via|through|by)
    make sure | ensure | important | be careful | convention | policy | rule | avoid | except
    entschieden | statt | bleibt | bleiben | nicht | kein\w* | immer | nie | nur | soll\w* | sonst
    en lugar de | siempre | nunca | au lieu de | toujours | jamais | dann
    hasta que (?:yo )?(?:lo |te )?diga | bis ich (?:es |das )?sage | jusqu'\u00e0 ce que je
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
# What an agent says of its work, and the words of a decision that only tell what it did.
_DID = compile_late(
    r"(?i:(?:\A|[.;:,] |\b(?:i|we|and|have|has|was|were|been|is|are|now|also)(?:'ve)? )"
    r"(?:switch|drop+|remov|replac|mov|chang|delet|prun|renam|convert|migrat|add|updat|merg|rebas"
    r"|revers|opt|approv)ed\b|\w+ (?:removed|dropped|deleted|replaced) in fav)"
)
_DONE = compile_late(r"(?i:switch|in fav|opt|trade|revers|approved|the plan|stick|go)")
_JUDGES = compile_late(
    r"(?i:(?:right|better|best|cleanest|simplest|safest)\b|(?:is|are) the |we should|i should)"
)
_SAYS_WHY = anywhere(
    "because | since | so that | rather than | instead of | to avoid | otherwise | weil | statt"
)
# "We use X instead of Y because ...": the choice, what was refused for it, and why.
_CHOSE = compile_late(
    r"(?i:\A\W*(?:so |now |here )?(?:we|i) (?:now )?(?:use|keep|take|chose|picked|store|put"
    r"|went with|go with|settled on|stick with|stay with)\b[^.;\n]{2,160}?"
    r"\b(?:instead of|rather than|over|and not)\b[^.;\n]{2,160}?"
    r"\b(?:because|since|so that|as (?:it|the|we|they)|otherwise)\b)"
)
# Who says what is to be, and not only what is possible by now.
_LAYS_DOWN = anywhere("we | i(?:'ll| will) | must | always | never | only | use | should | will be")
_SUPPOSES = at_the_start(r"if (?:the|you|we|it|this|that|a|an|your|our|they|there)")
_PLEASE = compile_late(r"(?i:\w (?:please|pls|plz)\s*(?:[.!,]|\Z))")
# What somebody thinks of it, and wants nothing of.
_OPINES = at_the_start(
    "i (?:do not|don'?t|never) (?:believe|know|think|see|understand|remember|recall|get)"
)
_ORDERS = at_the_start(
    r"""
    set | put | turn | enable | disable | switch | let | give | allow | raise | lower | increase
    reduce | pin | limit | store | return | send | start | stop | bump | wire | hide | mark | name
    print | log | cache | sort | format | simplify | convert | expose | generate | include | exclude
    keep | leave | take | ship | draw | avoid | quit | do not | don'?t | never | always
    """
)


# "DuckDB then", "Postgres it is", "polars out": what is taken or left, and no more.
_TAKES = compile_late(
    r"(?i:\A\W*(?:(?:ok|okay|fine|right|alright|good|hm+|and|so)\W+)*"
    r"(?!(?:what|who|why|how|where|when|which|and|but|if|i|you|it|that|this|not|see|later|later on"
    r"|(?:an? )?(?:issue|tick[e]t|task|pr|follow-?up|todo|backlog)|today|tonight|lunch|dinner"
    r"|tomorrow|never|mind|lol|back|by|until|since|even|every|just|right|now|only|do|go|try|let|well|yes|no)\b)"
    r"[`\w./+@-]+(?: (?!(?:is|are|was|were|will|can|could|would|should|did|do|does|by|since|until"
    r"|even|back|right|just|it|that|this|them|me|us)\b)[`\w./+@-]+){0,3} (?:(?:then|out)\s*[.,;!]"
    r"|(?:then|out|it is)\s*[.!]?\Z|it is\s*[.,;!](?=\s))"
    r"|\A[^.;,]{2,40} (?:is|are) dead, (?:it'?s|use|we)\b)"
)


# "It crashes on Android. iOS is fine": what a fault spares.
_SPARES = compile_late(
    r"(?i:(?:\A\W*|(?<=[.;,!] ))(?:but |only |and |aber |nur |pero |mais )?[^.;:,]{1,60}?"
    r" (?:is|are|works?|l\u00e4uft|geht|ist|sind|funktioniert|va|marche|funciona)"
    r"(?: still| all| noch)? (?:fine|ok(?:ay)?|good|well|gut|in ordnung|bien)\W*\Z)"
)


@lru_cache(maxsize=1_024)  # a session that runs is read again and again
def settles(text: str) -> bool:
    """Tell whether what a person says settles how something is to be."""
    if calls_command(text):
        return False
    if rules_out(text):
        return True
    said = [one.text for one in sentences(text)]
    if any(map(reports_fault, said)):
        said = [rest for one in said if (rest := _SPARES.sub("", one).strip())]
    is_look = wants_a_look(text)
    return any(rules_out(one) if is_look else _settles(one) for one in said)


def takes_in_short(text: str) -> bool:
    """Tell whether a sentence takes or leaves something by name, and says no more."""
    return _TAKES.match(text) is not None


@lru_cache(maxsize=1_024)  # as above
def wants_work(text: str) -> bool:
    """Tell whether a sentence of a person only wants something done, or says what is broken."""
    if only_requests(text) or only_tries(text) or is_errand(text) or reports_fault(text):
        return True
    if does_it_oneself(text):
        return True
    return (is_for_once(text) or is_unsure(text)) and not cues.DECIDED.search(text)


def asks_for_something(text: str) -> bool:
    """Tell whether a person asks for an answer or for work with it."""
    return (
        bool(_PLEASE.search(text))
        or calls_command(text)
        or wants_a_look(text)
        or any(
            is_question(one) or is_order(one) or only_tries(one) or is_errand(one)
            for one in (drop_task(each.text) for each in sentences(text))
        )
    )


def reports_broken(text: str) -> bool:
    """Tell whether a person says with it what is broken."""
    return any(reports_fault(one.text) for one in sentences(text))


def _settles(sentence: str) -> bool:
    text = drop_task(sentence)
    if greets(text):
        return False
    if rules_out(text) or (takes_in_short(text) and not is_question(text)):
        return True
    if asks(text) or wants_work(text) or _OPINES.match(text):
        return False
    said = drop_guesses(text)
    if is_order(text):
        said = cut_reason(said) if commands(text) else said
        return bool(CONSTRAINS.search(said) or CHOOSES.match(phrase_title(text)))
    return bool(SETTLES.search(said) or cues.PRESCRIBES.search(said) or cues.DECIDED.search(said))


@once_a_line
def is_order(text: str) -> bool:
    """Tell whether a sentence of a person wants something done, in the imperative."""
    return commands(text) or bool(_ORDERS.match(phrase_title(text)) or only_requests(text))


@once_a_line
def decides(text: str, *, worked: bool = True) -> bool:
    """Tell whether a sentence of an agent tells a decision, and not what could be one.

    What was done without a word of why is a change, and what would be right is a proposal unless
    something was changed (`worked`).
    """
    if cues.DECIDED.search(text) or chooses(text):
        return True
    found = cues.DECIDES.search(text)
    if found is None or proposes(text):
        return False
    if _JUDGES.match(found[0]) and not worked:
        return False
    if found[0].lower() == "from now on" and not _LAYS_DOWN.search(text):
        return False
    return not (_DID.search(text) and _DONE.match(found[0])) or _SAYS_WHY.search(text) is not None


def chooses(text: str) -> bool:
    """Tell whether an agent says what is taken, instead of what, and why."""
    return _CHOSE.match(text) is not None and not proposes(text)


@once_a_line
def proposes(text: str) -> bool:
    """Tell whether a sentence only says what could be done."""
    return bool(_PROPOSES.search(text) or _SUPPOSES.match(text))
