"""The roles that agents play: their names, their other names, who stands upstream of whom.

A role is who an agent is for the team (engineer, architect); the agent CLI that
plays it is its harness. A project may add roles of its own; their names follow the
same pattern, because they become file names. Nobody but a person is called like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from agentx.kernel.errors import InvalidValue
from agentx.kernel.places import NO_ROLE, ROLE_ALIASES, settle_role_name
from agentx.kernel.text import compile_late, printable

# Upstream first: of two agents that wait for each other, the upper one keeps its question.
ROLES = (
    "product-manager",
    "architect",
    "ux-designer",
    "engineer",
    "reviewer",
    "devops-engineer",
    "data-scientist",
    "tester",
)
# The hub: it routes and does no step of its own.
HUB_ROLE = "agent-x"
# Whoever is asked and is no agent. Nobody can play this one.
PERSON_ROLE = "human"
# How that is said to have been said which nobody saw a person say.
UNCONFIRMED = "unconfirmed"
SHIPPED_ROLES = (*ROLES, HUB_ROLE)
# What no project can call a role of its own.
RESERVED_ROLES = (PERSON_ROLE, HUB_ROLE)

_NAME = compile_late(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_CHARS_MAX = 40
# Who is said to have said something. Files are written by anybody: a name that a reader takes for a
# person's, and that is not it, is nobody's.
_PLAIN = compile_late(r"[\w .+-]{0,60}")
# How a line names who says what follows it, in whatever signs somebody imitates that.
_NAMED = compile_late(
    r"(?<![\w.+-])([\w.+-]+)([*~`]*(?: \([^()]*\))?[*~`\s]*[:\uff1a\ufe55\ufe13\ua789\u2236\u02d0])"
)
# How a line of a section ends: who said it, and where it is.
_SIGNED = compile_late(r"\[([\w .+-]{1,60})((?: \([^()\[\]]*\))?,[^\[\]]*)\]")
_PEOPLE = ("human", "person", "aperson", "user", "theuser", "you")
# Signs that look like letters of `human`, `person` and `user`, once they are in their plain form.
_LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("\u0430\u03b1\u0251\u1d00", "a"),
        **dict.fromkeys("\u0435\u1d07\u0454", "e"),
        **dict.fromkeys("\u04bb\u029c\u0570", "h"),
        **dict.fromkeys("\u043c\u1d0d", "m"),
        **dict.fromkeys("\u0578\u057c\u03b7\u043f\u0274", "n"),
        **dict.fromkeys("\u043e\u03bf\u0585\u1d0f", "o"),
        **dict.fromkeys("\u0440\u03c1\u1d18", "p"),
        **dict.fromkeys("\u0280\u0433\u044f", "r"),
        **dict.fromkeys("\u0455\ua731", "s"),
        **dict.fromkeys("\u057d\u03c5\u1d1c", "u"),
        **dict.fromkeys("\u0443\u03b3\u028f", "y"),
        **dict(zip("0345", "oeas", strict=True)),
    }
)


def role_name(text: str, known: Iterable[str] = SHIPPED_ROLES) -> str:
    """Return a role's one name, whichever of its names was given.

    Raises: InvalidValue for a role that is not among the known ones, naming the nearest.
    """
    name = settle_role_name(text)
    names = tuple(known)
    if name in names:
        return name
    listed = ", ".join(each for each in names if each != HUB_ROLE)
    if name == PERSON_ROLE:
        raise InvalidValue(
            f"{PERSON_ROLE} is a person: no agent plays it, and it asks nobody",
            hint=f"every role may ask {PERSON_ROLE}; name a role: {listed}",
        )
    from difflib import get_close_matches  # noqa: PLC0415  only who mistyped waits for it

    near = get_close_matches(name, (*names, *ROLE_ALIASES), n=1, cutoff=0.6)
    raise InvalidValue(
        f"{text[:60]!r} is not a role",
        hint=(f"did you mean {ROLE_ALIASES.get(near[0], near[0])}? " if near else "")
        + f"one of: {listed}",
    )


def is_role_name(text: str) -> bool:
    """Tell whether a text can name a role: it becomes a file's name."""
    is_short = len(text) <= _NAME_CHARS_MAX and text != NO_ROLE
    return is_short and _NAME.fullmatch(text) is not None


@lru_cache(maxsize=1_000)
@lru_cache(maxsize=1_000)
def is_speaker(name: str) -> bool:
    """Tell whether somebody can be called so."""
    if name in ("", PERSON_ROLE):
        return True
    is_plain = _PLAIN.fullmatch(name) is not None and name == name.strip()
    return is_plain and not is_persons_name(name)


@lru_cache(maxsize=1_000)
def is_persons_name(name: str) -> bool:
    """Tell whether a reader would take a name for a person's, or it is the person's."""
    import unicodedata  # noqa: PLC0415  only names that a reader sees wait for it

    plain = unicodedata.normalize("NFKD", name).casefold().translate(_LOOKALIKES)
    bare = "".join(sign for sign in plain if sign.isalpha()).replace("rn", "m")
    return bare in _PEOPLE or bare.startswith(PERSON_ROLE)


def quote_names(text: str, names: Iterable[str]) -> str:
    """Return words with a person's name, or one of these, in quotes where speakers stand.

    Whoever reads them on one line with what others said takes none of them for somebody else's.
    """
    roles = frozenset((*names, *SHIPPED_ROLES))

    def quote(found: re.Match[str]) -> str:
        name, rest = found.groups()
        is_named = name.casefold() in roles or is_persons_name(name)
        return f'"{name}"{rest}' if is_named else found[0]

    return _NAMED.sub(quote, printable(text))


def unsign_words(text: str) -> str:
    """Return words of which none stand as who said it does at the end of a line of a section."""

    def open_up(found: re.Match[str]) -> str:
        name, rest = found.groups()
        is_name = name.strip().casefold() in SHIPPED_ROLES or is_persons_name(name)
        return f"({name}{rest})" if is_name else found[0]

    return _SIGNED.sub(open_up, text)


def speak_role(role: str) -> str:
    """Return a role as people write it: `product-manager` is `Product Manager`."""
    return " ".join(_WORDS.get(word, word.capitalize()) for word in role.split("-"))


_WORDS = {"ux": "UX", "devops": "DevOps", "qa": "QA", "x": "X"}
