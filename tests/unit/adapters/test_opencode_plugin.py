"""The OpenCode plugin: it tells everything, and nothing can make it disturb a session.

Method: Node loads the plugin as OpenCode does and calls it with events recorded from a
real session; a shell script stands in for the hook and keeps what it reads. Each callback's
outcome and duration is reported back.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentx.adapters.opencode.hooks import drafts
from agentx.adapters.opencode.setup import plugin_text
from agentx.kernel.capture import Harness
from tests.unit.adapters.recorded import FIXTURES, heard, hook_call

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")

SESSION = "ses_e236e93f6ffe4vDdk9Vux7uGr7"
CONTEXT = "[agentx:recall]\nwe chose PostgreSQL\n[/agentx:recall]"

# Reads a payload, keeps it under a name of its own, and answers the start of a session, a prompt
# that asks for it, and a call that is over.
_HOOK = r"""
told=$(mktemp "$1/tmp.XXXXXX") && cat > "$told" && mv "$told" "$told.json"
if head -c 200 "$told.json" | grep -q session.created; then printf '%s' "$2"; fi
if grep -q 'tell me\|tool.execute.after' "$told.json"; then printf '{"context":"NEAR"}'; fi
"""

_DRIVER = """
import { readFileSync, writeFileSync } from "node:fs"
const { copies, steps } = JSON.parse(readFileSync(process.argv[2], "utf8"))
const plugins = []
for (const copy of copies) plugins.push(await (await import(copy)).AgentX({ directory: "/p" }))
const report = []
for (const [name, ...given] of steps) {
  if (name === "wait") {
    await new Promise((resolve) => setTimeout(resolve, given[0]))
    continue
  }
  for (const plugin of plugins) {
    if (!plugin[name]) continue
    const began = Date.now()
    let failed = null
    try {
      await plugin[name](...given)
    } catch (error) {
      failed = String(error)
    }
    report.push({ name, failed, ms: Date.now() - began, given })
  }
}
writeFileSync(process.argv[3], JSON.stringify(report))
process.exit(0)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the callbacks did, and what the hook was told."""

    report: list[dict[str, Any]]
    payloads: list[dict[str, Any]]

    def told(self) -> Counter[str]:
        """Count the payloads by name."""
        return Counter(payload["hook"] for payload in self.payloads)


def _recorded() -> list[list[Any]]:
    """Return the recorded session as calls of a plugin."""
    steps: list[list[Any]] = []
    for line in (FIXTURES / "opencode-plugin-events.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        payload = record["payload"]
        match record["hook"]:
            case "event":
                steps.append(["event", {"event": payload}])
            case "chat.message":
                steps.append(["chat.message", payload["i"], payload["o"]])
            case "system.transform":
                given = {"sessionID": SESSION}
                steps.append(
                    ["experimental.chat.system.transform", given, {"system": ["You are OpenCode"]}]
                )
            case _:
                pass
    return steps


def _run(
    tmp_path: Path,
    steps: list[list[Any]],
    *,
    hook: list[str] | None = None,
    copies: int = 1,
    expected: frozenset[str] = frozenset(),
) -> Outcome:
    kept = tmp_path / "kept"
    kept.mkdir(parents=True)
    script = tmp_path / "hook.sh"
    script.write_text(_HOOK, "utf-8")
    words = hook or ["/bin/sh", str(script), str(kept), json.dumps({"context": CONTEXT})]
    paths = [tmp_path / f"agentx-{number}.mjs" for number in range(copies)]
    for path in paths:
        path.write_text(plugin_text(tuple(words)), "utf-8")
    driver, plan, report = (tmp_path / name for name in ("driver.mjs", "plan.json", "report.json"))
    driver.write_text(_DRIVER, "utf-8")
    plan.write_text(json.dumps({"copies": [str(path) for path in paths], "steps": steps}), "utf-8")
    assert NODE is not None
    ran = subprocess.run(
        [NODE, str(driver), str(plan), str(report)], capture_output=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()
    payloads = _kept(kept, expected)
    return Outcome(
        json.loads(report.read_bytes()), sorted(payloads, key=lambda told: told["timestamp"])
    )


def _kept(folder: Path, expected: frozenset[str]) -> list[dict[str, Any]]:
    """Return what the hook was told; the last hooks may outlive the process that started them."""
    payloads: list[dict[str, Any]] = []
    until = time.monotonic() + 60
    while time.monotonic() < until:
        payloads = [json.loads(path.read_bytes()) for path in folder.glob("*.json")]
        if expected <= {payload["hook"] for payload in payloads}:
            break
        time.sleep(0.02)
    return payloads


def test_a_recorded_session_is_told_whole(tmp_path: Path) -> None:
    outcome = _run(tmp_path, [*_recorded(), ["dispose"]])

    calls = [hook_call(Harness.OPENCODE, payload) for payload in outcome.payloads]
    events = Counter(
        kind
        for kind, _ in {(draft.event_type.value, draft.source_id) for draft in heard(drafts, calls)}
    )
    assert events == {
        "session_start": 1,
        "user_message": 1,
        "tool_call": 1,
        "tool_result": 1,
        "assistant_message": 1,
        "assistant_stop": 1,
        "session_end": 1,
    }
    assert {payload["session_id"] for payload in outcome.payloads} == {SESSION}
    assert {payload["cwd"] for payload in outcome.payloads} == {"/p"}


def test_nothing_is_lost_when_the_process_ends_at_once(tmp_path: Path) -> None:
    whole = _run(tmp_path / "disposed", [*_recorded(), ["dispose"]])
    left = _run(tmp_path / "left", _recorded(), expected=frozenset(whole.told()))

    assert set(left.told()) == set(whole.told())


def test_recalled_memory_is_put_into_the_system_prompt(tmp_path: Path) -> None:
    outcome = _run(tmp_path, [*_recorded(), ["dispose"]])

    prompts = [
        step["given"][1]["system"] for step in outcome.report if step["name"].startswith("exp")
    ]
    assert prompts == [["You are OpenCode", CONTEXT]] * 3


@pytest.mark.parametrize(
    ("before", "system"),
    [
        ([], "You are a title generator. You output ONLY a thread title."),
        (
            [
                {
                    "type": "message.updated",
                    "properties": {
                        "info": {
                            "id": "m9",
                            "role": "assistant",
                            "summary": True,
                            "sessionID": SESSION,
                        }
                    },
                }
            ],
            "You are a summarizer",
        ),
    ],
    ids=["title", "summary"],
)
def test_titles_and_summaries_get_no_memory(
    tmp_path: Path, before: list[dict[str, Any]], system: str
) -> None:
    started = _recorded()[0]
    steps = [started, *(["event", {"event": event}] for event in before)]

    outcome = _run(
        tmp_path,
        [
            *steps,
            ["experimental.chat.system.transform", {"sessionID": SESSION}, {"system": [system]}],
        ],
    )

    assert outcome.report[-1]["given"][1]["system"] == [system]


def test_a_session_first_seen_at_a_prompt_goes_on(tmp_path: Path) -> None:
    prompt = next(step for step in _recorded() if step[0] == "chat.message")
    transform = ["experimental.chat.system.transform", {"sessionID": SESSION}, {"system": [""]}]

    outcome = _run(tmp_path, [prompt, transform, ["dispose"]])

    (start,) = [told for told in outcome.payloads if told["hook"] == "session.created"]
    assert start["payload"]["resumed"] is True
    assert outcome.report[1]["given"][1]["system"] == ["", CONTEXT]


def test_installed_twice_it_tells_once(tmp_path: Path) -> None:
    outcome = _run(tmp_path, [*_recorded(), ["dispose"]], copies=2)

    assert outcome.told()["chat.message"] == 1
    assert outcome.told()["session.ended"] == 1


@pytest.mark.parametrize(
    "hook",
    [
        ["/nowhere/agentx-hook"],
        ["/bin/sh", "-c", "exit 3"],
        ["/bin/sh", "-c", "cat > /dev/null; printf 'not json'"],
        ["/bin/sh", "-c", "exec sleep 4"],
    ],
    ids=["absent", "failing", "babbling", "hanging"],
)
def test_a_sick_hook_never_disturbs_a_session(tmp_path: Path, hook: list[str]) -> None:
    outcome = _run(tmp_path, [*_recorded(), ["dispose"]], hook=hook)

    assert [step["failed"] for step in outcome.report if step["failed"]] == []
    waits = {"experimental.chat.system.transform", "dispose"}
    slowest = max(step["ms"] for step in outcome.report if step["name"] not in waits)
    assert slowest < 1_000, "a callback waited for the hook"
    assert max(step["ms"] for step in outcome.report) < 3_000
    prompts = [step["given"][1]["system"] for step in outcome.report if "system" in step["name"]]
    assert prompts == [["You are OpenCode"]] * 3


def test_nonsense_from_opencode_never_throws(tmp_path: Path) -> None:
    nonsense: list[Any] = [None, 7, "x", [], {}, {"event": None}, {"event": {"type": 5}}]
    properties: tuple[Any, ...] = (None, {}, 3)
    events = ("session.created", "message.updated", "message.part.updated", "session.idle")
    nonsense += [
        {"event": {"type": name, "properties": given}} for name in events for given in properties
    ]
    names = ("event", "chat.message", "experimental.chat.system.transform")

    steps = [[name, given, given] for name in names for given in nonsense]
    outcome = _run(tmp_path, [*steps, ["dispose"]])

    assert [step for step in outcome.report if step["failed"]] == []
    assert len(outcome.report) == len(steps) + 1


def test_a_large_payload_arrives_whole(tmp_path: Path) -> None:
    text = "\u6570\U0001f680" * 1_000_000
    started, *_ = _recorded()
    part = {
        "id": "p1",
        "sessionID": SESSION,
        "messageID": "m1",
        "type": "text",
        "text": text,
        "time": {"start": 1, "end": 2},
    }
    event = {"type": "message.part.updated", "properties": {"part": part}}

    outcome = _run(
        tmp_path,
        [started, ["event", {"event": event}]],
        expected=frozenset({"message.part.updated"}),
    )

    (told,) = [one for one in outcome.payloads if one["hook"] == "message.part.updated"]
    assert told["payload"]["part"]["text"] == text


def test_pictures_are_left_out(tmp_path: Path) -> None:
    picture = {"type": "file", "filename": "a.png", "url": "data:image/png;base64,AAAA"}
    message = {"id": "m1", "role": "user"}

    outcome = _run(
        tmp_path,
        [
            ["chat.message", {"sessionID": SESSION}, {"message": message, "parts": [picture]}],
            ["dispose"],
        ],
    )

    (told,) = [one for one in outcome.payloads if one["hook"] == "chat.message"]
    assert told["payload"]["parts"] == [{"type": "file", "filename": "a.png"}]


def test_a_flood_is_bounded_and_told(tmp_path: Path) -> None:
    """A hook that hangs must cost neither memory nor processes without end."""
    prompts = [
        ["chat.message", {"sessionID": SESSION}, {"message": {"id": f"m{number}"}, "parts": []}]
        for number in range(2_500)
    ]
    started = tmp_path / "started"
    started.mkdir()

    outcome = _run(
        tmp_path,
        prompts,
        hook=["/bin/sh", "-c", f'mktemp "{started}/XXXXXX" > /dev/null; exec sleep 3'],
    )

    assert [step for step in outcome.report if step["failed"]] == []
    # Four at once and the start of the session; at the end, as many as the time allowed.
    assert len(list(started.iterdir())) <= 5 + 4


def test_what_is_told_at_a_prompt_stays_before_the_model(tmp_path: Path) -> None:
    def ask(text: str, number: int) -> list[Any]:
        parts = [{"type": "text", "text": text}]
        return ["chat.message", {"sessionID": SESSION}, {"message": {"id": number}, "parts": parts}]

    transform = ["experimental.chat.system.transform", {"sessionID": SESSION}, {"system": [""]}]

    outcome = _run(
        tmp_path,
        [ask("go on", 1), transform, ask("tell me", 2), transform, ask("ok", 3), transform],
    )

    systems = [step["given"][1]["system"] for step in outcome.report if "system" in step["name"]]
    assert systems == [["", CONTEXT], ["", f"{CONTEXT}\n\nNEAR"], ["", f"{CONTEXT}\n\nNEAR"]]


def test_what_the_hook_says_too_late_for_one_request_is_in_the_next(tmp_path: Path) -> None:
    prompt = {"message": {"id": 1}, "parts": [{"type": "text", "text": "go on"}]}
    transform = ["experimental.chat.system.transform", {"sessionID": SESSION}, {"system": [""]}]
    slow = f"cat > /dev/null; sleep 0.7; printf '%s' '{json.dumps({'context': 'NEAR'})}'"

    outcome = _run(
        tmp_path,
        [["chat.message", {"sessionID": SESSION}, prompt], transform, ["wait", 1_000], transform],
        hook=["/bin/sh", "-c", slow],
    )

    systems = [step["given"][1]["system"] for step in outcome.report if "system" in step["name"]]
    assert systems == [[""], ["", "NEAR\n\nNEAR"]]


def test_what_is_known_of_a_failure_or_a_file_follows_the_result_once(tmp_path: Path) -> None:
    def after(tool: str, given: dict[str, Any], **metadata: int) -> list[Any]:
        call = {"tool": tool, "sessionID": SESSION, "callID": "c", "args": given}
        return ["tool.execute.after", call, {"output": "done", "metadata": metadata}]

    steps = [
        after("bash", {"command": "ls"}, exit=0),
        after("bash", {"command": "make"}, exit=2),
        after("read", {"filePath": "a.py"}),
        after("edit", {"filePath": "a.py"}),
        after("edit", {"filePath": "a.py"}),
        ["tool.execute.after", None, None],
    ]

    outcome = _run(tmp_path, steps)

    results = [step["given"][1]["output"] for step in outcome.report if step["given"][1]]
    assert results == ["done", "done\n\nNEAR", "done", "done\n\nNEAR", "done"]
    assert not any(step["failed"] for step in outcome.report)
    asked = [told["payload"] for told in outcome.payloads]
    assert [each["output"]["failed"] for each in asked] == [True, False]


def test_a_hook_that_hangs_delays_a_failed_call_no_longer_than_its_bound(tmp_path: Path) -> None:
    call = {"tool": "bash", "sessionID": SESSION, "callID": "c", "args": {"command": "make"}}
    given = ["tool.execute.after", call, {"output": "done", "metadata": {"exit": 1}}]

    outcome = _run(tmp_path, [given], hook=["/bin/sh", "-c", "exec sleep 4"])

    assert outcome.report[0]["ms"] < 1_000
    assert outcome.report[0]["given"][1]["output"] == "done"
