"""An agent CLI, run without a terminal, as the one who plays a role.

Four are known. Each is given the whole text on stdin (nothing of it shows in a process
list, and no bound on arguments applies), in the project's folder, with its role in the
environment, so that its own session is captured under that role. Asked for an answer it
may read and not write; asked to work it may edit files, and its own settings decide what
commands it may run. A flag by which it would trust the folder is given only where a person
said `agentx trust`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agentx.agents.runners.port import Ask, Reply, Wants
from agentx.agents.runners.wording import prompt_of, reply_of
from agentx.host.program import Ended, ProgramCall, run_to_end
from agentx.kernel.bus import Say
from agentx.kernel.capture import Harness
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentUnavailable
from agentx.kernel.text import preview, printable
from agentx.kernel.values import frozen
from agentx.llm.clis.reading import (
    NO_ANSWER,
    CliReply,
    read_claude,
    read_codex,
    read_gemini,
    read_opencode,
    read_words,
)
from agentx.redaction.redact import redact

# An agent CLI that is started by another one must not take itself for a part of it.
_NOT_INHERITED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
_REASON_CHARS_MAX = 300
_WORDS_CHARS_MAX = 300  # of what is said on the way: the answer is told whole
_LINE_BYTES_MAX = 1024 * 1024
_END_BYTES_MAX = 1024 * 1024  # the answer comes last


@frozen
class Dialect:
    """How one agent CLI is called, and how its output is read."""

    program: str
    # What is wanted, whether the folder is trusted, and which commands it may run unasked.
    arguments: Callable[[Wants, bool, Sequence[str]], tuple[str, ...]]
    read: Callable[[str], CliReply]
    # Given nothing in its form, it may have answered in plain words all the same.
    may_be_plain: bool = False


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
        commands: Sequence[str] = (),
        can_wait: bool = False,
    ) -> None:
        self._harness = harness
        self._is_trusted = is_trusted  # by a person's word
        self._folder = folder
        self._environment = environment
        self._clock = clock
        self._model = model
        self._commands = commands  # that it may run, by their first words
        self._can_wait = can_wait  # it is ended when this process is about to leave

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
        model = ("--model", self._model) if self._model else ()
        call = ProgramCall(
            arguments=(
                program,
                *dialect.arguments(ask.wants, self._is_trusted, self._commands),
                *model,
            ),
            said=prompt_of(ask),
            folder=self._folder,
            environment=self._surroundings(ask),
            time_limit_ms=ask.time_limit_ms,
            heard=None if ask.heard is None else _Lines(ask.heard),
            can_wait=self._can_wait,
            began=ask.began,
            end_bytes_max=_END_BYTES_MAX,
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
        out = f"{ended.out}\n{ended.end}" if ended.end else ended.out
        heard = dialect.read(out)
        if ended.too_late:
            _tell_spent(ask, heard)
            raise AgentUnavailable(
                f"{ask.role} ({self.name}) gave no answer within {ask.time_limit_ms / 1000:g} s",
                hint="it was stopped; ask again with more time, or ask a person",
            )
        fault = (heard.is_told and heard.fault) or (
            ended.code != 0 and (ended.err.strip() or ended.out.strip())
        )
        # Events without an answer among them are no plain words.
        is_plain = dialect.may_be_plain and not heard.is_told and heard.fault != NO_ANSWER
        text = ended.out if is_plain else heard.text
        if fault or not text.strip():
            _tell_spent(ask, heard)
            said = redact(printable(preview(str(fault or "it said nothing"), _REASON_CHARS_MAX)))
            code = f" (exit code {ended.code})" if ended.code else ""
            raise AgentUnavailable(
                f"{ask.role} ({self.name}) failed{code}: {said}",
                hint=_hint(dialect, is_trusted=self._is_trusted),
            )
        read = Reply(answer=text.strip(), text=text.strip())
        if ask.wants is Wants.ANSWER:
            read = reply_of(text)
        return replace(
            read,
            runner=self.name,
            session_id=heard.session_id,
            took_ms=took_ms,
            model=heard.model or self._model,
            usage=heard.usage,
        )

    def _surroundings(self, ask: Ask) -> dict[str, str]:
        kept = {
            name: value for name, value in self._environment.items() if name not in _NOT_INHERITED
        }
        return {**kept, "AGENTX_AGENT": ask.role, **ask.variables}


def _tell_spent(ask: Ask, heard: CliReply) -> None:
    """Tell what was used up for no answer, where the agent CLI says it."""
    if ask.spent is not None and heard.usage is not None:
        ask.spent(heard.usage, heard.model)


class _Lines:
    """Tells what an agent says, line by line of what its program prints."""

    def __init__(self, told: Say) -> None:
        self._told = told
        self._rest = b""

    def __call__(self, block: bytes) -> None:
        *lines, self._rest = (self._rest + block).split(b"\n")
        self._rest = self._rest[-_LINE_BYTES_MAX:]
        for line in lines:
            words = read_words(line.decode("utf-8", "replace"))
            if words.strip():
                self._told(redact(printable(preview(words, _WORDS_CHARS_MAX))))


def _hint(dialect: Dialect, *, is_trusted: bool) -> str:
    hint = f"try `{dialect.program}` in this folder: it may want a login or a model"
    return hint if is_trusted else f"{hint}, or you to trust the folder: agentx trust"


def _claude_arguments(wants: Wants, is_trusted: bool, commands: Sequence[str]) -> tuple[str, ...]:
    head: tuple[str, ...] = ("-p", "--output-format", "stream-json", "--verbose")
    if not is_trusted:
        # Without a terminal it asks nobody whether the folder's own settings may act.
        head = (*head, "--setting-sources", "user")
    if wants is Wants.WORK:
        allowed = ",".join(f"Bash({each}:*)" for each in commands)
        listed = ("--allowedTools", allowed) if allowed else ()
        return (*head, "--permission-mode", "acceptEdits", *listed)
    return (*head, "--disallowedTools", "Edit,Write,MultiEdit,NotebookEdit")


def _codex_arguments(wants: Wants, is_trusted: bool, _commands: Sequence[str]) -> tuple[str, ...]:
    # Its sandbox says what a command may do, not which.
    sandbox = "workspace-write" if wants is Wants.WORK else "read-only"
    anywhere = ("--skip-git-repo-check",) if is_trusted else ()
    return ("exec", "--json", *anywhere, "--sandbox", sandbox)


def _gemini_arguments(wants: Wants, is_trusted: bool, commands: Sequence[str]) -> tuple[str, ...]:
    mode = "auto_edit" if wants is Wants.WORK else "default"
    anywhere = ("--skip-trust",) if is_trusted else ()
    allowed = ",".join(f"run_shell_command({each})" for each in commands)
    listed = ("--allowed-tools", allowed) if allowed and wants is Wants.WORK else ()
    return ("--output-format", "json", "--approval-mode", mode, *listed, *anywhere)


def _opencode_arguments(
    wants: Wants, _is_trusted: bool, _commands: Sequence[str]
) -> tuple[str, ...]:
    agent = "build" if wants is Wants.WORK else "plan"
    return ("run", "--format", "json", "--agent", agent)


DIALECTS: dict[Harness, Dialect] = {
    Harness.CLAUDE_CODE: Dialect(
        program="claude", arguments=_claude_arguments, read=read_claude, may_be_plain=True
    ),
    Harness.CODEX: Dialect(program="codex", arguments=_codex_arguments, read=read_codex),
    Harness.GEMINI: Dialect(
        program="gemini", arguments=_gemini_arguments, read=read_gemini, may_be_plain=True
    ),
    Harness.OPENCODE: Dialect(
        program="opencode", arguments=_opencode_arguments, read=read_opencode
    ),
}
