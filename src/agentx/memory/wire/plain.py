"""Calls as JSON: what a verb takes and returns, by the names of its fields. Standard library only.

    str, int, float, bool, NewType   as they are
    StrEnum                          a string; a word that is not known is refused
    X | None                         null is None
    tuple                            an array
    dict                             an object
    dataclass                        an object by its fields

What is left out takes its default, and what is not known is passed over: the other end may
be older or younger. Nothing that arrives is believed: each part is held to its type, and
what is wrong is told by the path to it.

Two things cannot travel and are changed on the way: half a character (a lone surrogate)
becomes U+FFFD, and a number that JSON does not have (NaN, infinity) null, which is no number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import lru_cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.memory.wire.calls import Call, Given, Reply
from agentx.memory.wire.fields import (
    Convert,
    WireField,
    bare,
    find_fields,
    find_parameters,
    prefix_errors,
    read_each,
    read_word,
)

_NUMBER_MAX = (1 << 63) - 1


def encode(value: object) -> bytes:
    """Return a value as JSON."""
    try:
        text = _dump(value)
    except ValueError:
        text = _dump(_with_json_numbers(value))
    return text.encode("ascii")


def decode(payload: bytes | bytearray) -> dict[str, Any]:
    """Return the object that JSON holds.

    Raises: InvalidValue.
    """
    try:
        value = json.loads(payload)
    except RecursionError:
        raise InvalidValue("what was sent is nested too deeply", hint="flatten it") from None
    except ValueError:  # also for bytes that are no text, and a number of thousands of digits
        raise InvalidValue("what was sent is not JSON", hint="send one JSON object") from None
    if not isinstance(value, dict):
        raise InvalidValue("what was sent is not a JSON object", hint="send one")
    return value


def write_given(
    call: Call[Given, Reply], *arguments: Given.args, **named: Given.kwargs
) -> dict[str, Any]:
    """Return what the verb of a call is given, for `encode`."""
    given = call.bind(*arguments, **named)
    return {name: given[name] for name in _parameters(call.verb)}


def read_given(call: Call[..., Any], value: object) -> dict[str, Any]:
    """Read what the verb of a call is to be given, by its parameters.

    Raises: InvalidValue.
    """
    given: dict[str, Any] = _read(_arguments_reader(call.verb), value)
    return given


def read_reply(call: Call[Given, Reply], value: object) -> Reply:
    """Read what the verb of a call returned.

    Raises: InvalidValue.
    """
    reply: Reply = _read(_reply_reader(call.verb), value)
    return reply


def _read(read: Convert, value: object) -> Any:
    try:
        return read(value)
    except AgentXError as error:
        raise type(error)(error.message.lstrip(". "), hint=error.hint) from None


@lru_cache
def _parameters(verb: Callable[..., Any]) -> dict[str, WireField]:
    return find_parameters(verb)


@lru_cache
def _arguments_reader(verb: Callable[..., Any]) -> Convert:
    return _read_object(_parameters(verb), dict)


@lru_cache
def _reply_reader(verb: Callable[..., Any]) -> Convert:
    return _reader_of(WireField.of(get_type_hints(verb)["return"]))


def _dump(value: object) -> str:
    return json.dumps(value, allow_nan=False, default=_fields_of, separators=(",", ":"))


def _fields_of(value: object) -> object:
    """Return a value of ours as what JSON has."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    raise TypeError(f"{type(value).__name__} cannot travel")


def _with_json_numbers(value: Any) -> Any:
    match value:
        case dict():
            return {key: _with_json_numbers(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_json_numbers(item) for item in value]
        case float():
            return value if math.isfinite(value) else None
        case None | str() | int():
            return value
        case _:
            return _with_json_numbers(_fields_of(value))


def _reader_of(field: WireField) -> Convert:
    """Return what reads a part."""
    read = _reader(field.kind)
    return _read_or_none(read) if field.can_be_none else read


@lru_cache
def _reader(kind: Any) -> Convert:
    """Return what reads a value of a kind."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if get_origin(kind) is tuple:
        return _tuple_reader(get_args(kind))
    if get_origin(kind) is dict:
        return _dict_reader(get_args(kind)[1])
    if is_dataclass(kind):
        make: Any = kind
        return _read_object(find_fields(kind), make)
    if issubclass(kind, StrEnum):
        word = read_word(kind)
        return lambda value: word(_read_text(value))
    raise TypeError(f"{kind} cannot travel")


def _read_object(parts: Mapping[str, WireField], make: Callable[..., Any]) -> Convert:
    reads = {name: prefix_errors(f".{name}", _reader_of(part)) for name, part in parts.items()}
    needed = [name for name, part in parts.items() if not part.defaults]

    def read(value: object) -> Any:
        if not isinstance(value, dict):
            raise _wrong(value, "an object")
        for name in needed:
            if name not in value:
                raise InvalidValue(f".{name} is missing", hint="send it")
        return make(**{name: part(value[name]) for name, part in reads.items() if name in value})

    return read


def _tuple_reader(kinds: tuple[Any, ...]) -> Convert:
    if kinds[1:] == (...,):
        each = _reader(bare(kinds[0]))
        return lambda value: read_each(each, _read_array(value))
    reads = [_reader(bare(kind)) for kind in kinds]

    def read(value: object) -> tuple[Any, ...]:
        items = _read_array(value)
        if len(items) != len(reads):
            raise _wrong(value, f"an array of {len(reads)}")
        return tuple(part(item) for part, item in zip(reads, items, strict=True))

    return read


def _dict_reader(kind: Any) -> Convert:
    part: Convert = (lambda value: value) if kind is Any else _reader(bare(kind))

    def read(value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _wrong(value, "an object")
        return {_read_text(name): part(item) for name, item in value.items()}

    return read


def _read_or_none(read: Convert) -> Convert:
    return lambda value: None if value is None else read(value)


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a string")
    if value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(value, "a whole number")
    if not -_NUMBER_MAX - 1 <= value <= _NUMBER_MAX:
        raise InvalidValue(" is larger than a number may be", hint="64 bits hold it, or it is none")
    return value


def _read_fraction(value: object) -> float:
    if value is None:
        return math.nan
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _wrong(value, "a number")
    try:
        return float(value)
    except OverflowError:
        raise InvalidValue(" is larger than a number may be", hint="send a smaller one") from None


def _read_truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, "true or false")
    return value


def _read_array(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(value, "an array")
    return value


def _wrong(value: object, wanted: str) -> InvalidValue:
    said = _WORDS.get(type(value)) or repr(value)[:40]
    return InvalidValue(f" is {said}: not {wanted}", hint=f"send {wanted}")


_WORDS = {dict: "an object", list: "an array", NoneType: "null"}
_PLAIN: dict[Any, Convert] = {
    str: _read_text,
    int: _read_number,
    float: _read_fraction,
    bool: _read_truth,
}
