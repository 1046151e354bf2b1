"""Every setting there is: its kind, its default, what it may be, and who may set it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, cast

from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import project_id
from agentx.kernel.paths import RESERVED_STORE_NAMES
from agentx.kernel.periods import zone_named
from agentx.kernel.places import NO_ROLE, settle_role_name
from agentx.kernel.values import frozen
from agentx.lessons.settings import LtmSettings
from agentx.llm.settings import LlmSettings
from agentx.observations.settings import MemorySettings
from agentx.project.settings import (
    AgentsSettings,
    BackupSettings,
    CaptureSettings,
    DaemonSettings,
    McpSettings,
    NotifySettings,
    ProjectSettings,
    RecallSettings,
    RetentionSettings,
    SearchSettings,
    StorageSettings,
    TocSettings,
)
from agentx.runs.settings import RunsSettings
from agentx.work.settings import GithubSettings, WorkSettings

Value = str | int | float | bool

_WORDS: dict[str, Value] = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}

SECTIONS: dict[str, type[Any]] = {
    "project": ProjectSettings,
    "storage": StorageSettings,
    "daemon": DaemonSettings,
    "recall": RecallSettings,
    "toc": TocSettings,
    "search": SearchSettings,
    "mcp": McpSettings,
    "llm": LlmSettings,
    "memory": MemorySettings,
    "work": WorkSettings,
    "github": GithubSettings,
    "agents": AgentsSettings,
    "notify": NotifySettings,
    "ltm": LtmSettings,
    "runs": RunsSettings,
    "backup": BackupSettings,
    "retention": RetentionSettings,
    "capture": CaptureSettings,
}


# What settings were called before.
_RENAMED = {"daemon.autostart": "daemon.auto"}


@frozen
class SettingRow:
    """One setting as `agentx config` shows it."""

    key: str
    value: Value
    source: str  # "default", "environment", or the file
    about: str
    default: Value


def key_name(field: Any) -> str:
    """Return the name of a setting in the file."""
    return str(field.metadata.get("name") or field.name)


def name_now(key: str) -> str:
    """Return what a setting is called now."""
    return _RENAMED.get(key, key)


def names_before(key: str) -> tuple[str, ...]:
    """Return what a setting was called before."""
    return tuple(before for before, now in _RENAMED.items() if now == key)


def list_defaults() -> Iterator[SettingRow]:
    """Yield every setting as it is when nobody set it."""
    for section, kind in SECTIONS.items():
        for field in fields(kind):
            default = cast("Value", field.default)
            yield SettingRow(
                key=f"{section}.{key_name(field)}",
                value=default,
                source="default",
                about=field.metadata["about"],
                default=default,
            )


@cache
def list_shared() -> frozenset[str]:
    """Return the settings that a repository's own file may set; all others are the user's."""
    return _list_marked("shared")


@cache
def list_persons() -> frozenset[str]:
    """Return the settings that no agent may change: they decide whose words count, and how long."""
    return _list_marked("persons")


def _list_marked(mark: str) -> frozenset[str]:
    return frozenset(
        f"{section}.{key_name(field)}"
        for section, kind in SECTIONS.items()
        for field in fields(kind)
        if field.metadata[mark]
    )


def find_row(rows: Mapping[str, SettingRow], key: str, source: str) -> SettingRow:
    """Return a setting by its key.

    Raises: InvalidValue that names the nearest one.
    """
    if key in rows:
        return rows[key]
    from difflib import get_close_matches  # noqa: PLC0415  only who mistyped waits for it

    near = get_close_matches(key[:80], rows, n=1, cutoff=0.4)
    raise InvalidValue(
        f"{key[:80]} in {source} is not a setting",
        hint=f"did you mean {near[0]}?" if near else "`agentx config` lists them",
    )


def change_row(rows: Mapping[str, SettingRow], key: str, value: object, source: str) -> SettingRow:
    """Return a setting with another value.

    Raises: InvalidValue for a key nobody knows or a value that cannot be.
    """
    row = find_row(rows, key, source)
    wanted = type(row.default)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise InvalidValue(
            f"{key} in {source} is {str(value)[:80]!r}: must be {_speak(wanted)}",
            hint=f"for example: agentx config set {key} {row.default!r}",
        )
    choices = _choices(key)
    if choices and value not in choices:
        named = ", ".join(filter(None, choices))
        raise InvalidValue(f"{key} in {source} is {str(value)[:80]!r}: must be one of {named}")
    _check(key, value)
    return SettingRow(key=key, value=value, source=source, about=row.about, default=row.default)


def read_word(default: Value, text: str) -> Value:
    """Return the value that a word means, by the kind of its default; the word where it is none."""
    match default:
        case bool():
            return _WORDS.get(text.strip().lower(), text)
        case int():
            return int(text) if text.strip().lstrip("-").isdigit() else text
        case float():
            try:
                return float(text)
            except ValueError:
                return text
        case _:
            return text


def check_store_name(name: str) -> str:
    """Return a name that a store may have.

    Raises: InvalidValue.
    """
    if name in RESERVED_STORE_NAMES:
        raise InvalidValue(
            f"project id {name!r} is a name AgentX uses itself", hint="choose another"
        )
    return project_id(name)


def check_toolsets(said: str) -> str:
    """Return a list of toolsets that there are.

    Raises: InvalidValue.
    """
    from agentx.project.toolsets import ALL, AUTO, TOOLSETS, parse_toolsets  # noqa: PLC0415  few set it

    try:
        parse_toolsets(said)
    except ValueError as error:
        known = ", ".join((AUTO, ALL, *TOOLSETS))
        raise InvalidValue(f"{error} is no toolset", hint=f"some of {known}, with commas") from None
    return said


def _check(key: str, value: Value) -> None:
    """Raise InvalidValue for what could not be used: better now than in every command."""
    if key == "toc.timezone" and value:
        zone_named(str(value))
    elif key == "project.id" and value:
        check_store_name(str(value))
    elif key == "mcp.tools" and value != "auto":
        check_toolsets(str(value))
    elif key == "agents.role" and value:
        _check_role(str(value))
    elif key == "daemon.idle_minutes" and int(value) < 1:
        raise InvalidValue(f"{key} is {value}: a minute is the least", hint="use 1 or more")
    elif key == "retention.days" and int(value) < 0:
        raise InvalidValue("retention.days is a number of days, 0 or more")


def _check_role(said: str) -> None:
    """Raise InvalidValue for what cannot name a role; a project may have roles of its own."""
    from agentx.kernel.roles import is_role_name  # noqa: PLC0415  few set one

    role = settle_role_name(said)
    if role != NO_ROLE and not is_role_name(role):
        raise InvalidValue(
            f"{said[:60]!r} cannot name a role",
            hint=f"`agentx agent roles` lists them; {NO_ROLE} for no role",
        )


def _choices(key: str) -> tuple[str, ...]:
    section, name = key.split(".", 1)
    for field in fields(SECTIONS[section]):
        if key_name(field) == name:
            return tuple(field.metadata["choices"])
    return ()


def _speak(kind: type[object]) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "text")
