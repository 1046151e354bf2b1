"""What sessions are told while they run, on real ones: how often, whether it is worth it, how fast.

    make bench-telling DATA=folder

The folder brings sessions of projects, in their order, and labels of what each of them taught
(`*/sessions.json`, `*/gold.json`). Every session's prompts and calls of tools are handed to the
installed hook as its agent CLI would, beside a daemon that knows the sessions before it. A told
line counts as worth it when it tells a labelled item of an earlier session.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

BIN = Path(sys.executable).parent
_LINE_CHARS = 240
_WORTH_PERCENT = 60
_WAIT_MS = 300
_HARNESSES = {"Claude Code": "claude-code", "Codex": "codex"}
_TOLD = re.compile(r"^- (.*) \[([^\]]*)\]$", re.MULTILINE)


@dataclass
class Tally:
    """What was told, and how long it took."""

    moments: Counter[str] = field(default_factory=Counter)
    told_at: Counter[str] = field(default_factory=Counter)
    lines: Counter[str] = field(default_factory=Counter)
    worth: Counter[str] = field(default_factory=Counter)
    twice: int = 0
    took_ms: dict[str, list[float]] = field(default_factory=lambda: {"prompt": [], "action": []})

    def say(self) -> Iterator[str]:
        """Yield the table."""
        for moment in ("prompt", "action"):
            count, lines = self.moments[moment], self.lines[moment]
            took = sorted(self.took_ms[moment])
            p95 = quantiles(took, n=20)[-1] if len(took) > 1 else 0
            yield (
                f"{moment:8}{count:6} moments, told at {self.told_at[moment]:4}: {lines:4} lines, "
                f"{self.worth[moment]:4} labelled; hook median {median(took or [0]):.0f} ms, "
                f"p95 {p95:.0f} ms"
            )
        yield f"labelled {self.percent:.0f} % of the told lines; twice in a session: {self.twice}"

    @property
    def percent(self) -> float:
        """Return how much of what was told is labelled."""
        lines = sum(self.lines.values())
        return 100 * sum(self.worth.values()) / lines if lines else 100.0


@dataclass
class Stage:
    """A home and a project of their own."""

    root: Path

    def __post_init__(self) -> None:
        self.home, self.project = self.root / "home", self.root / "project"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        name = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        self.run("git", "init", "-q", "-b", "main")
        self.run("git", *name, "commit", "-q", "--allow-empty", "-m", "start")
        self.agentx("init", "--no-import")

    def run(self, *command: str, stdin: bytes = b"", **more: str) -> bytes:
        """Run a command in the project."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}
        return subprocess.run(
            command,
            cwd=self.project,
            env={**env, "AGENTX_DAEMON_AUTO": "false", **more},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=600,
        ).stdout

    def agentx(self, *arguments: str) -> bytes:
        """Run a command of the product."""
        return self.run(str(BIN / "agentx"), *arguments)

    def place(self, transcript: Path, session: str, agent: str) -> None:
        """Put a transcript where its agent CLI would have written it, in this project."""
        raw = transcript.read_text(encoding="utf-8")
        places = Counter(re.findall(r'"cwd":\s?"([^"]+)"', raw))
        if places:
            raw = raw.replace(min(places, key=len), str(self.project))
        at = re.search(r'"timestamp":\s?"([^"]{19})', raw)
        stamp = at.group(1) if at else "2026-01-01T00:00:00"
        day, name = stamp[:10].replace("-", "/"), stamp.replace(":", "-")
        path = self.home / ".codex" / "sessions" / day / f"rollout-{name}-{session}.jsonl"
        if agent != "Codex":
            folder = re.sub(r"[/.]", "-", str(self.project))
            path = self.home / ".claude" / "projects" / folder / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(raw, encoding="utf-8")

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield everything that is remembered, as it happened."""
        cursor = ""
        while True:
            more = ("--cursor", cursor) if cursor else ()
            page = json.loads(self.agentx("events", "--limit", "1000", "--json", *more))
            yield from page["events"]
            cursor = page.get("next") or ""
            if not cursor:
                return


def read_sessions(folder: Path, root: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the events of every session, as the product itself reads their transcripts."""
    stage = Stage(root)
    for one in json.loads((folder / "sessions.json").read_text(encoding="utf-8")):
        stage.place(folder / f"{one['file']}.jsonl", one["session"], one["agent"])
    stage.agentx("import")
    found: dict[str, list[dict[str, Any]]] = {}
    said = json.dumps(list(stage.events())).replace(str(root), str(root.with_name("told")))
    for event in json.loads(said):
        found.setdefault(event["session_id"], []).append(event)
    return found


