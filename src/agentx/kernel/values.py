"""Frozen values: dataclasses whose methods are made when the first one is.

A program that answers one question imports hundreds of kinds of values and uses a few of
them. `dataclasses` writes and compiles six methods for each as it is imported, which was half
of a command's start. `frozen` lays the class out at once and leaves the rest to `dataclasses`
until somebody makes a value or asks for the fields; from then on nothing is different.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from inspect import get_annotations
from threading import RLock
from typing import Any, TypeVar, dataclass_transform, overload

Kind = TypeVar("Kind")

_MADE_LATE = (
    *("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"),
    *("__match_args__", "__dataclass_params__", "__dataclass_fields__"),
)
_making = RLock()  # two threads may make the first two values of a kind


@overload
def frozen(kind: type[Kind], /) -> type[Kind]: ...
@overload
def frozen(*, kw_only: bool = True) -> Callable[[type[Kind]], type[Kind]]: ...
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[Kind] | None = None, /, *, kw_only: bool = True
) -> type[Kind] | Callable[[type[Kind]], type[Kind]]:
    """Make a class one of frozen values with slots, as `dataclass` would, only later."""

    def lay_out(written: type[Kind]) -> type[Kind]:
        return _laid_out(written, kw_only=kw_only)

    return lay_out if kind is None else lay_out(kind)


def _laid_out(written: type[Kind], *, kw_only: bool) -> type[Kind]:
    said = get_annotations(written)
    names = [name for name in said if not str(said[name]).startswith("ClassVar")]
    body = {name: part for name, part in written.__dict__.items() if name not in names}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    inherited = {name for base in written.__mro__[1:] for name in vars(base).get("__slots__", ())}
    unmade = _Unmade(written, kw_only=kw_only)
    metaclass: Any = type(written)
    made: type[Kind] = metaclass(
        written.__name__,
        written.__bases__,
        {
            **body,
            "__slots__": tuple(name for name in names if name not in inherited),
            "__init__": unmade.first,
            "__getstate__": _state,
            "__setstate__": _restore,
            "__dataclass_fields__": unmade,
        },
    )
    made.__qualname__ = written.__qualname__
    unmade.made = made
    return made


class _Unmade:
    """Stands for the fields of a class until somebody asks for them."""

    def __init__(self, written: type[Any], *, kw_only: bool) -> None:
        self._written = written
        self._kw_only = kw_only
        self.made: type[Any] = written

        def first(value: Any, /, *given: Any, **named: Any) -> None:
            self._make()
            self.made.__init__(value, *given, **named)

        self.first = first

    def __get__(self, _value: object, _kind: type[Any]) -> object:
        self._make()
        return self.made.__dict__["__dataclass_fields__"]

    def _make(self) -> None:
        with _making:
            if self.made.__dict__["__dataclass_fields__"] is not self:
                return
            whole = dataclass(frozen=True, kw_only=self._kw_only)(self._written)
            for name in _MADE_LATE:
                setattr(self.made, name, whole.__dict__[name])


def _state(value: Any) -> list[object]:
    return [getattr(value, one.name) for one in fields(value)]


def _restore(value: Any, state: list[object]) -> None:
    for one, kept in zip(fields(value), state, strict=True):
        object.__setattr__(value, one.name, kept)


__all__ = ["field", "frozen"]
