"""Change one setting, in the file where it belongs.

What a repository's file may set goes there, for all who work on it; everything else is the user's
alone and is kept in the user's folder, for this project or for all of them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.kernel.errors import AgentXError, ConflictError
from agentx.kernel.places import NO_ROLE
from agentx.kernel.values import frozen
from agentx.project.claims import claim_data, may_write_acting, trust_written
from agentx.project.config import ROLE_KEY, Environment
from agentx.project.project import Project, find_natural_id, open_project
from agentx.project.roles.played import SESSION, decide_role
from agentx.project.setting_files import render_set, render_unset, set_value, unset_value
from agentx.project.setting_rows import SettingRow, Value, list_persons, list_shared, name_now
from agentx.project.settlement import settle, unsettle_roles
from agentx.project.trust.marker import read_small
from agentx.project.trust.record import ACTING_FILE_BYTES_MAX
from agentx.wiring.trust.persons_word import require_person

_MODE = 0o644


class SettingPlace(StrEnum):
    """Whose file a setting is written into."""

    FITTING = "fitting"  # the repository's where that may set it, else the user's for this project
    HERE = "here"  # the user's, for this project
    USER = "user"  # the user's, for all projects


@frozen
class SettingChange:
    """What was written, and where."""

    key: str
    file: str
    value: Value = ""
    removed: bool = False


def list_settings(project: Project) -> tuple[SettingRow, ...]:
    """Return every setting as it counts here; of the role also what was set for one session."""
    played = decide_role(project)
    rows = project.config.rows
    if played.source == SESSION:
        said = replace(rows[ROLE_KEY], value=played.role or NO_ROLE, source=SESSION)
        return tuple(said if row.key == ROLE_KEY else row for row in rows.values())
    return tuple(rows.values())


def set_setting(
    environment: Environment, directory: Path, key: str, text: str, place: SettingPlace
) -> SettingChange:
    """Write one setting into the file where it belongs, keeping its comments.

    Raises: InvalidValue, CorruptRecord; ConflictError for a repository's file that is not trusted;
    NotThePerson where an agent would say whose words are a person's.
    """
    _require_person(environment, directory, key)
    if place is SettingPlace.FITTING and key in list_shared():
        done = _set_shared(open_project(directory, environment), key, text)
    else:
        path = _own_file(environment, directory, place)
        done = SettingChange(key=key, value=set_value(path, key, text), file=str(path))
    _settle_again(environment, directory, key)
    return done


def unset_setting(
    environment: Environment, directory: Path, key: str, place: SettingPlace
) -> SettingChange:
    """Take one setting out of the file where it is set; tell whether it was there.

    Raises: InvalidValue, CorruptRecord, NotThePerson.
    """
    _require_person(environment, directory, key)
    path = _own_file(environment, directory, place)
    removed = unset_value(path, key)
    if removed or place is not SettingPlace.FITTING:
        done = SettingChange(key=key, removed=removed, file=str(path))
    else:
        done = _unset_shared(open_project(directory, environment), key)
    _settle_again(environment, directory, key)
    return done


def _require_person(environment: Environment, directory: Path, key: str) -> None:
    if name_now(key) in list_persons():
        project = open_project(directory, environment)
        require_person(project, f"what {key} is", hint=f"agentx config set {key} VALUE", about=key)


def _settle_again(environment: Environment, directory: Path, key: str) -> None:
    """Note for hooks which role is played now, where that is what was set."""
    if key != ROLE_KEY:
        return
    unsettle_roles(environment.data)
    with suppress(AgentXError):  # it is found out with the next event, else
        settle(open_project(directory, environment))


def _own_file(environment: Environment, directory: Path, place: SettingPlace) -> Path:
    if place is SettingPlace.USER:
        return environment.user_settings
    return environment.settings_here(find_natural_id(directory, environment.data))


def _set_shared(project: Project, key: str, text: str) -> SettingChange:
    path = project.paths.settings
    if not may_write_acting(project, path):
        raise ConflictError(
            f"{path} came with the repository and is not trusted",
            hint="look at it: agentx trust --show; or keep the setting for yourself: "
            f"agentx config set --here {key} VALUE",
        )
    content, value = render_set(project.trust.read_acting(path), path, key, text)
    claim_data(project, "config set")
    trust_written(project, path, content, "config set")
    replace_file(path, content, mode=_MODE)
    return SettingChange(key=key, value=value, file=str(path))


def _unset_shared(project: Project, key: str) -> SettingChange:
    path = project.paths.settings
    # Of a file that is not trusted a setting may be taken as well: it stays untrusted.
    is_trusted = project.trust.read_acting(path) is not None
    content = render_unset(read_small(path, ACTING_FILE_BYTES_MAX), path, key)
    if content is None:
        return SettingChange(key=key, file=str(path))
    if is_trusted:
        trust_written(project, path, content, "config unset")
    replace_file(path, content, mode=_MODE)
    return SettingChange(key=key, removed=True, file=str(path))
