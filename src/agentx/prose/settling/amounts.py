"""What a text sets to which amount: "session timeout 8 hours please", "MAX_UPLOAD is 50 MB".

What is set is known by its words, whatever it is called by: `SESSION_TTL`, "the session timeout",
"sessions must not live longer than" are one. Each word that is left says of what it is: connect
and read, staging and production are two. How often something is done is an amount, too: "hourly",
"once a day".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.keyphrases import terms
from agentx.prose.paces import Pace, list_paces
from agentx.prose.sentences import is_question

Terms = frozenset[str]

_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = compile_late(
    r"[,:]\s+|\s+[\u2013\u2014-]\s+|\s+(?:so|but|then|and|aber|und|mais|et|pero|y)\s+"
    r"|\b(?:because|since|now that|so that|otherwise|weil|damit|sonst|parce que|porque)\b",
    re.IGNORECASE,
)
_BESIDE = compile_late(r"\([^()\n]*\)|\[[^\[\]\n]*\]")
_AMOUNT = compile_late(
    # It begins with its digit, though something may not stand before: so the engine leaps to it.
    r"(?P<number>\d(?<![\w.#:/-]\d)\d*(?:[.,]\d+)?)(?:[ -]?(?P<unit>%|[A-Za-z]+))?"
    r"(?![\w:/-]|\.\d)"
)
# How one says that it may not be more, or less.
_AT_MOST = compile_late(
    r"\b(?:(?:(?:must|should|may|can|do|does|shall|will)(?:n'?t| not)|cannot|never|not?)"
    r"(?: (?:be|live|last|run|take|grow|stay|get|wait|go))?(?: for)?"
    r" (?:longer|more|bigger|larger|older|higher|greater)(?: (?:than))?"
    r"|(?:must|should|may|can)(?:n'?t| not) exceed|never exceeds?|at most|up to|maximal"
    r"|h\u00f6chstens|au plus|como m\u00e1ximo)\b",
    re.IGNORECASE,
)
_AT_LEAST = compile_late(
    r"\b(?:(?:(?:must|should|may|can|do)(?:n'?t| not)|never|not?)(?: (?:be|live|last|get|go))?"
    r" (?:shorter|less|smaller|lower|fewer|below)(?: than)?|at least|mindestens|au moins"
    r"|al menos)\b",
    re.IGNORECASE,
)
_LIVES = compile_late(r"(?i:\b(?:live|last)\b)")
_DENIED = compile_late(
    r"(?i:\b(?:not?|never|\w+n'?t|cannot|instead|than|nicht|kein\w*|jamais|pas|nunca|was|were|had"
    r"|used to|would|could|might|maybe|perhaps|if|unless|took|takes|before|until|when|by|after"
    r"|every|each|first|another|other)\b)"
)
_JOINT = compile_late(r"(?i:\b(?:after|every)\s*\Z)")
_WORD = compile_late(r"[^\W\d_](?:[\w'\u2019.-]*\w)?")
_PARTS = compile_late(r"[_.-]|(?<=[a-z])(?=[A-Z])")
_CODE = compile_late(r"\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][A-Z0-9]{2,}")
# What may be set at all, beside names out of code.
_SETTABLE = terms(
    "timeout timeouts ttl lifetime expiry expires limit limits cap quota retention interval delay"
    " threshold window size width depth port retries attempts tries threads concurrency replicas"
    " pool batch budget rate backoff grace lease deadline ceiling uploads live valid maximum"
    " minimum max min"
)
# Words for one thing: how long something lives, and how much it may be.
_LIFE = terms("ttl lifetime expiry expires expire expiration live valid validity age last")
_MOST = terms("limit limits cap max maximum maximal ceiling quota")
_LEAST = terms("min minimum minimal")
_LIMIT = _MOST | terms("size")
_OUT = terms("timeout timeouts")
# Of what is logged in, a timeout is how long it lives.
_LOGGED_IN = terms("session sessions login cookie cookies token tokens")
# Said of many things: alone it does not tell of which.
_GENERIC = (
    _LIFE
    | _LIMIT
    | _OUT
    | terms(
        "interval delay threshold window width depth port retries attempts tries threads rate"
        " backoff grace deadline budget retention batch pool minimum min times connections"
    )
)
_IDLE = terms(
    "set sets setting default value now currently please pls make bump raise raised lower lowered"
    " increase increased reduce reduced change changed keep use want need let again ok still only"
    " just new onwards going forward allowed fine enough to at of is are be for in on the a an"
    " with and from must should can may"
)
# Said of all that is done again and again.
_REPEATS = terms(
    "run runs running ran executed execute start starts started happen happens fire fires trigger"
    " triggers schedule scheduled schedules cron job jobs enough fine ok okay plenty suffice"
    " suffices only just done do does go goes please bitte por favor reicht gen\u00fcgt l\u00e4uft"
    " laufen lassen laufe basta suffit corre ejecuta tourne"
)
_SCALES: dict[str, dict[str, float]] = {
    "time": {
        "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "second": 1, "sekunde": 1, "min": 60,
        "minute": 60, "minuten": 60, "minuto": 60, "h": 3600, "hr": 3600, "hour": 3600,
        "stunde": 3600, "heure": 3600, "hora": 3600, "d": 86400, "day": 86400, "tag": 86400,
        "tage": 86400, "jour": 86400, "week": 604800, "woche": 604800, "semaine": 604800,
        "semana": 604800, "month": 2592000, "year": 31536000,
    },
    "size": {
        "b": 1, "byte": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1024,
        "mib": 1024**2, "gib": 1024**3, "tib": 1024**4,
    },
    "share": {"%": 1, "percent": 1, "prozent": 1},
}  # fmt: skip
_UNITS = {
    unit: (dimension, scale)
    for dimension, scales in _SCALES.items()
    for unit, scale in scales.items()
}
# Without a verb, and with nothing beside it but why.
_PLAINLY = compile_late(
    r"(?i:\W*(?:(?:ok(?:ay)?|and|also|so|then|please|now that [^,;\n]{2,80}),? )*(?:the )?"
    r"(?P<what>(?:(?!(?:is|are|was|were|has|have|had|it|i|we|at|with|got|to|in|of)\b)[A-Za-z][\w-]*"
    r" ){1,3})(?:to |= ?)?\d+(?:[.,]\d+)? ?(?:%|[A-Za-z]{1,8})??"
    r"(?:,? (?:please|pls|from now on|now|again|bitte|ab jetzt))*"
    r"(?:,? (?:now that|because|since|weil) [^;\n]+)?,?[.!]*\Z)"
)
# The setting, its value, and at most under which circumstances.
_NAMES_AMOUNT = compile_late(
    r"(?i:\W*(?:(?:ok(?:ay)?|set|use|keep|make|put|raise|lower|cut|bump|reduce|increase|limit|with"
    r"|the|our|a|an|it) )*(?P<what>[a-z][\w-]*(?: (?!of|to|is|are|at|be)[a-z][\w-]*){0,2}?)"
    r"(?: (?:(?:of|to|is|are|at|be|now|stays) )+| ?[=:] ?| )"
    r"(?P<number>\d+(?:[.,]\d+)?)(?: ?(?P<unit>%|[a-z]{1,8}))??"
    r"(?:,? (?:please|pls|now|again|from now on|bitte)|(?:,| \(|:)[^\n]*"
    r"| (?:behind|because|since|so that|as|now that|instead of|not|until|weil)\b[^\n]*)*"
    r"[.!]*\Z)"
)
# How one says that an amount holds no longer: what stands before it, and after it.
_TAKES_BACK = compile_late(
    r"(?i:\b(?:(?:revers|overturn|supersed|replac)(?:es|ed)|instead of|rather than|no longer"
    r"|not any ?more|statt|anstatt|nicht mehr|au lieu de|en vez de)(?: the| our| those| for| only)?"
    r" \Z)"
)
_WAS_WRONG = compile_late(
    r"(?i: (?:is|are|was|were|ist|war|est|es) (?:clearly |just |simply |far |much |also )?"
    r"(?:wrong|too (?:short|long|little|few|much|many|low|high|small|big|large)|not enough"
    r"|no longer enough|zu (?:kurz|lang|wenig|viel)|falsch)\b)"
)
_CHANGED_FROM = compile_late(
    r"(?i:\b(?:rais|chang|mov|bump|extend|increas|lower|reduc|cut|lengthen|shorten|go|goes|went|up"
    r"|down)\w*(?: [^.;:\n]*)? from \Z)"
)
_TO_ANOTHER = compile_late(r"(?i: to \d)")
_BEFORE_CHARS, _AFTER_CHARS = 60, 40
# Of a pace that is left, not taken: "instead of hourly", "not every day".
_LEFT = compile_late(
    r"(?i:(?:\binstead of|\brather than|\bno longer|\bnot(?: any ?more)?|n't|\bstatt"
    r"|\banstatt|\bnicht(?: mehr)?|\ben vez de|\bya no|\bau lieu de|\bplus)"
    r"(?: the| our| just| der| die| das)? ?\Z)"
)
_PACE = "pace"
_AMOUNTS_MAX = 6
_TELLING_WORDS = 3


@frozen
class SetAmount:
    """What is set, and to how much."""

    about: Terms
    amount: float  # in the unit that its dimension is counted in
    dimension: str
    bound: str = ""  # "most" or "least", where it is no value but a bound
    sentence: int = 0

    def is_replaced_by(self, new: SetAmount) -> bool:
        """Tell whether the same thing was set since to what this cannot be."""
        is_same = new.about == self.about and new.dimension == self.dimension
        if not is_same or new.amount == self.amount:
            return False
        if bool(new.bound) == bool(self.bound):
            return new.bound == self.bound
        value, limit = (self, new) if new.bound else (new, self)
        over = value.amount - limit.amount
        return over > 0 if limit.bound == "most" else over < 0


# The same memories are compared with every session that is captured.
@lru_cache(maxsize=2_000)
def read_amounts(text: str) -> tuple[SetAmount, ...]:
    """Return what a text sets, each by what it is about."""
    return tuple(islice(_list_amounts(text), _AMOUNTS_MAX))


@lru_cache(maxsize=2_000)
def sets_only(text: str) -> bool:
    """Tell whether every sentence of a text sets an amount, or says next to nothing."""
    setting = {each.sentence for each in read_amounts(text)}
    return all(
        at in setting or len(terms(each)) < _TELLING_WORDS
        for at, each in enumerate(_SENTENCE.split(text))
    )


@lru_cache(maxsize=2_000)
def read_named_amount(text: str) -> SetAmount | None:
    """Return what a line sets that begins with the setting itself: "Pool of 40", "The pool is 40".

    Such a setting is known by its own word, however many things have one; for which it is must
    not be said.
    """
    found = _NAMES_AMOUNT.match(_SENTENCE.split(text, maxsplit=1)[0])
    about = terms(found["what"]) - _IDLE if found else frozenset[str]()
    if found is None or not about or not about <= _GENERIC | _SETTABLE:
        return None
    if _DENIED.search(found["what"]):
        return None
    dimension, amount = measure(found["number"], found["unit"] or "")
    if found["unit"] and not dimension:
        return None
    return SetAmount(about=about, amount=amount, dimension=dimension)


def sets_plainly(text: str) -> bool:
    """Tell whether somebody sets something without a verb: "batch size 128 from now on"."""
    found = _PLAINLY.match(text)
    return found is not None and bool(terms(found["what"]) & _SETTABLE)


def measure(number: str, unit: str) -> tuple[str, float]:
    """Return what a number with its unit measures, and how much that is."""
    lowered = unit.casefold()
    known = _UNITS.get(lowered) or _UNITS.get(lowered.removesuffix("s")) or _UNITS.get(lowered[:-1])
    dimension, scale = known if known and lowered else ("", 1.0)
    return dimension, float(number.replace(",", ".")) * scale


@frozen(kw_only=False)
class Measured:
    """An amount, in the unit that its dimension is counted in."""

    dimension: str
    amount: float


def list_measures(text: str) -> frozenset[Measured]:
    """Return the amounts with a unit that a text names."""
    found = (measure(number, unit) for number, unit in _AMOUNT.findall(text) if unit)
    return frozenset(Measured(dimension, amount) for dimension, amount in found if dimension)


def list_taken_back(text: str) -> frozenset[Measured]:
    """Return the amounts of which a text says that they hold no longer."""
    return frozenset(
        Measured(dimension, amount)
        for each in _AMOUNT.finditer(text)
        if each["unit"]
        for dimension, amount in [measure(each["number"], each["unit"])]
        if dimension and _is_taken_back(text, each.start(), each.end())
    )


def _is_taken_back(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - _BEFORE_CHARS) : start]
    after = text[end : end + _AFTER_CHARS]
    if _TAKES_BACK.search(before) or _WAS_WRONG.match(after):
        return True
    return bool(_TO_ANOTHER.match(after) and _CHANGED_FROM.search(before))


def _list_amounts(text: str) -> Iterator[SetAmount]:
    for at, sentence in enumerate(_SENTENCE.split(text)):
        if is_question(sentence):
            continue
        for clause in _CLAUSE.split(_BESIDE.sub(" ", sentence)):
            found = _read_clause(clause, at)
            if found is not None:
                yield found


def _read_clause(clause: str, sentence: int) -> SetAmount | None:
    """Return what one clause sets; nothing where it names several amounts, or denies one."""
    if (paced := _read_pace(clause, sentence)) is not None:
        return paced
    numbers = list(_AMOUNT.finditer(clause))
    if len(numbers) != 1:
        return None
    match = numbers[0]
    unit = match["unit"] or ""
    dimension, amount = measure(match["number"], unit)
    before = _JOINT.sub("", clause[: match.start()])
    rest = f"{before} {'' if dimension else unit} {clause[match.end() :]}"
    bound = ""
    for name, pattern in (("most", _AT_MOST), ("least", _AT_LEAST)):
        if found := pattern.search(rest):
            kept = "live" if _LIVES.search(found[0]) else ""
            rest, bound = f"{rest[: found.start()]} {kept} {rest[found.end() :]}", name
    words = _list_words(rest)
    about = frozenset() if _DENIED.search(rest) else _read_about(words)
    if not about:
        return None
    if not bound:
        said = terms(" ".join(words))
        bound = "most" if said & _MOST else "least" if said & _LEAST else ""
    return SetAmount(
        about=about, amount=amount, dimension=dimension, bound=bound, sentence=sentence
    )


def list_taken_paces(text: str) -> list[Pace]:
    """Return how often a text says that something is to be done, without the paces it leaves."""
    return [each for each in list_paces(text) if not _LEFT.search(text[: each.start])]


def read_paced(text: str) -> Terms:
    """Return what a text says to be done again and again, by its words."""
    for each in reversed(list_paces(text)):
        before = _LEFT.sub(" ", text[: each.start])
        text = f"{before} {text[each.end :]}"
    return frozenset() if _DENIED.search(text) else terms(_AMOUNT.sub(" ", text)) - _IDLE - _REPEATS


def _read_pace(clause: str, sentence: int) -> SetAmount | None:
    """Return what is done how often; nothing where a clause names several paces."""
    taken = list_taken_paces(clause)
    about = read_paced(clause) if len(taken) == 1 else frozenset[str]()
    if not about:
        return None
    return SetAmount(about=about, amount=taken[0].seconds, dimension=_PACE, sentence=sentence)


def _list_words(text: str) -> list[str]:
    """Return the words of a text; of a name out of code its parts, after the name."""
    words = [match[0] for match in _WORD.finditer(text)]
    return [part for each in words for part in (each, *_PARTS.split(each))]


def _read_about(words: Sequence[str]) -> Terms:
    """Return by what is known what is set; nothing where it is no setting, or could be any."""
    names = [each for each in words if _CODE.fullmatch(each)]
    plain = " ".join(each for each in words if not _PARTS.search(each))
    named = terms(plain) - _IDLE
    if not (named & _SETTABLE or names):
        return frozenset()
    if named & _LOGGED_IN:
        named -= _OUT
        left = named - _LIFE
    else:
        left = named - _LIFE | ({"live"} if named & _LIFE else frozenset())
    left -= _LIMIT
    return frozenset() if left <= _GENERIC else frozenset(left - _LEAST)
