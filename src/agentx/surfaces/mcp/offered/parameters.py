"""The parameters of a tool: what its list says of them, and what a call may give for them.

Agents write numbers as texts, lists as texts and `null` for what they leave out; what can be
meant in one way only is taken. Everything else is refused with what is wrong and what would
be right: the agent reads it and tries again.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

TEXT_CHARS_MAX = 10_000
_LISTED_MAX = 200
_WORDS = {"true": True, "false": False}
_SURROGATES = range(0xD800, 0xE000)


class WrongArgument(ValueError):
    """What a call gave cannot be meant; the text says what would be."""


class Parameter(NamedTuple):
    """One parameter: its name, its kind in JSON, and what it may be."""

    name: str
    type: str = "string"  # "string", "integer", "boolean", "array" (of strings), "object"
    about: str = ""
    default: Any = None
    required: bool = False
    at_least: int | None = None
    at_most: int | None = None  # of a number its value, of a text its characters, else how many
    choices: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return its schema, as short as it can be: every session pays for it."""
        said: dict[str, Any] = {"type": self.type}
        if self.type == "array":
            said["items"] = {"type": "string"}
        if self.about:
            said["description"] = self.about
        if self.choices:
            said["enum"] = list(self.choices)
        if self.default not in (None, "", False, ()):
            said["default"] = self.default
        return said

    def read(self, given: Any) -> Any:
        """Return the value that a call means.

        Raises: WrongArgument.
        """
        value: Any = _READERS[self.type](self, given)
        if not self.choices or value == self.default:
            return value
        meant = [each for each in self.choices if _fold(each) == _fold(value)]
        if not meant:
            raise WrongArgument(f"{self.name} is one of {', '.join(self.choices)}")
        return meant[0]

    def refuse(self, expected: str) -> WrongArgument:
        """Return the error for a value of another kind."""
        return WrongArgument(f"{self.name} must be {expected}")


def text(name: str, about: str = "", *, at_most: int = TEXT_CHARS_MAX, **more: Any) -> Parameter:
    """Return a parameter that takes a text."""
    return Parameter(name, "string", about, more.pop("default", ""), at_most=at_most, **more)


def number(name: str, about: str = "", *, at_least: int, at_most: int, **more: Any) -> Parameter:
    """Return a parameter that takes a whole number."""
    return Parameter(name, "integer", about, at_least=at_least, at_most=at_most, **more)


def flag(name: str, about: str = "", *, default: bool = False) -> Parameter:
    """Return a parameter that takes yes or no."""
    return Parameter(name, "boolean", about, default)


def texts(name: str, about: str = "", *, at_most: int = _LISTED_MAX, **more: Any) -> Parameter:
    """Return a parameter that takes some texts."""
    return Parameter(name, "array", about, more.pop("default", ()), at_most=at_most, **more)


def fields(name: str, about: str = "") -> Parameter:
    """Return a parameter that takes named values."""
    return Parameter(name, "object", about, None)


def read_arguments(parameters: tuple[Parameter, ...], given: Any) -> dict[str, Any]:
    """Return the arguments of a call, each parameter with its value or its default.

    Raises: WrongArgument.
    """
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise WrongArgument("arguments must be an object")
    names = [parameter.name for parameter in parameters]
    strange = [ascii(name)[:40] for name in given if name not in names]
    if strange:
        known = f"it takes {', '.join(names)}" if names else "it takes nothing"
        raise WrongArgument(f"{', '.join(strange[:5])}: no such parameter; {known}")
    read = {}
    for parameter in parameters:
        value = given.get(parameter.name)
        if value is None:
            if parameter.required:
                raise WrongArgument(f"{parameter.name} is missing")
            read[parameter.name] = parameter.default
        else:
            read[parameter.name] = parameter.read(value)
    return read


def clean(said: str) -> str:
    """Return a text without halves of characters, which no file and no line can hold."""
    if any(ord(char) in _SURROGATES for char in said):
        return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return said


def _fold(word: str) -> str:
    return word.strip().lower().replace(" ", "-").replace("_", "-")


def _read_text(parameter: Parameter, given: Any) -> str:
    if isinstance(given, int | float) and not isinstance(given, bool):
        given = f"{given}"
    if not isinstance(given, str):
        raise parameter.refuse("a text")
    if parameter.at_most is not None and len(given) > parameter.at_most:
        raise parameter.refuse(f"at most {parameter.at_most:,} characters, not {len(given):,}")
    return clean(given)


def _read_number(parameter: Parameter, given: Any) -> int:
    value = given
    if isinstance(value, str) and len(value) <= 20:
        try:
            value = int(value.strip().removeprefix("#"))
        except ValueError:
            value = None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    least, most = parameter.at_least, parameter.at_most
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:  # type: ignore[operator]  # every number has both
        raise parameter.refuse(f"a whole number from {least} to {most:,}")
    return value


def _read_flag(parameter: Parameter, given: Any) -> bool:
    value = _WORDS.get(given.strip().lower()) if isinstance(given, str) else given
    if not isinstance(value, bool):
        raise parameter.refuse("true or false")
    return value


def _read_texts(parameter: Parameter, given: Any) -> tuple[str, ...]:
    value = given
    if isinstance(value, str):
        value = _parse(value) if value.lstrip().startswith("[") else [value]
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise parameter.refuse("a list of texts")
    if parameter.at_most is not None and len(value) > parameter.at_most:
        raise parameter.refuse(f"a list of at most {parameter.at_most}, not {len(value):,}")
    if parameter.required and not value:
        raise parameter.refuse("a list with at least one text")
    for each in value:
        if len(each) > TEXT_CHARS_MAX:
            raise parameter.refuse(f"texts of at most {TEXT_CHARS_MAX:,} characters")
    return tuple(map(clean, value))


def _read_fields(parameter: Parameter, given: Any) -> dict[str, Any]:
    value = _parse(given) if isinstance(given, str) else given
    if not isinstance(value, dict):
        raise parameter.refuse("an object")
    return {clean(str(name)): _clean_all(each) for name, each in value.items()}


def _clean_all(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean_all(each) for each in value]
    if isinstance(value, dict):
        return {clean(str(name)): _clean_all(each) for name, each in value.items()}
    return value


def _parse(said: str) -> Any:
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None


_READERS = {
    "string": _read_text,
    "integer": _read_number,
    "boolean": _read_flag,
    "array": _read_texts,
    "object": _read_fields,
}
