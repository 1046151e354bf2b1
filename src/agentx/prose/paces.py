"""How often something is done, in words: "hourly", "once a day", "alle 15 Minuten", "cada noche".

A line of cron says the same: `0 * * * *` is each hour. What is so many a minute is an amount, and
no pace.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_HOUR, _DAY, _WEEK, _MONTH, _YEAR = 3600, 86400, 604800, 2592000, 31536000
_SPANS = {
    _HOUR: "hour hours hr hrs h stunde stunden hora horas heure heures",
    _DAY: "day days night nights morning mornings evening evenings tag tage tagen nacht n\u00e4chte"
    " morgen abend d\u00eda d\u00edas noche noches jour jours nuit nuits matin soir",
    _WEEK: "week weeks woche wochen semana semanas semaine semaines monday tuesday wednesday"
    " thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag"
    " lunes martes mi\u00e9rcoles jueves viernes s\u00e1bado domingo lundi mardi mercredi jeudi"
    " vendredi samedi dimanche",
    _MONTH: "month months monat monate monaten mes meses mois",
    _YEAR: "year years jahr jahre jahren a\u00f1o a\u00f1os an ans",
    60: "minute minutes min mins minuten minuto minutos",
    1: "second seconds sec secs sekunde sekunden segundo segundos seconde secondes",
}
_SECONDS = {word: seconds for seconds, words in _SPANS.items() for word in words.split()}
_ADVERBS = {
    _HOUR: "hourly st\u00fcndlich",
    _DAY: "daily nightly t\u00e4glich n\u00e4chtlich diario diaria diariamente quotidien"
    " quotidienne quotidiennement",
    _WEEK: "weekly w\u00f6chentlich semanal semanalmente hebdomadaire",
    2 * _WEEK: "fortnightly biweekly",
    _MONTH: "monthly monatlich mensual mensualmente mensuel mensuelle mensuellement",
    _YEAR: "yearly annually j\u00e4hrlich anual anualmente annuel annuelle",
}
_PLAIN = {word: seconds for seconds, words in _ADVERBS.items() for word in words.split()}
_NUMBERS = {
    word: number
    for number, words in {
        0.5: "half halbe media demi",
        1: "once one einmal una une",
        2: "twice two other second zwei zweimal zweite dos deux",
        3: "three drei dreimal tres trois",
        4: "four vier viermal cuatro quatre",
        5: "five f\u00fcnf cinco cinq",
        6: "six sechs seis",
        10: "ten zehn diez dix",
        12: "twelve zw\u00f6lf doce douze",
        15: "fifteen f\u00fcnfzehn quince quinze",
        30: "thirty drei\u00dfig treinta trente",
    }.items()
    for word in words.split()
}
_SPAN = "|".join(sorted(_SECONDS, key=len, reverse=True))
_NUMBER = rf"\d+|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}"
_PACE = compile_late(
    rf"(?i:(?<![\w-])(?:(?P<plain>{'|'.join(_PLAIN)})"
    rf"|(?:(?P<times>{_NUMBER})(?: ?(?:times?|mal|vez|veces|fois))?"
    rf" (?:an?|per|each|every|pro|am|im|in der|die|al|a la|por|par) (?P<of>{_SPAN}))"
    rf"|(?:every|each|alle|jede[nrs]?|cada|chaque|tou(?:te)?s les|tod[oa]s l[oa]s)"
    rf"(?: (?:single )?(?P<number>{_NUMBER}))? ?(?P<span>{_SPAN}))(?![\w-]))"
)
# "3 a day" is an amount; "3 times a day" and "once a day" are paces.
_COUNTS = compile_late(
    r"(?i:(?:\d+|one|two|other|second|half|una|une|dos|deux) (?!times?|vez|veces|fois|mal))"
)
_CRON_FIELDS = 5
_EVERY = "*"


@frozen(kw_only=False)
class Pace:
    """How often, and where in a text it is said."""

    seconds: float
    start: int
    end: int


def list_paces(text: str) -> tuple[Pace, ...]:
    """Return how often a text says that things are done, in its order."""
    found = []
    for match in _PACE.finditer(text):
        if match["times"] and _COUNTS.match(match[0]):
            continue
        if match["plain"]:
            seconds = float(_PLAIN[match["plain"].lower()])
        elif match["of"]:
            seconds = _SECONDS[match["of"].lower()] / (_read_number(match["times"]) or 1)
        else:
            seconds = _SECONDS[match["span"].lower()] * _read_number(match["number"])
        if seconds:
            found.append(Pace(seconds, match.start(), match.end()))
    return tuple(found)


def read_cron(line: str) -> float:
    """Return each how many seconds a line of cron comes; nothing where it is no plain pace."""
    fields = line.split()
    if len(fields) != _CRON_FIELDS:
        return 0
    minute, hour, day, month, weekday = fields
    for field, seconds in ((minute, 60), (hour, _HOUR), (day, _DAY), (month, _MONTH)):
        if field.startswith("*/") and field[2:].isdigit():
            return float(int(field[2:]) * seconds)
    spans = (
        (minute == _EVERY, 60),
        (hour == _EVERY, _HOUR),
        (weekday.isdigit(), _WEEK),
        (weekday != _EVERY, 0),  # on some days of the week
        (day == _EVERY, _DAY),
        (month == _EVERY, _MONTH),
    )
    return next((float(seconds) for is_so, seconds in spans if is_so), float(_YEAR))


def _read_number(word: str | None) -> float:
    if not word:
        return 1
    return float(word) if word.isdigit() else _NUMBERS[word.lower()]
