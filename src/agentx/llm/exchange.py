"""One question over HTTP: asked within the allowance, asked again where that may help.

    reserve -> request -+-> answer                      settle for what it used
                        +-> never reached, or refused   release; perhaps wait and ask again
                        `-> nobody knows                count in full; ask again only if the
                                                        connection broke

Every try is reserved by itself, because a provider may charge for one whose answer never
arrived. The number of tries, each try, all of them together and the size of a reply are
bounded.

Law: no error carries the key. A fault becomes a value where it is caught, and the error
that is raised from it remembers no request.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TypeVar

import httpx
import msgspec

from agentx.host.crash import CrashPoint, passing
from agentx.kernel.clock import Clock
from agentx.kernel.errors import ModelUnavailable
from agentx.kernel.ids import Entropy
from agentx.kernel.text import preview, printable
from agentx.kernel.values import frozen
from agentx.llm import limits
from agentx.llm.answer import HINT, ProviderReply, check_answer
from agentx.llm.deadline import OpenLines, ask_within
from agentx.llm.port import Allowance, Completion, Prompt, Unusable, Usage, most_used
from agentx.llm.retry import backoff_ms, is_temporary, is_unclear, read_wait_ms
from agentx.llm.talk.port import Dialogue, Heard, TalkReply, most_talked
from agentx.redaction.redact import redact

Reader = Callable[[bytes], ProviderReply]
Said = TypeVar("Said", ProviderReply, Heard)

_FORM_REFUSED = frozenset({400, 422})


@frozen
class Request:
    """What is sent."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, object] = field(repr=False)


@frozen
class TryFault:
    """Why a try brought no answer."""

    reason: str
    charged: bool  # perhaps
    temporary: bool = False
    form_refused: bool = False
    wait_ms: int | None = None  # what the provider asks for


