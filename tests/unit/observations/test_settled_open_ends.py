"""A person's words settle what was left: what they did, do not want, or answer."""

from __future__ import annotations

from agentx.observations.extract.left.reports import ReportKind, read_reports
from agentx.observations.extract.left.settled import SpokenWords, leave_unsettled
from tests.support.telling import Talk

LABELS = ("Left open: ", "Waits for the user: ")

# What somebody says, of which kind it is, and which words name the thing.
REPORTED = [
    ("the webhook secret is rotated. now the docs", ReportKind.DONE, {"webhook", "secret"}),
    ("grafana done, next the alerts", ReportKind.DONE, {"grafana"}),
    ("renewed the domain this morning", ReportKind.DONE, {"domain"}),
    ("we sent the letters to the bank", ReportKind.DONE, {"letter", "bank"}),
    ("der Zugang ist freigeschaltet. Weiter mit dem Import", ReportKind.DONE, {"zugang"}),
    ("Das Zertifikat habe ich gestern erneuert", ReportKind.DONE, {"zertifikat"}),
    ("cuenta creada, sigue", ReportKind.DONE, {"cuenta"}),
    ("j'ai cr\u00e9\u00e9 le compte", ReportKind.DONE, {"compt"}),
    ("the import went through", ReportKind.DONE, {"import"}),
    ("did it", ReportKind.DONE, set()),
    ("erledigt", ReportKind.DONE, set()),
    ("works now, thanks", ReportKind.WORKS, set()),
    ("tried it twice, l\u00e4uft", ReportKind.WORKS, set()),
    ("no need", ReportKind.WAIVED, set()),
    ("brauchen wir nicht", ReportKind.WAIVED, set()),
    ("no hace falta", ReportKind.WAIVED, set()),
    ("the print view we don't need", ReportKind.WAIVED, {"print", "view"}),
]
NOT_REPORTED = [
    "is the webhook secret rotated?",
    "the webhook secret must be rotated",
    "rotate the webhook secret",
    "the secret will be rotated tomorrow",
    "the import is broken",
    "make a list of users sorted by name",
    "put the column back",
    "the page is too slow",
    "use the cached version",
    "Der Zugang ist noch nicht freigeschaltet",
    "todav\u00eda no est\u00e1 creado",
    "if the account is created, go on",
]


def test_what_a_person_says_is_done_works_or_is_not_wanted_is_read() -> None:
    for said, kind, about in REPORTED:
        found = [(one.kind, set(one.about)) for one in read_reports(said)]
        assert (kind, about) in found, (said, found)


def test_what_is_asked_wanted_denied_or_to_be_is_no_report() -> None:
    assert [(said, read_reports(said)) for said in NOT_REPORTED if read_reports(said)] == []


# What a reply leaves, what the user says next, and what is left of it.
ANSWERED = [
    ("I haven't run the migration tests, no database here.", "ran them, all fine", ""),
    ("I could not try it on a real printer.", "tested here, works", ""),
    ("No lo he podido probar en una tableta.", "probado en la m\u00eda, funciona", ""),
    ("The mail template still needs to be translated.", "no need, english is fine", ""),
    ("The dialog still needs a close button.", "not needed", ""),
    ("You still need to set `MAIL_KEY` in production.", "MAIL_KEY is set. and the docs?", ""),
    ("The proxy must be changed too before this is rolled out.", "proxy is done already", ""),
    ("Sales must say which of the two discounts is right.", "discount: the 5 % one is right", ""),
    ("Remaining: a print view, sorting by date.", "the print view we don't need", "sorting"),
    ("Splitting the state needs your word.", "option 2. and nightly", ""),
    ("Splitting the state is your call.", "no, keep the state whole", ""),
]
STILL_OPEN = [
    ("The mail template still needs to be translated.", "thanks, looks good"),
    ("The mail template still needs to be translated.", "works now"),
    ("The dialog still needs a close button.", "the header is done"),
    ("Sales must say which of the two discounts is right.", "I'll ask them which discount"),
    ("The mail template still needs to be translated.", "is the mail template translated?"),
    ("Splitting the state needs your approval.", "rename the header first"),
    ("Splitting the state needs your approval.", "I'll decide tomorrow"),
]


def _say(left: str, then: str) -> list[str]:
    talk = Talk().user("build the shop page").edit("shop.ts", "a", "b")
    talk.agent(f"The shop page is in `shop.ts`. {left}").user(then).agent("Okay.")
    return [one for one in talk.kept() if one.startswith(LABELS)]


def test_the_next_words_of_the_user_settle_what_a_reply_left() -> None:
    for left, then, rest in ANSWERED:
        kept = _say(left, then)
        assert len(kept) == bool(rest), (left, then, kept)
        assert all(rest in one and "print view" not in one for one in kept), (left, then, kept)


def test_what_is_about_something_else_settles_nothing() -> None:
    assert [(left, then) for left, then in STILL_OPEN if len(_say(left, then)) != 1] == []


def test_done_and_no_need_settle_one_thing_and_not_several() -> None:
    several = "Not done: the chart of sales. The export to PDF is still missing."
    talk = Talk().user("build it").edit("a.ts", "a", "b").agent(f"It is in. {several}")
    talk.user("no need").agent("Okay.")

    assert sum(one.startswith(LABELS) for one in talk.kept()) > 0


def test_much_later_only_words_that_name_a_thing_settle_it() -> None:
    left = "DNS of the shop must point to the new balancer."
    settles = {
        "dns is switched. now the health check": True,
        "done": False,
        "no need": False,
        "the balancer is deployed": False,
        "dns is broken": False,
    }
    found = {
        said: leave_unsettled(left, [SpokenWords(text=said)], is_only=True) == ""
        for said in settles
    }
    assert found == settles


def test_who_was_to_be_asked_and_said_something_settles_it() -> None:
    left = "Ask Ruth whether the trial flag can go."
    for said, is_over in [
        ("ruth says the flag can go. remove it", True),
        ("I'll ask Ruth about the flag later", False),
        ("remove the flag of the parser", False),
    ]:
        rest = leave_unsettled(left, [SpokenWords(text=said)], is_only=False)
        assert (rest == "") == is_over, said
