"""Goal: `agentx view` is a page for one browser, opened by who called it, gone when it ends.

Method: the installed command in a process of its own, asked over loopback by its own link.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.house import BIN, House

START_SECONDS = 20  # on a machine that is busy with all other tests; alone it takes half of one


@contextmanager
def page_of(house: House) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Give the process of a page and its link."""
    process = subprocess.Popen(
        [str(BIN / "agentx"), "view", "--no-open", "--json"],
        cwd=house.project,
        env=house.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = ""
        until = time.monotonic() + START_SECONDS
        while "token=" not in told and time.monotonic() < until:
            told += process.stdout.readline()
        yield process, json.loads(told)["link"]
    finally:
        process.kill()
        process.communicate(timeout=START_SECONDS)


@pytest.mark.promise("page.one-browser")
def test_the_page_is_served_to_who_has_its_link_and_ends_when_told(
    own_sample_house: House,
) -> None:
    house = own_sample_house
    with page_of(house) as (process, link):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/enter\?token=[0-9a-f]{64}", link)
        with urllib.request.urlopen(link, timeout=START_SECONDS) as door:
            cookie = door.headers["Set-Cookie"].partition(";")[0]
        base = link.partition("/enter")[0]
        asked = urllib.request.Request(f"{base}/sessions", headers={"Cookie": cookie})
        with urllib.request.urlopen(asked, timeout=START_SECONDS) as answer:
            shown = answer.read().decode()
        process.send_signal(signal.SIGTERM)
        code = process.wait(START_SECONDS)

    assert "Release 1.1.0 please" in shown
    assert code == 0
    assert not list(Path(house.home).rglob("view/*.html"))
