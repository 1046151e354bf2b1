"""Who is said to have said something: a role's name, the hub's, or `human`, and nothing like it.

Files are written by anybody. A name that a reader takes for a person's, and that is not it, is
nobody's: with signs that are not seen, letters of other alphabets, or words after it.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from agentx.clarification.model import PERSON
from agentx.kernel.text import compile_late

_PLAIN = compile_late(r"[\w .+-]{0,60}")
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


@lru_cache(maxsize=1_000)
def is_speaker(name: str) -> bool:
    """Tell whether somebody can be called so."""
    if name in ("", PERSON):
        return True
    is_plain = _PLAIN.fullmatch(name) is not None and name == name.strip()
    return is_plain and not is_persons_name(name)


def is_persons_name(name: str) -> bool:
    """Tell whether a reader would take a name for a person's, or it is the person's."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(_LOOKALIKES)
    bare = "".join(sign for sign in plain if sign.isalpha()).replace("rn", "m")
    return bare in _PEOPLE or bare.startswith(PERSON)
