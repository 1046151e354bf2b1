r"""The patterns behind `redact`: compiled when their words were found, never before.

A pass replaces every secret that it sees by `[REDACTED:kind]`. What a pass leaves
may look different to the next one, so passes are repeated until nothing changes:
redacting twice gives the same text as redacting once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from agentx.redaction.rules import NAMED, RUNS, SECRET_KEYS, SHAPES, TOKEN_OWNERS, TOKENS
from agentx.redaction.values import is_secret

# Text changes in two passes at most in practice; the bound is for texts made to be difficult.
_PASSES_MAX = 6
_FLAG_CHARS_MAX = 40
_LINE_CHARS_MAX = 200

Found = frozenset[str]  # heads, words and outlines that are in the text

_RUN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-<:."
_TAG = re.compile(r"(?:<|\\u003c)(/?)private\s{0,8}(?:>|\\u003e)", re.ASCII | re.IGNORECASE)
_MARK = "[REDACTED:"


def scrub(text: str, found: Found, look: Callable[[str], Found]) -> str:
    """Replace every secret in a text in which these heads and words were found.

    A token that was glued to another begins at an edge once the other is gone: so `look` tells
    what is there to be found after each pass.
    """
    for _ in range(_PASSES_MAX):
        before = text
        text = _once(without_private(text), found)
        if text == before:
            break
        found |= look(text)
    return text


def _once(text: str, found: Found) -> str:
    for kind, words, pattern in SHAPES:
        if not found.isdisjoint(words):
            text = _replace(_compile(pattern), kind, text)
    if "private key" in found:
        text = _without_key_ends(text)
    for kind, heads, body in TOKENS:
        for head in heads:
            if head in found:
                text = _replace(_compile_head(head, body), kind, text)
    for kind, run, pattern in RUNS:
        if run in found:
            text = _replace(_compile(pattern), kind, text)
    if any(not found.isdisjoint(words) for _, words, _, _ in NAMED):
        text = _replace_named(text)
    return text


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


@cache
def _compile_head(head: str, body: str) -> re.Pattern[str]:
    """Compile a token: the head first, because plain text is found fast; its left edge after it."""
    plain = re.escape(head)
    edge = (
        rf"(?:(?<![A-Za-z0-9]{plain})|(?<=\\[nrtbf]{plain})|(?<=%[0-9A-Fa-f]{{2}}{plain})"
        rf"|(?<=\[\dm{plain})|(?<=[\[;]\d\dm{plain})|(?<=\\u00[0-9A-Fa-f]{{2}}{plain}))"
    )
    return re.compile(plain + edge + body, re.ASCII)


def _replace(pattern: re.Pattern[str], kind: str, text: str) -> str:
    group: str | int = "s" if "s" in pattern.groupindex else 0

    def mark(match: re.Match[str]) -> str:
        whole = match[0]
        if match[group].startswith(_MARK):
            return whole
        start, end = (at - match.start() for at in match.span(group))
        return f"{whole[:start]}{_MARK}{kind}]{whole[end:]}"

    return pattern.sub(mark, text)


def without_private(text: str) -> str:
    """Drop what stands between private tags; one that is not closed goes to the end."""
    if "private" not in text.lower():
        return text
    kept: list[str] = []
    depth = 0
    at = 0
    for tag in _TAG.finditer(text):
        if tag[1]:
            depth -= depth > 0
            if depth == 0 and at < 0:
                at = tag.end()
        else:
            if depth == 0:
                kept.append(text[at : tag.start()] + f"{_MARK}private]")
                at = -1
            depth += 1
    if not kept:
        return text
    return "".join(kept) + (text[at:] if at >= 0 else "")


_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Read backwards: lines of base64, each ended by a newline or the escape of one.
_LINES_BEFORE = re.compile(
    r"(?:(?:[nr]\\{1,4}|\s){0,4}(?:[A-Za-z0-9+/=]{4,80}(?=[nr]\\)|[A-Za-z0-9+/=]{4,80}(?![A-Za-z0-9+/=]))){1,400}"
)
_KEY_CHARS_MAX = 16_384


def _without_key_ends(text: str) -> str:
    """Drop the end of a private key whose beginning was cut off."""
    kept: list[str] = []
    done = 0
    for end in _KEY_END.finditer(text):
        before = text[max(done, end.start() - _KEY_CHARS_MAX) : end.start()]
        lines = _LINES_BEFORE.match(before[::-1])
        if lines is not None:
            kept += (text[done : end.start() - lines.end()], f"{_MARK}private-key]")
            done = end.end()
    kept.append(text[done:])
    return "".join(kept)


_NAMES = "|".join(f"{stem}{rest}" for _, _, stem, rest in NAMED)
_ENDS = (
    r"(?:[_-]?(?:value|val|string|str|key|token|access|hash|base64|b64|hex|raw|plain|text|prod|production|dev"
    r"|staging|stage|test|live|old|new|current|default|primary|secondary|base|id(?=[_-]?(?:secret|token))))"
    r"{0,3}[_-]?\d{0,3}(?![A-Za-z0-9_-])"
)
_SIGN = (
    r"(?P<close>(?:\\{0,3}[\"'`][\])]{0,2})?)"
    r"(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z_][\w.\[\]<>|?]{0,40}(?=[ \t]{0,4}=[^=]))?"
    r"(?P<sign>[ \t]{0,40}(?:={1,3}|:=|=>|!={1,2}|:|,|>|\()[ \t]{0,40}"
    r"|[ \t]{1,4}(?:value|content)[ \t]?=[ \t]?|[ \t]{1,4}(?:is|was)[ \t]{1,4}|[ \t]{1,8})"
)
_VALUE = (
    r"(?:[bBrRuUfFL@]{0,2}(?:\\{1,3}[\"'`](?P<e>[^\"'`\\\r\n]{1,256})"
    r"|\"(?:\"\")?(?P<d>(?:[^\"\\\r\n]|\\.){1,256})"
    r"|'(?:'')?(?P<q>(?:[^'\\\r\n]|\\.){1,256})|`(?P<t>[^`\r\n]{1,256}))"
    r"|(?P<u>[^\s\"'`\\,;&<>]{3,256}))"
)


# A value is judged by its beginning, and goes as far as its quotes do.
_RESTS = {
    "e": r"[^\"'`\\\r\n]*",
    "d": r"(?:[^\"\\\r\n]+|\\.)*",
    "q": r"(?:[^'\\\r\n]+|\\.)*",
    "t": r"[^`\r\n]*",
    "u": r"[^\s\"'`\\,;&<>]*",
}


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(f"(?i:{_NAMES}){_ENDS}{_SIGN}{_VALUE}", re.ASCII)


def _replace_named(text: str) -> str:
    """Replace the values of names such as `password`, where the value looks like a secret."""
    kept: list[str] = []
    done = 0
    match_at = _assignment().match
    for at, kind in _stems(text):
        match = match_at(text, at) if at >= done else None
        if match is None:
            continue
        run = _run_before(text, at)
        if _is_name(kind, run, text, match) and _gives_secret(kind, run, text, match):
            start, end = match.span(match.lastgroup or 0)
            kept += (text[done:start], f"{_MARK}{kind}]")
            rest = _compile(_RESTS[match.lastgroup or "u"]).match(text, end)
            done = rest.end() if rest is not None else end
    kept.append(text[done:])
    return "".join(kept)


def _stems(text: str) -> list[tuple[int, str]]:
    """Return where the stems of names are, in any case: by plain searches, which are fast."""
    # The one letter whose small form is longer; positions must stay.
    lowered = text.replace("\u0130", "I").lower()
    places: list[tuple[int, str]] = []
    for kind, _, stem, _ in NAMED:
        at = lowered.find(stem)
        while at >= 0:
            places.append((at, kind))
            at = lowered.find(stem, at + len(stem))
    return sorted(places)


def _is_name(kind: str, run: str, text: str, match: re.Match[str]) -> bool:
    """Tell whether a stem is the end of a name that promises a secret."""
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
        owner = run.lower().rstrip("_-") if run else text[max(0, at - 4) : at].lower().rstrip()
        return owner.endswith(SECRET_KEYS) or (stem[:3] == "KEY" and before == "_")
    return name != "_pat" or run.lower().endswith(TOKEN_OWNERS)


def _gives_secret(kind: str, run: str, text: str, match: re.Match[str]) -> bool:
    value = match[match.lastgroup or 0]
    sign = match["sign"].strip()
    quoted = match.lastgroup != "u"
    if value.startswith(_MARK) or not _is_plausible(run, sign, text, match):
        return False
    if not quoted:
        value = value.rstrip(".:!?)") if sign in {"is", "was"} else value
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
    if sign == ">":
        return not quoted and "<" in run and text.startswith(("</", "<\\/"), match.end())
    if sign == "":
        sentence = quoted and match[0][:5].lower() == "passw"
        return sentence or _is_flag(run, text, match.start()) or _is_random(match)
    return True


def _is_random(match: re.Match[str]) -> bool:
    """Tell whether a value is a secret whatever stands before it: `set aws_secret_key aB3...`."""
    value = match[match.lastgroup or 0]
    kinds = (str.isdigit, str.islower, str.isupper)
    return len(value) >= 20 and all(any(map(kind, value)) for kind in kinds)


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
