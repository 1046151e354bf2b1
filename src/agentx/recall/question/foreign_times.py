"""Times that are told in other languages, in the English words that `time_words` reads.

    am 2. November          2 november
    vor drei Tagen          3 days ago
    [yesterday, in Japanese] yesterday

Each row of a table is what is said there and how it is said here, so a language is a few rows
and means the same days. Scripts without spaces have no word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.recall.question.latin_times import LATIN
from agentx.recall.question.time_words import MONTHS, WEEKDAYS

_Rows = tuple[tuple[re.Pattern[str], Callable[[dict[str, str]], str]], ...]


@frozen
class ForeignTime:
    """Where a time stands in a text, and how it is said in English; `relation` as in "since"."""

    begins: int
    ends: int
    english: str
    relation: str = ""


# --- German ---------------------------------------------------------------------------------

_MONATE = (
    "januar februar m\u00e4rz april mai juni juli august september oktober november dezember"
).split()
_TAGE = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
_ZAHLEN = {
    word: number
    for number, word in enumerate(
        "ein zwei drei vier f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf".split(), 1
    )
} | {"einem": 1, "einer": 1, "einen": 1, "eine": 1, "paar": 3}
_EINHEITEN = {
    "tag": "day",
    "woche": "week",
    "wochenende": "weekend",
    "monat": "month",
    "quartal": "quarter",
    "jahr": "year",
    "stunde": "hour",
    "minute": "minute",
}
_TAGESZEITEN = {
    "morgen": "morning",
    "fr\u00fch": "morning",
    "vormittag": "morning",
    "mittag": "afternoon",
    "nachmittag": "afternoon",
    "abend": "evening",
    "nacht": "night",
}
_BEZUG = {"seit": "since", "ab": "since", "nach": "after", "vor": "before", "bis": "until"}
_MONAT = (
    r"(?P<month>jan(?:uar)?|feb(?:ruar)?|m(?:\u00e4|ae)rz|apr(?:il)?|mai|juni?|juli?|aug(?:ust)?"
    r"|sept?(?:ember)?|okt(?:ober)?|nov(?:ember)?|dez(?:ember)?)\b\.?"
)
_TAG = rf"(?P<weekday>{'|'.join(_TAGE)}|sonnabend)"
_ZAHL = rf"(?P<count>\d{{1,3}}|(?:ein )?paar|{'|'.join(_ZAHLEN)})"
_EINHEIT = r"(?P<unit>tag|wochenende|woche|monat|quartal|jahr|stunde|minute)(?:en|es|e|n|s)?"
_ZEIT = rf"(?:\s+(?P<part>{'|'.join(_TAGESZEITEN)}))?"
_BEI = r"(?:(?P<relation>seit|ab|nach|vor|bis)\s+(?:zum\s+)?)?"
_JAHR = r"(?:\s+(?P<year>(?:19|20)\d\d))?"


def _german_date(said: dict[str, str]) -> str:
    first = f"{said['first']} to " if said["first"] else ""
    return f"{first}{said['day']} {_german_month(said)} {said['year']}".strip()


def _german_month(said: dict[str, str]) -> str:
    name = said["month"].replace("ae", "\u00e4").rstrip(".")
    return next(en for de, en in zip(_MONATE, MONTHS, strict=True) if de.startswith(name[:3]))


def _german_months(said: dict[str, str]) -> str:
    phase = {"anfang": "early ", "mitte": "mid ", "ende": "late "}.get(said["phase"], "")
    if said["year"] or phase:
        return f"{phase}{_german_month(said)} {said['year']}".strip()
    return f"in {_german_month(said)}"


def _german_weekday(said: dict[str, str]) -> str:
    named = said["weekday"].replace("sonnabend", "samstag")
    return f"on {WEEKDAYS[_TAGE.index(named)]} {_TAGESZEITEN.get(said['part'], '')}".strip()


def _german_day(said: dict[str, str]) -> str:
    day = {"vorgestern": "the day before yesterday", "gestern": "yesterday", "heute": "today"}
    return f"{day[said['word']]} {_TAGESZEITEN.get(said['part'], '')}".strip()


def _german_which(said: dict[str, str]) -> str:
    if said["weekday"]:
        return _german_weekday(said)
    unit = _EINHEITEN[said["unit"]]
    if said["count"]:
        return f"last {_german_count(said)} {unit}s"
    if unit == "day":
        return "last 3 days"
    if said["which"].startswith("vorletzt"):
        return f"{unit} before last"
    which = {"d": "this", "n": "next"}.get(said["which"][0], "last")
    return f"{which} {unit}"


def _german_count(said: dict[str, str]) -> int:
    count = said["count"].removeprefix("ein ")
    return int(count) if count.isdigit() else _ZAHLEN[count]


_GERMAN: _Rows = (
    (
        compile_late(
            rf"\b{_BEI}(?:(?:am|vom|zum|den|dem)\s+)*(?:{_TAG},?\s+)?(?:(?:den|dem)\s+)?"
            rf"(?:(?P<first>\d\d?)\.\s*(?:bis|und|-|\u2013)\s*(?:zum\s+)?)?"
            rf"(?P<day>\d\d?)\.\s*{_MONAT}{_JAHR}",
            re.IGNORECASE,
        ),
        _german_date,
    ),
    (
        compile_late(rf"\b{_BEI}(?P<word>vorgestern|gestern|heute){_ZEIT}\b", re.IGNORECASE),
        _german_day,
    ),
    (
        compile_late(
            r"\b(?:in\s+den\s+|in\s+der\s+|im\s+|am\s+)?"
            r"(?P<which>vorletzte|letzte|vergangene|vorige|diese|n\u00e4chste)[nrsm]?\s+"
            rf"(?:{_ZAHL}\s+)?(?:{_EINHEIT}|{_TAG}{_ZEIT})\b",
            re.IGNORECASE,
        ),
        _german_which,
    ),
    (
        compile_late(rf"\bvor\s+{_ZAHL}\s+{_EINHEIT}\b", re.IGNORECASE),
        lambda said: f"{_german_count(said)} {_EINHEITEN[said['unit']]}s ago",
    ),
    (
        compile_late(
            rf"\b(?:(?P<phase>anfang|mitte|ende)|im|in|(?P<relation>seit|vor|nach|bis))\s+"
            rf"{_MONAT}{_JAHR}",
            re.IGNORECASE,
        ),
        _german_months,
    ),
    (compile_late(rf"\b{_BEI}(?:am\s+)?{_TAG}{_ZEIT}\b", re.IGNORECASE), _german_weekday),
)
# --- scripts without spaces -----------------------------------------------------------------

_SIGNS = {
    "\u4e00\u6628\u65e5|\u304a\u3068\u3068\u3044|\u524d\u5929": "the day before yesterday",
    "\u6628\u65e5|\u304d\u306e\u3046|\u6628\u5929": "yesterday",
    "\u4eca\u65e5|\u672c\u65e5|\u304d\u3087\u3046|\u4eca\u5929": "today",
    "\u4eca\u671d|\u4eca\u65e9": "this morning",
    "\u6628\u591c|\u6628\u6669|\u6628\u665a": "last night",
    "\u5148\u3005\u9031": "week before last",
    "\u5148\u9031\u672b|\u4e0a\u5468\u672b": "last weekend",
    "\u5148\u9031|\u4e0a\u5468|\u4e0a\u9031|\u4e0a(?:\u4e2a|\u500b)?\u661f\u671f": "last week",
    "\u4eca\u9031|\u672c\u5468|\u672c\u9031": "this week",
    "[\u8fd9\u9019](?:\u4e2a|\u500b)?(?:\u5468|\u9031|\u661f\u671f)": "this week",
    "\u5148\u6708|\u4e0a(?:\u4e2a|\u500b)?\u6708": "last month",
    "\u4eca\u6708|\u672c\u6708|[\u8fd9\u9019](?:\u4e2a|\u500b)?\u6708": "this month",
    "\u6628\u5e74|\u53bb\u5e74": "last year",
    "\u4eca\u5e74": "this year",
    "\u9031\u672b|\u5468\u672b": "over the weekend",
}
_UNITS = {
    "\u65e5": "day",
    "\u5929": "day",
    "\u9031": "week",
    "\u5468": "week",
    "\u661f\u671f": "week",
    "\u6708": "month",
    "\u5e74": "year",
    "\u6642\u9593": "hour",
    "\u5c0f\u65f6": "hour",
    "\u5c0f\u6642": "hour",
    "\u5206": "minute",
}
_NUMBERS = "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341"
_NUMBERS_BESIDE = {"\u4e24": 2, "\u5169": 2, "\u6570": 3}
_WEEKDAYS = (
    "\u6708\u4e00",
    "\u706b\u4e8c",
    "\u6c34\u4e09",
    "\u6728\u56db",
    "\u91d1\u4e94",
    "\u571f\u516d",
    "\u65e5\u5929",
)
_AMOUNT = (
    rf"(?P<count>\d{{1,3}}|[{_NUMBERS}{''.join(_NUMBERS_BESIDE)}])(?:[\u304b\u30f6\u30f5\u7b87\u4e2a\u500b](?=\u6708))?"
    rf"(?P<unit>{'|'.join(_UNITS)})"
)


def _sign_date(said: dict[str, str]) -> str:
    month = MONTHS[int(said["month"]) - 1] if 1 <= int(said["month"]) <= len(MONTHS) else ""
    day = said["day"] or ("" if said["year"] else "in")
    return " ".join(filter(None, (day, month, said["year"])))


def _sign_count(said: dict[str, str]) -> int:
    count = said["count"]
    if count.isdigit():
        return int(count)
    return _NUMBERS_BESIDE.get(count) or _NUMBERS.index(count) + 1


def _sign_weekday(said: dict[str, str]) -> str:
    at = next(at for at, signs in enumerate(_WEEKDAYS) if said["weekday"] in signs)
    return f"on {WEEKDAYS[at]}"


_UNSPACED: _Rows = (
    (
        compile_late(
            r"(?:(?P<year>\d{4})\u5e74)?(?P<month>\d{1,2})\u6708(?:(?P<day>\d{1,2})[\u65e5\u53f7\u865f])?"
        ),
        _sign_date,
    ),
    (
        compile_late(rf"{_AMOUNT}(?:\u9593|\u949f|\u9418)?\u524d"),
        lambda said: f"{_sign_count(said)} {_UNITS[said['unit']]}s ago",
    ),
    (
        compile_late(
            rf"(?:\u904e\u53bb|\u3053\u306e|\u3053\u3053|\u6700\u8fd1|\u8fc7\u53bb){_AMOUNT}\u9593?"
        ),
        lambda said: f"last {_sign_count(said)} {_UNITS[said['unit']]}s",
    ),
    (
        compile_late(
            r"(?:\u5148\u9031\u306e?|\u524d\u306e)?(?P<weekday>[\u6708\u706b\u6c34\u6728\u91d1\u571f\u65e5])\u66dc\u65e5?"
        ),
        _sign_weekday,
    ),
    (
        compile_late(
            r"\u4e0a?(?:\u5468|\u9031|\u661f\u671f)(?P<weekday>[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u65e5\u5929])"
        ),
        _sign_weekday,
    ),
    *((compile_late(signs), lambda _, words=words: words) for signs, words in _SIGNS.items()),
)
_UNSPACED_RELATION = compile_late(
    r"(?P<since>\u304b\u3089|\u4ee5\u964d|\u4ee5\u6765|\u4ee5\u5f8c|\u4e4b\u540e|\u4e4b\u5f8c|\u8d77)|(?P<until>\u307e\u3067)|(?P<before>\u4ee5\u524d|\u3088\u308a\u524d|\u4e4b\u524d)"
)
_GROUPS = ("weekday", "count", "year", "part", "first", "phase", "relation", "day")


def foreign_times(text: str) -> Iterator[ForeignTime]:
    """Yield the times that a text tells in another language, none inside another."""
    taken: list[tuple[int, int]] = []
    for pattern, english in (*_GERMAN, *LATIN, *(() if text.isascii() else _UNSPACED)):
        for match in pattern.finditer(text):
            if any(begin < match.end() and match.start() < end for begin, end in taken):
                continue
            taken.append(match.span())
            said = dict.fromkeys(_GROUPS, "")
            said |= {name: (word or "").lower() for name, word in match.groupdict().items()}
            after = _UNSPACED_RELATION.match(text, match.end())
            yield ForeignTime(
                begins=match.start(),
                ends=after.end() if after else match.end(),
                english=english(said),
                relation=(after.lastgroup or "") if after else _BEZUG.get(said["relation"], ""),
            )
