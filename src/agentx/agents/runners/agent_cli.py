"""An agent CLI, run without a terminal, as the one who plays a role.

Four are known. Each is given the whole text on stdin (nothing of it shows in a process
list, and no bound on arguments applies), in the project's folder, with its role in the
environment, so that its own session is captured under that role. Asked for an answer it
may read and not write; asked to work it may edit files, and its own settings decide what
commands it may run. A flag by which it would trust the folder is given only where a person
said `agentx trust`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentx.agents.runners.port import Ask, Reply, Wants
from agentx.agents.runners.wording import prompt_of, reply_of
from agentx.host.program import Ended, ProgramCall, run_to_end
from agentx.kernel.capture import Harness
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentUnavailable
from agentx.kernel.text import preview, printable
from agentx.kernel.values import frozen
from agentx.redaction.redact import redact

# An agent CLI that is started by another one must not take itself for a part of it.
_NOT_INHERITED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
_REASON_CHARS_MAX = 300


@frozen
class Heard:
    """What an agent CLI's output says."""

    text: str
    session_id: str = ""
    fault: str = ""


@frozen
class Dialect:
    """How one agent CLI is called, and how its output is read."""

    program: str
    arguments: Callable[[Wants, bool], tuple[str, ...]]  # and whether the folder is trusted
    model_flag: str
    read: Callable[[str], Heard]


class AgentCli:
    """One agent CLI as a runner."""

    def __init__(
        self,
        harness: Harness,
        *,
        folder: Path,
        environment: Mapping[str, str],
        clock: Clock,
        model: str = "",
        is_trusted: bool = False,
    ) -> None:
        self._harness = harness
        self._is_trusted = is_trusted  # by a person's word
        self._folder = folder
        self._environment = environment
        self._clock = clock
        self._model = model

    @property
    def name(self) -> str:
        """The agent CLI's name."""
        return self._harness.value

    def program(self) -> str:
        """Return the path of the agent CLI's program.

        Raises: AgentUnavailable when it is not installed.
        """
        name = DIALECTS[self._harness].program
        found = shutil.which(name, path=self._environment.get("PATH", ""))
        if found is None:
            raise AgentUnavailable(
                f"{self.name} is not installed: no `{name}` on the PATH",
                hint="install it, or name another runner",
            )
        return found

    def run(self, ask: Ask) -> Reply:
        """Ask, and wait for the reply no longer than the ask allows.

        Raises: AgentUnavailable.
        """
        dialect = DIALECTS[self._harness]
        program = self.program()
        model = (dialect.model_flag, self._model) if self._model else ()
        call = ProgramCall(
            arguments=(program, *dialect.arguments(ask.wants, self._is_trusted), *model),
            said=prompt_of(ask),
            folder=self._folder,
            environment=self._surroundings(ask),
            time_limit_ms=ask.time_limit_ms,
        )
        began = self._clock.now_ms()
        try:
            ended = run_to_end(call)
        except OSError as error:
            raise AgentUnavailable(
                f"{self.name} could not be started: {error.strerror or error}",
                hint=f"try `{dialect.program} --version` in this folder",
            ) from error
        return self._reply(ask, dialect, ended, self._clock.now_ms() - began)

    def _reply(self, ask: Ask, dialect: Dialect, ended: Ended, took_ms: int) -> Reply:
        if ended.too_late:
            raise AgentUnavailable(
                f"{ask.role} ({self.name}) gave no answer within {ask.time_limit_ms / 1000:g} s",
                hint="it was stopped; ask again with more time, or ask a person",
            )
        heard = dialect.read(ended.out)
        fault = heard.fault or (ended.code != 0 and (ended.err.strip() or ended.out.strip()))
        if fault or not heard.text.strip():
            said = redact(printable(preview(str(fault or "it said nothing"), _REASON_CHARS_MAX)))
            code = f" (exit code {ended.code})" if ended.code else ""
            raise AgentUnavailable(
                f"{ask.role} ({self.name}) failed{code}: {said}",
                hint=_hint(dialect, is_trusted=self._is_trusted),
            )
        read = Reply(answer=heard.text.strip(), text=heard.text.strip())
        if ask.wants is Wants.ANSWER:
            read = reply_of(heard.text)
        return replace(read, runner=self.name, session_id=heard.session_id, took_ms=took_ms)

    def _surroundings(self, ask: Ask) -> dict[str, str]:
        kept = {
            name: value for name, value in self._environment.items() if name not in _NOT_INHERITED
        }
        return {**kept, "AGENTX_AGENT": ask.role}


