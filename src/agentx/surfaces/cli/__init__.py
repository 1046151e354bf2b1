"""The command line, and its commands by their names.

They stand here as every start reads this, and nothing more for the names alone.
"""

from __future__ import annotations

# name -> (module, what it does): in the order a newcomer needs them.
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("begin.init", "Set a project up: hooks, history, memory."),
    "setup": ("begin.setup", "Add AgentX to one agent CLI, or take it out again."),
    "uninstall": ("begin.uninstall", "Take everything out again; the memory only if you say so."),
    "trust": ("begin.trust", "Let a repository's files act and its data be told, or no longer."),
    "status": ("begin.status", "What is remembered, and what is running."),
    "view": ("begin.view", "A page in your browser: see what is remembered, and mend it."),
    "doctor": ("begin.doctor", "What is wrong, and the mend."),
    "import": ("begin.import_history", "Take the transcripts of agent CLIs into the log."),
    "sync": ("begin.sync", "Take what hooks captured and bring every view up to date."),
    "toc": ("said.toc", "What was done when: years, months, weeks, days, segments."),
    "expand": ("said.expand", "From a line to the exact words it came from."),
    "search": ("said.search", "Find anything ever said: by words, by time, by plain questions."),
    "recall": ("learnt.recall", "What an agent should know before it begins, within a budget."),
    "why": ("learnt.why", "From anything recalled down to the words that prove it."),
    "show": ("said.show", "The whole text of anything that has an id."),
    "sessions": ("said.sessions", "The sessions, newest first."),
    "events": ("said.events", "The event log."),
    "memory": ("learnt.memory", "What agents decided, changed, broke and found out."),
    "forget": ("said.forget", "Erase an event, a session, a span or what says something."),
    "exclude": ("said.exclude", "Never capture a folder or a project."),
    "mcp": ("behind.mcp", "Let an agent ask its memory: an MCP server on stdin and stdout."),
    "clarify": ("work.clarify", "What agents ask each other: ask, answer, resolve, escalate."),
    "hook": ("work.hook", "An agent begins or ends work on an issue: status, recall, capture."),
    "issue": ("work.issue", "Issues: create, list, show, update, close."),
    "ready": ("work.ready", "What can be begun now, most urgent first."),
    "state": ("work.state", "What each agent is doing, and whom it waits for."),
    "deps": ("work.deps", "What an issue waits for; fails when it is blocked."),
    "workflow": ("work.workflow", "Workflows: list, show, check, and what is next for an issue."),
    "digest": ("work.digest", "What a week brought."),
    "agent": ("work.agent", "Agents: run one on an issue; the roles and their instructions."),
    "run": ("runs.run", "A piece of work in phases, with tasks and lanes, that survives anything."),
    "ltm": ("runs.ltm", "What runs taught: patterns, decisions, debt, metrics, learnings."),
    "daemon": ("behind.daemon", "The background process: start, stop, status."),
    "scheduler": (
        "behind.scheduler",
        "What the daemon does by itself: status, pause, resume, run.",
    ),
    "rebuild": ("behind.rebuild", "Make a view from nothing: search, toc and others."),
    "export": ("behind.export", "Every fact of this memory into one file."),
    "restore": ("behind.restore", "An export in the place of this memory."),
    "config": ("behind.config", "Settings: show, set, unset."),
    "logs": ("behind.logs", "AgentX's own log."),
    "completion": ("behind.completion", "What a shell needs to complete commands."),
    "demo": ("begin.demo", "Three weeks of a small team, replayed: see what AgentX remembers."),
}

# How `agentx --help` lists them; a test sees to it that each stands in one place.
CHAPTERS: dict[str, tuple[str, ...]] = {
    "Begin": (
        *("init", "setup", "uninstall", "trust", "status", "view", "doctor"),
        *("import", "sync", "demo"),
    ),
    "What was said": ("toc", "expand", "search", "show", "sessions", "events", "forget", "exclude"),
    "What was learnt": ("recall", "why", "memory"),
    "Agents and their work": (
        *("issue", "ready", "deps", "workflow", "state", "agent"),
        *("clarify", "hook", "digest"),
    ),
    "Runs": ("run", "ltm"),
    "Behind it": (
        *("mcp", "daemon", "scheduler", "rebuild", "export", "restore", "config", "logs"),
        "completion",
    ),
}

# Commands of earlier versions, and what became of them.
GONE = {"vectors": "search goes by words, and `agentx doctor` names what vectors left behind"}
