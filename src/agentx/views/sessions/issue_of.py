"""Which issue a session is about: its branch says so, else what the user wrote, else a setting."""

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
_PROMPT = compile_late(
    r"(?:\bissue|\bissues/|\bbug|\bstory)[ #:-]{0,3}([1-9]\d{0,5})\b"
    r"|(?<![\w/&#])(?<!PR )(?<!pr )#([1-9]\d{0,5})\b(?![\w.,]*\d)",
    re.IGNORECASE,
)
_PROMPT_CHARS_READ = 4_000
_CODE = compile_late(r"```.*?```|`[^`]*`", re.DOTALL)


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
    for event in events:
        if event.event_type is EventType.USER_MESSAGE and not event.metadata.get("subagent"):
            found = of_prompt(event.text)
            if found:
                return found
    return otherwise if 0 <= otherwise <= ISSUE_NUMBER_MAX else 0


def of_branch(branch: str) -> int:
    """Return the issue that a branch is named after; 0 for none."""
    found = _BRANCH.search(branch)
    return int(found[1] or found[2]) if found else 0


def of_prompt(text: str) -> int:
    """Return the issue that a prompt speaks of; 0 for none."""
    found = _PROMPT.search(_CODE.sub(" ", text[:_PROMPT_CHARS_READ]))
    return int(found[1] or found[2]) if found else 0
