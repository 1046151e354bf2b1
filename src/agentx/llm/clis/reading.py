"""What an agent CLI printed: an answer, or why there is none. Pure rules.

Whoever runs one reads it here: as a model that is asked, and as the player of a role.

A CLI that has no more quota, or no login, often says so in the place of an answer, with an
exit code of 0. Such a notice is no answer: nobody is asked again until it is over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.llm.answer import usage_of
from agentx.llm.port import Usage

NO_ANSWER = "no answer in what it printed"
_COUNT_MAX = 10**12
_NOTICE_CHARS_MAX = 600  # a notice is a line or two
_QUOTA = compile_late(
    r"\b(?:hit|reached|exceeded|over)\b.{0,40}\b(?:limit|quota|window)|\b(?:usage|rate|weekly|daily|"
    r"session|plan|request|5-hour)[ -]limits?\b|\bquota\b|too many requests|\b429\b|"
    r"resource[ _]exhausted|(?:credit|balance).{0,30}(?:low|exhausted|insufficient)|overloaded",
    re.IGNORECASE | re.DOTALL,
)
_LOGIN = compile_late(
    r"not logged in|/login|log ?in again|please (?:log|sign) ?in|invalid (?:api|x-api|authentic)|"
    r"api key|unauthori[sz]ed|\b401\b|token has expired|authenticat|no (?:provider|credential)",
    re.IGNORECASE,
)

_AWAY = compile_late(
    r"ECONN\w+|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|getaddrinfo|connection (?:error|refused|reset|closed)|"
    r"network (?:error|is unreachable)|fetch failed|(?:could not|unable to|cannot) (?:connect|"
    r"resolve|reach)|(?:temporarily|service) unavailable|internal server error|bad gateway",
    re.IGNORECASE,
)


@frozen
class CliReply:
    """What an output says. `fault` says why there is no answer."""

    text: str = ""
    session_id: str = ""
    # Whether the CLI said it in its own form; else the fault is what it printed in its place.
    is_told: bool = True
    model: str = ""
    usage: Usage | None = None
    fault: str = ""
    window_percent: float | None = None  # how much of the user's window is used
    resets_ms: int = 0  # when that window begins anew


def is_quota_notice(text: str) -> bool:
    """Tell whether a text says that the user's quota is used up."""
    return len(text) <= _NOTICE_CHARS_MAX and _QUOTA.search(text) is not None


def is_login_notice(text: str) -> bool:
    """Tell whether a text asks for a login."""
    return len(text) <= _NOTICE_CHARS_MAX and _LOGIN.search(text) is not None


def is_away_notice(text: str) -> bool:
    """Tell whether a text says that the provider could not be reached."""
    return len(text) <= _NOTICE_CHARS_MAX and _AWAY.search(text) is not None


def find_object(text: str) -> str:
    """Return the one JSON object in an answer, without what was said around it.

    A text with none, or with two, is returned as it is: then nobody can tell which is meant.
    """
    decoder = json.JSONDecoder()
    found: list[str] = []
    at = text.find("{")
    while at >= 0 and len(found) < 2:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        found.append(text[at:end])
        at = text.find("{", end)
    return found[0] if len(found) == 1 else text


def read_claude(out: str) -> CliReply:
    """Read the events of `claude -p --output-format stream-json`."""
    percent, resets_ms, model = None, 0, ""
    by_message: dict[str, dict[str, Any]] = {}
    for value in _objects(out):
        match value.get("type"):
            case "assistant":  # of which one message may be several
                message = _object(value.get("message"))
                model = _text(message.get("model")) or model
                by_message[_text(message.get("id"))] = _object(message.get("usage"))
            case "rate_limit_event":
                percent, resets_ms = _window(_object(value.get("rate_limit_info")))
            case "result":
                text = _text(value.get("result"))
                used = _object(value.get("usage"))
                ended = _text(value.get("subtype"))
                wrong = bool(value.get("is_error")) or ended not in ("", "success")
                return CliReply(
                    text=text,
                    session_id=_text(value.get("session_id")),
                    model=next(iter(_object(value.get("modelUsage"))), ""),
                    usage=_add_up_claude([used]),
                    fault=(text or ended or "an error") if wrong else "",
                    window_percent=percent,
                    resets_ms=resets_ms,
                )
            case _:
                continue
    return replace(
        _untold(out),
        window_percent=percent,
        resets_ms=resets_ms,
        model=model,
        usage=_add_up_claude(by_message.values()),
    )


def _add_up_claude(used: Iterable[dict[str, Any]]) -> Usage | None:
    read = "input_tokens cache_creation_input_tokens cache_read_input_tokens"
    known = list(used)
    return usage_of(
        sum(_sum(each, read) for each in known), sum(_sum(each, "output_tokens") for each in known)
    )


