"""A small project that uses every format on disk, told through the real hook and commands.

The clock of each command is the story's own, a minute after the one before, so that telling
it again writes the same files but for what is random: ids, keys, names of processes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.support.github_server import REPOSITORY, TOKEN, GithubServer
from tests.support.house import House, prompt
from tests.support.scripted_llm import KEY, ScriptedLlm, says
from tests.support.zygote import NOW_MS

RECORDED = Path(__file__).parent.parent / "fixtures" / "agent-clis"
HARNESSES = ("claude-code", "codex", "gemini", "opencode", "copilot")
BEGIN_MS = 1_794_816_000_000  # 2026-11-16T08:00:00Z
SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
DAY_MS = 24 * 60 * MINUTE_MS
# Deeper than the name of a spool folder can tell, and gone by the time it is drained.
FAR_AWAY = "/srv/" + "a folder with a long name/" * 12 + "end"
# What a recording says of its own session, and what a later one says there.
_WHERE = "/home/dev/proj"
_LATER = (
    ("c27a4d0f-b49b-46e7-95b7-8d9723e031e0", "late-claude-code"),
    ("2cd4790f-2ab8-4f86-9b0f-119519695e78", "late-prompt"),
    ("01a1dc91-1d29-7ff3-b766-5da13b248d23", "late-codex"),
    ("01a1dc91-1d55-7890-89a2-8cf511ca6cfa", "late-turn"),
    ("00efab31-6faa-4356-a414-1d853da0e81d", "late-gemini"),
    ("ses_e22e255ddffenmHkmrx2H60Z7l", "ses_late"),
    ("Pick a database", "Pick a message queue"),
    ("2026-11-15T", "2026-11-18T"),
    ("17947", "17950"),
)
_HOOKS = {
    "claude-code": "claude-code-hooks.jsonl",
    "codex": "codex-hooks.jsonl",
    "gemini": "gemini-cli-hooks.jsonl",
    "opencode": "opencode-hook-payloads.jsonl",
}
_COPILOT: tuple[dict[str, Any], ...] = (
    {"source": "new", "initialPrompt": "Pick a cache"},
    {"prompt": "Pick a cache"},
    {
        "toolName": "bash",
        "toolArgs": json.dumps({"command": "echo hi", "description": "say hi"}),
        "toolResult": {"resultType": "success", "textResultForLlm": "hi\n"},
    },
    {"transcriptPath": "/t", "stopReason": "end_turn", "stop_hook_active": False},
    {"reason": "complete"},
)
_COPILOT_EVENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("session.start", {"sessionId": "cp-1", "context": {"cwd": _WHERE, "branch": "main"}}),
    ("user.message", {"content": "Which cache do we take?"}),
    ("assistant.message", {"messageId": "m1", "content": "We take Valkey.", "toolRequests": []}),
    ("session.shutdown", {"shutdownType": "routine"}),
)
_SUMMARY = {
    "title": "We decided to keep the ledger in Postgres",
    "bullets": [
        {
            "text": "We decided to keep the ledger in Postgres because SQLite locks under five "
            "writers.",
            "quote": "keep the ledger in Postgres because SQLite locks under five writers",
            "event_ids": ["e1"],
        }
    ],
    "keywords": ["Postgres", "SQLite", "ledger"],
}
WORKFLOW = """\
description = "A story, with a person who reads it first."

[[steps]]
id = "implement"
title = "Build it"
agent = "engineer"
can_clarify = ["architect", "product-manager"]
clarify_max_rounds = 2
clarify_sla_minutes = 45
status_on_start = "In Progress"
status_on_complete = "In Review"

