"""What an agent CLI told beside the text of an event: a JSON object, as text on the wire.

A number that JSON does not have (NaN, infinity) becomes null on the way out. What
arrives from another program is held to the depth that the log can keep; what comes
out of the log was held to it before.
"""

from __future__ import annotations

import json
import math
from typing import Any

from agentx.kernel.capture import Metadata
from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import METADATA_DEPTH_MAX


def write_metadata(metadata: Metadata) -> str:
    """Return metadata as text; empty for none."""
    if not metadata:
        return ""
    try:
        return _dump(metadata)
    except ValueError:
        return _dump(_with_json_numbers(metadata))


def read_metadata(text: str) -> Metadata:
    """Return the metadata of an event.

    Raises: InvalidValue.
    """
    if not text:
        return {}
    try:
        value = json.loads(text)
    except RecursionError:
        raise InvalidValue(" is nested too deeply", hint="flatten it") from None
    except ValueError as error:
        raise InvalidValue(f" is not JSON: {error}", hint="send a JSON object") from None
    if not isinstance(value, dict):
        raise InvalidValue(" is not a JSON object", hint='send one, such as {"tool": "x"}')
    return value


def read_new_metadata(text: str) -> Metadata:
    """Return the metadata of a draft.

    Raises: InvalidValue, also where it is nested too deeply to be kept.
    """
    value = read_metadata(text)
    if _is_deeper(value, METADATA_DEPTH_MAX):
        raise InvalidValue(f" is nested deeper than {METADATA_DEPTH_MAX}", hint="flatten it")
    return value


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _with_json_numbers(value: Any) -> Any:
    match value:
        case dict():
            return {key: _with_json_numbers(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_json_numbers(item) for item in value]
        case float():
            return value if math.isfinite(value) else None
        case _:
            return value


def _is_deeper(value: object, depth_max: int) -> bool:
    """Tell whether something lies deeper than `depth_max`, without climbing down recursively."""
    level = [value]
    for _ in range(depth_max):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)  # type: ignore[attr-defined]  # a list
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
