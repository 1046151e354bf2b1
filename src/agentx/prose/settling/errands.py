"""What is only to be done now, and what is said to be broken: neither settles how a thing is to be.

Why somebody wants something is no part of how it is to be done: "so that it does not hang" after
an order constrains nothing. That something does not work is a report, and so is a guess ("there
must be a bug"). Who wants it looked at, shown or run settles nothing, however it is hedged.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.sentences import once_a_line
from agentx.prose.titles import phrase_title

# Why an order is given; also without a word for it: "Remove it, it uses X now".
_WHY = compile_late(
    r"(?i:(?:[,;:.]|\s[-\u2013\u2014])?\s(?:so(?! far)|because|since|now that|otherwise"
    r"|in order to|in case|cause|as (?:it|they|we|i|there|the|this)|damit|weil|denn|sonst"
    r"|para que|porque|pour que|parce que"
    r"|car)\b"
    r"|[,;:.\u2013\u2014-] (?:it|they|we|i|he|she|there|nobody|everybody|users?|people|that|this)"
    r"(?:'\w+)? (?!want|prefer|should|must|keep|stay|ha(?:s|ve) to"
    r"|needs? to|no longer|go|use|will)\w+)"
)
# A guess at what is the matter.
_GUESSES = compile_late(
    r"(?i:\b(?:there|it|that|this|something|you|we|they) must (?:be|have)\b"
    r"|\bmust (?:have been|be (?:a|an|some|something|because|due|related|wrong|missing))\b"
    r"|\bcan'?t be (?:right|true|it)\b|\bneeds? to be (?:fixed|looked|checked)\b)"
)
# What is run, shown, told or handed on, and is over then.
_ERRANDS = cues.at_the_start(
    r"""
    run | rerun | re-run | push | merge | rebase | commit | deploy | redeploy | close | reopen
    show | explain | tell | print | list | confirm | verify | check | double-check | look | read
    review | compare | describe | summari[sz]e | restart | start | stop the | wait
    open (?:a|the) | try | test | debug | find | investigate | measure | leave \S+(?: \S+)? open
    here(?:'s| is| are)
    (?:give|send|paste) (?:me|us) | see | remind | continue | go on | proceed | spawn | launch | ask
    (?:switch|go|check ?out|hop)(?: back)? (?:to|over to) (?:the )?(?:main|master|trunk|develop)\b
    (?:switch|check ?out)(?: back)? (?:to )?(?:the |a |your |my )?(?:\S+ )?branch
    check ?out | (?:git )?(?:pull|fetch|stash|tag) (?!requests?\b)
    (?:delete|remove|prune|clean up) (?:the |all |any |your |these |those )?
    (?:(?:stale|old|merged|dead|local|remote|unused|leftover)[, ]+(?:and |or )?)+(?:branch|worktree)
    cancel \S*\d\S* | zeig\w* | erkl\u00e4r\w* | pr\u00fcf\w* | schau\w* | lass\w* .{1,40} laufen
    """
)
# "61 stays, cancel 88": which of two records goes, by their numbers alone.
_OF_RECORDS = compile_late(
    r"(?i:#?\d+ (?:stays?|remains?|goes|bleibt|se queda|reste)\b[^.;]*?[,;] (?:and |und |y |et )?"
    r"(?:cancel|delete|refund|close|storniere?|l\u00f6sche?|cancela|borra|annule)\w* #?\d+\b"
    r"|(?:keep|behalte?) #?\d+[,;]? (?:and |und )?"
    r"(?:cancel|delete|refund|close|storniere?|l\u00f6sche?) #?\d+\b)"
)
_INFORM = cues.at_the_start("explain | tell (?:me|us) | show (?:me|us) | describe | summari[sz]e")
# Said of every time, and of nothing that is over then.
_EVERY = cues.anywhere(
    r"""
    always | never | every | each | no longer | from now on | in (?:the )?future | any ?time
    whenever | only from
    immer | nie | jedes | siempre | nunca | toujours | jamais
    """
)
# A person who says so reports what is wrong.
_VERBS = (
    "(?:work|show|load|start|run|open|compile|build|render|respond|appear|update|save|pass|match|exist"
    "|fail|finish|end|become|arrive|send|return|sort|reach|answer|connect|display|log|sign|print|get"
    "|find|see|stop|close|ack|trigger|fire|receive|happen|pay|hit)"
)
_FALLS_SHORT = compile_late(
    r"(?i:\b(?:doesn'?t|didn'?t|isn'?t|aren'?t|wasn'?t|won'?t|can'?t|cannot|couldn'?t"
    rf"|(?:is|are|does|did|was|were) not) (?:\w+ )?{_VERBS}(?:e?s|t?ed|t?ing)?\b"
    # "never run it" is an order, "it never runs" is none
    rf"|\b(?:never|only) (?:\w+ )?{_VERBS}(?:e?s|t?ed)\b"
    # "it always fails on CI" says how it is
    r"|\balways (?:\w+ )?(?:fails|times out|breaks|crash(?:es)?|hangs|dies|errors|freezes|flickers"
    r"|stops|loses|leaks)\b|\b(?:schl\u00e4gt|schlagen|st\u00fcrzt|st\u00fcrzen|h\u00e4ngt)\b[^.;]{0,40}"
    r"\bimmer\b|\bsiempre (?:falla|se cae|se cuelga|se rompe)\w*"
    r"|\b(?:\u00e9choue|plante|casse) toujours\b"
    r"|\b(?:have|has|are|is|with|got) [^.;]{1,50}? (?:that|which|who)"
    r" (?:don'?t|doesn'?t|do not|does not|can'?t|cannot|never|won'?t|aren'?t|isn'?t|only)\b)"
)
# How something is that was once otherwise.
_OF_LATE = cues.anywhere(
    r"""
    any ?more | again | since (?:yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday)
    since (?:this|last|the) (?:morning|night|week|update|upgrade|release|rollout|deploy\w*|merge)
    since \d{1,2}[:.]\d\d | this morning | right now | at the moment | incident | is back | are back
    broken | crash\w* | is red | are red | is down | are down | seit (?:gestern|heute|dem)
    (?:is|are|was|were) not (?:good|fast|safe|quick) enough
    """
)
_IN_CASE = compile_late(
    r"(?i:(?<=\w)(?<!\bfails)(?<!\bhangs)(?<!\bcrashes)(?<!\bbreaks) "
    r"(?:when(?:ever)?|if|in case|while|wenn|falls|sobald|cuando|si|quand) "
    r"(?:the |our |der |die |das |el |la |le )?[\w-]+ (?:is|are|ist|sind|est\u00e1|est) "
    r"(?:down|broken|red|gone|off|offline|unreachable|weg|aus|ca\u00eddo)\b)"
)
# What a reviewer finds: what a piece of code does beside what it says or ought to.
_PART = r"(?:[^.;]|\.(?=\S))"  # of a sentence: a name may have dots
_FOUND = compile_late(
    rf"(?i:\A\W*(?:the|this|these|both|each|one of the) {_PART}{{0,80}}?\b(?:"
    rf"[a-z]+s {_PART}{{0,60}}?\bwithout (?:\w+ )?(?:checking|validating|verifying|handling"
    r"|honou?ring|respecting|escaping|sanitizing|releasing|awaiting|considering|taking)\b"
    rf"|(?:claims?|suggests?|implies|pretends?)\b{_PART}{{0,160}}?"
    r" (?:but|while|yet|though|although)\b"
    rf"|[a-z]+s {_PART}{{0,120}}?, (?:while|whereas|even though|although) the {_PART}{{0,80}}\b"
    r"(?:does|is|has|doesn't)\b"
    r"|(?:is|are|does|do) (?:not|never) actually\b))"
)
# Who weighs what could be done says no more of how things are than why they think so.
_WEIGHS = compile_late(
    r"(?i:\b(?:maybe|perhaps|vielleicht|quiz\u00e1s?|peut-\u00eatre)\b[^.;]{1,80}\b"
    r"(?:is|would be|could be|might be|w\u00e4re|ist|ser\u00eda|serait)"
    r" (?:an? |the |eine? |la |una? )?"
    r"(?:good|better|best|nice|gute|bessere|beste|buena|mejor|bonne|meilleure)\b"
    r"(?: (?:option|idea|choice|way|thing|idee|wahl|opci\u00f3n|id\u00e9e))?)"
)
_OBLIGES = cues.anywhere(
    r"""
    (?<!i )have to | must | should | shall | has to | needs? to | may not | may only | let'?s
    instead | rather than | we (?:will|stay|keep|use|go|want|decided|agreed) | decid\w+
    agreed | prefer
    stays? | remains? | soll\w* | muss | bleib\w*
    """
)
# A person who wants to know what is the matter.
_LOOKS = compile_late(
    r"(?i:(?:\A|[.!?;,]\s+|\band |\bplease |\byou )(?:please )?"
    r"(?:(?:find out|figure out|look into|look at|investigate|check|see|debug)"
    r" (?:why|what|where|it|this|that|them|these|those|the reason|how come|into it)\b[^.!?\n]{0,40}"
    r"|(?:have|take) a look\b[^.!?\n]{0,30}|any ideas?\b[^.!?\n]{0,30}"
    r"|find (?:it|the (?:cause|reason|bug|culprit))\b[^.!?\n]{0,20}"
    r"|what'?s (?:up|wrong|going on)\b[^.!?\n]{0,30}"
    r"|(?:fix|mend|repair|raise|solve) (?:it|this|that|them)\b[^.!?\n]{0,20})\W*\Z)"
)


# What binds a turn, or a single time, and nothing after it.
_FOR_ONCE = compile_late(
    r"(?i:\b(?:yet|this (?:one )?time|just (?:this )?once|for once|not now|this once"
    r"|(?:for|in|on) (?:this|that) (?:one |single )?(?:test|run|commit|pr|pull request|session|time"
    r"|change|task|branch|one|file)(?: only)?|first|for the moment|temporarily|before (?:you|i|we)"
    r"|(?:only|just) (?:this|that) (?:one|time)|noch nicht|erst mal|diesmal|por ahora no"
    r"|pas encore)"
    r"(?=\s*(?:[.,;:!)]|\Z|because\b|and\b|then\b|\w+ (?:\w+ ){0,8}?\w*\W*\Z)))"
)
# What is not to be made, sent or touched, now or for the thing at hand: "don't make a sticker".
_NOT = (
    r"(?:\W*(?:ok(?:ay)?|and|but|so|please|no|fine|also|yes)\b[, ]*)*"
    r"(?:please )?(?:don'?t|do not|dont|no need to|no|non|n\u00e3o|ne)(?: yet)? "
)
_BRINGS = r"(?:make|draw|print|open|cut|record|send|post|book)"
_DOES = (
    rf"(?:{_BRINGS}|prepare|create|write|branch|commit|push|deploy|flash|release|rebase|squash|run"
    r"|start|bother|ask|wait|touch)"
)
_INNER = (
    r"(?!(?:for|in|on|of|to|with|when|if|without|at|from|per|as|that|which|every|each|until)\b)"
)
_AT_END = r"\W*(?:\Z|(?=, just\b))"
_ONE_OFF = compile_late(
    rf"(?i:\A{_NOT}(?:"
    rf"{_BRINGS} (?:me |us )?an? (?:{_INNER}[\w-]+ ?){{1,4}}"
    rf"(?:for (?:this|that|it)(?: one)?|here|please)?{_AT_END}"
    rf"|{_DOES}\b[^.;:,]{{0,60}} for (?:this|that)(?: one)?{_AT_END}"
    r"|(?!longer\b)\w+ [^.;:,]{0,60}(?<!from )(?<!until )(?<!till )(?<!by )(?:right now|now|ahora"
    r"|maintenant|adesso|agora)\W*\Z))"
)
_PUTS_OFF = cues.at_the_start(
    r"""
    let me (?:think|check|see|look|ask|sleep|come back) | i'?ll (?:think|check|see|ask|look)
    (?:i'?ll|will) do (?:it |that )?(?:myself )?later | not (?:now|today) | maybe later
    """,
    after="ok(?:ay)? | hm+ | well | so | no | nope | yes | and | but",
)
_STILL = cues.at_the_start(
    "still | same | it'?s? still | that (?:did|does)n'?t | did(?:n'?t| not) (?:help|work|fix)",
    after="ok(?:ay)? | hm+ | well | so | no | nope | nah | sorry | argh | but",
)


# What somebody will do: "makes sense, I open an issue", "ich frage Sven".
_OWN = compile_late(
    r"(?i:\W*(?:(?:ok(?:ay)?|hm+|yes|yeah|right|good point|fair|makes sense|true|fine|agreed|so"
    r"|then|gut|stimmt|ja|vale|d'accord)[\s,.!:;-]+)*"
    r"(?:i(?:'ll| will| am going to|'m going to)?|ich) (?:then |just |dann )?"
    r"(?:ask|open|file|create|call|phone|mail|email|write to|talk to|speak to"
    r"|tell|ping|message|merge|push|frage?|rufe|schreibe?|melde|erstelle)\b"
    r"(?! it (?:a|an|the)\b)[^.;]*\W*\Z)"
)


# What somebody has to do themselves is no order: "I must dash", "ich muss los".
_HAS_TO = compile_late(
    r"(?i:\W*(?:(?:sorry|ok(?:ay)?|but|and|so|well|oh|right|aber|pero|mais)[\s,]+)*"
    r"(?:i(?:'ve)? (?:must|have to|have got to|got to|gotta)(?! be able| have| see| insist)"
    r"|i(?:'m| am) off|ich muss(?! \w+ k\u00f6nnen)|tengo que|je dois|devo|tenho que|ik moet) \w+)"
)


def does_it_oneself(text: str) -> bool:
    """Tell whether a person says what they do themselves, or have to: it settles nothing."""
    return _OWN.match(text) is not None or _HAS_TO.match(text) is not None


def cut_reason(order: str) -> str:
    """Return an order without why it is given."""
    found = _WHY.search(order)
    return order[: found.start()] if found else order


def is_errand(text: str) -> bool:
    """Tell whether a sentence wants something shown, told or run, and is over with it."""
    phrase = phrase_title(text)
    if _INFORM.match(phrase):
        return True
    is_one = _ERRANDS.match(phrase) is not None or _OF_RECORDS.match(phrase) is not None
    return is_one and not _EVERY.search(text)


@once_a_line
def is_for_once(text: str) -> bool:
    """Tell whether an order binds only this turn, or puts off what it is about."""
    if is_one_off(text):
        return True
    return bool(_FOR_ONCE.search(text) or _PUTS_OFF.match(text)) and not _EVERY.search(text)


@once_a_line
def is_one_off(text: str) -> bool:
    """Tell whether a sentence wants a single thing not made or touched, at this moment alone."""
    return _ONE_OFF.match(text) is not None and not _EVERY.search(text)


@once_a_line
def reports_fault(text: str) -> bool:
    """Tell whether a sentence says that something is broken, and not how it is to be."""
    if _STILL.match(text):
        return True
    if _WEIGHS.search(text):
        return False
    # What is to be done in a case is no report of the case: "fail open when redis is down".
    text = _IN_CASE.sub(" ", text)
    if _OBLIGES.search(drop_guesses(text)):
        return False
    return bool(_FALLS_SHORT.search(text) or _OF_LATE.search(text) or _FOUND.match(text))


def wants_a_look(text: str) -> bool:
    """Tell whether a text ends with the wish that somebody looks into what it says."""
    return _LOOKS.search(text) is not None


def drop_guesses(text: str) -> str:
    """Return a text without what its speaker guesses at."""
    return _GUESSES.sub(" ", text)
