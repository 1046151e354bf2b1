"""Random text that matches a regular expression, and the rules of a scanner as data.

The rules are a TOML file of `[[rules]]` with `id`, `regex`, `keywords` and `entropy`, in the
dialect of Go. Nothing of such a file is kept: it is read, texts are made, and leaks are counted.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as const  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from string import ascii_letters, digits
from typing import Any

from agentx.redaction.values import entropy

_BASE64 = ascii_letters + digits + "+/"
_PRINTABLE = [chr(code) for code in range(33, 127)]
_UNBOUNDED_MORE = 24
_TRIES_MAX = 60
_CATEGORIES = {
    const.CATEGORY_DIGIT: digits,
    const.CATEGORY_WORD: ascii_letters + digits + "_",
    const.CATEGORY_SPACE: " ",
    const.CATEGORY_NOT_SPACE: ascii_letters + digits,
}


@dataclass(frozen=True, slots=True)
class Kind:
    """One rule: its name, its words, and what it matches."""

    name: str
    vendor: str
    pattern: re.Pattern[str]
    entropy_min: float


@dataclass(frozen=True, slots=True)
class Sample:
    """One secret, and the whole text that the rule would match."""

    secret: str
    whole: str


def read_kinds(path: Path) -> list[Kind]:
    """Return the rules that are about text; one about the name of a file is none."""
    rules = tomllib.loads(path.read_text(encoding="utf-8"))["rules"]
    return [
        Kind(
            rule["id"],
            _vendor(rule),
            re.compile(_to_python(rule["regex"])),
            float(rule.get("entropy", 0)),
        )
        for rule in rules
        if rule.get("regex")
    ]


def _vendor(rule: dict[str, Any]) -> str:
    words = [word for word in rule.get("keywords", ()) if re.fullmatch(r"[a-z]{3,16}", word)]
    return str(words[0] if words else rule["id"].split("-")[0])


def _to_python(pattern: str) -> str:
    """Translate what differs from Go: classes by name, the end, flags in the middle."""
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[:alnum:]", "A-Za-z0-9")
    pattern = pattern.replace(r"\z", r"\Z")
    at = pattern.find("(?i)", 1)
    while at >= 0:
        close = _closing(pattern, at + 4)
        pattern = f"{pattern[:at]}(?i:{pattern[at + 4 : close]}){pattern[close:]}"
        at = pattern.find("(?i)", at + 4)
    return pattern


def _closing(pattern: str, at: int) -> int:
    """Return where the group around a place ends."""
    depth = 0
    bracket = False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif bracket:
            bracket = char != "]"
        elif char == "[":
            bracket = True
        elif char == "(":
            depth += 1
        elif char == ")":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    return at


def samples(kind: Kind, chance: random.Random, count: int) -> Iterator[Sample]:
    """Yield secrets of a kind that are as random as its rule asks."""
    made = 0
    for _ in range(count * _TRIES_MAX):
        whole = Maker(chance).make(kind.pattern)
        match = kind.pattern.search(whole)
        if match is None:
            continue
        # Groups with names are parts of a secret; without, the secret itself.
        found = () if kind.pattern.groupindex else match.groups()
        groups = [group for group in found if group and len(group) >= 6]
        secret = (max(groups, key=len) if groups else match[0]).strip("\"' \n;`\\")
        if len(secret) < 6 or entropy(secret) < kind.entropy_min or _is_hash(kind, secret):
            continue
        yield Sample(secret, match[0])
        made += 1
        if made == count:
            return


def _is_hash(kind: Kind, secret: str) -> bool:
    """Tell whether a rule takes any checksum for a secret: nobody can tell the two apart."""
    return bool(re.fullmatch(r"[0-9a-fA-F]{40}", secret)) and bool(kind.pattern.match(secret))


class Maker:
    """Makes text from the tree of a pattern, by chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._case = chance.choice((str.lower, str.upper, str))

    def make(self, pattern: re.Pattern[str]) -> str:
        """Return one text; it may fail to match where the pattern looks around."""
        return self._all(parser.parse(pattern.pattern), folded=False)

    def _all(self, tree: Any, *, folded: bool) -> str:
        folded = folded or bool(tree.state.flags & re.IGNORECASE and tree is not None)
        return "".join(self._one(op, value, folded=folded) for op, value in tree)

    def _one(self, op: Any, value: Any, *, folded: bool) -> str:
        if op is const.LITERAL:
            return chr(value)
        if op is const.ANY:
            # One dot between letters was meant as one: `hooks.example.com`.
            return "."
        if op is const.NOT_LITERAL:
            return self._chance.choice(_BASE64)
        if op is const.IN:
            return self._member(value, folded)
        if op is const.BRANCH:
            return self._all(self._chance.choice(value[1]), folded=folded)
        if op is const.SUBPATTERN:
            _, more, less, inner = value
            folded = (folded or bool(more & re.IGNORECASE)) and not less & re.IGNORECASE
            return "".join(self._one(*part, folded=folded) for part in inner)
        if op in (const.MAX_REPEAT, const.MIN_REPEAT):
            return self._repeat(value, folded)
        return ""

    def _repeat(self, value: Any, folded: bool) -> str:
        low, high, inner = value
        top = low + _UNBOUNDED_MORE if high is const.MAXREPEAT else min(high, low + 200)
        # What may be left out says nothing: `VENDOR` and a sign, without words between them.
        times = low if low == 0 and len(inner) == 1 else self._chance.randint(low, top)
        parts: list[str] = []
        for number in range(times):
            parts += (
                self._chance.choice(_BASE64)
                if part[0] is const.ANY
                else self._one(*part, folded=folded)
                for part in inner
            )
            if times > 64 and number % 64 == 63 and _is_anything(inner):
                parts.append("\n")
        return "".join(parts)

    def _member(self, members: Any, folded: bool) -> str:
        if members[0][0] is const.NEGATE:
            return self._chance.choice(_BASE64)
        chars = "".join(map(_chars, members))
        # A rule allows a backslash and newlines because its text may be escaped or wrapped.
        chars = chars.translate({ord(char): None for char in "\\\r\n"}) or chars
        if _is_everything(members):
            return self._chance.choice(_BASE64)
        char = self._chance.choice(chars or _PRINTABLE)
        if not (folded and char.isalpha()):
            return char
        return (
            self._case(char) if self._case is not str else self._chance.choice((char, char.upper()))
        )


def _chars(member: Any) -> str:
    op, value = member
    if op is const.LITERAL:
        return chr(value)
    if op is const.RANGE:
        return "".join(map(chr, range(value[0], value[1] + 1)))
    return _CATEGORIES.get(value, "")


def _is_everything(members: Any) -> bool:
    categories = {value for op, value in members if op is const.CATEGORY}
    return {const.CATEGORY_SPACE, const.CATEGORY_NOT_SPACE} <= categories


def _is_anything(inner: Any) -> bool:
    op, value = inner[0]
    return op is const.ANY or (op is const.IN and _is_everything(value))
