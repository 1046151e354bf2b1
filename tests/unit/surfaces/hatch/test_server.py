"""Goal: whatever comes in through the hatch, the daemon goes on, and says what was wrong.

Method: the real server on a real socket; raw bytes, as a broken or hostile program sends them.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentx.kernel.errors import DaemonUnavailable, LimitError
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.limits import HATCH_REQUEST_BYTES_MAX
from agentx.memory.remote import dial
from agentx.memory.wire import hatch_connection
from agentx.memory.wire.hatch import exchange
from agentx.operations.recall.telling import TELL, Telling, TellRequest
from agentx.surfaces.hatch import server
from tests.support.drafts import draft
from tests.support.served import Served, serve


@pytest.fixture
def served(short_path: Path) -> Iterator[Served]:
    with serve(short_path, through_hatch=True) as made:
        yield made
        assert made.remote.status().log.events >= 0, "the daemon goes on"


def send(served: Served, payload: bytes) -> dict[str, Any]:
    """Send bytes as one request; return the answer."""
    answer = exchange(served.hatch.address, payload, wait_ms=60_000, answer_bytes_max=1 << 20)
    said: dict[str, Any] = json.loads(answer)
    return said


def call(served: Served) -> socket.socket:
    caller = socket.socket(socket.AF_UNIX)
    caller.settimeout(60)
    caller.connect(served.hatch.address)
    return caller


def test_the_socket_is_its_users_alone(served: Served) -> None:
    assert Path(served.hatch.address).stat().st_mode & 0o777 == 0o600


def test_a_daemon_that_is_away_for_a_moment_is_asked_again_and_one_that_is_gone_is_not_waited_for(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = Path(served.hatch.address)
    aside = address.with_suffix(".aside")
    address.rename(aside)
    back = threading.Timer(0.2, aside.rename, (address,))
    with dial("unix:/nowhere", hatch=str(address)) as remote:
        with monkeypatch.context() as patient:
            patient.setattr(hatch_connection, "_AWAY_MS_MAX", 60_000)
            back.start()
            assert remote.status().log.events >= 0
            back.join()

        address.rename(aside)
        began = time.monotonic()
        with pytest.raises(DaemonUnavailable):
            remote.status()
        assert time.monotonic() - began < 50
        aside.rename(address)


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\x00garbage" * 100, "not JSON"),
        (b"x" * HATCH_REQUEST_BYTES_MAX, "not JSON"),
        (b"9" * 100_000, "not JSON"),
        (b"[" * HATCH_REQUEST_BYTES_MAX, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"{}", "'None' is no call"),
        (b'{"call":"Shout"}', "'Shout' is no call"),
        (b'{"call":["GetStatus"]}', "is no call"),
        (b'{"call":"IngestEvent"}', "'IngestEvent' is no call"),
        (b'{"call":"GetStatus","project":7}', "project is no string"),
        (b'{"call":"GetStatus","project":"../../etc"}', "cannot be a folder name"),
        (b'{"call":"GetStatus","given":[]}', "an array: not an object"),
        (b'{"call":"GetEvents"}', "query is missing"),
        (b'{"call":"GetEvents","given":{"query":7}}', "query is 7: not an object"),
        (b'{"call":"GetEvents","given":{"query":{"limit":"x"}}}', "query.limit is 'x'"),
        (b'{"call":"GetEvents","given":{"query":{"limit":true}}}', "query.limit is True"),
        (b'{"call":"GetEvents","given":{"query":{"limit":1e400}}}', "query.limit is inf"),
        (b'{"call":"GetEvents","given":{"query":{"limit":' + b"9" * 30 + b"}}}", "64 bits"),
        (b'{"call":"GetEvents","given":{"query":{"newest_first":0}}}', "not true or false"),
        (b'{"call":"RouteQuery","given":{"request":{"query":null}}}', "request.query is null"),
        (b'{"call":"RouteQuery","given":{"request":{"query":"a","kinds":[1]}}}', "kinds[0] is 1"),
    ],
)
def test_what_is_wrong_is_refused_by_its_name(
    served: Served, payload: bytes, sentence: str
) -> None:
    error = send(served, payload)["error"]

    assert sentence in error["message"] + error["hint"]
    assert error["code"] in ("invalid_value", "input")
    assert error["hint"]


def test_half_a_character_becomes_the_replacement_character(served: Served) -> None:
    asked: list[SearchRequest] = []

    def note(request: SearchRequest) -> SearchReply:
        asked.append(request)
        return SearchReply(hits=())

    served.memory.search = note  # type: ignore[method-assign]  # a note of what arrives

    send(served, b'{"call":"RouteQuery","given":{"request":{"query":"a\\ud83d b"}}}')

    assert asked[0].query == "a\ufffd b"


def test_what_is_not_known_is_passed_over(served: Served) -> None:
    served.remote.append([draft("one")])

    said = send(
        served,
        b'{"call":"GetEvents","later":1,"given":{"later":2,"query":{"later":3,"limit":5}}}',
    )

    assert [event["text"] for event in said["reply"]["events"]] == ["one"]


def test_a_request_larger_than_may_be_is_refused_and_its_bytes_are_not_kept(
    served: Served,
) -> None:
    with call(served) as caller:
        caller.sendall((0xFFFF_FFFF).to_bytes(4) + b"x" * 100_000)
        answer = caller.recv(65_536)

    assert b'"code":"limit"' in answer
    assert b"more than 1,048,576" in answer


def test_a_client_sends_no_request_that_would_be_refused_for_its_size(served: Served) -> None:
    with pytest.raises(LimitError, match="more than a daemon takes"):
        served.remote.search(SearchRequest(query="x" * HATCH_REQUEST_BYTES_MAX))


@pytest.mark.parametrize("sent", [b"", b"\x00", b"\x00\x00\x00\x10", b"\x00\x00\x00\x10{abc"])
def test_a_caller_that_leaves_half_way_costs_nothing(served: Served, sent: bytes) -> None:
    for _ in range(200):
        with call(served) as caller:
            caller.sendall(sent)

    assert served.remote.status().log.events == 0


def test_callers_that_say_nothing_are_cut_off_and_others_wait_no_longer(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HATCH_ARRIVAL_MS", 300)
    silent = [call(served) for _ in range(100)]

    began = time.monotonic()
    assert served.remote.status().log.events == 0
    took = time.monotonic() - began

    assert took < 20, "each of them is given 0.3 s, but not one after the other"
    for caller in silent:
        assert caller.recv(1) == b"", "it was cut off"
        caller.close()


def test_a_caller_that_does_not_take_its_answer_is_cut_off(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HATCH_DEPARTURE_MS", 200)
    served.remote.append([draft("x" * 900_000, at=at) for at in range(3)])
    request = b'{"call":"GetEvents","given":{"query":{}}}'
    with call(served) as caller:
        caller.sendall(len(request).to_bytes(4) + request)
        caller.recv(1)  # it has begun
        deadline = time.monotonic() + 60
        while served.hatch._count() and time.monotonic() < deadline:
            time.sleep(0.02)

        assert served.hatch._count() == 0


def test_many_at_once_are_all_answered(served: Served) -> None:
    served.remote.append([draft("one")])
    seen: list[int] = []

    def ask() -> None:
        seen.extend(served.remote.status().log.events for _ in range(10))

    askers = [threading.Thread(target=ask) for _ in range(100)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(60)

    assert seen == [1] * 1000


class Maker:
    """Makes sections slowly, and notes for whom, and how many at once."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.may_go_on = threading.Event()

    def make(self, _memory: object, *, request: TellRequest, **_given: object) -> Telling:
        self.asked.append(request.session)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        assert self.may_go_on.wait(60)
        time.sleep(0.02)
        self.at_once -= 1
        return Telling(prepared=request.session)


