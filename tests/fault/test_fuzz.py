"""Goal: whatever another program sends, it is taken, or refused by a sentence of ours: no
traceback, nobody waits for long, and the next honest request is answered.

Method: recorded payloads and transcripts of every agent CLI made wrong; messages and requests
with any value in any field, and any bytes, sent to a served memory over a real store. Hypothesis
chooses and shrinks; `make soak` goes on for much longer.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.adapters.port import Damaged, HookCall, Transcript
from agentx.adapters.registry import ADAPTERS
from agentx.daemon.activity import Activity
from agentx.daemon.servers import Host, Offer
from agentx.kernel.capture import Draft, Harness
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.memory.wire.calls import MEMORY_CALLS, SEARCH_CALLS
from agentx.memory.wire.hatch import exchange
from agentx.memory.wire.messages import SERVICE, path_of
from agentx.project.project import open_project
from agentx.surfaces.grpc.server import RpcServer
from agentx.surfaces.grpc.service import MemoryService
from agentx.surfaces.hatch.server import HatchServer
from agentx.wiring.memory import open_store
from tests.golden.story import RECORDED
from tests.support.desk import Desk, talk
from tests.support.mutation import ODD, mutate
from tests.support.remembering import environment_in, project_in, remember
from tests.support.time_and_chance import FakeClock

AT = Millis(1_794_701_700_000)
SLOW_S = 60.0
HOOKS = {
    Harness.CLAUDE_CODE: "claude-code-hooks.jsonl",
    Harness.CODEX: "codex-hooks.jsonl",
    Harness.GEMINI: "gemini-cli-hooks.jsonl",
    Harness.OPENCODE: "opencode-hook-payloads.jsonl",
    Harness.COPILOT: "claude-code-hooks.jsonl",  # none is recorded: those of another are odd enough
}
TRANSCRIPTS = {
    Harness.CLAUDE_CODE: "claude-code-transcript.jsonl",
    Harness.CODEX: "codex-rollout.jsonl",
    Harness.GEMINI: "gemini-cli-transcript.jsonl",
    Harness.COPILOT: "claude-code-transcript.jsonl",
}
# Calls that would change or rebuild a store of thousands of events at every example.
LONG = {"RebuildToc", "RebuildIndex", "SyncViews"}
Law = Callable[[int], None]
few = pytest.mark.parametrize("examples", [60, pytest.param(6_000, marks=pytest.mark.soak)])


def hold(law: Law, examples: int) -> None:
    """See that a law holds for so many seeds."""
    healthy = tuple(HealthCheck)
    run = settings(max_examples=examples, deadline=None, suppress_health_check=healthy)
    run(given(seed=st.integers(0, 1 << 32))(law))()


def _payloads(harness: Harness) -> list[Any]:
    lines = (RECORDED / HOOKS[harness]).read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [one.get("payload", one) for one in found]


@few
@pytest.mark.parametrize("harness", HOOKS)
def test_a_payload_of_a_hook_is_taken_whatever_it_says(harness: Harness, examples: int) -> None:
    recorded = _payloads(harness)
    shelf = Desk("memory", Path()).open()

    def law(seed: int) -> None:
        chance = random.Random(seed)
        raw = json.dumps(chance.choice(recorded)).encode()
        for _ in range(chance.randrange(1, 4)):
            raw = mutate(raw, chance)
        try:
            payload = json.loads(raw)
        except (ValueError, RecursionError):
            return
        if not isinstance(payload, dict):
            return
        call = HookCall(
            harness=harness,
            received_ms=AT,
            working_directory="/w",
            payload=payload,
            delivery=str(seed),
        )
        drafts = ADAPTERS[harness].drafts(call)
        assert all(isinstance(one, Draft) for one in drafts)
        with suppress(AgentXError):
            shelf.log.append(drafts)
        if seed % 8 == 0:
            shelf.contents.catch_up()

    hold(law, examples)


@few
@pytest.mark.parametrize("harness", TRANSCRIPTS)
def test_a_transcript_is_read_whatever_is_in_it(
    harness: Harness, examples: int, tmp_path: Path
) -> None:
    recorded = (RECORDED / TRANSCRIPTS[harness]).read_bytes()
    path = tmp_path / "session.jsonl"

    def law(seed: int) -> None:
        chance = random.Random(seed)
        raw = recorded
        for _ in range(chance.randrange(1, 5)):
            raw = mutate(raw, chance)
        path.write_bytes(raw)
        found = Transcript(
            harness=harness,
            path=path,
            size_bytes=len(raw),
            modified_ms=AT,
            working_directory="/w",
            session_id="",
        )
        said = list(ADAPTERS[harness].read(found))
        assert all(isinstance(one, Draft | Damaged) for one in said)

    hold(law, examples)


SETTINGS = (
    b'[toc]\ntimezone = "Europe/Lisbon"\n[work]\nclarify_max_rounds = 4\n'
    b'[memory]\nenabled = true\nmaxTokens = 4000\n[project]\nid = "shop"\n'
)


@few
def test_a_project_opens_whatever_its_settings_file_says(examples: int, tmp_path: Path) -> None:
    environment = environment_in(tmp_path)
    path = tmp_path / "shop" / ".agentx" / "config.toml"
    path.parent.mkdir(parents=True)

    def law(seed: int) -> None:
        path.write_bytes(mutate(SETTINGS, random.Random(seed)))
        open_project(path.parent.parent, environment)

    hold(law, examples)


@few
def test_settings_of_the_user_are_read_or_refused(examples: int, tmp_path: Path) -> None:
    environment = environment_in(tmp_path)
    environment.user_settings.parent.mkdir(parents=True)

    def law(seed: int) -> None:
        environment.user_settings.write_bytes(mutate(SETTINGS, random.Random(seed)))
        with suppress(AgentXError):
            open_project(tmp_path, environment)

    hold(law, examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A real memory behind both doors of a daemon."""

    channel: grpc.Channel
    hatch: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("f")
    project = remember(project_in(folder), [*talk("s-1"), *talk("s-2", words="limits")])
    with open_store(project) as memory:
        clock = FakeClock()
        host = Host(pid=7, started_ms=clock.now_ms(), clock=clock, end=lambda: None)
        offer = Offer(memory=memory, host=host, activity=Activity())
        servers = RpcServer(MemoryService(offer)), HatchServer(offer)
        address = servers[0].listen_on_socket(folder / "d.sock")
        servers[1].listen(folder / "h.sock")
        for server in servers:
            server.start()
        with grpc.insecure_channel(address) as channel:
            yield Served(channel=channel, hatch=servers[1].address)
        for server in servers:
            server.refuse_new_calls(0)
            server.wait_until_ended()


