"""What was said in a session and did not last in it: refuted, refused, or answered.

    agent  "Fixed: duplicates can't happen any more."     falls
    user   "nope, still 312 duplicates"
    agent  "You're right. The key is ..."                  stands

    agent  "Fixed! The root cause was the camera."         both fall
    user   "better in the editor, the export is the same"

    agent  "We should use `epoll`."                        falls
    user   "use libuv instead of epoll"

    agent  "Shipping can't be paid with a card."           falls
    user   "shipping should be payable with the card too. change that"

    agent  "The comment on Lille is still missing."        falls
    user   "Sunday opening since March. add it"
    agent  "Added."

    agent  "These hosts are unused, so they're safe to shut down."    falls
    user   "db7 is my billing box!! leave them all running"

    agent  "..., likely due to a missing index on `user_id`."    falls
    agent  "The sub-agent was wrong: the index on `user_id` exists."

Law: a sentence falls only by what was said after it, in the same session: by the user's next
words if it claimed or proposed something, by a later sentence that takes back what it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from agentx.exchanges.exchange import Exchange, reports
from agentx.exchanges.lines import Boot, lines
from agentx.exchanges.tools import file_edits
from agentx.exchanges.turns import Turn
from agentx.exchanges.wording import GUESSES, OFFERS
from agentx.kernel.text import compile_late, without_recall
from agentx.prose.cues import EXPLAINS, anywhere, at_the_start
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import share_alike
from agentx.prose.sentences import is_question
from agentx.prose.settling.stance_words import CHOOSES, PLACES
from agentx.prose.settling.stances import StancePiece, read_stances
from agentx.prose.settling.verdict import is_order

Fallen = dict[str, frozenset[str]]  # the sentences of a turn that fell, by its event

_OPENINGS = "ok(?:ay)? | well | hm+ | oh | but | and | so | sorry | hey | ah"
# The user says that it is not so.
_REFUTES = at_the_start(
    r"""
    nope | no[,.!]? (?:it|that|this|still|there|the|i|not|same|they)
    still (?!(?:need|want|to)\b)\S+
    (?:that|this|it)(?:'s| is| was)? (?:not|wrong|false) | wrong | not (?:true|fixed|working|quite)
    (?:that|this|it) (?:did ?n[o']t|does ?n[o']t|didn'?t|doesn'?t) (?:work|help|fix|change|do)
    (?:did ?n'?t|did not|does ?n'?t|doesn'?t) (?:help|work|fix|change|do) | still no
    same (?:error|problem|thing|result|issue|here|again) | you(?:'re| are) wrong | not it
    (?:that|this|it)(?:'s| is| was)? no better | no (?:change|difference|luck|better|good|dice)
    [^.!?\n]{0,60}\b(?:is|are|stays?|,) (?:still )?(?:exactly )?the same(?=[.!,]|\Z)
    [^.!?\n]{0,40}, [\w ]{2,30} the same(?=[.!,]|\Z)
    [^.!?\n]{0,40}\bstill (?:jitters?|fails?|crash\w*|hangs?|happens?|leaks?|flickers?|breaks?)
    [^.!?\n]{0,40}\bstill (?:broken|wrong|slow|there|red|blank|empty)
    leider (?:nein|nicht)
    (?:geht|funktioniert|l\u00e4uft|klappt) (?:immer noch |noch immer )?nicht
    no sirve | no ayuda | tampoco | non,? | pareil
    nein | stimmt nicht | immer noch | geht nicht | no funciona | sigue | toujours pas
    [\u00e7c]a ne marche pas
    """,
    after=_OPENINGS,
)
# The user wants it otherwise.
_REFUSES = at_the_start(
    r"""
    wait[.,! -]+(?:no|don'?t|do not|stop|that'?s not|not) | stop[.,! ]
    (?:no[,.! ]+)?(?:don'?t|do not) do (?:that|this|it) | not like (?:that|this)
    (?:no[,.! ]+)(?:don'?t|do not|not) | undo (?:that|this|it) | that'?s not what
    nicht so | mach das nicht | as[\u00ed\u00ec] no | pas comme [\u00e7c]a
    """,
    after=_OPENINGS,
)
# The user wants what was made, or said to be so, otherwise.
_CHANGES = anywhere(
    r"""
    change (?:that|this|it) | should (?:also )?be \w+ (?:\w+ ){0,4}(?:too|as well|instead)
    should(?:n'?t| not) be | actually | after all | that'?s outdated | is outdated
    \u00e4nder(?:e)? das | soll(?:te)? auch | doch (?:lieber|auch) | c\u00e1mbialo | cambia eso
    mejor (?:que|con) | change \u00e7a | plut\u00f4t
    """
)
# "no migrations", "kein Cron": a thing that was proposed.
_UNWANTED = compile_late(
    r"(?i:(?:\A|[.;,!\n]\s*|\bbut )(?:no|not|without|kein\w*|ohne|sin|pas de) "
    r"(?P<thing>(?!(?:need|problem|worries|idea|more|matter|rush|way|thanks|hace)\b)[^\s.,;!]+"
    r"(?: [^\s.,;!]+)?)(?=[.,;!]|\Z))"
)
_TAKES_OUT = anywhere(
    r"drop | remove | delete | throw out | kill | raus | entfern\w* | quita | enl\u00e8ve"
)
_APPROVES = anywhere(
    "looks? (?:fine|good|ok(?:ay)?|harmless|safe) | (?:is|are|seems?) (?:fine|ok(?:ay)?|harmless)"
)
# Somebody says of something before that it was wrong.
_TAKES_DOWN = anywhere(
    r"""
    (?:was|were|am|is) (?:wrong|mistaken|incorrect|not (?:it|the (?:cause|problem|issue|culprit)))
    isn'?t it | (?:made|makes) no difference | did(?:n'?t| not) (?:help|work|change anything|fix it)
    my (?:mistake|suspicion was|guess was) | turn(?:s|ed) out (?:not|to be something else)
    (?:that|this)(?:'s| is| was)? not (?:the|it)
    (?:has|had|have) nothing to do with | ruled? out | not the (?:cause|culprit)
    (?:was|were|is) innocent | so it(?:'s| is| was) not (?:the|a|because)
    none of (?:them|these|those|it) (?:was|were) (?:needed|it|the \w+) | (?:is|was) a red herring
    unschuldig | era inocente
    war(?:en)? falsch | lag nicht an | no era | ce n'[\u00e9e]tait pas
    """
)
# "Not the hashing.": so a reply begins after it looked.
_DENIES = at_the_start(
    "not (?:the|because of) | (?:it|that)(?:'s| is| was) not (?:the|because)",
    after=f"{_OPENINGS} | no | still (?:failing|red|hangs)",
)
_CLAIMS = anywhere(
    r"""
    fixed | solved | resolved | done | works(?: now)? | no longer | any ?more | can'?t happen | gone
    now | should (?:be|work|now|fix) | behoben | erledigt | corregido | corrig[\u00e9e] | finished
    """
)
_LOOK = "(?:check|verify|confirm|tell|see|test|find out|look)"
_UNSURE = anywhere(
    rf"""
    (?:could|can|have|did)(?:n'?t| ?not) (?:yet )?{_LOOK}\w*
    (?:wasn'?t able|unable) to {_LOOK} | (?:don'?t|do not) know | not sure | unclear | unknown
    needs? to be (?:checked|confirmed) | konnte (?:\S+ ){{0,3}}nicht pr\u00fcfen
    no pude comprobar | je n'ai pas pu v\u00e9rifier
    """
)
_DENIES_OR_LIMITS = anywhere(
    r"""
    can'?t | cannot | not | never | only | before | after | no | without | always | first | instead
    nicht | nur | kein\w* | zuerst | vor | nach | solo | s\u00f3lo | antes | nunca | pas | avant
    """
)
# What was lacking when it was said.
_GAPS = anywhere(
    r"""
    missing | left (?:\w+ ){0,3}out | left an? todo | placeholder | untested | still skipped
    (?:could|have|has|had)(?:n'?t| not) (?:yet )?(?:been )?\w+ | (?:is|are|was)(?:n'?t| not) yet
    (?:do|does)(?:n'?t| not) know
    what remains | remains? (?:is|to) | remaining | todo
    fehl(?:t|en) | wei\u00df (?:ich )?nicht | konnte (?:\S+ ){0,3}nicht | offen | no s\u00e9
    no pude | falta\w* | manque\w* | je ne sais pas | je n'ai pas | manca\w* | non so | n\u00e3o sei
    """
)
_PUTS_OFF = anywhere(
    r"""
    later | tomorrow | tmrw | not (?:today|now|yet) | next (?:week|month|time|sprint) | i'?ll
    i will | let me | until | after the | morgen | sp\u00e4ter | n\u00e4chste\w* | ma\u00f1ana
    luego | demain | plus tard | domani | dopo | amanh\u00e3 | depois
    on (?:mon|tues|wednes|thurs|fri|satur|sun)day
    ask | leave it
    """
)
_POINTS = compile_late(
    r"(?i:\A\W*(?:(?:ok(?:ay)?|yes|then|so|please|just)\b[\s,]+)*\w+ (?:it|that|them|this|those"
    r"|es|das|sie|lo|la|le|\u00e7a)\b|\b(?:it|that|them)(?: (?:then|too|in|out|please))?\W*\Z"
    r"|\bdo without\b)"
)
_COURTESY = compile_late(
    r"(?i:\A\W*(?:ok(?:ay)?|thanks?|thank you|great|nice|good|cool|fine|perfect|yes|yep|danke|gut"
    r"|gracias|vale|merci|bien|grazie|obrigad[oa]|sure|right|understood)\b[\s\w]{0,12}\W*\Z)"
)
# The user says that it is otherwise, of what nobody asked them.
_CONTRADICTS = at_the_start(
    r"""
    no(?=[,.!]) | nope | wrong | that(?:'s| is) (?:wrong|not|false) | that counts | that includes
    there (?:is|are) (?:an?|one|some|two|\d+)? ?\w+ | (?:i|we) do\b(?! not|n't)
    it does\b | actually
    nein | doch\b | stimmt nicht | falsch | das stimmt | no es | eso no | non(?=[,.])
    si(?=[,.]) | faux
    c'est faux | sbagliato | n\u00e3o(?=[,.]) | errado
    """,
    after=_OPENINGS,
)
# An act that is said to do no harm, and who does not want it.
_HARMLESS = anywhere(
    r"""
    safe to | safely | at any time | any ?time | unused | not (?:used|needed|referenced|imported)
    (?:can|could|may) be (?:deleted|removed|dropped|shut|stopped|purged|cleaned|done|disabled)
    nothing (?:imports|uses|depends|references|reads|calls) | no longer (?:used|needed) | obsolete
    dead code | never (?:read|used|called) | ungenutzt | kann (?:weg|gel\u00f6scht|entfernt)\b
    se puede (?:borrar|eliminar|quitar) | sin uso | peut \u00eatre supprim\w+ | inutilis\w+
    si pu\u00f2 (?:eliminare|cancellare) | pode ser (?:apagad|removid)\w+
    """
)
_KEEPS = anywhere(
    r"""
    must stay | has to stay | have to stay | stays? | leave | keep | don'?t | do not | never | stop
    we (?:still )?(?:need|use) | (?:is|are) (?:still )?(?:used|needed) | runs? it | uses it
    joins on | bleib(?:t|en) | nicht | behalte\w* | d\u00e9jalo\w* | no lo | no los | no la
    garde\w*
    laisse\w*
    tieni | lascia | mant\u00e9m | deixa
    """
)
_DENIED = compile_late(
    r"(?i:(?:n['\u2019]t|\bnot|\bnicht|\bno|\bpas|\bnon)\s+(?:yet |been |noch )*(?P<deed>\w{4,}))"
)
_NO_SUCH = compile_late(
    r"(?i:\W*(?:no|kein\w*|sin|pas d[e']|senza|sem|geen) (?P<thing>[\w-]{4,})(?=[,.!;]|\Z))"
)
_SEVERAL = compile_late(r"(?i::\s[^:]*(?:[,;]| and | und | y | et )|[,;] (?:and|und|y|et) )")
_FIGURE = compile_late(r"(?<![\w.])\d[\d.,]*\d|(?<![\w.])\d\b")
_WORD = compile_late(r"[^\W\d_]{4,}")
_BRIEF_WORDS_MAX = 6
_CORRECTION_WORDS_MAX = 14
_STEM_MIN = 5
_LEANS_ON = at_the_start("that | this | it | so | das | eso | cela")
_SHARED_MIN = 2
_LOOKED_BACK_MAX = 4  # exchanges


# Several rules ask of the same session.
_known: WeakKeyDictionary[Boot, Fallen] = WeakKeyDictionary()


def find_fallen(found: Sequence[Exchange], boot: Boot) -> Fallen:
    """Return what was said and did not last."""
    if boot not in _known:
        _known[boot] = _find_fallen(found, boot)
    return _known[boot]


def _find_fallen(found: Sequence[Exchange], boot: Boot) -> Fallen:
    fallen: dict[str, set[str]] = {}
    for number, exchange in enumerate(found):
        if exchange.prompt is not None and number:
            text = without_recall(exchange.prompt.text).strip()
            answered = [
                *_list_answered(text, found[number - 1], boot),
                *_list_changed(text, exchange, boot),
                *_list_spoken_of(text, exchange, boot),
            ]
            for turn, said in answered:
                fallen.setdefault(turn.event_id, set()).add(said)
        for turn, said in _list_taken_down(found, number, boot):
            fallen.setdefault(turn.event_id, set()).add(said)
    return {name: frozenset(said) for name, said in fallen.items()}


def _list_answered(text: str, before: Exchange, boot: Boot) -> Iterator[tuple[Turn, str]]:
    """Yield what the user's words take down of the reply that they follow."""
    reply = before.closing
    if reply is None or is_question(text):
        return
    refutes, refuses = _REFUTES.match(text), _REFUSES.match(text)
    answered = terms(text)
    against = [thing for each in read_stances(text) for thing in each.against]
    unwanted = [terms(match["thing"]) for match in _UNWANTED.finditer(text)]
    names = frozenset(code_names(text)) if _TAKES_OUT.search(text) else frozenset[str]()
    every = _list_said(reply, boot)
    claims = bool(refutes) and any(map(_CLAIMS.search, every))
    for said in every:
        if against and _proposes(said, against):
            yield reply, said
        if _is_turned_down(said, unwanted, names):
            yield reply, said
        is_answered = _UNSURE.search(said) and len(answered & terms(said)) >= _SHARED_MIN
        is_claimed = claims and (_CLAIMS.search(said) or EXPLAINS.search(said))
        if refuses or is_claimed or is_answered:
            yield reply, said


def _list_spoken_of(text: str, exchange: Exchange, boot: Boot) -> Iterator[tuple[Turn, str]]:
    """Yield what the user's words fill, correct or forbid of the reply that they follow.

    What was lacking falls when it was given or waived, and something came of it.
    """
    reply = exchange.before.closing if exchange.before is not None else None
    after = exchange.closing
    if reply is None or after is None or is_question(text) or _COURTESY.match(text):
        return
    said = _list_said(reply, boot)
    is_asked = bool(said) and is_question(said[-1])
    brief = len(text.split()) <= _BRIEF_WORDS_MAX
    figures = frozenset(_FIGURE.findall(text))
    no_such = _NO_SUCH.match(text)
    denied = terms(no_such["thing"]) if no_such else frozenset[str]()
    contradicts = _CONTRADICTS.match(text) is not None and not is_asked
    for each in said:
        if is_question(each):
            continue
        is_shared = not terms(text).isdisjoint(terms(each))
        # Of several things that lack each is settled by itself.
        is_gap = _GAPS.search(each) is not None and not _SEVERAL.search(each)
        is_filled = is_gap and _fills(text, is_shared, brief)
        is_wrong = contradicts and (is_shared or len(said) <= _SHARED_MIN)
        is_wrong = is_wrong or (bool(denied) and not is_asked and denied <= terms(each))
        is_corrected = _gives_figure(each, text, figures, after.text) and (is_shared or brief)
        is_forbidden = _HARMLESS.search(each) is not None and _KEEPS.search(text) is not None
        is_ordered = not is_asked and _orders_denied(each, text)
        if is_filled or is_wrong or is_corrected or is_forbidden or is_ordered:
            yield reply, each


def _fills(text: str, is_shared: bool, brief: bool) -> bool:
    """Tell whether somebody gives what was lacking, or does without: now, and not later."""
    if _PUTS_OFF.search(text):
        return False
    return is_shared or _POINTS.search(text) is not None or (brief and not is_order(text))


def _gives_figure(said: str, text: str, figures: frozenset[str], then: str) -> bool:
    """Tell whether another figure is given for one that was said, and is the agent's next word."""
    if not figures or len(text.split()) > _CORRECTION_WORDS_MAX:
        return False
    own = frozenset(_FIGURE.findall(said))
    return bool(own) and own.isdisjoint(figures) and any(each in then for each in figures)


def _orders_denied(said: str, text: str) -> bool:
    """Tell whether just what was not done, as somebody said, is ordered."""
    if _PUTS_OFF.search(text) or len(text.split()) > _CORRECTION_WORDS_MAX:
        return False
    wanted = [word.casefold() for word in _WORD.findall(text)]
    return any(
        word[:_STEM_MIN] == match["deed"].casefold()[:_STEM_MIN]
        for match in _DENIED.finditer(said)
        for word in wanted
    )


def _is_turned_down(said: str, unwanted: Sequence[frozenset[str]], names: frozenset[str]) -> bool:
    """Tell whether a sentence proposes what the user does not want, or approves what goes."""
    if _APPROVES.search(said) and names.intersection(code_names(said)):
        return True
    if not unwanted or not OFFERS.search(said):
        return False
    held = terms(said)
    return any(thing and share_alike(thing, held) == thing for thing in unwanted)


def _list_changed(text: str, exchange: Exchange, boot: Boot) -> Iterator[tuple[Turn, str]]:
    """Yield what the reply before says is so, and was changed as the user's words want it."""
    reply = exchange.before.closing if exchange.before is not None else None
    is_edited = any(next(iter(file_edits(step)), None) is not None for step in exchange.steps)
    if reply is None or not is_edited or is_question(text) or not _CHANGES.search(text):
        return
    wanted = terms(text)
    said = lines(reply, boot)
    gone = [line for line in said if len(share_alike(terms(line.own), wanted)) >= _SHARED_MIN]
    for line in gone:
        # What only names what is made of it, and where, stays.
        if _DENIES_OR_LIMITS.search(line.own) or _LEANS_ON.match(line.own):
            yield reply, line.own


def _proposes(said: str, against: Sequence[StancePiece]) -> bool:
    """Tell whether a sentence would take what the user does not want."""
    return any(
        stance.kind in (CHOOSES, PLACES) and not stance.is_denied and thing.words <= piece.words
        for stance in read_stances(said)
        for piece in stance.pieces
        for thing in against
    )


def _list_taken_down(
    found: Sequence[Exchange], number: int, boot: Boot
) -> Iterator[tuple[Turn, str]]:
    """Yield what a later sentence of the agent takes down of what was said before it."""
    for reply in found[number].replies:
        against = [
            said
            for said in _list_said(reply, boot)
            if _TAKES_DOWN.search(said) or _DENIES.match(said)
        ]
        if not against:
            continue
        names = frozenset(name for said in against for name in code_names(said))
        about = [terms(said) for said in against]
        for exchange in found[max(0, number - _LOOKED_BACK_MAX) : number + 1]:
            for turn in (*exchange.replies, *reports(exchange)):
                if turn.at_ms >= reply.at_ms:
                    continue
                for said in _list_said(turn, boot):
                    if GUESSES.search(said) and _is_about(said, names, about):
                        yield turn, said


def _is_about(said: str, names: frozenset[str], about: Sequence[frozenset[str]]) -> bool:
    if names.intersection(code_names(said)):
        return True
    guessed = terms(said)
    together = frozenset[str]().union(*about)
    # "The timer has nothing to do with it" names one thing.
    alone = any(len(each) == 1 and each <= guessed for each in about)
    return alone or len(together & guessed) >= _SHARED_MIN


def _list_said(turn: Turn, boot: Boot) -> list[str]:
    return [line.own for line in lines(turn, boot)]
