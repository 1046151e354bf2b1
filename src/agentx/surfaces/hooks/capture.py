"""One hook call: read stdin, redact, spool; then print what the agent is to be told, if anything.

    stdin -> redact -> spool (durable) -> at session start: digest      -> stdout -> spool
                                          at a prompt, at a call: the lines about it

The agent CLI waits meanwhile, so nothing slow is imported on the common path: no
`re`, `json`, `pathlib`, `typing`. Nothing is raised, nothing goes to stderr, and
nothing to stdout but the one object that the agent CLI expects.
"""

import os
import time

from agentx.adapters.hook_actions import AFTER, BEFORE, PROMPTS
from agentx.redaction.redact import suspicious
from agentx.surfaces.hooks.checkout import branch_at
from agentx.surfaces.hooks.limits import HOOK_PAYLOAD_BYTES_MAX, HOOK_PAYLOAD_PLAIN_BYTES_MAX
from agentx.surfaces.hooks.role import take_role
from agentx.surfaces.hooks.spool import Caller, deliver, is_excluded

_HARNESS_CHARS_MAX = 40
_HARNESS_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_READ_BYTES = 1 << 20
_MS_DIGITS_MAX = 13
# The name of the event is at the beginning; a prompt or a tool's output comes after it.
_NAMED_BYTES_MAX = 65_536
_EVENT_KEYS = (b'"hook_event_name"', b'"hookEventName"', b'"type"', b'"event"', b'"hook"')
_STARTS = (b'"SessionStart"', b'"sessionStart"', b'"session.created"')
_ENDS = (b'"SessionEnd"', b'"sessionEnd"', b'"session.deleted"')
_PROJECT_DIRECTORY = {"claude-code": "CLAUDE_PROJECT_DIR", "gemini": "GEMINI_PROJECT_DIR"}


def capture(arguments: list[str]) -> None:
    """Spool what is on stdin, and print what this agent CLI may be told."""
    at_ms = read_now_ms()
    raw, cut = _read()
    if os.environ.get("AGENTX_INTERNAL") == "1":
        # An agent that AgentX itself runs: its words are not the user's.
        return
    harness = harness_of(arguments)
    call = Caller(
        harness,
        at_ms,
        working_directory(harness, raw),
        "",
        os.environ.get("MEMORY_PROJECT_ID", ""),
    )
    if is_excluded(call):
        return
    named = raw[:_NAMED_BYTES_MAX]
    call.branch = branch_at(named, call.cwd)
    take_role(call, named)
    if harness == "opencode" and is_named(named, AFTER[harness]):
        # Our own plugin asks what is known of a call; the call itself it tells as well.
        _tell_while_it_runs(call, named, raw)
        return
    payload = raw
    if len(raw) > HOOK_PAYLOAD_PLAIN_BYTES_MAX or suspicious(raw):
        payload, cut = _clean(raw, cut)
    deliver(call, payload, cut=cut)
    begins = is_session_start(harness, named)
    if begins:
        from agentx.surfaces.hooks.telling.digest import announce

        announce(call, named)
    else:
        _tell_while_it_runs(call, named, raw)
    # At a prompt too: a session may be longer than a daemon stays, or lives.
    if begins or is_named(named, _ENDS) or is_named(named, PROMPTS.get(harness, ())):
        from agentx.surfaces.hooks.daemon import call_daemon

        call_daemon(call)


def _tell_while_it_runs(call: Caller, named: bytes, raw: bytes) -> None:
    """At a prompt and at a call of a tool, tell what is known of it, where that is wanted."""
    if is_named(named, PROMPTS.get(call.harness, ())):
        from agentx.surfaces.hooks.telling.prompt import tell_at_prompt

        tell_at_prompt(call, named, raw)
        return
    is_over = bool(is_named(named, AFTER.get(call.harness, ())))
    if is_over or is_named(named, BEFORE.get(call.harness, ())):
        loud = os.environ.get("AGENTX_RECALL_AT_ACTION", "").strip().lower()
        if loud == "off":
            return
        from agentx.surfaces.hooks.telling.action import warn

        warn(call, raw, is_over=is_over, is_quiet=loud == "quiet")


def read_now_ms() -> int:
    """Return the time now; a replayed sample says when its events happened."""
    replayed = os.environ.get("AGENTX_REPLAY_MS", "")
    if replayed.isdigit() and len(replayed) <= _MS_DIGITS_MAX:
        return int(replayed)
    return time.time_ns() // 1_000_000


def harness_of(arguments: list[str]) -> str:
    """Return the agent CLI that the command line names, or `unknown`."""
    name = ""
    for position, argument in enumerate(arguments):
        if argument == "--harness" and position + 1 < len(arguments):
            name = arguments[position + 1]
        elif argument.startswith("--harness="):
            name = argument[10:]
    if 0 < len(name) <= _HARNESS_CHARS_MAX and _HARNESS_CHARS.issuperset(name):
        return name
    return "unknown"


def working_directory(harness: str, raw: bytes = b"") -> str:
    """Return the directory that the session works in, as far as the environment tells."""
    named = os.environ.get(_PROJECT_DIRECTORY.get(harness, ""), "")
    try:
        here = os.getcwd()
    except OSError:
        here = os.environ.get("PWD", "")
        if not os.path.isabs(here):
            # It was removed, and a shell calls it "." then: that would be whoever drains.
            here = _read_directory(raw)
    return os.path.normpath(os.path.join(here, named))


def _read_directory(raw: bytes) -> str:
    """Return the directory that a payload names; the root where it names none."""
    import json

    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        return "/"
    named = told.get("cwd") if isinstance(told, dict) else None
    return named if isinstance(named, str) and os.path.isabs(named) else "/"


def is_session_start(harness: str, raw: bytes) -> bool:
    """Tell whether a session begins or goes on."""
    named = is_named(raw, _STARTS)
    if named is not None:
        return named
    # Copilot does not name its events; only the start of a session has a source.
    return (
        harness == "copilot"
        and b'"source"' in raw
        and b'"sessionId"' in raw
        and b'"toolName"' not in raw
        and b'"reason"' not in raw
    )


def is_named(raw: bytes, names: tuple[bytes, ...]) -> bool | None:
    """Tell whether the event has one of some names, by looking for it as text; None if unsaid."""
    for key in _EVENT_KEYS:
        at = raw.find(key)
        if at >= 0:
            value = raw[at + len(key) : at + len(key) + 64].lstrip(b" \t\r\n:")
            if value.startswith(names):
                return True
            if key == _EVENT_KEYS[0]:
                return False
    return None


def _read() -> tuple[bytes, bool]:
    """Return what is on stdin up to the limit, and whether there was more."""
    chunks: list[bytes] = []
    size = 0
    try:
        if os.isatty(0):
            return b"", False
        while chunk := os.read(0, _READ_BYTES):
            # What is over the limit is read all the same: the writer may not find a broken pipe.
            if size <= HOOK_PAYLOAD_BYTES_MAX:
                chunks.append(chunk)
            size += len(chunk)
    except OSError:
        pass
    return b"".join(chunks)[:HOOK_PAYLOAD_BYTES_MAX], size > HOOK_PAYLOAD_BYTES_MAX


def _clean(raw: bytes, cut: bool) -> tuple[bytes, bool]:
    try:
        from agentx.surfaces.hooks.cleaning import clean

        payload, shortened = clean(raw)
        return payload, cut or shortened
    except Exception:
        # What could not be redacted is not written.
        return b"", True
