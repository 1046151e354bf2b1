"""Every tool: what a list says of it, which toolset it is in, and where its verb lives.

This table is what `tools/list` is answered from, so it imports nothing of what it names:
words that belong to a room are written out here, and a test holds them against that room. The
five of the toolset `memory` are always listed; every session pays for them, so they say what
an agent needs to choose and no more. Tools of the other toolsets are listed where a project
uses them, and can be called anywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agentx.kernel.limits import (
    CLARIFY_TEXT_CHARS_MAX,
    CLARIFY_TOPIC_CHARS_MAX,
    ISSUE_BODY_CHARS_MAX,
    ISSUE_NUMBER_MAX,
    ISSUE_TITLE_CHARS_MAX,
    OBSERVATION_CHARS_MAX,
    RUN_TEXT_CHARS_MAX,
    RUN_TITLE_CHARS_MAX,
)
from agentx.operations.limits import MCP_AROUND_MAX, MCP_IDS_MAX
from agentx.project.toolsets import MEMORY
from agentx.surfaces.mcp.offered.parameters import Parameter, fields, flag, number, text, texts

KINDS = ("event", "observation", "clarification", "run", "run_event", "lesson", "toc_node", "grip")
CATEGORIES = ("decision", "code-change", "error", "key-fact", "compaction-summary")
CANDIDATES = ("pattern", "error-pattern", "solution", "decision", "tech-debt", "learning")
CONFIDENCES = ("LOW", "MEDIUM", "HIGH")
STANDINGS = ("answered", "partial", "unknown")
SURENESS = ("low", "medium", "high")
RUN_ACTS = ("start", "add-task", "take", "release", "open-lane", "finish-lane", "resume")
STATUSES = ("Backlog", "Ready", "In Progress", "In Review", "Validating", "Done")

TOKENS_MIN, TOKENS_MAX = 200, 20_000
ROWS_MAX = 100
PAGES_MAX = 10_000
WAIT_SECONDS_MAX = 300


class Tool(NamedTuple):
    """One tool; `verb` is `module:function` below `tools`."""

    name: str
    verb: str
    about: str
    parameters: tuple[Parameter, ...] = ()
    toolset: str = MEMORY
    reads_only: bool = True
    of_repository: bool = False  # what it tells lies in the repository, which may be a stranger's

    def describe(self) -> dict[str, Any]:
        """Return it as a list names it."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {each.name: each.describe() for each in self.parameters},
        }
        required = [each.name for each in self.parameters if each.required]
        if required:
            schema["required"] = required
        hints: dict[str, Any] = {"readOnlyHint": self.reads_only}
        if not self.reads_only:
            hints["destructiveHint"] = False
        said: dict[str, Any] = {
            "name": self.name,
            "description": self.about,
            "inputSchema": schema,
            "annotations": {**hints, "openWorldHint": False},
        }
        if self.toolset == MEMORY:
            # Where most tools are known by their names only, these are seen whole.
            said["_meta"] = {"anthropic/alwaysLoad": True}
        return said


_ISSUE = number("issue", at_least=0, at_most=ISSUE_NUMBER_MAX)
_NUMBER = number("number", at_least=1, at_most=ISSUE_NUMBER_MAX, required=True)
_AGENT = text("agent", "Role", at_most=60)
_RUN = text("run", "Run id; empty: the active one", at_most=80)
_ACTOR = text("actor", "Your role, such as executor", at_most=64, required=True)


def _tokens(default: int) -> Parameter:
    return number("budget_tokens", at_least=TOKENS_MIN, at_most=TOKENS_MAX, default=default)


def _around(name: str, default: int) -> Parameter:
    return number(name, at_least=0, at_most=MCP_AROUND_MAX, default=default)


