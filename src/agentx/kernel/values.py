"""Frozen values: dataclasses that cost little to import, and are finished when the first is made.

A program that answers one question imports hundreds of kinds of values and uses a few of
them. `dataclasses` writes and compiles six methods for each as it is imported, which was half
of a command's start. `frozen` lays the class out at once; its fields are found and its one
compiled method, `__init__`, is written when somebody makes a value or asks for the fields.
Readers, type checkers and libraries see `@dataclass(frozen=True, slots=True, kw_only=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import get_annotations
from operator import attrgetter
from threading import RLock
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

Kind = TypeVar("Kind")

_making = RLock()  # two threads may make the first two values of a kind


@overload
def frozen(kind: type[Kind], /) -> type[Kind]: ...
@overload
def frozen(*, kw_only: bool = True) -> Callable[[type[Kind]], type[Kind]]: ...
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[Kind] | None = None, /, *, kw_only: bool = True
) -> type[Kind] | Callable[[type[Kind]], type[Kind]]:
    """Make a class one of frozen values with slots."""

    def lay_out(written: type[Kind]) -> type[Kind]:
        return _lay_out(written, kw_only=kw_only)

    return lay_out if kind is None else lay_out(kind)


def setting(default: Any, about: str, *, choices: tuple[str, ...] = (), name: str = "") -> Any:
    """Declare a field of a settings class: its default, what it does, what it may be.

    `name` is its key in the file where that is not the field's own name. `project.config`
    gathers the declarations.
    """
    return field(default=default, metadata={"about": about, "choices": choices, "name": name})


def _lay_out(written: type[Kind], *, kw_only: bool) -> type[Kind]:
    said = get_annotations(written)
    names = [name for name in said if not str(said[name]).startswith("ClassVar")]
    inherited = {name for base in written.__mro__[1:] for name in vars(base).get("__slots__", ())}
    unmade = _Unmade(written, kw_only=kw_only)
    body = {
        **_SHARED,
        **{name: part for name, part in vars(written).items() if name not in names},
        "__slots__": tuple(name for name in names if name not in inherited),
        "__init__": unmade.first,
        "__dataclass_fields__": unmade,
    }
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    metaclass: Any = type(written)
    made: type[Kind] = metaclass(written.__name__, written.__bases__, body)
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
        return vars(self.made)["__dataclass_fields__"]

    def _make(self) -> None:
        with _making:
            if vars(self.made)["__dataclass_fields__"] is not self:
                return
            whole = dataclass(init=False, repr=False, eq=False, kw_only=self._kw_only)(
                self._written
            )
            parts = fields(whole)
            made: Any = self.made
            listed = tuple(part.name for part in parts if not part.kw_only)
            setattr(made, "__match_args__", listed)  # noqa: B010  a type checker forbids the plain form
            made.__compared__ = _getter([part.name for part in parts if part.compare])
            made.__init__ = _initialiser(made, parts)
            made.__dataclass_params__ = vars(whole)["__dataclass_params__"]
            # Last: whoever sees it, in another thread as well, sees the rest.
            made.__dataclass_fields__ = vars(whole)["__dataclass_fields__"]


def _getter(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _initialiser(kind: type[Any], parts: Sequence[Field[Any]]) -> Callable[..., None]:
    """Return the method that puts what is given, or else a default, into the slots."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_absent": MISSING}
    listed, named, lines = ["self"], list[str](), list[str]()
    for part in parts:
        name = parameter = given = part.name
        if part.default_factory is not MISSING:
            known[f"_make_{name}"] = part.default_factory
            parameter = f"{name}=_absent"
            given = f"_make_{name}() if {name} is _absent else {name}"
        elif part.default is not MISSING:
            known[f"_default_{name}"] = part.default
            parameter = f"{name}=_default_{name}"
        (named if part.kw_only else listed).append(parameter)
        lines.append(f" _set(self, {name!r}, {given})")
    if hasattr(kind, "__post_init__"):
        lines.append(" self.__post_init__()")
    head = ", ".join((*listed, *(("*", *named) if named else ())))
    # As dataclasses does it: of names that the class itself spells, so they are identifiers.
    exec("\n".join((f"def __init__({head}):", *lines, " return None")), known)  # noqa: S102
    initialise: Callable[..., None] = known["__init__"]
    initialise.__qualname__ = f"{kind.__qualname__}.__init__"
    return initialise


def _describe(value: Any) -> str:
    shown = (f"{one.name}={getattr(value, one.name)!r}" for one in fields(value) if one.repr)
    return f"{type(value).__qualname__}({', '.join(shown)})"


def _equals(value: Any, other: Any) -> Any:
    if type(other) is not type(value):
        return NotImplemented
    compared = type(value).__compared__
    return compared(value) == compared(other)


def _hash(value: Any) -> int:
    return hash(type(value).__compared__(value))


def _refuse(_value: Any, name: str, *_given: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r}")


def _state(value: Any) -> list[object]:
    return [getattr(value, one.name) for one in fields(value)]


def _restore(value: Any, state: list[object]) -> None:
    for one, kept in zip(fields(value), state, strict=True):
        object.__setattr__(value, one.name, kept)


_SHARED: dict[str, Any] = {
    "__repr__": _describe,
    "__eq__": _equals,
    "__hash__": _hash,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _state,
    "__setstate__": _restore,
}

__all__ = ["field", "frozen", "setting"]
