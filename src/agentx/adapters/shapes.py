"""What agent CLIs write, read without trust.

Hook payloads and transcripts are JSON of a shape that changes without notice. Nothing
here raises on any JSON value: what is not what we hoped for becomes the empty text, an
empty object or None.

Law: what leaves here can be stored. Text is Unicode without lone surrogates and without
what AgentX injected; numbers fit 64 bits; texts, depths and ids are bounded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from agentx.adapters.limits import METADATA_TEXT_CHARS_MAX
from agentx.kernel.capture import Metadata
from agentx.kernel.clock import Millis, from_iso
from agentx.kernel.ids import digest
from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX, METADATA_DEPTH_MAX, SESSION_ID_CHARS_MAX
from agentx.kernel.text import RECALL_OPEN, compile_late, cut, without_recall

# Bulk that no reader of the log wants: pictures, whole files beside their patch, and what
# only the vendor's servers can read.
_BULK = frozenset({"base64", "originalFile", "original_file", "signature", "encrypted_content"})
_TEXT_BLOCKS = frozenset({"", "text", "input_text", "output_text", "summary_text"})
_IMAGE_BLOCKS = frozenset({"image", "input_image", "image_url", "localimage", "local_image"})
_SURROGATES = compile_late("[\ud800-\udfff]")
# A dict first: to ask whether something is any other mapping takes five times as long.
_MAPS = (dict, Mapping)
_INT_MAX = 2**63 - 1
# Read as seconds, this is the year 5138; read as milliseconds, March 1973.
_SECONDS_MAX = 100_000_000_000
_MILLIS_MAX = 253_402_300_799_999  # the last one of the year 9999


def text_of(content: object) -> str:
    """Return the words of a message's content: a string, a block, or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, _MAPS):
        return _block_text(content)
    if isinstance(content, list):
        texts = (item if isinstance(item, str) else _block_text(item) for item in content)
        return "\n".join(text for text in texts if text)
    return ""


def images_in(content: object) -> int:
    """Count the pictures of a message's content."""
    return sum(word(block, "type").lower() in _IMAGE_BLOCKS for block in objects(content))


def json_text(value: object) -> str:
    """Return a JSON value as text, the same text for the same value whatever its key order."""
    return json.dumps(
        _limit(value, METADATA_DEPTH_MAX), ensure_ascii=False, sort_keys=True, default=str
    )


def parse(value: object) -> object:
    """Return what a text that is a JSON object or array says; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def keep_metadata(metadata: Mapping[str, Any]) -> Metadata:
    """Return metadata as it may be stored: bounded, without bulk, without what is missing."""
    return {
        clean(str(key)): _limit(value, METADATA_DEPTH_MAX - 1)
        for key, value in metadata.items()
        if value is not None and value not in ("", {}, []) and key not in _BULK
    }


def millis(value: object) -> Millis | None:
    """Read a time: ISO text, or seconds or milliseconds since 1970; None when it is none."""
    if isinstance(value, str):
        try:
            return Millis(from_iso(value)) if value else None
        except (ValueError, OverflowError):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(
        value
    ):  # a whole number may be too large to ask
        return None
    at_ms = value * 1000 if abs(value) < _SECONDS_MAX else value
    return Millis(round(at_ms)) if 0 < at_ms <= _MILLIS_MAX else None


def clean_words(text: str) -> str:
    """Return a text as an event holds it; empty when AgentX itself had injected all of it."""
    return cut(without_recall(clean(text)), EVENT_TEXT_CHARS_MAX)


def clean(text: str) -> str:
    """Replace lone surrogates: half characters that no file can hold."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def limit_id(value: object) -> str:
    """Return an id that an agent CLI gave, or its hash when it is too long."""
    text = clean(str(value)).strip() if isinstance(value, str | int) else ""
    if len(text) <= SESSION_ID_CHARS_MAX:
        return text
    return digest(text).hex()


def session_of(value: object, working_directory: str) -> str:
    """Return the session's id, or one that stands for every nameless session of a directory."""
    return limit_id(value) or f"unknown-{digest(working_directory, size=8).hex()}"


def word(source: object, *names: str) -> str:
    """Return the first of some fields that is a text with something in it."""
    if isinstance(source, _MAPS):
        for name in names:
            value = source.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def entry(source: object, *names: str) -> Any:
    """Return the first of some fields that is there and not null."""
    if isinstance(source, _MAPS):
        for name in names:
            if source.get(name) is not None:
                return source[name]
    return None


def child(source: object, *names: str) -> dict[str, Any]:
    """Return the first of some fields that is an object, or an empty one."""
    if isinstance(source, _MAPS):
        for name in names:
            value = source.get(name)
            if isinstance(value, dict):
                return value
    return {}


def objects(value: object) -> tuple[dict[str, Any], ...]:
    """Return the objects in a list."""
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, dict))


def unknown_fields(payload: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Return what a payload says beyond the fields we know."""
    return {key: value for key, value in payload.items() if key not in known}


def _block_text(block: object) -> str:
    if not isinstance(block, _MAPS):
        return ""
    kind = word(block, "type").lower()
    if kind in _TEXT_BLOCKS:
        return word(block, "text", "content")
    if kind in ("tool_result", "document", "resource"):
        inner = entry(block, "content", "resource", "source")
        return text_of(inner) if inner is not block else ""
    return "" if kind in _IMAGE_BLOCKS else word(block, "text")


def _limit(value: object, depth: int) -> Any:
    """Return a JSON value that can be stored, whatever it was."""
    if isinstance(value, str):
        return cut(without_recall(clean(value)), METADATA_TEXT_CHARS_MAX)
    if value is None:
        return None
    if isinstance(value, (dict, list, tuple)) or (
        not isinstance(value, (int, float)) and isinstance(value, Mapping)
    ):
        return _limit_inside(value, depth) if depth > 0 else _flat(value)
    if isinstance(value, int) and not -_INT_MAX <= value <= _INT_MAX:
        return hex(value)  # decimal digits are refused past 4300 of them
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (int, float)) else clean(str(value))


def _limit_inside(value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], depth: int) -> Any:
    if not isinstance(value, _MAPS):
        return [_limit(inner, depth - 1) for inner in value]
    if any(isinstance(inner, str) and inner.startswith(RECALL_OPEN) for inner in value.values()):
        return {}  # an answer of our own tools: memory must not feed on itself
    return {
        clean(str(key)): _limit(inner, depth - 1)
        for key, inner in value.items()
        if key not in _BULK and not _is_picture(key, inner)
    }


def _flat(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "[nested too deep]"
    return cut(without_recall(clean(text)), METADATA_TEXT_CHARS_MAX)


def _is_picture(key: object, value: object) -> bool:
    """Tell whether a field is a picture in base 64: in a data URL, or as the bytes of a block."""
    if not isinstance(value, str):
        return False
    return value.startswith("data:image/") or (
        key == "data" and len(value) > 1000 and " " not in value[:1000]
    )
