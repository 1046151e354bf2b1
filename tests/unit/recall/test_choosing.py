"""Goal: what is told is short, whole, of a known kind, and different from what else is told."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.observations.model import Category
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import adds, likeness
from agentx.recall.section.choose import (
    _ANSWER_COSTS,
    _FIRST,
    _KIND_COSTS,
    _LIKENESS_COSTS,
    _LISTED_COSTS,
    _SESSION_COSTS,
    _WORTH_MIN,
    SAME,
    Tellable,
    _find_last_list,
    choose,
    count_fitting,
    put_after_choice,
    within,
)
from agentx.recall.section.kinds import Kind, kind_of
from agentx.recall.section.learnt import value_line


def candidate(
    text: str, *, session: str = "s", kind: Kind = Kind.FACT, worth: float = 1
) -> Tellable:
    return Tellable(
        doc_id=f"obs-engineer-1-1-{crc32(text.encode()) % 10**6:06}",
        text=text,
        words=terms(text),
        kind=kind,
        session=session,
        at_ms=0,
        worth=worth,
    )


@pytest.mark.parametrize(
    ("category", "text", "kind"),
    [
        (Category.DECISION, "We chose Postgres because SQLite locks.", Kind.DECISION),
        (Category.DECISION, "The user said: i don't want my talks to be public", Kind.PREFERENCE),
        (Category.DECISION, "The user said: we reverse it, I never liked it", Kind.DECISION),
        (Category.DECISION, "The user said: I want a switch per shop", Kind.DECISION),
        (Category.DECISION, "The user said: I want tests for all of it", Kind.PREFERENCE),
        (
            Category.DECISION,
            "The user approved a plan: Uploads; a job deletes what was never confirmed",
            Kind.DECISION,
        ),
        (
            Category.DECISION,
            "The user refused `the plan` and said: no Kafka; The agent: the app never sees bytes",
            Kind.DECISION,
        ),
        (
            Category.DECISION,
            "The user said: SQLite then; The agent: I always open it read-only",
            Kind.DECISION,
        ),
        (
            Category.DECISION,
            "The user said: new people always forget one. Row level security for all",
            Kind.DECISION,
        ),
        (Category.DECISION, "The user said: always squash, people forget", Kind.PREFERENCE),
        (Category.DECISION, "The user said: you never push to main", Kind.PREFERENCE),
        (Category.KEY_FACT, "The user said: how I like to work: small commits", Kind.PREFERENCE),
        (
            Category.CODE_CHANGE,
            "The user asked: close it. And remember for good: measure first",
            Kind.PREFERENCE,
        ),
        (Category.KEY_FACT, "The migration is not yet committed.", Kind.OPEN_END),
        (Category.KEY_FACT, "I would note it as an open question and ask them.", Kind.FACT),
        (Category.KEY_FACT, "`make lint` rewrites files.", Kind.FACT),
        (Category.ERROR, "`make` failed. Fixed by: a.py", Kind.ERROR),
        (Category.CODE_CHANGE, "Drop the todo list (commit 1a2b3c4)", Kind.CHANGE),
        # A word of the trade, of code or of the past leaves nothing open.
        (Category.ERROR, "`rspec` failed: `Field::Deferred` is none; Fixed by: a.rb", Kind.ERROR),
        (Category.ERROR, "`go test` failed: it is waiting for review; Fixed by: a.go", Kind.ERROR),
        (Category.ERROR, "`make` failed: no rule; Not seen fixed in this session.", Kind.OPEN_END),
        (Category.KEY_FACT, "The spec was waiting for a job that nothing runs.", Kind.FACT),
        (Category.KEY_FACT, "The worker waits for the lock 30 seconds at most.", Kind.FACT),
        (Category.KEY_FACT, "Each todo item has an owner and a colour.", Kind.FACT),
        (Category.KEY_FACT, "`POST /todos` returns the to-do with its id.", Kind.FACT),
        (Category.KEY_FACT, "Rewind refuses to run with uncommitted changes.", Kind.FACT),
        (Category.KEY_FACT, "Requests without the header are blocked by the proxy.", Kind.FACT),
        (Category.KEY_FACT, "Deferred constraints are checked at the commit.", Kind.FACT),
        (Category.KEY_FACT, "`NextStep` runs the next step of a saga.", Kind.FACT),
        (Category.KEY_FACT, "Migrations need to be run before the tests.", Kind.FACT),
        (Category.KEY_FACT, "Two files are ready but uncommitted.", Kind.OPEN_END),
        (Category.KEY_FACT, "The release is still waiting for the review.", Kind.OPEN_END),
        (Category.KEY_FACT, "TODO: rotate the key before Friday.", Kind.OPEN_END),
        (Category.KEY_FACT, "Paging was deferred to the next release.", Kind.OPEN_END),
        (Category.KEY_FACT, "The upgrade is blocked by #88.", Kind.OPEN_END),
        (Category.KEY_FACT, "The index still needs to be run on staging.", Kind.OPEN_END),
        (Category.KEY_FACT, "Left open: each todo item waits for a colour", Kind.OPEN_END),
    ],
)
def test_every_memory_has_a_kind(category: Category, text: str, kind: Kind) -> None:
    assert kind_of(category, text) is kind


@pytest.mark.parametrize(
    ("kind", "better", "worse"),
    [
        # An approved plan, and what was settled anew, before what only led there.
        (Kind.DECISION, "The user approved a plan: cache pages", "The user chose: cache the pages"),
        (
            Kind.DECISION,
            "We reverse it: files, one a day",
            "We keep files, one a day for it",
        ),
        (
            Kind.DECISION,
            "The user refused it: too slow",
            "The user refused `the plan A`: slow",
        ),
        (Kind.DECISION, "In code for now, the labels of all", "In code for now, as decided by all"),
        (
            Kind.DECISION,
            "The user said: 7 days, 24 h is wrong for keys",
            "The user said: 7 days, 24 h is known for keys",
        ),
        (
            Kind.DECISION,
            "The user said: staff of the office must log in",
            "The user said: First thing: staff must log in",
        ),
        (
            Kind.DECISION,
            "The user said: let the clerk collect the names",
            "The user said: let a sub-agent collect names",
        ),
        (
            Kind.FACT,
            "The wheel lacks `a.sql`, it was found",
            "CI is green. The wheel lacks `a.sql`",
        ),
        (
            Kind.CHANGE,
            "Added in the words of the table here",
            "Added as a line, in those words here",
        ),
        # An answer without its question, a report, and what happened by the clock.
        (
            Kind.FACT,
            "A token ends after 12 hours or so",
            "Not before it ends, in 12 hours",
        ),
        (
            Kind.FACT,
            "The message has the wire for it",
            "Merged. The wire is in the message",
        ),
        (
            Kind.FACT,
            "It was down an hour at night, twice",
            "It was down 22:05 to 22:40, twice",
        ),
        (
            Kind.ERROR,
            "It is never freed by `a.py` now",
            "It is never freed (since mended in a.py)",
        ),
        (Kind.ERROR, "The lock is free (since mended in a)", "The lock is free (since removed: a)"),
    ],
)
def test_what_stands_by_itself_and_holds_now_is_worth_more(
    kind: Kind, better: str, worse: str
) -> None:
    assert value_line(kind, better) > value_line(kind, worse)


def test_what_holds_names_and_reasons_is_worth_more_than_chatter() -> None:
    telling = "`findIndex()` returns 0 because sessions are counted from 0."
    chatter = "I'm doing one final pass now and then look at the rest."

    assert value_line(Kind.FACT, telling) > value_line(Kind.FACT, chatter) + 0.3


def test_what_works_here_is_worth_more_and_what_is_done_with_less() -> None:
    failed = "`rtk test` failed: error: unrecognized subcommand 'test'"
    asked = "The user said: ok, also add the guide for offices to the table of contents"
    wanted = "The user said: guides for offices always stand in the table of contents"

    assert value_line(Kind.ERROR, f"{failed}; `make test` worked") > value_line(Kind.ERROR, failed)
    assert value_line(Kind.DECISION, asked) < value_line(Kind.DECISION, wanted)
    planned = wanted.replace("The user said", "Planned")
    assert value_line(Kind.DECISION, planned) < value_line(Kind.DECISION, wanted)
    assert value_line(Kind.DECISION, "The user said: can we do it") < 0.6, "the label says nothing"
    assert value_line(Kind.FACT, "Good question, " + failed) < value_line(Kind.FACT, failed)


def test_what_was_found_to_be_in_order_is_worth_less_than_what_has_to_be_kept_to() -> None:
    plain = "The parser of `config.toml` reads its tables twice and joins them"
    for said in (
        "; both match the schema",
        ", which is correct",
        "; the other file was left untouched",
        "; verified",
        ", and I\u2019m looking at the next one",
    ):
        assert value_line(Kind.FACT, plain + said) < value_line(Kind.FACT, plain)
    assert value_line(Kind.FACT, f"{plain}, never once") > value_line(Kind.FACT, plain)


def test_what_a_piece_of_code_does_stands_in_the_code() -> None:
    told = "reads the tables of the file twice and joins them"
    for described in (
        "`readTables()` - ",
        "`Table` struct and `read()`: ",
        "`Table`, `Row` types: ",
    ):
        assert value_line(Kind.FACT, described + told) < value_line(Kind.FACT, f"`x.go` {told}")
    failed = "`go test` failed: no file `tables.go` in the folder of the tests"
    assert value_line(Kind.FACT, failed) == value_line(Kind.FACT, f"Here {failed}"), (
        "no description"
    )


def test_the_same_in_other_words_is_told_once() -> None:
    wordings = [
        candidate("Vercel passRate means attempt success rate, not assertion pass rate."),
        candidate("The passRate of Vercel is the attempt success rate, not assertion pass rate."),
        candidate("The harbour API allows five calls a second."),
    ]

    assert len(choose(wordings, 10)) == 2


def test_no_session_and_no_kind_takes_all_the_places() -> None:
    newest = [candidate(f"alpha{n} beta{n} gamma{n} delta{n}", session="new") for n in range(30)]
    older = [
        candidate(f"eps{n} zeta{n} eta{n} theta{n}", session="old", worth=0.8) for n in range(5)
    ]

    first = choose([*newest, *older], 10)

    assert sum(one.session == "old" for one in first) >= 3


def test_more_room_only_adds_lines_at_the_end() -> None:
    many = [candidate(f"alpha{n} beta{n} gamma{n}", worth=1 + n % 7) for n in range(60)]

    assert choose(many, 40)[:10] == choose(many, 10)


@given(
    st.lists(st.text(alphabet="abc ", min_size=3, max_size=30), max_size=20), st.integers(0, 200)
)
@settings(max_examples=100, deadline=None)
def test_observations_are_told_within_their_tokens(texts: list[str], tokens: int) -> None:
    told = within([candidate(text) for text in texts], tokens)

    assert sum(len(one.text) for one in told) / 8 <= max(tokens, 0)
    assert 0 < SAME < 1


@st.composite
def candidates(draw: st.DrawFn) -> list[Tellable]:
    count = draw(st.integers(0, 12))
    return [
        replace(
            candidate(
                " ".join(
                    draw(st.lists(st.sampled_from(("lock", "queue", "retry", "cache")), max_size=4))
                )
            ),
            doc_id=f"obs-engineer-1-1-{at:06}",
            words=draw(st.frozensets(st.sampled_from("abcdefgh"), max_size=6)),
            kind=draw(st.sampled_from(list(Kind))),
            session=draw(st.sampled_from("st")),
            worth=draw(st.sampled_from((0.5, 0.7, 1.0, 1.3))),
            has_place=draw(st.booleans()),
            answers=draw(st.booleans()),
            is_of_issue=draw(st.booleans()),
        )
        for at in range(count)
    ]


@given(candidates(), st.integers(0, 12))
@settings(max_examples=200, deadline=None)
def test_at_every_step_the_best_of_all_that_is_left_is_taken(
    given_ones: list[Tellable], count: int
) -> None:
    chosen = choose(given_ones, count)

    left = [one for one in given_ones if one not in chosen]
    listed = _find_last_list(given_ones)
    for step, one in enumerate(chosen):
        taken = chosen[:step]
        best = max(_worth_beside(other, taken, listed) for other in (*chosen[step:], *left))
        assert _worth_beside(one, taken, listed) == pytest.approx(best)
    if len(chosen) < count:
        assert all(_is_told_by(other, chosen) for other in left)


def _is_told_by(one: Tellable, taken: list[Tellable]) -> bool:
    return any(
        likeness(one.words, other.words) >= SAME and not adds(one.text, other.text)
        for other in taken
    )


def _worth_beside(one: Tellable, taken: list[Tellable], listed: frozenset[str]) -> float:
    """Say what a line is worth beside others, as the module describes it, in plain words."""
    if _is_told_by(one, taken):
        return -2.0
    like = max((likeness(one.words, other.words) for other in taken), default=0.0)
    crowd = 1 + _SESSION_COSTS * sum(other.session == one.session for other in taken)
    crowd += _KIND_COSTS[one.kind] * sum(other.kind == one.kind for other in taken)
    if one.answers or one.is_of_issue:
        crowd += _ANSWER_COSTS * sum(other.answers or other.is_of_issue for other in taken)
    crowd = _LISTED_COSTS if one.doc_id in listed else crowd
    is_lead = one.worth >= _WORTH_MIN and all(other.kind != one.kind for other in taken)
    crowd_lead = _FIRST.get(one.kind, 0.0) if is_lead else 0.0
    first = one.has_place - (like >= SAME) + crowd_lead
    return first + one.worth / crowd - _LIKENESS_COSTS * like * one.worth


def test_what_answers_leaves_room_for_what_everybody_needs_to_know() -> None:
    words = [f"{first}{second}" for first in "abcdefgh" for second in "stuvwxyz"]
    lines = [" ".join(words[at : at + 5]) for at in range(0, 60, 2)]
    answering = [
        replace(candidate(line, session=f"s{at}", worth=1.6), answers=True)
        for at, line in enumerate(lines[:20])
    ]
    others = [candidate(line, session=f"t{at}") for at, line in enumerate(lines[20:])]

    chosen = choose([*answering, *others], 12)

    assert 4 <= sum(one.answers for one in chosen) <= 9
    assert chosen[0].answers


OPEN = ("the ropes are not spliced", "nobody paid the harbour", "which flag goes up", "no charts")


def _leave(text: str, session: str, at_ms: int) -> Tellable:
    one = candidate(text, session=session, kind=Kind.OPEN_END, worth=0.5)
    return replace(one, at_ms=at_ms)


def test_what_the_last_session_left_open_is_told_as_a_list() -> None:
    names = [f"{first}{second}" for first in "bcdfgh" for second in ("ar", "el", "os", "um")]
    others = [candidate(f"{name} {name}q", session=name, worth=0.52) for name in names]
    left = [_leave(each, "last", 9) for each in OPEN]
    before = [_leave(f"earlier {each} of the yawl", "first", 1) for each in OPEN]

    told = choose([*others, *before, *left], 50)

    places = [told.index(one) for one in left]
    assert max(places) < len(left) + 1, "the whole list, before what is worth as much"
    assert sum(one in told[:10] for one in before) <= 1


def test_a_list_is_no_longer_the_last_when_much_was_done_since() -> None:
    left = [_leave(each, "last", 9) for each in OPEN]
    since = [
        replace(candidate(f"work {name}", session=name, worth=0.52), at_ms=20)
        for name in ("one", "two", "three")
    ]

    assert _find_last_list([*left, *since[:2]]) == {one.doc_id for one in left}
    assert _find_last_list([*left, *since]) == frozenset()


def test_a_rule_that_was_said_again_says_how_often() -> None:
    said = "The user said: never deploy the ferry on a Friday"
    rules = [
        replace(
            candidate(said, session=f"s{day}", kind=Kind.PREFERENCE),
            doc_id=f"obs-{day}",
            at_ms=day,
            is_ruling=True,
        )
        for day in range(3)
    ]

    assert [one.text for one in choose(rules, 5)] == [f"{said} (said 3 times)"]
    again = replace(rules[1], session="s0")
    assert [one.text for one in choose([rules[0], again], 5)] == [said], "once in a session"


def test_as_many_fit_as_their_texts_and_what_stands_beside_them_cost() -> None:
    some = [candidate("The lock is held for 30 s."), candidate("The queue is drained at noon.")]

    assert count_fitting(some, 0) == 0
    assert count_fitting(some, 25) == 1
    assert count_fitting(some, 1_000) == 2


def test_an_issue_with_many_memories_leaves_room_for_what_everybody_has_to_know() -> None:
    words = [f"{first}{second}" for first in "bcdfghklmn" for second in ("arop", "elit", "osum")]
    own = [
        replace(candidate(f"{word} {word}q", session=word, worth=3), is_of_issue=True)
        for word in words
    ]
    common = [candidate(f"{word}x {word}y", session=word, kind=Kind.DECISION) for word in words[:8]]

    chosen = choose([*own, *common], 24)

    assert chosen[:5] == [one for one in chosen if one.is_of_issue][:5], "its own come first"
    assert sum(not one.is_of_issue for one in chosen) >= 4
    assert sum(one.is_of_issue for one in chosen) >= 12


def low(number: int) -> Tellable:
    return candidate(f"word{number} name{number} place{number}", session=f"s-{number}", worth=0.2)


def test_what_is_worth_little_is_left_out_though_there_is_room() -> None:
    high = [replace(low(number), worth=0.9) for number in range(10)]
    poor = [low(number) for number in range(10, 20)]

    assert set(choose([*poor, *high], 100)) == set(high)
    pinned, of_issue = replace(low(30), has_place=True), replace(low(31), is_of_issue=True)
    assert {pinned, of_issue} <= set(choose([pinned, of_issue, *poor, *high], 100))


def test_where_little_is_known_what_is_worth_little_is_told() -> None:
    assert len(choose([low(number) for number in range(5)], 100)) == 5
    assert len(choose([low(number) for number in range(50)], 100)) == 8


DIFFERENT = (
    (
        "Set the timeout of the ledger client to 40 seconds, because the bank is slow at dawn.",
        "Set the timeout of the photo client to 6 seconds, because users wait for it.",
    ),
    (
        "The queue of the mailer listens on port 7410; `mailer` needs it open.",
        "The queue of the indexer listens on port 7420; `indexer` needs it open.",
    ),
    (
        "We take a ring buffer for exports, because tenants read them in order.",
        "We take a ring buffer for uploads, because tenants read them in order.",
    ),
    ("Retries of hooks are counted in the log.", "Retries of hooks are never counted in the log."),
    (
        "`make seed` failed (exit 1): bucket is not set; Fixed by: `conf set bucket\u2026",
        "`make seed` needs the bucket: set it with `conf set bucket gs://seed-dev`, once a laptop.",
    ),
)


@pytest.mark.parametrize("lines", DIFFERENT)
def test_what_differs_in_what_it_is_about_is_told_beside_its_like(lines: tuple[str, str]) -> None:
    assert len(choose([candidate(line) for line in lines], 10)) == 2


def test_what_a_person_ruled_is_told_while_there_is_room() -> None:
    high = [replace(low(number), worth=0.9) for number in range(20)]
    ruled = replace(low(40), is_ruling=True)

    assert ruled in choose([ruled, *high], 100)
    assert ruled not in choose([ruled, *high], 10), "but it takes nobody's place"


def test_of_rulings_that_say_the_same_the_newest_is_told_whatever_is_worth_more() -> None:
    text = "The user said: Always measure with hyperfine before and after."
    ruled = replace(candidate(text, worth=0.9), is_ruling=True, at_ms=1, doc_id="old")
    newer = replace(ruled, worth=0.5, at_ms=2, doc_id="new")

    assert [one.doc_id for one in choose([ruled, newer], 9)] == ["new"]
    assert [one.worth for one in choose([newer, ruled], 9)] == [0.9]
    pinned = replace(ruled, has_place=True)
    assert [one.doc_id for one in choose([pinned, newer], 9)] == ["old"]
    elsewhere = replace(newer, is_elsewhere=True)
    assert [one.doc_id for one in choose([ruled, elsewhere], 9)] == ["old"]


def test_rulings_that_share_most_of_their_words_are_both_told() -> None:
    first = "The user said: We take Kafka for the job queue over RabbitMQ."
    second = "The user said: Move the job queue from Kafka over to Postgres soon."
    one, other = (replace(candidate(each), is_ruling=True) for each in (first, second))

    assert len(choose([one, other], 9)) == 2


def test_who_has_room_for_few_lines_is_told_what_is_open_then_what_was_ruled() -> None:
    lines = [
        candidate("The lamp of the north mole turns twice a minute.", worth=1.4),
        candidate("`make tide` failed; Fixed by: tide.py", kind=Kind.ERROR, worth=1.3),
        candidate("The user said: no fog horn at night.", kind=Kind.DECISION, worth=0.9),
        candidate("Left open: the buoy has no lamp.", kind=Kind.OPEN_END, worth=0.6),
        candidate("Left open: the gate has no key.", kind=Kind.OPEN_END, worth=0.5),
    ]

    kinds = [one.kind for one in choose(lines, 4)]

    assert kinds[0] is Kind.OPEN_END
    assert kinds.index(Kind.DECISION) == 1
    assert kinds.count(Kind.OPEN_END) == 1


def test_options_are_told_after_what_was_chosen_of_them_or_not_at_all() -> None:
    options = replace(
        candidate("Options: `-Os` with LTO is smallest; dropping printf is safest."), at_ms=5
    )
    chosen = replace(
        candidate("The user said: no LTO, drop printf.", kind=Kind.DECISION), at_ms=6, doc_id="d"
    )
    other = replace(candidate("The bell is rung at dawn.", session="t"), at_ms=7)

    assert put_after_choice([options, other, chosen], [options, chosen]) == [other, chosen, options]
    assert put_after_choice([chosen, options], [options, chosen]) == [chosen, options]
    assert put_after_choice([options, other], [options, chosen]) == [other]
    assert put_after_choice([options, other], [options, other]) == [options, other]
