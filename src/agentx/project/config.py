"""Settings and environment: read here and nowhere else.

Precedence: environment > project file > user file > default. A key that nobody
knows is an error that names the nearest known one. Only what the user set is ever
written, so that a default can still be improved.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from agentx.adapters.homes import Homes
from agentx.host.files.atomic import replace_file
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.paths import DataPaths
from agentx.kernel.places import fallback_spool_roots
from agentx.kernel.values import frozen
from agentx.lessons.settings import LtmSettings
from agentx.llm.settings import LlmSettings
from agentx.observations.settings import MemorySettings
from agentx.project.settings import (
    AgentsSettings,
    DaemonSettings,
    ProjectSettings,
    StorageSettings,
    TocSettings,
)
from agentx.work.settings import GithubSettings, WorkSettings

if TYPE_CHECKING:
    import tomlkit

Value = str | int | float | bool
Section = TypeVar("Section")

# A repository that was cloned must not send its reader's key and conversations elsewhere, nor
# start programs in its reader's name.
USER_ONLY = frozenset(
    {
        "llm.base_url",
        "llm.api_key_env",
        "github.base_url",
        "github.token_env",
        "agents.runner",
    }
)

_WORDS: dict[str, Value] = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}

SECTIONS: dict[str, type[Any]] = {
    "project": ProjectSettings,
    "storage": StorageSettings,
    "daemon": DaemonSettings,
    "toc": TocSettings,
    "llm": LlmSettings,
    "memory": MemorySettings,
    "work": WorkSettings,
    "github": GithubSettings,
    "agents": AgentsSettings,
    "ltm": LtmSettings,
}


@frozen
class Environment:
    """What the surroundings say, read once."""

    variables: Mapping[str, str]
    data: DataPaths
    user_settings: Path
    homes: Homes
    search_path: str
    runtime: Path | None

    @property
    def spools(self) -> tuple[Path, ...]:
        """Where hooks may have left records: the data folder, or else the temporary one."""
        fallback = fallback_spool_roots(self.variables, os.getuid())
        return self.data.spools, *map(Path, fallback)

    @property
    def project_id(self) -> str:
        """The project id that the user forces, or nothing."""
        return self.variables.get("MEMORY_PROJECT_ID", "")

    @property
    def agent(self) -> str:
        """The role this process plays, or nothing."""
        return self.variables.get("AGENTX_AGENT", "")


def read_environment(variables: Mapping[str, str] | None = None) -> Environment:
    """Read the surroundings of this process."""
    known = dict(os.environ if variables is None else variables)
    home = Path(known.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111  Path.home() fails without HOME

    def place(variable: str, fallback: Path) -> Path:
        given = known.get(variable, "")
        # The XDG rules: a relative path is to be ignored.
        return Path(given) if given.startswith("/") else fallback

    data_home = place("XDG_DATA_HOME", home / ".local" / "share")
    config_home = place("XDG_CONFIG_HOME", home / ".config")
    runtime = place("XDG_RUNTIME_DIR", Path())
    return Environment(
        variables=known,
        data=DataPaths(data_home / "agent-memory"),
        user_settings=config_home / "agentx" / "config.toml",
        homes=Homes(
            home=home,
            claude_code=place("CLAUDE_CONFIG_DIR", home / ".claude"),
            codex=place("CODEX_HOME", home / ".codex"),
            gemini=home / ".gemini",
            opencode_config=config_home / "opencode",
            opencode_db=place("OPENCODE_DB", data_home / "opencode" / "opencode.db"),
            copilot=place("COPILOT_HOME", home / ".copilot"),
        ),
        search_path=known.get("PATH", ""),
        runtime=runtime if runtime != Path() else None,
    )


@contextmanager
def loading_in_one_thread() -> Iterator[None]:
    """Let a library of linear algebra that is loaded in the block compute in one thread.

    Its threads wait by spinning, and the machine is busy with agents and their builds. It looks
    at the variable once, so nobody who is started later inherits it.
    """
    name = "OPENBLAS_NUM_THREADS"
    if name in os.environ:
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        os.environ.pop(name, None)


@frozen
class SettingRow:
    """One setting as `agentx config` shows it."""

    key: str
    value: Value
    source: str  # "default", "environment", or the file
    about: str
    default: Value


@frozen
class Config:
    """Every setting with its value and where that came from."""

    rows: Mapping[str, SettingRow]

    def section(self, kind: type[Section]) -> Section:
        """Return one group of settings as its class."""
        name = next(name for name, known in SECTIONS.items() if known is kind)
        return kind(
            **{
                field.name: self.rows[f"{name}.{key_name(field)}"].value
                for field in fields(cast("Any", kind))
            }
        )


def key_name(field: Any) -> str:
    """Return the name of a setting in the file."""
    return str(field.metadata.get("name") or field.name)


def variable_of(key: str) -> str:
    """Return the environment variable of a setting: `storage.mode` is AGENTX_STORAGE_MODE."""
    spaced = "".join("_" + char if char.isupper() else char for char in key)
    return "AGENTX_" + spaced.replace(".", "_").replace("-", "_").upper()


def load_config(environment: Environment, project_settings: Path) -> Config:
    """Gather the settings.

    Raises: InvalidValue for an unknown key or a value that cannot be, CorruptRecord for a file
    that is not TOML.
    """
    rows = {row.key: row for row in _defaults()}
    for path in (environment.user_settings, project_settings):
        for key, value in _file_values(path):
            if path == project_settings and key in USER_ONLY:
                raise InvalidValue(
                    f"{key} in {path} may not be set by a project",
                    hint=f"agentx config set --user {key} VALUE, if you trust it",
                )
            rows[key] = _change(rows, key, value, str(path))
    for key in list(rows):
        text = environment.variables.get(variable_of(key))
        if text is not None:
            rows[key] = _change(rows, key, _from_text(rows[key].default, text), "environment")
    return Config(rows=rows)


def set_value(path: Path, key: str, text: str) -> Value:
    """Write one setting into a file, keeping its comments.

    Raises: InvalidValue, CorruptRecord.
    """
    rows = {row.key: row for row in _defaults()}
    _know(rows, key, "the command line")
    value = _change(rows, key, _from_text(rows[key].default, text), "the command line").value
    document = _document(path)
    section, name = key.split(".", 1)
    if section not in document:
        document[section] = {}
    cast("dict[str, Value]", document[section])[name] = value
    replace_file(path, document.as_string().encode(), mode=0o644)
    return value


def unset_value(path: Path, key: str) -> bool:
    """Take one setting out of a file; tell whether it was there."""
    _know({row.key: row for row in _defaults()}, key, "the command line")
    document = _document(path)
    section, name = key.split(".", 1)
    table = document.get(section)
    if table is None or name not in table:
        return False
    del table[name]
    if not table:
        del document[section]
    replace_file(path, document.as_string().encode(), mode=0o644)
    return True


def _defaults() -> Iterator[SettingRow]:
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


def _file_values(path: Path) -> Iterator[tuple[str, Value]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, UnicodeDecodeError) as error:
        raise CorruptRecord(
            f"{path}: cannot be read: {error}", hint="mend or move the file"
        ) from error
    import tomllib  # noqa: PLC0415  most folders have no settings of their own

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CorruptRecord(f"{path}: {error}", hint="mend the line it names") from error
    for section, table in document.items():
        if not isinstance(table, dict):
            raise InvalidValue(
                f"{path}: {section} stands outside a section", hint="write it under [section]"
            )
        for name, value in table.items():
            if not isinstance(value, str | int | float | bool):
                raise InvalidValue(f"{path}: {section}.{name} must be one plain value")
            yield f"{section}.{name}", value


def _change(rows: Mapping[str, SettingRow], key: str, value: Value, source: str) -> SettingRow:
    row = _know(rows, key, source)
    wanted = type(row.default)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise InvalidValue(
            f"{key} in {source} is {value!r}: must be {_speak(wanted)}",
            hint=f"for example: agentx config set {key} {row.default!r}",
        )
    choices = _choices(key)
    if choices and value not in choices:
        raise InvalidValue(f"{key} in {source} is {value!r}: must be one of {', '.join(choices)}")
    return SettingRow(key=key, value=value, source=source, about=row.about, default=row.default)


def _know(rows: Mapping[str, SettingRow], key: str, source: str) -> SettingRow:
    if key in rows:
        return rows[key]
    from difflib import get_close_matches  # noqa: PLC0415  only who mistyped waits for it

    near = get_close_matches(key, rows, n=1, cutoff=0.4)
    raise InvalidValue(
        f"{key} in {source} is not a setting",
        hint=f"did you mean {near[0]}?" if near else "`agentx config` lists them",
    )


def _choices(key: str) -> tuple[str, ...]:
    section, name = key.split(".", 1)
    for field in fields(SECTIONS[section]):
        if key_name(field) == name:
            return tuple(field.metadata["choices"])
    return ()


def _from_text(default: Value, text: str) -> Value:
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


def _speak(kind: type[object]) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "text")


def _document(path: Path) -> tomlkit.TOMLDocument:
    import tomlkit  # noqa: PLC0415  slow to load, and most commands write no settings
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415  as above

    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise CorruptRecord(f"{path}: {error}", hint="mend the line it names") from error
