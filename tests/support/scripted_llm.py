"""A provider in the hands of a test: a loopback server that speaks all three wire formats.

It plays a script, one step a request; the last step is played for ever. Which of Anthropic
Messages, chat completions and `generateContent` it speaks follows from the path. Every
request is kept, and every answer that it would charge for is added up.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.loopback import listening
from tests.support.scripted_talk import (
    Called,
    fault_in_dialogue,
    write_anthropic,
    write_gemini,
    write_openai,
)

# Of no known form, so that only what knows the key can hide it.
KEY = "quiet-lantern-harbour"
INPUT_TOKENS, OUTPUT_TOKENS = 120, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What happens to one request."""

    answer: object = "yes"  # text, or a value where structured output was asked for
    calls: tuple[Called, ...] = ()  # of tools, beside the text
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None  # the whole reply, instead of an answer
    usage: tuple[int, int] | None = (INPUT_TOKENS, OUTPUT_TOKENS)
    ended: str = "stop"  # or "length", or "refusal"
    delay_ms: int = 0
    drip_ms: int = 0  # between two bytes
    drips_head: bool = False  # of its head, too
    breaks: bool = False  # closes the connection instead of answering


def says(answer: object, **more: Any) -> Step:
    """Answer."""
    return Step(answer=answer, **more)


def calls(*called: Called, text: str = "", **more: Any) -> Step:
    """Call tools."""
    return Step(answer=text, calls=called, **more)


def fails(status: int, message: str = "no", **headers: str) -> Step:
    """Refuse, as all three providers do it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    raw = json.dumps({"error": {"type": "some_error", "message": message}}).encode()
    return Step(status=status, raw=raw, headers=named)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class ScriptedLlm:
    """The script, what was asked, and what it would have cost."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps) or [Step()]
        self.asked: list[Asked] = []
        self.refused: list[str] = []  # dialogues that no provider would take, and why
        self.charged_tokens = 0
        self.port = 0
        self.stopping = threading.Event()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def serving(self) -> Iterator[ScriptedLlm]:
        """Listen on a free port of the loopback until the block ends."""
        server = _Server(("127.0.0.1", 0), _Handler)
        server.llm = self
        with listening(server) as self.port:
            try:
                yield self
            finally:
                self.stopping.set()

    def next_step(self, asked: Asked) -> Step:
        """Note a request; return what happens to it."""
        with self._lock:
            self.asked.append(asked)
            refused = fault_in_dialogue(asked.path, asked.body)
            if refused:
                self.refused.append(refused)
                return fails(400, refused)
            step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
            if step.status == 200 and step.usage is not None:
                self.charged_tokens += sum(step.usage)
            return step


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True
    llm: ScriptedLlm

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: clients that hang up are part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 5

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.path, headers, json.loads(raw))
        step = self.server.llm.next_step(asked)
        self.server.llm.stopping.wait(step.delay_ms / 1000)
        if step.breaks:
            self.close_connection = True
            return
        if step.drips_head:
            self._write(b"HTTP/1.1 200 OK\r\nx-drips: " + b"a" * 2_000, step.drip_ms)
            self.close_connection = True
            return
        reply = step.raw if step.raw is not None else json.dumps(_spoken(asked, step)).encode()
        self.send_response(step.status)
        for name, value in step.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self._write(reply, step.drip_ms)

    def _write(self, reply: bytes, drip_ms: int) -> None:
        if not drip_ms:
            self.wfile.write(reply)
            return
        for byte in reply:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.llm.stopping.wait(drip_ms / 1000):
                return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name there
        """Say nothing."""


def _spoken(asked: Asked, step: Step) -> dict[str, Any]:
    if asked.path.endswith("/v1/messages"):
        return _as_anthropic(asked, step)
    if asked.path.endswith("/chat/completions"):
        return _as_openai(asked, step)
    assert asked.path.endswith(":generateContent"), asked.path
    return _as_gemini(step)


def _text(step: Step) -> str:
    return step.answer if isinstance(step.answer, str) else json.dumps(step.answer)


def _as_anthropic(asked: Asked, step: Step) -> dict[str, Any]:
    ends = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}
    if "tool_choice" in asked.body and isinstance(step.answer, dict):
        block = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": step.answer}
    else:
        block = {"type": "text", "text": _text(step)}
    said = [block] if step.answer or not step.calls else []
    reply: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.body["model"] + "-20260101",
        "content": [*said, *write_anthropic(step.calls)],
        "stop_reason": "tool_use" if step.calls else ends[step.ended],
        "stop_sequence": None,
    }
    if step.usage:
        # What is written to a cache is read as well.
        reply["usage"] = {
            "input_tokens": step.usage[0] - 20,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 0,
            "output_tokens": step.usage[1],
        }
    return reply


def _as_openai(asked: Asked, step: Step) -> dict[str, Any]:
    refused = step.ended == "refusal"
    message = {
        "role": "assistant",
        "content": None if refused else _text(step),
        "refusal": "I cannot help with that." if refused else None,
        **({"tool_calls": write_openai(step.calls)} if step.calls else {}),
    }
    reply: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_772_445_600,
        "model": asked.body["model"] + "-2026-01-01",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "length" if step.ended == "length" else "stop",
                "logprobs": None,
            }
        ],
    }
    if step.usage:
        reply["usage"] = {
            "prompt_tokens": step.usage[0],
            "completion_tokens": step.usage[1],
            "total_tokens": sum(step.usage),
        }
    return reply


def _as_gemini(step: Step) -> dict[str, Any]:
    ends = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
    thought = {"text": "Let me think about {this}.", "thought": True}
    candidate: dict[str, Any] = {"finishReason": ends[step.ended], "index": 0}
    if step.ended != "refusal":
        parts = [thought, {"text": _text(step)}, *write_gemini(step.calls)]
        candidate["content"] = {"role": "model", "parts": parts}
    reply: dict[str, Any] = {"candidates": [candidate], "modelVersion": "gemini-x-001"}
    if step.usage:
        reply["usageMetadata"] = {
            "promptTokenCount": step.usage[0],
            "candidatesTokenCount": step.usage[1] - 10,
            "thoughtsTokenCount": 10,
            "totalTokenCount": sum(step.usage),
        }
    return reply
