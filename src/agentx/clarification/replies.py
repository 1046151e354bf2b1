"""What people say on an issue's page, and which question it settles.

A reply counts when it is surely a person's and surely meant: written by somebody whom the user
named, from an account that no AgentX posts with (an agent may have that one's token), as it was
sent, below the comment that asked for it. It begins with its question (`CLR-42-001: yes`), quotes
it, or is for the only one that waits. What is only half so is told, and settles nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agentx.clarification.model import (
    Clarification,
    ClarificationStatus,
    EntryType,
    name_github_way,
)
from agentx.clarification.rendering import is_post
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_NAME = compile_late(r"\bCLR-\d+-\d{3,9}(?:@[A-Za-z0-9][A-Za-z0-9_-]{0,63})?")
_LEAD = compile_late(r"^\s*(?:CLR-\d+-\d{3,9}(?:@[A-Za-z0-9_-]+)?\s*[:,.-]*\s*)")
_HIDDEN = compile_late(r"<!--.*?(?:-->|$)")
_MENTIONS = compile_late(r"^(?:@[A-Za-z0-9][A-Za-z0-9/_-]*[\s,:]*)+")
# Words of somebody who has not decided yet, where they are all that is said.
_HOLDING = compile_late(
    r"^(?:\W*(?:thanks?|thank you|ok(?:ay)?|hm+)[\s,.!]*)*"
    r"(?:$|\+1|(?:i'?ll|i will|let me)\s+(?:\w+\s+){0,2}(?:look|check|think|get back|come back)"
    r"|looking into|checking|thinking|on it\b|hold on|one moment|give me a|not sure|no idea)"
)
_HOLDING_CHARS_MAX = 160


@frozen
class PageComment:
    """A comment on an issue's page."""

    id: int
    author: str
    body: str
    is_person: bool
    is_edited: bool
    is_ours: bool


@frozen
class PersonsReply:
    """What a person said to a question."""

    remark: int
    author: str
    clarification_id: str
    body: str
    via: str  # as the ledger keeps it
    settles: bool  # it ends the matter, where it would only be an answer otherwise


@frozen
class ReplyNotTaken:
    """Why a person's comment settled nothing, and what would."""

    remark: int
    author: str
    why: str


def find_replies(
    remarks: Sequence[PageComment], states: Sequence[Clarification], people: Iterable[str]
) -> Iterator[PersonsReply | ReplyNotTaken]:
    """Yield what people said to the questions of an issue, oldest first; nothing twice."""
    named = {name.casefold() for name in people}
    programs = {remark.author.casefold() for remark in remarks if remark.is_ours}
    taken = {entry.via for state in states for entry in state.thread}
    for remark in remarks:
        author = remark.author.casefold()
        is_named = author in named and remark.is_person and not remark.is_ours
        if not is_named or name_github_way(remark.author, remark.id) in taken:
            continue
        found = _read(remark, remarks, states, posts_too=author in programs)
        if found is not None:
            yield found


def _read(
    remark: PageComment,
    remarks: Sequence[PageComment],
    states: Sequence[Clarification],
    *,
    posts_too: bool,
) -> PersonsReply | ReplyNotTaken | None:
    quoted, text = _split(remark.body)
    # Named in passing, a question is only spoken of.
    lead = _LEAD.match(_MENTIONS.sub("", text))
    names = dict.fromkeys(_NAME.findall(lead[0] if lead else quoted))
    open_now = [
        state
        for state in states
        if state.is_active and _is_below(remark, remarks, state, is_named=bool(names))
    ]
    if names:
        open_now = [state for state in open_now if {state.id, state.formerly} & set(names)]
    else:
        open_now = [state for state in open_now if state.waits_for_person]
    if not open_now:
        return None  # people talk on issues
    why = _doubt(remark, text, open_now, posts_too=posts_too)
    if why:
        return ReplyNotTaken(remark=remark.id, author=remark.author, why=why)
    state = open_now[0]
    return PersonsReply(
        remark=remark.id,
        author=remark.author,
        clarification_id=state.id,
        body=_strip(text),
        via=name_github_way(remark.author, remark.id),
        settles=state.status is ClarificationStatus.ANSWERED,
    )


def _split(body: str) -> tuple[str, str]:
    """Return what a comment quotes, and what it says itself."""
    lines = _HIDDEN.sub("", body).splitlines()
    quoted = [line for line in lines if line.lstrip().startswith(">")]
    said = [line for line in lines if not line.lstrip().startswith(">")]
    return "\n".join(quoted), "\n".join(said).strip()


def _strip(text: str) -> str:
    said = _MENTIONS.sub("", text)
    return _MENTIONS.sub("", _LEAD.sub("", said)).strip()


def _is_below(
    remark: PageComment, remarks: Sequence[PageComment], state: Clarification, *, is_named: bool
) -> bool:
    """Tell whether a comment stands below the one it may be a reply to."""
    turns = [
        turn
        for turn, entry in enumerate(state.thread)
        if not entry.late and entry.type in (EntryType.QUESTION, EntryType.ESCALATION)
    ]
    asked = turns[:1] if is_named else turns[-1:]
    return any(
        each.is_ours and each.id < remark.id and is_post(each.body, state, turn)
        for each in remarks
        for turn in asked
    )


def _doubt(
    remark: PageComment, text: str, open_now: Sequence[Clarification], *, posts_too: bool
) -> str:
    """Return why a comment is not taken, and what to do; nothing where it is."""
    first, said = open_now[0].id, _strip(text)
    example = f"`{first}: your decision`"
    waiting = ", ".join(state.id for state in open_now)
    is_holding = len(said) <= _HOLDING_CHARS_MAX and _HOLDING.match(said.casefold())
    doubts = (
        (
            posts_too,
            (
                f"AgentX posts as {remark.author} too, so an agent could have written it; decide "
                f"in a terminal with `agentx clarify resolve {first}`, or give AgentX the token of "
                "an account of its own"
            ),
        ),
        (
            remark.is_edited,
            f"it was edited, and nobody can tell by whom; write a new one: {example}",
        ),
        (len(open_now) > 1, f"it may be for any of {waiting}; say for which: {example}"),
        (not said, f"it says nothing; say what is decided: {example}"),
        (
            said.endswith(("?", "\uff1f")),
            f"it asks something itself; once it is decided, say so: {example}",
        ),
        (is_holding, f"nothing seems to be decided by it; once it is, say so: {example}"),
    )
    return next((why for is_so, why in doubts if is_so), "")
