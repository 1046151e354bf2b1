"""Goal: a service manager starts the daemon of a project whatever its path is, and learns no more.

Method: paths of every kind go into a file and are read back, as the service manager reads it.
"""

from __future__ import annotations

import plistlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.errors import InvalidValue
from agentx.operations.setup.service_files import (
    Manager,
    Service,
    count_folders_made,
    find_file,
    list_disabling,
    list_enabling,
    write_file,
)

VARIABLES = {
    "HOME": "/home/mira of the sea",
    "PATH": "/usr/bin:relative:/opt/a b/bin:/usr/bin",
    "XDG_DATA_HOME": "/data/100%",
    "ANTHROPIC_API_KEY": "sk-ant-nobody-may-see-this",
    "PYTHONPATH": "/repository",
}
# Whatever can be in a path and in a text: no control characters, no halves of characters.
NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn"), exclude_characters="/"))


def service(root: str, **more: int) -> Service:
    return Service(
        name="agentx-shop-1",
        root=Path("/", root),
        python="/opt/$pa ce%d/bin/python3",
        variables=VARIABLES,
        log=Path("/data/daemon.log"),
        **more,
    )


def read_words(unit: str, key: str) -> list[list[str]]:
    """Return what the lines of a key say, as systemd reads them: quoted, `%%` and `\\`."""
    found = []
    for line in unit.split("\n"):
        if line.startswith(f"{key}="):
            words = re.findall(r'"((?:[^"\\]|\\.)*)"', line.partition("=")[2])
            found.append([re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in words])
    return found


@given(NAMES)
def test_any_path_comes_back_from_a_unit_of_systemd(name: str) -> None:
    asked = service(name)
    unit = write_file(Manager.SYSTEMD, asked)
    ((program, *words),) = read_words(unit, "ExecStart")
    assert (program, *(word.replace("$$", "$") for word in words)) == asked.command
    assert unit.count("\n[") == 3, "no name makes a section of its own"
    assert not re.search(r"\\$", unit, flags=re.MULTILINE), "no line goes on in the next"


@given(NAMES)
def test_any_path_comes_back_from_a_file_of_launchd(name: str) -> None:
    asked = service(name)
    said = plistlib.loads(write_file(Manager.LAUNCHD, asked).encode())
    assert tuple(said["ProgramArguments"]) == asked.command
    assert said["KeepAlive"] == {"SuccessfulExit": False}


@pytest.mark.parametrize("manager", Manager)
def test_the_daemon_is_told_where_things_lie_and_no_secret(manager: Manager) -> None:
    text = write_file(manager, service("shop"))
    said = (
        {
            name: value
            for ((line,),) in [[each] for each in read_words(text, "Environment")]
            for name, _, value in [line.partition("=")]
        }
        if manager is Manager.SYSTEMD
        else plistlib.loads(text.encode())["EnvironmentVariables"]
    )
    assert said == {
        "HOME": VARIABLES["HOME"],
        "PATH": "/usr/bin:/opt/a b/bin",
        "XDG_DATA_HOME": VARIABLES["XDG_DATA_HOME"],
    }


@pytest.mark.parametrize("manager", Manager)
@pytest.mark.parametrize("name", ["new\nline", "bell\a", "half\udcff", "none\ufffe"])
def test_a_path_that_a_file_has_no_words_for_is_refused(manager: Manager, name: str) -> None:
    with pytest.raises(InvalidValue, match="cannot be written"):
        write_file(manager, service(name))


@pytest.mark.parametrize("manager", Manager)
def test_a_file_says_how_many_folders_were_made_for_it(manager: Manager) -> None:
    assert count_folders_made(write_file(manager, service("shop", folders_made=3))) == 3
    assert count_folders_made("") == 0
    assert count_folders_made("Folders made for it: 99999") == 0


def test_files_lie_where_a_service_manager_looks_for_them() -> None:
    name = "agentx-shop-1"
    at_home = find_file(Manager.SYSTEMD, name, {"HOME": "/h", "XDG_CONFIG_HOME": "relative"})
    assert at_home == Path("/h/.config/systemd/user/agentx-shop-1.service")
    elsewhere = find_file(Manager.SYSTEMD, name, {"HOME": "/h", "XDG_CONFIG_HOME": "/c"})
    assert elsewhere == Path("/c/systemd/user/agentx-shop-1.service")
    apple = find_file(Manager.LAUNCHD, name, {"HOME": "/h"})
    assert apple == Path("/h/Library/LaunchAgents/agentx-shop-1.plist")
    ((*_, unit),) = list_disabling(Manager.SYSTEMD, name)
    assert unit == "agentx-shop-1.service"
    ((*_, label),) = list_disabling(Manager.LAUNCHD, name)
    assert label.endswith("/agentx-shop-1")
    assert [*list_enabling(Manager.LAUNCHD, name, apple)][-1][-1] == str(apple)
    assert [*list_enabling(Manager.SYSTEMD, name, at_home)][-1][-1] == unit
