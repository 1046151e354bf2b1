"""Random values that were given to the name of a service: `ADAFRUIT=...`, `"algolia": "..."`.

The name alone says little: `facebook: true` is a setting. So the value must be one that nobody
would write, and the name may have nothing around it but what names of keys have.
"""

from __future__ import annotations

import re
from functools import cache

from agentx.redaction.assigned import RESTS, VALUE, compile_ascii
from agentx.redaction.names import UUID_VENDORS, VENDORS
from agentx.redaction.passages.private import MARK
from agentx.redaction.values import is_hash, is_random, is_uuid, mixes

_KIND = "vendor-key"
_CHARS_MIN = 14
_PAIRS = ("contribsys__com", "contribsys", "sidekiq")  # a name and a password
_ENDS = (
    r"(?:[_.-]?(?:api|key|token|secret|id|client|access|auth|app|account|user|bearer|sdk|dsn|cloud|license"
    r"|personal|oauth|delivery|consumer|service|public|private|prod|production|dev|test|live|login|credentials?"
    r"|password|bot|webhook|signing|rest|admin|org|organization|team|workspace|hook)){0,4}[_-]?\d{0,2}"
    r"(?![A-Za-z0-9_-])"
)
_SIGN = (
    r"(?P<close>\\{0,3}[\"'`]?[\])]?)[ \t]{0,8}"
    r"(?P<sign>={1,2}|:{1,3}=|=>|\?=|:|\|\||>|,)[ \t=]{0,8}"
)
_PREFIX_MARKS = "_-. \t\n\r\"'`$({[<,;:/#+>|"


@cache
def _compile_assignment() -> re.Pattern[str]:
    return re.compile(f"(?i:{_ENDS}){_SIGN}{VALUE}", re.ASCII)


@cache
def _compile_name() -> re.Pattern[str]:
    vendors = "|".join(map(re.escape, VENDORS))
    return re.compile(rf"(?:.*[_.-])?({vendors}){_ENDS}", re.ASCII | re.IGNORECASE)


def vendor_of(name: str) -> str:
    """Return the service that a name is about, if it is about nothing else."""
    found = _compile_name().fullmatch(name[-64:])
    return found[1].lower() if found else ""


def replace_vendors(text: str, found: frozenset[str]) -> str:
    """Return the text without the random values that services were given."""
    lowered = text.replace("\u0130", "I").lower()
    places = sorted(
        (at, vendor) for vendor in VENDORS if vendor in found for at in _all(lowered, vendor)
    )
    kept: list[str] = []
    done = 0
    for at, vendor in places:
        given = _compile_assignment().match(text, at + len(vendor)) if at >= done else None
        if given is None or not _begins(text, at):
            continue
        group = given.lastgroup or "u"
        if is_vendor_key(vendor, given[group], named=_is_plain(given, text[at])):
            start, end = given.span(group)
            kept += (text[done:start], f"{MARK}{_KIND}]")
            rest = compile_ascii(RESTS[group]).match(text, end)
            done = rest.end() if rest is not None else end
    return "".join((*kept, text[done:])) if kept else text


def is_vendor_key(vendor: str, value: str, *, named: bool) -> bool:
    """Tell whether a value that a service was given is its key.

    `named` says that the sign between them is one of programs and settings: the lists of
    checksums in lock files have a colon.
    """
    value = value.rstrip(".")
    if value.startswith(MARK):
        return False
    if is_uuid(value):
        return vendor.endswith(UUID_VENDORS)
    if is_hash(value):
        # Checksums are written in small letters.
        return named or not value.islower()
    if vendor.endswith(_PAIRS) and ":" in value:
        return len(value) >= _CHARS_MIN
    number, dash, rest = value.partition("-")
    if dash and number.isdigit() and len(number) >= _CHARS_MIN:
        return rest.isalnum() and len(rest) >= _CHARS_MIN
    return is_random(value, _CHARS_MIN) or (named and _is_dense(value))


def _is_dense(value: str) -> bool:
    """Tell whether letters and digits are mixed more than a word with a number is."""
    if not (value.isalnum() and value.isascii() and len(value) >= _CHARS_MIN):
        return False
    digits = sum(map(str.isdigit, value))
    return 0 < digits < len(value) and (mixes(value) > 1 or value.isupper())


def _is_plain(given: re.Match[str], first: str) -> bool:
    if given["sign"] == ",":
        return False
    shouted = first.isupper() and given[0].isupper()
    return given.lastgroup != "u" or given["sign"] != ":" or shouted


def _begins(text: str, at: int) -> bool:
    """Tell whether a name begins here, or a word of it."""
    before = text[at - 1 : at]
    return before == "" or before in _PREFIX_MARKS or (text[at].isupper() and before.islower())


def _all(text: str, word: str) -> list[int]:
    places: list[int] = []
    at = text.find(word)
    while at >= 0:
        places.append(at)
        at = text.find(word, at + len(word))
    return places
