"""What every installer does with a file, whatever its language.

A settings file is read whole, once, as it is: line ends and byte order mark stay.
Our own entries are known by the program that they call, `agentx-hook`, wherever an
older version had put it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path, PurePath

from agentx.adapters import limits
from agentx.adapters.port import FileEdit, SetupRequest
from agentx.host.files.plain import read_text
from agentx.kernel.capture import Harness
from agentx.kernel.errors import CorruptRecord, InvalidValue, UnavailableError, UnsafePath

HOOK_PROGRAM = "agentx-hook"
MCP_SERVER = "agentx"
_MCP_VERB = "mcp"

# The keys under which agent CLIs keep the command line of a hook.
_COMMAND_KEYS = ("command", "bash", "powershell")


def read_settings(path: Path, ground: Path | None = None) -> str | None:
    """Return the text of a settings file, character for character; None when there is none.

    Raises: CorruptRecord when it is no text, UnsafePath when it is no plain file or too large,
    UnavailableError when it cannot be read.
    """
    try:
        return read_text(path, bytes_max=limits.SETTINGS_FILE_BYTES_MAX, ground=ground)
    except FileNotFoundError:
        return None
    except UnsafePath:
        raise
    except UnicodeDecodeError as error:
        raise CorruptRecord(
            f"{path}: byte {error.start} is not UTF-8", hint="save the file as UTF-8"
        ) from None
    except OSError as error:
        raise UnavailableError(f"{path}: cannot be read: {error.strerror}") from error


def is_blank(text: str | None) -> bool:
    """Say whether a settings file says nothing at all."""
    return text is None or not text.strip(" \t\r\n\ufeff")


def hook_words(request: SetupRequest, harness: Harness) -> tuple[str, ...]:
    """Return the hook's argument list: the same in every version.

    Raises: InvalidValue when the path cannot be written in a settings file.
    """
    words = (*request.hook_command, "--harness", harness.value)
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        raise InvalidValue(
            f"{words[0]!r} is not text that a settings file can hold",
            hint="move the data folder to a path in UTF-8",
        ) from None
    return words


def hook_line(request: SetupRequest, harness: Harness) -> str:
    """Return the hook's command line, quoted for a shell."""
    return shlex.join(hook_words(request, harness))


def is_our_handler(handler: object) -> bool:
    """Say whether a hook calls our program."""
    if not isinstance(handler, Mapping):
        return False
    lines = [handler[key] for key in _COMMAND_KEYS if isinstance(handler.get(key), str)]
    return any(_program(line, exec_form="args" in handler) == HOOK_PROGRAM for line in lines)


def is_our_server(entry: object) -> bool:
    """Say whether an MCP entry starts AgentX, which others' programs are named after, too."""
    if not isinstance(entry, Mapping):
        return False
    command, arguments = entry.get("command"), entry.get("args")
    words = [
        *(command if isinstance(command, list) else [command]),
        *(arguments if isinstance(arguments, list) else []),
    ]
    named = [PurePath(word).name if isinstance(word, str) else "" for word in words]
    return (MCP_SERVER, _MCP_VERB) in pairwise(named)


def foreign_server(path: Path) -> InvalidValue:
    """Return the error for an MCP entry that has our name and is not ours."""
    return InvalidValue(
        f"{path}: an MCP server named {MCP_SERVER} is there and does not start AgentX",
        hint="rename it, then run the same command again",
    )


def is_current(edits: Iterable[FileEdit]) -> bool:
    """Say whether there is nothing left to do."""
    return all(edit.before == edit.after for edit in edits)


def _program(line: str, *, exec_form: bool) -> str:
    if exec_form:
        return PurePath(line).name
    try:
        words = shlex.split(line)
    except ValueError:  # an open quote: some other shell's line
        return ""
    return PurePath(words[0]).name if words else ""
