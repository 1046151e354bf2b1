"""Goal: what a terminal shows can be read and typed back; a pipe gets it whole.

Method: the real commands in a throw-away home.
"""

from __future__ import annotations

import re

from tests.support.house import House, prompt

OURS = re.compile(r"\x1b\[[0-9;]*m")
SCREEN = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80"}


def test_the_id_that_sessions_shows_names_one_session(house: House) -> None:
    ids = ("019caebe-bdf0-7959-9f2c-f9018d5c1d70", "019caebe-be11-7959-9f2c-f9018d5c1d71")
    for name in ids:
        house.hook({**prompt(f"words of {name}", cwd=str(house.project)), "session_id": name})

    rows = house.json("sessions")["sessions"]
    shown = house.agentx("sessions").stdout

    assert {row["short_id"] for row in rows} == {"019caebe-bd", "019caebe-be"}
    for row in rows:
        assert row["short_id"] in shown
        (event,) = house.json("events", "--session", row["short_id"])["events"]
        assert event["text"] == f"words of {row['session_id']}"


def test_the_log_is_told_in_words(sample_house: House) -> None:
    shown = sample_house.agentx("events", "--since", "2026-03-02", "--limit", "40").stdout

    assert "the session began" in shown
    assert "the agent was done" in shown
    assert "Mon 2 Mar" in shown or "2 Mar 2026" in shown
    assert ">>" not in shown
    assert "assistant_stop" not in shown


def test_a_session_that_goes_on_is_shown_with_its_branch(house: House) -> None:
    house.git("switch", "-q", "-c", "feature/9-quay")
    house.hook(prompt("rename the quay", cwd=str(house.project)))
    house.agentx("sync")

    assert house.json("status")["live"][0]["branch"] == "feature/9-quay"
    assert "on feature/9-quay" in house.agentx("status").stdout
    assert "feature/9-quay" in house.agentx("sessions").stdout


def test_agentx_alone_is_one_screen_of_what_there_is(sample_house: House) -> None:
    shown = OURS.sub("", sample_house.agentx(env=SCREEN).stdout)
    said = sample_house.json()

    assert len(shown.splitlines()) <= 24
    assert " events in 27 sessions" in shown
    assert "Nothing since yesterday. The last session:" in shown
    assert "no hooks: new sessions are not captured  agentx init" in shown
    assert said["status"]["memory"]["log"]["sessions"] == 27
    assert len(said["days"]) == 28


def test_agentx_alone_where_nothing_is_remembered_says_how_to_begin_and_makes_nothing(
    house: House,
) -> None:
    before = sorted(house.root.rglob("*"))
    shown = house.agentx(env=SCREEN).stdout

    assert "Nothing is remembered" in shown
    assert "agentx init" in shown
    assert house.json()["begun"] is False
    assert sorted(house.root.rglob("*")) == before
