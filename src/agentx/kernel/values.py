"""Frozen values: dataclasses that cost little to import, and are finished when many are made.

A program that answers one question imports hundreds of kinds of values and uses a few of
them. `dataclasses` writes and compiles six methods for each as it is imported, which was half
of a command's start. `frozen` lays the class out at once. The first few values of a kind, and
of most kinds there are no more, are filled slot by slot; when there are more, or somebody asks
for the fields, these are found and the one compiled method, `__init__`, is written. Readers,
type checkers and libraries see `@dataclass(frozen=True, slots=True, kw_only=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import get_annotations
from operator import attrgetter
from threading import RLock
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

Kind = TypeVar("Kind")

# Filling this many slot by slot takes as long as compiling what fills them at once.
_FILLED_MAX = 24
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


def setting(
    default: Any,
    about: str,
    *,
    choices: tuple[str, ...] = (),
    name: str = "",
    shared: bool = False,
    persons: bool = False,
) -> Any:
    """Declare a field of a settings class: its default, what it does, what it may be.

    `name` is its key in the file where that is not the field's own name. `shared` ones may be set
    by a repository's own file, for all who work on it; every other is the user's alone.
    `persons` ones decide whose words are a person's, or what is run for one: no agent sets them.
    `project.config` gathers the declarations.
    """
    said = {"about": about, "choices": choices, "name": name}
    return field(default=default, metadata={**said, "shared": shared, "persons": persons})


def _lay_out(written: type[Kind], *, kw_only: bool) -> type[Kind]:
    said = get_annotations(written)
    names = [name for name in said if not str(said[name]).startswith("ClassVar")]
    inherited = {name for base in written.__mro__[1:] for name in vars(base).get("__slots__", ())}
    unmade = _Unmade(written, kw_only=kw_only, names=names)
    body = {
        **_SHARED,
        "__match_args__": () if kw_only else tuple(names),
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

    def __init__(self, written: type[Any], *, kw_only: bool, names: Sequence[str]) -> None:
        self._written = written
        self._kw_only = kw_only
        self._names = names
        self._left = _FILLED_MAX
        self._plan: dict[str, Any] | None = None
        self.made: type[Any] = written

        def first(value: Any, /, *given: Any, **named: Any) -> None:
            if self._left and self._fill(value, given, named):
                self._left -= 1
                return
            self._make()
            self.made.__init__(value, *given, **named)

        self.first = first

    def __get__(self, _value: object, _kind: type[Any]) -> object:
        self._find_fields()
        return vars(self.made)["__dataclass_fields__"]

    def _fill(self, value: Any, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
        """Put what is given, or else a default, into the slots; tell whether that was all of it.

        What is not as it should be is left to the method that says so.
        """
        if self._plan is None:
            self._plan = _plan(self._written, self._names)
        if not self._plan or (given and (self._kw_only or len(given) > len(self._plan))):
            return False
        listed = dict(zip(self._plan, given, strict=False))
        if not listed.keys().isdisjoint(named):
            return False
        named = {**named, **listed}  # not what `first` goes on with where this is not all
        used = 0
        for name, default in self._plan.items():
            if name in named:
                part = named[name]
                used += 1
            elif isinstance(default, _Factory):
                part = default.make()
            elif default is MISSING:
                return False
            else:
                part = default
            object.__setattr__(value, name, part)
        if used != len(named):
            return False
        if hasattr(self.made, "__post_init__"):
            value.__post_init__()
        return True

    def _make(self) -> None:
        self._find_fields()
        with _making:
            made: Any = self.made
            if vars(made)["__init__"] is self.first:
                made.__init__ = _initialiser(made, fields(made))

    def _find_fields(self) -> None:
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
            made.__dataclass_params__ = vars(whole)["__dataclass_params__"]
            # Last: whoever sees it, in another thread as well, sees the rest.
            made.__dataclass_fields__ = vars(whole)["__dataclass_fields__"]


class _Factory:
    """Makes the default of a field for each value anew."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def _plan(written: type[Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the default of each field; nothing for a class that only `dataclasses` understands."""
    if any("__dataclass_fields__" in vars(base) for base in written.__mro__[1:]):
        return {}
    said = get_annotations(written)
    plan: dict[str, Any] = {}
    for name in names:
        default = vars(written).get(name, MISSING)
        if isinstance(default, Field):
            if not default.init or default.kw_only is not MISSING:
                return {}
            made = default.default_factory
            default = default.default if made is MISSING else _Factory(made)
        if "InitVar" in str(said[name]) or "KW_ONLY" in str(said[name]):
            return {}
        if type(default).__hash__ is None:  # a list or a dict: `dataclasses` refuses it
            return {}
        plan[name] = default
    return plan


def _getter(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _initialiser(kind: type[Any], parts: Sequence[Field[Any]]) -> Callable[..., None]:
    """Return the method that puts what is given, or else a default, into the slots."""
    known: dict[str, Any] = {"_absent": MISSING}
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
        # A slot is filled sooner by itself than by its name.
        known[f"_fill_{name}"] = getattr(kind, name).__set__
        lines.append(f" _fill_{name}(self, {given})")
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
    compared = _find_getter(type(value))
    return compared(value) == compared(other)


def _hash(value: Any) -> int:
    return hash(_find_getter(type(value))(value))


def _find_getter(kind: type[Any]) -> Callable[[object], tuple[object, ...]]:
    """Return what gives the parts of a value that make it equal to another."""
    if "__compared__" not in vars(kind):
        fields(kind)  # which finishes it
    getter: Callable[[object], tuple[object, ...]] = vars(kind)["__compared__"]
    return getter


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
