"""Which question a person's comment settles.

A reply counts when it is surely a person's and surely meant: written by somebody whom the user
named, from an account that no AgentX posts with (an agent may have that one's token), as it was
sent, below the comment that asked for it. Each of its parts begins with its question
(`CLR-42-001: yes`), quotes it, or is for the only one that waited then. What is only half so is
told, settles nothing, and never will: who wrote it was told so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agentx.clarification.contested import is_otherwise, say_by_whom
from agentx.clarification.model import Clarification, ClarificationStatus, Entry, read_question
from agentx.clarification.rendering import find_decided
from agentx.clarification.replies.page import (
    IssuePage,
    PageComment,
    ShownQuestion,
    is_settled_for_good,
)
from agentx.clarification.replies.parts import ReplyPart, list_names, split_reply
from agentx.clarification.watch.awaiting import name_asked
from agentx.clarification.watch.gathered import key_awaited
from agentx.clarification.watch.later import tell_later
from agentx.clarification.watch.matters import list_matters
from agentx.clarification.ways import name_github_way
from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX
from agentx.kernel.text import (
    compile_late,
    fold_text,
    preview,
    preview_ends,
    refer_to_nothing,
    shows_something,
)
from agentx.kernel.values import frozen
from agentx.prose.same.wording import key_words

# Words of somebody who has not decided yet, where they are all that is said.
_HOLDING = compile_late(
    r"^(?:\W*(?:thanks?|thank you|ok(?:ay)?|hm+)[\s,.!]*)*"
    r"(?:$|\+1|:\+1:|\U0001f44d|"
    r"(?:i'?ll|i will|let me)\s+(?:\w+\s+){0,2}(?:look|check|think|get back|come back)"
    r"|looking into|checking|thinking|on it\b|hold on|one moment|give me a|not sure|no idea)"
)
_GREETING = compile_late(
    r"^(?:hi|hello|hey|hallo|thanks?|thank you|ok(?:ay)?|sure)\b[^.?!\n]{0,60}\W*$"
)
_HOLDING_CHARS_MAX = 160


@frozen
class PersonsReply:
    """What a person said to a question."""

    remark: int
    author: str
    clarification_id: str
    exact: str  # its name while what was asked is that
    body: str
    via: str  # as the ledger keeps it
    settles: bool  # it ends the matter, where it would only be an answer otherwise
    to_asked: str = ""  # of what was missed: the uid of what it was said to, asked further since


@frozen
class ReplyNotTaken:
    """Why a person's comment, or some of it, settled nothing, and what would."""

    remark: int
    author: str
    why: str
    is_whole: bool = True  # nothing of it was taken, here or elsewhere
    is_told: bool = False  # who wrote it was told so before
    missed: tuple[PersonsReply, ...] = ()  # what would have been taken, had it been read before

    @property
    def mark(self) -> str:
        """The hidden mark of the comment that says so."""
        return mark_refusal(self.remark, is_whole=self.is_whole)


def mark_refusal(remark: int, *, is_whole: bool = True) -> str:
    """Return the mark of the comment that says that one was not taken, or not all of it."""
    return f"<!-- agentx:reply:{remark}{'' if is_whole else ':rest'} -->"


def find_replies(
    page: IssuePage, people: Iterable[str], after: int = 0
) -> Iterator[tuple[PersonsReply | ReplyNotTaken, ...]]:
    """Yield what each comment of people, below one, says to the questions of an issue.

    The oldest comes first. Nothing that a thread holds is yielded again, nor is what was refused
    but for what was missed: who refused it was another machine.
    """
    named = {name.casefold() for name in people}
    for remark in page.comments:
        is_named = remark.author.casefold() in named and remark.is_person and not remark.is_ours
        if is_named and remark.id > after:
            found = tuple(_read(remark, page))
            if found:
                yield found


