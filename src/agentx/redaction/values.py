"""Is the value of a name like `password` a secret, or a stand-in, or code?

`token = next_token()`, `password: str` and `API_KEY=${KEY}` must stay readable,
`password = "hunter2"` must not. Three degrees, by how much a name promises:

* `password`  almost any value is one.
* `secret`    a value that is not a plain word.
* others      a value that could not be typed from memory: letters and digits mixed.
"""

from __future__ import annotations

from itertools import pairwise
from math import log2

_WORDS = """
none null nil undefined true false yes no on off str string text bytes int integer bool boolean
any object optional required unknown empty hidden masked redacted omitted removed secret secrets
password passwd token tokens key keys apikey api_key credential credentials changeme change_me
change-me replaceme replace_me todo fixme example sample dummy fake test testing placeholder default
prompt username user value varchar char secretstr self option options argument flag parameter
instead requires file this args argv config default_token insert_here
"""
_STARTS = """
[redacted your my_ my- < ${ $( {{ {% %( #{ @{ *** ... xxx os.environ os.getenv process.env env. env(
env: getenv secrets. vault: op:// arn: ref+ !ref !sub sm:// file: http:// https:// example
placeholder insert enter enc[ encrypted: data: config. settings. self. this. args. options. props.
params. request. ctx. import.meta
"""
_STAND_INS = frozenset(_WORDS.split())
_STAND_IN_STARTS = tuple(_STARTS.split())
_CODE_WORDS = frozenset(
    """
    self this config settings env environ props params request req form user users options args
    opts process data body ctx context state input inputs values var local module each credential
    credentials account password passwd secret token key auth login value text get new app client
    """.split()
)
_CODE = frozenset("()[]{}<>|")
_FILLER = frozenset("xX*.:-_#?0 \u2022")
# Enough to tell; a value of a megabyte is judged by its beginning.
_JUDGED_CHARS_MAX = 128
_NAMES = ("password", "passwd", "secret", "token", "key")


def is_stand_in(value: str) -> bool:
    """Tell whether the value only shows where a secret would be."""
    lowered = value.strip().rstrip(":").lower()
    if not lowered or lowered in _STAND_INS:
        return True
    if len(lowered) >= 3 and set(lowered) <= _FILLER:
        return True
    if lowered.endswith(_NAMES) and lowered.replace("_", "").replace("-", "").isalpha():
        return True
    if lowered.startswith(_STAND_IN_STARTS):
        # A real password may begin with `your`, but it seldom is words and dashes only.
        return not lowered.startswith(("your", "my", "example", "enter", "insert")) or not any(
            char.isdigit() for char in lowered
        )
    if lowered[0] == "$" and lowered[1:].replace("_", "").isalnum() and "$" not in lowered[1:]:
        return lowered[1:2].isalpha() or lowered[1:2] == "_"
    return (lowered[0] == "%" and lowered[-1] == "%") or "${" in value or "{{" in value


def is_secret(kind: str, value: str, *, quoted: bool, lonely: bool = False) -> bool:
    """Tell whether a value that was given to a name of this kind is a secret.

    `lonely` is a name and a value by themselves, as in `.env`, in YAML and on a command line.
    """
    value = value[:_JUDGED_CHARS_MAX]
    if not value or is_stand_in(value):
        return False
    if _is_path(value) or (not quoted and _is_code(value, lonely=lonely)):
        return False
    if kind == "password":
        return _is_password(value, quoted=quoted, lonely=lonely)
    if kind == "secret":
        return _is_mixed(value, 6) or (_is_word(value, 16) and (quoted or lonely))
    return _is_mixed(value, 16 if kind == "credential" else 8) or (lonely and _is_word(value, 16))


def _is_password(value: str, *, quoted: bool, lonely: bool) -> bool:
    words = value.split()
    if len(words) > 1:
        # Far more often a message about passwords than one of them.
        short = len(words) <= 4 and any(char.isdigit() for char in value)
        return short or [len(word) for word in words] == [4, 4, 4, 4]
    if quoted:
        return len(value) >= 3
    if value.isalpha():
        return lonely and len(value) >= 8 and (value.islower() or not value[0].isupper())
    return len(value) >= 4 and not value.replace("_", "").isalpha() and not value.isdigit()


