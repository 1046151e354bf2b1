"""The time zone of this machine, with its daylight saving: where a day begins for its user."""

from __future__ import annotations

from datetime import UTC, tzinfo
from pathlib import Path

from agentx.kernel.errors import InvalidValue
from agentx.kernel.periods import zone_named
from agentx.project.config import Environment
from agentx.project.project import Project
from agentx.project.settings import TocSettings

_LOCALTIME = Path("/etc/localtime")
_DATABASE = "/zoneinfo/"


def machine_zone(environment: Environment, localtime: Path = _LOCALTIME) -> tzinfo:
    """Return the zone that `TZ` names, else the one the machine is set to, else UTC."""
    said = environment.variables.get("TZ", "").removeprefix(":")
    for name in (said, _read_link(localtime)):
        try:
            if name:
                return zone_named(name.rpartition(_DATABASE)[2])
        except InvalidValue:
            continue  # such as `CET-1CEST`: rules without a name
    return UTC


def project_zone(project: Project) -> tzinfo:
    """Return where a project's days begin: as the user set it, else as on this machine.

    Raises: InvalidValue for a zone that nobody knows.
    """
    named = project.config.section(TocSettings).timezone
    return zone_named(named) if named else machine_zone(project.environment)


def _read_link(localtime: Path) -> str:
    """Return the name of the zone that a link into the zone database means."""
    try:
        target = str(localtime.readlink())
    except OSError:
        return ""
    return target if _DATABASE in target else ""