def _read(remark: PageComment, page: IssuePage) -> Iterator[PersonsReply | ReplyNotTaken]:
    is_kept = remark.is_edited and any(  # what it said then is on record
        entry.comment == remark.id for state in page.states for entry in state.thread
    )
    if is_kept:
        return
    is_refused = page.holds(mark_refusal(remark.id))
    parts = split_reply(remark.body)
    has_named = any(part.is_led for part in parts)
    whys: list[str] = []
    missed: list[PersonsReply] = []
    is_whole = True
    for part in parts:
        if has_named and not part.names:
            if not _GREETING.match(part.text.casefold()):
                words = preview(part.text, 60).replace("`", "")
                whys.append(f'"{words}" names no question: begin each with its own')
            continue
        for meant in _find_meant(part, remark, page):
            if isinstance(meant, str):
                whys.append(meant)
                continue
            if part.names and meant.uid in page.forgotten:
                whys.append(_say_forgotten(meant))
                continue
            if meant.state is None or _is_taken(meant, remark):
                is_whole = False
                page.heard_elsewhere.setdefault(meant.uid, remark.id)
                continue
            reply = PersonsReply(
                remark=remark.id,
                author=remark.author,
                clarification_id=meant.state.id,
                exact=name_asked(meant.state),
                body=part.text,
                via=name_github_way(remark.author, remark.id),
                settles=meant.state.status is ClarificationStatus.ANSWERED,
            )
            doubts = _list_doubts(remark, part, meant.state, page)
            if doubts:
                is_missed = _is_missed(remark, part, meant.state, page, doubts)
                asked = _name_asked_before(remark, meant.state, page)
                missed += (replace(reply, to_asked=asked),) if is_missed else ()
                whys += doubts if is_missed else doubts[:1]
            elif not is_refused:
                is_whole = False
                yield reply
    is_told = is_refused or page.holds(mark_refusal(remark.id, is_whole=False))
    if missed or (whys and not is_told):
        yield ReplyNotTaken(
            remark=remark.id,
            author=remark.author,
            why="; ".join(dict.fromkeys(whys)),
            is_whole=is_whole,
            is_told=is_told,
            missed=tuple(missed),
        )


def _say_forgotten(meant: ShownQuestion) -> str:
    return (
        f"{meant.called} was forgotten: nobody waits for an answer to it; to have it decided, tell "
        "the agent, or have it asked anew"
    )


def _find_meant(
    part: ReplyPart, remark: PageComment, page: IssuePage
) -> Iterator[ShownQuestion | str]:
    """Yield the questions that a part is for, or why that cannot be told."""
    shown = page.list_shown(remark)
    if part.is_led:
        for name in part.names:
            yield _find_named(name, shown)
        return
    quoted = [each for each in shown if each.names & set(part.names)]
    open_then = [each for each in quoted or shown if _is_open(each, is_named=bool(quoted))]
    if len(open_then) > 1:
        called = sorted(each.called for each in open_then)
        if len(set(called)) < len(called):
            waiting = f"{len(called)} questions; say for which: {_name_exactly(open_then)}"
        else:
            waiting = f"{', '.join(called)}; say for which: `{called[0]}: your decision`"
        yield f"it may be for any of {waiting}"
    elif open_then:
        yield open_then[0]
    # else people talk on issues


def _find_named(name: str, shown: Sequence[ShownQuestion]) -> ShownQuestion | str:
    found = [each for each in shown if name in each.names]
    if not found:
        return f"{name} was not asked here before it"
    if len(found) > 1:
        exact = _name_exactly(found, name)
        return f"{len(found)} questions here were called {name}; say for which: {exact}"
    return found[0]


def _name_exactly(asked: Iterable[ShownQuestion], name: str = "") -> str:
    """Return how each of some questions is named that have one name, with what it is about."""
    named = ((f"{name or each.called}@{each.uid}", each.topic) for each in asked)
    return ", or ".join(f'`{exact}:` for "{topic}"' for exact, topic in sorted(named))


def _is_open(each: ShownQuestion, *, is_named: bool) -> bool:
    return not each.is_settled if is_named else each.waits_for_person


def _is_taken(meant: ShownQuestion, remark: PageComment) -> bool:
    return meant.state is not None and any(
        entry.comment == remark.id and not entry.is_claim for entry in meant.state.thread
    )


def _is_missed(
    remark: PageComment,
    part: ReplyPart,
    state: Clarification,
    page: IssuePage,
    doubts: Sequence[str],
) -> bool:
    """Tell whether a part of a comment would have been taken, had it been read before.

    What it says beside of another question is no reason to forget what it says to this one. Where
    somebody replied below it, that was said with it before them.
    """
    overtaking = _find_overtaking(remark, state, page)
    if not overtaking or not {*doubts} <= {overtaking, _find_others(remark, part, state, page)}:
        return False
    asked = page.find_asked(state, remark)
    below = (each for each in state.thread if each.is_persons_word and each.comment > remark.id)
    is_replied = any(state.find_asked(each) is asked for each in below)
    return not is_replied and _is_decided(part, state, asked)


def _is_decided(part: ReplyPart, state: Clarification, asked: Entry | None) -> bool:
    """Tell whether somebody goes by what was said to the question that a comment answers."""
    if asked is None:
        return False
    if asked is _list_asked(state)[-1]:
        return state.status in (ClarificationStatus.ANSWERED, ClarificationStatus.RESOLVED)
    matter = _find_matter(state, asked)
    return matter is not None and is_otherwise(part.text, matter)


