"""Characters that nobody sees, in the middle of a word: they would hide a token from every search.

Only those between letters and signs of ASCII are taken out: elsewhere they join the parts of an
emoji, or are how a language is written. What a redaction left behind is passed over as well.
"""

# Zero-width spaces and joiners, the invisible signs of mathematics, the mark of a file's beginning,
# the soft hyphen, and those that turn the direction of writing.
MARKS = (
    *("\u200b", "\u200c", "\u200d", "\u2060", "\u2061", "\u2062", "\u2063", "\u2064"),
    *("\ufeff", "\u00ad", "\u180e", "\u200e", "\u200f", "\u034f"),
)
_ONE = MARKS[0]
_ESCAPES = tuple(f"\\u{ord(mark):04x}".encode() for mark in MARKS)
_RAW = tuple(mark.encode() for mark in MARKS)
_ASCII = bytes(range(128))
# How they begin in the escapes of JSON.
_ESCAPED = (b"\\u20", b"\\uf", b"\\uF", b"\\u00a", b"\\u00A", b"\\u18", b"\\u03")
_SIGNS = frozenset("_-=+/.:~%$&@#!?")


def may_hide(data: bytes) -> bool:
    """Tell cheaply whether something may stand in a text that nobody sees."""
    if not data.isascii():
        strange = data.translate(None, _ASCII)  # short in most texts
        if any(mark in strange for mark in _RAW):
            return True
    return b"\\u" in data and any(mark in data for mark in _ESCAPED)


def unhide(text: str) -> str:
    """Return a text without what is hidden inside its words."""
    if text.isascii() or not any(mark in text for mark in MARKS):
        return text
    first, *rest = _split(text)
    kept = [first[1]]
    before = first[1]
    for marks, part in rest:
        inside = _is_of_a_word(before[-1:]) and _is_of_a_word(part[:1])
        kept += ("" if inside else marks, part)
        before = part
    return "".join(kept)


def unhide_raw(data: bytes) -> bytes:
    """Return raw bytes, JSON perhaps, without what is hidden inside words, escaped or not."""
    if b"\\u" in data:
        for escape, mark in zip(_ESCAPES, MARKS, strict=True):
            for spelled in (escape, escape[:2] + escape[2:].upper()):
                data = data.replace(spelled, mark.encode())
    return unhide(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def unmark(data: bytes) -> bytes:
    """Drop the marks of an earlier time: the names of kinds are no words to look for."""
    if b"[REDACTED:" not in data:
        return data
    first, *rest = data.split(b"[REDACTED:")
    return first + b"".join([b" " + part.partition(b"]")[2] for part in rest])


def _split(text: str) -> list[tuple[str, str]]:
    """Return the parts between marks, each with the marks that stand before it."""
    for mark in MARKS[1:]:
        if mark in text:
            text = text.replace(mark, f"{_ONE}{mark}")
    # Every run of marks begins with the one that parts are split at.
    parts: list[tuple[str, str]] = []
    marks = ""
    for piece in text.split(_ONE):
        bare = piece.lstrip("".join(MARKS))
        own = piece[: len(piece) - len(bare)]
        if parts:
            marks += own or _ONE
        if bare or not parts:
            parts.append((marks, bare))
            marks = ""
    if marks:
        parts.append((marks, ""))
    return parts


def _is_of_a_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char in _SIGNS) and char != ""