_MEMORY = (
    Tool(
        "search",
        "search:search",
        "Find what was said, decided and done in earlier sessions. Start here: rows with id, age, "
        "who, snippet and what `get` of it costs.",
        (
            text(
                "query",
                'A question, or words; "exact phrase", begin*, last week, where did we stop?',
                required=True,
            ),
            number("limit", at_least=1, at_most=ROWS_MAX, default=10),
            text("since", "2026-03-02, 7d, yesterday", at_most=60),
            text("until", at_most=60),
            _AGENT,
            text("issue", at_most=20),
            text("kind", at_most=20, choices=KINDS),
            flag("all_projects"),
        ),
    ),
    Tool(
        "timeline",
        "timeline:timeline",
        "What happened when. No id: the last sessions. A time (today, last week, 2026-03): its "
        "main lines and sessions. A session, event or other id: what happened in or around it.",
        (
            text("id", at_most=300),
            _around("before", 3),
            _around("after", 3),
            number("page", at_least=1, at_most=PAGES_MAX, default=1),
        ),
    ),
    Tool(
        "get",
        "reading:get",
        "Full text of ids from other answers.",
        (
            texts("ids", required=True, at_most=MCP_IDS_MAX),
            _tokens(4_000),
            number("offset", "Where a cut text goes on", at_least=0, at_most=10**9, default=0),
        ),
    ),
    Tool(
        "recall",
        "recalling:recall",
        "What matters most from earlier sessions, best first. Once, when you begin something.",
        (text("context", "What you are about to do"), _ISSUE, _AGENT, _tokens(3_000)),
    ),
    Tool(
        "remember",
        "memory:remember",
        "Keep a decision, error or fact for later sessions, if nobody said it aloud: what is said "
        "is kept anyway.",
        (
            text("text", at_most=10 * OBSERVATION_CHARS_MAX, required=True),
            text("category", at_most=40, choices=CATEGORIES[:4], default="key-fact"),
            texts("files"),
            _ISSUE,
            _AGENT,
        ),
        reads_only=False,
    ),
)

_PROOFS = (
    Tool(
        "expand",
        "reading:expand",
        "The exact words that a recalled line came from, with what was said around them.",
        (
            text("grip_id", "grip:...", at_most=300, required=True),
            _around("before", 1),
            _around("after", 1),
        ),
        "proofs",
    ),
    Tool(
        "observations",
        "memory:observations",
        "What earlier sessions decided, changed, broke and found out: rows, or one by its id. A "
        "row that is superseded, or whose files changed since, says so.",
        (
            text("query", "Words; empty: the newest"),
            text("id", "obs-... to open whole", at_most=300),
            _ISSUE,
            _AGENT,
            text("category", at_most=40, choices=CATEGORIES),
            number("limit", at_least=1, at_most=ROWS_MAX, default=10),
        ),
        "proofs",
    ),
)

_QUESTIONS = (
    Tool(
        "ask",
        "questions:ask",
        "Ask an upstream agent what its requirement, design or decision means: one thing, "
        "precisely, naming the document. Without an answer at once, look with `inbox`. Rounds are "
        "few; when they are used up, a person is called.",
        (
            text("question", at_most=CLARIFY_TEXT_CHARS_MAX, required=True),
            number("issue", "The one you work on", at_least=0, at_most=ISSUE_NUMBER_MAX),
            text("asker", "Your own role", at_most=60),
            text("to", "A role, such as architect", at_most=60),
            text("topic", at_most=CLARIFY_TOPIC_CHARS_MAX),
            text("follow_up", "CLR-... to ask further on", at_most=60),
            flag("blocking", "You cannot go on without it", default=True),
            number("wait_seconds", at_least=0, at_most=WAIT_SECONDS_MAX, default=0),
            flag("ask_anyway", "Whatever memory knows of it"),
        ),
        "questions",
        reads_only=False,
        of_repository=True,
    ),
    Tool(
        "answer",
        "questions:answer",
        "Answer a question that waits for you, or settle one of yours that was answered. The "
        "answer first, then what it rests on (file and line), then what is still open.",
        (
            text("id", "CLR-...", at_most=60, required=True),
            text("text", at_most=CLARIFY_TEXT_CHARS_MAX),
            flag("resolve", "Settle it: you asked, and are content"),
            flag("accept", "Take what memory answered `ask` with"),
            text("source", "And only from there, as it was offered", at_most=60),
            text("role", "Your own role", at_most=60),
            text("standing", at_most=10, choices=STANDINGS),
            text("confidence", at_most=10, choices=SURENESS),
            text("remaining", "What it leaves open", at_most=CLARIFY_TEXT_CHARS_MAX),
        ),
        "questions",
        reads_only=False,
        of_repository=True,
    ),
    Tool(
        "inbox",
        "questions:inbox",
        "Questions that wait for your role, and answers to what it asked. Look when you begin.",
        (text("role", "Your own; empty: all", at_most=60),),
        "questions",
        of_repository=True,
    ),
)

