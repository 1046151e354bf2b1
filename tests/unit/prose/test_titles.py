"""Goal: a title says what was said, shorter; never its opposite.

Method: prompts as people write them, beside the title that a third person would give them.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.prose.tasks import names_task
from agentx.prose.titles import best_request, phrase_title, request

DENIALS = ["no", "not", "never", "don't", "without", "nothing", "kein", "nicht"]


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("No global variables in the firmware; pass a context.", "No global variables"),
        ("Please no abbreviations in column names.", "No abbreviations in column names"),
        ("ok, and no caching of the price list", "No caching of the price list"),
        ("hmm no, take the slower encoder", "No, take the slower encoder"),
        ("no-op commits must not start the pipeline", "no-op commits must not"),
        ("No more than three retries per order", "No more than three retries per order"),
        ("well, nothing of this goes to the vendor", "Nothing of this goes to the vendor"),
        ("we should not send mail at night", "Not send mail at night"),
        ("Bitte keine Umlaute in Dateinamen", "Keine Umlaute in Dateinamen"),
    ],
)
def test_what_denies_is_never_taken_off_a_title(prompt: str, title: str) -> None:
    assert request(prompt).startswith(title)


@given(
    st.lists(st.sampled_from(["please", "ok,", "so", "hey", "well,", "great.", "and", "just"])),
    st.sampled_from(DENIALS),
)
def test_no_opening_takes_a_denial_with_it(openings: list[str], denial: str) -> None:
    line = " ".join([*openings, denial, "logging of payment numbers in the gateway"])

    assert denial in phrase_title(line).lower().split()


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("right-to-left text is cut in the sidebar", "right-to-left text is cut in the sidebar"),
        ("First row of the import is skipped", "First row of the import is skipped"),
        ("Next.js upgrade breaks the image loader", "Next.js upgrade breaks the image loader"),
        ("All but the first page render blank", "All but the first page render blank"),
        ("Codex sessions lose their branch", "Codex sessions lose their branch"),
        ("there is no index on the orders table", "There is no index on the orders table"),
        ("Good readings are dropped by the filter", "Good readings are dropped by the filter"),
    ],
)
def test_an_opening_that_belongs_to_what_is_said_stays(prompt: str, title: str) -> None:
    assert phrase_title(prompt) == title


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Great, now add a test for leap years", "Add a test for leap years"),
        ("nice. next add the sensor driver", "Add the sensor driver"),
        ("hi there, can you please rename the topic?", "Rename the topic"),
        ("Claude, explain the scheduler of the tasks", "Explain the scheduler of the tasks"),
        ("First, can you list the open valves?", "List the open valves"),
        ("hello team! please deploy the docs site", "Deploy the docs site"),
        ("right: split the parser from the lexer", "Split the parser from the lexer"),
    ],
)
def test_a_greeting_is_taken_off(prompt: str, title: str) -> None:
    assert phrase_title(prompt) == title


def test_a_long_title_is_not_cut_before_a_denial_without_a_mark() -> None:
    said = "Delete the temporary tables of every tenant in the reporting database but not of acme"

    assert phrase_title(said).endswith(("\u2026", "acme"))


def test_thanks_are_no_title() -> None:
    assert best_request(["thanks a lot!", "Add a legend to the tide chart"]) == (
        "Add a legend to the tide chart"
    )


@pytest.mark.parametrize(
    "said",
    [
        "1, but keep the old driver on Windows until March",
        "b pls, and only for the staging cluster",
        "nope, still 312 rows too many this morning",
        "k leave it",
        "ran it over night, no hang",
        "i'll ask the platform team to update the runner to 3.13",
        "the second one, it is easier to test",
        "ah right, the other queue",
    ],
)
def test_an_answer_or_a_report_names_no_work(said: str) -> None:
    assert not names_task(said)


@pytest.mark.parametrize(
    "said",
    [
        "2 of the crates fail to build on Windows, look into it",
        "a customer cannot log in since Friday",
        "the second deployment of a day fails with a 409",
        "check the retry limit of the mailer and raise it to 7",
        "option parsing breaks on negative numbers",
    ],
)
def test_a_task_that_begins_like_an_answer_names_work(said: str) -> None:
    assert names_task(said)


HEARD = [
    "Their on-call told me in the night of the storm: they repeat for 72 hours.",
    "I talked to Mira about the berths.",
    "The harbour master called me this morning.",
    "Got the office on the phone.",
    "I was on the phone with Marstal.",
    "Somebody from sales wrote us again.",
    "I just spoke with the two of them.",
    "Ines mailed me a screenshot of it.",
    "Ich habe eben mit Frau Petersen telefoniert.",
    "I'm back from the meeting.",
]
NAMES_WORK = [
    "Mira told me to add a berth plan",
    "Call the harbour master when a mail bounces",
    "Write us a page about the tides",
    "Show who called us in the log",
    "We told the office that exports come, build them",
    "Let the worker tell me what failed",
    "Talk to the printer over IPP",
    "Add a phone number to each berth",
    "Tell me who phoned",
    "The log told nobody about the crash, fix it",
]


def test_what_somebody_heard_is_no_title_but_what_is_to_be_done_about_it_is() -> None:
    found = {said: request(f"{said} Print the tide table in blue.") for said in HEARD}

    assert [said for said, title in found.items() if title != "Print the tide table in blue"] == []
    assert [said for said in NAMES_WORK if not request(said)] == []
