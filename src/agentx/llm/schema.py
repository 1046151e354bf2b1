"""The little of JSON Schema that the house uses, checked.

Providers promise to keep to a schema and do not always. `type`, `properties`, `required`,
`items` and `enum` are checked; everything else in a schema is for the provider alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def fault_in(value: object, schema: Schema, at: str = "the answer") -> str:
    """Return in what a value does not fit a schema, in words; nothing when it fits."""
    wanted = schema.get("type")
    if isinstance(wanted, str) and not _is_a(value, wanted):
        return f"{at} is not of type {wanted}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is none of the values it may be"
    match value:
        case dict():
            return _fault_in_object(value, schema, at)
        case list() if "items" in schema:
            faults = (fault_in(item, schema["items"], f"an item of {at}") for item in value)
            return next((fault for fault in faults if fault), "")
        case _:
            return ""


def _fault_in_object(value: Mapping[str, object], schema: Schema, at: str) -> str:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{at} has no {name}"
    for name, inner in properties.items():
        fault = fault_in(value[name], inner, f"{name} of {at}") if name in value else ""
        if fault:
            return fault
    return ""


def _is_a(value: object, wanted: str) -> bool:
    # Python counts booleans among the numbers; JSON does not.
    if isinstance(value, bool) and wanted != "boolean":
        return False
    return isinstance(value, _TYPES[wanted])