def _hint(dialect: Dialect, *, is_trusted: bool) -> str:
    hint = f"try `{dialect.program}` in this folder: it may want a login or a model"
    return hint if is_trusted else f"{hint}, or you to trust the folder: agentx trust"


def _claude_arguments(wants: Wants, is_trusted: bool) -> tuple[str, ...]:
    head: tuple[str, ...] = ("-p", "--output-format", "json")
    if not is_trusted:
        # Without a terminal it asks nobody whether the folder's own settings may act.
        head = (*head, "--setting-sources", "user")
    if wants is Wants.WORK:
        return (*head, "--permission-mode", "acceptEdits")
    return (*head, "--disallowedTools", "Edit,Write,MultiEdit,NotebookEdit")


def _codex_arguments(wants: Wants, is_trusted: bool) -> tuple[str, ...]:
    sandbox = "workspace-write" if wants is Wants.WORK else "read-only"
    anywhere = ("--skip-git-repo-check",) if is_trusted else ()
    return ("exec", "--json", *anywhere, "--sandbox", sandbox)


def _gemini_arguments(wants: Wants, is_trusted: bool) -> tuple[str, ...]:
    mode = "auto_edit" if wants is Wants.WORK else "default"
    anywhere = ("--skip-trust",) if is_trusted else ()
    return ("--output-format", "json", "--approval-mode", mode, *anywhere)


def _opencode_arguments(wants: Wants, _is_trusted: bool) -> tuple[str, ...]:
    agent = "build" if wants is Wants.WORK else "plan"
    return ("run", "--format", "json", "--agent", agent)


def _read_claude(out: str) -> Heard:
    for value in _objects(out):
        if value.get("type") == "result":
            text = _text(value.get("result"))
            return Heard(
                text=text,
                session_id=_text(value.get("session_id")),
                fault=(text or _text(value.get("subtype"))) if value.get("is_error") else "",
            )
    return Heard(text=out)


def _read_codex(out: str) -> Heard:
    said, session, fault = "", "", ""
    for value in _objects(out):
        match value.get("type"):
            case "thread.started":
                session = _text(value.get("thread_id"))
            case "item.completed":
                item = _object(value.get("item"))
                if item.get("type") == "agent_message":
                    # Earlier ones tell what it is about to do; the last one is the answer.
                    said = _text(item.get("text")) or said
            case "turn.failed" | "error":
                fault = _message(value)
            case "turn.completed":
                fault = ""  # what went wrong on the way was mended
            case _:
                continue
    return Heard(text=said, session_id=session, fault="" if said and not fault else fault)


def _read_gemini(out: str) -> Heard:
    # Warnings may stand before the object.
    start = out.find("{")
    values = list(_objects(out[start:] if start >= 0 else ""))
    for value in values:
        if "response" in value or "error" in value:
            return Heard(
                text=_text(value.get("response")),
                session_id=_text(value.get("session_id")),
                fault=_message(value) if value.get("error") else "",
            )
    return Heard(text=out)


def _read_opencode(out: str) -> Heard:
    texts: list[str] = []
    session, fault = "", ""
    for value in _objects(out):
        session = _text(value.get("sessionID")) or session
        part = _object(value.get("part"))
        match value.get("type"):
            case "text":
                texts.append(_text(part.get("text")))
            case "tool_use":
                texts.clear()  # what was said before a tool is no answer yet
            case "error":
                fault = _message(value)
            case _:
                continue
    return Heard(text="\n".join(texts), session_id=session, fault=fault)


def _objects(out: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of an output: one whole, or one a line."""
    try:
        whole = json.loads(out)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict):
        yield whole
        return
    for line in out.splitlines():
        if line.lstrip().startswith("{"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _message(value: Mapping[str, Any]) -> str:
    error = value.get("error", value.get("message"))
    if isinstance(error, dict):
        data = _object(error.get("data"))
        error = data.get("message") or error.get("message") or error.get("name")
    return _text(error) or "it reported an error"


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


DIALECTS: dict[Harness, Dialect] = {
    Harness.CLAUDE_CODE: Dialect(
        program="claude", arguments=_claude_arguments, model_flag="--model", read=_read_claude
    ),
    Harness.CODEX: Dialect(
        program="codex", arguments=_codex_arguments, model_flag="--model", read=_read_codex
    ),
    Harness.GEMINI: Dialect(
        program="gemini", arguments=_gemini_arguments, model_flag="--model", read=_read_gemini
    ),
    Harness.OPENCODE: Dialect(
        program="opencode", arguments=_opencode_arguments, model_flag="--model", read=_read_opencode
    ),
}