def _find_matter(state: Clarification, asked: Entry) -> Clarification | None:
    """Return what people said to one thing that a thread asked before its last, or None.

    What was asked in the same words is one thing.
    """
    key = key_words(state.topic, read_question(asked))
    return next((each for each in list_matters(state) if key_awaited(each) == key), None)


def _list_asked(state: Clarification) -> list[Entry]:
    return [each for each in state.thread if not each.late and read_question(each)]


def _name_asked_before(remark: PageComment, state: Clarification, page: IssuePage) -> str:
    """Return the uid of what a comment answers, where something was asked further; or nothing."""
    asked = page.find_asked(state, remark)
    if asked is None or asked is _list_asked(state)[-1]:
        return ""
    return asked.uid or state.stem or state.uid


def _find_others(
    remark: PageComment, part: ReplyPart, state: Clarification, page: IssuePage
) -> str:
    """Return which other questions that wait a part of a comment speaks of; mostly nothing."""
    others = [name for name in list_names(part.text) if name not in part.names]
    shown = (each for each in page.list_shown(remark) if each.waits_for_person)
    waiting = {name for each in shown for name in each.names}
    if not waiting.intersection(others):
        return ""
    spoken = ", ".join(others)
    return f"what it says to {state.id} speaks of {spoken} too; begin a line of its own with each"


def _list_doubts(
    remark: PageComment, part: ReplyPart, state: Clarification, page: IssuePage
) -> list[str]:
    """Return why a part of a comment is not taken, and what to do; nothing where it is."""
    example = f"`{state.id}: your decision`"
    said, overtaking = part.text, _find_overtaking(remark, state, page)
    is_holding = len(said) <= _HOLDING_CHARS_MAX and _HOLDING.match(said.casefold())
    others = _find_others(remark, part, state, page)
    doubts = (
        (
            remark.author.casefold() in page.programs,
            (
                f"AgentX posts as {remark.author} too, so an agent could have written it; decide "
                f"in a terminal with `agentx clarify resolve {state.typed}`, or give AgentX the "
                "token of an account of its own"
            ),
        ),
        (
            remark.is_edited,
            f"it was edited, and nobody can tell by whom; write a new one: {example}",
        ),
        (overtaking, overtaking),
        (others, others),
        (not shows_something(said), f"it says nothing; say what is decided: {example}"),
        (
            len(said) > CLARIFY_TEXT_CHARS_MAX,
            f"it is longer than {CLARIFY_TEXT_CHARS_MAX:,} characters; say the decision: {example}",
        ),
        (
            said.endswith(("?", "\uff1f", "\u061f")),
            f"it asks something itself; once it is decided, say so: {example}",
        ),
        (is_holding, f"nothing seems to be decided by it; once it is, say so: {example}"),
    )
    return [why for is_so, why in doubts if is_so]


def _find_overtaking(remark: PageComment, state: Clarification, page: IssuePage) -> str:
    """Return what happened to a question since a comment on it was written, if that matters."""
    newer = page.list_newer(state, remark)
    further = [each for each in newer if read_question(each)]
    if state.status is ClarificationStatus.ABANDONED:
        return f"{state.id} was given up"
    if further:
        return _say_asked_further(remark, state, page, further[-1])
    if is_settled_for_good(state):
        return (
            f'{state.id} is settled, and the decision on record stands: "{_say_decided(state)}"; '
            "to change it, tell the agent, or have it asked anew"
        )
    if not newer:
        return ""
    words = _quote(preview_ends(newer[0].body, 200))
    return (
        f'{state.id} was answered since: "{words}"; if you decide otherwise, say so: '
        f"`{state.id}: your decision`"
    )


def _say_asked_further(
    remark: PageComment, state: Clarification, page: IssuePage, further: Entry
) -> str:
    """Return that something else is asked since a comment, and how each of both is decided."""
    asked = page.find_asked(state, remark)
    matter = None if asked is None else _find_matter(state, asked)
    reply = f"; reply to that: `{state.id}: your decision`"
    reply = "" if is_settled_for_good(state) else reply
    since = f'{state.id} asks "{_quote(preview(read_question(further), 100))}" since{reply}; to '
    if matter is None:
        return f"{since}decide what it asked before, tell the agent, or have it asked anew"
    [told] = tell_later((matter,), page.states)
    return (
        f'{since}what it asked before, the decision on record stands: "{_say_decided(told)}"; to '
        "change that, tell the agent, or have it asked anew"
    )


def _say_decided(state: Clarification) -> str:
    by = say_by_whom(state)
    decided = f"{preview_ends(find_decided(state), 200)}{f' (contested: {by})' if by else ''}"
    return _quote(state.decided_later or decided)


def _quote(text: str) -> str:
    """Return somebody's words as they stand in a comment of ours: they call nobody."""
    return refer_to_nothing(fold_text(text)).replace("`", "")