def payload_of(event: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what an agent CLI tells its hook of an event; None where it tells nothing of it."""
    told = {"session_id": event["session_id"], "cwd": event["metadata"].get("cwd", "")}
    match event["event_type"]:
        case "user_message" if not event["metadata"].get("voice"):
            return {**told, "hook_event_name": "UserPromptSubmit", "prompt": event["text"]}
        case "tool_call":
            name, given = event["metadata"].get("tool_name"), event["metadata"].get("tool_input")
            named = {"tool_name": name, "tool_input": given}
            return {**told, "hook_event_name": "PreToolUse", **named}
        case "tool_result" if before is not None:
            named = {key: before["metadata"].get(key) for key in ("tool_name", "tool_input")}
            if event["harness"] == "codex":
                said = {"hook_event_name": "PostToolUse", "tool_response": event["text"]}
                return {**told, **named, **said}
            if event["metadata"].get("is_error"):
                said = {"hook_event_name": "PostToolUseFailure", "error": event["text"]}
                return {**told, **named, **said}
    return None


def tells(line: str, items: list[dict[str, Any]]) -> bool:
    """Say whether a line tells an item, as the labels recognise it."""
    flat = " ".join(line.lower().split())[:_LINE_CHARS]
    return any(
        all(" ".join(term.lower().split()) in flat for term in terms)
        for item in items
        for terms in item["match"]
        if terms
    )


def replay(
    stage: Stage,
    events: list[dict[str, Any]],
    items: list[dict[str, Any]],
    tally: Tally,
    show: bool,
) -> None:
    """Hand a session to the hook, event by event, and count what it is told."""
    harness = events[0]["harness"]
    hook = (str(BIN / "agentx-hook"), "--harness", harness)
    calls: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    at_start: set[str] = set()
    begin = {"hook_event_name": "SessionStart", "source": "startup"}
    begin |= {"session_id": events[0]["session_id"], "cwd": str(stage.project)}
    for event in ({"timestamp_ms": events[0]["timestamp_ms"], "payload": begin}, *events):
        payload = event.get("payload")
        if payload is None:
            use = str(event["metadata"].get("tool_use_id", ""))
            if event["event_type"] == "tool_call":
                calls[use] = event
            payload = payload_of(event, calls.get(use))
        if payload is None:
            continue
        began = time.monotonic()
        printed = stage.run(
            *hook,
            stdin=json.dumps(payload).encode(),
            AGENTX_REPLAY_MS=str(event["timestamp_ms"]),
        )
        took = (time.monotonic() - began) * 1000
        told = [
            (text, beside.rsplit(", ", 1)[-1]) for text, beside in _TOLD.findall(_read(printed))
        ]
        name = payload["hook_event_name"]
        if name != "SessionStart":
            moment = "prompt" if name == "UserPromptSubmit" else "action"
            tally.moments[moment] += 1
            tally.took_ms[moment].append(took)
            tally.told_at[moment] += bool(told)
            tally.lines[moment] += len(told)
            good = [tells(text, items) for text, _ in told]
            tally.worth[moment] += sum(good)
            for (text, doc_id), is_good in zip(told, good, strict=True):
                if show:
                    about = payload.get("prompt") or json.dumps(payload.get("tool_input"))
                    print(f"{'+' if is_good else '-'} {moment} {about[:90]!r}\n    {text} {doc_id}")
            # At the action that it is about, what the start told is told once more.
            known = seen if moment == "action" else seen | at_start
            tally.twice += sum(doc_id in known for _, doc_id in told)
            seen.update(doc_id for _, doc_id in told)
        else:
            at_start = {doc_id for _, doc_id in told}


def _read(printed: bytes) -> str:
    said = json.loads(printed) if printed else {}
    return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))


def measure(folder: Path, root: Path, tally: Tally, *, show: bool = False) -> None:
    """Replay the sessions of one project, one after the other."""
    labels = json.loads((folder / "gold.json").read_text(encoding="utf-8"))["sessions"]
    items_of = {one["session"]: one["items"] for one in labels}
    sessions = read_sessions(folder, root / "read")
    stage = Stage(root / "told")
    earlier: list[dict[str, Any]] = []
    for number, one in enumerate(json.loads((folder / "sessions.json").read_text("utf-8"))):
        if number and one["session"] in sessions:
            stage.agentx("daemon", "start")
            try:
                replay(stage, sessions[one["session"]], earlier, tally, show)
            finally:
                stage.agentx("daemon", "stop")
        stage.place(folder / f"{one['file']}.jsonl", one["session"], one["agent"])
        stage.agentx("import")
        stage.agentx("sync")
        earlier += items_of.get(one["session"], [])


def main() -> int:
    """Measure every project of a folder; fail when too little of what is told is worth it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true", help="print what is told")
    parser.add_argument("--only", default="", help="the name of one project")
    given = parser.parse_args()
    tally = Tally()
    for listed in sorted(given.data.glob("*/sessions.json")):
        if given.only in ("", listed.parent.name):
            with tempfile.TemporaryDirectory(prefix="agentx-telling-") as folder:
                measure(listed.parent, Path(folder), tally, show=given.show)
            print(f"after {listed.parent.name}: {sum(tally.lines.values())} lines", flush=True)
    print("\n".join(tally.say()))
    return 0 if tally.percent >= _WORTH_PERCENT and not tally.twice else 1


if __name__ == "__main__":
    sys.exit(main())
