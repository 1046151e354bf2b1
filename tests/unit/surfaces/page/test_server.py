"""Goal: the server answers its own page in its own browser, and nobody else, whatever is sent.

Method: real requests over loopback, as browsers, other programs and nobody's browser send them.
"""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from agentx.kernel.errors import (
    AgentXError,
    CorruptRecord,
    InvalidValue,
    LimitError,
    LockHeld,
    NotFound,
    UnavailableError,
)
from agentx.project.roles.caller import Via, WhoCalls
from agentx.surfaces.page import desk, server
from agentx.surfaces.page.asked import find_status
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.server import ENTER
from agentx.surfaces.page.serving import open_server
from tests.support import browsing as browsing_module
from tests.support.browsing import PERSON, Browser, browsing
from tests.support.remembering import environment_in

PLACES = ("/", "/time", "/sessions", "/memory", "/search?q=x", "/live", "/static/page.js")


@pytest.mark.promise("page.one-browser")
@pytest.mark.parametrize("path", PLACES)
def test_without_the_cookie_nothing_is_told(browser: Browser, path: str) -> None:
    got = browser.get(path, Cookie="agentx-page-1=0")

    assert got.status == 403
    assert "Marstal" not in got.text
    assert "agentx view" in got.text


def test_the_link_is_used_up(browser: Browser) -> None:
    link = f"{ENTER}?token={browser.server.guard.link_token}"

    again = browser.get(link, Cookie="x=y")

    assert again.status == 403
    assert "set-cookie" not in again.headers
    assert browser.get(link).status == 303  # whom it let in goes on


def test_every_answer_forbids_what_a_page_elsewhere_could_do(browser: Browser) -> None:
    for got in (browser.get("/"), browser.get("/nowhere"), browser.get("/", Cookie="x=y")):
        policy = got.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert got.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in got.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_another_page_is_refused_though_it_had_the_cookie(
    browser: Browser, headers: dict[str, str]
) -> None:
    assert browser.get("/", **headers).status in (403, 421)


def test_a_form_of_another_page_changes_nothing(browser: Browser) -> None:
    path = "/memory/one/obs-x/drop"

    assert browser.post(path, "0" * 64).status == 403
    assert browser.post(path, "").status == 403
    no_origin = browser.ask("POST", path, "form_word=x")
    assert no_origin.status == 403


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"421"),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", b"501"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", b"421"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", b"421"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \xb2\r\n\r\n", b"421"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n", b"421"),
        (b"\x00\xff\x00\r\n\r\n", b""),
    ],
)
def test_what_is_no_request_of_a_browser_is_refused(
    browser: Browser, sent: bytes, status: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", browser.server.server_port), timeout=30) as made:
        made.sendall(sent)
        told = made.makefile("rb").read(400)

    assert status in told
    assert browser.get("/time").status == 200


def test_a_form_that_is_too_large_is_told_so(browser: Browser) -> None:
    got = browser.post("/memory/one/obs-x/edit", None, text="x" * 3_000_000)

    assert got.status == 413
    assert "go back" in got.text


def test_who_follows_holds_up_nobody_who_asks(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_AT_ONCE_MAX", 2)
    monkeypatch.setattr(server, "_STREAMS_MAX", 2)
    monkeypatch.setattr(browsing_module, "_WAIT_S", 5)
    asked = "GET /live HTTP/1.1\r\nHost: {0.host}\r\nCookie: {0.cookie}\r\n\r\n"
    with ExitStack() as open_, browsing(root / "shop", environment_in(root), PERSON) as one:
        told = []
        for _ in range(3):
            stream = open_.enter_context(
                socket.create_connection(("127.0.0.1", one.server.server_port), timeout=5)
            )
            stream.sendall(asked.format(one).encode())
            told.append(stream.makefile("rb").readline())

        assert [each.split()[1] for each in told] == [b"200", b"200", b"503"]
        assert one.get("/lessons").status == 200


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("x"), 404),
        (InvalidValue("x"), 400),
        (LimitError("x"), 400),
        (LockHeld("x"), 409),
        (CorruptRecord("x"), 503),
        (UnavailableError("x"), 503),
    ],
)
def test_what_went_wrong_is_said_by_who_can_mend_it(error: AgentXError, status: int) -> None:
    assert find_status(error) == status


def test_a_daemon_that_was_ended_is_sent_for_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(desk, "call_daemon", lambda project: sent.append(project.id))
    here = PageDesk(root / "shop", environment_in(root), PERSON)
    here.look()
    here.call_daemon()
    here.look()
    assert len(sent) == 1, "and not with each look"

    monkeypatch.setattr(desk, "_CALLED_SECONDS", 0.0)
    here.look()

    assert len(sent) == 2


def test_what_is_not_there_is_said_with_what_to_do(browser: Browser) -> None:
    for path in ("/nowhere", "/time/toc:day:2026-99-99", "/session/none", "/show/xyz", "/run/none"):
        got = browser.get(path)
        assert got.status in (400, 404), path
        assert "What to do" in got.text, path


def test_a_port_that_is_taken_is_said(browser: Browser, root: Path) -> None:
    with pytest.raises(UnavailableError, match="another program listens there"):
        open_server(
            PageDesk(root / "shop", environment_in(root), PERSON), browser.server.server_port
        )


@pytest.mark.promise("page.persons-hands")
def test_an_agent_sees_and_changes_nothing(root: Path) -> None:
    agent = WhoCalls(via=Via.AGENT, agent="claude-code")
    with browsing(root / "shop", environment_in(root), agent) as watched:
        shown = watched.get("/memory").text
        told = watched.get("/told").text
        done = watched.post("/lessons", said="accept", key="x", run="y")

    assert "only a person changes memory" in shown
    assert 'method="post"' not in shown + told
    assert done.status == 400
    assert "only a person" in done.text


def test_a_folder_without_memory_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with browsing(tmp_path / "shop", environment_in(tmp_path)) as empty:
        home = empty.get("/")
        others = [empty.get(path).status for path in ("/time", "/sessions", "/memory", "/told")]

    assert "agentx init" in home.text
    assert others == [200] * 4
    assert not (tmp_path / "home" / ".local").exists()
