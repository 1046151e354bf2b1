"""Goal: no secret is in any store, whatever way it came, and it reads the same by every way.

Method: made-up secrets of every kind are told by hook, by transcript, by command and by tool;
then every byte below the home and the project is looked through, compressed blocks opened,
rows and documents read the way the stores read them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import anyio
import pytest
import tantivy
import zstandard

from agentx.host.kv.port import Family
from agentx.host.kv.rocks import open_rocks
from agentx.search.text.engine import Engine
from tests.support.house import BIN, House, prompt
from tests.support.secrets import MIXED, body, corpus
from tests.support.time_and_chance import FakeClock

KEY_LINES = [body(seed, MIXED, 64) for seed in range(700, 712)]
KEY = ["-----BEGIN EC PRIVATE" + " KEY-----", *KEY_LINES, "-----END EC PRIVATE" + " KEY-----"]
SECRETS = [secret for secret in corpus() if "\n" not in secret.text]
ENCODED = base64.b64encode(("gh" + "p_" + body(81, MIXED, 36)).encode()).decode()
VENDOR = body(82, MIXED, 40)
TOKEN = "gh" + "p_" + body(83, MIXED, 36)
MORE = [
    f"ADAFRUIT={VENDOR}",
    f"data: {ENCODED}",
    "Passwort: hunter2zz",
    "<private>my cat</private>",
]
WITNESS = "wombatine"  # is no secret: where it is not found, nothing was looked through
TEXTS = [*(secret.text for secret in SECRETS), *MORE]
FORBIDDEN = [
    *(secret.secret for secret in SECRETS),
    *(VENDOR, ENCODED, TOKEN[4:], "hunter2zz", "my cat"),
    *(line[:40] for line in KEY_LINES),
    *(line[-40:] for line in KEY_LINES),
]
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def _transcript(house: House, texts: list[str]) -> str:
    """Return what Claude Code would have kept of a session with these prompts and a patch."""
    scene = {"sessionId": "s-imported", "cwd": str(house.project), "version": "2.1.0"}
    lines: list[dict[str, Any]] = [
        {
            "type": "user",
            "uuid": f"u-{number}",
            "promptId": f"i-{number}",
            "timestamp": f"2026-11-10T10:00:{number % 60:02}.000Z",
            "message": {"role": "user", "content": text},
            **scene,
        }
        for number, text in enumerate(texts)
    ]
    result = {"tool_use_id": "t-1", "type": "tool_result", "content": "updated", "is_error": False}
    call = {"type": "tool_use", "id": "t-2", "name": "mcp__x__login", "input": _LOGIN}
    lines.append(
        {
            "type": "assistant",
            "uuid": "u-login",
            "timestamp": "2026-11-10T10:03:00.000Z",
            "message": {"id": "m-1", "role": "assistant", "content": [call]},
            **scene,
        }
    )
    lines.append(
        {
            "type": "user",
            "uuid": "u-patch",
            "timestamp": "2026-11-10T10:02:00.000Z",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": _patch(),
            **scene,
        }
    )
    return "".join(json.dumps(line) + "\n" for line in lines)


def _patch() -> dict[str, Any]:
    lines = [" # keys", *(f"+{line}" for line in KEY)]
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": len(lines), "lines": lines}
    return {"filePath": "/w/keys.py", "type": "update", "structuredPatch": [hunk]}


_LOGIN = {"password": "qz", "user": "me"}  # no pattern knows it, only its name


def _told_by_hook(house: House) -> None:
    for number, text in enumerate(_chunks()):
        house.hook(prompt(text, session="s-live", prompt_id=f"l-{number}", cwd=str(house.project)))
    called = {"session_id": "s-live", "hook_event_name": "PreToolUse", "cwd": str(house.project)}
    house.hook({**called, "tool_use_id": "t-3", "tool_name": "mcp__x__login", "tool_input": _LOGIN})
    used = {"session_id": "s-live", "hook_event_name": "PostToolUse", "tool_name": "Edit"}
    used |= {"tool_use_id": "t-9", "cwd": str(house.project)}
    house.hook({**used, "tool_input": {"new_string": "\n".join(KEY)}, "tool_response": _patch()})


def _told_by_transcript(house: House) -> None:
    path = house.home / ".claude" / "projects" / "shop" / "s-imported.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(_transcript(house, _chunks()), encoding="utf-8")
    assert house.json("import")["harnesses"][0]["stored"] > 0
    path.unlink()


def _told_by_command(house: House) -> None:
    about = ("--agent", "engineer", "--issue", "1", "--category", "decision")
    for number, text in enumerate(_chunks()):
        house.json("issue", "create", "--title", f"Issue {number} {_first(text)}", "--body", text)
        house.json("memory", "add", *about, f"We decided on {text}")
        asked = (
            "--from",
            "engineer",
            "--to",
            "architect",
            "--topic",
            f"Topic {number} {_first(text)}",
        )
        house.json("clarify", "ask", "--issue", str(number + 1), *asked, "--question", _short(text))
        house.json(
            "ltm", "add", f"Lesson {number}: {text}", "--name", _first(text), "--context", text
        )
    house.json("run", "start", f"Run with {_first(_chunks()[0])}", "--description", _chunks()[0])
    # Not only texts: whatever becomes a field, or the name of a file.
    house.json("issue", "create", "--title", "labelled", "--label", TOKEN)
    house.json("memory", "add", *about, "a file matters", "--file", f"src/{TOKEN}.py")
    house.json("ltm", "add", "an area matters", "--area", TOKEN, "--file", TOKEN)
    for text in _chunks():
        house.json("run", "event", "--type", "note", "--detail", f"text={text}")


def _told_by_tool(house: House) -> None:
    from mcp import Client, StdioServerParameters  # they take a second, and few tests need them
    from mcp.client.stdio import stdio_client

    environment = {"HOME": str(house.home), "PATH": house.environment["PATH"]}
    parameters = StdioServerParameters(
        command=str(BIN / "agentx"), args=["mcp"], cwd=house.project, env=environment
    )

    async def tell() -> None:
        async with Client(stdio_client(parameters)) as client:
            for text in _chunks():
                await client.call_tool("remember", {"text": text[:4000], "agent": "engineer"})
                await client.call_tool("issue_create", {"title": "By tool", "body": text})
                await client.call_tool("search", {"query": text[:400]})
                await client.call_tool(
                    "run_event", {"type": "note", "actor": "executor", "text": text}
                )

    anyio.run(tell)


def _first(text: str) -> str:
    return text.partition("\n")[0]


def _short(text: str) -> str:
    """Return as many whole lines as a question may have."""
    return text[:1_900].rpartition("\n")[0]


def _chunks() -> list[str]:
    """Return all secrets in a few texts, a line for each."""
    return ["\n".join((*TEXTS[at : at + 50], WITNESS)) for at in range(0, len(TEXTS), 50)]


def _kept(house: House) -> Iterator[tuple[str, str]]:
    """Yield everything that is kept: where, and what, opened as far as it can be."""
    for path in sorted((*house.home.rglob("*"), *house.project.rglob("*"))):
        if path.is_file() and ".git" not in path.parts:
            raw = path.read_bytes()
            yield str(path), raw.decode("utf-8", "replace")
            yield from ((f"{path} (block)", text) for text in _opened(raw))
    for db in house.data.root.glob("*/db"):
        kv = open_rocks(db, FakeClock(), read_only=True)
        for family in Family:
            for key, value in kv.scan(family, b"", b"\xff" * 32):
                yield f"{db} {family} {key!r}", value.decode("utf-8", "replace")
                yield from ((f"{db} {family} {key!r}", text) for text in _opened(value))
        kv.close()
    for meta in house.data.root.glob("*/bm25-index/**/meta.json"):
        folder = meta.parent
        reader = Engine(folder).reader()
        for address in reader.search(tantivy.Query.all_query(), 100_000).addresses:
            yield str(folder), str(reader.open_document(address).to_dict())


def _opened(raw: bytes) -> Iterator[str]:
    at = raw.find(_ZSTD_MAGIC)
    while at >= 0:
        with suppress(zstandard.ZstdError):  # four bytes that only look like a block
            piece = zstandard.ZstdDecompressor().decompressobj().decompress(raw[at:])
            yield piece.decode("utf-8", "replace")
        at = raw.find(_ZSTD_MAGIC, at + 4)


@pytest.mark.promise("redact.before-disk")
def test_no_secret_is_in_any_store_whatever_way_it_came(house: House) -> None:
    _told_by_hook(house)
    _told_by_transcript(house)
    _told_by_command(house)
    _told_by_tool(house)
    house.json("sync")
    events = house.events()
    live = [event["text"] for event in events if event["session_id"] == "s-live"]
    imported = [event["text"] for event in events if event["session_id"] == "s-imported"]

    kept = [*_kept(house), ("events", json.dumps(events, ensure_ascii=False))]
    leaks = {
        (where.removeprefix(str(house.root)), secret[:24])
        for where, text in kept
        for secret in FORBIDDEN
        if secret in text or secret.lower() in where.lower()
    }
    assert leaks == set()
    seen = " ".join(where for where, text in kept if WITNESS in text)
    for place in ("events", "bm25-index", "/db Family", ".agentx/issues", ".agentx/memory", "ltm"):
        assert place.replace("Family", "") in seen
    assert len(live) > 3
    assert not [text for text in (*live, *imported) if '"qz"' in text]
    # The same words read the same, by a hook and by a transcript.
    assert {text for text in imported if "[REDACTED:" in text} <= set(live)
