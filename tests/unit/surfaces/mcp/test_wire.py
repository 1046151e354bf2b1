"""Goal: whatever a client sends, it is answered as the protocol says, and the server goes on.

Method: a server over two pipes, with tools that do what the test says, spoken to line by line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from select import select
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.surfaces.mcp.offered.toolsets import Toolsets
from agentx.surfaces.mcp.wire import lines as lines_of
from agentx.surfaces.mcp.wire.calls import CalledOffError, check_wanted, tell_far, work_while
from agentx.surfaces.mcp.wire.eras import HANDSHAKES
from agentx.surfaces.mcp.wire.lines import Lines, TooLong
from agentx.surfaces.mcp.wire.messages import Refusal, parse_line, read_request
from agentx.surfaces.mcp.wire.server import _FINISH_S, McpServer

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
WAIT_S = 60


class Tools:
    """Says what it was called with; `slow` waits to be let go."""

    def __init__(self) -> None:
        self.may_go = Event()
        self.begun = Event()
        self.called: list[str] = []

    def call_tool(self, params: dict[str, Any]) -> dict[str, Any]:
        """Do a tool's work."""
        self.called.append(str(params.get("name")))
        if params.get("name") == "slow":
            self.begun.set()
            self.may_go.wait(WAIT_S)
        if params.get("name") == "far":
            tell_far(2, 60, "CLR-1-001 waits for architect")
        if params.get("name") == "broken":
            raise RecursionError
        return {"content": [{"type": "text", "text": f"{params.get('name')} done"}]}

    get_prompt = read_resource = call_tool


class Client:
    """One client, and the server it talks to."""

    def __init__(self, toolsets: Toolsets | None = None) -> None:
        from_client, self.writing = os.pipe()
        self.reading, to_client = os.pipe()
        self.server_ends = from_client, to_client
        self.tools = Tools()
        server = McpServer(
            Lines(from_client, to_client), toolsets or Toolsets("memory"), self.tools
        )

        def serve() -> None:
            server.serve()
            os.close(from_client)
            os.close(to_client)

        self.thread = Thread(target=serve, daemon=True)
        self.thread.start()
        self._held = b""

    def send(self, *lines: Any) -> None:
        """Send each as a line: bytes as they are, all else as JSON."""
        for line in lines:
            raw = line if isinstance(line, bytes) else json.dumps(line).encode()
            os.write(self.writing, raw + b"\n")

    def hear(self) -> Any:
        """Return the next thing that the server says."""
        while b"\n" not in self._held:
            assert select([self.reading], [], [], WAIT_S)[0], "nothing was said"
            piece = os.read(self.reading, 1 << 16)
            assert piece, "the server left"
            self._held += piece
        line, _, self._held = self._held.partition(b"\n")
        return json.loads(line)

    def ask(self, method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
        """Return the answer to one request."""
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer: dict[str, Any] = self.hear()
        assert answer["id"] == number
        return answer

    def leave(self) -> None:
        """Hang up, and see that the server goes."""
        os.close(self.writing)
        self.tools.may_go.set()
        self.thread.join(WAIT_S)
        assert not self.thread.is_alive()
        os.close(self.reading)


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.leave()


@pytest.mark.parametrize("asked", [*HANDSHAKES, "2026-07-28", "1999-01-01", None, 7, ["x"]])
def test_the_version_that_was_asked_for_is_spoken_or_our_newest(
    client: Client, asked: object
) -> None:
    result = client.ask("initialize", protocolVersion=asked)["result"]

    assert result["protocolVersion"] == (asked if asked in HANDSHAKES else "2025-11-25")
    assert result["capabilities"]["tools"] == {"listChanged": True}
    assert result["serverInfo"]["name"] == "agentx"
    assert client.ask("ping")["result"] == {}


def test_a_client_without_a_handshake_is_served_in_its_own_era(client: Client) -> None:
    found = client.ask("server/discover", _meta=ENVELOPE)["result"]
    tools = client.ask("tools/list", _meta=ENVELOPE)["result"]
    other = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}

    assert found["supportedVersions"] == ["2026-07-28"]
    assert (tools["resultType"], tools["ttlMs"], tools["cacheScope"]) == ("complete", 0, "private")
    assert len(tools["tools"]) == 5
    assert client.ask("ping", _meta=ENVELOPE)["error"]["code"] == -32601
    refused = client.ask("tools/list", _meta=other)["error"]
    assert (refused["code"], refused["data"]["supported"]) == (-32022, ["2026-07-28"])
    assert client.ask("tools/call", name="x", _meta=ENVELOPE)["result"]["resultType"] == "complete"
    del other["io.modelcontextprotocol/clientCapabilities"]
    other["io.modelcontextprotocol/protocolVersion"] = "2026-07-28"
    assert client.ask("tools/list", _meta=other)["error"]["code"] == -32602


