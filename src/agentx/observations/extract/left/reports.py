"""What a person says is done, or not wanted: that settles what was open.

    "dns is switched"       "caddy done"         "ran the migration on staging"
    "apply lief durch, ANALYZE auch"             "bucket creado"
    "no need, hard-coded is fine"                "keyboard navigation we don't need"

A report names its thing, or means what was spoken of last ("ran them", "done", "works"). What is
to be, was asked, or is denied is no report.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.cues import anywhere, at_the_start
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import is_alike
from agentx.prose.sentences import is_question, sentences


class ReportKind(StrEnum):
    """What is said of a thing."""

    DONE = "done"
    WORKS = "works"  # somebody tried it
    WAIVED = "waived"


@frozen
class DoneReport:
    """What a person says is so by now, in the words of the thing and of what was done to it."""

    kind: ReportKind
    about: frozenset[str] = frozenset()  # none: what was spoken of last
    deed: str = ""


_CLAUSE = compile_late(
    r"(?:[.!?:](?=\s|\Z)|[;\n]|,(?=\s))+\s*(?:and |but |then |und |aber |y |pero |et |mais )?"
    r"|\s(?:and|but|then|und|aber|pero|mais)\s|\s[\u2013\u2014-]\s"
)
_STOP = compile_late(r"(?<=[^\W\d]{2})[.!]\s+(?=[a-z])")
_FIRST = compile_late(
    r"(?i:\A\W*(?:(?:ok(?:ay)?|yes|yep|yeah|hi|hey|hello|so|well|good|great|nice|thanks?|thank you"
    r"|also|and|btw|fyi|ja|gut|danke|hola|vale|s\u00ed|oui|merci|alright|cool)\b\W*)+)"
)
# Somebody else's word that it is so, passed on.
_SAYS = compile_late(
    r"(?i:\A\w+ (?:says?|said|told (?:me|us)|confirm(?:s|ed)|wrote|writes|sagt|schreibt"
    r"|meldet|dice|dijo|dit|a dit|ha detto|disse|zegt)(?: that| dass| que| che|,)? )"
)
_BE = (
    r"(?:is|are|was|were|has been|have been|got|gets|'s|ist|sind|wurden?|war|est\u00e1n?|es|son|fue"
    r"|est|sont|a \u00e9t\u00e9)"
)
_BY_NOW = r"(?:now |already |all |finally |just |jetzt |nun |schon |ya |d\u00e9j\u00e0 )*"
_STATES = (
    r"done|ready|set|in|live|up|there|back|gone|through|ok|okay|sorted|settled|finished|complete"
    r"|out|open|online|available|green|written|built|sent|run|put|paid|bought|made|given|chosen"
    r"|erledigt|fertig|da|drin|offen|durch|gemacht|bereit|online|weg|raus|frei"
    r"|hech[oa]s?|list[oa]s?|puest[oa]s?|abiert[oa]s?|escrit[oa]s?|fait(?:es?|s)?|pr\u00eate?s?"
    r"|en place|l\u00e0"
)
_PARTICIPLE = (
    r"(?!need|want|indeed|speed|feed|red|suppos|schedul|plan)\w{2,}ed|\w{0,10}ge\w{3,}(?:t|en)"
    r"|\w{2,}[ai]d[oa]s?|\w{2,}\u00e9e?s?"
)
_DID = (
    r"ran|did|made|sent|built|wrote|bought|paid|took|gave|switched|told"
    r"|(?!need|want|indeed|speed|feed|red)[a-z]{2,}ed"
)
_ENDS = (
    r"(?P<end>ran\Z|works?(?: fine| now| well)?|worked|passed|passes|(?:went|ran|came) through"
    r"|arrived|lief(?: durch)?|l\u00e4uft|geht|klappt|funktioniert|funciona|marche|va bien)"
)
# "<thing> is <done>", "<thing> done", "<thing> went through", "ran <thing>".
_IS = compile_late(
    rf"(?i:\A(?P<thing>[^:?]{{2,80}}?) ?\b{_BE} {_BY_NOW}(?P<deed>{_STATES}|{_PARTICIPLE})\b)"
)
_BARE = compile_late(
    rf"(?i:\A(?P<thing>[^:?]{{2,60}}?) {_BY_NOW}(?P<deed>{_STATES}|{_PARTICIPLE})\Z)"
)
_WENT = compile_late(rf"(?i:\A(?:(?P<thing>[^:?]{{2,60}}?) )?{_BY_NOW}{_ENDS}\b)")
_I_DID = compile_late(
    rf"(?i:\A(?:(?:i|we|he|she|they|(?-i:[A-Z][a-z]+))(?:'ve| have| has)? )?{_BY_NOW}"
    rf"(?P<deed>{_DID}|(?:(?<=i )|(?<=we ))(?:put|set))"
    r" (?P<thing>[^:?]{2,80})\Z)"
)
_HABE = compile_late(
    r"(?i:\A(?P<first>[^:?]{0,60}?)(?:\b(?:ich |wir )?hab(?:e|en)? (?:ich |wir )?"
    r"|\b(?:ya )?(?:lo |la )?(?:he|hemos) |\bj'ai |\bon a )(?P<thing>[^:?]{0,80}?)\s?"
    r"(?P<deed>(?:\w{2,4})?ge\w{3,}(?:t|en)|(?:er|ver|be|ent)\w{3,}t|\w{2,}[ai]do|hecho|puesto"
    r"|\w{2,}\u00e9|fait)\b(?P<rest>.{0,60})\Z)"
)
_ALONE = compile_late(
    rf"(?i:\A(?:all |both |it'?s |that'?s |alles |ist |todo )?(?:already )?"
    rf"(?P<deed>done|did (?:it|that|both)|finished|sorted|erledigt|fertig|gemacht|hecho|listo|fait"
    rf"|{_PARTICIPLE})(?: (?:it|that|them|both|on|in|with|an|auf|en|con|sur|by|this morning"
    r"|yesterday|already|schon)\b.{0,60})?\Z)"
)
# How it came out, and not that it was done.
_TURNED_OUT = compile_late(r"(?i:(?:\A|.*\b)(?:green|ok(?:ay)?|up|live|online|in|there|back)\Z)")
_TOO = compile_late(
    r"(?i:\A(?P<thing>[^:?]{2,40}?) (?:too|also|as well|auch|ebenfalls|tambi\u00e9n|aussi)\Z)"
)
_NOT_SO = anywhere(
    r"""
    not | never | none | nothing | neither | \w+n't | still | needs? | must | should | will | would
    could | can | may | might | once | if | unless | until | tomorrow | later | soon | next
    nicht | noch | kein\w* | nie | muss | soll\w* | wenn | falls | nunca | falta\w* | no | sin
    pas | jamais | encore | si | n\u00e3o | ainda | too | only | when | after | before
    (?:do|does|did|is|are|was|were|has|have|had|ca|could|should|would|wo)nt
    supposed | meant | wanted | broken | failed | wrong | missing
    """
)
_WAIVES = at_the_start(
    r"""
    no need | not (?:needed|necessary|worth) | don'?t bother | never ?mind
    forget (?:it|that|about) | skip (?:it|that|them) | drop (?:it|that|them) | who cares
    doesn'?t matter | don'?t care
    (?:that|this|it)(?:'s| is) (?:fine|ok(?:ay)?|good(?: enough)?|not needed)(?: as (?:it is|is))?
    (?:fine|good|ok(?:ay)?) (?:as (?:it )?is|like (?:that|this))
    leave (?:it|that) (?:as|like|alone)
    nicht n\u00f6tig | brauchen wir nicht | brauchts nicht | egal | lass (?:es|das)
    kannst du lassen | vergiss (?:es|das) | unn\u00f6tig
    no hace falta | no importa | d\u00e9jalo(?: as\u00ed)? | olv\u00eddalo | no es necesario
    pas besoin | laisse tomber | inutile | peu importe | non serve | lascia stare
    n\u00e3o precisa | deixa
    """,
    after="ok(?:ay)? | no | nah | nope | nein | non | hm+ | well | oh | ah | thanks? | yes | fine",
)
# "Keyboard navigation we don't need", "we don't need X".
_UNWANTED = compile_late(
    r"(?i:\A(?:(?P<first>[^:?]{2,60}?) )?(?:we|i|you) (?:do not|don'?t|won'?t|no longer) "
    r"(?:really )?(?:need|want|have to do)\b(?P<then>[^:?]{0,60})\Z"
    r"|\A(?P<thing>[^:?]{2,60}?) (?:is|are|isn'?t|aren'?t)(?: not)? (?:not )?"
    r"(?:needed|necessary|required|wanted)(?: any ?more)?\Z"
    r"|\A(?:(?P<was>[^:?]{2,60}?) )?brauchen wir nicht(?: mehr)?\Z)"
)
# "skip the linter", "lo del correo d\u00e9jalo", "le menu on laisse tomber".
_GIVES_UP = compile_late(
    r"(?i:\A(?:skip|forget(?: about)?|never ?mind|drop|leave out|don'?t bother with|vergiss"
    r"|olv\u00eddate de|olvida|laisse tomber|oublie|lascia perdere|esquece) "
    r"(?!(?:it|that|this|them|es|das)\b)(?P<thing>[^:?]{2,60})\Z"
    r"|\A(?:lo de(?:l| la| los| las)? )?(?P<named>[^:?]{2,60}?),? (?:never ?mind|forget it"
    r"|skip (?:it|that)|drop (?:it|that)|is off the table|lassen wir(?: weg| sein)?|lass(?: weg)?"
    r"|f\u00e4llt weg|streichen wir|kannst du (?:lassen|vergessen)"
    r"|d\u00e9jal[oa]s?|olv\u00eddal[oa]"
    r"|no l[oa]s? (?:quer\w+|necesit\w+|vamos a \w+)|no hace falta"
    r"|on (?:laisse|oublie)(?: tomber)?"
    r"|pas besoin|on n'en (?:veut|a) (?:pas|plus)(?: besoin)?|lascial[oa]|lascia (?:stare|perdere)"
    r"|non serve|deixa(?: pra l\u00e1)?|esquece|n\u00e3o precisa|hoeft niet|laat maar)\Z"
    r"|\A(?:\u4e0d\u7528|\u5148\u4e0d)(?:\u505a|\u7ba1)?(?P<zh>.{2,30})\Z"
    r"|\A(?P<cjk>.{2,30}?)(?:\u306f\u4e0d\u8981|\u306f\u3044\u3089\u306a\u3044|\u306f\u3084\u3081"
    r"|\u5c31?\u4e0d\u7528\u4e86|\u5148\u4e0d\u505a"
    r"|\u4e0d\u8981\u4e86|\u7b97\u4e86"
    r"|(?:\uc740|\ub294) (?:\ud544\uc694 ?\uc5c6|\uc548 \ud574\ub3c4))[^,]{0,8}\Z)"
)
_NEEDED = compile_late(r"(?i:\b(?:is|are) (?:needed|necessary|required|wanted)\b)")
_FINE = compile_late(
    r"(?i:\A(?P<thing>[^:?]{2,60}?) (?:is|are|ist|sind|est\u00e1|est) (?:fine|ok(?:ay)?|enough"
    r"|good enough|in ordnung|bien|gut so)\b)"
)
_GENERIC = terms(
    "it that this them these those both all everything they there thing stuff one rest job work"
    " yesterday today morning night evening week monday tuesday wednesday thursday friday saturday"
    " sunday ago just gestern heute alles das es die ayer hoy eso todo hier tout"
)
_OWN = compile_late(
    r"(?i:\b(?:i|we|my|our|me|us|you|your|ich|wir|mein\w*|unser\w*|mi|mis|mon|ma)\b)"
)
_STEMS = {
    "ran": "run", "sent": "send", "built": "build", "wrote": "write", "bought": "buy",
    "paid": "pay", "took": "take", "gave": "give", "told": "tell",
}  # fmt: skip
_SAYS_LITTLE = compile_late(
    rf"(?i:(?:{_STATES}|did|made|finished|sorted|worked|switched|changed|fixed|handled|solved"
    r"|resolved|completed|closed|cleared|arranged|gesetzt|gel\u00f6st|resuelt[oa])\Z)"
)
_WORD = compile_late(r"[^\W_][\w-]*")
# "Put city back": what somebody is told to do.
_ORDERS = at_the_start(
    r"""
    put | set | get | keep | make | let | have | take | bring | turn | leave | move | send | give
    use | need | want | add | show | write | run | try | create | delete | remove | build | open
    """,
    after="please | now | then | also | just",
)
_NAMING = ("first", "thing", "rest")  # parts of a form that name the thing
_PROMPT_CHARS = 1_200


@lru_cache(maxsize=256)
def read_reports(text: str) -> tuple[DoneReport, ...]:
    """Return what a prompt says is done, works, or is not wanted."""
    return tuple(_read(text[:_PROMPT_CHARS]))


def _read(text: str) -> Iterator[DoneReport]:
    for sentence in sentences(text):
        said = sentence.text
        if is_question(said):
            # "skip the linter. send it?": who types fast begins a question with a small letter.
            before = _STOP.split(said)[:-1]
            said = ". ".join(each for each in before if not is_question(each))
        last: DoneReport | None = None
        for part in _CLAUSE.split(said):
            clause = _SAYS.sub("", _FIRST.sub("", part)).strip(" .!,;:)(\"'")
            found = _read_clause(clause, last) if clause else None
            if found is not None:
                yield found
            last = found


def _read_clause(clause: str, last: DoneReport | None) -> DoneReport | None:
    if last is not None and (too := _TOO.match(clause)):
        return DoneReport(kind=last.kind, about=_about(too["thing"]), deed=last.deed)
    waived = _read_waived(clause, last)
    if waived is not None or _NOT_SO.search(clause):
        return waived
    return _read_done(clause)


def _read_waived(clause: str, last: DoneReport | None) -> DoneReport | None:
    """Return what a clause says is not wanted."""
    if _WAIVES.match(clause):
        return DoneReport(kind=ReportKind.WAIVED)
    if (unwanted := _UNWANTED.match(clause)) and not _NEEDED.search(clause):
        named = " ".join(filter(None, unwanted.groups()))
        return DoneReport(kind=ReportKind.WAIVED, about=_about(named))
    if given_up := _GIVES_UP.match(clause):
        about = _about(" ".join(filter(None, given_up.groups())))
        if about:
            return DoneReport(kind=ReportKind.WAIVED, about=about)
    if last is not None and last.kind is ReportKind.WAIVED and (fine := _FINE.match(clause)):
        return DoneReport(kind=ReportKind.WAIVED, about=_about(fine["thing"]))
    return None


def _read_done(clause: str) -> DoneReport | None:
    """Return what a clause says is done, or works."""
    if found := _WENT.match(clause):
        about = _about(found["thing"] or "")
        return DoneReport(kind=ReportKind.DONE if about else ReportKind.WORKS, about=about)
    forms = (_HABE, _IS, _I_DID) if _ORDERS.match(clause) else (_HABE, _IS, _I_DID, _BARE)
    for form in forms:
        if found := form.match(clause):
            said = found.groupdict()
            named = " ".join(filter(None, (said.get(each) for each in _NAMING)))
            return _make_done(clause, _about(named), found["deed"])
    found = _ALONE.match(clause)
    return _make_done(clause, frozenset(), found["deed"]) if found else None


def _make_done(clause: str, about: frozenset[str], deed: str) -> DoneReport:
    if not about and _TURNED_OUT.match(clause):
        return DoneReport(kind=ReportKind.WORKS)
    return DoneReport(kind=ReportKind.DONE, about=about, deed=_put_plain(deed))


def _about(thing: str) -> frozenset[str]:
    return terms(_OWN.sub(" ", thing)) - _GENERIC


def _put_plain(deed: str) -> str:
    """Return the stem of what was done; nothing where it says no more than that it is done."""
    own = deed.lower().split(" ")[0]
    return "" if _SAYS_LITTLE.match(own) else _STEMS.get(own, own.removesuffix("ed"))


def names_deed(report: DoneReport, text: str) -> bool:
    """Tell whether a text names what a report says was done; so it does if that is little."""
    own = report.deed
    return not own or any(
        word == own or is_alike(own, word) for word in _WORD.findall(text.lower())
    )
