"""Values that were given to a telling name: `password = "x"`, `--token x`, `fooKey := "x"`.

Where a stem of such a name is found, what stands around it decides whether it is a name, and
what stands behind it whether it has a value; `values` decides whether that is a secret.
"""

from __future__ import annotations

import re
from functools import cache

from agentx.redaction.names import (
    NAMED,
    OPEN_KEYS,
    OPEN_TOKENS,
    SECRET_KEYS,
    TOKEN_OWNERS,
    VENDORS,
)
from agentx.redaction.passages.private import MARK
from agentx.redaction.values import is_random, is_secret

_FLAG_CHARS_MAX = 40
_OWNER_CHARS_MAX = 16
_FAR_CHARS_MIN = 6
_LINE_CHARS_MAX = 200
_RUN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-<:."


@cache
def compile_ascii(pattern: str) -> re.Pattern[str]:
    """Return a pattern compiled once, for the letters of ASCII."""
    return re.compile(pattern, re.ASCII)


def _spell(stem: str) -> str:
    """Return a stem in any case: patterns fold the letters of ASCII only."""
    return "".join(
        re.escape(char) if char.isascii() else f"[{char}{char.upper()}]" for char in stem
    )


_NAMES = "|".join(f"{_spell(stem)}{rest}" for _, _, stem, rest in NAMED)
_STEMS = tuple((kind, stem) for kind, _, stem, _ in NAMED)
_ASCII_STEMS = tuple((kind, stem) for kind, stem in _STEMS if stem.isascii())
_ENDS = (
    r"(?:[_-]?(?:value|val|string|str|key|token|access|hash|base64|b64|hex|raw|plain|text|prod|production|dev"
    r"|staging|stage|test|live|old|new|current|default|primary|secondary|base|id(?=[_-]?(?:secret|token))))"
    r"{0,3}[_-]?\d{0,3}(?![A-Za-z0-9_-])"
)
_SIGN = (
    r"(?P<close>(?:\\{0,3}[\"'`][\])]{0,2})?)"
    r"(?:[ \t]{0,4}:[ \t]{0,4}(?:[A-Za-z_][\w.\[\]<>|?]{0,40}(?=[ \t]{1,4}=[^=])"
    r"|[A-Za-z_][A-Za-z_.\[\]<>|?]{0,24}(?==[^=])))?"
    r"(?P<sign>[ \t]{0,40}(?:={1,3}|:=|=>|\?=|\|{1,2}|!={1,2}|:|,|>|\(|\uff1a|\uff1d)"
    r"[ \t\u3000]{0,40}"
    r"|[ \t]{0,4}(?:value|content)[ \t]?=[ \t]?"
    r"|[ \t]{1,4}(?:is|was|ist|lautet|est|es|jest|\u00e9|\u00e8)[ \t]{1,4}"
    r"|[ \t]{1,4}(?:for|of|to)[ \t][^\n.:;,=\"'()]{1,60}?[ \t](?:is|was)[ \t]{1,4}"
    r"|[ \t]?(?:\u662f|\u306f|\u4e3a)[ \t]?|[ \t]{1,8})"
)
VALUE = (
    r"(?:[bBrRuUfFL@]{0,2}(?:\\{1,3}[\"'`](?P<e>[^\"'`\\\r\n]{1,256})"
    r"|\"(?:\"\")?(?P<d>(?:[^\"\\\r\n]|\\.){1,256})"
    r"|'(?:'')?(?P<q>(?:[^'\\\r\n]|\\.){1,256})|`(?P<t>[^`\r\n]{1,256}))"
    r"|(?P<u>[^\s\"'`\\,;&<>]{3,256}))"
)


# A value is judged by its beginning, and goes as far as its quotes do.
RESTS = {
    "e": r"[^\"'`\\\r\n]*",
    "d": r"(?:[^\"\\\r\n]+|\\.)*",
    "q": r"(?:[^'\\\r\n]+|\\.)*",
    "t": r"[^`\r\n]*",
    "u": r"[^\s\"'`\\,;&<>]*",
}


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(f"(?i:{_NAMES}){_ENDS}{_SIGN}{VALUE}", re.ASCII)


