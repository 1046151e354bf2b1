"""Secrets and private text are taken out before the first byte is written anywhere.

`[REDACTED:kind]` stays in the place of a secret, `[REDACTED:private]` in the place
of `<private>...</private>`. Redacting twice is redacting once.

Most text holds nothing that even looks like a secret. That is settled by plain
searches for the heads and words of `rules` and `names`, without importing `re`: the
hook has no time for it.
"""

from itertools import pairwise

from agentx.redaction.cards import may_hold_card
from agentx.redaction.encoded import holds_encoded
from agentx.redaction.hidden import may_hide, unhide, unhide_raw, unmark
from agentx.redaction.names import KEY_GIVEN, NAMED, SIGN, SIGNS, TOKEN_GIVEN, VENDORS
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
    VAULT_RUN,
    outline,
)
from agentx.redaction.spotting import Harmless, Needles, run_of, split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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
_SIGN = SIGN.encode()
_FOUND_OTHERWISE = (USERINFO, KEY_GIVEN, TOKEN_GIVEN)
_SIGNS = tuple(sign.encode() for sign in SIGNS)
_RUNS = tuple((run, run.encode()) for _, run, _ in RUNS)
_PRIVATE = (b"<private", b"\\u003cprivate")  # handled first, whatever else is found
# Escapes that could spell a word which the plain searches would have found; and UTF-16.
_HIDING = (b"\\u002", b"\\u003", b"\\u004", b"\\u005", b"\\u006", b"\\u007")
# The shortest token with its head, and what its first characters look like in an outline.
_TOKEN_BYTES_MIN = 13
_TOKEN_BEGINS = b"w" * 6
_TOKEN_SIGNS = bytes.maketrans(b"=.+/", b"----")
_ASCII = bytes(range(128))


class _Sought:
    """What is looked for, sorted by how it is found; made when the first text is looked at."""

    def __init__(self) -> None:
        # Heads of tokens, in capitals, are looked for by themselves.
        plain = [
            (word, raw)
            for word, raw in _WORDS
            if word.isascii() and not word.isupper() and word not in _FOUND_OTHERWISE
        ]
        self.words: dict[bytes, list[str]] = {}
        for word, raw in plain:
            self.words.setdefault(raw.rstrip(_SIGN), []).append(word)
        self.spaced = {raw for raw in self.words if raw.split() != [raw]}
        self.vendors = {vendor.encode(): vendor for vendor in VENDORS}
        sought = {*self.words, *self.vendors, b"key", b"token", b"private"}
        self.needles = Needles(raw for raw in sought if run_of(raw))
        # What has no run of letters, behind what several of them have in common.
        short = [raw for raw in self.words if not run_of(raw)]
        self.gated = [(gate, [raw for raw in short if gate in raw]) for gate in (b"q~", b"$")]
        self.gated += [
            (raw, [raw]) for raw in short if not any(raw in behind for _, behind in self.gated)
        ]
        # Words that ASCII cannot spell, by what they have besides it.
        self.harmless = Harmless()
        self.abroad = [
            (word, raw, raw.translate(None, _ASCII)) for word, raw in _WORDS if not word.isascii()
        ]
        self.heads: dict[bytes, list[tuple[str, bytes]]] = {}
        for head, raw in _HEADS:
            self.heads.setdefault(_begin(raw), []).append((head, raw))


_made: list[_Sought] = []


def _sought() -> _Sought:
    if not _made:
        _made.append(_Sought())
    return _made[0]


def _begin(data: bytes) -> bytes:
    """Return what the first word of a text begins with."""
    return b"".join(split_words(data)[:1])[:2]


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


# Short texts that held nothing: the names, kinds and folders that every event has.
_plain_texts: set[str] = set()
_PLAIN_TEXTS_MAX = 5_000
_PLAIN_TEXT_CHARS_MAX = 100
# Longer ones of the last moments: what a tool was given or said comes as text, and beside it.
_recent_texts: set[str] = set()
_RECENT_TEXTS_MAX = 40
_RECENT_TEXT_CHARS_MAX = 50_000


def redact(text: str) -> str:
    """Return the text without secrets and without private blocks."""
    if text in _plain_texts or text in _recent_texts:
        return text
    redacted = redactor(text)(text)
    if redacted == text:  # no secret is kept here either
        if len(text) <= _PLAIN_TEXT_CHARS_MAX:
            _remember(_plain_texts, text, _PLAIN_TEXTS_MAX)
        elif len(text) <= _RECENT_TEXT_CHARS_MAX:
            _remember(_recent_texts, text, _RECENT_TEXTS_MAX)
    return redacted


