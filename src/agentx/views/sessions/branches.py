"""On which branch something was learnt: as the events of its session tell it.

What was learnt on the default branch holds everywhere, so no branch is noted then. A session may
change branches: each finding goes by the last of the events that prove it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from agentx.conversation.model import Event
from agentx.host.git.branches import USUAL_DEFAULTS
from agentx.kernel.capture import EventType
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.model import Observation

_CHARS_MAX = 244
# What git lets no branch be called.
_REFUSED = compile_late(
    r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|\A[/-]|(?:/|\.|\.lock)\Z|\AHEAD\Z|\A@\Z"
)
# "Switched to a new branch 'x'", "[x 1a2b3c4] Subject".
_SWITCHED = compile_late(
    r"^Switched to (?:a new )?branch '([^'\n]{1,244})'$"
    r"|^\[(\S{1,244})(?: \(root-commit\))? [0-9a-f]{7,40}\] \S",
    re.MULTILINE,
)
_COMMITTED = "["
_SWITCHING = ("Switched to ", f"\n{_COMMITTED}")
_READ_CHARS_MAX = 20_000


@frozen
class KnownBranches:
    """The branches of a repository, at the moment of a capture."""

    default: str = ""
    current: str = ""
    tips: dict[str, str]
    is_ahead: Callable[[str], bool]  # whether a commit is one that the default branch lacks


def read_branch(told: object) -> str:
    """Return what an agent CLI calls a branch; empty where no branch can be called so."""
    if not isinstance(told, str) or len(told) > _CHARS_MAX:
        return ""
    return "" if _REFUSED.search(told) else told


def bind(
    made: Sequence[Observation], events: Sequence[Event], known: KnownBranches | None
) -> tuple[Observation, ...]:
    """Return observations with the branch that each was learnt on, and where that branch is now.

    `known` is None where nothing can be said of the repository, or the session is long over: its
    branch may have moved on, or be another of the same name.
    """
    by_event = _follow(events, known.current if known is not None else "")
    return tuple(_bind(each, by_event, known) for each in made)


def _bind(one: Observation, by_event: dict[str, str], known: KnownBranches | None) -> Observation:
    told = [by_event[name] for name in one.event_ids if name in by_event]
    branch = told[-1] if told else ""
    default = known.default if known is not None else ""
    if not branch or branch in ((default,) if default else USUAL_DEFAULTS):
        return one
    head = known.tips.get(branch, "") if known is not None else ""
    # A commit that the default branch has already will say nothing of whether this was merged.
    is_own = known is not None and bool(head) and known.is_ahead(head)
    return replace(one, branch=branch, head=head if is_own else "")


def _follow(events: Sequence[Event], otherwise: str) -> dict[str, str]:
    """Return the branch of each event: as it says, else as the one before it did.

    Some agent CLIs say where a session began, and that for each of its events; where it went from
    there git's own words tell.
    """
    told = [read_branch(event.metadata.get("git_branch")) for event in events]
    branch = said_before = next(filter(None, told), otherwise)
    found: dict[str, str] = {}
    for event, said in zip(events, told, strict=True):
        if said and said != said_before:
            branch = said_before = said
        found[event.event_id] = branch = _hear_git(event) or branch
    return found


def _hear_git(event: Event) -> str:
    """Return the branch that git says it went to, or committed on."""
    if event.event_type is not EventType.TOOL_RESULT:
        return ""
    text = event.text[-_READ_CHARS_MAX:]
    # Most say nothing of the kind, and that is found out sooner than what stands where.
    if not any(map(text.__contains__, _SWITCHING)) and not text.startswith(_COMMITTED):
        return ""
    said = _SWITCHED.findall(text)
    return read_branch(next(filter(None, said[-1]), "")) if said else ""
