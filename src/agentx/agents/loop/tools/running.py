"""Running a command for a model: allowed by the user, without a shell, and gone when it is over."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentx.agents.loop.limits import (
    LOOP_COMMAND_END_BYTES_MAX,
    LOOP_COMMAND_OUTPUT_BYTES_MAX,
    LOOP_COMMAND_S_DEFAULT,
    LOOP_COMMAND_S_MAX,
)
from agentx.agents.loop.port import ToolOutcome
from agentx.agents.loop.tools.commands import Allowed, check_command, list_broad
from agentx.host.orphans import ending_orphans
from agentx.host.program import Ended, ProgramCall, end_marked, run_to_end
from agentx.kernel.clock import SECOND_MS
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import Entropy
from agentx.kernel.text import preview, printable

_MARK = "AGENTX_COMMAND"


class CommandWork:
    """Runs the commands that the user allowed, in one folder."""

    def __init__(
        self, root: Path, allowed: Allowed, environment: Mapping[str, str], entropy: Entropy
    ) -> None:
        self._root = root
        self._allowed = allowed
        self._environment = environment
        self._entropy = entropy

    @property
    def broad(self) -> tuple[str, ...]:
        """The entries by which any program can be run."""
        return list_broad(self._allowed)

    def check(self, given: dict[str, Any]) -> tuple[str, ...]:
        """Return the words of a command that may be run.

        Raises: InvalidValue.
        """
        words = tuple(map(str, given["command"]))
        check_command(words, self._allowed, str(self._root))
        return words

    def run(self, given: dict[str, Any], *, left_ms: int) -> ToolOutcome:
        """Run a command to its end, within its time.

        Raises: InvalidValue for one that is not run, OSError.
        """
        words = self.check(given)
        seconds = int(given.get("seconds", LOOP_COMMAND_S_DEFAULT))
        limit_ms = min(min(max(seconds, 1), LOOP_COMMAND_S_MAX) * SECOND_MS, max(left_ms, 1))
        program = self._find(words[0])
        mark = self._entropy(16).hex()
        try:
            with ending_orphans():
                ended = run_to_end(
                    ProgramCall(
                        arguments=(program, *words[1:]),
                        said="",
                        folder=self._root,
                        environment={**self._environment, _MARK: mark},
                        time_limit_ms=limit_ms,
                        output_bytes_max=LOOP_COMMAND_OUTPUT_BYTES_MAX,
                        end_bytes_max=LOOP_COMMAND_END_BYTES_MAX,
                    )
                )
        finally:
            end_marked(_MARK, mark)
        return _tell(words, ended, limit_ms)

    def _find(self, name: str) -> str:
        if "/" in name:
            return str(self._root / name)
        found = shutil.which(name, path=self._environment.get("PATH", ""))
        if found is None:
            raise InvalidValue(f"{preview(name, 60)} is not installed")
        return found


def _tell(words: tuple[str, ...], ended: Ended, limit_ms: int) -> ToolOutcome:
    end = f"\n[...]\n{ended.end}" if ended.end else ""
    printed = "\n".join(part.strip("\n") for part in (ended.out + end, ended.err) if part.strip())
    if ended.too_late:
        how = f"It had not ended after {limit_ms / 1000:g} s and was ended, with all it started."
        brief = "took too long"
    elif ended.code < 0:
        how = brief = f"It was ended by the signal {-ended.code}."
    else:
        how, brief = f"Exit Code: {ended.code}", f"exit code {ended.code}"
    if ended.too_much:
        how = f"(Not all of what it printed is here.)\n{how}"
    text = printable(f"{printed or '(it printed nothing)'}\n{how}")
    failed = ended.too_late or ended.code != 0
    return ToolOutcome(text=text, brief=f"{preview(' '.join(words), 60)}: {brief}", failed=failed)