def _remember(texts: "set[str]", text: str, count_max: int) -> None:
    if len(texts) >= count_max:
        texts.clear()
    texts.add(text)


def redactor(document: str) -> "Callable[[str], str]":
    """Return `redact` for the texts in a document: what to look for is settled once for all."""
    found = _look(document)
    if not document.isascii() and may_hide(document.encode("utf-8", "surrogatepass")):
        plain = unhide(document)
        bare = found if plain == document else _look(plain)
        if bare:
            return lambda text: _scrub_bare(text, unhide(text), found | bare)
    if not found:
        return str
    from agentx.redaction.patterns import scrub  # noqa: PLC0415  only where a word was found

    return lambda text: scrub(text, found, _look)


def _scrub_bare(text: str, bare: str, found: frozenset[str]) -> str:
    """Scrub a text without what is hidden inside its words; where nothing is found, as it is."""
    from agentx.redaction.patterns import scrub  # noqa: PLC0415  as above

    if bare == text:
        return scrub(text, found, _look)
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


def _look(text: str) -> frozenset[str]:
    data = unmark(text.encode("utf-8", "surrogatepass"))
    return frozenset(_find(data, data.lower()))


def _find(data: bytes, lowered: bytes) -> "Iterator[str]":
    """Yield the words, heads and outlines that are in the text."""
    sought = _sought()
    near = lowered  # what is looked through for all that has no blank inside
    words = sought.harmless.drop(data.split()) if sought.harmless.is_ready() else None
    if words is not None:
        near = b" ".join(words).lower()
    pieces = set(split_words(near))
    spotted = sought.needles.spot(pieces)
    joins = b"Basic " in data or b"FlyV1 " in data
    long_words = _list_long(data) if words is None or joins else _pick_long(words)
    tokens = _find_tokens(long_words)
    if words:
        sought.harmless.learn(
            words,
            held=sought.needles.list_holding(pieces) if spotted else set(),
            gates=[gate for gate, _ in sought.gated if gate in near],
            others=long_words - _tokenless,
        )
    yield from _find_words(spotted, data, near, lowered)
    yield from tokens
    if b"key" in spotted and _gives_random(lowered, b"key"):
        yield KEY_GIVEN
    if b"token" in spotted and _gives_random(lowered, b"token"):
        yield TOKEN_GIVEN
    yield from _find_vendors(spotted, data, lowered)
    if may_hold_card(data):
        yield CARD
    if _names_somebody(data):
        yield USERINFO
    if b"private" in spotted and any(word in lowered for word in _PRIVATE):
        yield "<private>"


def _find_words(spotted: "set[bytes]", data: bytes, near: bytes, lowered: bytes) -> "Iterator[str]":
    """Yield the words that are in the text, of those that may be."""
    sought = _sought()
    for raw in spotted.intersection(sought.words):
        if raw in sought.spaced or raw in near:
            yield from _behind(sought.words[raw], raw, lowered)
    for gate, behind in sought.gated:
        if gate in near:
            for raw in behind:
                if raw in near:
                    yield from _behind(sought.words[raw], raw, lowered)
    if not data.isascii():
        strange = data.translate(None, _ASCII)
        for word, raw, beside in sought.abroad:
            if beside in strange and raw in lowered:
                yield word


# Long words that hold no token: paths and names come again and again.
_tokenless: set[bytes] = set()
_may_be: dict[bytes, tuple[str, ...]] = {}  # and those that do, or look like it
_TOKENLESS_MAX = 50_000
_TOKENLESS_BYTES_MAX = 80


def _find_tokens(long_words: "set[bytes]") -> "set[str]":
    """Return what words that are long enough for a token may be; each is judged by itself."""
    found: set[str] = set()
    fresh = long_words - _tokenless
    if fresh:
        for word in fresh.intersection(_may_be):
            found.update(_may_be[word])
        _judge_dense(list(fresh.difference(_may_be)), found)
    return found


