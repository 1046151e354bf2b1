"""Goal: what a person answers on the page is their answer to what that very page showed them.

Method: a question that an engineer asks in a real project; a person's browser over real HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agentx.clarification.model import PERSON
from agentx.project.config import read_environment
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from tests.support.browsing import Browser, browsing, fill_in, find_own_links, read_html
from tests.support.contesting import ASK, CLR, NO, YES
from tests.support.players import Player

PLACE = f"/question/{CLR}"
ASKED = (*ASK, "--to", PERSON, "--question", "May we drop the old table?")
FURTHER = (*ASK, "--to", PERSON, "--question", "And the new one, too?", "--follow-up", CLR)


@pytest.fixture
def ana(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Player:
    """Give a person at a terminal in a project whose engineer asks them."""
    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: True)
    player = Player(tmp_path, monkeypatch)
    say(player, "issue", "create", "--title", "Old tables")
    say(player, *ASKED)
    return player


@pytest.fixture
def person(ana: Player) -> Iterator[Browser]:
    """Give Ana's browser."""
    ana.play()
    with browsing(ana.folder, read_environment(ana.known)) as found:
        yield found


def say(player: Player, *words: str, role: str = "", code: int = 0) -> str:
    """Run a command; return what it says, in one line."""
    player.play(role)
    left, said = player.agentx(*words)
    assert left == code, said
    player.play()
    return " ".join(said.split())


def ask_further(ana: Player) -> None:
    say(ana, "clarify", "answer", CLR, YES)
    say(ana, *FURTHER)


@pytest.mark.promise("clarify.person")
@pytest.mark.parametrize("case", ["asked", "called", "asked further"])
def test_what_is_answered_on_the_page_is_the_answer_of_who_sits_there(
    ana: Player, person: Browser, case: str
) -> None:
    if case == "called":
        say(ana, *ASK, "--to", "architect", "--question", "Which?", "--topic", "Store")
        say(ana, "clarify", "escalate", "CLR-1-002", "no agreement")
    if case == "asked further":
        ask_further(ana)
    name = "CLR-1-002" if case == "called" else CLR
    form, hidden = fill_in(person.get(f"/question/{name}").text)

    done = person.post(form, None, text="NO:\r\nkeep it", **hidden)

    assert done.status == 303, done.text
    told = say(ana, "clarify", "wait", name, role="engineer")
    assert "NO: keep it" in told
    assert "unconfirmed" not in told
    assert "\\r" not in say(ana, "clarify", "--issue", "1", "--json")
    assert urlsplit(done.headers["location"]).path.startswith(f"/question/{name}")


@pytest.mark.promise("clarify.person")
def test_an_answer_is_to_what_its_own_page_showed_and_is_not_lost(
    ana: Player, person: Browser
) -> None:
    form, hidden = fill_in(person.get(PLACE).text)
    ask_further(ana)
    assert "the new one" in person.get(PLACE).text, "in another tab"

    refused = person.post(form, None, text=NO, **hidden)

    assert refused.status == 409
    assert "otherwise than you were shown" in refused.text
    assert NO in "".join(read_html(refused.text).words), "what was written"
    assert "the new one" in refused.text
    assert NO not in say(ana, "clarify", "--issue", "1")
    again, now = fill_in(refused.text)
    assert person.post(again, None, text=NO, **now).status == 303
    assert person.post(again, None, text=YES, **now).status == 409, "it is answered"
    assert person.post(form, None, text="x" * 20_001, **now).status == 400


def test_what_was_written_is_shown_where_the_project_has_gone(ana: Player, person: Browser) -> None:
    form, hidden = fill_in(person.get(PLACE).text)
    ana.folder.rename(ana.folder.with_name("gone"))

    failed = person.post(form, None, text="Never, it is", **hidden)

    assert failed.status >= 400
    assert "Never, it is" in failed.text


@pytest.mark.promise("clarify.person")
def test_what_is_drawn_before_nobodys_eyes_was_not_shown(ana: Player, person: Browser) -> None:
    say(ana, "clarify", "inbox")
    ask_further(ana)
    assert "the new one" in person.part(PLACE).text

    told = say(ana, "clarify", "answer", CLR, NO, code=2)

    assert "it asks now: 'And the new one, too?'" in told


@pytest.mark.promise("clarify.signed")
def test_what_a_program_said_for_a_person_is_told_them_on_the_page_too(
    ana: Player, person: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: False)
    say(ana, "clarify", "answer", CLR, YES, "--as-person")
    say(ana, "clarify", "resolve", CLR, role="engineer")

    work = person.get("/work").text
    told = "".join(read_html(work).words)
    assert PLACE in find_own_links(work)
    form, hidden = fill_in(person.get(PLACE).text)
    confirmed = person.post(form, None, text=YES, **hidden)

    assert f"a program said it for a person, unconfirmed: {YES}" in told
    assert confirmed.status == 303, confirmed.text
    assert "unconfirmed" not in person.get("/work").text
    assert read_html(person.get(PLACE).text).forms == []
    assert person.post(form, None, text=NO, **hidden).status == 409, "it is confirmed"


@pytest.mark.promise("clarify.person")
def test_what_a_run_asks_is_answered_on_the_page_as_it_was_shown(
    ana: Player, person: Browser
) -> None:
    say(ana, "run", "start", "Move the tables")
    say(ana, "run", "escalate", "May we drop the archive?", role="engineer")
    run = next(each for each in find_own_links(person.get("/work").text) if "/run/" in each)
    form, hidden = fill_in(person.get(run).text)

    other = person.post(form, None, text=NO, **{**hidden, "shown": "otherwise"})
    done = person.post(form, None, text="NO:\r\nkeep it", **hidden)
    again = person.post(form, None, text=YES, **hidden)

    assert (other.status, done.status, again.status) == (409, 303, 409), done.text
    assert NO in "".join(read_html(other.text).words), "what was written"
    assert YES in "".join(read_html(again.text).words)
    told = say(ana, "run", "show", role="engineer")
    assert "NO: keep it" in told
    assert "unconfirmed" not in told


@pytest.mark.promise("page.persons-hands")
def test_a_lesson_is_taken_in_as_it_was_shown_and_once(ana: Player, person: Browser) -> None:
    say(ana, "run", "start", "Move the tables")
    say(ana, "run", "propose", "--kind", "pattern", "Move tables with the app stopped")
    form, hidden = fill_in(person.get("/lessons").text)

    other = person.post(form, None, **{**hidden, "shown": "otherwise"})
    done = person.post(form, None, **hidden)
    again = person.post(form, None, **hidden)

    assert (other.status, done.status, again.status) == (409, 303, 409), other.text


@pytest.mark.promise("page.persons-hands")
def test_who_is_no_person_is_given_no_form_and_takes_none(ana: Player, person: Browser) -> None:
    form, hidden = fill_in(person.get(PLACE).text)
    with browsing(ana.folder, read_environment(ana.known), WhoCalls(via=Via.PROGRAM)) as of_program:
        assert read_html(of_program.get(PLACE).text).forms == []
    person.server.find_sender = lambda *_: "claude"  # what connects runs below an agent CLI
    assert read_html(person.get(PLACE).text).forms == []

    refused = person.post(form, None, text=YES, **hidden)

    assert (refused.status, "claude" in refused.text) == (400, True)
    assert YES not in say(ana, "clarify", "--issue", "1")
    assert "speaker-refused" in ana.project.data.audit.read_text()
