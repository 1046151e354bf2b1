"""Goal: no session, folder or note makes the daemon of a hook run foreign code, hang or multiply.

Method: hooks as agent CLIs call them, from hostile folders and with hostile notes; real processes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentx.daemon.limits import AUTO_DAEMONS_MAX
from agentx.project.project import find_natural_id
from agentx.surfaces.hooks import main as hooks
from tests.support.company import WITH_DAEMON, begin, end_all, running, session, until
from tests.support.house import House, processes_of


@pytest.fixture
def company(house: House) -> Iterator[House]:
    """Give a house; whatever runs in it is ended."""
    yield house
    end_all(house)


def send_for_one(
    house: House, folder: Path | None = None, env: dict[str, str] | None = None
) -> None:
    """Begin a session, for which no agent CLI may wait."""
    before = time.monotonic()
    begin(house, folder=folder, env=env)
    assert time.monotonic() - before < 30, "the agent CLI waited"


def spool_of(house: House) -> Path:
    (folder,) = (each for each in house.data.spools.iterdir() if each.is_dir())
    return folder


def test_what_a_session_says_to_python_and_git_is_not_said_to_its_daemon(company: House) -> None:
    foreign = company.root / "foreign"
    code = f"open({str(foreign)!r}, 'w').close()"
    for name in ("sitecustomize", "agentx", "click", "grpc", "msgspec"):
        (company.project / f"{name}.py").write_text(code)
    here = str(company.project)

    said = {"PYTHONPATH": here, "PYTHONHOME": here, "PYTHONOPTIMIZE": "2", "GIT_DIR": here}
    send_for_one(company, env=said)

    until(lambda: len(running(company)) == 1)
    assert not foreign.exists(), "the repository's code ran"
    (pid,) = running(company)
    environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert not [one for one in environ if one.startswith((b"PYTHON", b"GIT_", b"PWD="))]


@pytest.mark.parametrize("name", ["--help\n'\"\\$(touch x)\U0001f680 ", "x" * 200])
def test_a_folder_of_any_name_has_its_daemon_and_sends_for_no_second(
    company: House, name: str
) -> None:
    folder = company.root / "odd" / name
    folder.mkdir(parents=True)
    send_for_one(company, folder)
    until(lambda: len(running(company)) == 1 and (spool_of(company) / "store").exists())

    os.utime(spool_of(company) / "called", (1, 1))
    send_for_one(company, folder)

    assert (spool_of(company) / "called").stat().st_mtime == 1


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_a_note_that_somebody_was_sent_for_may_be_anything(company: House, kind: str) -> None:
    send_for_one(company, env={"CI": "true"})
    note = spool_of(company) / "called"
    if kind == "pipe":
        os.mkfifo(note)
    else:
        note.symlink_to(company.root / "elsewhere")
    os.utime(note, (1, 1), follow_symlinks=False)

    send_for_one(company, env={"CI": "false"})

    until(lambda: len(running(company)) == 1)
    assert not (company.root / "elsewhere").exists()


@pytest.mark.parametrize("names", [("daemon.json", "daemon.lock"), ("daemon.log", "hatch.sock")])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_nobody_waits_for_what_lies_in_the_place_of_a_file(
    company: House, names: tuple[str, ...], make: Callable[[Path], None]
) -> None:
    store = company.data.store(find_natural_id(company.project, company.data))
    store.root.mkdir(parents=True, mode=0o700)
    for name in names:
        make(store.root / name)

    send_for_one(company)

    until((spool_of(company) / "called").exists)
    time.sleep(0.3)
    company.agentx("daemon", "status")
    company.agentx("status", expect=None)
    until(lambda: len(processes_of(company.home)) == len(running(company)))


def test_nothing_that_the_session_holds_back_or_holds_open_passes_to_its_daemon(
    company: House,
) -> None:
    read, write = os.pipe()
    far = 900
    os.dup2(write, far, inheritable=True)
    os.close(write)
    held = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        subprocess.run(
            # Without the shell: some shells hold nothing back.
            [sys.executable, "-I", "-S", hooks.__file__, "--harness", "claude-code"],
            input=json.dumps(session("s-1", "SessionStart")).encode(),
            cwd=company.project,
            env={**company.environment, **WITH_DAEMON},
            pass_fds=(far,),
            capture_output=True,
            check=True,
            timeout=60,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(far)
    os.set_blocking(read, False)
    assert os.read(read, 1) == b"", "whoever waits for the other end waits for the hook alone"
    os.close(read)
    until(lambda: len(running(company)) == 1)

    (pid,) = running(company)
    os.kill(pid, signal.SIGTERM)

    until(lambda: not processes_of(company.home), seconds=60)


def test_six_projects_that_begin_at_once_have_no_more_daemons_than_may_be(company: House) -> None:
    folders = [company.root / "six" / str(number) for number in range(6)]
    for folder in folders:
        folder.mkdir(parents=True)
    most = 0

    def look() -> bool:
        nonlocal most
        serving = len(running(company))
        most = max(most, serving)
        if len(processes_of(company.home)) != serving:
            return False  # some come yet, or go
        if serving < AUTO_DAEMONS_MAX:  # for who found no place in time the next session sends
            for note in company.data.spools.glob("*/called"):
                os.utime(note, (1, 1))
            for folder in folders:
                send_for_one(company, folder)
        return serving == AUTO_DAEMONS_MAX

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda folder: send_for_one(company, folder), folders))
    until(look, seconds=120)

    assert most <= AUTO_DAEMONS_MAX
