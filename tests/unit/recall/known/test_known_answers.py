"""Goal: what memory offers as an answer is one: the same question, decided, proven and standing.

Method: a table of questions that are near each other, in the values of both rooms; a false offer
is worse than one that is missed.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentx.clarification.facts import Answered, Escalated, Resolved
from agentx.clarification.model import (
    HUB,
    PARTIAL,
    PERSON,
    UNKNOWN,
    AnswerWorth,
    Clarification,
    Reason,
)
from agentx.clarification.store.merging import hear
from agentx.clarification.ways import (
    FILE,
    FORGED,
    UNSIGNED,
    UNTRUSTED,
    name_memory_way,
)
from agentx.kernel.clock import Millis
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.tokens import estimate
from agentx.observations.model import Category, Observation
from agentx.recall.known.answers import Known, find_known_answer, read_decision
from tests.support.clarifying import after, answered, clarification, request
from tests.support.time_and_chance import START_MS

LATER = Millis(START_MS + 60_000)

# Topic and question; the same typed otherwise.
SAME = [
    (
        "Order storage",
        "Which database do we use for orders?",
        "which database do we use for the orders",
    ),
    (
        "Migration",
        "Should we migrate orders to Postgres?",
        "Shall I migrate the orders to Postgres",
    ),
    (
        "Uploads",
        "Is 5 MB the limit for uploads of guests?",
        "is `5` MB the limit for the uploads of guests",
    ),
    (
        "\u5220\u9664",
        "\u53ef\u4ee5\u5220\u9664\u6d4b\u8bd5\u73af\u5883\u7684\u7528\u6237\u8868\u5417",
        "\u53ef\u4ee5\u5220\u9664\u6d4b\u8bd5\u73af\u5883\u7684\u7528\u6237\u8868\u5417\uff1f",
    ),
]
# Nearly the same words, and not the same question.
OTHER = [
    (("Keys", "May I delete the used tokens?"), ("Keys", "May I delete the tokens?")),
    (
        ("Move", "Should we stop using the old database?"),
        ("Move", "Should we stop the old database?"),
    ),
    (("Tidy", "Should I close the done issues?"), ("Tidy", "Should I close the issues?")),
    (("Keys", "May I revoke the chosen keys?"), ("Keys", "May I revoke the keys?")),
    (("Drop", "Should I drop my schema?"), ("Drop", "Should I drop your schema?")),
    (
        ("Sign", "Should the release be signed by me?"),
        ("Sign", "Should the release be signed by you?"),
    ),
    (("Drop", "May I delete a test database?"), ("Drop", "May I delete test databases?")),
    (
        ("Users", "Should we let users delete accounts?"),
        ("Users", "Should users delete accounts?"),
    ),
    (("Files", "May I remove any files?"), ("Files", "May I remove the files?")),
    (("Merge", "Should I merge your branch?"), ("Merge", "Should you merge my branch?")),
    (("Enc", "Do we encrypt the passwords?"), ("Enc", "Will we encrypt the passwords?")),
    (("Used tokens", "May I delete the tokens?"), ("Tokens", "May I delete the tokens?")),
    (
        ("Storage", "Which database do we use for orders?"),
        ("Storage", "Which database do we use for sessions?"),
    ),
    (("Orders", "Which database do we use?"), ("Sessions", "Which database do we use?")),
    (
        ("Retries", "How many retries do HTTP calls get?"),
        ("Retries", "How many retries do gRPC calls get?"),
    ),
    (("Tokens", "How long do refresh tokens live?"), ("Tokens", "How long do access tokens live?")),
    (
        ("Tokens", "How long do refresh tokens live?"),
        ("Tokens", "How often do refresh tokens live?"),
    ),
    (("Tokens", "When do refresh tokens expire?"), ("Tokens", "Where do refresh tokens expire?")),
    (("Tokens", "When do refresh tokens expire?"), ("Tokens", "Why do refresh tokens expire?")),
    (("Cache", "Should we enable the page cache?"), ("Cache", "Should we disable the page cache?")),
    (("Cache", "Do we turn the page cache on?"), ("Cache", "Do we turn the page cache off?")),
    (
        ("Cache", "Should we cache pages of users?"),
        ("Cache", "Should we not cache pages of users?"),
    ),
    (
        ("Migration", "Do we migrate orders from MySQL to Postgres?"),
        ("Migration", "Do we migrate orders from Postgres to MySQL?"),
    ),
    (
        ("Checks", "Do we validate carts before payment?"),
        ("Checks", "Do we validate carts after payment?"),
    ),
    (("API", "Which API do old clients call?"), ("API", "Which API do new clients call?")),
    (("API", "Which port does API v1 listen on?"), ("API", "Which port does API v2 listen on?")),
    (("Deploy", "Which region hosts staging?"), ("Deploy", "Which region hosts production?")),
    (
        ("EU region", "Which database do we use for orders?"),
        ("US region", "Which database do we use for orders?"),
    ),
    (("Access", "Can guests see invoices?"), ("Access", "Must guests see invoices?")),
    (("Access", "Should guests see invoices?"), ("Access", "Did guests see invoices?")),
    (("Access", "Can admins delete users?"), ("Access", "Can admins delete invoices?")),
    (("Queue", "Who owns the billing queue?"), ("Queue", "Which queue owns billing?")),
    (("Priority", "Does speed win over safety?"), ("Priority", "Does safety win over speed?")),
    (("Limits", "Is 100 the limit for uploads?"), ("Limits", "Is 500 the limit for uploads?")),
    (("Files", "Does src/a.py own the schema?"), ("Files", "Does src/b.py own the schema?")),
    (("Style", "Which fonts for headings?"), ("Style", "Which fonts for headings without serifs?")),
    (
        ("Purge", "Do we purge rows of total > 0?"),
        ("Purge", "Do we purge rows of total < 0?"),
    ),
    (("Core", "Is the parser core written in C?"), ("Core", "Is the parser core written in C++?")),
    (("Push", "May the job push --force?"), ("Push", "May the job push force?")),
    (("Ids", "Do we keep rows where id == null?"), ("Ids", "Do we keep rows where id != null?")),
    (("Logs", "Does git ignore *.log files?"), ("Logs", "Does git ignore log files?")),
    (
        ("Drop", "May the job drop users or orders tables?"),
        ("Drop", "May the job drop users and orders tables?"),
    ),
    (("Login", "JWT or server sessions?"), ("Login", "Server sessions or JWT?")),  # "the first"
    (
        ("Move", "Should I drop users or archive orders?"),
        ("Move", "Should I drop orders or archive users?"),
    ),
    (
        ("Page", "Is the login page served over HTTPS?"),
        ("Page", "Is the login page served over HTTP?"),
    ),
    (("Drop", "May I drop the table orders?"), ("Drop", "May I drop the table order?")),
    (("Drop", "Should only A or B be dropped?"), ("Drop", "Should A or only B be dropped?")),
    (("Data", "Shall I take the backup there?"), ("Data", "Shall I use the backup there?")),
    (("Log", "May I log in as the admin?"), ("Log", "May I log the admin?")),
    (("Load", "Shall we use many workers there?"), ("Load", "Shall we use workers there?")),
    (("Flag", "Do we need the flag there?"), ("Flag", "Do we want the flag there?")),
    (("Calls", "Shall billing call users there?"), ("Calls", "Shall users call billing there?")),
    (
        ("Page", "Is a page limited to 1,000 rows?"),
        ("Page", "Is a page limited to 1,000,000 rows?"),
    ),
    (("Sync", "May the job sync prod -> staging?"), ("Sync", "May the job sync staging -> prod?")),
    (("Csv", "Do exports split cells at ';'?"), ("Csv", "Do exports split cells at ','?")),
    (
        (
            "Drop",
            "\u53ef\u4ee5\u5220\u9664\u6d4b\u8bd5\u73af\u5883\u7684\u7528\u6237\u8868\u5417\uff1f",
        ),
        (
            "Drop",
            "\u53ef\u4ee5\u5220\u9664\u751f\u4ea7\u73af\u5883\u7684\u7528\u6237\u8868\u5417\uff1f",
        ),
    ),
    (
        ("Drop", "\u53ef\u4ee5\u5220\u9664\u7528\u6237\u8868\u5417\uff1f"),
        ("Drop", "\u4e0d\u53ef\u4ee5\u5220\u9664\u7528\u6237\u8868\u5417\uff1f"),
    ),
]


def settled(
    topic: str,
    question: str,
    *,
    said: str = "Postgres.",
    number: int = 1,
    issue: int = 42,
    at: int = 0,
) -> Clarification:
    state = clarification(number, issue=issue, topic=topic, question=question)
    return after(answered(state, said), Resolved(at_ms=Millis(LATER + at), by="engineer"))


def decided(
    topic: str, question: str, said: str = "Postgres.", *, via: str = "terminal", number: int = 1
) -> Clarification:
    state = clarification(number, topic=topic, question=question)
    fact = Escalated(at_ms=LATER, reason=Reason.MANUAL)
    return after(state, fact, Resolved(at_ms=LATER, by=PERSON, body=said, via=via))


def noted(text: str, **other: object) -> Observation:
    made = Observation(
        id="obs-engineer-42-1709035200000-a1b2c3",
        agent="architect",
        issue_number=42,
        category=Category.DECISION,
        content=text,
        summary=text,
        tokens=estimate(text),
        timestamp_ms=LATER,
        session_id="s1",
        event_ids=("ev1",),
    )
    return replace(made, **other)  # type: ignore[arg-type]  # fields by name


def offered(topic: str, question: str, *known: Clarification | Observation, **other: object) -> str:
    held = Known(
        clarifications=tuple(each for each in known if isinstance(each, Clarification)),
        memories=tuple(each for each in known if isinstance(each, Observation)),
    )
    wanted = replace(request(topic=topic, question=question), **other)  # type: ignore[arg-type]
    found = find_known_answer(wanted, held)
    return "" if found is None else f"{found.grip} {found.by}: {found.text}"


@pytest.mark.parametrize("issue", [42, 7])
def test_the_same_question_typed_otherwise_is_the_same(issue: int) -> None:
    missed = [
        (one, other)
        for topic, one, other in SAME
        if not offered(topic, other, settled(topic, one), issue=issue)
    ]

    assert missed == []


def test_the_same_words_about_something_else_are_not_offered() -> None:
    false = [
        (one, other)
        for one, other in OTHER
        for asked, before in ((one, other), (other, one))
        if offered(*asked, settled(*before)) or offered(*asked, decided(*before), issue=7)
    ]

    assert false == []


def test_what_points_at_something_or_says_little_counts_in_its_own_issue_only() -> None:
    pages = ("Colours", "Which colours does this settings page have?")
    short = ("Storage engine", "Which storage engine?")

    for topic, question in (pages, short):
        assert offered(topic, question, settled(topic, question))
        assert not offered(topic, question, settled(topic, question), issue=7)


def test_a_persons_word_is_offered_to_everybody_and_an_agents_to_who_asks_it() -> None:
    topic, question = "Order storage", "Which database do we use for orders?"
    by_agent, by_person = settled(topic, question), decided(topic, question)

    assert offered(topic, question, by_agent) == "CLR-42-001 architect: Postgres."
    assert not offered(topic, question, by_agent, to="product-manager")
    assert not offered(topic, question, by_agent, to=PERSON)
    assert offered(topic, question, by_person, to=PERSON) == "CLR-42-001 a person: Postgres."
    unsure = decided(topic, question, via=UNCONFIRMED)
    assert offered(topic, question, unsure) == "CLR-42-001 a person (unconfirmed): Postgres."
    assert not offered(topic, question, unsure, to=PERSON)
    for way in (FILE, UNSIGNED, UNTRUSTED, FORGED):  # whoever let it count: nobody vouches for it
        claimed = decided(topic, question, via=way)
        assert not offered(topic, question, claimed)
        assert not offered(topic, question, claimed, to=PERSON)


def test_what_nobody_decided_is_no_answer() -> None:
    topic, question = "Order storage", "Which database do we use for orders?"
    open_one = clarification(topic=topic, question=question)
    claimed = hear(open_one, Resolved(at_ms=LATER, by=PERSON, body="Redis", via=FILE))

    assert not offered(topic, question, open_one)
    assert not offered(topic, question, answered(open_one))
    assert not offered(topic, question, claimed)
    for worth in (
        AnswerWorth(standing=PARTIAL),
        AnswerWorth(standing=UNKNOWN),
        AnswerWorth(confidence="low"),
    ):
        weak = Answered(at_ms=LATER, by="architect", body="Postgres?", worth=worth)
        left_open = after(open_one, weak, Resolved(at_ms=LATER, by="engineer"))
        assert not offered(topic, question, left_open)
    assert not offered(topic, question, decided(topic, question, "go on with what is known"))
    assert not offered(
        topic, question, after(open_one, Escalated(at_ms=LATER, reason=Reason.MANUAL))
    )


@pytest.mark.parametrize("words", ["", "go on with what is known"])
def test_what_was_decided_is_offered_again_once_the_same_was_asked_anew_and_let_go(
    words: str,
) -> None:
    topic, question = "Order storage", "Which database do we use for orders?"
    first = decided(topic, question)
    asked = clarification(2, to=PERSON, topic=topic, question=question)
    at_ms = Millis(LATER + 90)
    called = after(asked, Escalated(at_ms=at_ms, reason=Reason.MANUAL))
    let_go = after(called, Resolved(at_ms=at_ms, by=PERSON, body=words, via="terminal"))

    for to in (PERSON, "architect"):
        told = offered(topic, question, first, let_go, to=to)
        assert told == "CLR-42-001 a person: Postgres."
    # What was answered since is in doubt where it was let go: somebody has to be asked.
    unlike = after(
        answered(clarification(2, topic=topic, question=question), "SQLite."),
        Escalated(at_ms=at_ms, reason=Reason.MANUAL),
        Resolved(at_ms=at_ms, by=PERSON, body="go on with what is known", via="terminal"),
    )
    assert not offered(topic, question, settled(topic, question), unlike)


def test_the_newest_decision_counts_and_none_while_it_is_asked_anew() -> None:
    topic, question = "Order storage", "Which database do we use for orders?"
    first = settled(topic, question)
    second = settled(topic, question, said="SQLite.", number=2, at=1_000)
    again = clarification(3, topic=topic, question=question)

    assert offered(topic, question, first, second) == "CLR-42-002 architect: SQLite."
    assert offered(topic, question, second, first) == "CLR-42-002 architect: SQLite."
    assert not offered(topic, question, first, second, again)


def test_of_two_decisions_of_a_person_the_last_word_counts_whichever_was_settled_last() -> None:
    topic, question = "Order storage", "Which database do we use for orders?"
    last = decided(topic, question)
    asked = clarification(2, to=PERSON, topic=topic, question=question)
    said = Answered(at_ms=Millis(LATER - 5), by=PERSON, body="SQLite.", via="terminal")
    first = after(asked, said, Resolved(at_ms=Millis(LATER + 5), by="engineer"))

    for known in ((first, last), (last, first)):
        assert offered(topic, question, *known) == "CLR-42-001 a person: Postgres."


def test_what_a_later_decision_overturned_is_not_offered() -> None:
    topic, question = "Order storage", "Which database do we use for orders?"
    first = settled(topic, question, said="Use Postgres for orders.")
    kept = noted("... Decided by architect: Postgres. [CLR-42-001]", superseded_by="obs-x")

    assert not offered(topic, question, first, kept)
    at = Millis(LATER + 90_000_000)
    for text in ("Use Redis for sessions.", "Orders use Postgres, as the architect said."):
        assert offered(topic, question, first, noted(text, timestamp_ms=at)), text
    for text in (
        "Switch orders from Postgres to SQLite.",
        "Orders are in SQLite now, Postgres was too slow.",
        "The database for orders is SQLite.",
        "Moved order storage to SQLite.",
    ):
        newer = noted(text, timestamp_ms=at, category=Category.CODE_CHANGE)
        assert not offered(topic, question, first, newer), text


def test_what_was_taken_from_memory_stands_as_long_as_its_source() -> None:
    topic, question = "Order storage", "Which database do we use for orders?"
    first = settled(topic, question)
    copy = after(
        clarification(2, issue=7, topic=topic, question=question),
        Answered(at_ms=LATER, by=HUB, body="Postgres.", via=name_memory_way("CLR-42-001")),
        Resolved(at_ms=Millis(LATER + 5), by="engineer"),
    )

    assert copy.thread[1].speaker_shown == "agent-x (from memory, CLR-42-001)"
    assert offered(topic, question, first, copy) == "CLR-42-001 architect: Postgres."
    assert not offered(topic, question, copy)


SAYINGS = [
    ("Which database do we use for orders?", "Decided: orders use Postgres as database.", True),
    (
        "Which database do we use for orders?",
        "The database for orders is Postgres because of joins.",
        True,
    ),
    ("Should HTTP retries use jitter?", "HTTP retries use jitter.", True),
    ("How long do refresh tokens live?", "Refresh tokens live 30 days.", True),
    ("How long do refresh tokens live?", "Refresh tokens live in Redis.", False),
    (
        "Which database do we use for orders?",
        "The database for sessions is Redis; orders are cached.",
        False,
    ),
    ("Which database do we use for orders?", "Orders and sessions share one database.", False),
    ("Which database do we use for orders?", "Maybe the database for orders is Postgres.", False),
    ("Which database do we use for orders?", "Is Postgres the database for orders?", False),
    (
        "Which database do we use for orders?",
        "The database for old orders of EU customers is Postgres.",
        False,
    ),
    ("Which database do we use for orders?", "Orders need a database.", False),
    ("Why do we use Postgres for orders?", "Orders use Postgres.", False),
    ("Who owns the orders database?", "The orders database is Postgres.", False),
]


def test_a_decision_of_a_session_answers_what_it_says_in_a_sentence() -> None:
    wrong = [
        (question, text)
        for question, text, answers in SAYINGS
        if bool(offered("", question, noted(text))) is not answers
    ]

    assert wrong == []


def test_a_decision_must_be_proven_and_stand() -> None:
    question, text = "Which database do we use for orders?", "Orders use Postgres as database."

    assert offered("", question, noted(text))
    for doubtful in (
        noted(text, event_ids=()),
        noted(text, superseded_by="obs-x"),
        noted(text, changed_files=("src/db.py",)),
        noted(text, branch="try-it"),
        noted(text, category=Category.KEY_FACT),
    ):
        assert not offered("", question, doubtful)
    assert not offered(
        "", question, noted(text), noted("Orders use MySQL as database.", id="obs-b")
    )
    assert not offered("", question, noted(text), to=PERSON)


@pytest.mark.parametrize(
    ("question", "said", "settling", "told"),
    [
        ("Which bound?", "< 5", "> 5", "> 5 (architect had answered: < 5)"),
        ("Which language?", "C", "C++", "C++ (architect had answered: C)"),
        ("Which tables?", "users or orders", "users and orders", "users and orders (arch"),
        ("Which language?", "C++", "C++ it is", "C++. Decided by architect"),
        (
            "What for none?",
            "Return []",
            "Return {}",
            "Return {} (architect had answered: Return []",
        ),
        ("How much?", "5 Mb", "5 MB", "5 MB (architect had answered: 5 Mb)"),
        ("How many?", "1,000 rows", "1,000,000 rows", "1,000,000 rows (architect had answered"),
        ("Is the dump done?", "No, it failed", "Done", "Done (architect had answered: No, it"),
        ("Is main clear?", "No, the freeze holds", "Clear.", "Clear. (architect had answered: No"),
        ("Which dump?", "The nightly one", "Done, thanks", "The nightly one. Decided by architect"),
    ],
)
def test_who_settles_with_a_word_of_their_own_has_decided(
    question: str, said: str, settling: str, told: str
) -> None:
    state = answered(clarification(topic="It", question=question), said)
    state = after(state, Resolved(at_ms=Millis(LATER), by="engineer", body=settling))

    kept = read_decision(state)

    assert kept is not None
    assert kept.content.startswith(f"It: {told}"), kept.content


@pytest.mark.parametrize(
    ("question", "said", "is_kept"),
    [
        ("Shall I wait for the review, or go on without?", "Go on without.", True),
        ("Shall we wait or proceed?", "Go on without.", True),
        ("Does the flag matter?", "Does not matter any more", True),
        ("Who reviews it?", "Go on with what is known.", False),
    ],
)
def test_what_a_person_says_is_decided_unless_it_is_the_offered_letting_go(
    question: str, said: str, is_kept: bool
) -> None:
    kept = read_decision(decided("Review", question, said))

    assert (kept is not None) is is_kept
    assert kept is None or said in kept.content


def test_a_role_that_goes_on_without_has_decided_where_just_that_was_asked() -> None:
    def given_up(question: str) -> bool:
        state = clarification(1, topic="Review", question=question)
        gone = Resolved(at_ms=LATER, by="engineer", body="Go on without.")
        return read_decision(after(answered(state, "I cannot say."), gone)) is None

    assert given_up("Who reviews it?")
    assert not given_up("Shall I wait for the review, or go on without?")


def test_a_topic_counts_by_what_its_question_does_not_say() -> None:
    before = settled("Database", "Which database do we use for orders?")

    assert offered("Orders database", "Which database do we use for orders?", before)
    assert not offered("Orders in Berlin", "Which database do we use for orders?", before)
