"""Secrets and private text are taken out before the first byte is written anywhere.

`[REDACTED:kind]` stays in the place of a secret, `[REDACTED:private]` in the place
of `<private>...</private>`. Redacting twice is redacting once.

Most text holds nothing that even looks like a secret. That is settled by plain
searches for the heads and words of `rules` and `names`, without importing `re`: the
hook has no time for it.
"""

from agentx.redaction.cards import may_hold_card
from agentx.redaction.encoded import holds_encoded
from agentx.redaction.hidden import may_hide, unhide, unhide_raw, unmark
from agentx.redaction.names import GATES, KEY_GIVEN, NAMED, SIGN, SIGNS, TOKEN_GIVEN, VENDORS
from agentx.redaction.rules import (
    ANNOUNCEMENTS,
    CARD,
    ENCODED,
    MANIFESTS,
    PRIVATE_KEY,
    RUNS,
    SHAPES,
    TABLES,
    TOKENS,
    USERINFO,
    outline,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_HEADS = tuple((head, head.encode()) for _, heads, _ in TOKENS for head in heads)
_PLAIN = (PRIVATE_KEY, *MANIFESTS, *TABLES, *ANNOUNCEMENTS)
_WORDS = tuple(
    {
        word: word.encode()
        for words in (*(rule[1] for rule in (*SHAPES, *NAMED)), _PLAIN)
        for word in words
    }.items()
)
_VENDORS = tuple((vendor, vendor.encode()) for vendor in VENDORS)
_PARTED_VENDORS = tuple(pair for pair in _VENDORS if not pair[1].isalnum())


_FOUND_OTHERWISE = (USERINFO, KEY_GIVEN, TOKEN_GIVEN)


def _gate() -> "tuple[tuple[bytes, tuple[tuple[str, bytes], ...]], ...]":
    """Sort the words behind what they have in common: one search in vain saves several."""
    # Heads of tokens, in capitals, are looked for by themselves.
    words = [pair for pair in _PLAINLY if not pair[0].isupper() and pair[0] not in _FOUND_OTHERWISE]
    gated: list[tuple[bytes, tuple[tuple[str, bytes], ...]]] = []
    for gate in GATES:
        behind = [pair for pair in words if gate in pair[0]]
        words = [pair for pair in words if gate not in pair[0]]
        gated.append((gate.encode(), tuple(behind)))
    gated += [(raw.rstrip(_SIGN), ((word, raw),)) for word, raw in words]
    return tuple(gated)


_SIGN = SIGN.encode()
# Words that ASCII cannot spell, asked only of texts that have more than it.
_ABROAD = tuple(pair for pair in _WORDS if not pair[0].isascii())
_PLAINLY = tuple(pair for pair in _WORDS if pair[0].isascii())
_SPLIT = bytes([byte if chr(byte).isalnum() and byte < 128 else 32 for byte in range(256)])
_GATED = _gate()
_WORDY_GATED = tuple(gated for gated in _GATED if gated[0].isalnum())
_OTHER_GATED = tuple(gated for gated in _GATED if not gated[0].isalnum())
_SIGNS = tuple(sign.encode() for sign in SIGNS)
_RUNS = tuple((run, run.encode()) for _, run, _ in RUNS)
_START_BYTES = 3  # the shortest part
_plain_words: set[bytes] = set()
_PLAIN_WORDS_MAX = 100_000
_PLAIN_WORD_BYTES_MAX = 80
_JUDGED_BYTES_MAX = 4096  # what is longer is looked through at once
_PRIVATE = (b"<private", b"\\u003cprivate")  # handled first, whatever else is found
# Escapes that could spell a word which the plain searches would have found; and UTF-16.
_HIDING = (b"\\u002", b"\\u003", b"\\u004", b"\\u005", b"\\u006", b"\\u007")
# The shortest token with its head, and what its first characters look like in an outline.
_TOKEN_BYTES_MIN = 13
_TOKEN_BEGINS = b"w" * 6
_TOKEN_SIGNS = bytes.maketrans(b"=.+/", b"----")


class _Starts:
    """What a word may begin with; sorted when the first is judged, which a hook seldom does."""

    def __init__(self) -> None:
        # The part of each word that stands in one word of the text, whatever the spaces around it.
        parts = {
            *(raw.split()[0] for word, raw in _WORDS if word[-1] != SIGN),
            *(b"<private", b"basic", b"flyv1"),
            *(vendor for _, vendor in _VENDORS),
        }
        # Those that count only where the word ends with them: `pass=`, and not `passes`.
        named = [raw[:-1] for word, raw in _WORDS if word[-1] == SIGN]
        self.names = {max(raw.split(), key=len) for raw in named} - parts
        self.parts: dict[bytes, list[bytes]] = {}
        for part in (*parts, *self.names):
            self.parts.setdefault(part[:_START_BYTES], []).append(part)
        self.heads: dict[bytes, list[bytes]] = {}
        for _, raw in _HEADS:
            self.heads.setdefault(raw.translate(_SPLIT).split()[0][:2], []).append(raw)


_sorted_starts: list[_Starts] = []


def _sort_starts() -> _Starts:
    if not _sorted_starts:
        _sorted_starts.append(_Starts())
    return _sorted_starts[0]


def suspicious(data: bytes) -> bool:
    """Tell whether raw bytes may hold a secret; False means that `redact` would change nothing."""
    if b"\\u00" in data and any(word in data for word in _HIDING):
        return True
    if b"\x00" in data or next(_find(data, data.lower()), None) is not None:
        return True
    return may_hide(data) and _suspicious_bare(data)


def _suspicious_bare(data: bytes) -> bool:
    """Tell whether raw bytes may hold a secret once what is hidden inside words is gone."""
    bare = unhide_raw(data)
    return bare != data and next(_find(bare, bare.lower()), None) is not None


def redact(text: str) -> str:
    """Return the text without secrets and without private blocks."""
    return redactor(text)(text)


def redactor(document: str) -> "Callable[[str], str]":
    """Return `redact` for the texts in a document: what to look for is settled once for all."""
    found = _look(document)
    if not document.isascii() and may_hide(document.encode("utf-8", "surrogatepass")):
        bare = _look(unhide(document))
        if bare:
            return lambda text: _scrub_bare(text, unhide(text), found | bare)
    if not found:
        return str
    from agentx.redaction.patterns import scrub  # noqa: PLC0415  only where a word was found

    return lambda text: scrub(text, found, _look)


def _scrub_bare(text: str, bare: str, found: frozenset[str]) -> str:
    """Scrub a text without what is hidden inside its words; where nothing is found, as it is."""
    from agentx.redaction.patterns import scrub  # noqa: PLC0415  as above

    done = scrub(bare, found, _look)
    return done if done != bare else scrub(text, found, _look)


def redact_value(value: "Any") -> "Any":
    """Return a JSON value with every text in it redacted, also by the names that hold them."""
    from agentx.redaction.tree import redact_tree  # noqa: PLC0415  as above

    return redact_tree(value, redact)


def dump(value: "Any") -> bytes:
    """Write a JSON value in UTF-8; half a surrogate pair becomes its escape.

    Raises: ValueError when a number does not exist in JSON.
    """
    import json  # noqa: PLC0415  as above

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def is_plain(data: bytes) -> bool:
    """Tell cheaply that text holds nothing to look for; False only means: look.

    Text repeats its words. Each is judged once, by itself, and remembered; so a long session
    costs little more than splitting it.
    """
    if may_hold_card(data) or (may_hide(data) and _suspicious_bare(data)):
        return False
    words = data.split()
    if _plain_words.issuperset(words):
        return True
    fresh = set(words) - _plain_words
    plain = [word for word in fresh if not _may_matter(word)]
    if len(_plain_words) > _PLAIN_WORDS_MAX:
        _plain_words.clear()
    _plain_words.update([word for word in plain if len(word) <= _PLAIN_WORD_BYTES_MAX])
    return len(plain) == len(fresh)


def _may_matter(word: bytes) -> bool:
    """Tell whether a word, whatever stands beside it, may be part of what is looked for."""
    if len(word) > _JUDGED_BYTES_MAX or _holds_a_part(word.lower()):
        return True
    if b"://" in word and b"@" in word:
        return True
    if len(word) < _TOKEN_BYTES_MIN:
        return False
    if _is_mixed(word) or holds_encoded(word):
        return True
    if b"\\" in word or b"%" in word or b"\x1b" in word:
        return any(raw in word for _, raw in _HEADS) or _draws_a_run(word)
    # Each start once: a word may be a megabyte, and begin anew thousands of times.
    starts = {start[:2] for start in word.translate(_SPLIT).split()}
    likely = any(raw in word for start in starts for raw in _sort_starts().heads.get(start, ()))
    return likely or _draws_a_run(word)


def _is_mixed(word: bytes) -> bool:
    """Tell whether a word may be the random value of a key that stands before it."""
    if len(word) < _KEY_BYTES_MIN:
        return False
    drawn = word.translate(_LETTERS_AND_DIGITS)
    turns = drawn.count(b"a0") + drawn.count(b"0a")
    return turns >= _TURNS_MIN or (turns == _TURNS_MIN - 1 and word != word.lower())


_LETTERS_AND_DIGITS = bytes.maketrans(
    b"123456789bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0" * 9 + b"a" * 51
)
_TURNS_MIN = 3


def _holds_a_part(lowered: bytes) -> bool:
    known = _sort_starts()
    if len(lowered) > _PLAIN_WORD_BYTES_MAX:
        likely = [part for parts in known.parts.values() for part in parts if part in lowered]
    else:
        likely = [
            part
            for at in range(len(lowered) - _START_BYTES + 1)
            for part in known.parts.get(lowered[at : at + _START_BYTES], ())
            if part in lowered
        ]
    return any(part not in known.names or _ends_a_word(part, lowered) for part in likely)


def _ends_a_word(name: bytes, lowered: bytes) -> bool:
    return not all(after[:1].isalpha() for after in lowered.split(name)[1:])


def _draws_a_run(word: bytes) -> bool:
    drawn = outline(word)
    return any(raw in drawn for _, raw in _RUNS)


def _look(text: str) -> frozenset[str]:
    data = unmark(text.encode("utf-8", "surrogatepass"))
    if is_plain(data):
        return frozenset()
    return frozenset(_find(data, data.lower()))


def _find(data: bytes, lowered: bytes) -> "Iterator[str]":
    """Yield the words, heads and outlines that are in the text."""
    # A text repeats its words: what is one word is looked for among those that differ.
    words = b" ".join(set(lowered.translate(_SPLIT).split()))
    for gate, behind in _WORDY_GATED:
        if gate in words:
            yield from _behind(behind, lowered)
    for gate, behind in _OTHER_GATED:
        if gate in lowered:
            yield from _behind(behind, lowered)
    if not data.isascii():
        yield from _behind(_ABROAD, lowered)
    dense = _dense(data)
    if dense:
        yield from _find_tokens(data, dense)
    if b"key" in words and _gives_random(lowered, b"key"):
        yield KEY_GIVEN
    if b"token" in words and _gives_random(lowered, b"token"):
        yield TOKEN_GIVEN
    # What a service is given is long, and has digits.
    if dense.translate(None, _NO_DIGITS):
        yield from _find_vendors(words, lowered)
    if may_hold_card(data):
        yield CARD
    if _names_somebody(data):
        yield USERINFO
    if any(word in lowered for word in _PRIVATE):
        yield "<private>"


def _find_tokens(data: bytes, dense: bytes) -> "Iterator[str]":
    """Yield what words that are long enough for a token may be."""
    for head, raw in [pair for pair in _HEADS if pair[1] in dense]:
        if _at_an_edge(data, raw):
            yield head
    drawn = outline(dense)
    for run, raw in _RUNS:
        if raw in drawn:
            yield run
    if holds_encoded(dense):
        yield ENCODED


def _behind(words: "tuple[tuple[str, bytes], ...]", lowered: bytes) -> "Iterator[str]":
    for word, raw in words:
        if word[-1] == SIGN:
            name = raw[:-1]
            if name in lowered and any(name + sign in lowered for sign in _SIGNS):
                yield word
        elif raw in lowered:
            yield word


def _gives_random(lowered: bytes, name: bytes) -> bool:
    """Tell whether a key or a token, of whatever, is given something long that has a digit."""
    at = lowered.find(name)
    while at >= 0:
        at += len(name)
        near = lowered[at : at + _AFTER_KEY_BYTES]
        after = near.lstrip(b" \t\"'`\\")
        if after[:1] in _GIVES or (near[:1] == b" " and name == b"token"):
            value = after.lstrip(_BEFORE_VALUE).split(None, 1)[:1]
            if value and len(value[0]) >= _KEY_BYTES_MIN and value[0].translate(None, _NO_DIGITS):
                return True
        at = lowered.find(name, at)
    return False


_AFTER_KEY_BYTES = 64
_KEY_BYTES_MIN = 20
_BEFORE_VALUE = b" \t\"'`\\=>:?|,"
_NO_DIGITS = bytes((*range(48), *range(58, 256)))


def _find_vendors(words: bytes, lowered: bytes) -> "Iterator[str]":
    """Yield the services that something is given to: `vendor_key = ...`."""
    named = [pair for pair in _VENDORS if pair[1] in words]
    for vendor, raw in (*named, *_PARTED_VENDORS):
        at = lowered.find(raw)
        while at >= 0:
            at += len(raw)
            after = lowered[at : at + _AFTER_VENDOR_BYTES].lstrip(_NAME_BYTES).lstrip(_BEFORE_SIGN)
            if after[:1] in _GIVES:
                yield vendor
                break
            at = lowered.find(raw, at)


_AFTER_VENDOR_BYTES = 40
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"
_BEFORE_SIGN = b" \t\"'`\\)]"
_GIVES = frozenset((b"=", b":", b"?", b">", b"|", b","))


def _dense(data: bytes) -> bytes:
    """Return only the words that are long enough to hold a token: most text has few of them."""
    # Two heads end in a space.
    if b"Basic " in data or b"FlyV1 " in data:
        data = data.replace(b"Basic ", b"Basic_").replace(b"FlyV1 ", b"FlyV1_")
    dense = b" ".join([word for word in data.split() if len(word) >= _TOKEN_BYTES_MIN])
    return dense.replace(b"Basic_", b"Basic ").replace(b"FlyV1_", b"FlyV1 ")


def _at_an_edge(data: bytes, head: bytes) -> bool:
    """Tell whether a head stands where a token may begin, and something like one follows."""
    at = data.find(head)
    while at >= 0:
        end = at + len(head)
        begins = outline(data[end : end + 6].translate(_TOKEN_SIGNS))
        if begins == _TOKEN_BEGINS and _is_edge(data[max(0, at - 6) : at]):
            return True
        at = data.find(head, end)
    return False


def _is_edge(before: bytes) -> bool:
    # The end of an escape looks like a letter: `\n`, `\u000a`, `%3D`, a colour's `m`.
    return (
        not before[-1:].isalnum()
        or before[-2:-1] == b"\\"
        or before[-3:-2] == b"%"
        or before[-6:-4] == b"\\u"
        or before[-1:] == b"m"
    )


def _names_somebody(data: bytes) -> bool:
    """Tell whether a URL has something before an `@` where its host should be."""
    if b"@" not in data:
        return False
    for after in data.replace(b"\\/", b"/").split(b"://")[1:]:
        person, at, _ = after[:600].partition(b"@")
        if (
            at
            and len(person.split(None, 1)) < 2
            and (b"/" not in person or b":" in person.split(b"/")[0])
        ):
            return True
    return False
