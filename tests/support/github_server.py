"""A GitHub on loopback: the part of its REST API that issues need, as it is documented.

Pages with `Link`, tags with 304, validation errors, missing tokens, rate limits. A test
puts `faults` before it: each is used up by one request. `lost` does what was asked and
loses the answer; `half` sends the first half of it, `trickle` one byte after the other.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from agentx.kernel.clock import to_iso
from tests.support.loopback import listening
from tests.support.time_and_chance import START_MS

TOKEN = "ghp_loopbackloopbackloopbackloopbackloop"
REPOSITORY = "acme/shop"
_ISSUES = re.compile(r"/repos/acme/shop/issues(?:/(\d+)(?:/(comments|labels)(?:/([^/]+))?)?)?")
_PULLS = f"/repos/{REPOSITORY}/pulls"
_COMMENT = re.compile(r"/repos/acme/shop/issues/comments/(\d+)(/reactions)?")


@dataclass(frozen=True)
class Fault:
    """What becomes of one request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "something is wrong"
    kind: str = "refuse"  # or "lost", "half", "trickle"
    method: str = ""  # only of this method


@dataclass
class GithubServer:
    """The repository, and what was asked of it."""

    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    said: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # of them, by path
    check_runs: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    asked: list[tuple[str, str, int]] = field(default_factory=list)  # method, path, status
    hidden: bool = False  # as for a token that may not see the repository
    elsewhere: str = ""  # where `Link` points instead
    links_unchanged: bool = True  # `Link` comes with a page that has not changed, too
    account: str = "agentx-bot"  # whose the token is
    reactions: dict[int, list[str]] = field(default_factory=dict)  # by comment
    together: threading.Barrier | None = None  # so many list comments before anybody posts
    port: int = 0
    now_ms: int = START_MS
    lock: threading.RLock = field(default_factory=threading.RLock)
    _gone: int = 0

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def serving(self, port: int = 0) -> Iterator[GithubServer]:
        """Listen on the loopback until the block ends."""
        server = _Server(("127.0.0.1", port), _Handler)
        server.github = self
        with listening(server) as self.port:
            yield self

    def methods(self, method: str) -> list[str]:
        """Return the paths asked with one method."""
        return [path for asked, path, _ in self.asked if asked == method]

    def answer(self, method: str, target: str, body: dict[str, Any]) -> tuple[int, Any, int]:
        """Return status, body and the number of rows in all."""
        parts = urlsplit(target)
        found = _ISSUES.fullmatch(parts.path)
        if self.hidden:
            return 404, {"message": "Not Found"}, 0
        if (method, parts.path) == ("GET", f"/repos/{REPOSITORY}"):
            return 200, {"full_name": REPOSITORY}, 1
        if parts.path in self.said:
            rows = self.said[parts.path]
            return 200, rows, len(rows)
        if parts.path.startswith((f"{_PULLS}/", f"/repos/{REPOSITORY}/commits/")):
            return 200, {"check_runs": self.check_runs} if "commits" in parts.path else [], 0
        if parts.path == _PULLS:
            return self._pull(method, parts.query, body)
        one = _COMMENT.fullmatch(parts.path)
        if one is not None:
            return self._touch(method, int(one[1]), body, reacts=bool(one[2]))
        if found is None:
            return 404, {"message": "Not Found"}, 0
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        number, what, name = int(found[1] or 0), found[2], unquote(found[3] or "")
        if number in {each["number"] for each in self.pulls} and what == "comments":
            return 200, [], 0  # a pull request is an issue, too
        if number and number not in self.issues:
            return 404, {"message": "Not Found"}, 0
        match (method, bool(number), what):
            case ("GET", False, _):
                return self._list(query)
            case ("POST", False, _):
                return self._create(body)
            case ("GET", True, None):
                return 200, self.issues[number], 1
            case ("PATCH", True, None):
                return self._edit(number, body)
            case ("GET", True, "comments"):
                return self._page(self.comments.get(number, []), query)
            case ("POST", True, "comments"):
                return self._comment(number, body)
            case ("POST", True, "labels"):
                return self._label(number, add=body["labels"])
            case ("DELETE", True, "labels"):
                return self._label(number, remove=name)
            case _:
                return 404, {"message": "Not Found"}, 0

    def _pull(self, method: str, asked: str, body: dict[str, Any]) -> tuple[int, Any, int]:
        if method == "GET":
            query = {name: values[0] for name, values in parse_qs(asked).items()}
            states = {"all": ("open", "closed")}.get(query.get("state", "open"), ("open",))
            rows = [
                each
                for each in self.pulls
                if query.get("head", "").endswith(f":{each['head']['ref']}")
                and each["state"] in states
            ]
            return self._page(rows, query)
        if any(each["head"]["ref"] == body["head"] for each in self.pulls):
            errors = [{"message": "A pull request already exists"}]
            return 422, {"message": "Validation Failed", "errors": errors}, 0
        number = 100 + len(self.pulls)
        made = {
            "number": number,
            "title": body["title"],
            "body": body["body"],
            "head": {"ref": body["head"]},
            "base": {"ref": body["base"]},
            "state": "open",
            "html_url": f"https://github.com/{REPOSITORY}/pull/{number}",
        }
        self.pulls.append(made)
        return 201, made, 1

    def _list(self, query: dict[str, str]) -> tuple[int, Any, int]:
        rows = [
            each
            for each in self.issues.values()
            if query.get("state", "open") in ("all", each["state"])
        ]
        rows.sort(key=lambda each: each["number"], reverse=query.get("direction", "desc") == "desc")
        return self._page(rows, query)

    def _page(self, rows: list[Any], query: dict[str, str]) -> tuple[int, Any, int]:
        size = min(int(query.get("per_page", 30)), 100)
        page = int(query.get("page", 1))
        return 200, rows[(page - 1) * size : page * size], len(rows)

    def _create(self, body: dict[str, Any]) -> tuple[int, Any, int]:
        if not body.get("title"):
            errors = [{"resource": "Issue", "field": "title", "code": "missing_field"}]
            return 422, {"message": "Validation Failed", "errors": errors}, 0
        number = max(self.issues, default=0) + 1
        self.issues[number] = {
            "number": number,
            "title": body["title"],
            "body": body.get("body"),
            "labels": [{"name": name} for name in body.get("labels", [])],
            "state": "open",
            "state_reason": None,
            "created_at": self._time(),
            "updated_at": self._time(),
            "closed_at": None,
        }
        return 201, self.issues[number], 1

    def _edit(self, number: int, body: dict[str, Any]) -> tuple[int, Any, int]:
        changed = {**self.issues[number], "updated_at": self._time()}
        for name in ("title", "body", "state", "state_reason"):
            if name in body:
                changed[name] = body[name]
        if "labels" in body:
            changed["labels"] = [{"name": name} for name in body["labels"]]
        changed["closed_at"] = self._time() if changed["state"] == "closed" else None
        self.issues[number] = changed
        return 200, changed, 1

    def _comment(self, number: int, body: dict[str, Any]) -> tuple[int, Any, int]:
        return 201, self.say(number, self.account, body["body"]), 1

    def say(self, number: int, author: str, body: str, *, kind: str = "User") -> dict[str, Any]:
        """Add a comment, as somebody would on the page."""
        with self.lock:
            at = self._time()
            made = {
                "id": 1000 + sum(map(len, self.comments.values())) + self._gone,
                "body": body,
                "created_at": at,
                "updated_at": at,
                "user": {"login": author, "type": kind},
            }
            self.comments.setdefault(number, []).append(made)
            return made

    def _touch(
        self, method: str, known: int, body: dict[str, Any], *, reacts: bool
    ) -> tuple[int, Any, int]:
        for said in self.comments.values():
            for each in said:
                if each["id"] == known and reacts and method == "POST":
                    self.reactions.setdefault(known, []).append(body["content"])
                    return 201, {"content": body["content"]}, 1
                if each["id"] == known and not reacts and method == "DELETE":
                    said.remove(each)
                    self._gone += 1
                    return 204, None, 0
        return 404, {"message": "Not Found"}, 0

    def _label(
        self, number: int, *, add: list[str] | None = None, remove: str = ""
    ) -> tuple[int, Any, int]:
        names = [each["name"] for each in self.issues[number]["labels"]]
        if remove and remove not in names:
            return 404, {"message": "Label does not exist"}, 0
        names = [*names, *(add or [])]
        kept = [{"name": name} for name in dict.fromkeys(names) if name != remove]
        self.issues[number] = {**self.issues[number], "labels": kept}
        return 200, kept, 1

    def _time(self) -> str:
        self.now_ms += 1000
        return to_iso(self.now_ms)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    github: GithubServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for the other side

    def handle_any(self) -> None:
        """Answer one request."""
        server = self.server
        assert isinstance(server, _Server)
        github = server.github
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        with github.lock:
            fault = self._fault(github)
            if self.headers.get("authorization") != f"Bearer {TOKEN}":
                status, body, rows = 401, {"message": "Bad credentials"}, 0
            elif fault is not None and fault.kind == "refuse":
                status, body, rows = fault.status, {"message": fault.message}, 0
            else:
                status, body, rows = github.answer(
                    self.command, self.path, json.loads(raw) if raw else {}
                )
            github.asked.append((self.command, self.path, status))
        if github.together is not None and self.command == "GET" and "/comments" in self.path:
            with suppress(threading.BrokenBarrierError):
                github.together.wait(timeout=1)
        self._say(github, status, body, rows, fault)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815  http.server's names

    def _fault(self, github: GithubServer) -> Fault | None:
        first = github.faults[0] if github.faults else None
        if first is None or (first.method and first.method != self.command):
            return None
        return github.faults.pop(0)

    def _say(
        self, github: GithubServer, status: int, body: Any, rows: int, fault: Fault | None
    ) -> None:
        data = json.dumps(body).encode() if body is not None else b""
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        if fault is not None and fault.kind == "lost":
            self.close_connection = True
            self.connection.close()
            return
        if status == 200 and self.headers.get("if-none-match") == tag:
            status, data = 304, b""
            github.asked[-1] = (self.command, self.path, 304)
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("ETag", tag)
        for name, value in (fault.headers if fault else {}).items():
            self.send_header(name, value)
        link = self._link(github, rows)
        if link and (status == 200 or (status == 304 and github.links_unchanged)):
            self.send_header("Link", link)
        half = fault is not None and fault.kind == "half"
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if half:
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.close()
            return
        if fault is None or fault.kind != "trickle":
            self.wfile.write(data)
            return
        with suppress(OSError):  # nobody waits so long
            for byte in data:
                self.wfile.write(bytes((byte,)))
                time.sleep(0.02)

    def _link(self, github: GithubServer, rows: int) -> str:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        size, page = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
        if page * size >= rows:
            return ""
        root = github.elsewhere or github.url
        following = urlencode({**query, "page": page + 1})
        return f'<{root}{parts.path}?{following}>; rel="next", <{root}/x>; rel="last"'

    def log_message(self, *_words: object) -> None:
        """Say nothing."""
