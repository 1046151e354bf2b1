"""The words by which people tell a time, and the days and hours that they mean.

    EXPRESSION.search("since last Tuesday morning")     -> a match
    read_time(match, now)                               -> from, and up to but not at

A date means its whole day; "this morning" and "two hours ago" mean hours. A week begins on
Monday, a weekday is the last one that is over, and a date without a year is the last such date.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from agentx.kernel.text import compile_late

Edge = date | datetime  # a date stands for the moment its day begins

MONTHS = (
    "january february march april may june july august september october november december".split()
)
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            (),
            ("a", "an", "one"),
            ("two", "couple", "a couple", "a couple of", "couple of"),
            ("three", "few", "a few", "several"),
            *((word,) for word in "four five six seven eight nine ten eleven twelve".split()),
        )
    )
    for word in words
}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_UNIT_MINUTES = {"minute": 1, "min": 1, "hour": 60}
_PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_TO = r"\s*(?:-|\u2013|to|and|until|till|through)\s*"
_COUNT = (
    r"(?:\d{1,3}|a couple(?: of)?|couple of|a few|"
    + "|".join(word for word in _NUMBERS if " " not in word)
    + ")"
)
_PART = r"(?:\s+(?P<{0}>morning|afternoon|evening|night))?"
_SHORT_DAYS = r"mon|tues?|wed|thu(?:rs?)?|fri|sat|sun"
_DAYS = rf"(?:{'|'.join(WEEKDAYS)}|{_SHORT_DAYS})"
_TH = r"(?:st|nd|rd|th)?"
# What may stand before a date and means the same: its week or its weekday.
_NAMED = (
    r"(?:week\s+\d\d?,\s+|(?:(?:last|this|past|on|since|after|before|until|by|from)\s+)?"
    rf"{_DAYS}\b\.?,?\s+(?:the\s+)?)?"
)
_HOUR = r"(?:[01]?\d|2[0-3]):[0-5]\d"
EXPRESSION = compile_late(
    r"\b(?:"
    rf"(?P<iso>{_NAMED}{_YEAR.format('iso_year')}[-/](?P<iso_month>\d\d)(?:[-/](?P<iso_day>\d\d))?)"
    rf"|(?P<iso_week>{_YEAR.format('iw_year')}-?w(?P<iw_week>\d\d))"
    rf"|(?P<dotted>{_NAMED}(?P<dot_day>{_DAY})\.(?P<dot_month>0?[1-9]|1[0-2])\."
    rf"(?:{_YEAR.format('dot_year')}|(?<=\d\d\.\d\d\.)(?![\w.])))"
    rf"|(?P<day_month>{_NAMED}(?:(?P<dm_from>{_DAY}){_TH}"
    rf"(?:\s+(?:of\s+)?(?P<dm_from_month>{_MONTH})\b\.?(?:,?\s+{_YEAR.format('dm_from_year')})?)?"
    rf"{_TO}(?:{_DAYS}\b\.?,?\s+)?)?"
    rf"(?P<dm_day>{_DAY}){_TH}\s+(?:of\s+)?(?P<dm_month>{_MONTH})\b\.?"
    rf"(?:,?\s+{_YEAR.format('dm_year')})?)"
    rf"|(?P<month_day>{_NAMED}(?P<md_month>{_MONTH})\.?\s+(?P<md_day>{_DAY}){_TH}\b"
    rf"(?:{_TO}(?P<md_to>{_DAY}){_TH}\b(?!\s+(?:of\s+)?{_MONTH}))?"
    rf"(?:,?\s+{_YEAR.format('md_year')})?)"
    rf"|(?:the\s+)?(?P<nth_week>first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))\s+week\s+"
    rf"(?:of|in)\s+(?:(?P<nw_month>{_MONTH})\b\.?(?:,?\s+{_YEAR.format('nw_year')})?"
    r"|(?P<nw_which>last|this)\s+month)"
    r"|(?:the\s+)?(?P<phase>early|mid|late"
    r"|(?:beginning|start|middle|end|first half|second half)\s+of)"
    rf"[\s-]+(?:in\s+)?(?P<ph_month>{_MONTH})\b\.?(?:,?\s+{_YEAR.format('ph_year')}|(?!,?\s+\d))"
    rf"|(?P<month_year>(?P<my_month>{_MONTH})\.?,?\s+(?:of\s+)?{_YEAR.format('my_year')})"
    rf"|(?:in|during|of|since|before|after|until|last|this|by)\s+"
    rf"(?P<month>{_MONTH})\b(?!\.?,?\s+(?:of\s+)?\d)"
    r"|(?P<day_word>the day before yesterday|yesterday|today|tonight|tomorrow)"
    rf"{_PART.format('dw_part')}"
    r"|(?P<part_word>this morning|this afternoon|this evening|last night)"
    rf"|(?P<ago>(?P<ago_count>{_COUNT}|half an)\s+"
    r"(?P<ago_unit>minute|min|hour|day|week|fortnight|month|year)s?\s+ago)"
    rf"|(?P<past>(?:last|past|previous)\s+(?P<past_count>{_COUNT})\s+"
    r"(?P<past_unit>minute|min|hour|day|week|fortnight|month|year)s?)"
    r"|(?P<hour>(?:last|past)\s+hour)"
    r"|(?:the\s+)?(?P<before_last>week|weekend|month|quarter|year|" + "|".join(WEEKDAYS) + r")"
    r"\s+before\s+last"
    r"|(?P<which>last|this|past|previous|current|next)\s+(?P<period>week|weekend|month|quarter|year)"
    r"|(?:over|on|at|during)\s+the\s+(?P<weekend>weekend)"
    r"|(?P<season_which>last|this|past)\s+(?P<season>spring|summer|autumn|fall|winter)"
    r"|(?:(?P<wd_which>last|this|past|on|since|after|before|until|by|next|from)\s+)?"
    r"(?P<weekday>" + "|".join(WEEKDAYS) + rf")(?(wd_which)s?){_PART.format('wd_part')}"
    rf"|(?:last|on|since|until|before|after)\s+(?P<short_day>{_SHORT_DAYS})\b"
    rf"|(?P<quarter>q[1-4])(?:\s+(?:of\s+)?{_YEAR.format('q_year')})?"
    r"|(?:(?:(?:in|during|of)\s+)?(?:calendar\s+)?week\s+(?:no\.?\s*|number\s+|#\s*)?|[ck]w\s*)"
    rf"(?P<week>\d\d?)(?:,?\s+(?:of\s+)?{_YEAR.format('w_year')})?"
    r"|(?:on\s+)?the\s+(?P<nth>" + _DAY + r")(?:st|nd|rd|th)(?=\s*(?:[?.!,;]|\Z))"
    rf"|(?:in|during|since|before|after|until|of)\s+{_YEAR.format('year')}"
    # What may stand after a date: its weekday, a part of the day, the time of day.
    rf")(?:,?\s+\({_DAYS}\)|,\s+{_DAYS}\b)?(?:\s+(?:in\s+the\s+|at\s+)?(?P<part>morning|afternoon"
    rf"|evening|night)\b)?(?:(?:,?\s+(?:at\s+)?|(?<=\d)T)(?P<from_hour>{_HOUR})"
    rf"(?::[0-5]\d)?(?:\.\d+)?(?:Z|\s(?:UTC|GMT|CES?T))?(?:{_TO}(?P<to_hour>{_HOUR}))?)?(?!\w)",
    re.IGNORECASE,
)
_NTH = ("first", "second", "third", "fourth", "fifth")
_ONE = timedelta(days=1)


def read_time(
    match: re.Match[str], now: datetime, *, roughly: bool = False
) -> tuple[Edge, Edge] | None:
    """Return when an expression's time begins and ends, seen from now; None for no real date.

    Roughly, a part of a month is the month.
    """
    said = {name: (word or "").lower() for name, word in match.groupdict().items()}
    if roughly and (said["ph_month"] or said["nw_month"]):
        said |= {"month": said["ph_month"] or said["nw_month"], "phase": "", "nth_week": ""}
        said["my_year"] = said["ph_year"] or said["nw_year"]
        said["my_month"] = said["month"] if said["my_year"] else ""
    try:
        return _narrow(
            said,
            _read_date(said, now.date())
            or _read_months(said, now.date())
            or _read_hours(said, now)
            or _read_relative(said, now.date()),
        )
    except (ValueError, OverflowError):
        return None


def _read_date(said: dict[str, str], today: date) -> tuple[Edge, Edge] | None:  # noqa: PLR0911  a table
    if said["iso"]:
        return _date_span(said["iso_year"], int(said["iso_month"]), said["iso_day"])
    if week := said["iw_week"] or said["week"]:
        return _week(int(week), said["iw_year"] or said["w_year"], today)
    if said["dotted"]:
        day, month = int(said["dot_day"]), int(said["dot_month"])
        return _date_span(said["dot_year"] or _past(today, month, day), month, day)
    if said["dm_day"]:
        return _read_days(said, today)
    if said["md_day"]:
        month, first = _month(said["md_month"]), int(said["md_day"])
        year = said["md_year"] or _past(today, month, first)
        return _days_of_month(int(year), month, first, int(said["md_to"] or first))
    if said["nth"]:
        return _nth(int(said["nth"]), today)
    if said["year"]:
        return date(int(said["year"]), 1, 1), date(int(said["year"]) + 1, 1, 1)
    return None


def _read_days(said: dict[str, str], today: date) -> tuple[date, date]:
    """Return the day of a month, or the days from another, of the same year or the one before."""
    month, last = _month(said["dm_month"]), int(said["dm_day"])
    year = int(said["dm_year"] or _past(today, month, last))
    first, from_month = (
        int(said["dm_from"] or last),
        _month(said["dm_from_month"] or MONTHS[month - 1]),
    )
    if from_month == month and not said["dm_from_year"]:
        return _days_of_month(year, month, first, last)
    before = year - ((from_month, first) > (month, last))
    begin = date(int(said["dm_from_year"] or before), from_month, first)
    return begin, date(year, month, last) + _ONE


def _read_months(said: dict[str, str], today: date) -> tuple[Edge, Edge] | None:
    """Return a month, some months, or a part of a month."""
    if said["my_month"]:
        return _date_span(said["my_year"], _month(said["my_month"]), None)
    if said["month"]:
        month = _month(said["month"])
        return _date_span(_past(today, month, 1), month, None)
    if said["quarter"]:
        month = 3 * int(said["quarter"][1]) - 2
        begin = date(int(said["q_year"] or _past(today, month, 1)), month, 1)
        return begin, _months_later(begin, 3)
    if said["phase"]:
        month = _month(said["ph_month"])
        first = date(int(said["ph_year"] or _past(today, month, 1)), month, 1)
        return _phase(said["phase"], first)
    if said["nth_week"]:
        return _nth_week(said, today)
    return None


def _phase(phase: str, first: date) -> tuple[date, date]:
    after = _months_later(first, 1)
    if phase.endswith("half of"):
        middle = first.replace(day=16)
        return (first, middle) if phase.startswith("first") else (middle, after)
    if phase.startswith(("early", "beginning", "start")):
        return first, first.replace(day=11)
    return (
        (first.replace(day=21), after)
        if phase[0] in "le"
        else (first.replace(day=11), first.replace(day=21))
    )


def _nth_week(said: dict[str, str], today: date) -> tuple[date, date]:
    """Return a week of a month; a week belongs to the month of its Thursday."""
    if said["nw_month"]:
        month = _month(said["nw_month"])
        first = date(int(said["nw_year"] or _past(today, month, 1)), month, 1)
    else:
        first = _months_later(today.replace(day=1), -(said["nw_which"] == "last"))
    monday = _monday_of(first)
    if said["nth_week"] == "last":
        monday = _monday_of(_months_later(first, 1)) - 7 * _ONE
    else:
        word = said["nth_week"]
        monday += 7 * (int(word[0]) - 1 if word[0].isdigit() else _NTH.index(word)) * _ONE
    return monday, monday + 7 * _ONE


def _monday_of(first: date) -> date:
    """Return the Monday of the week of a month's first Thursday."""
    return first + (3 - first.weekday()) % 7 * _ONE - 3 * _ONE