def replace_named(text: str) -> str:
    """Replace the values of names such as `password`, where the value looks like a secret."""
    kept: list[str] = []
    done = 0
    match_at = _assignment().match
    for at, kind in _stems(text):
        if at < done:
            continue
        match = match_at(text, at)
        if match is None:
            continue
        run = _run_before(text, at)
        if _is_name(kind, run, text, match) and _gives_secret(kind, run, text, match):
            start, end = match.span(match.lastgroup or 0)
            kept += (text[done:start], f"{MARK}{kind}]")
            rest = compile_ascii(RESTS[match.lastgroup or "u"]).match(text, end)
            done = rest.end() if rest is not None else end
    kept.append(text[done:])
    return "".join(kept)


def _stems(text: str) -> list[tuple[int, str]]:
    """Return where the stems of names are, in any case: by plain searches, which are fast."""
    # The one letter whose small form is longer; positions must stay.
    lowered = text.replace("\u0130", "I").lower()
    places: list[tuple[int, str]] = []
    for kind, stem in _ASCII_STEMS if lowered.isascii() else _STEMS:
        at = lowered.find(stem)
        while at >= 0:
            places.append((at, kind))
            at = lowered.find(stem, at + len(stem))
    return sorted(places)


def _is_name(kind: str, run: str, text: str, match: re.Match[str]) -> bool:
    """Tell whether a stem is the end of a name that promises a secret."""
    if kind == "token" and last_word(run) in OPEN_TOKENS:
        return False
    if kind in {"secret", "token"} and match[0][0] != "_":
        return True
    at = match.start()
    before = text[at - 1 : at]
    stem = match[0][:4]
    name = match[0][: match.start("close") - at].lower()
    if name in {"pass", "auth"}:
        # `PASS: TestLogin` and `auth: required` are not secrets, `db_pass` and `"auth":` are.
        plain = stem == "pass" and not (before.isalpha() or match[match.lastgroup or 0].isalpha())
        return plain or before in {"_", "-", '"', "'"} or (stem == "Pass" and before.islower())
    if kind == "key":
        near = run or text[max(0, at - _OWNER_CHARS_MAX) : at]
        return _is_secret_key(near.rstrip("_- "), name, match, shouted=stem[:3] + before == "KEY_")
    return name != "_pat" or run.lower().endswith(TOKEN_OWNERS)


def _is_secret_key(owner: str, name: str, match: re.Match[str], *, shouted: bool) -> bool:
    """Tell whether the key of somebody or something is a secret one."""
    if not (shouted or owner.lower().endswith(_SECRET_OWNERS)):
        # The key of anything: only what could not be the key of a row or of a page.
        is_given = match["sign"].strip() not in {"", ","} and not name.endswith("id")
        if not (is_given and is_random(match[match.lastgroup or 0])):
            return False
    return last_word(owner) not in OPEN_KEYS


_SECRET_OWNERS = (*SECRET_KEYS, *VENDORS)


def _gives_secret(kind: str, run: str, text: str, match: re.Match[str]) -> bool:
    value = match[match.lastgroup or 0]
    sign = match["sign"].strip()
    quoted = match.lastgroup != "u"
    if value.startswith(MARK) or not _is_plausible(run, sign, text, match):
        return False
    if not quoted:
        value = value.rstrip(".:!?)") if sign.isalpha() else value
        lonely = sign == "" or _is_lonely(run, text, match)
        return is_secret(kind, value, quoted=False, lonely=lonely)
    if sign == "," and not _is_flag(run, text, match.start()):
        # A list of words that has `password` among them.
        plain = value.replace("_", "").replace("-", "").isalpha()
        return not plain and is_secret(kind, value, quoted=True)
    if "phrase" in match[0][:12].lower():
        value = value.replace(" ", "-")
    return is_secret(kind, value, quoted=True)


def _is_plausible(run: str, sign: str, text: str, match: re.Match[str]) -> bool:
    """Tell whether what stands between name and value makes it a value."""
    quoted = match.lastgroup != "u"
    if sign == ",":
        return quoted and match["close"] != ""
    if sign == "(":
        return quoted
    if sign.startswith(("for ", "of ", "to ")):
        # Far from its name; so it must look like nothing else: no `base64-encoded`.
        value = match[match.lastgroup or 0]
        return len(value) >= _FAR_CHARS_MIN and "-" not in value and not value.isalpha()
    if sign == ">":
        return not quoted and "<" in run and text.startswith(("</", "<\\/"), match.end())
    if sign == "":
        sentence = match[0][:5].lower() == "passw" and (
            quoted or "\t" in match["sign"] or _is_spoken(match)
        )
        return sentence or _is_flag(run, text, match.start()) or _is_random(match)
    return True


