"""Goal: a comment settles just what it was surely meant for when it was written, and never more.

Method: pages made of values: what we posted of threads, what people said between, in order.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.clarification.facts import Answered, Asked, Escalated, Resolved
from agentx.clarification.model import PERSON, Clarification, Reason
from agentx.clarification.replies.changed import find_changed
from agentx.clarification.replies.comments import comment
from agentx.clarification.replies.finding import PersonsReply, ReplyNotTaken, find_replies
from agentx.clarification.replies.page import IssuePage, PageComment, name_renaming, say_renaming
from agentx.clarification.replies.parts import ReplyPart, split_reply
from agentx.clarification.ways import name_github_way
from agentx.kernel.clock import MINUTE_MS, Millis
from tests.support.clarifying import after, clarification
from tests.support.time_and_chance import START_MS

LATER = Millis(START_MS + 60 * MINUTE_MS)
A, B = "CLR-42-001", "CLR-42-002"


def asked(number: int = 1, uid: str = "", *, to: str = PERSON) -> Clarification:
    return replace(clarification(number, to=to, topic=f"Topic {number}"), uid=uid or f"u{number}")


def post(number: int, state: Clarification, turn: int = 0) -> PageComment:
    return say(number, comment(state, turn), "agentx-bot", is_ours=True)


def say(
    number: int, body: str, author: str = "ada", *, is_ours: bool = False, is_edited: bool = False
) -> PageComment:
    at_ms = Millis(START_MS + number * 1000)
    return PageComment(
        id=number,
        author=author,
        body=body,
        is_person=True,
        is_edited=is_edited,
        is_ours=is_ours,
        at_ms=at_ms,
    )


def taken(state: Clarification, number: int, body: str) -> Clarification:
    return after(
        state, Answered(at_ms=LATER, by=PERSON, body=body, via=name_github_way("ada", number))
    )


def read(*comments: PageComment, states: tuple[Clarification, ...]) -> list[str]:
    """Return what is found, a line each: what is taken, and why the rest is not."""
    found = find_replies(IssuePage(comments, states), ["Ada"])
    return [show(each) for group in found for each in group]


def show(found: PersonsReply | ReplyNotTaken) -> str:
    if isinstance(found, PersonsReply):
        return f"{found.clarification_id}={found.body}"
    return f"{'none' if found.is_whole else 'rest'}: {found.why}"


def part(text: str, *names: str, is_led: bool = True) -> ReplyPart:
    return ReplyPart(names=names, text=text, is_led=is_led and bool(names))


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("yes", [part("yes")]),
        ("clr-42-1 - sure", [part("sure", A)]),
        ("**CLR-42-001:** yes", [part("yes", A)]),
        ("@bot CLR-42-001: yes", [part("yes", A)]),
        ("\u200fCLR-42-001: yes", [part("yes", A)]),
        ("CLR-42-001: yes\nbut late\nCLR-42-002: no", [part("yes\nbut late", A), part("no", B)]),
        ("- CLR-42-001: a\n- CLR-42-002: b", [part("a", A), part("b", B)]),
        ("Hi\nCLR-42-001: a", [part("Hi"), part("a", A)]),
        ("CLR-42-001, CLR-42-002: both", [part("both", A, B)]),
        ("CLR-42-001: a\nCLR-42-002: b\nCLR-42-001: c", [part("a\nc", A), part("b", B)]),
        (f"> ({A}, round 1/5)\n\nyes\n> ({B}, round 1/5)\nno",
         [part("yes", A, is_led=False), part("no", B, is_led=False)]),
        (f"yes\n\nOn Tue, the bot wrote:\n> ({A}, round 1/5)", [part("yes", A, is_led=False)]),
        (f"```\n{A}: x\n```", [part(f"```\n{A}: x\n```")]),
        (f"<!--\n{A}: x\n-->yes", [part("yes")]),
        (f"We speak of {A} on Monday.", [part(f"We speak of {A} on Monday.")]),
        ("", []),
    ],
)  # fmt: skip
def test_a_comment_is_split_where_its_lines_begin_with_a_question(
    body: str, parts: list[ReplyPart]
) -> None:
    assert list(split_reply(body)) == parts


BOTH = (asked(1), asked(2))
ASKED = (post(1, BOTH[0]), post(2, BOTH[1]))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{A}: yes\n{B}: no", [f"{A}=yes", f"{B}=no"]),
        (f"Hello,\n{A}: yes", [f"{A}=yes"]),
        (f"{A}, {B}: both", [f"{A}=both", f"{B}=both"]),
        (
            f"Buy it.\n{A}: yes",
            [f"{A}=yes", 'rest: "Buy it." names no question: begin each with its own'],
        ),
        (
            f"{A}: yes\n{B}: what is it?",
            [f"{A}=yes", "rest: it asks something itself; once it is decided, say so:"],
        ),
        (
            f"{A}: yes and {B}: no",
            [f"none: what it says to {A} speaks of {B} too; begin a line of its own with each"],
        ),
        ("yes", [f"none: it may be for any of {A}, {B}; say for which: `{A}: your decision`"]),
        (
            f"> {A}: One?\n> {B}: Two?\n\nyes",
            [f"none: it may be for any of {A}, {B}; say for which: `{A}: your decision`"],
        ),
        ("CLR-42-009: yes", ["none: CLR-42-009 was not asked here before it"]),
        (f"{A}: {'x' * 100_001}", ["none: it is longer than"]),
    ],
)  # fmt: skip
def test_each_part_goes_to_its_question_and_the_rest_is_told(body: str, found: list[str]) -> None:
    lines = read(*ASKED, say(3, body), states=BOTH)
    assert len(lines) == len(found)
    assert all(line.startswith(wanted) for line, wanted in zip(lines, found, strict=True)), lines


def test_what_was_ambiguous_when_it_was_written_is_never_taken_later() -> None:
    yes, named = say(3, "yes"), say(5, f"{A}: yes")
    first = taken(BOTH[0], 5, "yes")

    # One machine did not get to tell, another one tells: neither takes it for the one that is left.
    for states in ((first, BOTH[1]), (after(first, Resolved(at_ms=LATER, by=PERSON)), BOTH[1])):
        lines = read(*ASKED, yes, named, states=states)
        assert lines == [
            f"none: it may be for any of {A}, {B}; say for which: `{A}: your decision`"
        ]


def test_what_was_refused_stays_refused_and_is_not_told_again() -> None:
    refusal = say(4, "<!-- agentx:reply:3 -->\n@ada, ...", "agentx-bot", is_ours=True)
    assert read(*ASKED, say(3, f"{A}: yes"), refusal, states=BOTH) == []

    # A stranger's comment that only looks so refuses nothing.
    forged = replace(refusal, author="mallory")
    assert read(*ASKED, say(3, f"{A}: yes"), forged, states=BOTH) == [f"{A}=yes"]


def test_an_older_reply_never_overrules_a_newer_answer() -> None:
    older, newer = say(3, f"{A}: yes"), say(4, f"{A}: no")
    lines = read(*ASKED, older, newer, states=(taken(BOTH[0], 4, "no"), BOTH[1]))
    assert [line.startswith(f'none: {A} was answered since: "no"') for line in lines] == [True]

    # Also one that was given in a terminal, and was posted since, or was not yet.
    here = after(BOTH[0], Answered(at_ms=LATER, by=PERSON, body="no", via="terminal"))
    for posted in ((), (post(4, here, 1),)):
        lines = read(*ASKED, older, *posted, states=(here, BOTH[1]))
        assert [line.startswith(f'none: {A} was answered since: "no"') for line in lines] == [True]

    done = after(here, Resolved(at_ms=LATER, by=PERSON, body="never"))
    lines = read(*ASKED, older, states=(done, BOTH[1]))
    assert [line.startswith(f"none: {A} is settled, and the decision") for line in lines] == [True]


def asked_on(state: Clarification, number: int) -> tuple[Clarification, PageComment]:
    """Return a thread that asks further, and the comment that says so."""
    further = Asked(at_ms=LATER, by=state.asker, body="May I @rename `it`?")
    on = after(state, further)
    return on, post(number, on, len(on.thread) - 1)


def find_missed(*comments: PageComment, state: Clarification) -> list[tuple[str, str]]:
    """Return what would have been taken, had it been read before, with what it was said to."""
    found = find_replies(IssuePage(comments, (state,)), ["ada"])
    told = (each for group in found for each in group if isinstance(each, ReplyNotTaken))
    return [(each.body, each.to_asked) for one in told for each in one.missed]


def test_a_reply_to_what_was_asked_before_is_told_how_that_is_decided_anew() -> None:
    state, further = asked_on(taken(BOTH[0], 3, "yes"), 5)
    page = (ASKED[0], say(3, f"{A}: yes"), say(4, f"{A}: NO, keep it"), further)
    [told] = read(*page, states=(state,))
    assert told.startswith(f'none: {A} asks "May I ')
    assert f'it?" since; reply to that: `{A}: your decision`; to what it asked before' in told
    assert 'the decision on record stands: "yes"; to change that, tell the agent, or have' in told
    assert "@rename" not in told
    assert find_missed(*page, state=state) == [("NO, keep it", "u1")]

    # So it is once what was asked further was answered there, and when all is settled.
    state = taken(state, 6, "yes, rename it")
    whole = (*page, say(6, f"{A}: yes, rename it"))
    assert find_missed(*whole, state=state) == [("NO, keep it", "u1")]
    state = after(state, Resolved(at_ms=LATER, by=state.asker))
    [told] = read(*whole, states=(state,))
    assert "reply to that" not in told
    assert 'the decision on record stands: "yes"; to change that, tell the agent, or have' in told
    assert find_missed(*whole, state=state) == [("NO, keep it", "u1")]


def test_a_reply_to_what_was_asked_before_is_told_what_was_decided_anew() -> None:
    state, further = asked_on(taken(BOTH[0], 3, "yes"), 5)
    page = (ASKED[0], say(3, f"{A}: yes"), say(4, f"{A}: NO, keep it"), further)
    anew = Answered(at_ms=Millis(LATER + 1), by=PERSON, body="yes, but not today", via="terminal")
    again = after(replace(asked(2), topic=state.topic), anew)
    [told] = read(*page, states=(state, again))
    assert f'the decision on record stands: "yes, but not today ({B})"' in told


@pytest.mark.parametrize("said", ["yes", "what would it cost?", "thanks, I'll look at it"])
def test_what_says_the_same_or_decides_nothing_was_not_missed(said: str) -> None:
    state, further = asked_on(taken(BOTH[0], 3, "yes"), 5)
    page = (ASKED[0], say(3, f"{A}: yes"), say(4, f"{A}: {said}"), further)
    assert find_missed(*page, state=state) == []


def test_a_reply_to_what_an_agent_answered_before_is_told_how_that_is_decided() -> None:
    asked_one = asked(1, to="architect")
    answer = Answered(at_ms=LATER, by="architect", body="go")
    state, further = asked_on(after(asked_one, answer), 5)
    page = (post(1, asked_one), say(4, f"{A}: NO, keep it"), further)
    [told] = read(*page, states=(state,))
    assert f'it?" since; reply to that: `{A}: your decision`' in told
    assert "to decide what it asked before, tell the agent, or have it asked anew" in told
    assert find_missed(*page, state=state) == []


def test_what_is_asked_past_the_last_round_is_not_answered_by_what_was_said_before() -> None:
    on = taken(replace(BOTH[0], rounds_max=1), 3, "yes")
    call = Escalated(at_ms=LATER, reason=Reason.MAX_ROUNDS, body="May I rename it?")
    state = after(on, call)
    assert state.asked_last == "May I rename it?"
    page = (ASKED[0], say(3, f"{A}: yes"), say(4, f"{A}: NO, keep it"), post(5, state, 2))
    [told] = read(*page, states=(state,))
    assert told.startswith(f'none: {A} asks "May I rename it?" since; reply to that:')
    assert find_missed(*page, state=state) == [("NO, keep it", "u1")]


def test_a_name_that_two_questions_carry_decides_neither() -> None:
    # Two clones gave the same number, and each does not know the other's question.
    mine, theirs = asked(1, "mine"), replace(asked(1, "theirs"), topic="Buy `it` @bob")
    page = (post(1, mine), post(2, theirs))
    for known in ((mine,), (theirs,)):
        (line,) = read(*page, say(3, f"{A}: yes"), states=known)
        assert line.startswith(f"none: 2 questions here were called {A}; say for which: `{A}@")
        assert f'`{A}@mine:` for "Topic 1"' in line
        assert f"`{A}@theirs:` for \"Buy 'it' " in line
        assert "@bob" not in line
        (line,) = read(*page, say(3, "yes"), states=known)
        assert f'any of 2 questions; say for which: `{A}@mine:` for "Topic 1", or `{A}@the' in line
        assert "@bob" not in line
        # By its exact name each machine takes its own.
        exact = say(3, f"{A}@{known[0].uid}: yes")
        assert read(*page, exact, states=known) == [f"{A}=yes"]
        other = next(uid for uid in ("mine", "theirs") if uid != known[0].uid)
        assert read(*page, say(3, f"{A}@{other}: yes"), states=known) == []

    # They merged: one has another name now, which the page does not say yet.
    moved = replace(theirs, id=asked(2).id, formerly=f"{A}@dave")
    (line,) = read(*page, say(3, f"{A}: yes"), states=(mine, moved))
    assert f"`{A}@mine:`" in line
    for named in (f"{A}@dave", f"{A}@theirs", B):
        assert read(*page, say(3, f"{named}: yes"), states=(mine, moved)) == [f"{B}=yes"]

    # Once it was said, the name is the other one's.
    told = say(4, say_renaming(moved), "agentx-bot", is_ours=True)
    assert name_renaming(moved) in told.body
    assert read(*page, told, say(5, f"{A}: yes\n{B}: no"), states=(mine, moved)) == [
        f"{A}=yes",
        f"{B}=no",
    ]


@pytest.mark.parametrize(
    ("now", "what"),
    [
        ([say(3, f"{A}: NO NO", is_edited=True)], ["edited"]),
        ([], ["deleted"]),
        ([say(3, f"{A}: yes", is_edited=True)], []),  # only its form, or another part of it
        ([say(3, f"**{A}**: yes", is_edited=True)], []),
        ([say(3, f"{A}: yes")], []),
    ],
)
def test_a_reply_that_was_changed_after_it_was_taken_is_told(
    now: list[PageComment], what: list[str]
) -> None:
    page = IssuePage((*ASKED, *now), (taken(BOTH[0], 3, "yes"), BOTH[1]))
    found = list(find_changed(page))
    assert [each.what for each in found] == what
    assert all('the earlier text: "yes"' in each.comment for each in found)
    assert list(find_replies(page, ["ada"])) == []


def test_a_changed_reply_of_which_something_newer_is_on_record_is_not_told() -> None:
    settled = Resolved(at_ms=LATER, by=PERSON, body="no", via="terminal")
    newer = after(taken(BOTH[0], 3, "yes"), settled)
    assert list(find_changed(IssuePage(ASKED, (newer, BOTH[1])))) == []


def test_a_changed_reply_is_told_also_once_the_thread_asked_further_and_was_answered() -> None:
    further = Asked(at_ms=LATER, by="engineer", body="May we rename it?")
    said = Answered(at_ms=LATER, by=PERSON, body="rename it", via="terminal")
    state = after(taken(BOTH[0], 3, "yes"), further, said)
    now = say(3, f"{A}: NO NO", is_edited=True)
    [found] = find_changed(IssuePage((*ASKED, now), (state, BOTH[1])))
    assert (found.what, found.state.persons_word) == ("edited", found.entry)
    assert "have it asked anew" in found.mend, "a new comment would answer what is asked now"


def test_a_changed_reply_is_told_no_more_once_the_same_was_decided_anew() -> None:
    state = taken(BOTH[0], 3, "yes")
    anew = clarification(
        9, issue=state.issue, to=PERSON, topic=state.topic, question=state.question
    )
    anew = after(anew, Answered(at_ms=Millis(LATER + 60_000), by=PERSON, body="no", via="terminal"))
    now = say(3, f"{A}: NO NO", is_edited=True)
    assert list(find_changed(IssuePage((*ASKED, now), (state, BOTH[1], anew)))) == []
