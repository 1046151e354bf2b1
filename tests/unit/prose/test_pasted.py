"""What people wrote is told from what they pasted."""

from __future__ import annotations

import pytest

from agentx.prose.whose.pasted import is_quoted, split_pasted

TERMINAL = """\
\u276f git push
error: failed to push some refs to 'origin'
hint: Updates were rejected because the remote contains work that you do not have.

please fix. i no longer use the hook"""

GO_TEST = """\
the mock is needed in more places:
--- FAIL: TestEnable (0.01s)
    setup_test.go:188: enable failed: exit status 1
        Output: no agent was found in PATH.

        Please install one of the following:
          - One - https://example.com/one
FAIL    example.com/cli/cmd    4.207s
ok      example.com/cli/agent    2.112s"""

TRACE = """\
Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main()
ValueError: nope

what is wrong here? I want it to accept empty input"""

CRASH = """\
The app crashes when a chat is opened:

Thread 1: Fatal error: Attempted to read an unowned reference
0  libswiftCore.dylib  swift_unownedRetainStrong
1  Quay                ChatStore.messages.getter"""

MAIL = """\
this came in today, from ops:

From: Otto
Subject: bucket
Please stop using the bucket acme-dev. Always use acme-ci.
Otto

do what he says"""

OUTLOOK = """\
look at this

Von: Otto
Gesendet: Montag, 2. November
Betreff: Bucket

Bitte immer acme-ci nehmen.

Otto"""

ACTION = """\
Download action repository 'shop/prices@main' (SHA:5b5815c2)
Error: shop/prices/action.yml: (Line: 148, Col: 9)
Error: System.ArgumentException: Unexpected type"""

SYNC = """\
still the same:
Fetching layers/v2 from the mirror (acme/layers)...
Mirror is at 8f2c1aa
No matching layers found on the mirror. Nothing to push.

is the order of the two steps wrong?"""

DEPLOY = """\
Deploying to staging...
Health check failed, rolling back.
Rollback complete, keeping release 41."""

GIT_LOG = """\
the branch looks like this:

commit b8d967c2ee622382109c8b03d4defc6a09e0c863
Author: A Person <a@example.com>
Date:   Wed Feb 11 15:52:29 2026 +0100

    Initialize the branch

    It stores what is known."""


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (TERMINAL, "please fix. i no longer use the hook"),
        (GO_TEST, "the mock is needed in more places:"),
        (TRACE, "what is wrong here? I want it to accept empty input"),
        (GIT_LOG, "the branch looks like this:"),
        (CRASH, "The app crashes when a chat is opened:"),
        (MAIL, "this came in today, from ops:\n\n\n\n\n\n\ndo what he says"),
        (OUTLOOK, "look at this"),
        (ACTION, ""),
        (SYNC, "still the same:\n\n\n\n\nis the order of the two steps wrong?"),
        (DEPLOY, ""),
    ],
)
def test_what_was_pasted_is_not_what_was_written(text: str, own: str) -> None:
    wrote, pasted = split_pasted(text)

    assert wrote.strip() == own
    assert pasted
    assert all(line in text for line in pasted.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fix the parser",
        "error: it says nothing else",
        "We have three rules:\n- never push to main\n- always squash\n\nkeep the tests fast",
        "Thinking about the cache...\nRedis it is.",
        "Moving the mailer to a queue...\nWe keep the cron for the digests.",
        "Deploying by hand...\nStop that. Only CI deploys.",
        "hmm... not sure about this...\nmaybe we wait...\nlet's see...",
        "From: the old API\nTo: the new one, by Friday",
        "1  apple\nis not a trace",
        "1. rename `a.py` to `b.py`\n2. keep the old name as an alias\n\nNote: no new dependency",
        "Wir nehmen SQLite.\nKein Redis.\n\nWarum? Weil niemand es betreiben will.",
        "\u6c7a\u5b9a\uff1aSQLite \u3092\u4f7f\u3046\u3002\n\u7406\u7531\uff1a\u7c21\u5358\u3002",
    ],
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert split_pasted(text) == (text, "")


def test_a_megabyte_on_one_line_and_a_million_lines_are_read_at_once() -> None:
    assert split_pasted("x" * 1_000_000)[1] == ""
    assert split_pasted("error: no\n" * 200_000)[1] == ""
    assert split_pasted("Fetching tags...\n" * 3_999)[1]
    assert split_pasted(("a " * 200 + "\n") * 3_000)[1] == ""


def test_quoted_lines_are_somebody_elses_but_for_those_of_a_document() -> None:
    mail = "Got this mail, what do they want?\n> Never call us at night.\n> Regards"
    plan = "# Plan\n\nAppend a paragraph:\n\n> Most errors are mended where they are."

    assert split_pasted(mail) == (
        "Got this mail, what do they want?",
        "> Never call us at night.\n> Regards",
    )
    assert is_quoted(mail, mail.index("Never"))
    assert split_pasted(plan) == (plan, "")
    assert not is_quoted(plan, plan.index("Most"))


def test_the_log_of_a_phone_is_nobodys_words() -> None:
    said = "the app closes when I open the camera. log:"
    stamp = "11-02 08:41:10.123  4411  4411 E AndroidRuntime"
    logs = (
        "E/AndroidRuntime: FATAL EXCEPTION: main\nE/AndroidRuntime:     at a.b(P.java:11)",
        f"{stamp}: FATAL EXCEPTION: main\n{stamp}: java.lang.SecurityException: x",
        "W/Camera(1234): no permission\nI/Camera(1234): closed\nD/Camera(1234): gone",
    )
    for log in logs:
        assert "Runtime" not in split_pasted(f"{said}\n\n{log}")[0]
        assert split_pasted(f"{said}\n\n{log}")[0].strip() == said
