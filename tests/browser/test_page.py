"""Goal: a person sees, walks and mends memory in a real browser, by mouse and by keyboard.

Method: headless Chromium on the page of the sample, with what somebody sly said among it; every
place in light and dark, wide and narrow, is looked at by axe. `make e2e-page` brings the tools.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from agentx.kernel.clock import Millis
from agentx.kernel.errors import LockHeld
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from tests.support.browsing import PERSON, browsing
from tests.support.contesting import ASK
from tests.support.drafts import draft
from tests.support.players import Player
from tests.support.remembering import environment_in, remember, sample_project
from tests.unit.surfaces.page.conftest import SLY
from tests.unit.surfaces.page.test_questions import PLACE, ana, say

__all__ = ["ana"]  # a fixture

pytestmark = pytest.mark.browser

TOOLS = Path(os.environ.get("AGENTX_BROWSER", ""))  # what `make e2e-page` installed, and where
LOOKS = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]
PLACES = (
    *("/", "/time", "/day/2026-03-05", "/sessions", "/search?q=why+postgres", "/memory"),
    *("/memory?as_of=2026-03-06", "/memory/map", "/lessons", "/told", "/work", "/session/sly"),
)
PAINT_MS = 300
FOLLOWED_MS = 8_000  # a look at what waits is four seconds old at most
STORE_SECONDS = 20
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample, and what somebody sly said."""
    made = tmp_path_factory.mktemp("browser")
    project = sample_project(made)
    at_ms = Millis(project.clock.now_ms() - 10_000)
    remember(project, [draft(SLY, session_id="sly", source_id="sly", timestamp_ms=at_ms)])
    return made


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Return a browser."""
    api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium")
    with api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=list(_ARGUMENTS))
        yield opened
        opened.close()


class Window:
    """One window on a page, and what its console said."""

    def __init__(self, chromium: Any, link: str, wide: int, theme: str) -> None:
        self.base = link.partition("/enter")[0]
        self.context = chromium.new_context(
            viewport={"width": wide, "height": 900}, color_scheme=theme, bypass_csp=True
        )
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda each: self.said.append(each.text))
        self.page.on("pageerror", lambda each: self.said.append(str(each)))
        self.elsewhere: list[str] = []
        self.page.on("request", lambda each: self._note(each.url))
        self.page.goto(link)
        self.page.wait_for_url(f"{self.base}/")

    def _note(self, address: str) -> None:
        if not address.startswith((self.base, "data:")):
            self.elsewhere.append(address)

    def go(self, path: str) -> None:
        """Go to a place."""
        self.page.goto(f"{self.base}{path}")


def keep(project: Project, session: str, words: str, at_ms: Millis | None = None) -> None:
    """Remember what somebody says in a session, now or at a moment."""
    moment = at_ms or Millis(project.clock.now_ms() - 1_000)
    one = draft(words, session_id=session, source_id=words, timestamp_ms=moment)
    until = time.monotonic() + STORE_SECONDS
    while True:  # the page has the store while it looks
        try:
            remember(project, [one])
            return
        except LockHeld:
            assert time.monotonic() < until
            Event().wait(0.05)


@pytest.mark.parametrize(("wide", "theme"), LOOKS)
def test_every_place_fits_is_read_aloud_and_asks_nobody_else(
    root: Path, chromium: Any, wide: int, theme: str
) -> None:
    axe = (TOOLS / "node_modules" / "axe-core" / "axe.min.js").read_text()
    found = []
    with browsing(root / "shop", environment_in(root), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, wide, theme)
        for path in PLACES:
            window.go(path)
            for each in window.page.query_selector_all("details")[:3]:
                each.evaluate("one => one.open = true")
            window.page.wait_for_load_state("networkidle") if path != "/" else None
            window.page.evaluate(axe)
            told = window.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
            found += [
                (path, each["id"], each["nodes"][0]["html"])
                for each in told["violations"]
                if each["impact"] in ("serious", "critical")
            ]
            if window.page.evaluate("() => document.documentElement.scrollWidth") > wide:
                found.append((path, "too wide", ""))

    assert found == []
    assert window.said == []
    assert window.elsewhere == []


def test_a_person_finds_a_word_and_its_proof_by_keyboard_alone(root: Path, chromium: Any) -> None:
    with browsing(root / "shop", environment_in(root), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, 1440, "light")
        page = window.page
        window.go("/search")
        page.keyboard.press("/")
        page.keyboard.type("why did we move from SQLite to Postgres?")
        page.wait_for_selector("[data-hit]")
        page.keyboard.press("Tab")
        for _ in range(60):
            if page.evaluate("() => document.activeElement.closest('[data-hit] .words') !== null"):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".turn")
        page.keyboard.press("p")

        assert "/session/" in page.url
        assert page.evaluate("() => document.activeElement.classList.contains('prompt')")
        assert window.said == []


def test_a_session_that_goes_on_grows_where_one_looks(root: Path, chromium: Any) -> None:
    project = open_project(root / "shop", environment_in(root))
    at_ms = Millis(project.clock.now_ms() - 5_000)  # one that goes on now

    def say(words: str, after_ms: int) -> None:
        keep(project, "now", words, Millis(at_ms + after_ms))

    say("the first word", 0)
    with browsing(root / "shop", environment_in(root), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, 1440, "light")
        window.go("/session/now")
        window.page.evaluate("() => { window.stayed = true; }")
        say("a word that came later", 1_000)
        window.page.wait_for_selector("text=a word that came later", timeout=30_000)

        assert window.page.evaluate("() => window.stayed")


def test_where_one_is_stays_while_the_page_follows_what_happens(root: Path, chromium: Any) -> None:
    project = open_project(root / "shop", environment_in(root))
    keep(project, "first", "What was there")
    with browsing(root / "shop", environment_in(root), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, 1440, "light")
        page = window.page
        page.set_default_timeout(30_000)
        page.click("summary:has-text('as a table')")
        page.focus(".rows a[href='/session/first']")
        keep(project, "beside", "Something new happens")
        page.wait_for_selector(".rows a:has-text('Something new happens')")

        assert (
            page.evaluate("() => document.activeElement.getAttribute('href')") == "/session/first"
        )
        assert page.evaluate("() => document.querySelector('details[open] table') !== null")
        assert window.said == []


def test_what_is_written_stays_and_it_is_said_when_the_process_has_ended(
    ana: Player, chromium: Any
) -> None:
    ana.play()
    with browsing(ana.folder, read_environment(ana.known), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, 1440, "light")
        page = window.page
        window.go(PLACE)
        page.fill("textarea", "Never, it is")
        browser.server.close()
        page.click("text=Answer as you")
        page.wait_for_selector("#gone:visible", timeout=20_000)

        assert "has ended" in page.inner_text("#gone")
        assert page.input_value("textarea") == "Never, it is"
        assert page.url == f"{window.base}{PLACE}"


def test_what_somebody_writes_stays_while_the_page_follows_what_happens(
    ana: Player, chromium: Any
) -> None:
    ana.play()
    with browsing(ana.folder, read_environment(ana.known), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, 1440, "light")
        window.go(PLACE)
        window.page.fill("textarea", "Never, it is")
        window.page.click("h1")
        more = ("--topic", "Other", "--question", "And the logs?", "--to", "human")
        say(ana, *ASK[: ASK.index("--topic")], *more)
        window.page.wait_for_timeout(FOLLOWED_MS)

        assert window.page.input_value("textarea") == "Never, it is"


def test_many_windows_of_a_page_hold_nobody_up(root: Path, chromium: Any) -> None:
    with browsing(root / "shop", environment_in(root), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, 1440, "light")
        for _ in range(9):  # a browser opens six connections to one server
            window.context.new_page().goto(f"{window.base}/work", timeout=20_000)
        window.go("/memory")

        assert window.page.title().startswith("Memory")


@pytest.mark.timed
def test_each_place_is_seen_in_a_third_of_a_second(root: Path, chromium: Any) -> None:
    slow = {}
    with browsing(root / "shop", environment_in(root), PERSON, is_entered=False) as browser:
        window = Window(chromium, browser.server.link, 1440, "light")
        for path in PLACES:
            times = []
            for _ in range(3):
                window.go(path)
                seen = window.page.wait_for_function(PAINTED)
                times.append(seen.json_value())
            if min(times) > PAINT_MS:
                slow[path] = round(min(times))

    assert slow == {}
