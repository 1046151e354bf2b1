"""Settings and environment: read here and nowhere else.

Precedence: environment > the user's file for this project > project file > user file > default.
The project file comes with a repository: it counts where its content is trusted, and only for the
settings that are declared `shared`. Whatever is wrong with it, or with the user's file for this
project, is passed over and named, so that no folder can stop anybody. In the user's own file a
key that nobody knows is an error that names the nearest known one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from agentx.adapters.homes import Homes
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import DataPaths
from agentx.kernel.places import (
    fallback_spool_roots,
    home_folder,
    settle_role_name,
    stamp_files,
)
from agentx.kernel.values import frozen
from agentx.project.setting_rows import (
    SECTIONS,
    SettingRow,
    change_row,
    key_name,
    list_defaults,
    list_shared,
    names_before,
    read_word,
)
from agentx.project.trust.trust import Trust

Section = TypeVar("Section")


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

    def settings_here(self, natural_id: str) -> Path:
        """The user's own settings for one project, by the id that git or its folder gives it."""
        return self.user_settings.parent / "projects" / f"{natural_id}.toml"

    @property
    def project_id(self) -> str:
        """The project id that the user forces, or nothing."""
        return self.variables.get("MEMORY_PROJECT_ID", "")


_EXCLUDE = "capture.exclude"
_VSCODE_EDITIONS = ("Code", "Code - Insiders", "VSCodium")
_VSCODE_SERVERS = (".vscode-server", ".vscode-server-insiders")  # of windows of other machines
ROLE_KEY = "agents.role"
ROLE_VARIABLE = "AGENTX_AGENT"  # in the words of agent CLIs, where everybody starts one


def read_environment(variables: Mapping[str, str] | None = None) -> Environment:
    """Read the surroundings of this process."""
    known = dict(os.environ if variables is None else variables)
    home = Path(home_folder(known))

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
            vscode=_list_vscode(known, home, config_home),
        ),
        search_path=known.get("PATH", ""),
        runtime=runtime if runtime != Path() else None,
    )


def _list_vscode(known: Mapping[str, str], home: Path, config_home: Path) -> tuple[Path, ...]:
    """Return the user folder of each edition of VS Code, whether it is there or not."""
    portable, given = known.get("VSCODE_PORTABLE", ""), known.get("VSCODE_APPDATA", "")
    if portable.startswith("/"):
        return (Path(portable) / "user-data" / "User",)
    above = home / "Library" / "Application Support" if sys.platform == "darwin" else config_home
    above = Path(given) if given.startswith("/") else above
    served = (home / name / "data" / "User" for name in _VSCODE_SERVERS)
    return (*(above / edition / "User" for edition in _VSCODE_EDITIONS), *served)


@frozen
class SettingFault:
    """What of a file was passed over, and what to do about it."""

    file: str
    says: str
    mend: str
    key: str = ""  # of a setting that a repository may not set


@frozen
class Config:
    """Every setting with its value and where that came from."""

    rows: Mapping[str, SettingRow]
    faults: tuple[SettingFault, ...] = ()
    stamp: bytes = b""  # how the files were, just before they were read

    def section(self, kind: type[Section]) -> Section:
        """Return one group of settings as its class."""
        name = next(name for name, known in SECTIONS.items() if known is kind)
        return kind(
            **{
                field.name: self.rows[f"{name}.{key_name(field)}"].value
                for field in fields(cast("Any", kind))
            }
        )


def variable_of(key: str) -> str:
    """Return the environment variable of a setting: `storage.mode` is AGENTX_STORAGE_MODE."""
    if key == ROLE_KEY:
        return ROLE_VARIABLE
    spaced = "".join("_" + char if char.isupper() else char for char in key)
    return "AGENTX_" + spaced.replace(".", "_").replace("-", "_").upper()


