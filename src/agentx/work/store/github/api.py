"""Requests to GitHub's REST API: bounded, patient, and never sent anywhere else.

    request -+-> 2xx                      the answer
             +-> 304                      the page as it was
             +-> 403, 429 with a limit    wait for its end, if that is soon; else say when
             +-> 5xx, broken, half        wait, each time longer, and try again
             +-> 401, 403                 the token is wrong: what was to be sent must wait
             `-> any other 4xx            the request is wrong: say how to mend it

A request that is not safe to repeat is repeated only after `found` has looked whether
the first one arrived after all. A link to the next page is followed only to the same
place: the token goes nowhere else. No error carries the token.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

import httpx

from agentx.host.files.json_text import parse_json
from agentx.host.waits import WaitBudget
from agentx.kernel.clock import Clock, to_iso
from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    InvalidValue,
    LimitError,
    NotFound,
    UnavailableError,
)
from agentx.kernel.ids import Entropy
from agentx.kernel.text import compile_late, preview, printable
from agentx.kernel.values import frozen
from agentx.llm.retry import backoff_ms, read_wait_ms
from agentx.redaction.redact import redact
from agentx.work import limits
from agentx.work.port import RATE_LIMIT
from agentx.work.store.github.pages import Page, Pages

_NEXT = compile_late(r'<([^>]+)>\s*;[^,]*\brel="?next"?')
_MESSAGE_CHARS_MAX = 200
# What an answer says of how it was sent, and is not true of what was read.
_OF_THE_WIRE = frozenset({"content-encoding", "content-length", "transfer-encoding"})


@frozen
class Account:
    """Whom we speak to, and as whom."""

    base_url: str
    token: str = field(repr=False)


@frozen(kw_only=False)
class _Again:
    """Why a try gave nothing, and how long to wait before the next; None asks for the usual."""

    reason: str
    wait_ms: int | None = None
    arrived: bool = True  # it may have been done all the same


class GithubApi:
    """The way to GitHub."""

    def __init__(
        self,
        account: Account,
        pages: Pages,
        *,
        clock: Clock,
        entropy: Entropy,
        tries: int = limits.GITHUB_TRIES_MAX,
        patience: WaitBudget | None = None,
    ) -> None:
        self._root = account.base_url.rstrip("/")
        self._token = account.token
        self._pages = pages
        self._clock = clock
        self._entropy = entropy
        self._tries = tries
        self._patience = patience or WaitBudget(
            clock, limit_ms=limits.GITHUB_VERB_WAIT_MS, once_ms=limits.GITHUB_REPLY_WAIT_MS
        )
        self._is_down = False
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "agentx",
        }
        if account.token:
            headers["Authorization"] = f"Bearer {account.token}"
        self._http = httpx.Client(
            headers=headers,
            follow_redirects=False,
            # Certificates take a while to load; a loopback address without TLS has none to check.
            verify=not self._root.startswith("http:"),
        )

        # Stores are opened for one verb and dropped; their connections must go with them.
        self._let_go = weakref.finalize(self, self._http.close)

    def close(self) -> None:
        """Let go of connections."""
        self._let_go()

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> Page:
        """Return one page: fresh, or as it was when GitHub cannot be reached.

        Raises: NotFound, InvalidValue, UnavailableError.
        """
        return self._page(str(httpx.URL(self._root + path, params=params or {})))

    def all_pages(self, path: str, params: Mapping[str, str | int] | None = None) -> Iterator[Page]:
        """Yield a page and all that follow it.

        Raises: as `get`; LimitError when there are more than anybody wants.
        """
        asked = {"per_page": limits.GITHUB_PAGE_ROWS, **(params or {})}
        page = self.get(path, asked)
        yield page
        for _ in range(limits.GITHUB_PAGES_MAX):
            if not page.next_url:
                return
            page = self._page(page.next_url)
            yield page
        raise LimitError(
            f"{path} has more than {limits.GITHUB_PAGES_MAX} pages",
            hint="close or move issues that nobody needs",
        )

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        found: Callable[[], Any] | None = None,
    ) -> Any:
        """Change something; return what GitHub says of it.

        `found` looks whether a try whose answer was lost has arrived; without it such a try is
        repeated only where repeating does no harm.

        Raises: NotFound, InvalidValue, ConflictError, UnavailableError.
        """
        url = self._root + path
        reason = ""
        for number in range(self._count_tries()):
            outcome = self._try_once(method, url, body=body)
            if not isinstance(outcome, _Again):
                return _parse(outcome)
            reason = outcome.reason
            if outcome.arrived and method == "POST":
                if found is None:
                    break
                there = found()
                if there is not None:
                    return there
            if not self._rest(outcome, number):
                break
        self._is_down = True
        raise self._unreachable(reason)

    def _page(self, url: str) -> Page:
        known = self._pages.get(url)
        reason = ""
        for number in range(self._count_tries()):
            outcome = self._try_once("GET", url, tag=known.tag if known else "")
            if isinstance(outcome, httpx.Response):
                if outcome.status_code == httpx.codes.NOT_MODIFIED and known is not None:
                    following = self._find_next(outcome) or _follow(url, known)
                    return replace(known, next_url=following)
                try:
                    page = self._read(outcome)
                except ValueError:
                    outcome = _Again("answered with half a page")
                else:
                    self._pages.put(url, page)
                    return page
            reason = outcome.reason
            if not self._rest(outcome, number):
                break
        self._is_down = True
        if known is not None:
            return replace(known, from_copy=True, why=reason)
        raise self._unreachable(reason)

    def _count_tries(self) -> int:
        """Return how often to try: once after all tries of another request were in vain."""
        return 1 if self._is_down else self._tries

    def _find_next(self, response: httpx.Response) -> str:
        """Return where the next page is; nothing where the answer names none.

        Raises: UnavailableError when it is elsewhere.
        """
        link = _NEXT.search(response.headers.get("link", ""))
        next_url = link[1] if link else ""
        if next_url and not next_url.startswith(self._root + "/"):
            raise UnavailableError(
                f"GitHub points to a next page elsewhere: {preview(next_url, 80)}",
                hint="check github.base_url",
            )
        return next_url

    def _read(self, response: httpx.Response) -> Page:
        return Page(
            body=parse_json(response.content),
            next_url=self._find_next(response),
            tag=response.headers.get("etag", ""),
        )

    def _try_once(
        self, method: str, url: str, *, body: object = None, tag: str = ""
    ) -> httpx.Response | _Again:
        """Send once; return the answer, or why to try again.

        Raises: what a refusal means.
        """
        response = self._exchange(method, url, {"If-None-Match": tag} if tag else {}, body)
        if isinstance(response, _Again):
            return response
        status = response.status_code
        self._is_down = False
        if response.is_success or status == httpx.codes.NOT_MODIFIED:
            return response
        if status >= httpx.codes.INTERNAL_SERVER_ERROR:
            wait_ms = read_wait_ms(response.headers, self._clock.now_ms())
            return _Again(f"answered with status {status}", wait_ms)
        rest_ms = self._rest_ms(response)
        if rest_ms is None:
            raise self._refusal(response)
        if rest_ms > limits.GITHUB_REST_MS_MAX:
            until = to_iso(self._clock.now_ms() + rest_ms)
            self._patience.lose(f"asks to be left alone: its {RATE_LIMIT} until {until}")
            raise UnavailableError(
                f"GitHub's {RATE_LIMIT} until {until}",
                hint="what was to be sent is kept; try again then, or use a token of your own",
            )
        return _Again("asks to be left alone for a while", rest_ms, arrived=False)

    def _rest_ms(self, response: httpx.Response) -> int | None:
        """Return how long a limit lasts; None when the refusal is no limit."""
        if response.status_code not in (
            httpx.codes.FORBIDDEN,
            httpx.codes.TOO_MANY_REQUESTS,
        ):
            return None
        asked = read_wait_ms(response.headers, self._clock.now_ms())
        if asked is not None:
            return asked
        reset = response.headers.get("x-ratelimit-reset", "")
        if response.headers.get("x-ratelimit-remaining") == "0" and reset.isdigit():
            return max(int(reset) * 1000 - self._clock.now_ms(), 1000)
        limited = response.status_code == httpx.codes.TOO_MANY_REQUESTS
        if limited or "rate limit" in response.text.lower():
            return limits.GITHUB_REST_MS_DEFAULT
        return None

    def _refusal(self, response: httpx.Response) -> AgentXError:
        said = self._clean(_message(response))
        what = f"{response.request.method} {response.request.url.path}"
        match response.status_code:
            case httpx.codes.UNAUTHORIZED:
                return UnavailableError(
                    f"GitHub does not accept the token: {said}",
                    hint="set a valid one in the variable that github.token_env names, or run "
                    "`gh auth login`",
                )
            case httpx.codes.FORBIDDEN:
                return UnavailableError(
                    f"GitHub forbids {what}: {said}",
                    hint="the token needs read and write access to issues of this repository",
                )
            case httpx.codes.NOT_FOUND | httpx.codes.GONE:
                return NotFound(
                    f"GitHub has no {response.request.url.path}: {said}",
                    hint="check github.repository, and that the token may see it",
                )
            case httpx.codes.CONFLICT | httpx.codes.PRECONDITION_FAILED:
                return ConflictError(f"GitHub refuses {what}: {said}", hint="try again")
            case status if httpx.codes.MULTIPLE_CHOICES <= status < httpx.codes.BAD_REQUEST:
                return NotFound(
                    "GitHub says the repository has moved",
                    hint="set github.repository to its new name",
                )
            case status:
                return InvalidValue(f"GitHub refuses {what} (status {status}): {said}")

    def _exchange(
        self, method: str, url: str, headers: dict[str, str], body: object
    ) -> httpx.Response | _Again:
        if not self._patience.left_ms:
            return _Again(self._patience.why_lost or "did not answer in time", arrived=False)
        try:
            with self._patience.spending():
                return self._read_answer(method, url, headers, body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return _Again(f"cannot be reached ({_name(error)})", arrived=False)
        except httpx.TimeoutException:
            return _Again("did not answer in time")
        except httpx.HTTPError as error:
            return _Again(f"broke off ({_name(error)})")

    def _read_answer(
        self, method: str, url: str, headers: dict[str, str], body: object
    ) -> httpx.Response:
        """Send once, and read the answer: as long as there is patience, and as much as is wanted.

        Raises: httpx.HTTPError, LimitError.
        """
        once_s = self._patience.once_ms / 1000
        until_ms = self._clock.now_ms() + self._patience.once_ms
        waits = httpx.Timeout(once_s, connect=min(once_s, limits.GITHUB_CONNECT_WAIT_MS / 1000))
        read = bytearray()
        with self._http.stream(method, url, headers=headers, json=body, timeout=waits) as answer:
            for chunk in answer.iter_bytes():
                read += chunk
                if len(read) > limits.GITHUB_REPLY_BYTES_MAX:
                    raise LimitError("GitHub's answer is far too large")
                if self._clock.now_ms() > until_ms:
                    raise httpx.ReadTimeout("the answer comes too slowly")
        kept = {
            name: said for name, said in answer.headers.items() if name.lower() not in _OF_THE_WIRE
        }
        return httpx.Response(
            answer.status_code, headers=kept, content=bytes(read), request=answer.request
        )

    def _rest(self, outcome: _Again, number: int) -> bool:
        """Wait before the next try; return whether there is one."""
        if number + 1 >= self._count_tries():
            return False
        usual = backoff_ms(number, self._entropy)
        wait_ms = usual if outcome.wait_ms is None else max(outcome.wait_ms, usual)
        wait_ms = min(wait_ms, limits.GITHUB_REST_MS_MAX)
        if wait_ms >= self._patience.left_ms:
            self._patience.lose(outcome.reason)
            return False
        with self._patience.spending():
            self._clock.sleep_ms(wait_ms)
        return True

    def _unreachable(self, reason: str) -> UnavailableError:
        return UnavailableError(f"GitHub {reason}", hint="try again later; local data is untouched")

    def _clean(self, text: str) -> str:
        if self._token:
            text = text.replace(self._token, "[REDACTED:token]")
        return preview(printable(redact(text)), _MESSAGE_CHARS_MAX)


def _follow(url: str, known: Page) -> str:
    """Return where the page after an unchanged one is: a full one may have got a next since."""
    asked = httpx.URL(url).params
    rows = int(asked.get("per_page", 0))
    if known.next_url or not rows or not isinstance(known.body, list) or len(known.body) < rows:
        return known.next_url
    following = int(asked.get("page", 1)) + 1
    return str(httpx.URL(url).copy_set_param("page", following))


def _parse(response: httpx.Response) -> Any:
    try:
        return parse_json(response.content) if response.content else None
    except ValueError:
        return None  # it was done; only the report of it is broken


def _message(response: httpx.Response) -> str:
    try:
        value = parse_json(response.content)
    except ValueError:
        return response.text[:_MESSAGE_CHARS_MAX]
    if not isinstance(value, dict):
        return ""
    errors = value.get("errors")
    more = "; ".join(
        str(each.get("message") or f"{each.get('field', '')} {each.get('code', '')}".strip())
        for each in (errors if isinstance(errors, list) else [])
        if isinstance(each, dict)
    )
    return f"{value.get('message', '')}{': ' + more if more else ''}"


def _name(error: Exception) -> str:
    return type(error).__name__
