"""Secrets inside base64 and hex: text that was encoded, told apart from what is only random.

A character of ASCII has no highest bit. In base64 that leaves half of the letters in three of
four places, in hex half of the first digits: a run that keeps to them over twenty characters
is text, and a hash, a key or an image is not. So no run is decoded in vain.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHARS_MIN = 18
_HEX_CHARS_MIN = 26
# Text in another script has some bytes with the highest bit: one quarter in this many may.
_STRANGE_SHARE = 16
_LONG_CHARS = 40
_DECODED_BYTES_MAX = 1 << 20

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_OTHERS = bytes(set(range(256)).difference(_ALPHABET))
_STANDARD = bytes.maketrans(_OTHERS, b" " * len(_OTHERS))
_FOR_URLS = bytes.maketrans(_OTHERS + b"+/-_", b" " * (len(_OTHERS) + 2) + b"+/")
# By its place in four: the characters whose bit that becomes a highest bit is not set.
_PLAIN = (
    bytes(char for value, char in enumerate(_ALPHABET) if not value & 32),
    bytes(char for value, char in enumerate(_ALPHABET) if not value & 8),
    bytes(char for value, char in enumerate(_ALPHABET) if not value & 2),
)
_PLAIN_HEX = b"0234567"
_HEX = b"0123456789abcdefABCDEF"


def holds_encoded(data: bytes) -> bool:
    """Tell whether some run of the text is text itself, encoded."""
    if b"\\n" in data:
        # The letter of an escape is no letter of the line behind it.
        data = data.replace(b"\\n", b"  ")
    runs = {run for run in data.translate(_STANDARD).split() if len(run) >= _CHARS_MIN}
    if b"-" in data or b"_" in data:
        runs.update([run for run in data.translate(_FOR_URLS).split() if len(run) >= _CHARS_MIN])
    return any(is_text_in_base64(run) or is_text_in_hex(run) for run in runs)


def is_text_in_base64(run: bytes) -> bool:
    """Tell whether a run of base64 stands for text."""
    run = run.lstrip(b"+/")
    if len(run) < _CHARS_MIN:
        return False
    strange_max = max(len(run) // 4 // _STRANGE_SHARE, len(run) >= _LONG_CHARS)
    first, second, third = _PLAIN
    return (
        len(run[::4].translate(None, first)) <= strange_max
        and len(run[1::4].translate(None, second)) <= strange_max
        and len(run[2::4].translate(None, third)) <= strange_max
    )


def is_text_in_hex(run: bytes) -> bool:
    """Tell whether a run of hex digits stands for text."""
    if len(run) < _HEX_CHARS_MIN or len(run) % 2 or run.translate(None, _HEX):
        return False
    return len(run[::2].translate(None, _PLAIN_HEX)) <= len(run) // 2 // _STRANGE_SHARE


def without_encoded(text: str, redact: "Callable[[str], str]") -> str:
    """Return the text without the runs that hold a secret once they are decoded."""
    import re  # noqa: PLC0415  the hook loads this module, and has no time for patterns

    kept: list[str] = []
    done = 0
    # Lines of one wrapped text are long, and belong together.
    runs = re.compile(
        r"[A-Za-z0-9+/_-]{18,}(?:(?<=[A-Za-z0-9+/]{48})\s{1,12}[+>|-]?[A-Za-z0-9+/]{4,})*={0,2}"
    )
    for run in runs.finditer(text):
        for inside in _decode("".join(run[0].rstrip("=").split())):
            if redact(inside) != inside:
                kept += (text[done : run.start()], "[REDACTED:encoded]")
                done = run.end()
                break
    return "".join((*kept, text[done:])) if kept else text


def _decode(run: str) -> "list[str]":
    """Return the texts that a run may stand for."""
    from binascii import a2b_base64, unhexlify  # noqa: PLC0415  as above

    raw = run.encode()
    texts: list[bytes] = []
    if is_text_in_hex(raw):
        texts.append(unhexlify(raw))
    for way in (raw.translate(_STANDARD), raw.translate(_FOR_URLS)):
        for part in way.split():
            run_of_text = part.lstrip(b"+/")
            if is_text_in_base64(run_of_text):
                whole = run_of_text[: len(run_of_text) - (len(run_of_text) % 4 == 1)]
                texts.append(a2b_base64(whole + b"=" * (-len(whole) % 4)))
    # Every second byte of UTF-16 is empty.
    return [
        decoded[:_DECODED_BYTES_MAX].replace(b"\x00", b"").decode("utf-8", "replace")
        for decoded in dict.fromkeys(texts)
    ]
