"""A browser of few abilities: asks a page over real HTTP, and knows its cookie and its forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode, urlsplit

from agentx.kernel.values import frozen
from agentx.project.config import Environment
from agentx.project.roles.caller import Via, WhoCalls
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.server import ENTER, FORM_WORD, PageServer
from agentx.surfaces.page.serving import open_server

PERSON = WhoCalls(via=Via.TERMINAL)
_WAIT_S = 60


@frozen
class Got:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    text: str


class Browser:
    """Asks one server."""

    def __init__(self, server: PageServer) -> None:
        self.server = server
        self.host = f"127.0.0.1:{server.server_port}"
        self.cookie = ""

    def enter(self) -> Got:
        """Open the link, once."""
        got = self.get(f"{ENTER}?token={self.server.guard.link_token}")
        self.cookie = got.headers.get("set-cookie", "").partition(";")[0]
        return got

    def get(self, path: str, **headers: str) -> Got:
        """Ask for an address."""
        return self.ask("GET", path, **headers)

    def part(self, path: str) -> Got:
        """Ask for a piece of a page, as its script does."""
        return self.ask("GET", path, **{"X-Part": "1"})

    def post(self, path: str, word: str | None = None, /, **fields: str) -> Got:
        """Send a form of the page's own; with another word where that is tried."""
        said = {FORM_WORD: self.server.guard.form_word if word is None else word, **fields}
        return self.ask("POST", path, urlencode(said), Origin=f"http://{self.host}")

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> Got:
        """Send a request with just these headers beside the cookie."""
        sent = {"Host": self.host, **headers}
        if self.cookie and "Cookie" not in sent:
            sent["Cookie"] = self.cookie
        if body:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        connection = HTTPConnection("127.0.0.1", self.server.server_port, timeout=_WAIT_S)
        try:
            connection.request(method, path, body or None, sent)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Got(status=answer.status, headers=told, text=answer.read().decode())
        finally:
            connection.close()


@contextmanager
def browsing(
    folder: Path, environment: Environment, caller: WhoCalls = PERSON, *, is_entered: bool = True
) -> Iterator[Browser]:
    """Give a browser on the page of a folder; it was let in, unless another one is to be."""
    server = open_server(PageDesk(folder, environment, caller), 0)
    server.find_sender = lambda *_: ""  # and not what these tests run below
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        browser = Browser(server)
        if is_entered:
            assert browser.enter().status == 200
        yield browser
    finally:
        server.close()
        thread.join(_WAIT_S)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append((tag, told))
        if tag == "a" and told.get("href"):
            self.links.append(f"{told['href']}")
        if told.get("data-part"):
            self.links.append(f"{told['data-part']}")
        if tag == "form" and told.get("method") == "post":
            self.forms.append(f"{told['action']}")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read_html(text: str) -> _Reader:
    """Return what a browser makes of a page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader


def find_own_links(text: str) -> set[str]:
    """Return where on this page a page leads."""
    return {each for each in read_html(text).links if not urlsplit(each).netloc}


def fill_in(shown: str, ending: str = "") -> tuple[str, dict[str, str]]:
    """Return where the first form of a page leads that ends so, and what it says of itself."""
    found = read_html(shown)
    place, hidden = "", dict[str, str]()
    for name, told in found.tags:
        if name == "form":
            if place:
                break
            action = f"{told.get('action')}"
            place = action if told.get("method") == "post" and action.endswith(ending) else ""
        elif place and name == "input" and told.get("type") == "hidden":
            hidden[f"{told['name']}"] = f"{told.get('value')}"
    hidden.pop(FORM_WORD, None)
    return place, hidden