class ProviderLink:
    """The way to one model of one provider."""

    def __init__(
        self,
        http: httpx.Client,
        *,
        name: str,
        key: str,
        timeout_ms: int,
        clock: Clock,
        entropy: Entropy,
    ) -> None:
        self.name = name
        self._http = http
        self._key = key
        self._timeout_ms = timeout_ms
        self._clock = clock
        self._entropy = entropy
        self._lines = OpenLines()

    def ask(
        self, prompt: Prompt, forms: Sequence[Request], read: Reader, allowance: Allowance
    ) -> Completion:
        """Return the answer to a question; the next form of it where the provider refuses one.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        most = most_used(prompt)
        heard, settled = self._reach(most, forms, read, allowance)
        return check_answer(heard, prompt, name=self.name, counted=settled)

    def talk(
        self,
        dialogue: Dialogue,
        request: Request,
        read: Callable[[bytes], Heard],
        allowance: Allowance,
    ) -> TalkReply:
        """Return what is said next in a dialogue.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        heard, settled = self._reach(
            most_talked(dialogue), (request,), read, allowance, dialogue.within_ms
        )
        if isinstance(heard, ProviderReply):
            raise Unusable(f"{self.name}: {heard.fault}", hint=HINT)
        return TalkReply(
            text=heard.text,
            calls=heard.calls,
            fault=heard.fault,
            model=heard.model or self.name,
            usage=settled,
        )

    def _reach(
        self,
        most: Usage,
        forms: Sequence[Request],
        read: Callable[[bytes], Said],
        allowance: Allowance,
        within_ms: int | None = None,
    ) -> tuple[Said | ProviderReply, Usage]:
        """Return what was heard, with what it counts as; what nobody can read is a reply's fault.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        if not all("!" <= char <= "~" for char in self._key):
            raise self._unavailable("the API key has characters that no key has")
        began_ms, waited_ms = self._clock.now_ms(), 0
        left = list(forms)
        for number in range(limits.LLM_TRIES_MAX):
            reservation = allowance.reserve(self.name, most)
            passing(CrashPoint.LLM_RESERVED)
            outcome = self._within(left[0], within_ms, self._clock.now_ms() - began_ms)
            if isinstance(outcome, bytes):
                heard = _understand(read, outcome)
                passing(CrashPoint.LLM_ANSWERED)
                counted = heard.usage or most
                reservation.settle(counted)
                return heard, counted
            if outcome.charged:
                reservation.settle(most)
            else:
                reservation.release()
            if outcome.form_refused and len(left) > 1:
                left.pop(0)
                continue
            wait_ms = outcome.wait_ms
            if wait_ms is None:
                wait_ms = backoff_ms(number, self._entropy)
            spent_ms = max(self._clock.now_ms() - began_ms, waited_ms)
            if outcome.charged and not outcome.temporary:
                # It would be as slow or as long the next time, and cost as much.
                raise Unusable(f"{self.name}: {outcome.reason}", hint=HINT)
            is_late = within_ms is not None and spent_ms + wait_ms >= within_ms
            if is_late or not outcome.temporary or not _worth_waiting(wait_ms, spent_ms, number):
                raise self._unavailable(outcome.reason)
            self._clock.sleep_ms(wait_ms)
            waited_ms += wait_ms
        raise self._unavailable("no form of the question is understood")

    def _within(self, request: Request, within_ms: int | None, spent_ms: int) -> bytes | TryFault:
        """Ask once, for no longer than the asker may wait."""
        if within_ms is None:
            return self._once(request)
        left_ms = within_ms - spent_ms
        outcome = ask_within(lambda: self._once(request), left_ms, self._lines)
        return outcome if outcome is not None else _too_slow(within_ms)

    def _once(self, request: Request) -> bytes | TryFault:
        """Ask once; a fault is returned, not raised, so that nothing of the request leaves."""
        try:
            return self._send(request)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            reason = f"cannot be reached at {_host(request.url)}: {self._clean(str(error))}"
            return TryFault(reason=reason, charged=False, temporary=True)
        except httpx.TimeoutException:
            return _too_slow(self._timeout_ms)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError):
            return TryFault(reason="the address llm.base_url cannot be used", charged=False)
        except (httpx.HTTPError, httpx.StreamError) as error:
            reason = f"the connection broke: {self._clean(str(error)) or type(error).__name__}"
            return TryFault(reason=reason, charged=True, temporary=True)

    def _send(self, request: Request) -> bytes | TryFault:
        # Surrogates that have no partner cannot be sent.
        content = json.dumps(request.body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {
            "content-type": "application/json",
            "accept-encoding": "identity",  # so that a small reply cannot unfold into a large one
            "user-agent": "agentx",
            **request.headers,
        }
        seconds = self._timeout_ms / 1000
        timeout = httpx.Timeout(seconds, connect=min(seconds, limits.LLM_CONNECT_MS_MAX / 1000))
        began_ms = self._clock.now_ms()
        with self._http.stream(
            "POST",
            request.url,
            content=content,
            headers=headers,
            timeout=timeout,
            extensions={"trace": self._lines.note},
        ) as response:
            raw = bytearray()
            for chunk in response.iter_raw():
                raw += chunk
                if len(raw) > limits.LLM_REPLY_BYTES_MAX:
                    return TryFault(reason="the reply is far too large", charged=True)
                # A time-out is for the next bytes; a reply that drips must end as well.
                if self._clock.now_ms() - began_ms > self._timeout_ms:
                    return _too_slow(self._timeout_ms)
        if response.is_success:
            return bytes(raw)
        return self._read_refusal(response, bytes(raw))

    def _read_refusal(self, response: httpx.Response, raw: bytes) -> TryFault:
        status = response.status_code
        said = self._clean(_message(raw))
        return TryFault(
            reason=f"answered with status {status}" + (f": {said}" if said else ""),
            charged=is_unclear(status),
            temporary=is_temporary(status),
            form_refused=status in _FORM_REFUSED,
            wait_ms=read_wait_ms(response.headers, self._clock.now_ms()),
        )

    def _clean(self, text: str) -> str:
        """Return a provider's words as one short line without secrets."""
        if self._key:
            text = text.replace(self._key, "[REDACTED:key]")
        return preview(printable(redact(text)), limits.LLM_REASON_CHARS_MAX)

    def _unavailable(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self.name}: {reason}", hint=HINT)


def _too_slow(waited_ms: int) -> TryFault:
    # Asking again would cost again, and take as long.
    return TryFault(reason=f"no answer within {waited_ms / 1000:g} s", charged=True)


def _worth_waiting(wait_ms: int, spent_ms: int, number: int) -> bool:
    """Tell whether another try is within the bounds."""
    return (
        number + 1 < limits.LLM_TRIES_MAX
        and wait_ms <= limits.LLM_WAIT_MS_MAX
        and spent_ms + wait_ms <= limits.LLM_CALL_MS_MAX
    )


def _understand(read: Callable[[bytes], Said], raw: bytes) -> Said | ProviderReply:
    try:
        return read(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ProviderReply(fault="the reply cannot be understood")


def _message(raw: bytes) -> str:
    """Return what a provider says of an error: all of them put it in the same place."""
    try:
        return msgspec.json.decode(raw, type=_Refusal).error.message
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return raw[: 2 * limits.LLM_REASON_CHARS_MAX].decode("utf-8", "replace")


class _RefusalError(msgspec.Struct):
    message: str = ""


class _Refusal(msgspec.Struct):
    error: _RefusalError


def _host(url: str) -> str:
    """Return the host of an address, without any name and password in it."""
    parsed = httpx.URL(url)
    return parsed.host if parsed.port is None else f"{parsed.host}:{parsed.port}"