def _narrow(said: dict[str, str], edges: tuple[Edge, Edge] | None) -> tuple[Edge, Edge] | None:
    """Return the hours of a day that were said beside it; a moment means its day."""
    if edges is None or isinstance(edges[0], datetime) or edges[1] - edges[0] != _ONE:
        return edges
    if said["from_hour"] and said["to_hour"]:
        begin, end = (
            datetime.combine(edges[0], time.fromisoformat(said[hour].zfill(5)))
            for hour in ("from_hour", "to_hour")
        )
        return begin, end if end > begin else end + _ONE
    return _part(edges[0], said["part"])


def _read_hours(said: dict[str, str], now: datetime) -> tuple[Edge, Edge] | None:
    """Return what is told by hours or by a part of a day."""
    if said["part_word"]:
        which, part = said["part_word"].split()
        return _part(now.date() - (_ONE if which == "last" else 0 * _ONE), part)
    if said["hour"]:
        return now - timedelta(hours=1), now
    if (unit := said["ago_unit"]) in _UNIT_MINUTES:
        minutes = 30 if said["ago_count"] == "half an" else _count(said["ago_count"])
        if said["ago_count"] != "half an":
            minutes *= _UNIT_MINUTES[unit]
        middle, slack = now - timedelta(minutes=minutes), timedelta(minutes=max(minutes // 4, 30))
        return middle - slack, min(middle + slack, now)
    if (unit := said["past_unit"]) in _UNIT_MINUTES:
        return now - timedelta(minutes=_count(said["past_count"]) * _UNIT_MINUTES[unit]), now
    return None


def _read_relative(said: dict[str, str], today: date) -> tuple[Edge, Edge] | None:  # noqa: PLR0911  a table
    if word := said["day_word"]:
        back = {"yesterday": 1, "the day before yesterday": 2, "tomorrow": -1}.get(word, 0)
        return _part(today - back * _ONE, said["dw_part"])
    if said["ago"]:
        return _ago(_count(said["ago_count"]), said["ago_unit"], today)
    if said["past"]:
        days = _count(said["past_count"]) * _UNIT_DAYS[said["past_unit"]]
        return today - days * _ONE, today + _ONE
    if said["before_last"]:
        return _before_last(said["before_last"], today)
    if said["period"]:
        return _period(said["period"], said["which"], today)
    if said["weekend"]:
        return _period("weekend", "this" if today.weekday() >= 5 else "last", today)
    if said["season"]:
        month = _SEASONS[said["season"]]
        year = today.year if today.month >= month else today.year - 1
        return date(year, month, 1), _months_later(date(year, month, 1), 3)
    if name := said["weekday"] or said["short_day"]:
        day = _last_weekday(name, today) + (7 * _ONE if said["wd_which"] == "next" else 0 * _ONE)
        return _part(day, said["wd_part"])
    return None


def _last_weekday(name: str, today: date) -> date:
    wanted = next(at for at, day in enumerate(WEEKDAYS) if day.startswith(name[:3]))
    return today - ((today.weekday() - wanted - 1) % 7 + 1) * _ONE


def _before_last(name: str, today: date) -> tuple[date, date]:
    """Return the period or weekday before the last one."""
    if name in WEEKDAYS:
        day = _last_weekday(name, today) - 7 * _ONE
        return day, day + _ONE
    if name in {"week", "weekend"}:
        return _period(name, "last", today - 7 * _ONE)
    first, _ = _period(name, "last", today)
    return _period(name, "last", first)


def _ago(count: int, unit: str, today: date) -> tuple[date, date]:
    """A time ago is as exact as its unit: two weeks ago is that week, give or take."""
    middle = today - timedelta(days=count * _UNIT_DAYS[unit])
    slack = timedelta(days={"day": 0, "week": 3, "fortnight": 4, "month": 10, "year": 100}[unit])
    return middle - slack, middle + slack + _ONE


def _period(period: str, which: str, today: date) -> tuple[date, date]:
    steps = {"this": 0, "current": 0, "next": 1}.get(which, -1)
    if period in {"week", "weekend"}:
        monday = today - timedelta(days=today.weekday() - 7 * steps)
        if period == "weekend":
            return monday + 5 * _ONE, monday + 7 * _ONE
        if which == "past":
            return today - 7 * _ONE, today + _ONE
        return monday, today + _ONE if steps == 0 else monday + 7 * _ONE
    if period == "year":
        return date(today.year + steps, 1, 1), date(today.year + steps + 1, 1, 1)
    length = 3 if period == "quarter" else 1
    first = today.replace(day=1, month=(today.month - 1) // length * length + 1)
    first = _months_later(first, steps * length)
    return first, _months_later(first, length)


def _part(day: date, part: str) -> tuple[Edge, Edge]:
    """Return a day, or the hours of a part of it."""
    if not part:
        return day, day + _ONE
    begin, end = (datetime.combine(day, time()) + timedelta(hours=at) for at in _PARTS[part])
    return begin, end


def _date_span(year: int | str, month: int, day: int | str | None) -> tuple[date, date]:
    first = date(int(year), month, int(day or 1))
    return first, first + _ONE if day else _months_later(first, 1)


def _days_of_month(year: int, month: int, first: int, last: int) -> tuple[date, date]:
    begin, end = date(year, month, min(first, last)), date(year, month, max(first, last))
    return begin, end + _ONE


def _week(number: int, year: str, today: date) -> tuple[date, date]:
    this = today.isocalendar()
    named = int(year) if year else this.year - (number > this.week)
    monday = date.fromisocalendar(named, number, 1)
    return monday, monday + 7 * _ONE


def _nth(day: int, today: date) -> tuple[date, date] | None:
    """Return the last such day of a month that has one."""
    for back in range(3):
        first = _months_later(today.replace(day=1), -back)
        if day > (_months_later(first, 1) - first).days:
            continue
        found = first.replace(day=day)
        if found <= today:
            return found, found + _ONE
    return None


def _past(today: date, month: int, day: int) -> int:
    """Return the year of the last time that day was."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1


def _months_later(first: date, months: int) -> date:
    index = first.year * 12 + first.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _month(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _count(words: str) -> int:
    return int(words) if words.isdigit() else _NUMBERS.get(words, 1)
