"""A model may write, but only what the events say.

Method: claims that are true, half true, invented, garbled and hostile, against a short
conversation; whatever is kept is looked up at its place.
"""

from __future__ import annotations

import pytest

from agentx.conversation import limits
from agentx.conversation.extract.summary import Extractive
from agentx.conversation.model import Event
from agentx.conversation.summariser import Claim, Proven, Summariser, Written, prove, prove_summary
from tests.support.talk import holds, reply, segment, tool, user

PROMPT = user("Bookings are lost when two skippers ask at once. Please fix it.")
CAUSE = reply(
    "The cause is a race: `bookings.ask` reads the free berths and inserts 40 ms later.\n"
    "We decided to use an exclusion constraint in Postgres instead of a lock in Python.",
    1,
)
TESTS = tool("collected 24 items\n==== 24 passed in 7.60s ====", 2)
DONE = reply("Done: 1000 parallel requests gave 1 booking and 999 answers with status 409.", 3)
DECIDED = "use an exclusion constraint in Postgres instead of a lock in Python"
EVENTS: tuple[Event, ...] = (PROMPT, CAUSE, TESTS, DONE)
NODE = segment(*EVENTS).node_id


def proven(*claims: Claim) -> Proven:
    found = prove(claims, EVENTS, NODE)
    texts = {one.event_id: one.text for one in EVENTS}
    grips = {held.grip_id: held for held in found.grips}
    assert all(holds(held, texts) for held in found.grips)
    for bullet in found.bullets:
        assert bullet.grip_ids
        assert set(bullet.grip_ids) <= set(grips)
    return found


def kept(text: str, quote: str = "", *event_ids: str) -> bool:
    return bool(proven(Claim(text=text, quote=quote, event_ids=event_ids)).bullets)


# --- true -----------------------------------------------------------------------------------


def test_a_quotation_that_stands_there_is_the_grip() -> None:
    quote = DECIDED

    found = proven(Claim(text=f"Decided to {quote}", quote=quote))

    assert [held.excerpt for held in found.grips] == [quote]
    assert found.grips[0].event_id_start == CAUSE.event_id


def test_a_quotation_may_differ_in_white_space_and_capitals() -> None:
    found = proven(
        Claim(
            text="The cause is a race, `bookings.ask` reads the free berths",
            quote="the  cause is a race: `BOOKINGS.ask`\nreads the free berths and "
            "inserts 40 ms later",
        )
    )

    assert found.grips[0].excerpt == (
        "The cause is a race: `bookings.ask` reads the free berths and inserts 40 ms later"
    )


def test_a_short_quotation_is_read_with_its_sentence() -> None:
    found = proven(
        Claim(
            text="Decided to use an exclusion constraint in Postgres instead of a lock in Python",
            quote="exclusion constraint",
        )
    )

    assert len(found.bullets) == 1
    assert "instead of a lock in Python" in found.grips[0].excerpt


def test_a_line_close_to_a_sentence_is_gripped_to_it_without_a_quotation() -> None:
    found = proven(
        Claim(text="Decided to use an exclusion constraint in Postgres instead of lock in Python")
    )

    assert found.grips[0].excerpt.startswith("We decided to use an exclusion constraint")


def test_a_line_made_of_two_sentences_of_one_event_holds_both() -> None:
    found = proven(
        Claim(
            text="`bookings.ask` reads the free berths and inserts 40 ms later; we decided to "
            "use an exclusion constraint in Postgres instead of a lock in Python"
        )
    )

    assert len(found.bullets) == 1
    assert len(found.bullets[0].grip_ids) == 2


def test_a_tools_output_is_evidence_too() -> None:
    assert kept("==== 24 passed in 7.60s ====", "24 passed in 7.60s")
    assert not kept("24 passed in 7.60s after the change", "24 passed in 7.60s")


# --- not true -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Migrated the billing service to Kafka with three brokers",
        "asdf qwer zxcv uiop",
        "",
        "   ",
        "\U0001f600" * 50,
        "the and of it is",
        "{'bullets': [",
    ],
)
def test_nonsense_and_inventions_are_dropped(text: str) -> None:
    assert not kept(text)


@pytest.mark.parametrize(
    "text",
    [
        "Done: 5000 parallel requests gave 1 booking and 999 answers with status 409",
        "Done: 1000 parallel requests gave 1 booking and 998 answers with status 409",
        "We decided to use an exclusion constraint in MongoDB instead of a lock in Python",
        "We decided to use an exclusion constraint in Postgres instead of a lock in `mutex.py`",
        "We decided not to use an exclusion constraint in Postgres",
    ],
)
def test_an_invented_number_name_or_denial_is_dropped(text: str) -> None:
    assert not kept(text)


def test_an_invention_is_not_saved_by_a_true_quotation() -> None:
    true = "We decided to use an exclusion constraint in Postgres"

    assert not kept("The team was paid a bonus for the summer release", true)
    assert not kept("Decided to use an exclusion constraint in Postgres 17", true)


