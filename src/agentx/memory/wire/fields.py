"""What a value is made of, as both codecs go by it: its fields, or the parameters of a verb.

A type that cannot travel is an error at the first use; what is wrong with a value is told
by the path to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from enum import StrEnum
from inspect import signature
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.values import frozen

Convert = Callable[[Any], Any]


@frozen(kw_only=False)
class WireField:
    """A field of a value, or a parameter of a verb."""

    kind: Any  # without None
    can_be_none: bool
    defaults: tuple[Any, ...]  # the one it has, or none

    @classmethod
    def of(cls, hint: Any, *defaults: Any) -> WireField:
        """Return what a type says of a part.

        Raises: TypeError for one that cannot travel.
        """
        options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        kinds = [kind for kind in options if kind is not NoneType]
        if len(kinds) != 1:
            raise TypeError(f"{hint} cannot travel")
        return cls(bare(kinds[0]), NoneType in options, defaults)


def find_fields(kind: Any) -> dict[str, WireField]:
    """Return the fields of a dataclass."""
    hints = get_type_hints(kind)
    return {each.name: WireField.of(hints[each.name], *_default(each)) for each in fields(kind)}


def find_parameters(verb: Callable[..., Any]) -> dict[str, WireField]:
    """Return the parameters of a verb that travel: not its own self, nor who listens."""
    hints = get_type_hints(verb)
    return {
        name: WireField.of(hints[name], *(() if each.default is each.empty else (each.default,)))
        for name, each in signature(verb).parameters.items()
        if name in hints and get_origin(hints[name]) is not Callable
    }


def read_word(kind: type[StrEnum]) -> Convert:
    """Return what reads a word of an enumeration.

    Raises: InvalidValue.
    """
    known = {word.value: word for word in kind}

    def read(text: str) -> StrEnum:
        try:
            return known[text]
        except KeyError:
            raise InvalidValue(
                f" is {text[:40]!r}: not a word that is known here",
                hint=f"use one of: {', '.join(kind)}",
            ) from None

    return read


def bare(kind: Any) -> Any:
    """Return the type that a `NewType` stands for."""
    while isinstance(kind, NewType):
        kind = kind.__supertype__
    return kind


def prefix_errors(name: str, read: Convert) -> Convert:
    """Let what is wrong begin with a name."""

    def read_or_name(part: Any) -> Any:
        try:
            return read(part)
        except AgentXError as error:
            raise type(error)(name + error.message, hint=error.hint) from None

    return read_or_name


def read_each(read: Convert, items: Iterable[Any]) -> tuple[Any, ...]:
    """Read the items of a list; what is wrong begins with its place."""
    done: list[Any] = []
    try:
        for item in items:
            done.append(read(item))  # noqa: PERF401  how many are done names the one that failed
    except AgentXError as error:
        raise type(error)(f"[{len(done)}]{error.message}", hint=error.hint) from None
    return tuple(done)


def _default(field: Any) -> tuple[Any, ...]:
    if field.default_factory is not MISSING:
        return (field.default_factory(),)
    return () if field.default is MISSING else (field.default,)