_LABELS = "Such as type:story, priority:p1"
_ISSUES = (
    Tool(
        "ready",
        "issues:ready",
        "Issues that can be begun now, most urgent first, and those that wait for an answer.",
        toolset="issues",
        of_repository=True,
    ),
    Tool(
        "issue",
        "issues:issue",
        "One issue: its text, its comments, where it stands in its workflow, what is next.",
        (_NUMBER,),
        "issues",
        of_repository=True,
    ),
    Tool(
        "issue_create",
        "issues:issue_create",
        "Make an issue for work that you found and do not do now. Under `## Dependencies` its body "
        "may say `Blocks: #3` and `Blocked-by: #2`.",
        (
            text("title", at_most=ISSUE_TITLE_CHARS_MAX, required=True),
            text("body", at_most=ISSUE_BODY_CHARS_MAX),
            texts("labels", _LABELS),
            text("status", at_most=20, choices=STATUSES[:2], default="Backlog"),
        ),
        "issues",
        reads_only=False,
        of_repository=True,
    ),
    Tool(
        "issue_update",
        "issues:issue_update",
        "Move an issue one status on (or back), change its labels, or say something on it.",
        (
            _NUMBER,
            text("status", at_most=20, choices=STATUSES),
            text("comment", at_most=ISSUE_BODY_CHARS_MAX),
            texts("add_labels", _LABELS),
            texts("remove_labels"),
        ),
        "issues",
        reads_only=False,
        of_repository=True,
    ),
)

_RUNS = (
    Tool(
        "run_status",
        "runs:run_status",
        "The run that goes on here: phase, tasks, lanes, what blocks it, what to do next. Look "
        "when you begin, and before you say that something is done.",
        (_RUN,),
        "runs",
        of_repository=True,
    ),
    Tool(
        "run_task_context",
        "runs:run_task_context",
        "What a task of a run needs: its contract, the rules, its work log, its files. Call it "
        "before you begin one.",
        (
            text("task", "Empty: the current one", at_most=64),
            number("budget_tokens", at_least=200, at_most=100_000, default=12_000),
            _RUN,
        ),
        "runs",
        of_repository=True,
    ),
    Tool(
        "run_event",
        "runs:run_event",
        "Record what happened in the run, so that whoever takes it up next knows: task-started, "
        "task-progressed (text), task-completed, task-failed (detail.reason), decision-made, "
        "checkpoint-made, escalation-raised (detail.question), note; others too.",
        (
            text("type", at_most=64, required=True),
            _ACTOR,
            text("task", at_most=64),
            text("lane", at_most=64),
            text("text", at_most=RUN_TEXT_CHARS_MAX),
            fields("detail", "Further fields of that type"),
            _RUN,
        ),
        "runs",
        reads_only=False,
        of_repository=True,
    ),
    Tool(
        "run_do",
        "run_acts:run_do",
        "Take a run further. start: a new one (title). add-task: title, text: what is so "
        "afterwards. take, release: hold a task. open-lane: a branch and a folder to work in. "
        "finish-lane: all is committed; with merge it is merged, once its checks passed. resume: "
        "where it stopped, what is next.",
        (
            text("action", at_most=20, choices=RUN_ACTS, required=True),
            _ACTOR,
            text("task", at_most=64),
            text("lane", at_most=64),
            text("title", at_most=RUN_TITLE_CHARS_MAX),
            text("text", at_most=RUN_TEXT_CHARS_MAX),
            texts("files"),
            texts("depends_on"),
            flag("merge"),
            _RUN,
        ),
        "runs",
        reads_only=False,
        of_repository=True,
    ),
    Tool(
        "propose_lesson",
        "runs:propose_lesson",
        "Offer what the run taught to later runs, in one sentence: a pattern, an error and its "
        "mend, a decision, a debt. Only what the next agent would not find out.",
        (
            text("text", at_most=RUN_TEXT_CHARS_MAX, required=True),
            text("kind", at_most=40, choices=CANDIDATES, required=True),
            _ACTOR,
            texts("evidence", "Files, tests, event ids"),
            texts("files"),
            texts("contradicts", "Lessons it speaks against: PAT-001"),
            text("confidence", at_most=10, choices=CONFIDENCES, default="MEDIUM"),
            _RUN,
        ),
        "runs",
        reads_only=False,
        of_repository=True,
    ),
)

# The order is kept: clients cache the list.
TOOLS = {each.name: each for each in (*_MEMORY, *_PROOFS, *_QUESTIONS, *_ISSUES, *_RUNS)}


def list_tools(on: frozenset[str]) -> list[dict[str, Any]]:
    """Return the tools of some toolsets, as a list names them."""
    return [tool.describe() for tool in TOOLS.values() if tool.toolset in on]
