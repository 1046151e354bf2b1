"""The words by which somebody says that work is left, or where it stopped. Tables."""

from __future__ import annotations

from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.extract.left.access import lacks_access
from agentx.observations.extract.left.last_words import says_left
from agentx.prose import cues
from agentx.prose.sentences import is_question, once_a_line, words

SAVED = r"(?:committed|pushed|merged|deployed|released|published|rebased|tagged)"
_WORK = (
    rf"(?:{SAVED}|done|implemented|tested|fixed|verified|migrated|applied|wired(?: up)?|started"
    r"|built|finished|updated|run|rolled out|cleaned up|written|ported|translated|documented)"
)
# Of what is not so on purpose nothing is left to do.
_UNDONE = (
    r"(?!affected|need|requir|chang|touch|includ|allow|support|us|recommend|relat|intend)"
    r"\w+(?:ed|en)"
)
# How a sentence begins that says what is left.
_OPENS = cues.at_the_start(
    rf"""
    not (?:yet )?(?:started|begun)(?=[:,]) | noch nicht (?:angefangen|begonnen)
    not (?:yet )?(?:done|pushed|committed|merged|deployed|tested|implemented|released|finished)
    (?:for )?(?:tomorrow|later|monday|next week)(?=:) | not yet(?=:)
    not (?:yet )?{_UNDONE}(?: yet)?(?=:) | not {_UNDONE}(?: \w+)? yet
    left(?=:) | (?:one|two|three|some|a few) (?:more )?things? remains?(?=:)
    (?:one|two|three|some|a few) (?:more )?things? (?:is|are) (?:still )?(?:left|open|missing)(?=:)
    noch nicht \w+t(?=:) | pas encore \w+(?=\s?:)
    still (?:open|to do|to be done|missing|pending|outstanding|undone)
    left (?:open|undone|to do|for (?:later|you|another)) | remaining(?: work| tasks?| items?)?(?=:)
    to-?do(?: for (?:you|later|me))?(?=[:,])
    open(?: questions?| ends?| points?| items?| issues?)?(?=[:,])
    nothing (?:is|was|has been|got) (?:yet )?(?:pushed|committed|merged|deployed|released|applied)
    uncommitted | unpushed | waiting (?:for|on) (?:you|your|the) | offen(?: ist| sind)?\b
    waiting (?:for|on) (?!(?:it|this|that|all|both|its?)\b)\w+ | blocked (?:on|by)
    follow-?ups?(?=:) | es fehl(?:t|en) | il manque | manca(?:no)? | resta(?:no)? da
    noch (?:offen|zu tun|nicht) | nicht (?:committet|gepusht|gemergt|erledigt|umgesetzt)
    pendiente | faltan? | faltam | (?:ainda|todav\u00eda|a\u00fan) faltan? | ainda faltam
    quedan? (?:por|\d+|dos|tres)
    reste \u00e0 | pas encore
    il reste (?:encore )?(?:\d+|une?|deux|trois|quatre|cinq|des|quelques|\u00e0|les?) (?!possible)
    """,
    after="but | and | however | note | also | ok(?:ay)? | done | aber | und | however",
)
_SAYS = cues.anywhere(
    rf"""
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:push|commit|merge|deploy|release|publish)\w*
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?{_WORK}
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:run|test|fix|migrate|update|apply|finish)\b
    (?<!that )(?<!which )(?:is|are|was|were) (?:still )?not (?:yet )?{SAVED} yet
    (?:is|are) (?:still |yet )?(?:uncommitted|unpushed|unmerged|undeployed|unreleased)
    (?<!that )(?<!which )(?:has|have) not (?:yet )?been {_WORK}(?: yet)?
    (?<!that )(?<!which )(?:is|are|isn'?t|aren'?t) (?:still )?(?:not )?(?:yet )?{_WORK} yet
    (?:is|are) not yet {_WORK} | nothing (?:is|was|has been) (?:\w+ )?yet
    that (?:i|we) (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:made|make|do|written|write)\b
    (?:tests?|checks?|builds?|suite|jobs?|pipeline|ci|it|they|\w+_\w+)`? still (?:fails?|crash\w*)
    (?:build|tests|suite|ci|pipeline|branch) (?:is|are) (?:still |now )?(?:broken|red)
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:added|start(?:ed)?|covered|handled|finish)\b
    not done yet(?=:) | i (?:still )?need (?:the|your|an?|some) [^.;]{{1,60}}? from you
    i (?:have not|haven'?t) (?:yet )?re-?(?:run|trained|built|indexed|tested|measured|written|sent)
    i (?:have not|haven'?t) (?:yet )?(?:measured|benchmarked|backfilled|converted|reviewed)
    (?:nobody|no one) has (?:yet )?(?!ever|complain)[^.;:,\n]{{2,60}}? yet
    hat noch (?:niemand|keiner)
    nadie ha [^.;:,\n]{{2,60}}? (?:todav\u00eda|a\u00fan) | personne n'a encore
    (?:is|are|was|were) still to be \w+ | remains? to be \w+ed
    (?<!that )(?<!which )(?<!who )(?:does|do)(?:n'?t| not) exist yet
    there (?:is|are) no [\w-]+(?: [\w-]+){{0,4}} yet
    there (?:isn'?t|aren'?t) (?:an?|any) .{{2,40}} yet
    (?:has|have|needs?) to be \w+(?: too| also| first)? before (?:we|it|this|that|they|the|you)
    must be \w+(?: too| also| first)? before (?:we|it|this|that|they|the|you)
    before (?:we|it|this|that|they) goes? (?:live|to production|out)\b.{{2,60}}(?:has|must|needs?)
    (?:must|has to|have to|needs? to) (?:say|decide|confirm|clarify|approve|sign off)
    (?:someone|somebody) (?:still )?(?:has to|needs to|must|will have to)
    i(?:'?d| would)? (?:still )?need to know
    i(?:'?d| would)? (?:still )?need (?:\w+'s|\w+\u2019s) (?!help)
    (?:is|are) (?:skipped|disabled|switched off)(?: \([^)]*\))? (?:for now|until|till)
    i ran out of time | i'?ll (?:leave|do|finish|take) (?:it|that|this|the rest) (?:for )?tomorrow
    (?:has|have|is|are) yet to be | it did(?: not|n'?t) (?:commit|push|merge|deploy|release)
    (?:is|are) still (?:stale|open|unfixed|broken|red|failing|missing|unpublished|disabled|blocked)
    worth \w+ing (?:separately|later|in a) | should be \w+ (?:separately|later|in a (?:follow|new))
    still (?:needs?|has|have) to (?:be )?\w+ | must still be | still needs? (?:a|an|the|your)\b
    (?:needs?|has|have) to be \w+ (?:by hand|manually|by you)
    never built | left (?:undone|unfixed|unresolved|as (?:a )?follow-?up)
    (?:muss|m\u00fcssen|soll|sollte) noch | (?:ist|sind) noch (?:offen|nicht) | steht noch aus
    fehl(?:t|en) noch | (?:is|are) (?:only |just )?(?:an? )?(?:stop-?gap|placeholder)s?
    must (?:go|be (?:put|set|switched|changed|turned)) back | manque encore
    todav\u00eda no | a\u00fan no | quedan? pendientes? | n'est pas encore | reste \u00e0 faire
    je n'ai pas (?:encore )?(?:fait|(?:test|pouss|committ?|touch|migr|termin)\u00e9)
    no he (?:hecho|probado|subido|migrado|terminado) | ainda n\u00e3o | ficou (?:pendente|por fazer)
    """,
    r"""
    \u6b8b\u3063\u3066\u3044\u308b\u4f5c\u696d | \u6b8b\u4f5c\u696d | \u672a\u5bfe\u5fdc
    \u6b8b\u308a(?::|\uff1a|\u306f(?!\u3042\u308a\u307e\u305b\u3093))
    \u672a\u30b3\u30df\u30c3\u30c8 | \u307e\u3060.{0,20}(?:\u307e\u305b\u3093|\u306a\u3044)
    \u05e0\u05e9\u05d0\u05e8(?:\u05d5|\u05d4)? (?:\u05e2\u05d5\u05d3 )?(?:\u05dc|\d)
    \u05e2\u05d3\u05d9\u05d9\u05df \u05dc\u05d0 | \u05d8\u05e8\u05dd
    \uc544\uc9c1 .{0,30}(?:\uc548|\uc54a|\ubabb) | \ub0a8\uc558\uc2b5\ub2c8\ub2e4
    \ub0a8\uc544 ?\uc788\uc2b5\ub2c8\ub2e4 | \ubbf8\uc644\ub8cc
    \u5c1a\u672a | \u8fd8\u6ca1 | \u672a\u5b8c\u6210 | \u5f85\u529e
    """,
)
# What only a person can do: it waits for one.
FOR_PERSONS = compile_late(
    r"(?i:\b(?:waits?|waiting|is on hold|are on hold) (?:for|on|until) (?:you\b|your\b|approval\b"
    r"|(?:a|an|the|some) (?:review|approval|answer|decision|go-ahead|signature|reply)\b))"
    r"|\b(?:waits|is waiting) for [A-Z][a-z]+(?:'s\b|(?=[.,;:)]|\Z))"
    r"|\b(?:waits|is waiting) for (?:its|their|the) (?:author|owner|reviewer|maintainer)s?\b"
    r"|(?i:\b(?:needs?|requires?|awaits?|lacks?) your (?:\w+ )?(?:review|approval|consent|answer"
    r"|decision|input|signature|password|go-ahead|sign-off|confirmation|word|hand)\b)"
    r"|(?i:(?:\A|[;,:.\u2013\u2014-] |\band )please (?:put|add|send|give|set|create|provide|enter"
    r"|grant|share|upload|rotate|renew|approve|install|move|copy|store|fill|order|buy|register"
    r"|sign|ask|revoke|unlock|enable|invite)\b)"
    r"|(?i:\b(?:secret|key|token|credentials?|access|permissions?|licen[cs]e|certificate|password"
    r"|account|approval|signature|quota)\b[^.;,:\n]{0,40} (?:is|are) (?:still )?"
    r"(?:missing|needed|outstanding)\b(?=[.;,]|\Z))"
    r"|(?i:\b(?:someone|somebody|an? admin\w*) (?:with|who|from|of) [^.;,:\n]{2,60}? "
    r"(?:has|have|needs?|must)\b)"
    r"|(?i:\bwartet (?:noch )?auf (?:dich|euch|sie|deine?\w*|freigabe)\b"
    r"|\bbitte (?:leg|trag|schick|gib|f\u00fcg|erstell|hinterleg)\w*)"
)
# Said last of all it is where the work stopped; said before, it was gone on with.
_STOPPED = cues.at_the_start(
    r"""
    next(?: up| steps?| on the list| is| comes)?(?=:) | n\u00e4chster schritt(?=:)
    (?:after|once|on|from) [^.;:!?\n]{3,40}(?=: \w+ )
    als n\u00e4chstes(?=:) | weiter geht es mit | prochaine \u00e9tape(?=\s?:) | siguiente(?=:)
    """,
    after="but | and | then | so | ok(?:ay)? | done | good",
)
_STOPS = cues.anywhere(
    r"""
    (?:i|we) (?:stopped|paused|broke off|left off) (?:at|after|before|halfway|in the middle of)
    (?:i|we) (?:got|came|am|are) (?:as|only as) far as | (?:i|we) only got (?:to|through|up to)
    (?:is|are|was|were) only (?:half|partly|partially) (?:done|finished|migrated|ported|moved|built)
    (?:is|are) half[ -](?:done|finished|migrated|ported|moved|built)
    (?:is|are|lives?|sits?|lies?|runs?) still (?:in|on|at|under|behind|with|part of|the old)
    still (?:lives?|sits?|lies?|points?|uses?|reads?|writes?|runs?|imports?|depends|refers?|goes)
    still (?:says?|names?|mentions?|describes?|shows?|claims?) (?:otherwise|the old|the wrong)
    (?<!that )(?<!which )(?:is|are|'s|'re)(?: still)? not (?:yet )?(?:deployed|merged|pushed)
    (?<!that )(?<!which )(?:is|are|'s|'re)(?: still)? not (?:yet )?(?:released|rolled out)
    (?:isn'?t|aren'?t|wasn'?t) (?:deployed|merged|pushed|released|published|rolled out)
    i (?:could|can)(?:n'?t| ?not) (?:test|try|verify|check|measure|change|deploy|reach|send|finish)
    i was(?:n'?t| not) able to (?:test|try|verify|check|measure|change|deploy|reach|send|finish)
    for (?:now|the moment|the time being)(?=[.;,)]|\Z) | until then(?=[.;,)]|\Z)
    konnte (?:ich )?(?:\w+ ){0,4}nicht (?:testen|pr\u00fcfen|\u00e4ndern|ausprobieren)
    no (?:lo |la )?(?:he podido|pude) (?:probar|comprobar|cambiar)
    je n'ai pas pu (?:tester|v\u00e9rifier)
    vorerst | f\u00fcrs erste | por ahora | de momento | pour l'instant | per ora
    (?:ich habe|bin) (?:bei|nach|vor) .{2,40} aufgeh\u00f6rt
    (?:liegt|liegen|steht) noch (?:in|auf|unter)
    """
)
# "The installer I skipped", "I left the empty state for later".
_SKIPS = cues.anywhere(
    r"""
    (?:i|we) (?:have )?(?:skipped|deferred|postponed|put off|left out)
    (?:i|we) left [^.;:\n]{2,60}? (?:for (?:later|another|the next|a follow)|out(?=[.;,]|\Z))
    (?:i|we) (?:have not|haven'?t|did not|didn'?t) look(?:ed)? (?:any )?further
    (?:i|we) (?:did not|didn'?t) (?:get (?:to|around)|manage)
    habe ich (?:ausgelassen|\u00fcbersprungen|weggelassen) | j'ai (?:saut\u00e9|laiss\u00e9)
    """
)
_SKIPS_DATA = cues.anywhere("rows? | lines? | records? | entries | files? (?:that|which|with)")
# What stands in for the real thing, and until when.
_STANDS_IN = compile_late(
    r"(?i:\b(?:i|we) (?:have |only |just )*(?:stubbed|hard-?coded|mocked|faked|commented out"
    r"|disabled|turned off)\b.*\b(?:for now|until|once|when|later|the real|temporar\w+)\b)"
)
# What the user has to do before it works.
YOU_MUST = compile_late(
    r"(?i:\byou(?:'ll| will| still| also| now)* (?:need|have) to [^.;:\n]{3,120}?"
    r"(?: (?:before (?:this|it|that|the|we|i|they)|for (?:this|it|that|them) to"
    r"|once|by hand|yourself|manually)\b| first(?=[.,;]|\Z))"
    r"|\b(?:du musst|ihr m\u00fcsst|sie m\u00fcssen) (?:noch|vorher|erst)\b"
    r"|\bi(?:l)? faut que tu\b|\btienes que\b.*\bantes\b)"
)
# What somebody has to do somewhere else, said last of all.
_OUTSIDE = (
    r"(?:rotate|renew|approve|create|run|execute|deploy|switch|point|change|grant|enable|register"
    r"|order|sign|upload|restart|buy|ask|verify|confirm|merge|publish|release|apply|revoke|update)"
)
_TOLD_TO = compile_late(
    rf"(?i:\A\W*(?:you(?:'ll| will| still| also| now)* (?:need|have) to|please(?: still| also)?)"
    rf" {_OUTSIDE}\b(?! (?:it|this|that) (?:with|by|like))|\A\W*bitte (?:noch|jetzt|dann)\b"
    r"|\A\W*(?:du musst|ihr m\u00fcsst|tienes que|il faut que tu) )"
)
_USAGE = cues.anywhere(
    "to see | to use | in order to | if | whenever | each time | every time | would"
)
_REASON = cues.anywhere("because | since | so that | so | therefore | weil | damit | daher")
# "The index must be rebuilt before the fair; not started."
_UNBEGUN = compile_late(
    r"(?i:[;,:(\u2013\u2014-]\s?(?:but |and )?(?:(?:it|that|this|which) is )?(?:still )?"
    r"(?:not (?:yet )?(?:started|begun|done)|noch nicht (?:angefangen|begonnen|erledigt))"
    r"(?: yet)?[.!)]*\Z)"
)
# "12 strings of the credits are missing", "two of the pages still lack a title".
_LACKING = "missing|untranslated|untested|undocumented|unhandled"
_LACKS = cues.at_the_start(
    r"(?:\d+|one|two|three|four|five|six|some|several|a few|most) (?:of )?(?:[\w'-]+ ){1,7}?"
    rf"(?:(?:is|are) (?:still )?(?:{_LACKING})|still lacks?)",
    after="but | and | however | only | note",
)
# The words over a list of what is left.
HEADS = cues.at_the_start(
    r"""
    (?:what(?:'s| is) )?(?:still )?(?:open|left|missing|undone|outstanding)\b
    remaining | not (?:yet )?done | to-?dos? | follow-?ups? | known gaps | unfinished
    (?:noch )?offen | pendiente | \u6b8b\u3063\u3066\u3044\u308b | \u6b8b\u4f5c\u696d | \u5f85\u529e
    """,
    after=r"here(?:'s| is) what(?:'s| is) | these are | the | and",
)
# A label that says no more than that something is left.
_LABEL = cues.at_the_start(
    r"""
    (?:still |noch )?(?:open|offen)(?: questions?| ends?| points?| items?| issues?)?(?=:)
    (?:still |left )?(?:to[ -]?do|to be done)(?: for (?:you|later|me))?(?=:)
    not (?:yet )?done(?: yet)?(?=:) | remaining(?: work| tasks?| items?)?(?=:)
    left (?:open|for (?:you|later))(?=:) | for you(?=:)
    still (?:missing|pending|outstanding|undone)(?=:) | follow-?ups?(?=:) | noch zu tun(?=:)
    left(?=:) | waiting for you(?=:) | faltan?(?=:) | es fehlt(?: noch)?(?=:) | queda pendiente(?=:)
    (?:one|two|three|some|a few) (?:more )?things? (?:is|are) (?:still )?(?:left|open|missing)(?=:)
    pendientes?(?=:) | reste \u00e0 faire(?=\s?:) | da fare(?=:)
    """,
    after="but | and | also | done | ok(?:ay)?",
)
# What holds only in some case, or is no work of this session.
_PERHAPS = cues.anywhere(
    "if you | if we | could | would | unless | in case | until then | when the"
)
_WORDS_MIN = 3