def test_every_list_is_answered_and_goes_no_further(client: Client) -> None:
    names = {
        "tools/list": "tools",
        "prompts/list": "prompts",
        "resources/list": "resources",
        "resources/templates/list": "resourceTemplates",
    }
    for method, name in names.items():
        assert client.ask(method)["result"][name]
        assert client.ask(method, cursor="x")["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700),
        (b"[" * 100_000, -32700),
        (b'{"id":' + b"9" * 5_000 + b',"method":"ping"}', -32700),
        (b"[]", -32600),
        (b"[" + b"7," * 100 + b"7]", -32600),
        (b"7", -32600),
        (b"null", -32600),
        (b'{"id":1}', -32600),
        (b'{"id":1.5,"method":"ping"}', -32600),
        (b'{"id":true,"method":"ping"}', -32600),
        (b'{"id":{},"method":"ping"}', -32600),
        (b'{"id":1,"method":["ping"]}', -32600),
        (b'{"id":1,"method":"ping","params":[1]}', -32602),
        (b'{"id":1,"method":"nonsense"}', -32601),
        (b'{"id":1,"method":"subscriptions/listen"}', -32601),
    ],
)
def test_garbage_is_answered_once_and_the_next_request_too(
    client: Client, line: bytes, code: int
) -> None:
    client.send(line)

    assert client.hear()["error"]["code"] == code
    assert client.ask("ping", 2)["result"] == {}


def test_what_wants_no_answer_gets_none(client: Client) -> None:
    client.send(
        b"",
        b"   ",
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/nonsense", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
    )

    assert client.ask("ping", "\ud800")["result"] == {}


def test_a_list_of_requests_is_answered_with_a_list(client: Client) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "a"}},
        7,
    ]
    client.send(batch)
    answers = client.hear()
    client.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])

    assert [answer["id"] for answer in answers] == [1, 2, None]
    assert client.ask("ping")["result"] == {}


def test_a_slow_call_holds_nobody_up_and_a_cancelled_one_is_not_answered(client: Client) -> None:
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "slow"}}
    client.send({**call, "id": 1}, {**call, "id": 2})
    assert client.tools.begun.wait(WAIT_S)
    quick = client.ask("ping", 3)
    cancel = {"requestId": 1, "reason": "no"}
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    assert client.ask("ping", 4)["result"] == {}
    client.tools.may_go.set()

    assert quick["result"] == {}
    assert client.hear()["id"] == 2
    assert client.ask("ping", 5)["id"] == 5


