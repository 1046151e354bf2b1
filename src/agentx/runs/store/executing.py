"""Commands that are executed as checks: in a folder, within a time, with what they print.

Nothing of a command is left behind when it returns, and of what it prints both ends are kept: the
end is where the error is. What is cut is cut between lines, so that no secret is cut in two.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentx.host.program import Ended, ProgramCall, run_to_end
from agentx.host.system import environment_without
from agentx.kernel.clock import Clock
from agentx.kernel.errors import UnavailableError
from agentx.kernel.text import cut, printable
from agentx.kernel.values import frozen
from agentx.redaction.redact import redact
from agentx.runs.limits import (
    RUN_CHECK_END_BYTES_MAX,
    RUN_CHECK_HEAD_BYTES_MAX,
    RUN_CHECK_OUTPUT_CHARS_MAX,
)

_SHELL = "/bin/sh"


@frozen(kw_only=False)
class Execution:
    """How a command ended."""

    command: str
    exit_code: int | None  # none where it was ended, or could not be begun
    duration_ms: int
    output: str
    why: str = ""  # it has no exit code: why

    @property
    def passed(self) -> bool:
        """Whether it ended well."""
        return self.exit_code == 0


def execute(
    command: str,
    folder: Path,
    wait_ms: int,
    clock: Clock,
    environment: Mapping[str, str] | None = None,
) -> Execution:
    """Let the shell run a command to its end in a folder; secrets that it prints are not kept.

    Without an environment it has that of who runs it.

    Raises: UnavailableError where this process leaves meanwhile: how it ends is not known then.
    """
    call = ProgramCall(
        # Both streams as one, in the order in which they were written.
        arguments=(_SHELL, "-c", f"exec 2>&1\n{command}"),
        said="",
        folder=folder,
        # As if it were typed there: what leads git elsewhere is not passed on.
        environment=environment_without("GIT_") if environment is None else environment,
        time_limit_ms=wait_ms,
        output_bytes_max=RUN_CHECK_HEAD_BYTES_MAX,
        end_bytes_max=RUN_CHECK_END_BYTES_MAX,
        can_wait=True,
    )
    began_ms = clock.now_ms()
    try:
        ended = run_to_end(call)
    except InterruptedError as error:
        raise _tell_cut(command) from error
    except (OSError, ValueError) as error:
        return Execution(command, None, 0, "", why=f"it could not be begun: {error}")
    if ended.is_cut:
        raise _tell_cut(command)
    took_ms = max(clock.now_ms() - began_ms, 0)
    why = f"it had not ended after {wait_ms / 1000:g} s" if ended.too_late else ""
    if not why and ended.code < 0:
        why = f"it was ended by the signal {-ended.code}"
    code = None if why else ended.code
    return Execution(
        command=command, exit_code=code, duration_ms=took_ms, output=_keep(ended), why=why
    )


def _tell_cut(command: str) -> UnavailableError:
    return UnavailableError(
        f"`{command}` was ended: AgentX is about to leave", hint="run it again: nothing is recorded"
    )


def _keep(ended: Ended) -> str:
    head, end = ended.out + ended.err, ended.end
    if end:
        # The ends of what is missing are lines that are not whole.
        head = head.rpartition("\n")[0]
        end = "\n[...]\n" + end.partition("\n")[2]
    plain = printable(redact(head + end)).strip("\n")
    return cut(plain, RUN_CHECK_OUTPUT_CHARS_MAX)
