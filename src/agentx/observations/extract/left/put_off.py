"""What was put off by the user's word.

    "I would give the map a view of its own."   "ok do that tomorrow"
    "Roll-out is still to be done."             "tomorrow"
    "Shall I empty the bin?"                    "not now, ask me again on the weekend"
    "leave the importer for after the upgrade"  "the old group can go, but only next week"

Where it is not said what is put off, it is what the agent spoke of last as open or possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.turns import Turn
from agentx.exchanges.wording import OFFERS, POSSIBLE
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.extract.left.asking import wants_answer
from agentx.observations.extract.left.open_words import says_open, says_stopped
from agentx.observations.labels import BY_USER
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage
from agentx.prose.sentences import Block, is_question, shorten, words

_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|sonntag|wochenende|lunes|martes|mi\u00e9rcoles|jueves|viernes|s\u00e1bado"
    r"|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
)
_TIME = (
    r"(?:tomorrow|later|tonight|next (?:week|time|session|sprint|month|year|quarter|weekend)"
    rf"|another (?:day|time)|(?:on |next |on the |the |this |am |el |le )?{_DAY}"
    r"|by (?:the )?end of \w+|morgen|sp\u00e4ter|heute abend"
    r"|n\u00e4chste[nrs]? (?:woche|mal|monat|sprint)|ma\u00f1ana|m\u00e1s tarde|luego"
    r"|la semana que viene|demain|plus tard|la semaine prochaine)(?![.\w]\w)"
)
_WHEN = (
    rf"(?:{_TIME}|after (?:that|the|we|this|lunch)\b|in a (?:follow-?up|later|separate|new)"
    r"|when \w+(?: \w+){0,3} (?:is|are) (?:back|there|ready|here))(?![.\w]\w)"
)
_DOES = "do|finish|fix|handle|continue|take|tackle|look at|add|build|write|make"
_LEAVES = "leave|keep|save|postpone|park|defer|put off|skip"
_BEFORE = r"""
    ok(?:ay)? | k | yes | yeah | yep | sure | fine | good | great | nice | right | thanks? | thx
    but | and | no | then | hm+ | well | please | ah | cool | alright | gut | ja | bien | vale
    interesting | oh | thank you | good (?:question|point|idea)
