"""A model that always says the same: one loopback server that speaks to all four agent CLIs.

It answers Anthropic Messages, OpenAI Responses, OpenAI chat completions and Gemini's
`generateContent`, streamed as server-sent events where the CLI asks for it. The script
has two turns: a question is answered with one shell command (after `preamble`, if there
is one) or one call of a tool of AgentX, its result with the reply. A request that offers
no shell (a title, a summary) gets `TITLE`. Every request is kept: it is the proof of what
was injected.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support.loopback import listening

TITLE = "A scripted session"
_NAMESPACE_END = "::"
_RUNNING = re.compile(r"Process running with session ID (\d+)")
_LOOK_AGAIN_MS = 5_000

# What each CLI calls its shell, and how it names the command.
SHELLS = {
    "Bash": lambda command: {"command": command, "description": "record"},
    "exec_command": lambda command: {"cmd": command},
    "bash": lambda command: {"command": command, "description": "record"},
    "run_shell_command": lambda command: {"command": command, "description": "record"},
}

# What each CLI writes a file with; Codex knows its own program for that in what its shell is given.
_PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\nEOF"
WRITERS = {
    "Write": lambda path: {"file_path": str(path), "content": "x\n"},
    "write_file": lambda path: {"file_path": str(path), "content": "x\n"},
    "write": lambda path: {"filePath": str(path), "content": "x\n"},
    "exec_command": lambda path: {"cmd": _PATCH.format(path.name)},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that a CLI made."""

    path: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """The whole request as text."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(slots=True)
class ScriptedModel:
    """The script, and what was asked."""

    preamble: str = ""
    command: str = "echo hi > decision.txt && echo done"
    file: Path | None = None  # that is written, in the place of the command
    meanwhile: Callable[[], object] | None = None  # done once, before that
    reply: str = "Decision: we chose PostgreSQL for the ledger."
    answer: str = ""  # where no shell is offered; a title unless something is said here
    tool: str = ""  # a tool of ours, to be called once it is offered
    arguments: dict[str, Any] = field(default_factory=dict)
    is_asked: bool = False  # the tool was called
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    _turns: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def serving(self) -> Iterator[ScriptedModel]:
        """Listen on a free port of the loopback until the block ends."""
        server = _Server(("127.0.0.1", 0), _Handler)
        server.model = self
        with listening(server) as self.port:
            yield self

    def turn(self) -> int:
        """Return a number that no other answer has: ids are built from it."""
        with self._lock:
            self._turns += 1
            return self._turns

    def keep(self, asked: Asked) -> None:
        """Remember a request."""
        with self._lock:
            self.asked.append(asked)

    def is_done(self, answered: bool) -> bool:
        """Tell whether it is time for the reply: a server may be up only after the first turn."""
        return answered and (self.is_asked or not self.tool)

    def results(self) -> str:
        """Everything that tools had answered by the last request, as text."""
        body = self.questions()[-1].body
        told = [
            part
            for message in body.get("messages") or []
            for part in (message if message.get("role") == "tool" else message.get("content"),)
            if message.get("role") == "tool" or "tool_result" in json.dumps(part)
        ]
        told += [item for item in body.get("input") or [] if item.get("type", "").endswith("put")]
        told += [
            part
            for turn in body.get("contents") or []
            for part in turn.get("parts") or []
            if "functionResponse" in part
        ]
        return json.dumps(told, ensure_ascii=False)

    def questions(self) -> list[Asked]:
        """The requests of the conversation itself, in order: those that offered tools."""
        return [asked for asked in self.asked if asked.body.get("tools")]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: ScriptedModel


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the standard library names it
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer what is not asked of a model: there is nothing here."""
        self._send(404, "application/json", b"{}")

    def do_POST(self) -> None:
        """Answer one request by its path."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path, _, query = self.path.partition("?")
        self.server.model.keep(Asked(path, body))
        model = self.server.model
        if path.endswith(("/count_tokens", ":countTokens")):
            self._json({"input_tokens": 1, "totalTokens": 1})
        elif path.endswith("/messages"):
            message = _anthropic(model, body)
            if body.get("stream"):
                self._events(_anthropic_stream(message), named=True)
            else:
                self._json(message)
        elif path.endswith("/responses"):
            self._events(_responses_stream(model, body), named=True)
        elif path.endswith("/chat/completions"):
            self._events(_chat_stream(model, body), done=True)
        elif "enerateContent" in path:
            answer = _gemini(model, body)
            if "alt=sse" in query:
                self._events(_gemini_stream(answer))
            else:
                self._json(answer)
        else:
            self._send(404, "application/json", b"{}")

    def _events(
        self, events: Iterable[dict[str, Any]], *, named: bool = False, done: bool = False
    ) -> None:
        lines: list[str] = []
        for event in events:
            if named:
                lines.append(f"event: {event['type']}\n")
            lines.append(f"data: {json.dumps(event)}\n\n")
        if done:
            lines.append("data: [DONE]\n\n")
        self._send(200, "text/event-stream", "".join(lines).encode())

    def _json(self, value: dict[str, Any]) -> None:
        self._send(200, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _call(names: Iterable[str], model: ScriptedModel) -> tuple[str, dict[str, Any]] | None:
    """Return the tool to call and its arguments; None where no shell is offered: no question."""
    offered = list(names)
    shell = next((name for name in offered if name in SHELLS), "")
    if not shell:
        return None
    ours = (name for name in offered if "agentx" in name and name.endswith(model.tool))
    wanted = next(ours, "")
    if model.file is not None:
        if model.meanwhile is not None:
            model.meanwhile()
            model.meanwhile = None
        writer = next(name for name in WRITERS if name in offered)
        return writer, WRITERS[writer](model.file)
    if not model.tool or not wanted:
        return shell, SHELLS[shell](model.command)
    model.is_asked = True
    return wanted, model.arguments


# --- Anthropic Messages -----------------------------------------------------------------------


def _anthropic(model: ScriptedModel, body: dict[str, Any]) -> dict[str, Any]:
    answered = model.is_done(_is_tool_result_last(body.get("messages") or []))
    shell = _call((tool.get("name", "") for tool in body.get("tools") or []), model)
    turn = model.turn()
    content: list[dict[str, Any]]
    if shell is None:
        content = [{"type": "text", "text": model.answer or TITLE}]
    elif answered:
        content = [{"type": "text", "text": model.reply}]
    else:
        name, given = shell
        content = [{"type": "text", "text": model.preamble}] if model.preamble else []
        content.append({"type": "tool_use", "id": f"toolu_{turn:04}", "name": name, "input": given})
    return {
        "id": f"msg_{turn:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if content[-1]["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _is_tool_result_last(messages: list[dict[str, Any]]) -> bool:
    """Tell whether a tool answered since the model spoke: reminders may follow its result."""
    for message in reversed(messages):
        if message.get("role") == "assistant":
            return False
        content = message.get("content")
        if isinstance(content, list) and any(part.get("type") == "tool_result" for part in content):
            return True
    return False


def _anthropic_stream(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    for index, content in enumerate(message["content"]):
        if content["type"] == "text":
            start: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": content["text"]}
        else:
            start = content | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(content["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": 1},
    }
    yield {"type": "message_stop"}


# --- OpenAI Responses -------------------------------------------------------------------------


def _responses_stream(model: ScriptedModel, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    last = (body.get("input") or [{}])[-1]
    answered = model.is_done(str(last.get("type", "")).endswith("_output"))
    shell = _call(_responses_tools(body), model)
    running = _RUNNING.search(str(last.get("output", "")))
    if running is not None:  # Codex hands a command back that takes long: it is looked at again
        answered = False
        waiting = {"session_id": int(running[1]), "chars": "", "yield_time_ms": _LOOK_AGAIN_MS}
        shell = ("write_stdin", waiting)
    turn = model.turn()
    items: list[dict[str, Any]]
    if shell is not None and not answered:
        items = [_responses_message(turn, model.preamble)] if model.preamble else []
        namespace, _, name = shell[0].rpartition(_NAMESPACE_END)
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{turn:04}",
                "call_id": f"call_{turn:04}",
                "name": name,
                "arguments": json.dumps(shell[1]),
                **({"namespace": namespace} if namespace else {}),
            }
        )
    else:
        items = [
            _responses_message(turn, model.reply if shell is not None else model.answer or TITLE)
        ]
    yield {"type": "response.created", "response": {"id": f"resp_{turn:04}"}}
    for index, item in enumerate(items):
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {
        "type": "response.completed",
        "response": {
            "id": f"resp_{turn:04}",
            "usage": {
                "input_tokens": 1,
                "input_tokens_details": None,
                "output_tokens": 1,
                "output_tokens_details": None,
                "total_tokens": 2,
            },
        },
    }


def _responses_tools(body: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the tools; Codex offers those of a server inside a namespace."""
    for tool in body.get("tools") or []:
        name = tool.get("name", "")
        if tool.get("type") == "namespace":
            yield from (f"{name}{_NAMESPACE_END}{one.get('name')}" for one in tool["tools"])
        else:
            yield name


