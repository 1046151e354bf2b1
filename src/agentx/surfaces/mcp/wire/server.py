"""One client served: what is known is said at once, what takes time is done aside.

Law: a greeting, a ping and every list are answered from the tables of `offered`, before
anything of the house is imported; only a call, a prompt or a resource imports what it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any, Protocol

from agentx import __version__
from agentx.surfaces.mcp.offered.prompts import PROMPTS
from agentx.surfaces.mcp.offered.resources import RESOURCES, TEMPLATES
from agentx.surfaces.mcp.offered.tools import list_tools
from agentx.surfaces.mcp.offered.toolsets import Toolsets
from agentx.surfaces.mcp.offered.words import INSTRUCTIONS, NAME, TITLE
from agentx.surfaces.mcp.wire import eras
from agentx.surfaces.mcp.wire.calls import CalledOffError, Calls, TellFar, work_while
from agentx.surfaces.mcp.wire.lines import LINE_BYTES_MAX, Lines, TooLong
from agentx.surfaces.mcp.wire.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    ClientRequest,
    Id,
    Refusal,
    find_id,
    parse_line,
    read_request,
    say_change,
    say_failure,
    say_result,
    write_line,
)
from agentx.surfaces.mcp.wire.open_folder import OpenFolder

_LOOK_EVERY_S = 2.0
_LOOKING_S = 0.05
# By hand and in a script one hangs up at once and reads the answers; clients leave altogether.
_FINISH_S = 60.0
_LISTENERS_MAX = 100
_TOGETHER_MAX = 100  # messages of one list, which is answered at once
_CHANGED = "notifications/tools/list_changed"
_PROGRESS = "notifications/progress"
_SERVER = {"name": NAME, "title": TITLE, "version": __version__}
_CAPABILITIES = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
}

Result = dict[str, Any]


class Performer(Protocol):
    """Who does what takes time."""

    def call_tool(self, params: dict[str, Any]) -> Result:
        """Return the result of a call; raises Refusal."""
        ...

    def get_prompt(self, params: dict[str, Any]) -> Result:
        """Return a prompt, filled in; raises Refusal."""
        ...

    def read_resource(self, params: dict[str, Any]) -> Result:
        """Return what an address stands for; raises Refusal."""
        ...


class McpServer:
    """One client, until it hangs up."""

    def __init__(
        self,
        lines: Lines,
        toolsets: Toolsets,
        performer: Performer,
        open_folder: OpenFolder | None = None,
    ) -> None:
        self._lines = lines
        self._open_folder = open_folder or OpenFolder(is_adrift=False, moved=lambda _folder: None)
        self._toolsets = toolsets
        self._calls = Calls()
        self._is_greeted = False
        self._listeners: list[Id] = []
        self._open: dict[Id, bool] = {}  # calls that are being done, and whether they are wanted
        self._opening = Lock()
        self._at_once: dict[str, Callable[[ClientRequest], Result]] = {
            "initialize": self._greet,
            "server/discover": self._discover,
            "ping": lambda _request: {},
            "tools/list": lambda _request: {"tools": list_tools(self._toolsets.list_on())},
            "prompts/list": lambda _request: {
                "prompts": [each.describe() for each in PROMPTS.values()]
            },
            "resources/list": lambda _request: {"resources": list(RESOURCES)},
            "resources/templates/list": lambda _request: {"resourceTemplates": list(TEMPLATES)},
        }
        self._aside: dict[str, Callable[[dict[str, Any]], Result]] = {
            "tools/call": performer.call_tool,
            "prompts/get": performer.get_prompt,
            "resources/read": performer.read_resource,
        }

    def serve(self) -> None:
        """Answer until the client hangs up, and then what it still waits for."""
        for line in self._lines.read(self._patience):
            if isinstance(line, TooLong):
                self._say(say_failure(None, _too_long()))
            elif line is not None:
                self._take(line)
            self._toolsets.notice()
            self._tell_changes()
        self._calls.finish(_FINISH_S, self._lines.is_heard)

    def _patience(self) -> float:
        return _LOOKING_S if self._toolsets.is_looking else _LOOK_EVERY_S

    def _take(self, line: bytes) -> None:
        try:
            said = parse_line(line)
        except Refusal as failure:
            self._say(say_failure(None, failure))
            return
        if not isinstance(said, list):
            self._take_one(said)
        elif not 0 < len(said) <= _TOGETHER_MAX:
            wrong = f"a list has 1 to {_TOGETHER_MAX} messages"
            self._say(say_failure(None, Refusal(INVALID_REQUEST, wrong)))
        elif not self._calls.begin(lambda: self._answer_all(said)):
            self._say(say_failure(None, _too_many()))

    def _take_one(self, message: Any) -> None:
        if self._open_folder.take_answer(message):
            return
        try:
            request = read_request(message)
        except Refusal as failure:
            self._say(say_failure(find_id(message), failure))
            return
        if request is None or not request.wants_answer:
            self._hear(request)
        elif request.method == "subscriptions/listen":
            self._listen(request)
        elif request.method not in self._aside:
            self._say(self._answer(request))
        else:
            self._begin(request)

    def _begin(self, request: ClientRequest) -> None:
        with self._opening:
            self._open[request.id] = True

        def is_wanted() -> bool:
            with self._opening:
                return self._open.get(request.id, True)

        def answer() -> None:
            said = None
            with suppress(CalledOffError):
                far = self._find_listener(request)
                said = work_while(is_wanted, lambda: self._answer(request), far)
            with self._opening:
                is_still = self._open.pop(request.id, True)
            if is_still and said is not None:
                self._say(said)

        if not self._calls.begin(answer):
            self._say(say_failure(request.id, _too_many()))

    def _find_listener(self, request: ClientRequest) -> TellFar | None:
        """Return how a client hears how far a call is; None where it did not ask for that."""
        meta = request.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if isinstance(token, bool) or not isinstance(token, str | int):
            return None

        def tell(done: int, total: int, message: str) -> None:
            far = {"progressToken": token, "progress": done, "total": total, "message": message}
            self._say(say_change(_PROGRESS, **far))

        return tell

    def _answer_all(self, messages: list[Any]) -> None:
        """Answer a list of messages with a list of answers, in turn."""
        answers = []
        for message in messages:
            try:
                request = read_request(message)
            except Refusal as failure:
                answers.append(say_failure(find_id(message), failure))
                continue
            if request is None or not request.wants_answer:
                self._hear(request)
            else:
                answers.append(self._answer(request))
        if answers:
            self._say(answers)

    def _answer(self, request: ClientRequest) -> dict[str, Any]:
        try:
            is_stateless = eras.is_stateless(request)
            result = self._result(request, is_stateless=is_stateless)
        except Refusal as failure:
            return say_failure(request.id, failure)
        except CalledOffError:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, somebody waits for an answer
            went = Refusal(INTERNAL_ERROR, f"this went wrong: {type(error).__name__}")
            return say_failure(request.id, went)
        if is_stateless:
            result = eras.complete(request.method, result, _SERVER)
        return say_result(request.id, result)

    def _result(self, request: ClientRequest, *, is_stateless: bool) -> Result:
        known = self._at_once.get(request.method)
        if known is None and request.method in self._aside:
            self._open_folder.wait()
            return self._aside[request.method](request.params)
        if known is None or (is_stateless and eras.is_gone(request.method)):
            raise Refusal(METHOD_NOT_FOUND, "there is no such method", request.method[:100])
        if request.params.get("cursor"):
            raise Refusal(INVALID_PARAMS, "no list goes on: there is no such cursor")
        return known(request)

    def _greet(self, request: ClientRequest) -> Result:
        self._is_greeted = True
        self._open_folder.hear_greeting(request.params)
        return {
            "protocolVersion": eras.agree(request.params.get("protocolVersion")),
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER,
            "instructions": INSTRUCTIONS,
        }

    def _discover(self, _request: ClientRequest) -> Result:
        return {
            "supportedVersions": list(eras.STATELESS),
            "capabilities": _CAPABILITIES,
            "instructions": INSTRUCTIONS,
        }

    def _hear(self, request: ClientRequest | None) -> None:
        asked = None if request is None else self._open_folder.ask_at(request.method)
        if asked is not None:
            self._say(asked)
        if request is not None and request.method == "notifications/cancelled":
            unwanted = request.params.get("requestId")
            if not isinstance(unwanted, str | int):
                return
            with self._opening:
                if unwanted in self._open:
                    self._open[unwanted] = False
            if unwanted in self._listeners:
                self._listeners.remove(unwanted)

    def _listen(self, request: ClientRequest) -> None:
        """Remember who wants to hear of changes; the answer is what it will hear."""
        try:
            granted = self._grant(request)
        except Refusal as failure:
            self._say(say_failure(request.id, failure))
            return
        if granted:
            self._listeners.append(request.id)
        meta = {eras.SUBSCRIPTION: request.id}
        acknowledged = "notifications/subscriptions/acknowledged"
        self._say(say_change(acknowledged, _meta=meta, notifications=granted))

    def _grant(self, request: ClientRequest) -> dict[str, bool]:
        """Return what a listener will hear of; of all that can be heard, tools alone change."""
        if not eras.is_stateless(request):
            raise Refusal(METHOD_NOT_FOUND, "there is no such method", request.method)
        if len(self._listeners) >= _LISTENERS_MAX:
            raise Refusal(INTERNAL_ERROR, "too many listen already")
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise Refusal(INVALID_PARAMS, "notifications must be an object")
        return {"toolsListChanged": True} if wanted.get("toolsListChanged") is True else {}

    def _tell_changes(self) -> None:
        if not self._toolsets.take_change():
            return
        if self._is_greeted:
            self._say(say_change(_CHANGED))
        for listener in self._listeners:
            self._say(say_change(_CHANGED, _meta={eras.SUBSCRIPTION: listener}))

    def _say(self, message: Any) -> None:
        self._lines.write(write_line(message))


def _too_long() -> Refusal:
    return Refusal(INVALID_REQUEST, f"a line has at most {LINE_BYTES_MAX:,} bytes")


def _too_many() -> Refusal:
    return Refusal(INTERNAL_ERROR, "too much is waiting; ask again later")
