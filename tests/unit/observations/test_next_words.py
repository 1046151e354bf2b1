"""Goal: the person's next words settle what an agent just said: what they fill, correct or forbid.

Method: a reply, what the person says to it and what the agent says then; what the reply said is
kept only where these words leave it as it is.
"""

from __future__ import annotations

from tests.support.telling import Talk

# A reply of which a sentence falls (its first words), what the user said, and the next reply.
FALLS = (
    (
        "Deleting `old_export.py` can be done at any time: nothing imports it.",
        "the auditors run it by hand in January, it must stay until February",
        "Understood, it stays.",
    ),
    (
        "I grouped Bastia with the South region.",
        "no, keep it apart",
        "Done, it is a region of its own.",
    ),
    ("Failed checkouts: 1,870.", "that counts retries. 642", "Corrected to 642."),
    (
        "Revenue is 48.7 M EUR; returns aren't deducted.",
        "deduct them of course",
        "Deducted: 44.0 M EUR.",
    ),
    (
        "The notes are not committed, since you don't use git here.",
        "I do. commit",
        "Committed `ab12cd3`.",
    ),
    (
        "These three hosts are unused, so they're safe to shut down.",
        "db7 is my billing box!! leave them all running",
        "Sorry; I leave all three running.",
    ),
    (
        "The API needs approval by a leader for each swap.",
        "no approval, that's the point",
        "Approval is gone.",
    ),
    (
        (
            "The summary is written. The comment on Lille is still missing: I don't know why "
            "its sales rise by 12 %."
        ),
        "Sunday opening since March. add it",
        "Added.",
    ),
    (
        "The page is up. I left the phone number out, I couldn't find it.",
        "030 1234",
        "It's in now.",
    ),
    ("Config is ready, but the bucket name is still a placeholder.", "acme-prod-eu", "Replaced."),
    (
        "I don't know which VAT rate applies to e-books, so I left a TODO.",
        "7 %",
        "Set to 7 %, the TODO is gone.",
    ),
    ("The migration is written but I haven't run it.", "run it", "It ran: 12 tables migrated."),
    ("The icon is missing for Windows.", "windows users can do without", "Okay."),
    ("The flaky test is still skipped.", "delete that test, nobody knows what it does", "Deleted."),
    (
        "I couldn't reach the license server, so licensing is untested.",
        "I tested it at home, works",
        "Good.",
    ),
    ("What remains is the Safari bug.", "safari is fixed upstream since 26.1, forget it", "Okay."),
)
STANDS = (
    ("`config.py` reads the environment first, then the file.", "don't change that", "Okay."),
    (
        "The docs of the parser are missing.",
        "next: add dark mode to the settings page",
        "Dark mode is in.",
    ),
    ("The icon is missing for Windows.", "thanks", "Welcome."),
    ("The icon is missing for Windows.", "I'll draw it tomorrow", "Good."),
    ("`fax` and `pager` are never read by the code. Drop both?", "yes", "Dropped."),
    (
        "The retry waits 30 s because the vendor blocks faster calls.",
        "ok. now raise the page size to 50",
        "Raised to 50.",
    ),
    (
        "The build takes 12 minutes because `webpack` runs twice. Shall I fix it?",
        "no, leave it",
        "Okay.",
    ),
)


def _keep(reply: str, said: str, then: str) -> list[str]:
    talk = Talk().user("look into this please").shell("./check.sh", "ok").agent(reply)
    return talk.user(said).edit("src/t.py", "x", "y").agent(then).kept()


def test_what_the_next_words_fill_correct_or_forbid_is_not_kept() -> None:
    for reply, said, then in FALLS:
        last = reply.split(". ")[-1][:30]
        assert not [one for one in _keep(reply, said, then) if last in one], (reply, said)


def test_what_they_do_not_speak_of_stands() -> None:
    for reply, said, then in STANDS:
        assert [one for one in _keep(reply, said, then) if reply[:25] in one], (reply, said)
