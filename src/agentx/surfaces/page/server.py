"""The server of the page: HTTP on loopback, from the standard library.

    not for us, not let in, not our form   refused, before anything is looked at
    larger than a form may be              refused by its length
    slow, or silent                        cut off when its time is over
    more at once than threads              wait in the queue of the socket
    what goes wrong in a view              a page that says what is true, and the mend

No header lets a page elsewhere read an answer, no script stands in a page, and nothing is kept by
the browser.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from threading import BoundedSemaphore, Event, Lock
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from agentx.host.peers import Place
from agentx.kernel.errors import AgentXError
from agentx.project.roles.sender import find_sending_agent
from agentx.surfaces.page import frame
from agentx.surfaces.page.asked import Answer, Away, Download, PageCall, PagePart, find_status
from agentx.surfaces.page.guard import SAFE_METHODS, PageGuard, Refused
from agentx.surfaces.page.live import Watch
from agentx.surfaces.page.static import read_static

_log = logging.getLogger(__name__)

FORM_WORD = "form_word"
ENTER = "/enter"
_AT_ONCE_MAX = 48
_STREAMS_MAX = 64
_FORM_BYTES_MAX = 512 << 10
_LENGTH_CHARS_MAX = 20
_DROPPED_BYTES_MAX = 16 << 20
_TARGET_CHARS_MAX = 8_192
_SILENT_SECONDS = 20
_FIELDS_MAX = 200
_BEAT_SECONDS = 15.0  # a stream says that it is there, so that one that is not is noticed

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

Perform = Callable[[str, PageCall], Answer]  # a method and what is asked, to what is answered
PageAbout = Callable[[], frame.PageAbout]


class PageServer(ThreadingHTTPServer):
    """Listens on loopback, and hands to views what was let in."""

    daemon_threads = True
    allow_reuse_address = True  # of a port that was let go a moment ago

    def __init__(
        self, port: int, guarded: Callable[[int], PageGuard], perform: Perform, about: PageAbout
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.guard = guarded(self.server_port)
        self.perform = perform
        self.about = about
        self.watch: Watch | None = None
        self.find_sender: Callable[[Place, Place], str] = find_sending_agent
        self.ending = Event()
        self._free = BoundedSemaphore(_AT_ONCE_MAX)
        self._counting = Lock()
        self._streams = 0
        self._last_use = time.monotonic()

    @property
    def link(self) -> str:
        """The address that lets one browser in."""
        return f"http://127.0.0.1:{self.server_port}{ENTER}?token={self.guard.link_token}"

    def idle_seconds(self) -> float:
        """Return for how long nobody has looked."""
        with self._counting:
            return 0.0 if self._streams else time.monotonic() - self._last_use

    @contextmanager
    def streaming(self) -> Iterator[bool]:
        """Count who follows what happens, beside who asks; tell whether there is room for one."""
        with self._counting:
            is_taken = self._streams < _STREAMS_MAX
            self._streams += is_taken
        self._free.release()  # for as long as it lasts, others may ask
        try:
            yield is_taken
        finally:
            self._free.acquire()
            with self._counting:
                self._streams -= is_taken
                self._last_use = time.monotonic()

    def note_use(self) -> None:
        """Note that somebody looks."""
        with self._counting:
            self._last_use = time.monotonic()

    def close(self) -> None:
        """Take no more requests, and let go of who follows."""
        self.ending.set()
        if self.watch is not None:
            self.watch.end()
        self.shutdown()
        self.server_close()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection, with not too many at once."""
        with self._free:
            super().process_request_thread(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002  the library's
        """Let a browser leave: that is no failure of ours."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            _log.exception("a request failed")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SILENT_SECONDS

    @property
    def page(self) -> PageServer:
        return cast("PageServer", self.server)

    def version_string(self) -> str:
        return "agentx"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the library's
        _log.debug(format, *args)

    def do_GET(self) -> None:
        self._answer("GET")

    def do_HEAD(self) -> None:
        self._answer("HEAD")

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        if self.page.ending.is_set():  # a connection that is open still asks nobody any more
            self.close_connection = True
            return
        headers = dict(self.headers.items())
        form = self._read_form() if method not in SAFE_METHODS else {}
        refused = self.page.guard.judge(method, headers)
        if form is None:
            refused = refused or self._drop_form()
        if refused is not None or len(self.path) > _TARGET_CHARS_MAX:
            self._refuse(refused or Refused(status=414, says="this address is too long"))
            return
        split = urlsplit(self.path)
        query = _read_fields(split.query)
        if split.path == ENTER and method == "GET":
            self._let_in(query.get("token", ""))
            return
        if not self.page.guard.is_known(headers):
            self._refuse(
                Refused(
                    status=403,
                    says="this browser was not let in",
                    mend="agentx view gives a link that lets one browser in, once",
                )
            )
            return
        self.page.note_use()
        self._hand_over(method, split.path, query, form or {})

    def _hand_over(
        self, method: str, path: str, query: Mapping[str, str], form: Mapping[str, str]
    ) -> None:
        if path == "/live" and method == "GET":
            self._stream()
            return
        if path.startswith("/static/"):
            self._send_static(path.removeprefix("/static/"))
            return
        if method not in SAFE_METHODS and not self.page.guard.is_own_form(form.get(FORM_WORD, "")):
            self._refuse(Refused(status=403, says="this form was not made by this page"))
            return
        is_part = self.headers.get("X-Part", "") == "1"
        find_sender = cache(self._find_sender)  # which looks through all processes
        asked = PageCall(
            path=path, query=query, form=form, is_part=is_part, find_sender=find_sender
        )
        self._send_answer(self._perform(method, asked), asked)

    def _find_sender(self) -> str:
        """Return the agent below whose CLI runs what asks; nothing for a browser of a person's."""
        return self.page.find_sender(self.client_address, cast("Place", self.page.server_address))

    def _perform(self, method: str, asked: PageCall) -> Answer:
        try:
            return self.page.perform("GET" if method == "HEAD" else method, asked)
        except AgentXError as error:
            what, hint, status = error.message, error.hint, find_status(error)
        except OSError as error:
            what = f"{error.filename or 'disk'}: {error.strerror or error}"
            hint, status = "", 503
        except Exception as error:  # noqa: BLE001  a surface's outermost frame: the page goes on
            _log.exception("a view failed: %s", asked.path)
            what = f"this went wrong: {type(error).__name__}"
            hint, status = "the terminal of `agentx view` says where", 500
        return frame.say_failure(what, hint, status=status, written=asked.written)

    def _send_answer(self, answer: Answer, asked: PageCall) -> None:
        if isinstance(answer, Away):
            self._send(303, b"", {"Location": answer.to})
            return
        if isinstance(answer, Download):
            # A name of ours: it says nothing that somebody else wrote.
            told = {"Content-Disposition": f'attachment; filename="{answer.name}"'}
            self._send(200, answer.text.encode(), {"Content-Type": answer.kind, **told})
            return
        if isinstance(answer, PagePart):
            self._send_html(200, answer.body)
            return
        if asked.is_part:
            self._send_html(answer.status, answer.body)
            return
        self._send_html(answer.status, frame.draw(answer, self._find_about()))

    def _find_about(self) -> frame.PageAbout:
        try:
            return self.page.about()
        except (AgentXError, OSError):
            return frame.PageAbout(form_word=self.page.guard.form_word)

    def _let_in(self, token: str) -> None:
        if self.page.guard.take_link(token):
            # A page, and no redirect: after one the browser would not send the strict cookie.
            self._send_html(200, frame.draw_door(), {"Set-Cookie": self.page.guard.cookie})
        elif self.page.guard.is_known(dict(self.headers.items())):
            self._send(303, b"", {"Location": "/"})
        else:
            says = "this link was used, or is another server's"
            mend = "it lets one browser in, once: agentx view gives a new one"
            self._refuse(Refused(status=403, says=says, mend=mend))

    def _refuse(self, refused: Refused) -> None:
        self.close_connection = True
        self._send_html(refused.status, frame.draw_refusal(refused.says, refused.mend))

    def _send_static(self, name: str) -> None:
        found = read_static(name)
        if found is None:
            self._refuse(Refused(status=404, says="there is no such file"))
            return
        kind, data = found
        self._send(200, data, {"Content-Type": kind})

    def _send_html(self, status: int, text: str, more: Mapping[str, str] | None = None) -> None:
        kind = {"Content-Type": "text/html; charset=utf-8"}
        self._send(status, text.encode("utf-8", "replace"), {**kind, **(more or {})})

    def _send(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        with suppress(ConnectionError, TimeoutError):
            self.send_response(status)
            for name, value in {**_HEADERS, **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    def _stream(self) -> None:
        """Say what happens as it does, until the browser or the server leaves."""
        watch = self.page.watch
        if watch is None:
            self._refuse(Refused(status=404, says="nothing is followed here"))
            return
        self.close_connection = True
        cast("socket", self.connection).settimeout(_SILENT_SECONDS)
        with suppress(OSError), self.page.streaming() as is_taken:
            if is_taken:
                self._tell_all(watch)
            else:
                self._refuse(Refused(status=503, says="as many windows follow as can"))

    def _tell_all(self, watch: Watch) -> None:
        with watch.following() as follower:
            self.send_response(200)
            for name, value in {**_HEADERS, "Content-Type": "text/event-stream"}.items():
                self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"retry: 3000\n\n")
            while not self.page.ending.is_set():
                told = follower.wait(_BEAT_SECONDS)  # or until the watch ends
                said = f"event: changed\ndata: {told}\n\n" if told else ": here\n\n"
                self.wfile.write(said.encode())
                self.wfile.flush()

    def _drop_form(self) -> Refused:
        """Read what is more than a form holds, so that the browser hears why it is not taken."""
        left = min(self._read_length() or 0, _DROPPED_BYTES_MAX)
        with suppress(OSError):
            while left > 0 and (read := self.rfile.read(min(left, _FORM_BYTES_MAX))):
                left -= len(read)
        says = f"a form holds at most {_FORM_BYTES_MAX >> 10} KB, and nothing of this was taken"
        return Refused(status=413, says=says, mend="go back, and say it in fewer words")

    def _read_length(self) -> int | None:
        """Return how long what is sent says to be; None where that is no number."""
        said = self.headers.get("Content-Length", "")[:_LENGTH_CHARS_MAX]
        return int(said) if said.isascii() and said.isdigit() else None

    def _read_form(self) -> Mapping[str, str] | None:
        """Return the fields of a form; None for one that is too large, or none at all."""
        length = self._read_length()
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
        if length is None or length > _FORM_BYTES_MAX:
            return None
        if kind != "application/x-www-form-urlencoded":
            return None
        try:
            fields = _read_fields(self.rfile.read(length).decode("utf-8", "replace"))
        except OSError:
            return None
        # Browsers send every end of a line as two characters, whatever was typed.
        return {name: told.replace("\r\n", "\n") for name, told in fields.items()}


def _read_fields(text: str) -> dict[str, str]:
    try:
        found = parse_qs(text, keep_blank_values=True, max_num_fields=_FIELDS_MAX)
    except ValueError:
        return {}
    return {name: values[-1] for name, values in found.items()}
