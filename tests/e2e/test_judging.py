"""Goal: the user's own agent CLI judges what a session taught, and can break nothing.

Method: the real commands, and a small program in the place of `claude` that plays a script.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.house import House, prompt
from tests.support.soaking import in_soak

MORNING_MS = 1_772_445_600_000  # 2026-03-02T10:00:00Z
SAID = "We decided to keep the ledger in Postgres because SQLite locks under five writers."
QUOTE = "keep the ledger in Postgres because SQLite locks under five writers"
REPLIED = (
    "I looked at the pool: `ledger_pool` opens 5 connections, because the proxy cuts the sixth. "
    "That is why the import stalls."
)
STOOD_ALONE = "`ledger_pool` opens 5 connections, because the proxy cuts the sixth."
OPENED = "`ledger_pool` opens 5 connections"
PROGRAM = """\
#!/bin/sh
cat > {root}/asked.$$
{body}
"""


class Claude:
    """A program in the place of Claude Code."""

    def __init__(self, house: House) -> None:
        self.root = house.root / "claude"
        self.root.mkdir()
        self.env = {
            "PATH": f"{self.root}:{house.environment['PATH']}",
            "AGENTX_LLM_PROVIDER": "claude-code",
        }

    def plays(self, body: str) -> None:
        program = self.root / "claude"
        program.write_text(PROGRAM.format(root=self.root, body=body), "utf-8")
        program.chmod(0o755)

    def says(self, answer: object) -> None:
        used = {"input_tokens": 700, "output_tokens": 90}
        text = answer if isinstance(answer, str) else json.dumps(answer)
        said = {"type": "result", "subtype": "success", "result": text, "usage": used}
        (self.root / "answer").write_text(json.dumps(said), "utf-8")
        self.plays(f"cat {self.root}/answer")

    def asked(self) -> list[str]:
        return [path.read_text("utf-8") for path in sorted(self.root.glob("asked.*"))]


@pytest.fixture
def claude(house: House) -> Claude:
    return Claude(house)


def lived(house: House) -> None:
    """Let a session have been and ended."""
    for payload in (
        prompt(SAID, session="s-1", prompt_id="p-1"),
        {
            "session_id": "s-1",
            "hook_event_name": "Stop",
            "cwd": "/w",
            "last_assistant_message": REPLIED,
        },
        {"session_id": "s-1", "hook_event_name": "SessionEnd", "cwd": "/w", "reason": "exit"},
    ):
        house.hook(payload, env={"AGENTX_REPLAY_MS": str(MORNING_MS)})
    house.agentx("sync")


def judge(house: House, claude: Claude) -> None:
    house.agentx("scheduler", "run", "summaries", env=claude.env)


def memories(house: House) -> list[str]:
    found = house.json("memory", "list", "--limit", "100")["observations"]
    return [one["summary"] for one in found if one["category"] != "compaction-summary"]


def rewrite(text: str, quote: str) -> dict[str, Any]:
    verdict = {"verdict": "rewrite", "kind": "key-fact", "joins": ["c1", "c2"]}
    proven = {"text": text, "quote": quote, "event_ids": ["e1", "e2"]}
    verdicts = [{"id": name, **verdict, **proven} for name in ("c1", "c2")]
    return {"verdicts": verdicts, "observations": [{**proven, "kind": "decision"}]}


def test_its_verdicts_become_memories(house: House, claude: Claude) -> None:
    lived(house)
    before = memories(house)
    claude.says({**rewrite(STOOD_ALONE, OPENED), "observations": []})

    judge(house, claude)
    judge(house, claude)

    assert len(before) == 2
    assert sorted(memories(house)) == sorted([STOOD_ALONE, f"The user said: {SAID}"])
    asked = [text for text in claude.asked() if "<candidates" in text]
    assert len(asked) == 1
    assert '"kind": "decision", "text": "The user said: We decided' in asked[0]
    status = json.loads(house.agentx("status", "--json", env=claude.env).stdout)
    spent = status["memory"]["spending"]
    assert spent["model"] == "claude-code/haiku"
    assert spent["tokens"] == 790 * len(claude.asked())
    assert "claude-code/haiku: " in house.agentx("status", env=claude.env).stdout


@pytest.mark.parametrize(
    "answer",
    [
        rewrite("The ledger moved to MongoDB.", "moved to MongoDB"),
        "You've hit your weekly limit, resets Monday",
        *in_soak(
            rewrite("Das Hauptbuch bleibt, wo es war.", QUOTE),
            rewrite("We decided to keep the ledger in SQLite.", QUOTE),
            rewrite("`ledger_pool` opens 5 connections, because of SQLite.", OPENED),
            {
                "verdicts": [
                    {
                        "id": name,
                        "verdict": "drop",
                        "kind": "",
                        "text": "",
                        "quote": "",
                        "event_ids": [],
                        "joins": [],
                    }
                    for name in ("c1", "c1", "c2", "c2", "c3")
                ],
                "observations": [],
            },
            "Sure! I would keep everything.",
            {"verdicts": [], "observations": []},
        ),
    ],
)
def test_lies_and_notices_leave_what_the_rules_found(
    house: House, claude: Claude, answer: object
) -> None:
    lived(house)
    before = memories(house)
    claude.says(answer)

    judge(house, claude)

    assert memories(house) == before
    assert len(before) == 2


def test_a_cli_that_fails_makes_nothing_wait_and_says_why(house: House, claude: Claude) -> None:
    lived(house)
    before = memories(house)
    claude.plays("echo 'Not logged in. Please run /login' >&2; exit 1")

    judge(house, claude)

    assert memories(house) == before
    assert "Not logged in" in house.agentx("logs").stdout
    judge(house, claude)
    assert len(claude.asked()) == 1, "it is left alone for a while"


def test_one_whose_output_cannot_be_read_is_counted_and_left_alone_and_it_is_said(
    house: House, claude: Claude
) -> None:
    lived(house)
    before = memories(house)
    claude.plays("printf '{]%.0s' $(seq 500)")

    for _ in range(3):
        judge(house, claude)

    assert len(claude.asked()) == 1, "the same session is never sent again"
    assert memories(house) == before
    shown = json.loads(house.agentx("status", "--json", env=claude.env).stdout)
    assert shown["memory"]["spending"]["calls"] == 1
    assert shown["memory"]["spending"]["tokens"] > 1_000
    assert "claude-code is left alone for 60 min" in shown["model_rests"]
    assert "is left alone for" in house.agentx("status", env=claude.env).stdout
    assert "is left alone for" in house.agentx("doctor", env=claude.env, expect=None).stdout
    assert "model fell back" in house.agentx("logs").stdout
    rest = next(house.root.rglob("rest.json"))
    rest.unlink()
    judge(house, claude)
    sent = [text for text in claude.asked() if "<candidates" in text]
    assert len(sent) == 1, "not after its rest either"


def test_imported_history_is_not_sent_unless_asked(house: House, claude: Claude) -> None:
    line = {
        "type": "user",
        "uuid": "u-1",
        "sessionId": "s-2",
        "cwd": str(house.project),
        "timestamp": "2026-03-02T10:00:00.000Z",
        "message": {"role": "user", "content": SAID},
    }
    history = house.root / "s-2.jsonl"
    history.write_text(json.dumps(line) + "\n", "utf-8")
    house.agentx("import", str(history))
    house.agentx("sync")
    claude.says({"verdicts": [], "observations": []})

    judge(house, claude)
    assert memories(house)
    assert claude.asked() == []
    house.agentx("scheduler", "run", "summaries", env={**claude.env, "AGENTX_LLM_IMPORTED": "true"})
    assert any(SAID in text for text in claude.asked())


def test_a_repository_cannot_set_who_is_asked(house: House, claude: Claude) -> None:
    lived(house)
    claude.says(rewrite(STOOD_ALONE, OPENED))
    settings = house.project / ".agentx" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('[llm]\nprovider = "claude-code"\nimported = true\n', "utf-8")

    house.agentx("scheduler", "run", "summaries", env={"PATH": claude.env["PATH"]})

    assert claude.asked() == []


def test_a_daemon_that_stops_in_the_middle_leaves_nothing_behind(
    house: House, claude: Claude
) -> None:
    lived(house)
    claude.plays(f"echo $$ > {claude.root}/pid; sleep 300")
    house.agentx("daemon", "start", env=claude.env)
    asking = threading.Thread(
        target=lambda: house.agentx("scheduler", "run", "summaries", expect=None)
    )
    asking.start()
    pid = int(read_soon(claude.root / "pid"))

    began = time.monotonic()
    house.agentx("daemon", "stop")

    assert time.monotonic() - began < 100
    end = time.monotonic() + 60
    while time.monotonic() < end and Path(f"/proc/{pid}/cmdline").exists():
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}/cmdline").exists()
    asking.join(60)
    assert len(memories(house)) == 2


def read_soon(path: Path) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if path.exists() and path.read_text("utf-8").strip():
            return path.read_text("utf-8")
        time.sleep(0.05)
    raise AssertionError("it was never asked")
