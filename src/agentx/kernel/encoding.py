"""Any text as the name of a file: the same one every time, and never a way out of the folder.

The hook computes these names too, before it may import anything slow. So this
module imports nothing, and `kernel.paths` and the hook share it.
"""

_NAME_BYTES_MAX = 200
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def encoded(name: str) -> str:
    """Return a file name that stands for any text, the same one every time.

    Letters, digits, `.`, `_` and `-` stay; the rest is `%XX`. A leading dot is encoded, so that
    neither `..` nor a hidden file can come out. A long name ends in a hash.
    """
    raw = name.encode("utf-8", "surrogateescape")
    text = "".join([chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in raw])
    if text.startswith("."):
        text = "%2E" + text[1:]
    if len(text) <= _NAME_BYTES_MAX:
        return text or "%"
    from hashlib import blake2b  # noqa: PLC0415  only long names need it, and it is slow to import

    return text[: _NAME_BYTES_MAX - 33] + "~" + blake2b(raw, digest_size=16).hexdigest()