def test_a_quotation_that_stands_nowhere_proves_nothing() -> None:
    assert not kept("The office called and was angry", "the office called and was very angry")


def test_half_a_match_is_none() -> None:
    assert not kept("An exclusion constraint speeds up invoices, reports, exports and mails")


def test_claimed_events_are_only_a_hint_where_to_look() -> None:
    quote = "1000 parallel requests gave 1 booking"

    assert kept("1000 parallel requests gave 1 booking", quote, "no such event", DONE.event_id)
    assert not kept("Everything is fine now in all the harbours", "", DONE.event_id)


# --- what turns around ----------------------------------------------------------------------

RULED = user("No pickle here, use the text format. Keep the seed at 7 instead of 11.")
TOLD = reply(
    "No pickle then: the model is stored as text. The AUC is 0.846 with the seed 7 instead of "
    "0.871. I have not run the export.",
    1,
)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Pickle here, use the text format.", "pickle here, use the text format"),
        ("Pickle here.", "pickle here, use"),
        ("Use the text format, no pickle here.", "use the text format"),
        ("Keep the seed at 11 instead of 7.", "Keep the seed at 7 instead of 11"),
        ("Keep the seed at 7.", "Keep the seed at 7 instead of 11"),
        ("Pickle then: the model is stored as text.", "pickle then: the model is stored as text"),
        ("The AUC is 0.871 with the seed 7 instead of 0.846.", "with the seed 7 instead of"),
        ("I have run the export.", "run the export"),
    ],
)
def test_a_line_that_turns_its_quotation_around_is_dropped(text: str, quote: str) -> None:
    assert prove([Claim(text=text, quote=quote)], (RULED, TOLD), NODE).bullets == ()


def test_a_person_is_told_by_whole_sentences() -> None:
    said = "No pickle here, use the text format."

    (bullet,) = prove([Claim(text=said, quote="pickle here")], (RULED, TOLD), NODE).bullets
    assert bullet.text == said


@pytest.mark.parametrize(
    "title", ["Pickle here", "Pickle", "Use the text format", "Seed 11", "Run the export"]
)
def test_a_title_that_turns_around_what_was_said_is_replaced(title: str) -> None:
    whole = segment(RULED, TOLD)
    claims = (Claim(text="No pickle then: the model is stored as text."),)

    found = prove_summary(Written(title=title, claims=claims), whole, by="m")

    assert found is not None
    assert found.title == Extractive().summarise(whole).title


# --- bounds ---------------------------------------------------------------------------------


def test_lines_are_bounded_told_once_and_in_the_order_of_their_evidence() -> None:
    decided = "We decided to use an exclusion constraint in Postgres instead of a lock in Python."
    done = "1000 parallel requests gave 1 booking and 999 answers with status 409."

    found = proven(*[Claim(text=text) for text in (done, decided, done, decided) * 9])

    assert [bullet.text for bullet in found.bullets] == [decided, done]
    assert len(found.bullets) <= limits.SEGMENT_BULLETS_MAX


def test_a_megabyte_of_claim_and_evidence_is_cut_to_size() -> None:
    long = reply("word " * 200_000 + "We chose Redis for the queue of mails.", 1)

    found = prove(
        [Claim(text="x" * 1_000_000), Claim(text="y", quote="word " * 100_000)], [long], NODE
    )

    assert found.bullets == ()


# --- a whole summary ------------------------------------------------------------------------


def test_a_proven_summary_keeps_what_holds_and_says_who_wrote_it() -> None:
    written = Written(
        title="The cause is a race",
        claims=(
            Claim(text=f"We decided to {DECIDED}."),
            Claim(text="Rewrote everything in Rust"),
        ),
        keywords=("exclusion constraint", "blockchain"),
    )

    found = prove_summary(written, segment(*EVENTS), by="some-model")

    assert found is not None
    assert len(found.bullets) == 1
    assert found.written_by == "some-model"
    assert found.title == "The cause is a race"
    assert "exclusion constraint" in found.keywords
    assert "blockchain" not in found.keywords


def test_a_title_about_something_else_is_replaced() -> None:
    claims = (Claim(text=f"We decided to {DECIDED}."),)
    own = Extractive().summarise(segment(*EVENTS)).title

    found = prove_summary(
        Written(title="Kubernetes migration of billing", claims=claims), segment(*EVENTS), by="m"
    )

    assert found is not None
    assert found.title == own


def test_a_summary_of_which_nothing_holds_is_none() -> None:
    written = Written(title="Bookings", claims=(Claim(text="Bought a boat for the whole team"),))

    assert prove_summary(written, segment(*EVENTS), by="m") is None
    assert prove_summary(Written(), segment(*EVENTS), by="m") is None


def test_the_extractive_summariser_is_a_summariser() -> None:
    default: Summariser = Extractive()

    assert default.name == "extractive"
    assert default.summarise(segment(*EVENTS)).bullets