@pytest.fixture
def maker(short_path: Path) -> Iterator[tuple[Maker, Served]]:
    made = Maker()
    with serve(short_path, through_hatch=True, besides=((TELL, made.make),)) as served:
        yield made, served


def begin_asking(served: Served, session: str) -> socket.socket:
    request = {"harness": "codex", "moment": "prompt", "session": session}
    given = {"directory": "/", "variables": {}, "request": request}
    said = json.dumps({"call": TELL.name, "given": given}).encode()
    caller = call(served)
    caller.sendall(len(said).to_bytes(4) + said)
    return caller


def await_asked(made: Maker, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(made.asked) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(made.asked) == count


def test_sections_are_made_one_after_the_other(maker: tuple[Maker, Served]) -> None:
    made, served = maker
    callers = [begin_asking(served, f"s-{number}") for number in range(8)]
    made.may_go_on.set()

    answers = [caller.recv(65_536) for caller in callers]

    assert sorted(made.asked) == [f"s-{number}" for number in range(8)]
    assert all(b'"prepared"' in answer for answer in answers)
    assert made.most_at_once == 1
    for caller in callers:
        caller.close()


def test_nothing_is_made_for_who_no_longer_waits(maker: tuple[Maker, Served]) -> None:
    made, served = maker
    first = begin_asking(served, "first")
    await_asked(made, 1)
    for number in range(20):
        begin_asking(served, f"gone-{number}").close()
    last = begin_asking(served, "last")
    last.shutdown(socket.SHUT_WR)  # it has nothing more to say, and waits
    made.may_go_on.set()

    assert b"first" in first.recv(65_536)
    assert b"last" in last.recv(65_536)
    assert made.asked == ["first", "last"]
    first.close()
    last.close()


def test_other_questions_do_not_wait_for_a_section(maker: tuple[Maker, Served]) -> None:
    made, served = maker
    with begin_asking(served, "first") as caller:
        await_asked(made, 1)

        assert served.remote.status().log.events == 0

        made.may_go_on.set()
        assert b"first" in caller.recv(65_536)


def test_a_daemon_that_lost_its_hatch_is_asked_over_grpc(served: Served) -> None:
    Path(served.hatch.address).unlink()

    assert served.remote.status().served_by == "daemon"


def test_an_answer_that_is_cut_off_is_a_daemon_that_does_not_answer(short_path: Path) -> None:
    path = short_path / "hatch.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def die_half_way() -> None:
            caller, _ = listener.accept()
            with caller:
                caller.recv(65_536)
                caller.sendall(b"\x00\x00\x01\x00{")

        dying = threading.Thread(target=die_half_way)
        dying.start()
        with (
            dial("unix:/nowhere", hatch=str(path)) as remote,
            pytest.raises(DaemonUnavailable, match="does not answer") as failure,
        ):
            remote.status()
        dying.join(60)

    assert "agentx daemon stop" in failure.value.hint


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
def test_another_users_process_is_not_answered(served: Served) -> None:
    path = Path(served.hatch.address)
    path.parent.chmod(0o777)
    path.chmod(0o666)

    request = b'{"call":"GetStatus"}'
    script = (
        "import os,socket,sys\nos.setuid(65534)\n"
        "s=socket.socket(socket.AF_UNIX)\ns.settimeout(60)\ns.connect(sys.argv[1])\n"
        f"try:\n s.sendall({len(request).to_bytes(4) + request!r})\n print(s.recv(100))\n"
        "except ConnectionError: print(b'')"
    )
    said = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60
    )

    assert said.stdout == "b''\n", said.stderr
