"""What a call, a prompt or a resource does: its arguments read, its verb imported and run.

The house is imported here, when something is first asked of it. What it raises is said in the
language of tools: what is true, and what the agent can do next.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

from agentx.surfaces.mcp.offered.parameters import WrongArgument, clean, read_arguments
from agentx.surfaces.mcp.offered.prompts import PROMPTS
from agentx.surfaces.mcp.offered.resources import SCHEME, say_content
from agentx.surfaces.mcp.offered.tools import TOOLS
from agentx.surfaces.mcp.wire.messages import INTERNAL_ERROR, INVALID_PARAMS, Refusal

if TYPE_CHECKING:
    from agentx.surfaces.mcp.desk import Desk

_NAME_CHARS_MAX = 100
_ARGUMENT_CHARS_MAX = 10_000


class LatePerformer:
    """Does what a server is asked at the desk of one folder, which is opened when it is needed."""

    def __init__(self, folder: str, opened: Callable[[], Desk] | None = None) -> None:
        try:
            self.directory = os.path.abspath(folder or os.getcwd())  # noqa: PTH100, PTH109  pathlib takes longer than a greeting
        except OSError:
            # The folder is gone; the first call says so.
            self.directory = folder if folder.startswith("/") else "/the folder is gone"
        self._opened = opened
        self._made: Desk | None = None
        self._one_at_a_time = Lock()

    @property
    def desk(self) -> Desk:
        """Where the tools work."""
        with self._one_at_a_time:
            if self._made is None:
                self._made = self._open() if self._opened is None else self._opened()
            return self._made

    def move(self, folder: str) -> None:
        """Work in another folder from now on."""
        with self._one_at_a_time:
            self.directory, self._made = folder, None

    def _open(self) -> Desk:
        from pathlib import Path

        from agentx.project.config import read_environment
        from agentx.surfaces.mcp.desk import Desk

        return Desk(Path(self.directory), read_environment())

    def call_tool(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a call; what is wrong with it is a result too."""
        name = params.get("name")
        if not isinstance(name, str):
            raise Refusal(INVALID_PARAMS, "a call has a name")
        tool = TOOLS.get(name)
        if tool is None:
            known = ", ".join(TOOLS)
            return _say(
                f"there is no tool {clean(name)[:_NAME_CHARS_MAX]!r}; there are {known}",
                is_error=True,
            )
        try:
            given = read_arguments(tool.parameters, params.get("arguments"))
        except WrongArgument as error:
            return _say(f"{tool.name}: {error}", is_error=True)
        return self._perform(lambda: self._run_tool(tool.verb, given, tool.of_repository))

    def get_prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return a prompt, filled in."""
        prompt = PROMPTS.get(f"{params.get('name')}")
        if prompt is None:
            raise Refusal(
                INVALID_PARAMS, f"there is no such prompt; there are {', '.join(PROMPTS)}"
            )
        said = params.get("arguments") or {}
        names = [each.name for each in prompt.arguments]
        if not isinstance(said, dict) or not set(said) <= set(names):
            raise Refusal(INVALID_PARAMS, f"{prompt.name} takes {', '.join(names) or 'nothing'}")
        given = {name: clean(f"{said.get(name) or ''}")[:_ARGUMENT_CHARS_MAX] for name in names}
        for each in prompt.arguments:
            if each.required and not given[each.name].strip():
                raise Refusal(INVALID_PARAMS, f"{each.name} is missing: {each.about}")
        result = self._perform(lambda: _find(prompt.verb)(self.desk, **given))
        content = result["content"][0]
        return {
            "description": prompt.about,
            "messages": [{"role": "user", "content": content}],
        }

    def read_resource(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return what an address stands for."""
        uri = params.get("uri")
        unknown = Refusal(INVALID_PARAMS, f"nothing has this address; they begin with {SCHEME}")
        if not isinstance(uri, str) or not f"{uri}/".startswith(f"{SCHEME}/"):
            raise unknown
        from urllib.parse import unquote

        node = clean(unquote(uri.removeprefix(SCHEME).removeprefix("/")))[:_ARGUMENT_CHARS_MAX]
        result = self._perform(lambda: _find("contents:open_contents")(self.desk, node))
        text = result["content"][0]["text"]
        if result.get("isError"):
            raise Refusal(INVALID_PARAMS, text, {"uri": uri[:1_000]})
        return say_content(uri, text)

    def look_at_use(self) -> frozenset[str]:
        """Return the toolsets that the project uses; none where that cannot be told."""
        try:
            from agentx.operations.agents.toolsets import list_used

            return list_used(self.desk.project())
        except Exception as error:  # noqa: BLE001  a look holds nobody up
            print(f"agentx: {error}", file=sys.stderr)
            return frozenset()

    def _run_tool(self, verb: str, given: dict[str, Any], of_repository: bool) -> str:
        if not of_repository:
            plain: str = _find(verb)(self.desk, **given)
            return plain
        from agentx.operations.recall.origins import origin_of_data
        from agentx.surfaces.mcp.answer import name_origin

        # Asked first: who merges the lane that the server stands in has no folder after that.
        origin = origin_of_data(self.desk.project())
        said: str = _find(verb)(self.desk, **given)
        return name_origin(said, origin)

    def _add_behind(self, said: str) -> dict[str, Any]:
        """Say an answer, and how much of what was captured it does not know yet."""
        behind = self.desk.take_behind()
        if not behind.is_late:
            return _say(said)
        from agentx.daemon.auto.calling import call_daemon
        from agentx.surfaces.mcp.answer import tell_behind

        # Whoever has the store goes on with it; nobody else could.
        is_had = behind.is_look and not behind.is_unwritable
        goes_on = is_had or call_daemon(self.desk.project())
        told = tell_behind(behind.count, goes_on=goes_on)
        return {**_say(f"{said}\n{told}"), "_meta": {_BEHIND: behind.count}}

    def _perform(self, work: Callable[[], str]) -> dict[str, Any]:
        from agentx.kernel.errors import AgentXError, LockHeld, UnavailableError
        from agentx.kernel.text import disarm
        from agentx.surfaces.mcp.hints import speak_hint

        try:
            return self._add_behind(work())
        except AgentXError as error:
            hint = speak_hint(error.hint)
            if isinstance(error, LockHeld | UnavailableError):
                hint = f"try the same call again in a minute, or go on without it; {hint}"
            hint = f"\nhint: {hint.strip('; ')}" if hint else ""
            return _say(disarm(f"{error.message}{hint}"), is_error=True)
        except OSError as error:
            return _say(
                disarm(f"{error.filename or 'disk'}: {error.strerror or error}"), is_error=True
            )
        except Exception as error:
            import traceback

            traceback.print_exc()
            raise Refusal(INTERNAL_ERROR, f"this went wrong: {type(error).__name__}") from error


# Beside the text, for who reads answers with a program: a client that is given structured content
# hands the model that instead of the text.
_BEHIND = "agentx/behind"


def _find(verb: str) -> Callable[..., str]:
    module, _, name = verb.partition(":")
    found: Callable[..., str] = getattr(import_module(f"{__package__}.tools.{module}"), name)
    return found


def _say(text: str, *, is_error: bool = False) -> dict[str, Any]:
    said: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    return {**said, "isError": True} if is_error else said