def load_config(environment: Environment, natural_id: str, trust: Trust) -> Config:
    """Gather the settings of a project.

    Raises: InvalidValue, CorruptRecord for what the user's own file or the environment says.
    """
    stamp = stamp_settings(environment, natural_id, trust)
    rows = {row.key: row for row in list_defaults()}
    for key, value in _read_own(environment.user_settings):
        rows[key] = change_row(rows, key, value, str(environment.user_settings))
    shared_faults = list(_take_shared(rows, trust))
    own = environment.settings_here(natural_id)
    faults = list(_take_own(rows, own))
    # What the user has said for this project needs no repository to say it.
    faults += (each for each in shared_faults if not (each.key and _is_from(rows, each.key, own)))
    for key in list(rows):
        for name in (*names_before(key), key):
            text = environment.variables.get(variable_of(name))
            if text is not None:
                _take_said(rows, key, text)
    return Config(rows=rows, faults=tuple(faults), stamp=stamp)


def stamp_settings(environment: Environment, natural_id: str, trust: Trust) -> bytes:
    """Return how the files of settings of a project are: the user's two, and the repository's."""
    own = environment.settings_here(natural_id)
    return stamp_files(str(environment.user_settings), str(own), str(trust.paths.settings))


def _take_said(rows: dict[str, SettingRow], key: str, text: str) -> None:
    """Take what the environment says of a setting.

    Raises: InvalidValue.
    """
    if key != ROLE_KEY:
        rows[key] = change_row(rows, key, read_word(rows[key].default, text), "environment")
    elif text.strip():
        # Hooks capture under whatever name is said there, and fail for none.
        rows[key] = replace(rows[key], value=settle_role_name(text), source="environment")


def _read_own(path: Path) -> Iterable[tuple[str, object]]:
    if not os.path.lexists(path):
        return ()
    from agentx.project.setting_files import read_values  # noqa: PLC0415  many users have no settings

    return read_values(path)


def _is_from(rows: Mapping[str, SettingRow], key: str, path: Path) -> bool:
    return rows[key].source == str(path)


def _take_shared(rows: dict[str, SettingRow], trust: Trust) -> Iterator[SettingFault]:
    """Take what the repository's file may set, and yield what it may not."""
    path = trust.paths.settings
    content = trust.read_acting(path)
    if content is None:
        return
    from agentx.project.setting_files import parse_values  # noqa: PLC0415  most folders have no settings of their own

    shared = list_shared()
    try:
        values = list(parse_values(content, path))
    except AgentXError as error:
        yield SettingFault(file=str(path), says=error.message, mend=error.hint)
        return
    for key, value in values:
        if key in rows and key not in shared:
            says = f"{key} in {path} is passed over: a repository may not set it"
            mend = f"agentx config set --here {key} VALUE, if you want it"
            yield SettingFault(file=str(path), says=says, mend=mend, key=key)
            continue
        if key == _EXCLUDE and isinstance(value, str):
            added = _add_inside(str(rows[key].value), value, trust.paths.root)
            yield from _take(rows, key, added, path)
            continue
        yield from _take(rows, key, value, path)


def _add_inside(known: str, added: str, root: Path) -> str:
    """Return folders with those that a repository names within itself; it cannot name others."""
    from glob import escape  # noqa: PLC0415  few name any

    if "," in str(root):
        return known  # it could not be told where one ends
    named = (os.path.normpath(root / one.strip()) for one in added.split(",") if one.strip())
    inside = (one[len(str(root)) :] for one in named if f"{one}/".startswith(f"{root}/"))
    return ",".join(filter(None, (known, *(escape(str(root)) + one for one in inside))))


def _take_own(rows: dict[str, SettingRow], path: Path) -> Iterator[SettingFault]:
    """Take what the user set for this project, and yield what is wrong with it."""
    try:
        values = list(_read_own(path))
    except AgentXError as error:
        yield SettingFault(file=str(path), says=error.message, mend=error.hint)
        return
    for key, value in values:
        yield from _take(rows, key, value, path)


def _take(
    rows: dict[str, SettingRow], key: str, value: object, path: Path
) -> Iterator[SettingFault]:
    try:
        rows[key] = change_row(rows, key, value, str(path))
    except AgentXError as error:
        yield SettingFault(file=str(path), says=error.message, mend=error.hint)
