"""Frozen values as protobuf messages, and back, by the names of their fields.

A value and its message name their fields alike, so nothing is written by hand: the
types of a dataclass, or of the parameters of a verb, say how each field travels.

    str, int, float, bool, NewType   as they are
    StrEnum                          a string; a word that is not known is refused
    X | None                         `optional`; absent is None
    tuple, dict                      `repeated`, `map`
    of several in a `oneof`          the one that is not empty
    dataclass                        a message; or, where the message around it has no field
                                     of its name, its fields stand in that message

A field with presence that is absent takes its default. A field that the message lacks
stays behind; one that only the message has is a property of the value. What travels
otherwise is an `Exemption`, with its reason. Anything else that does not match is an
error at the first use.

Two things cannot travel and are changed on the way out: half a character (a lone
surrogate) becomes U+FFFD, and a number beyond its field the nearest that fits. That is
looked for only where protobuf refuses: almost every value can travel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, TypeVar, get_args, get_origin

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
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

Value = TypeVar("Value")

_RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, (1 << 64) - 1),
}


@frozen(kw_only=False)
class Exemption:
    """A field that does not travel as its name and its type say, and why.

    `of` is a dataclass, or a verb whose parameter it is; without a field, `check` is given the
    whole message before it is read. Where a message has no such field, `read` is given the
    message. What `read` raises begins where the name of the field ends.
    """

    of: object
    field: str
    why: str
    wire: str = ""  # its name in the message, where that is another
    write: Convert | None = None
    read: Convert | None = None
    check: Callable[[Any], None] | None = None


_NONE = Exemption(None, "", "")


class Codec:
    """Makes the pairs of values and messages, each once."""

    def __init__(self, *exemptions: Exemption) -> None:
        self.exemptions: Mapping[tuple[object, str], Exemption] = {
            (each.of, each.field): each for each in exemptions
        }
        self._pairs: dict[tuple[object, type[Message]], Pair[Any]] = {}

    def pair(self, kind: type[Value], message: type[Message]) -> Pair[Value]:
        """Return how a dataclass travels in a message."""
        key = (kind, message)
        if key not in self._pairs:
            self._pairs[key] = Pair(self, kind, find_fields, message, kind)
        return self._pairs[key]

    def arguments(self, verb: Callable[..., Any], message: type[Message]) -> Pair[Any]:
        """Return how the arguments of a verb travel: written from attributes, read as a dict."""
        return Pair(self, verb, find_parameters, message, dict)

    def part(self, name: str, hint: Any, message: type[Message]) -> Pair[Any]:
        """Return how a value travels alone in a message: as the attribute or key of that name."""
        return Pair(self, None, lambda _of: {name: WireField.of(hint)}, message, dict)


class Pair(Generic[Value]):
    """A kind of value and the message that it travels in."""

    def __init__(
        self,
        codec: Codec,
        of: object,
        find: Callable[[Any], dict[str, WireField]],
        message: type[Message],
        make: Callable[..., Any],
    ) -> None:
        self._codec = codec
        self._of = of
        self._find = find
        self._message = message
        self._wire: Mapping[str, Any] = message.DESCRIPTOR.fields_by_name
        self._make = make

    @cached_property
    def _fields(self) -> dict[str, WireField]:
        return self._find(self._of)

    @cached_property
    def write(self) -> Callable[[Value], Any]:
        """Write a value as its message."""
        written: dict[str, tuple[str, Convert | None]] = {}
        for key, path, convert in self.plan_writing():
            written.setdefault(key, (path, convert))  # what is outside says more than what is in it
        for key in set(self._wire) - set(written):
            if not isinstance(getattr(self._of, key, None), property):
                raise TypeError(f"{self._message.DESCRIPTOR.full_name}.{key} is not in {self._of}")
            written[key] = (key, None)
        make, wire = self._message, self._wire
        known = {f"write_{key}": convert for key, (_, convert) in written.items() if convert}
        parts = ", ".join(
            f"{key}=write_{key}(value.{path})" if convert else f"{key}=value.{path}"
            for key, (path, convert) in written.items()
        )
        write = _compile(f"lambda value: make({parts})", make=make, **known)
        parts_of = _compile(f"lambda value: dict({parts})", **known)

        def write_or_mend(value: Value) -> Message:
            try:
                message: Message = write(value)
            except ValueError:
                mended = {key: _mend(part, wire[key]) for key, part in parts_of(value).items()}
                return make(**mended)
            return message

        return write_or_mend

    def read(self, message: Message, where: str = "") -> Value:
        """Return the value in a message; an error begins with `where`.

        Raises: InvalidValue, LimitError.
        """
        try:
            value: Value = self.read_part(message)
        except AgentXError as error:
            sentence = where + error.message.removeprefix(".")
            raise type(error)(sentence, hint=error.hint) from None
        return value

    @cached_property
    def read_part(self) -> Convert:
        """Read a message; the sentence of an error begins with the path to what is wrong."""
        reads = {name: (key, read) for name, key, read in self._plan_reading()}
        known = {f"read_{name}": read for name, (_, read) in reads.items() if read}
        parts = ", ".join(
            f"{name}=read_{name}(message{key and '.'}{key})" if read else f"{name}=message.{key}"
            for name, (key, read) in reads.items()
        )
        read = _compile(f"lambda message: make({parts})", make=self._make, **known)
        check = self._exemption("").check
        if check is None:
            return read

        def check_and_read(message: Message) -> Any:
            check(message)
            return read(message)

        return check_and_read

    def plan_writing(self) -> Iterator[tuple[str, str, Convert | None]]:
        """Yield for each field of the message where its value stands, and how it is written."""
        for name, held in self._fields.items():
            exempt = self._exemption(name)
            key = exempt.wire or name
            if key in self._wire:
                yield key, name, exempt.write or self._writer(held, self._wire[key])
            elif is_dataclass(held.kind):
                for inner_key, path, convert in self._inner(held.kind).plan_writing():
                    yield inner_key, f"{name}.{path}", convert

    def _plan_reading(self) -> Iterator[tuple[str, str, Convert | None]]:
        """Yield for each field of the value the field that it is read from, or none, and how."""
        for name, held in self._fields.items():
            exempt = self._exemption(name)
            key = exempt.wire or name
            if key in self._wire:
                field = self._wire[key]
                read = exempt.read or self._reader(held.kind, field)
                named = read if read in (None, dict, tuple) else prefix_errors(f".{key}", read)
                if field.has_presence and (held.can_be_none or field.message_type is None):
                    absent = None if held.can_be_none else held.defaults[0]
                    yield name, "", _if_present(key, named, absent)
                else:
                    yield name, key, named
            elif exempt.read is not None:
                yield name, "", exempt.read
            elif is_dataclass(held.kind):
                yield name, "", self._inner(held.kind).read_part
            elif not held.defaults:
                raise TypeError(f"{self._of}.{name} is not in {self._message.DESCRIPTOR.full_name}")

    def _exemption(self, name: str) -> Exemption:
        return self._codec.exemptions.get((self._of, name), _NONE)

    def _inner(self, kind: Any, field: Any = None) -> Pair[Any]:
        """Return the pair of a dataclass within: in a field of its own, or in this message."""
        message = self._message if field is None else GetMessageClass(field.message_type)
        return self._codec.pair(kind, message)

    def _writer(self, held: WireField, field: Any) -> Convert | None:
        kind = bare(get_args(held.kind)[0]) if get_origin(held.kind) is tuple else held.kind
        if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
            return lambda value: value or None
        if not is_dataclass(kind):
            return None
        write = self._inner(kind, field).write
        if kind is not held.kind:
            return lambda values: [write(value) for value in values]
        if held.can_be_none:
            return lambda value: None if value is None else write(value)
        return write

    def _reader(self, kind: Any, field: Any) -> Convert | None:
        if get_origin(kind) is tuple:
            read = self._reader(bare(get_args(kind)[0]), field)
            return tuple if read is None else lambda items: read_each(read, items)
        if get_origin(kind) is dict:
            return dict
        if is_dataclass(kind):
            return self._inner(kind, field).read_part
        if kind in (str, int, float, bool):
            return None
        if issubclass(kind, StrEnum):
            return read_word(kind)
        raise TypeError(f"{self._of}: {kind} cannot travel")


def _compile(source: str, **known: object) -> Convert:
    """Return the function that a line of Python is.

    As fast as one written by hand, which going over the fields one by one is not. The line is
    made of names of fields alone, as `dataclasses` does it.
    """
    made: Convert = eval(source, known)  # noqa: S307  see above
    return made


def _if_present(key: str, convert: Convert | None, absent: Any) -> Convert:
    def read(message: Message) -> Any:
        if not message.HasField(key):
            return absent
        part = getattr(message, key)
        return part if convert is None else convert(part)

    return read


def _mend(part: Any, field: Any) -> Any:
    """Return what a message can carry instead of what it cannot."""
    match part:
        case str():
            return part.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case int() if field.cpp_type in _RANGES:
            low, high = _RANGES[field.cpp_type]
            return min(max(part, low), high)
        case tuple() | list():
            return [_mend(each, field) for each in part]
        case dict():
            return {_mend(key, field): each for key, each in part.items()}
        case _:
            return part
