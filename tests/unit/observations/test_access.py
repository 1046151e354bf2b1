"""Goal: what only somebody with access can do, and what is left to the user, is told as open.

Method: the last reply of a session; beside each some that only speak of access.
"""

from __future__ import annotations

import pytest

from agentx.observations.labels import LABELS, LEFT_OPEN, WAITS
from tests.support.telling import Talk


def _list_open(reply: str) -> list[str]:
    talk = Talk().user("do the next part").edit("app/main.py", "run()", "start()").agent(reply)
    return [each for each in talk.kept() if each.startswith(LABELS)]


@pytest.mark.parametrize(
    "said",
    [
        "The failover is not tried: I have no access to the staging cluster.",
        "The add-on is still attached: removing it needs an admin of the team.",
        "To point the check at it I need write access to the monitoring project.",
        "I could not flash it: the probe is in the lab and I have no login there.",
        "The key has to be burned by somebody with the signing token.",
        "I do not have permission to change the DNS zone.",
        "The old bucket stays for now, my token may not delete it.",
        "F\u00fcr das Zertifikat habe ich keinen Zugriff auf das Portal.",
        "The job is still on there: pausing it requires the operator role.",
        "Uploading there needs the service account of the console, which I was not given.",
        "The deployment is red: it wants the new token and only the owner of the team can add it.",
        "No tengo acceso al portal de la tienda.",
        "Je n'ai pas les droits sur le registre.",
    ],
)
def test_what_wants_access_is_left_open(said: str) -> None:
    (told,) = _list_open(f"The page is done and green. {said}")

    assert told.startswith(LEFT_OPEN)
    assert told.endswith(said)


@pytest.mark.parametrize(
    "said",
    [
        "Users need admin access to see the page.",
        "The page shows the login form to who has no access token.",
        "If I have no access token, the client asks for one.",
        "Guests have to be unlocked in the table of members.",
        "The route requires the admin role now.",
        "Only the owner of a board can delete it.",
        "Every request needs an administrator role, which the middleware checks.",
    ],
)
def test_what_a_program_says_of_access_is_not(said: str) -> None:
    assert _list_open(f"The page is done and green. {said}") == []


def test_who_found_another_way_left_nothing_open() -> None:
    talk = Talk().user("read the log of the job")
    talk.agent("I have no access to the cluster.").user("it is in logs/job.txt now")
    talk.shell("cat logs/job.txt", "done in 4 s").agent("The job took 4 s, it reads one shard.")

    assert not [each for each in talk.kept() if each.startswith(LABELS)]


def test_what_is_left_to_the_user_waits_for_them() -> None:
    about = "An alert on the replication lag is missing; it is a rule of five lines."

    told = _list_open(f"The run book is written. {about} Skip it or build it? Your call.")

    assert told == [f"{WAITS}{about} Skip it or build it?"]


@pytest.mark.parametrize(
    "end", ["Your call.", "It's up to you.", "Du entscheidest.", "C'est toi qui vois."]
)
def test_a_question_is_left_to_the_user_in_several_languages(end: str) -> None:
    asked = "Keep the nightly export or drop the table?"

    assert _list_open(f"The import runs. {asked} {end}") == [WAITS + asked]


def test_few_words_that_are_left_to_the_user_wait_with_what_they_are_of() -> None:
    about = "The intro video adds 80 MB to the bundle."

    told = _list_open(f"{about} Ship with it or without it? You decide.")

    assert told == [f"{WAITS}{about} Ship with it or without it?"]


def test_a_courtesy_that_is_left_to_the_user_waits_for_nobody() -> None:
    assert _list_open("The import runs. Want me to commit it? Up to you.") == []