def test_a_call_that_is_called_off_while_it_waits_is_never_begun(client: Client) -> None:
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "slow"}}
    late = {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": "late"}}
    client.send(*({**call, "id": number} for number in range(8)), late)
    assert client.tools.begun.wait(WAIT_S)
    cancel = {"requestId": 99}
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    assert client.ask("ping", 100)["result"] == {}
    client.tools.may_go.set()

    assert {client.hear()["id"] for _ in range(8)} == set(range(8))
    assert client.ask("ping", 101)["id"] == 101
    assert "late" not in client.tools.called


def test_who_waited_for_its_turn_asks_whether_it_is_still_wanted() -> None:
    wanted = [True]

    def work() -> str:
        check_wanted()
        wanted[0] = False
        check_wanted()
        return "done"

    check_wanted()  # nobody called, so nobody called it off
    with pytest.raises(CalledOffError):
        work_while(lambda: wanted[0], work)
    assert work_while(lambda: True, lambda: "done") == "done"


def test_who_wants_to_hear_how_far_a_call_is_is_told(client: Client) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    client.send({**call, "params": {"name": "far", "_meta": {"progressToken": "t-1"}}})
    told, answer = client.hear(), client.hear()
    assert (told["method"], answer["id"]) == ("notifications/progress", 1)
    message = "CLR-1-001 waits for architect"
    far = {"progressToken": "t-1", "progress": 2, "total": 60, "message": message}
    assert told["params"] == far

    for meta in ({}, {"progressToken": True}, {"progressToken": None}, "x"):
        client.send({**call, "params": {"name": "far", "_meta": meta}})
        assert client.hear()["id"] == 1, meta


def test_a_tool_that_breaks_is_answered_for(client: Client) -> None:
    broken = client.ask("tools/call", name="broken")["error"]

    assert (broken["code"], broken["message"]) == (-32603, "this went wrong: RecursionError")
    assert client.ask("tools/call", name="a")["result"]


def test_a_long_line_is_read_and_an_endless_one_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    padded = {"name": "x" * 3_000_000}
    client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": padded})
    assert len(client.hear()["result"]["content"][0]["text"]) > 3_000_000

    monkeypatch.setattr(lines_of, "LINE_BYTES_MAX", 1_000_000)
    client.send(b"x" * 2_500_000)

    assert client.hear()["error"]["code"] == -32600
    assert client.ask("ping")["result"] == {}


def test_who_listens_hears_of_more_tools_and_nobody_else_does() -> None:
    found: set[str] = set()
    may_look = Event()

    def look() -> frozenset[str]:
        may_look.wait(WAIT_S)
        return frozenset(found)

    client = Client(Toolsets("", has_role=True, look=look))
    client.send(
        {
            "jsonrpc": "2.0",
            "id": "ear",
            "method": "subscriptions/listen",
            "params": {"_meta": ENVELOPE, "notifications": {"toolsListChanged": True}},
        }
    )
    granted = client.hear()
    client.ask("initialize", protocolVersion="2025-06-18")
    before = client.ask("tools/list")["result"]["tools"]
    found.add("runs")
    may_look.set()
    told = [client.hear(), client.hear()]
    after = client.ask("tools/list")["result"]["tools"]
    client.leave()

    tag = {"io.modelcontextprotocol/subscriptionId": "ear"}
    changed = "notifications/tools/list_changed"
    assert granted["params"] == {"_meta": tag, "notifications": {"toolsListChanged": True}}
    assert (len(before), len(after)) == (5, 10)
    assert told[0] == {"jsonrpc": "2.0", "method": changed}
    assert told[1] == {"jsonrpc": "2.0", "method": changed, "params": {"_meta": tag}}


def test_a_client_that_hung_up_without_listening_ends_the_server() -> None:
    client = Client()
    os.close(client.reading)
    client.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    os.close(client.writing)
    client.thread.join(WAIT_S)

    assert not client.thread.is_alive()


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_line_is_a_request_an_answer_or_a_failure(line: bytes) -> None:
    with suppress(Refusal):
        read_request(parse_line(line))


def test_a_pipe_that_never_waits_is_waited_for() -> None:
    client = Client()
    os.set_blocking(client.server_ends[0], False)
    os.set_blocking(client.server_ends[1], False)
    client.send(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x" * 10**6}}
    )

    assert len(client.hear()["result"]["content"][0]["text"]) > 10**6
    client.leave()


def test_a_line_that_comes_in_pieces_is_one_line() -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"a"')
    got = Lines(reading, writing).read(lambda: 0.01)
    silence = next(got)
    os.write(writing, b':1}\n\n{"b":2}\nrest')
    whole = [next(got), next(got)]
    os.close(writing)

    assert silence is None
    assert whole == [b'{"a":1}', b'{"b":2}']
    assert list(got) == [b"rest"]
    assert isinstance(TooLong(), TooLong)
    os.close(reading)


@pytest.mark.parametrize("reads_on", [True, False])
def test_who_hung_up_is_answered_while_it_reads_and_not_waited_for_once_it_is_gone(
    reads_on: bool,
) -> None:
    client = Client()
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}
    client.send(call)
    assert client.tools.begun.wait(WAIT_S)

    os.close(client.writing)
    if reads_on:
        client.tools.may_go.set()
        assert client.hear()["id"] == 1
    os.close(client.reading)

    client.thread.join(_FINISH_S / 2)
    assert not client.thread.is_alive()
    client.tools.may_go.set()
