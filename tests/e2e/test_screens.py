"""Goal: what a terminal shows can be read and typed back; a pipe gets it whole.

Method: the real commands in a throw-away home.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from tests.support.house import BIN, WAIT_S, House, prompt

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


def test_agentx_alone_speaks_of_a_last_session_only_where_there_is_one(house: House) -> None:
    house.agentx("memory", "add", "The quay cranes are tested on Mondays.")

    shown = house.agentx(env=SCREEN).stdout

    assert "1 memory" in shown
    assert "No session is remembered yet." in shown
    assert "last session" not in shown


def _look(house: House, words: str, pager: str, *, lines: int = 24) -> str:
    """Run a command on a terminal of 80 columns; return what the terminal was sent."""
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    told = {name: value for name, value in house.environment.items() if name != "COLUMNS"}
    with subprocess.Popen(
        [str(BIN / "agentx"), *words.split()],
        cwd=house.project,
        env={**told, "TERM": "xterm-256color", "AGENTX_PAGER": pager},
        stdin=subprocess.DEVNULL,
        stdout=far,
        stderr=far,
    ) as running:
        os.close(far)
        sent = b""
        try:
            while part := os.read(near, 65_536):
                sent += part
        except OSError:
            pass  # the other end is closed: all was said
        os.close(near)
        assert running.wait(WAIT_S) == 0
    return sent.decode()


def test_what_is_longer_than_the_terminal_is_paged_and_what_fits_it_is_not(
    sample_house: House,
) -> None:
    pager = "sed s/^/PAGED:/"

    assert "PAGED:" in _look(sample_house, "sessions", pager)
    assert "PAGED:" in _look(sample_house, "recall", pager)
    assert "PAGED:" not in _look(sample_house, "sessions", pager, lines=400)
    assert "PAGED:" not in _look(sample_house, "sessions --no-pager", pager)
    assert "PAGED:" not in _look(sample_house, "--no-pager config", pager)
    assert "PAGED:" not in sample_house.agentx("sessions", env={"AGENTX_PAGER": pager}).stdout


@pytest.mark.parametrize("pager", ["", "cat", "a-pager-that-is-not-there", "'", "true"])
def test_no_pager_takes_anything_away(sample_house: House, pager: str) -> None:
    shown = _look(sample_house, "sessions", pager)

    assert ("SESSION" in shown) == (pager != "true")
    assert "unforeseen" not in shown


def test_bash_completes_commands_and_options_where_nothing_is_remembered(house: House) -> None:
    before = sorted(house.root.rglob("*"))
    script = """
        eval "$(agentx completion bash)"
        try() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _agentx_completion agentx; echo "${COMPREPLY[*]}"
        }
        try agentx se; try agentx memory re; try agentx search --ha; try agentx completion ""
        try agentx nosuch x; try agentx setup co
        try agentx config set recall.at_
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=house.project,
        env=house.environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=WAIT_S,
    )

    said = ["setup search sessions", "remove review", "--harness", "bash zsh fish", ""]
    said += ["codex copilot", "recall.at_prompt recall.at_action"]
    assert done.stdout.splitlines() == said
    assert sorted(house.root.rglob("*")) == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_given_a_script_of_its_own(house: House, shell: str) -> None:
    assert f"_AGENTX_COMPLETE={shell}_complete" in house.agentx("completion", shell).stdout