def _responses_message(turn: int, text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"item_{turn:04}",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }


# --- OpenAI chat completions ------------------------------------------------------------------


def _chat_stream(model: ScriptedModel, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tools = body.get("tools") or []
    answered = model.is_done((body.get("messages") or [{}])[-1].get("role") == "tool")
    shell = _call((tool.get("function", {}).get("name", "") for tool in tools), model)
    turn = model.turn()
    delta: dict[str, Any]
    if shell is not None and not answered:
        call = {"name": shell[0], "arguments": json.dumps(shell[1])}
        # Some providers number the calls of each answer from the start again.
        delta = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": call}]}
        if model.preamble:
            delta["content"] = model.preamble
        reason = "tool_calls"
    else:
        delta = {"content": model.reply if shell is not None else model.answer or TITLE}
        reason = "stop"
    chunk = {
        "id": f"chat_{turn:04}",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": body.get("model", "scripted"),
    }
    for part, ended in (({"role": "assistant"} | delta, None), ({}, reason)):
        yield chunk | {"choices": [{"index": 0, "delta": part, "finish_reason": ended}]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    yield chunk | {"choices": [], "usage": usage}


# --- Gemini -----------------------------------------------------------------------------------


def _gemini(model: ScriptedModel, body: dict[str, Any]) -> dict[str, Any]:
    declared = [
        declaration.get("name", "")
        for tool in body.get("tools") or []
        for declaration in tool.get("functionDeclarations") or []
    ]
    last = (body.get("contents") or [{}])[-1].get("parts") or []
    answered = model.is_done(any("functionResponse" in part for part in last))
    shell = _call(declared, model)
    turn = model.turn()
    parts: list[dict[str, Any]]
    if shell is not None and not answered:
        parts = [{"text": model.preamble}] if model.preamble else []
        parts.append({"functionCall": {"name": shell[0], "args": shell[1]}})
    else:
        parts = [{"text": model.reply if shell is not None else model.answer or TITLE}]
    return {
        "candidates": [
            {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
        ],
        "usageMetadata": {
            "promptTokenCount": 1,
            "candidatesTokenCount": 1,
            "totalTokenCount": 2,
        },
        "modelVersion": "scripted",
        "responseId": f"response_{turn:04}",
    }


def _gemini_stream(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Send each text in two pieces that part a word, as real streams do."""
    candidate = answer["candidates"][0]
    for part in candidate["content"]["parts"]:
        text = part.get("text", "")
        middle = len(text) // 2
        pieces = [{"text": text[:middle]}, {"text": text[middle:]}] if middle else [part]
        for piece in pieces:
            content = {"role": "model", "parts": [piece]}
            yield answer | {"candidates": [{"index": 0, "content": content}]}
    content = {"role": "model", "parts": [{"text": ""}]}
    yield answer | {"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}]}
