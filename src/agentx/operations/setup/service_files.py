"""What a service manager is told of the daemon of a project: a unit of systemd, a file of launchd.

A path may hold anything that a file name may; what a format has no words for is refused. Nothing
is written that says more of the user than where things lie.
"""

from __future__ import annotations

import os
import plistlib
import pwd
import unicodedata
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from agentx.kernel.errors import InvalidValue
from agentx.kernel.places import home_folder
from agentx.kernel.values import frozen

WRITTEN_BY = "Written by `agentx daemon install`; `agentx daemon uninstall` takes it away."
_FOLDERS = "Folders made for it:"
_KEPT = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "MEMORY_PROJECT_ID")
_RETRY_S = 10
_WORDLESS = frozenset({"Cc", "Cs", "Cn"})  # control, no UTF-8, no character


class Manager(StrEnum):
    """Who starts services for a user."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"


@frozen
class Service:
    """The daemon of a project, as a service manager starts it."""

    name: str
    root: Path
    python: str
    variables: Mapping[str, str]
    log: Path
    folders_made: int = 0  # for the file itself: they go with it

    @property
    def command(self) -> tuple[str, ...]:
        """What starts the daemon, with nothing left to be found."""
        program = (self.python, "-P", "-m", "agentx.surfaces.cli.main")
        return (*program, "daemon", "start", "--foreground", "--project", str(self.root))


def find_file(manager: Manager, name: str, variables: Mapping[str, str]) -> Path:
    """Return where a service manager looks for the file of a service."""
    home = Path(home_folder(variables))
    if manager is Manager.LAUNCHD:
        return home / "Library" / "LaunchAgents" / f"{name}.plist"
    given = variables.get("XDG_CONFIG_HOME", "")
    settings = Path(given) if given.startswith("/") else home / ".config"
    return settings / "systemd" / "user" / f"{name}.service"


def write_file(manager: Manager, service: Service) -> str:
    """Return the file that describes a service.

    Raises: InvalidValue for a path that cannot be written in it.
    """
    for text in (*service.command, *_environment(service.variables).values(), str(service.log)):
        if any(unicodedata.category(char) in _WORDLESS for char in text):
            raise InvalidValue(
                f"{text!r} cannot be written in a file of {manager}",
                hint="a path with control characters, or that is no UTF-8: give it another name",
            )
    return _write_unit(service) if manager is Manager.SYSTEMD else _write_plist(service)


def count_folders_made(text: str) -> int:
    """Return how many folders were made for a file of ours."""
    said = text.partition(_FOLDERS)[2].split(maxsplit=1)
    return int(said[0]) if said and said[0].isdecimal() and len(said[0]) == 1 else 0


def list_enabling(manager: Manager, name: str, path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the commands by which a user has a service started, now and at every login."""
    if manager is Manager.SYSTEMD:
        yield "systemctl", "--user", "daemon-reload"
        yield "systemctl", "--user", "enable", "--now", f"{name}.service"
    else:
        yield "launchctl", "bootstrap", f"gui/{os.getuid()}", str(path)


def list_disabling(manager: Manager, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands by which it is started no more, and ended."""
    if manager is Manager.SYSTEMD:
        yield "systemctl", "--user", "disable", "--now", f"{name}.service"
    else:
        yield "launchctl", "bootout", f"gui/{os.getuid()}/{name}"


def _write_unit(service: Service) -> str:
    said = "".join(
        f"Environment={_quote(f'{name}={value}')}\n"
        for name, value in _environment(service.variables).items()
    )
    return f"""\
# {WRITTEN_BY}
# {_FOLDERS} {service.folders_made}
[Unit]
Description=AgentX: the memory of a project ({_double(str(service.root), "%")})

[Service]
Type=exec
ExecStart={_say(service.command)}
{said}WorkingDirectory=/
UMask=0077
Restart=on-failure
RestartSec={_RETRY_S}

[Install]
WantedBy=default.target
"""


def _write_plist(service: Service) -> str:
    plist = {
        "Label": service.name,
        "ProgramArguments": list(service.command),
        "EnvironmentVariables": _environment(service.variables),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": _RETRY_S,
        "ProcessType": "Background",
        "WorkingDirectory": "/",
        "Umask": 0o077,
        "StandardErrorPath": str(service.log),
    }
    head, brace, rest = plistlib.dumps(plist, sort_keys=False).decode().partition("<plist")
    # Two hyphens would end the comment, and there are none in it.
    return f"{head}<!-- {WRITTEN_BY}\n{_FOLDERS} {service.folders_made} -->\n{brace}{rest}"


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what the daemon has to be told: a service manager starts it with next to nothing."""
    said = {name: variables[name] for name in _KEPT if variables.get(name)}
    home = home_folder(variables)
    if home != _own_home():
        said["HOME"] = home
    places = (place for place in variables.get("PATH", "").split(":") if place.startswith("/"))
    if path := ":".join(dict.fromkeys(places)):
        said["PATH"] = path  # git, and an agent CLI that is a model, are found by it
    return said


def _own_home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _say(command: tuple[str, ...]) -> str:
    """Return a command as systemd reads it: `$` stands for variables, but not in a program."""
    program, *words = command
    return " ".join((_quote(program), *(_quote(_double(word, "$")) for word in words)))


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_double(escaped, "%")}"'


def _double(text: str, char: str) -> str:
    return text.replace(char, char * 2)
