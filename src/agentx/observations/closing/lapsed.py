"""What was ruled, or so, for a time: it is over when that time is.

    "no merges until the audit is over"             "audit is over. merge the two branches"
    "the servers stay on 25.11 until january"       a session in January
    "until then klarna stays off"                   "klarna is back on since 11"
    "only look, don't change anything yet"          "now we may change things, the boss agreed"
    "ask Miriam about the colour first"             "miriam says dark green"

Laws: only what says itself that it is for a time lapses, and only by what a person says later or by
the calendar. Who says that it is not so yet ends nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.observations.closing.doings import Deeds
from agentx.observations.extract.left.reports import read_reports
from agentx.observations.labels import LABELS
from agentx.observations.model import Category, Observation
from agentx.prose.cues import anywhere
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import share_alike
from agentx.prose.sentences import is_question, sentences

_PERSONS = "The user "
_SPOKEN = compile_late(r"(?:\A|(?<= ))The user (?:said|chose|answered|asked): ")
_UNTIL = compile_late(
    r"(?i:\b(?:until|till|til|bis(?: zum| zur)?|hasta(?: que)?|jusqu['\u2019]\S+(?: ce que)?"
    r"|finch\u00e9|fino a(?:lla|l)?|at\u00e9(?: que)?|totdat|tot)\s+(?P<end>[^.;:!?\n]{2,60}))"
)
_THEN = terms("then dann entonces alors allora ent\u00e3o toen dan now further notice")
# What holds only now, without saying how long.
_FOR_NOW = anywhere(
    r"""
    yet | for now | for the moment | for the time being | only look | just look(?:ing)? | first
    vorerst | erstmal | erst mal | noch nicht | nur (?:schauen|ansehen|verstehen) | zuerst | erst
    por ahora | de momento | todav\u00eda | a\u00fan | primero | pour l'instant | d'abord
    pour le moment
    per ora | ancora | prima | por enquanto | por agora | ainda | primeiro | voorlopig | nog niet
    """
)
# "Don't flash anything today": it binds a day, or a week.
_TODAY = anywhere(
    r"""
    today | tonight | this (?:morning|afternoon|evening) | heute(?: nacht| abend)? | hoy
    esta (?:noche|tarde|ma\u00f1ana) | aujourd'hui | ce (?:soir|matin) | oggi | stasera | hoje
    vandaag
    """
)
_FOR_GOOD = anywhere(
    "never | always | every | each | nie | immer | jede\\w* | nunca | siempre | jamais | toujours"
    " | mai | sempre | today['\u2019]s"
)
_BANS = anywhere(
    r"""
    do not | don'?t | dont | never | no | nothing | only look | just look(?:ing)? | nicht | nichts
    kein\w* | nur | no | nada | ne | pas | rien | non | niente | n\u00e3o | niet | niets | geen
    """
)
_MAY_NOW = anywhere(
    r"""
    (?:now|ok(?:ay)?|so|from now on) (?:we|you|i|it) (?:may|can) | (?:may|can) (?:\w+ ){0,4}now
    (?:is|are|it'?s) allowed(?: now)? | (?:we|you) are allowed | go ahead | green light
    jetzt d\u00fcrfen wir | (?:wir|du|ihr) d\u00fcrf\w* jetzt | darfst du jetzt
    jetzt (?:darf|kann)\w*
    ya (?:podemos|puedes|se puede) | ahora (?:podemos|puedes|s\u00ed)
    (?:on|tu) peu[tx] maintenant
    maintenant (?:on|tu) peu[tx] | adesso (?:possiamo|puoi) | agora (?:podemos|podes|pode)
    nu mogen we | nu mag
    """
)
_ASK = compile_late(
    r"\b(?:[Aa]sk|[Ff]rag(?:e|t)?|[Pp]regunta(?:r)? a|[Dd]emande[rz]? \u00e0|[Cc]hiedi a"
    r"|[Pp]ergunta \u00e0|[Vv]raag) (?P<who>[A-Z]\w+)"
)
_SAYS = anywhere(
    r"""
    says? | said | wants? | agree[ds]? | ok(?:ay)? | answered | replied | chose | decided | meint
    sagt | will | hat gesagt | dice | dijo | quiere | dit | a dit | veut | ha detto | vuole | disse
    quer | zegt | wil
    """
)
NOT_YET = anywhere(
    r"""
    not | never | \w+n't | still | until | till | when | once | if | unless | before | will
    tomorrow | soon | nicht | noch | bis | wenn | sobald | todav\u00eda | hasta | cuando
    si | pas | encore
    jusqu'\S+ | quand | non | ancora | finch\u00e9 | quando | se | n\u00e3o | ainda | at\u00e9
    nog | niet
    """
)
_STATE = compile_late(
    r"(?i:(?P<thing>[\w`./-]+(?: [\w`./-]+)?) (?:(?:is|are|stays?|remains?|goes|bleibt|bleiben"
    r"|ist|sind|queda|sigue|est\u00e1|reste|est|resta|fica)\s+)(?:back |now |again |jetzt "
    r"|wieder |ya )*(?P<state>\w+))"
)
_OPPOSITES = (
    ("off", "on"),
    ("disabled", "enabled"),
    ("closed", "open"),
    ("down", "up"),
    ("locked", "unlocked"),
    ("frozen", "unfrozen"),
    ("paused", "running"),
    ("out", "in"),
    ("aus", "an"),
    ("zu", "offen"),
    ("gesperrt", "frei"),
    ("apagado", "encendido"),
    ("cerrado", "abierto"),
    ("ferm\u00e9", "ouvert"),
    ("spento", "acceso"),
    ("chiuso", "aperto"),
    ("desligado", "ligado"),
    ("fechado", "aberto"),
)
_OTHER = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}
_CLAUSE = compile_late(r"[.;!?\n]+\s*|,\s+|\s+(?:and|und|y|et|e|en)\s+")
_DAYS = (
    "monday montag lunes lundi luned\u00ec segunda maandag",
    "tuesday dienstag martes mardi marted\u00ec",
    "wednesday mittwoch mi\u00e9rcoles mercredi mercoled\u00ec",
    "thursday donnerstag jueves jeudi gioved\u00ec",
    "friday freitag viernes vendredi venerd\u00ec",
    "saturday samstag s\u00e1bado samedi sabato weekend wochenende",
    "sunday sonntag domingo dimanche domenica",
)
_MONTHS = (
    "january januar enero janvier gennaio janeiro januari",
    "february februar febrero f\u00e9vrier febbraio",
    "march m\u00e4rz marzo mars mar\u00e7o maart",
    "april abril avril aprile",
    "may mai mayo maggio maio mei",
    "june juni junio juin giugno junho",
    "july juli julio juillet luglio julho",
    "august agosto ao\u00fbt augustus",
    "september septiembre septembre settembre setembro",
    "october oktober octubre octobre ottobre outubro",
    "november noviembre novembre novembro",
    "december dezember diciembre d\u00e9cembre dicembre dezembro",
)
_DAY_OF = {name: at for at, names in enumerate(_DAYS) for name in names.split()}
_MONTH_OF = {name: at + 1 for at, names in enumerate(_MONTHS) for name in names.split()}
_SOON = {"tomorrow": 1, "morgen": 1, "ma\u00f1ana": 1, "demain": 1, "domani": 1, "amanh\u00e3": 1}
_WORD = compile_late(r"[^\W\d_]+")
_ENOUGH = 0.6
_REPORTED = 0.5  # where somebody says that something was done
_IS_DONE = compile_late(r"(?i:\b\w{3,}ed\b|\b(?:is|are|ist|sind|est\u00e1|est|\u00e8) \w+)")
_WEEK = 7
_VERB_CHARS = 4


def holds_for_a_time(text: str) -> bool:
    """Tell whether a memory says what a person ruled, or said, for a time only."""
    # The words themselves are found far faster than by what stands around them.
    if _PERSONS not in text:
        return False
    if _SPOKEN.search(text) and _TODAY.search(text):
        return True
    return text.startswith(_PERSONS) and not text.startswith(LABELS) and _names_an_end(text)


# The same rows are looked at with every session that is captured.
@lru_cache(maxsize=1_500)
def _names_an_end(text: str) -> bool:
    is_for_now = _UNTIL.search(text) is not None or _FOR_NOW.search(text) is not None
    return is_for_now or _TODAY.search(text) is not None


def has_lapsed(one: Observation, deeds: Deeds) -> bool:
    """Tell whether the time for which something was so is over, after what a session said."""
    if one.category is Category.COMPACTION_SUMMARY or not holds_for_a_time(one.content):
        return False
    if one.timestamp_ms >= deeds.begun_ms:
        return False
    said = [each for answer in deeds.answers for each in _cut(answer.text)]
    if _has_ended(one, said, deeds.begun_ms):
        return True
    if _FOR_NOW.search(one.content) is None:
        return False
    return _is_allowed(one.content, said) or _was_asked(one.content, said)


def _has_ended(one: Observation, said: list[str], now: Millis) -> bool:
    """Tell whether the end came that somebody named."""
    ends = [match["end"] for match in _UNTIL.finditer(one.content)]
    if any(_has_come(end, said, one.timestamp_ms, now) for end in ends):
        return True
    return bool(ends) and _is_other_state(one.content, said)


def leave_past_days(one: Observation, deeds: Deeds) -> str:
    """Return a ruling without what it forbade for a day that is over."""
    spoken = _SPOKEN.search(one.content) if _TODAY.search(one.content) else None
    if spoken is None or one.content.startswith(LABELS):
        return one.content
    if _read_date(deeds.begun_ms).date() <= _read_date(one.timestamp_ms).date():
        return one.content
    said, sign, beside = one.content[spoken.end() :].partition("; ")
    parts = [each.text for each in sentences(said)]
    rest = [each for each in parts if not _is_of_a_day(each)]
    if len(rest) == len(parts):
        return one.content
    left = one.content[: spoken.end()] + " ".join(rest)
    return f"{left.rstrip('.') if sign else left}{sign}{beside}" if rest else ""


def _is_of_a_day(sentence: str) -> bool:
    """Tell whether a sentence forbids something for the day."""
    if _FOR_GOOD.search(sentence):
        return False
    return bool(_TODAY.search(sentence) and _BANS.search(sentence))


def _cut(text: str) -> list[str]:
    return [each for each in _CLAUSE.split(text) if each.strip() and not is_question(each)]


def _has_come(end: str, said: list[str], then: Millis, now: Millis) -> bool:
    """Tell whether what something waits for has come: by the calendar, or as a person says."""
    due = _find_date(end, then)
    if due is not None:
        return _read_date(now) >= due
    about = terms(end) - _THEN
    if not about:
        return False
    for each in said:
        if NOT_YET.search(each):
            continue
        shared = share_alike(about, terms(each))
        least = _REPORTED if _IS_DONE.search(each) or list(read_reports(each)) else _ENOUGH
        if len(shared) >= max(1, least * len(about)):
            return True
    return False


def _read_date(at: Millis) -> datetime:
    return datetime.fromtimestamp(at / 1000, UTC)


def _find_date(end: str, then: Millis) -> datetime | None:
    """Return when a day, a month or a weekend that is named comes next; None if none is."""
    begin = _read_date(then).replace(hour=0, minute=0, second=0, microsecond=0)
    for word in _WORD.findall(end.casefold()):
        if word in _SOON:
            return begin + timedelta(days=_SOON[word])
        if word in _DAY_OF:
            ahead = (_DAY_OF[word] - begin.weekday()) % _WEEK or _WEEK
            return begin + timedelta(days=ahead + 1)  # that day is over
        if word in _MONTH_OF and (word != "may" or "May" in end):
            year = begin.year + (_MONTH_OF[word] <= begin.month)
            return begin.replace(year=year, month=_MONTH_OF[word], day=1)
    return None


def _is_other_state(content: str, said: list[str]) -> bool:
    """Tell whether a thing that was to stay off is said to be on, or the other way round."""
    then = _read_states([content])
    now = _read_states(each for each in said if not NOT_YET.search(each))
    return any(_OTHER.get(state) == now.get(thing) for thing, state in then.items())


def _read_states(texts: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        for match in _STATE.finditer(text):
            if match["state"].casefold() in _OTHER:
                found[match["thing"].casefold().split()[-1].strip("`")] = match["state"].casefold()
    return found


def _is_allowed(content: str, said: list[str]) -> bool:
    """Tell whether what was not to be done yet may be done now."""
    if not _BANS.search(content):
        return False
    about = frozenset(each.casefold() for each in _WORD.findall(content.partition(": ")[2]))
    return any(
        _MAY_NOW.search(each)
        and not NOT_YET.search(each)
        and any(
            len(word) >= _VERB_CHARS and word.casefold() in about for word in _WORD.findall(each)
        )
        for each in said
    )


def _was_asked(content: str, said: list[str]) -> bool:
    """Tell whether the one who was to be asked first is said to have answered."""
    names = {match["who"].casefold() for match in _ASK.finditer(content)}
    return any(
        _SAYS.search(each) and names.intersection(_WORD.findall(each.casefold())) for each in said
    )
