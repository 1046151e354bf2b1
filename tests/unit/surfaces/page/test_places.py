"""Goal: every place shows what is remembered, leads on to the next, and runs nobody's words.

Method: the page of the sample is walked by its own links, a few of each kind, over real HTTP;
what a person does there is looked for where the commands keep it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agentx.kernel.clock import Millis
from agentx.operations.memory.read import memory_show
from agentx.operations.table import OPERATIONS
from agentx.surfaces.page.routes import find_view
from tests.support.browsing import Browser, Got, browsing, fill_in, find_own_links, read_html
from tests.support.drafts import draft
from tests.support.remembering import environment_in, project_in, remember, sample_project

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


def test_of_a_search_just_what_is_seen_is_shared(browser: Browser) -> None:
    seen = browser.part("/search?q=postgres&harness=codex&kind=event")
    way = next(each for each in find_own_links(seen.text) if each.startswith("/share"))

    asked = browser.get(way)
    form, hidden = fill_in(asked.text)
    given = browser.post(form, None, **{**hidden, "as": "markdown"}).text

    hits = seen.text.count(" data-hit")
    assert 0 < hits < browser.part("/search?q=postgres").text.count(" data-hit")
    assert given.count("\n- **event") == hits
    assert "(what was said, codex)" in "".join(read_html(asked.text).words)
    assert "claude" not in given.casefold()


def test_memory_is_as_it_was_on_a_day(browser: Browser) -> None:
    now = browser.get("/memory").text
    then = browser.get("/memory?as_of=2026-03-04").text
    by_slider = browser.get("/memory?first=2026-03-02&at=2").text

    assert "20 Mar" in now
    assert "20 Mar" not in then
    assert "As of <output>2026-03-04</output>" in then
    assert "As of <output>2026-03-04</output>" in by_slider


def test_where_memory_is_dense_is_shown_as_of_any_day_and_lately(browser: Browser) -> None:
    def count(query: str) -> int:
        found = re.search(r"of ([\d,]+) memor", browser.part(f"/memory/map?{query}").text)
        assert found is not None, query
        return int(found[1].replace(",", ""))

    in_week = count("since=7d&as_of=2026-03-12")

    assert 0 < in_week < count("as_of=2026-03-12") < count("")
    assert count("since=7d") == 0, "nothing was learnt since"
    inside = find_own_links(browser.part("/memory/map?since=7d&as_of=2026-03-12").text)
    assert any("folder=" in each and "as_of=2026-03-12" in each for each in inside)


def test_the_section_is_shown_with_what_found_no_room(browser: Browser) -> None:
    told = browser.get("/told?context=retries+of+webhooks&budget=600").text
    left = browser.part("/told?context=retries+of+webhooks&budget=600&left=1").text

    assert "left out" in told
    assert "Decisions" in told
    assert re.search(r"tokens to open, score \d+\.\d\d", told)
    assert re.search(r"tokens to open, score \d+\.\d\d", left)
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
            send(person, f"{first}/drop", why="wrong"),
            send(person, f"{second}/edit", text="Said better: <b>bold</b>"),
            send(person, f"{second}/pin"),
        ]
        dropped = person.get(first).text
        back = send(person, f"{first}/undrop")

    assert [each.status for each in (*done, back)] == [303] * 4
    assert "dropped by a person" in dropped
    mended = memory_show(project, second.rpartition("/")[2]).observation
    assert mended.content == "Said better: <b>bold</b>"
    assert mended.pinned
    assert not memory_show(project, first.rpartition("/")[2]).dropped


@pytest.mark.promise("page.persons-hands")
@pytest.mark.parametrize("verb", ["edit", "drop", "pin", "keep", "undrop"])
def test_what_is_decided_of_a_memory_is_of_what_was_shown(own: Path, verb: str) -> None:
    typed = {"edit": {"text": "my own words"}, "drop": {"why": "my own reason"}}.get(verb, {})
    with browsing(own / "shop", environment_in(own)) as person:
        rows = find_own_links(person.get("/memory?kind=error&show=new").text)
        one = min(each for each in rows if each.startswith("/memory/one/"))
        if verb == "undrop":
            send(person, f"{one}/drop")
        form, hidden = fill_in(person.get(f"{one}/{verb}").text)
        other = {"text": "Said in another window."}
        assert (
            send(person, f"{one}/{'undrop' if verb == 'undrop' else 'edit'}", **other).status == 303
        )

        refused = person.post(form, None, **typed, **hidden)

        assert refused.status == 409
        shown = read_html(refused.text)
        said = "".join(shown.words) + str(shown.tags)
        assert ("brought back" if verb == "undrop" else "Said in another window.") in said
        assert all(each in said for each in typed.values()), "what was written"
        assert person.post(form, None, **typed).status == 409, "and nothing says what was shown"
        again, now = fill_in(refused.text)
        if verb not in ("undrop", "keep"):  # which are done by then
            assert person.post(again, None, **typed, **now).status == 303
    stands = memory_show(project_in(own), one.rpartition("/")[2])
    assert stands.dropped == (verb == "drop")
    assert (stands.observation.content == "my own words") == (verb == "edit")


def send(person: Browser, path: str, **fields: str) -> Got:
    """Look at a form and send it, as a person does."""
    form, hidden = fill_in(person.get(path).text)
    return person.post(form, None, **fields, **hidden)


def test_a_session_is_forgotten_only_after_it_was_shown_what_goes(own: Path) -> None:
    project = project_in(own)
    with browsing(own / "shop", environment_in(own)) as person:
        listed = person.get("/sessions").text
        session = next(
            each for each in sorted(find_own_links(listed)) if each.startswith("/session/")
        )
        address = f"/forget{session}"
        asked = person.get(address)
        form, hidden = fill_in(asked.text)
        name = session.removeprefix("/session/")
        later = Millis(project.clock.now_ms() - 1_000)
        remember(project, [draft("One word more", session_id=name, timestamp_ms=later)])
        odd = [person.post(form, shown=each).status for each in ("\u00b2:x", "9" * 5_000 + ":x")]
        refused = person.post(form, None, **hidden)
        kept = person.get(session)
        again, now = fill_in(refused.text)
        gone = person.post(again, None, **now)
        after = person.get(session)

    assert "for good" in asked.text
    assert (*odd, refused.status, kept.status) == (409, 409, 409, 200)
    assert "1 event came" in refused.text
    assert gone.status == 200
    assert "gone for good" in gone.text
    assert after.status == 404
