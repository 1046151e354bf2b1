"""What a payload says, read as text: `json` takes longer to import than the rest of the hook."""

_SPACE = b" \t\r\n:"
_SESSION_KEYS = (b'"session_id"', b'"sessionId"', b'"sessionID"')
_SESSION_BYTES_MAX = 200
_ESCAPE_CHARS_MAX = 6


def session_of(raw: bytes) -> str:
    """Return the session's id; empty when it is not plain."""
    for key in _SESSION_KEYS:
        at = raw.find(key)
        if at < 0:
            continue
        rest = raw[at + len(key) : at + len(key) + _SESSION_BYTES_MAX + 16].lstrip(_SPACE)
        value, quote, _ = rest[1:].partition(b'"')
        if rest[:1] == b'"' and quote and b"\\" not in value and len(value) <= _SESSION_BYTES_MAX:
            return value.decode("utf-8", "replace")
    return ""


def text_at(raw: bytes, key: bytes, bytes_max: int) -> str:
    """Return the beginning of the text that a key has, so many bytes of it; empty if it has none.

    In a text a quotation mark is escaped, so a key is never found inside of one.
    """
    at = raw.find(key)
    end = at + len(key) + bytes_max
    rest = raw[at + len(key) : end].lstrip(_SPACE) if at >= 0 else b""
    if rest[:1] != b'"':
        return ""
    from _json import scanstring  # as `json` has it, without what reads everything else

    try:
        given = _close(rest) if end < len(raw) else rest.decode("utf-8", "replace")
        text: str = scanstring(given, 1)[0]
    except ValueError:
        return ""
    return text


def _close(rest: bytes) -> str:
    """Return a text that may be cut as one that ends, without the half of an escape."""
    text = rest.decode("utf-8", "ignore")
    at = text.rfind("\\", len(text) - _ESCAPE_CHARS_MAX)
    if at >= 0:
        # An escaped backslash is none that begins an escape.
        before = len(text[:at]) - len(text[:at].rstrip("\\"))
        text = text[: at - before] if before % 2 else text[:at]
    return text + '"'