@once_a_line
def says_stopped(text: str) -> bool:
    """Tell whether a sentence, said last of all, says where the work stopped."""
    if words(text) < _WORDS_MIN or is_question(text):
        return False
    if lacks_access(text):
        return True
    if _PERHAPS.search(text):
        return False
    is_stop = tells_to(text) or _STOPPED.match(text)
    if is_stop or (_SKIPS.search(text) and not _SKIPS_DATA.search(text)):
        return True
    if _STOPS.search(text) is not None and not _REASON.search(text):
        return True
    return says_left(text)


def tells_to(text: str) -> bool:
    """Tell whether a sentence tells the user what to do somewhere else."""
    return _TOLD_TO.match(text) is not None and not _USAGE.search(text)


@once_a_line
def is_open(text: str) -> bool:
    """Tell whether a sentence, said last of all, says that work is left."""
    return says_open(text) or says_stopped(text)


@lru_cache(maxsize=2_048)  # what is left is looked for in what was said, and among what is kept
def says_open(text: str) -> bool:
    """Tell whether a sentence says that work is left."""
    if words(text) < _WORDS_MIN:
        return False
    if any(sign.search(text) for sign in (_STANDS_IN, YOU_MUST)) or _LABEL.match(text):
        return not is_question(text)
    if _PERHAPS.search(text):
        return False
    if any(sign.match(text) for sign in (_OPENS, _LACKS)):
        return True
    return any(sign.search(text) for sign in (_SAYS, _UNBEGUN, FOR_PERSONS))


def strip_open_label(text: str) -> str:
    """Return what is left without the words that only say that it is."""
    found = _LABEL.match(text)
    rest = text[found.end() :].lstrip(" :") if found else text
    return rest if words(rest) > 1 else text