def _is_mixed(value: str, chars_min: int) -> bool:
    """Tell whether letters and digits are mixed, or the characters are many and varied."""
    if len(value) < chars_min or any(char.isspace() for char in value):
        return False
    letters = sum(char.isalpha() for char in value)
    digits = sum(char.isdigit() for char in value)
    if letters == 0:
        return False
    if digits:
        return not _is_version(value) and (
            len(value) >= 12 or digits + letters < len(value) or digits > 1
        )
    varied = any(char.islower() for char in value) and any(char.isupper() for char in value)
    return len(value) >= 20 and varied and letters < len(value) and entropy(value) > 3.5


def _is_word(value: str, chars_min: int) -> bool:
    return len(value) >= chars_min and value.isalnum()


def _is_version(value: str) -> bool:
    return sum(char.isdigit() or char in ".-:/vTZ" for char in value) == len(value)


def _is_path(value: str) -> bool:
    if value[0] not in "/.~" or "+" in value or "=" in value:
        return False
    return value.startswith(("./", "../", "~/")) or value.count("/") >= 2 or value.isdigit()


def _is_code(value: str, *, lonely: bool) -> bool:
    if any(char in _CODE for char in value) and not lonely:
        return True
    if value.endswith((")", "]", "[", "{", "(")) or "(" in value or "->" in value or "::" in value:
        return True
    parts = value.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        return False
    if any(mixes(part) >= _TURNS_MIN for part in parts):
        return False
    # Three words with dots, by themselves: nobody writes an attribute so in `.env`.
    is_code_like = not _CODE_WORDS.isdisjoint(part.lower() for part in parts)
    return not (lonely and len(parts) > 2 and value.islower()) or is_code_like


def is_random(value: str, chars_min: int = 20) -> bool:
    """Tell whether nobody would write such a value, nor compute it from something: not a hash.

    Words and numbers come in turns in it, more often than in any name or version.
    """
    value = value[:_JUDGED_CHARS_MAX]
    if len(value) < chars_min or value.isalpha() or not _DIGITS.intersection(value):
        return False
    if is_hash(value) or is_uuid(value):
        return False
    if value.count(":") > 3 or value.lower().endswith(_NAMES):
        return False
    if any(char in _NEVER for char in value) or _is_path(value) or is_stand_in(value):
        return False
    if value.startswith(_HASHES) or (
        value[0].isdigit() and value[1:3].strip("0123456789")[:1] == "."
    ):
        return False
    return mixes(value) >= _TURNS_MIN


_DIGITS = frozenset("0123456789")
_NEVER = frozenset("()[]{}<>|\"'`$ \t,;\\")
_HASHES = ("sha1-", "sha256", "sha384", "sha512", "md5-", "h1:", "git+", "urn:")
_TURNS_MIN = 3
_HASH_CHARS = frozenset((32, 40, 48, 56, 64, 96, 128))


def mixes(value: str) -> int:
    """Return how often a letter follows a digit or a digit a letter; one more for mixed cases."""
    turns = 0
    cases = 0
    for before, char in pairwise(value):
        if before.isalnum() and char.isalnum():
            turns += before.isdigit() != char.isdigit()
            cases += before.isalpha() and char.isalpha() and before.isupper() != char.isupper()
    return turns if turns < 2 or cases < 6 else turns + 1


def is_hash(value: str) -> bool:
    """Tell whether a value has the letters and the length of a checksum."""
    return len(value) in _HASH_CHARS and not value.lower().strip("0123456789abcdef")


def is_uuid(value: str) -> bool:
    """Tell whether a value is a UUID."""
    parts = [len(part) for part in value.split("-")]
    return parts == [8, 4, 4, 4, 12] and not value.lower().strip("0123456789abcdef-")


def entropy(value: str) -> float:
    """Return the bits of surprise in a character of the text."""
    size = len(value)
    return -sum(value.count(char) / size * log2(value.count(char) / size) for char in set(value))
