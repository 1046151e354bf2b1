"""The slow path of a hook: payloads that are large, or that may hold a secret.

Texts are redacted as they read, not as they are written in JSON. A text that is
longer than the log would keep is cut in the middle, and the cut is marked. A payload
that is still too large to be looked through while an agent waits is cut as one text.
"""

import json

from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX
from agentx.kernel.text import cut, whole_head, whole_tail
from agentx.redaction.passages.private import without_private
from agentx.redaction.redact import dump, redact, redactor
from agentx.redaction.tree import redact_tree
from agentx.surfaces.hooks.limits import HOOK_PAYLOAD_PLAIN_BYTES_MAX, HOOK_TEXTS_CHARS_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A secret at the edge of a cut would be half a secret that no pattern knows: this much around
# the parts that are kept is redacted with them, and then dropped.
_MARGIN_CHARS = 16_384
_MARK_CHARS = 64
# The end of a tool's output is where the error is, so both ends are kept.
_HEAD_CHARS = (EVENT_TEXT_CHARS_MAX - _MARK_CHARS) * 3 // 4
_TAIL_CHARS = EVENT_TEXT_CHARS_MAX - _MARK_CHARS - _HEAD_CHARS


def clean(raw: bytes) -> tuple[bytes, bool]:
    """Return a payload without secrets and overlong texts, and whether something was cut."""
    try:
        value = json.loads(raw)
        cleaner = _Cleaner(redactor(_short_texts(value)))
        return dump(redact_tree(value, cleaner)), cleaner.has_cut
    except (ValueError, RecursionError):
        cleaner = _Cleaner(redact)
        text = raw.decode("utf-8", "surrogateescape")
        text = cleaner(text) if len(raw) > HOOK_PAYLOAD_PLAIN_BYTES_MAX else redact(text)
        return text.encode("utf-8", "surrogateescape"), cleaner.has_cut


class _Cleaner:
    """Redacts texts, shortens the long ones, and remembers whether it had to."""

    def __init__(self, redacted: "Callable[[str], str]") -> None:
        self._redacted = redacted
        self.has_cut = False

    def __call__(self, text: str) -> str:
        if len(text) <= EVENT_TEXT_CHARS_MAX:
            return self._redacted(text)
        self.has_cut = True
        return _shorten(without_private(text))


def _shorten(text: str) -> str:
    """Return the head and the tail of a long text, redacted, with a mark between them."""
    if len(text) <= EVENT_TEXT_CHARS_MAX:
        return redact(text)
    head = redact(text[: _HEAD_CHARS + _MARGIN_CHARS])[:-_MARGIN_CHARS]
    tail = redact(text[-_TAIL_CHARS - _MARGIN_CHARS :])[_MARGIN_CHARS:]
    mark = cut(text[_HEAD_CHARS:-_TAIL_CHARS], 0)
    return whole_head(head, _HEAD_CHARS) + mark + whole_tail(tail, _TAIL_CHARS)


def _short_texts(value: object) -> str:
    """Return the texts of a payload that will not be cut, to settle what is to be looked for.

    Raises: ValueError when there are too many of them.
    """
    texts: list[str] = []
    room = HOOK_TEXTS_CHARS_MAX
    for text in _texts(value):
        if len(text) <= EVENT_TEXT_CHARS_MAX:
            texts.append(text)
            room -= len(text)
            if room < 0:
                raise ValueError("too much text to be looked through")
    return "\n".join(texts)


def _texts(value: object) -> "Iterator[str]":
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