def _odd_value(field: Any, chance: random.Random, depth: int) -> Any:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            odd = [one for one in ODD if isinstance(one, str)]
            text = chance.choice(
                [*odd, "claude-code", "toc:year:2026", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]
            )
            return text.encode("utf-8", "replace").decode()
        case FieldDescriptor.CPPTYPE_BOOL:
            return chance.random() < 0.5
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return chance.choice([0.0, -1.0, 1e308, float("nan"), float("inf")])
        case FieldDescriptor.CPPTYPE_MESSAGE:
            return _odd_message(GetMessageClass(field.message_type), chance, depth + 1)
        case FieldDescriptor.CPPTYPE_INT32 | FieldDescriptor.CPPTYPE_UINT32:
            return chance.choice([0, 1, 7, (1 << 31) - 1])
        case _:
            return chance.choice([0, 1, 7, (1 << 62), AT])


def _odd_message(kind: Any, chance: random.Random, depth: int = 0) -> Any:
    message = kind()
    for field in kind.DESCRIPTOR.fields:
        if chance.random() < 0.5 or depth > 3:
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        is_many = field.is_repeated
        values = [
            _odd_value(field, chance, depth) for _ in range(chance.randrange(4) if is_many else 1)
        ]
        if is_many:
            getattr(message, field.name).extend(values)
        elif field.message_type is not None:
            getattr(message, field.name).CopyFrom(values[0])
        else:
            setattr(message, field.name, values[0])
    return message


@few
def test_a_message_over_grpc_is_answered_or_refused_whatever_is_in_it(
    served: Served, examples: int, caplog: pytest.LogCaptureFixture
) -> None:
    methods = [
        one
        for one in SERVICE.methods
        if not one.client_streaming and one.name not in LONG | {"Stop"}
    ]

    ask: Any = served.channel.unary_unary  # bytes in, bytes out

    def law(seed: int) -> None:
        chance = random.Random(seed)
        method = chance.choice(methods)
        raw = _odd_message(GetMessageClass(method.input_type), chance).SerializeToString()
        if chance.random() < 0.4:
            raw = mutate(raw, chance)
        began = time.monotonic()
        try:
            ask(path_of(method.name))(raw, timeout=SLOW_S)
        except grpc.RpcError as failure:
            said: Any = failure
            assert said.code() not in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN), (
                method.name,
                said.details(),
            )
        assert time.monotonic() - began < SLOW_S

    hold(law, examples)
    assert "Traceback" not in caplog.text


@few
def test_a_request_through_the_hatch_is_answered_or_refused_whatever_is_in_it(
    served: Served, examples: int, caplog: pytest.LogCaptureFixture
) -> None:
    names = [
        call.name
        for call in (*MEMORY_CALLS.values(), *SEARCH_CALLS.values())
        if call.name not in LONG | {"ForgetEvents"}
    ]
    given_to = {
        "query": {"limit": 5, "cursor": "", "session_id": "x", "since_ms": 1},
        "request": {"query": "why did we move?", "limit": 3, "kinds": ["event"], "now_ms": int(AT)},
        "node_id": "toc:year:2026",
        "event_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "grip_id": "grip:x",
        "before": 1,
        "after": 1,
        "limit": 5,
        "cursor": "",
    }

    def law(seed: int) -> None:
        chance = random.Random(seed)
        request = {"call": chance.choice(names), "project": "", "given": given_to}
        raw = json.dumps(request).encode()
        for _ in range(chance.randrange(1, 4)):
            raw = mutate(raw, chance)
        answer = exchange(
            served.hatch, raw[: 1 << 20], wait_ms=int(SLOW_S * 1000), answer_bytes_max=1 << 26
        )
        said = json.loads(answer)
        error = said.get("error", {"code": "", "message": ""})
        assert "the daemon failed" not in error["message"], (raw[:500], error)

    hold(law, examples)
    assert "Traceback" not in caplog.text