[[steps]]
id = "review"
title = "Read it"
agent = "reviewer"
needs = ["implement"]
status_on_complete = "Validating"
"""


class Town(House):
    """The house of the story, at the story's time."""

    now_ms = BEGIN_MS

    @property
    def environment(self) -> dict[str, str]:
        """The environment of everything that runs here, at this time."""
        date = f"{self.now_ms // 1000} +0000"
        return {
            **super().environment,
            NOW_MS: str(self.now_ms),
            "AGENTX_REPLAY_MS": str(self.now_ms),
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
        }

    @property
    def ledger(self) -> Path:
        """The second project: not in git, its observations in SQLite."""
        return self.root / "work" / "ledger"

    def tell(
        self, *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> Any:
        """Run a command, and let a minute pass."""
        done = self.agentx(*arguments, "--json", cwd=cwd, env=env)
        self.now_ms += MINUTE_MS
        return json.loads(done.stdout)

    def hear(self, payload: dict[str, Any], harness: str = "claude-code", **env: str) -> None:
        """Let an agent CLI call its hook, and a second pass."""
        done = self.hook(payload, harness, env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        self.now_ms += SECOND_MS


def tell_story(town: Town, github_port: int = 0) -> None:
    """Tell the whole story in a new house."""
    _settle(town)
    _talk(town)
    _import_history(town)
    _work(town)
    _speak_to_github(town, github_port)
    _remember(town)
    _keep_in_sqlite(town)
    town.now_ms += DAY_MS
    _finish_a_run(town)
    _learn(town)
    _begin_a_run(town)
    town.now_ms += DAY_MS
    _write_summaries(town)
    _look_back(town)
    _leave_the_spool_full(town)


def _settle(town: Town) -> None:
    """Settings, hooks of every agent CLI, copies of what they replaced, a workflow and a role."""
    town.ledger.mkdir()
    settings = town.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n', encoding="utf-8")
    toml = town.home / ".codex" / "config.toml"
    toml.parent.mkdir()
    toml.write_text('model = "gpt-5"  # the big one\n', encoding="utf-8")
    town.tell("config", "set", "--user", "toc.timezone", "UTC")
    town.tell("config", "set", "--user", "llm.daily_usd_max", "2.5")
    town.tell("init", "--harness", ",".join(HARNESSES), "--no-import")
    for folder in (town.project, town.ledger):
        town.tell("config", "set", "project.id", f"golden-{folder.name}", cwd=folder)
    town.tell("config", "set", "memory.maxTokens", "9000")
    town.tell("setup", "claude-code", "--scope", "project")
    own = town.project / ".agentx"
    (own / "workflows").mkdir()
    (own / "workflows" / "story.toml").write_text(WORKFLOW, encoding="utf-8")
    (own / "agents").mkdir()
    (own / "agents" / "engineer.md").write_text("# Engineer\n\nBuild small.\n", encoding="utf-8")
    town.tell("trust", "--yes")
    mail = town.project / "mail.js"
    mail.write_text("const check = (address) => true;\n")
    # Else what is learnt of it would be stale, or not, by the day the story is told on.
    os.utime(mail, ns=(town.now_ms * 1_000_000, town.now_ms * 1_000_000))
    _commit(town, town.project, "mail")


def _talk(town: Town) -> None:
    """Sessions that hooks told of, and what could not be understood."""
    for harness, name in _HOOKS.items():
        for payload in _recorded(name, town.project):
            town.hear(payload, harness)
    for payload in _COPILOT:
        town.hear({"sessionId": "cp-0", "timestamp": town.now_ms, **payload}, "copilot")
    said = "We decided to keep the ledger in Postgres because SQLite locks under five writers. #1"
    start = {"session_id": "s-1", "hook_event_name": "SessionStart", "source": "startup"}
    town.hear(start, AGENTX_AGENT="engineer")
    town.hear(prompt(said, prompt_id="p-1"), AGENTX_AGENT="engineer")
    town.hear(prompt("Forget this sentence.", session="s-2", prompt_id="p-2"))
    town.hear({"session_id": "y", "hook_event_name": "Levitated", "height": 3})
    town.hear({"session_id": "x", "words": "hello"}, "newcomer")
    assert town.hook(b'{"session_id": "s-8", "hook_event_name": "Stop", "ha').returncode == 0
    town.hear({**start, "hook_event_name": "SessionEnd"}, AGENTX_AGENT="engineer")
    town.tell("sync")
    town.tell("forget", "--session", "s-2")


def _import_history(town: Town) -> None:
    """Transcripts that agent CLIs keep."""
    for name, target in (
        ("claude-code-transcript.jsonl", ".claude/projects/x/s.jsonl"),
        ("codex-rollout.jsonl", ".codex/sessions/2026/11/15/rollout-1.jsonl"),
        ("gemini-cli-transcript.jsonl", ".gemini/tmp/proj/chats/session-1.jsonl"),
    ):
        text = (RECORDED / name).read_text(encoding="utf-8").replace(_WHERE, str(town.project))
        _lay(town.home / target, text, town)
    lines = [
        {"type": kind, "id": f"e-{number}", "timestamp": "2026-11-15T09:00:00.000Z", "data": data}
        for number, (kind, data) in enumerate(_COPILOT_EVENTS)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    events = town.home / ".copilot" / "session-state" / "cp-1" / "events.jsonl"
    _lay(events, text.replace(_WHERE, str(town.project)), town)
    town.tell("import", "--all-projects")


def _write_summaries(town: Town) -> None:
    """A model writes what is over, and its price is noted."""
    with ScriptedLlm(says(_SUMMARY)).serving() as llm:
        env = {
            "AGENTX_MEMORY_ENABLED": "false",
            "AGENTX_LLM_PROVIDER": "openai",
            "AGENTX_LLM_MODEL": "small",
            "AGENTX_LLM_BASE_URL": llm.url,
            "AGENTX_LLM_API_KEY_ENV": "SOME_KEY",
            "SOME_KEY": KEY,
        }
        town.tell("scheduler", "run", "summaries", env=env)
    town.tell("scheduler", "pause", "retention")


def _work(town: Town) -> None:
    """Issues, agents at work, what they ask each other."""
    create = ("issue", "create", "--title")
    town.tell(*create, "Pick a database", "--label", "type:story", "--status", "ready")
    body = "Storage.\n\n## Dependencies\nBlocked-by: #1\n"
    town.tell(*create, "Use it \u2705", "--body", body, "--label", "priority:p1")
    town.tell(*create, "Log in", "--label", "type:feature", "--status", "ready")
    town.tell(*create, "Old idea")
    town.tell("issue", "comment", "1", "Postgres, says everybody.")
    town.tell("issue", "update", "4", "--title", "An old idea", "--label", "mine")
    town.tell("issue", "close", "4")
    town.tell("hook", "start", "--agent", "engineer", "--issue", "1")
    ask = ("clarify", "ask", "--from", "engineer", "--to", "architect")
    question = (*ask, "--issue", "1", "--topic")
    town.tell(*question, "Storage", "--question", "One file an issue, or a database?")
    town.tell("clarify", "answer", "CLR-1-001", "A database.")
    town.tell("clarify", "ask", "--follow-up", "CLR-1-001", "--question", "Which one?")
    town.tell("clarify", "answer", "CLR-1-001", "PostgreSQL.")
    town.tell("clarify", "resolve", "CLR-1-001", "PostgreSQL it is")
    town.tell(*question, "Keys \u6570", "--question", "Who holds the keys?", "--no-block")
    town.tell("clarify", "escalate", "CLR-1-002", "nobody knows")
    town.tell("clarify", "answer", "CLR-1-002", "The vault.")


def _speak_to_github(town: Town, port: int) -> None:
    """Pages that are kept, and what waits because nobody answers."""
    with GithubServer().serving(port) as server:
        env = github(server.port)
        made = town.tell("issue", "create", "--title", "From there", "--label", "type:bug", env=env)
        town.tell("issue", "show", str(made["number"]), env=env)
        town.tell("issue", "list", env=env)
    town.tell("issue", "comment", "1", "Said while nobody listened.", env=env)


def github(port: int) -> dict[str, str]:
    """Return the settings of a GitHub on the loopback."""
    return {
        "AGENTX_WORK_MODE": "github",
        "AGENTX_GITHUB_REPOSITORY": REPOSITORY,
        "AGENTX_GITHUB_BASE_URL": f"http://127.0.0.1:{port}",
        "GITHUB_TOKEN": TOKEN,
    }


def _remember(town: Town) -> None:
    """Observations, settled and merged."""
    add = ("memory", "add", "--agent", "engineer", "--issue")
    town.tell(*add, "29", "--category", "decision", "Chose JSON files. SQLite was too opaque.")
    town.tell(*add, "29", "--category", "decision", "Webhooks are signed with the harbour's key.")
    said = "The payment webhook times out after 30 s because the vendor hangs up."
    town.tell(*add, "29", "--category", "error", said)
    town.tell(*add, "1", "--category", "code-change", "--file", "mail.js", "Mail is checked.")
    town.tell("sync")
    town.tell("memory", "compact", "--issue", "29", "--older-than", "0")
    town.tell("sync")


def _keep_in_sqlite(town: Town) -> None:
    """The second project keeps its observations in SQLite."""
    add = ("memory", "add", "--agent", "architect", "--issue")
    town.tell(*add, "7", "--category", "decision", "The quay has two cranes.", cwd=town.ledger)
    town.tell(*add, "7", "--category", "decision", "It is closed on Sundays.", cwd=town.ledger)
    town.tell(*add, "7", "The quay is closed on Sundays.", cwd=town.ledger)
    town.tell("sync", cwd=town.ledger)
    town.tell("memory", "compact", "--older-than", "0", cwd=town.ledger)
    town.tell("memory", "migrate", "--to", "sqlite", cwd=town.ledger)
    town.tell(*add, "8", "--category", "error", "The crane stops at noon.", cwd=town.ledger)


def _finish_a_run(town: Town) -> None:
    """A run from plan to pull request, packed away."""
    run = town.tell("run", "start", "Add e-mail checks", "--description", "no bad addresses")
    add = ("run", "task", "add")
    town.tell(*add, "Write the checker", "--file", "mail.js", "--accept", "rejects a@")
    page = town.root / "rules.md"
    page.write_text("# Constitution\nNever throw.\n", encoding="utf-8")
    town.tell("run", "artifact", "constitution.md", str(page))
    page.unlink()
    town.tell("run", "phase", "next")
    _merge_lane(town, "const check = (address) => address.includes('@');\n")
    town.tell("run", "phase", "VERIFICATION")
    town.tell("run", "verify", "--verdict", "PASSED", "--check", "unit tests=12 passed")
    offer = ("run", "propose", "--evidence", "mail.js", "--kind")
    town.tell(*offer, "pattern", "check with [1:]")
    town.tell("run", "phase", "next")
    town.tell("run", "phase", "next")
    town.tell("run", "phase", "complete")
    town.tell("run", "archive", run["run_id"], "--promote", "all")


def _merge_lane(town: Town, text: str) -> None:
    lane = town.tell("run", "lane", "open", "--task", "TASK-001", "--actor", "executor")
    folder = Path(lane["folder"])
    (folder / "mail.js").write_text(text, encoding="utf-8")
    _commit(town, folder, "check")
    town.tell("run", "task", "log", "TASK-001", "checks the @", cwd=folder)
    town.tell("run", "verify", "--run", "test -f mail.js", cwd=folder)
    town.tell("run", "lane", "merge", lane["lane_id"])


def _learn(town: Town) -> None:
    """Lessons of every kind, and what becomes of them."""
    add = ("ltm", "add", "--kind")
    where = ("--area", "mail", "--file", "mail.js")
    town.tell(*add, "error-pattern", "A bare @ passes.", "--name", "Bare at", *where)
    town.tell(*add, "solution-pattern", "Ask the server once.", "--confidence", "LOW")
    town.tell(*add, "decision", "Take Postgres.", "--name", "Database", "--context", "many writers")
    debt = ("--line", "2", "--priority", "HIGH", "--file", "mail.js")
    town.tell(*add, "tech-debt", "No test of check().", *debt)
    town.tell(*add, "learning", "The mail server is slow in the morning.", "--area", "mail")
    town.tell("ltm", "contradict", "PAT-003", "it asks twice")
    town.tell("ltm", "confirm", "PAT-002")
    town.tell("ltm", "resolve", "TD-001", "tests are there")
    town.tell("ltm", "retire", "LRN-001", "a new server")


def _begin_a_run(town: Town) -> None:
    """A run in the middle: a lane open, a task blocked, a question to a person."""
    town.tell("run", "start", "Check the domain", "--requester", "Mira")
    add = ("run", "task", "add")
    town.tell(*add, "Look it up", "--file", "mail.js", "--goal", "no dead domains")
    town.tell(*add, "Tell the user", "--after", "TASK-001")
    town.tell("run", "task", "revise", "TASK-002", "--goal", "in one sentence")
    town.tell("run", "phase", "next")
    _merge_lane(town, "const check = (address) => address.indexOf('@') > 0;\n")
    town.tell("run", "task", "start", "TASK-002")
    town.tell("run", "lane", "open", "--task", "TASK-002", "--actor", "executor")
    town.tell("run", "event", "--type", "note", "--detail", "text=DNS is slow \u2601")
    decided = ("--detail", "text=one lookup", "--detail", "why=DNS is slow")
    town.tell("run", "event", "--type", "decision-made", *decided)
    town.tell("run", "checkpoint", "half of it")
    ask = ("--tried", "asking nicely", "--needed", "a budget", "--option", "10 a day")
    town.tell("run", "escalate", "How many lookups a day?", "--task", "TASK-002", *ask)
    town.tell("run", "verify", "--task", "TASK-001", "--verdict", "passed", "--check", "dns=ok")
    town.tell("run", "propose", "Cache lookups for a day", "--kind", "pattern")


def _look_back(town: Town) -> None:
    """Bring every view up to date, tell a session of it; leave acts unsettled, a question open."""
    town.tell("sync")
    town.tell("sync", cwd=town.ledger)
    town.tell("scheduler", "run", "memory-verify")
    town.hear({"session_id": "s-3", "hook_event_name": "SessionStart", "source": "startup"})
    town.hear(prompt("Which port does Postgres take?", session="s-3", prompt_id="p-3"))
    town.tell("sync")
    add = ("memory", "add", "--agent", "engineer", "--issue", "30")
    gone = town.tell(*add, "The harbour is closed.")
    town.tell(*add, "The harbour API allows five calls a second.")
    town.tell("memory", "remove", gone["id"])
    ask = ("clarify", "ask", "--from", "engineer", "--to", "architect", "--issue", "3")
    town.tell(*ask, "--topic", "Tokens", "--question", "How long do they live?")


def _leave_the_spool_full(town: Town) -> None:
    """What hooks wrote and nobody has taken yet: of each agent CLI, damaged, from far away."""
    for harness, name in _HOOKS.items():
        for payload in _recorded(name, Path("/home/dev/proj"), later=True):
            town.hear(payload, harness)
    for payload in _COPILOT:
        town.hear({"sessionId": "cp-late", "timestamp": town.now_ms, **payload}, "copilot")
    secret = "deploy with ghp_" + "aB3dE5gH7jK9" * 3 + " <private>my cat is Tom</private> now"
    town.hear(prompt(secret, session="s-4", prompt_id="p-4"), AGENTX_AGENT="engineer")
    town.hear({"session_id": "z", "words": "hello again"}, "newcomer")
    done = town.hook(b'{"session_id": "s-9", "hook_event_name": "Stop", "half": "cut of')
    assert done.returncode == 0
    town.hear(prompt("from far away", session="s-5", prompt_id="p-5"), CLAUDE_PROJECT_DIR=FAR_AWAY)


def _recorded(name: str, where: Path, *, later: bool = False) -> list[dict[str, Any]]:
    text = (RECORDED / name).read_text(encoding="utf-8").replace(_WHERE, str(where))
    for old, new in _LATER if later else ():
        text = text.replace(old, new)
    lines = [json.loads(line) for line in text.splitlines()]
    return [line if "opencode" in name else line["payload"] for line in lines]


def _lay(path: Path, text: str, town: Town) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    town.now_ms += SECOND_MS  # a time of its own: the newest is read first
    os.utime(path, ns=(town.now_ms * 1_000_000, town.now_ms * 1_000_000))


def _commit(town: Town, folder: Path, what: str) -> None:
    town.git("add", "mail.js", cwd=folder)  # the settings of agent CLIs say where the house is
    town.git("commit", "-q", "-m", what, cwd=folder)