"""
_WHO = r"(?:[^.;!?\n]{1,60} )?"
_PUTS_OFF = cues.at_the_start(
    rf"""
    (?:let'?s |we(?:'ll| can| will)? |i(?:'ll| will)? )?(?:{_DOES}) [^.;!?\n]{{1,60}}? {_WHEN}
    (?:let'?s )?(?:{_LEAVES}) [^.;!?\n]{{1,80}}? (?:(?:for|until|till|to) )?{_WHEN}
    [^.;!?\n]{{2,60}}? can wait(?: until| till| for)?
    (?:das|es) (?:machen wir|mache ich) {_WHEN}
    {_WHO}(?:will|i'?ll|we'?ll|gonna) (?!be\b)[^.;!?\n]{{1,60}}? {_TIME}
    {_WHO}(?:mach(?:e|en)? (?:ich|wir)|lo hago yo|lo har\u00e9|je (?:le )?ferai)\b.{{0,40}}? {_TIME}
    [^.;!?\n]{{2,60}}?,? (?:but |aber |pero |mais )?(?:only|not before|not until|erst) {_TIME}
    [^.;!?\n]{{2,60}}?,? (?:pero )?(?:no antes d?el?|mais pas avant|pas avant) {_TIME}
    remind (?:me|us) (?:to|that|about) [^.;!?\n]{{4,}} | (?:erinnere?|erinner) mich (?:daran|an)\b
    recu\u00e9rda(?:me|nos) (?:que )?\w{{4,}} | rappelle[- ]moi (?:de|d['\u2019])\w
    next time (?:we|you|i)\b | n\u00e4chstes mal | la pr\u00f3xima vez | la prochaine fois
    [^.;!?\n]{{2,40}} (?:comes?|follows?) (?:later|tomorrow|when|once)\b
    [^.;!?\n]{{2,40}} (?:kommt|viene|llega|arrive) (?:sp\u00e4ter|morgen|wenn|cuando|quand)\b
    """,
    after=_BEFORE,
)
# What is to come is said first: "tomorrow we tune the jump", whatever the verb.
_COMES = compile_late(
    r"(?i:\A\W*(?:(?!tomorrow|morgen|demain)[^\W\d_]{1,9}[,.!:]\s+){0,2}"
    r"(?:tomorrow|tmrw|morgen(?: fr\u00fch)?|ma\u00f1ana|demain(?: matin)?|domani|amanh\u00e3"
    r"|\u0437\u0430\u0432\u0442\u0440\u0430"
    r"|next (?:week|time|session)|n\u00e4chste woche|la semana que viene|la semaine prochaine"
    r"|on (?:mon|tues|wednes|thurs|fri)day) (?!is\b|was\b|ist\b|es\b|est\b|\u00e8\b|\u00e9\b)\w"
    r"|\A\W*(?:[^\s\u3001\u3002\uff0c]{1,4}[\u3001\u3002\uff0c])?"
    r"(?:\u660e\u5929|\u4e0b\u5468|\u660e\u65e5|\u6765\u9031|\ub0b4\uc77c|\ub2e4\uc74c ?\uc8fc))"
)
# Said of what was spoken of just before.
_NOT_NOW = cues.at_the_start(
    rf"""
    (?:not (?:now|today|yet|this (?:week|time))|{_WHEN})(?=[.,;!]|\Z|\s[\u2013\u2014-])
    (?:an? )?(?:issue|tick[e]t|task|follow-?up) (?:it is|then)(?=[.,;!]|\Z)
    leave (?:it|that|this|them)(?: alone)?(?: as (?:it|they) (?:is|are))? for (?:now|the moment)
    (?:nicht (?:jetzt|heute)|ahora no|hoy no|pas maintenant|non ora)(?=[.,;!]|\Z)
    ask me (?:again|later) | remind me | erinner(?:e)? mich | recu\u00e9rdame | rappelle-moi
    """,
    after=_BEFORE,
)
# It waits for what somebody else says.
_ASKS_OTHERS = cues.at_the_start(
    r"""
    (?:i'?ll|i will|i'?d|i have to|i need to|i must|need to|have to|let me|gotta) (?:first )?ask
    (?:i'?ll|i will|i have to|i need to|i must|need to) (?:first )?(?:talk|speak) (?:to|with)
    (?:i'?ll|i will|i have to|i need to|i must|need to|have to|let me) (?:first )?check with
    ask (?:her|him|them)\b
    (?:ich )?(?:frage?|muss) (?:ich )?(?:[\w]+ ){0,3}(?:fragen|kl\u00e4ren|nach)
    tengo que preguntar(?:le)? | le pregunto | je (?:vais )?demande(?:r|rai)?
    """,
    after=_BEFORE,
)
_SAVES = cues.anywhere("merge | push | commit | mergen? | pushen?")
_PRONOUNS = cues.anywhere(
    "that | it | this | these | those | the rest | them | das | es | eso | \u00e7a | lo"
)
_POINTS = cues.anywhere("it | that | this | them | these | those | das | es")
# When, and no more of what.
TIMES = terms(
    "tomorrow later tonight week sprint month year quarter weekend monday tuesday wednesday"
    " thursday friday saturday sunday morgen sp\u00e4ter abend heute woche n\u00e4chste montag"
    " ma\u00f1ana luego lunes demain lundi only end do finish leave okay ok k time"
)
_WORDS_MIN = 3
_DONE = 0.6
_CHARS_MAX = 160
_PROPOSED_CHARS, _SAID_CHARS = 185, 95
_AND = compile_late(r"(?i:\A\W*(?:and|but|oh|und|aber|y|et) )")
_PROMPT_CHARS = 400
_SHORT_TERMS = 4


@frozen
class PutOff:
    """What the user put off."""

    prompt: Turn
    number: int  # of its exchange
    said: str  # the user's words
    proposed: str = ""  # what they mean, where they do not say it

    @property
    def told(self) -> str:
        """What is put off, and by which words."""
        return put_words_behind(self.proposed, self.said) if self.proposed else BY_USER + self.said

    @property
    def about(self) -> frozenset[str]:
        """The words of what is put off."""
        return terms(self.proposed) or terms(self.said) - TIMES


def find_put_off(found: Sequence[Exchange], boot: Boot) -> Iterator[PutOff]:
    """Yield what was put off when a session ended."""
    for number, exchange in enumerate(found):
        prompt = exchange.prompt
        if prompt is None or len(prompt.text) > _PROMPT_CHARS:
            continue
        for one in _read_prompt(number, exchange, prompt, boot):
            if one.about and not _was_done(one.about, found[number + 1 :]):
                yield one


def _read_prompt(number: int, exchange: Exchange, prompt: Turn, boot: Boot) -> Iterator[PutOff]:
    is_told = False
    for line in lines(prompt, boot):
        own = _AND.sub("", line.own)
        if is_question(own):
            continue
        is_later = _PUTS_OFF.match(own) is not None or _COMES.match(own) is not None
        if is_later and _has_subject(own):
            is_told = True
            yield PutOff(prompt=prompt, number=number, said=own)
        elif not is_told and (is_later or _NOT_NOW.match(own) or _ASKS_OTHERS.match(own)):
            # What somebody will merge is no work of the session, unless its agent said so.
            waits = not (is_later or _NOT_NOW.match(own)) or _SAVES.search(own) is not None
            proposed = _find_proposed(exchange.before, boot, is_open=waits)
            if proposed:
                is_told = True
                yield PutOff(prompt=prompt, number=number, said=own, proposed=proposed)


def is_put_off(own: str) -> bool:
    """Tell whether a sentence of the user puts something off."""
    return any(sign.match(own) for sign in (_PUTS_OFF, _COMES, _NOT_NOW, _ASKS_OTHERS))


def put_words_behind(proposed: str, said: str) -> str:
    """Return what was left or proposed, with the user's words that put it off."""
    return f"{shorten(proposed, _PROPOSED_CHARS)} {BY_USER}{shorten(said, _SAID_CHARS)}"


def _has_subject(own: str) -> bool:
    """Tell whether somebody who puts something off says what."""
    about = terms(own) - TIMES
    return len(about) >= _WORDS_MIN or (not _PRONOUNS.search(own) and len(about) > 1)


def _find_proposed(before: Exchange | None, boot: Boot, *, is_open: bool) -> str:
    """Return the last thing that was left, asked or proposed before: what "that" is.

    `is_open`: it must have been one of these, and not only what was said last.
    """
    closing = before.closing if before is not None else None
    said = lines(closing, boot) if closing is not None else ()
    told = [line for line in said if line.block is not Block.HEADING]
    for number in reversed(range(len(told))):
        own = told[number].own
        if is_question(own):
            if wants_answer(own) or number == 0:
                return _join(told, number)
            continue
        if says_open(own) or says_stopped(own):
            if words(own) > _WORDS_MIN + 1 and not _ONLY_DENIES.match(own):
                return _join(told, number)
            continue
        if POSSIBLE.search(own) or OFFERS.search(own):
            return _join(told, number)
    plain = [
        each.own for each in told if words(each.own) > _WORDS_MIN and not is_question(each.own)
    ]
    return "" if is_open or not plain else shorten(plain[-1], _CHARS_MAX)


# "I haven't changed anything": nothing was left, only nothing done.
_ONLY_DENIES = cues.at_the_start(
    r"i (?:have not|haven'?t|did not|didn'?t) (?:changed?|touch(?:ed)?|done?|made?) "
    r"(?:anything|it|that)"
)


def _join(told: Sequence[Line], number: int) -> str:
    """Return a sentence, behind the one before it where it says little."""
    own = told[number].own
    before = told[number - 1].own if number else ""
    points = _POINTS.search(own) is not None
    is_short = len(terms(own)) < (_SHORT_TERMS if points else _WORDS_MIN - 1)
    if before and is_short and not is_question(before):
        joined = f"{before} {own}"
        return joined if len(joined) <= 2 * _CHARS_MAX else shorten(own, _CHARS_MAX)
    return shorten(own, 2 * _CHARS_MAX)


def _was_done(about: frozenset[str], later: Sequence[Exchange]) -> bool:
    """Tell whether it was worked on all the same, later in the session."""
    for exchange in later:
        asked = exchange.prompt.text if exchange.prompt is not None else ""
        closing = exchange.closing.text if exchange.closing is not None else ""
        worked = any(step.edits or commit_of(step) for step in exchange.steps)
        if worked and coverage(about, terms(f"{asked}\n{closing}")) >= _DONE:
            return True
    return False
