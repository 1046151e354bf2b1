"""Times that are told in French, Spanish or Korean, in the English words that `time_words` reads.

la semaine derni\u00e8re     last week
hace tres d\u00edas           3 days ago
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agentx.kernel.text import compile_late
from agentx.recall.question.time_words import MONTHS, WEEKDAYS

_MONTHS = (
    "janvier|enero f[e\u00e9]vrier|febrero mars|marzo avril|abril mai|mayo juin|junio"
    " juillet|julio ao[u\u00fb]t|agosto septembre|septiembre octobre|octubre"
    " novembre|noviembre d[e\u00e9]cembre|diciembre"
).split()
_DAYS = (
    "lundi|lunes|\uc6d4\uc694\uc77c mardi|martes|\ud654\uc694\uc77c"
    " mercredi|mi[e\u00e9]rcoles|\uc218\uc694\uc77c jeudi|jueves|\ubaa9\uc694\uc77c"
    " vendredi|viernes|\uae08\uc694\uc77c samedi|s[a\u00e1]bado|\ud1a0\uc694\uc77c"
    " dimanche|domingo|\uc77c\uc694\uc77c"
).split()
_NUMBERS = (
    "une?|un[oa]? deux|dos trois|tres quatre|cuatro cinq|cinco six|seis sept|siete huit|ocho"
    " neuf|nueve dix|diez"
).split()
_UNITS = {
    "jours?|d[i\u00ed]as?|\uc77c": "day",
    "semaines?|semanas?|\uc8fc": "week",
    "mois|mes(?:es)?|\uac1c\uc6d4|\ub2ec": "month",
    "ans?|ann[e\u00e9]es?|a\u00f1os?|\ub144": "year",
    "heures?|horas?|\uc2dc\uac04": "hour",
}
_PHRASES = {
    "avant[- ]hier|anteayer|antier|\uadf8\uc800\uaed8|\uadf8\uc81c": "the day before yesterday",
    "hier soir|anoche|\uc5b4\uc82f\ubc24": "last night",
    "hier matin|ayer por la ma\u00f1ana": "yesterday morning",
    "hier|ayer|\uc5b4\uc81c": "yesterday",
    "ce matin|esta ma\u00f1ana|\uc624\ub298 \uc544\uce68": "this morning",
    "aujourd['\u2019]?hui|hoy|\uc624\ub298": "today",
    "(?:la )?semaine (?:derni[e\u00e8]re|pass[e\u00e9]e)|(?:la )?semana pasada"
    "|(?:la )?[u\u00fa]ltima semana|(?:\uc9c0\ub09c|\uc800\ubc88) ?\uc8fc": "last week",
    "cette semaine|esta semana|\uc774\ubc88 ?\uc8fc": "this week",
    "(?:le )?mois (?:dernier|pass[e\u00e9])|(?:el )?mes pasado|(?:\uc9c0\ub09c"
    "|\uc800\ubc88) ?\ub2ec"
    "": "last month",
    "ce mois(?:-ci)?|este mes|\uc774\ubc88 ?\ub2ec": "this month",
    "(?:l['\u2019]an(?:n[e\u00e9]e)?) (?:dernier|derni[e\u00e8]re|pass[e\u00e9]e?)"
    "|(?:el )?a\u00f1o pasado"
    "|\uc791\ub144": "last year",
    "cette ann[e\u00e9]e|este a\u00f1o|\uc62c\ud574": "this year",
    "le week-?end(?: dernier)?|week-?end dernier|(?:el )?fin de semana(?: pasado)?"
    "|(?:\uc9c0\ub09c )?\uc8fc\ub9d0"
    "": "last weekend",
}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT = rf"(?P<unit>{'|'.join(_UNITS)})"


def _find(names: list[str], said: str) -> int:
    return next(at for at, name in enumerate(names) if re.fullmatch(name, said, re.IGNORECASE))


def _say_ago(said: dict[str, str]) -> str:
    count = said["count"]
    number = int(count) if count.isdigit() else _find(_NUMBERS, count) + 1
    unit = next(en for names, en in _UNITS.items() if re.fullmatch(names, said["unit"]))
    return f"{number} {unit}s ago"


def _say_date(said: dict[str, str]) -> str:
    return f"{said['day']} {MONTHS[_find(_MONTHS, said['month'])]} {said['year']}".strip()


LATIN: tuple[tuple[re.Pattern[str], Callable[[dict[str, str]], str]], ...] = (
    (
        compile_late(
            rf"\b(?:le |el )?(?P<day>\d\d?)(?:er)? (?:de )?(?P<month>{'|'.join(_MONTHS)})\b"
            r"(?: (?:de )?(?P<year>(?:19|20)\d\d))?",
            re.IGNORECASE,
        ),
        _say_date,
    ),
    (
        compile_late(
            rf"\b(?:il y a|hace) {_COUNT} {_UNIT}\b",
            re.IGNORECASE,
        ),
        _say_ago,
    ),
    (
        compile_late(rf"(?P<count>\d{{1,3}}) ?(?P<unit>{'|'.join(_UNITS)}) ?\uc804(?:\uc5d0)?"),
        _say_ago,
    ),
    *(
        (
            compile_late(rf"(?<!\w)(?:{said})(?:\uc5d0|\uc5d0\ub294|\ub294)?(?!\w)", re.IGNORECASE),
            lambda _, words=words: words,
        )
        for said, words in _PHRASES.items()
    ),
    (
        compile_late(
            rf"(?<!\w)(?:le |el )?(?P<weekday>{'|'.join(_DAYS)})(?:\uc5d0)?"
            r"(?: (?:dernier|pass\u00e9|pasado))?(?!\w)",
            re.IGNORECASE,
        ),
        lambda said: f"on {WEEKDAYS[_find(_DAYS, said['weekday'])]}",
    ),
)