def _is_spoken(match: re.Match[str]) -> bool:
    """Tell whether a value is one where only a space stands before it: `my password hunter2`.

    Letters and a digit, and no name of a method, a type or a part of a form: `password sha256`.
    """
    value = match["u"].rstrip(".:!?)")
    if match["sign"] != " " or not _SPOKEN_CHARS_MIN <= len(value) <= _FLAG_CHARS_MAX:
        return False
    if not (any(map(str.isdigit, value)) and any(map(str.isalpha, value))):
        return False
    parts = re.split(r"[^a-z]+", value.lower())
    return _UNSPOKEN.isdisjoint(parts) and _CODE_SIGNS.isdisjoint(value)


_SPOKEN_CHARS_MIN = 6
_CODE_SIGNS = frozenset("()[]{}=/|<>:@%\\")
_UNSPOKEN = frozenset(
    """
    sha md base pbkdf argon scrypt bcrypt crypt yescrypt oauth utf ipv ntlm ntlmv scram http https
    tls ssl fips rfc aes rsa hs rs es pkcs log ec win rc des hmac ripemd blake cp iso sso mfa otp
    totp hotp kdf field fields input box form page column col row step option attempt reset rule
    policy hash check case version prompt param arg args argument varchar char text int uint bytes
    str string line test tests user users file name label value values id item password passwords
    passwd pass secret token key login auth type level phase part section chapter figure table
    issue issues pr bug ver release day days hour hours minute minutes second seconds week weeks
    month months year years times chars characters bits bit
    """.split()
)


def _is_random(match: re.Match[str]) -> bool:
    """Tell whether a value is a secret whatever stands before it: `set aws_secret_key aB3...`."""
    value = match[match.lastgroup or 0]
    kinds = (str.isdigit, str.islower, str.isupper)
    return len(value) >= 20 and all(any(map(kind, value)) for kind in kinds)


def last_word(name: str) -> str:
    """Return the last word of a name, in small letters: of `myNextPage` it is `page`."""
    name = name.rstrip("_-. ")
    if not name:  # most often nothing stands before it
        return ""
    small = name.lower()
    start = max(small.rfind(mark) for mark in "_-. \"'") + 1
    for at in range(len(name) - 1, start, -1):
        if name[at].isupper() and name[at - 1].islower():
            return small[at:]
    return small[start:]


def _run_before(text: str, at: int) -> str:
    """Return the word that ends here, with the dashes or the bracket that it begins with."""
    near = text[max(0, at - _FLAG_CHARS_MAX) : at]
    return near[len(near.rstrip(_RUN)) :]


def _is_flag(run: str, text: str, at: int) -> bool:
    if run[:1] != "-":
        return False
    before = text[at - len(run) - 1 : at - len(run)]
    return before == "" or before in " \t\n\"'`=(["


def _is_lonely(run: str, text: str, match: re.Match[str]) -> bool:
    """Tell whether name and value stand by themselves: `export NAME=value`, `name: value`.

    Either they are the whole line, or the name is shouted, as in `NAME=value command`.
    """
    sign = match["sign"]
    after = text[match.end() : match.end() + 1]
    if after not in {"", "\n", "\r", "\\", " "} or ("=" in sign and sign != "="):
        return False
    name = match[0][: match.start("close") - match.start()]
    if sign == "=" and (run + name).isupper():
        return True
    near = text[max(0, match.start() - _LINE_CHARS_MAX) : match.start()]
    before = near.rpartition("\n")[2].strip()
    for word in ("export ", "set ", "ENV ", "- ", "ARG ", "env "):
        before = before.removeprefix(word)
    rest = before.replace("_", "").replace("-", "").replace(".", "")
    return rest == "" or (rest.isalnum() and len(before) < _LINE_CHARS_MAX)
