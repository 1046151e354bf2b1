"""Which issue a session is about: its branch says so, else the task that its user named first.

Where neither says it, a setting does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentx.conversation.model import Event
from agentx.kernel.capture import EventType
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.kernel.text import compile_late

# feature/42-x, issue-42, gh-42, 42-x; not release/2.1, 20260205-x, v2 or node18.
_BRANCH = compile_late(
    r"(?:\A|/)(?:(?:issue|issues|gh|bug|bugfix|fix|feat|feature|task|story|hotfix|ticket)"
    r"[-_/#]?)?#?([1-9]\d{0,5})(?=\Z|[-_/])|(?:\A|[/_-])(?:issue|gh)[-_/#]?([1-9]\d{0,5})(?!\d)",
    re.IGNORECASE,
)
# ent-221-login, ENT-221: a key of another tracker; not node-18-x, step-2-x or nov-16-x.
_KEY = compile_late(
    r"(?:\A|/)(?!(?:release|rel|ver|v|node|py|python|go|rust|java|php|ruby|utf|sha|md|es|ipv|http|rc"
    r"|beta|alpha|phase|part|step|stage|sprint|week|day|q|pr|pull|mr|take|try|test|wip|top|level"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[-_])"
    r"(?i:[a-z]{2,6})-([1-9]\d{0,5})(?=[-_][A-Za-z])|(?:\A|/)[A-Z]{2,10}-([1-9]\d{0,5})\Z"
)
_NAMED = r"(?:issue|bug|ticket|story)[ #:-]{1,3}|#|gh-|https?://\S+/issues/"
# What is named as the task: after what is to be done with it, or as what it is all about.
_TASK = compile_late(
    r"\b(?:fix|work(?:ing)? on|implement|resolve|solve|close|tackle|address|handle"
    r"|start(?: on| with)?|begin(?: with)?|continue(?: on| with)?|finish|do|take(?: on)?"
    r"|pick up|look (?:at|into)|investigate|build|design|plan|debug)"
    r"\s+(?:(?:the|this|our|open|github|on|for)\s+){0,2}"
    rf"(?:{_NAMED})([1-9]\d{{0,5}})\b(?![\w.,]*\d)"
    r"|(?:\b(?:on|for)\s+(?:the\s+)?|\(|\A\s*)issue[ #:-]{1,3}([1-9]\d{0,5})\b"
    r"|\A/[\w:-]*(?:issue|fix|ticket)[\w:-]*\s+#?([1-9]\d{0,5})\b",
    re.IGNORECASE,
)
_PROMPT_LINES_READ = 3
_LINE_CHARS_MAX = 300  # a longer one was pasted
_CODE = compile_late(r"```.*?(?:```|\Z)|`[^`]*`", re.DOTALL)
# A line of a log, a quotation or a list: it may name an issue and is no task.
_PASTED = compile_late(
    r"\s*(?:[>|\[#$%*+-]|\d|\w+:\d|(?:error|warning|fatal|info|debug)\b)", re.IGNORECASE
)


def branches_of(events: Sequence[Event]) -> tuple[str, ...]:
    """Return the branches that a session was on, as far as its agent CLI told them."""
    told = (event.metadata.get("git_branch") for event in events)
    return tuple(dict.fromkeys(branch for branch in told if isinstance(branch, str) and branch))


def issue_of(events: Sequence[Event], *, branch: str = "", otherwise: int = 0) -> int:
    """Return the number of the issue; `otherwise` where nothing says which.

    `branch` is what is checked out, for a session of which no event says it.
    """
    for name in reversed(branches_of(events) or (branch,)):
        found = of_branch(name)
        if found:
            return found
    first = next((event.text for event in events if _is_prompt(event)), "")
    found = of_prompt(first)
    if found:
        return found
    return otherwise if 0 <= otherwise <= ISSUE_NUMBER_MAX else 0


def of_branch(branch: str) -> int:
    """Return the issue that a branch is named after; 0 for none."""
    found = _BRANCH.search(branch) or _KEY.search(branch)
    return int(found[1] or found[2]) if found else 0


def of_prompt(text: str) -> int:
    """Return the issue that a prompt names as the task; 0 for none.

    What is pasted names issues too, so only the beginning is read, as far as it was typed.
    """
    head = _CODE.sub(" ", text[: 4 * _LINE_CHARS_MAX]).strip()
    for line in head.split("\n")[:_PROMPT_LINES_READ]:
        if len(line) > _LINE_CHARS_MAX or _PASTED.match(line):
            return 0
        found = _TASK.search(line)
        if found:
            return int(found[1] or found[2] or found[3])
    return 0


def _is_prompt(event: Event) -> bool:
    is_said = event.event_type is EventType.USER_MESSAGE and not event.metadata.get("subagent")
    return is_said and bool(event.text.strip())
