"""Goal: every place shows what is remembered, leads on to the next, and runs nobody's words.

Method: the page of the sample is walked by its own links, a few of each kind, over real HTTP;
what a person does there is looked for where the commands keep it.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agentx.operations.memory.read import memory_show
from agentx.operations.table import OPERATIONS
from agentx.surfaces.page.routes import find_view
from tests.support.browsing import Browser, browsing, find_own_links, read_html
from tests.support.remembering import environment_in, project_in, sample_project

OF_EACH_KIND = 2
ACTIVE = ("script", "iframe", "object", "embed", "style", "base", "svg/script")


def test_the_list_of_operations_names_places_that_are_there() -> None:
    named = {name for each in OPERATIONS for name in each.page}

    for name in named:
        wanted = (name, f"{name}/x", f"{name}/x/y")
        assert any(find_view(way, each) for each in wanted for way in ("GET", "POST")), name


@pytest.mark.promise("page.only-words")
def test_every_place_that_is_led_to_is_there_and_runs_nothing(browser: Browser) -> None:
    waiting, seen = ["/", "/search?q=postgres", "/session/sly", "/session/long"], set[str]()
    walked: dict[str, int] = defaultdict(int)
    while waiting:
        path = waiting.pop()
        found = find_view("GET", urlsplit(path).path)
        assert found is not None, path
        if path in seen or walked[found[0]] >= OF_EACH_KIND:
            continue
        seen.add(path)
        walked[found[0]] += 1
        got = browser.get(path)
        assert got.status == 200, path
        _check_harmless(got.text)
        links = {each for each in find_own_links(got.text) if each.startswith("/")}
        waiting += sorted(links - seen, reverse=True)

    assert len(walked) >= 12


def _check_harmless(text: str) -> None:
    found = read_html(text)
    for name, told in found.tags:
        if name == "script":
            assert f"{told.get('src')}".startswith("/static/")
        assert name not in ("iframe", "object", "embed", "base", "img", "style")
        assert not any(each.startswith("on") or each == "style" for each in told)
        for each in ("href", "src", "action"):
            assert f"{told.get(each) or ''}".split(":")[0].lower() != "javascript"
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_what_was_said_is_found_and_leads_to_its_place_in_the_session(browser: Browser) -> None:
    got = browser.part("/search?q=why+did+we+move+from+SQLite+to+Postgres%3F")

    links = find_own_links(got.text)
    assert "Postgres" in got.text
    assert "<html" not in got.text
    assert any(each.startswith("/session/") and "#e-" in each for each in links)
    assert "why here" in got.text


def test_memory_is_as_it_was_on_a_day(browser: Browser) -> None:
    now = browser.get("/memory").text
    then = browser.get("/memory?as_of=2026-03-04").text
    by_slider = browser.get("/memory?first=2026-03-02&at=2").text

    assert "20 Mar" in now
    assert "20 Mar" not in then
    assert "As of <output>2026-03-04</output>" in then
    assert "As of <output>2026-03-04</output>" in by_slider


def test_the_section_is_shown_with_what_found_no_room(browser: Browser) -> None:
    told = browser.get("/told?context=retries+of+webhooks&budget=600").text
    left = browser.part("/told?context=retries+of+webhooks&budget=600&left=1").text

    assert "left out" in told
    assert "Decisions" in told
    assert "why" in left
    assert browser.get("/told?issue=x").status == 400


def test_a_proof_opens_to_the_words(browser: Browser) -> None:
    day = browser.get("/day/2026-03-05").text
    grip = next(each for each in sorted(find_own_links(day)) if each.startswith("/grip/"))

    opened = browser.part(grip).text

    assert "<mark>" in opened
    assert "in its session" in opened


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose project this file may change."""
    made = tmp_path_factory.mktemp("own")
    sample_project(made)
    return made


@pytest.mark.promise("page.persons-hands")
def test_a_person_mends_memory_and_each_is_asked_first(own: Path) -> None:
    project = project_in(own)
    with browsing(own / "shop", environment_in(own)) as person:
        rows = find_own_links(person.get("/memory?kind=decision").text)
        first, second = sorted(each for each in rows if each.startswith("/memory/one/"))[:2]
        asked = person.get(f"{first}/drop")
        assert "Drop this memory?" in asked.text
        assert read_html(asked.text).forms == [f"{first}/drop"]
        done = [
            person.post(f"{first}/drop", None, why="wrong"),
            person.post(f"{second}/edit", None, text="Said better: <b>bold</b>"),
            person.post(f"{second}/pin"),
        ]
        dropped = person.get(first).text
        back = person.post(f"{first}/undrop")

    assert [each.status for each in (*done, back)] == [303] * 4
    assert "dropped by a person" in dropped
    mended = memory_show(project, second.rpartition("/")[2]).observation
    assert mended.content == "Said better: <b>bold</b>"
    assert mended.pinned
    assert not memory_show(project, first.rpartition("/")[2]).dropped


def test_a_session_is_forgotten_only_after_it_was_shown_what_goes(own: Path) -> None:
    with browsing(own / "shop", environment_in(own)) as person:
        listed = person.get("/sessions").text
        session = next(
            each for each in sorted(find_own_links(listed)) if each.startswith("/session/")
        )
        address = f"/forget{session}"
        asked = person.get(address)
        gone = person.post(address)
        after = person.get(session)

    assert "for good" in asked.text
    assert gone.status == 200
    assert "gone for good" in gone.text
    assert after.status == 404