def _window(info: dict[str, Any]) -> tuple[float | None, int]:
    """Return how much of the fullest window is used, and when that one begins anew."""
    windows = [_object(one) for one in _object(info.get("unifiedWindows")).values()] or [info]
    told = [
        (one["utilization"] * 100, one.get("resetsAt") or 0)
        for one in windows
        if isinstance(one.get("utilization"), int | float)
    ]
    if info.get("status") == "rejected":
        return 100.0, _seconds(info.get("resetsAt"))
    if not told:
        return None, 0
    percent, resets = max(told, key=lambda one: one[0])
    return percent, _seconds(resets)


def read_codex(out: str) -> CliReply:
    """Read the events of `codex exec --json`."""
    said, session, fault, usage = "", "", "", None
    for value in _objects(out):
        match value.get("type"):
            case "thread.started":
                session = _text(value.get("thread_id"))
            case "item.completed":
                item = _object(value.get("item"))
                if item.get("type") == "agent_message":
                    # Earlier ones tell what it is about to do; the last one is the answer.
                    said = _text(item.get("text")) or said
            case "turn.failed" | "error":
                fault = _message(value)
            case "turn.completed":
                fault = ""  # what went wrong on the way was mended
                used = _object(value.get("usage"))
                usage = usage_of(_sum(used, "input_tokens"), _sum(used, "output_tokens"))
            case _:
                continue
    heard = CliReply(text=said, session_id=session, usage=usage, fault=fault)
    return heard if said or fault else replace(_untold(out), usage=usage)


def read_words(line: str) -> str:
    """Return what an agent says in one line of its output, or what it does; mostly nothing."""
    for value in _objects(line):
        match value:
            case {"type": "assistant", "message": {"content": list(parts)}}:  # Claude Code
                return " ".join(filter(None, map(_say_part, parts)))
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(said)}}:
                return said  # Codex
            case {
                "type": "item.started",
                "item": {"type": "command_execution", "command": str(run)},
            }:
                return f"(runs {run})"
            case {"type": "text", "part": {"text": str(said)}}:  # OpenCode
                return said
            case {"type": "tool_use", "part": {"tool": str(tool)}}:
                return f"(uses {tool})"
            case _:
                continue
    return ""


def _say_part(part: object) -> str:
    match part:
        case {"type": "text", "text": str(said)}:
            return said
        case {"type": "tool_use", "name": str(tool)}:
            return f"(uses {tool})"
        case _:
            return ""


def read_gemini(out: str) -> CliReply:
    """Read what `gemini --output-format json` printed; warnings may stand before the object."""
    start = out.find("{")
    for value in _objects(out[start:] if start >= 0 else ""):
        if "response" in value or "error" in value:
            models = _object(_object(value.get("stats")).get("models"))
            used = [_object(_object(one).get("tokens")) for one in models.values()]
            read = sum(_sum(one, "prompt") for one in used)
            return CliReply(
                text=_text(value.get("response")),
                session_id=_text(value.get("session_id")),
                model=next(iter(models), ""),
                usage=usage_of(read, sum(_sum(one, "candidates thoughts") for one in used)),
                fault=_message(value) if value.get("error") else "",
            )
    return _untold(out)


def read_opencode(out: str) -> CliReply:
    """Read the events of `opencode run --format json`."""
    texts: list[str] = []
    session, fault, usage = "", "", None
    for value in _objects(out):
        session = _text(value.get("sessionID")) or session
        part = _object(value.get("part"))
        match value.get("type"):
            case "text":
                texts.append(_text(part.get("text")))
            case "tool_use":
                texts.clear()  # what was said before a tool is no answer yet
            case "error":
                fault = _message(value)
            case "step_finish":
                used = _object(part.get("tokens"))
                read = _sum(used, "input") + _sum(_object(used.get("cache")), "read write")
                usage = usage_of(read, _sum(used, "output reasoning"))
            case _:
                continue
    text = "\n".join(texts)
    heard = CliReply(text=text, session_id=session, usage=usage, fault=fault)
    return heard if text or fault else replace(_untold(out), usage=usage)


def _objects(out: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of an output: one whole, or one a line."""
    lines = [out] if out.lstrip().startswith("{") and _is_object(out) else out.splitlines()
    for line in lines:
        if line.lstrip().startswith("{"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _is_object(out: str) -> bool:
    try:
        return isinstance(json.loads(out), dict)
    except (ValueError, RecursionError):
        return False


def _untold(out: str) -> CliReply:
    """Return what was printed in the place of an answer."""
    said = " ".join(line for line in out.splitlines() if not line.lstrip().startswith(("{", "}")))
    return CliReply(fault=said.strip()[:_NOTICE_CHARS_MAX] or NO_ANSWER, is_told=False)


def _message(value: Mapping[str, Any]) -> str:
    error = value.get("error", value.get("message"))
    if isinstance(error, dict):
        data = _object(error.get("data"))
        error = data.get("message") or error.get("message") or error.get("name")
    return _text(error) or "it reported an error"


def _sum(value: Mapping[str, Any], names: str) -> int:
    found = (value.get(name) for name in names.split())
    return sum(int(one) for one in found if isinstance(one, int | float) and 0 < one < _COUNT_MAX)


def _seconds(value: object) -> int:
    return int(value * 1000) if isinstance(value, int | float) and 0 < value < 10**11 else 0


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