def _judge_dense(words: "list[bytes]", found: "set[str]") -> None:
    """Find what words may be, and remember it of each; those that may be something are few."""
    held = tuple(_find_in_dense(_join_dense(words))) if words else ()
    found.update(held)
    if held and len(words) > 1:
        half = len(words) // 2
        _judge_dense(words[:half], found)
        _judge_dense(words[half:], found)
        return
    if len(_tokenless) + len(_may_be) >= _TOKENLESS_MAX:
        _tokenless.clear()
        _may_be.clear()
    known = [word for word in words if len(word) <= _TOKENLESS_BYTES_MAX]
    if held:
        _may_be.update(dict.fromkeys(known, held))
    else:
        _tokenless.update(known)


def _join_dense(words: "Iterable[bytes]") -> bytes:
    return b" ".join(words).replace(b"Basic_", b"Basic ").replace(b"FlyV1_", b"FlyV1 ")


def _find_in_dense(dense: bytes) -> "Iterator[str]":
    heads = _sought().heads
    for start in _list_edges(dense).intersection(heads):
        for head, raw in heads[start]:
            if raw in dense and _at_an_edge(dense, raw):
                yield head
    drawn = outline(dense)
    for run, raw in _RUNS:
        if raw in drawn and (run != VAULT_RUN or _has_vault(dense)):
            yield run
    if holds_encoded(dense):
        yield ENCODED


def _has_vault(dense: bytes) -> bool:
    """Tell whether a word begins as a token of Vault does: the outline is that of much code."""
    at = dense.find(b"s.")
    while at >= 0:
        after = dense[at + 2 : at + 26]
        if len(after) == 24 and after.isalnum() and _is_edge(dense[max(0, at - 6) : at]):
            return True
        at = dense.find(b"s.", at + 1)
    return False


def _list_edges(dense: bytes) -> "set[bytes]":
    """Return what stands wherever a token may begin: the two characters there, or the one."""
    starts = {word[:2] for word in set(split_words(dense))}
    # The end of an escape looks like a letter, as `_is_edge` says.
    parts = [*dense.split(b"m"), b""]
    inside = [(part[:2] + b"m" + after[:1])[:2] for part, after in pairwise(parts[1:])]
    if b"\\" in dense:
        for part in dense.split(b"\\")[1:]:
            inside += (part[1:3], part[5:7])
    if b"%" in dense:
        inside += [part[2:4] for part in dense.split(b"%")[1:]]
    return starts.union(map(_begin, set(inside)))


def _behind(words: "list[str]", raw: bytes, lowered: bytes) -> "Iterator[str]":
    """Yield the words that a needle stands for, if it is in the text, and as they want it."""
    at = lowered.find(raw)
    if at < 0:
        return
    yield from [word for word in words if word[-1] != SIGN]
    signed = [word for word in words if word[-1] == SIGN]
    while signed and at >= 0:
        if lowered.startswith(_SIGNS, at + len(raw)):
            yield from signed
            return
        at = lowered.find(raw, at + 1)


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


def _find_vendors(spotted: "set[bytes]", data: bytes, lowered: bytes) -> "Iterator[str]":
    """Yield the services that something is given to: `vendor_key = ...`."""
    found = list(_list_given(spotted, lowered))
    # What a service is given is long, and has digits.
    if found and b"".join(_list_long(data)).translate(None, _NO_DIGITS):
        yield from found


def _list_given(spotted: "set[bytes]", lowered: bytes) -> "Iterator[str]":
    vendors = _sought().vendors
    for raw in spotted.intersection(vendors):
        at = lowered.find(raw)
        while at >= 0:
            at += len(raw)
            after = lowered[at : at + _AFTER_VENDOR_BYTES].lstrip(_NAME_BYTES).lstrip(_BEFORE_SIGN)
            if after[:1] in _GIVES:
                yield vendors[raw]
                break
            at = lowered.find(raw, at)


_AFTER_VENDOR_BYTES = 40
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"
_BEFORE_SIGN = b" \t\"'`\\)]"
_GIVES = frozenset((b"=", b":", b"?", b">", b"|", b","))


def _list_long(data: bytes) -> "set[bytes]":
    """Return the words that are long enough to hold a token: most text has few."""
    # Two heads end in a space.
    if b"Basic " in data or b"FlyV1 " in data:
        data = data.replace(b"Basic ", b"Basic_").replace(b"FlyV1 ", b"FlyV1_")
    return _pick_long(data.split())


def _pick_long(words: "Iterable[bytes]") -> "set[bytes]":
    return {word for word in words if len(word) >= _TOKEN_BYTES_MIN}


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
