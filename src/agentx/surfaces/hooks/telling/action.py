"""At an action: the one line that matters to it, before a call where that is taken in, else after.

A call is looked up in a small file that was prepared (`recall.telling.cautions`): most calls are
not in it, and cost the reading of it. Nothing is asked, nothing is decided about the call, and
nothing is told twice to a session. Nor is anything told by settings that were changed since: the
user may have asked for quiet.
"""

import os

from agentx.adapters.hook_actions import JOINT, is_editor, is_shell, join_commands, list_patched
from agentx.surfaces.hooks.checkout import branch_of, read_small
from agentx.surfaces.hooks.payload import session_of, text_at
from agentx.surfaces.hooks.settled import are_settings_changed, find_digests, find_store_near
from agentx.surfaces.hooks.spool import Caller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CAUTIONS_BYTES_MAX = 65_536
_READ_BYTES_MAX = 65_536
_NAME_BYTES_MAX = 200
_PATH_BYTES_MAX = 4_096
_COMMANDS = (b'"command"', b'"cmd"')
_PATCHES = (b'"tool_input"', b'"command"', b'"input"', b'"patch"', b'"patchText"')
_PATHS = (b'"file_path"', b'"filePath"', b'"notebook_path"')
_RESULTS = (b'"tool_response"', b'"error"', b'"output"')
_COLUMNS = 5


def warn(call: Caller, raw: bytes, *, is_over: bool, is_quiet: bool = False) -> None:
    """Tell what is known of a call that is about to be made, or is over; quiet, not of files."""
    head = raw[:_READ_BYTES_MAX]
    tool = text_at(head, b'"tool_name"', _NAME_BYTES_MAX)
    given = head[max(head.find(b'"tool_input"'), 0) :]
    is_edit = is_editor(tool) or (is_shell(tool) and b"*** Begin Patch" in given)
    if not (is_edit or is_shell(tool)) or (is_edit and is_quiet):
        return
    store, project = find_store_near(call.cwd, call.project)
    if not store:
        return
    folder = find_digests(store, project)
    known = read_small(os.path.join(folder, "cautions.tsv"), _CAUTIONS_BYTES_MAX)
    if not known:
        return
    if is_edit:
        fits = _fits_files(call, known, given, is_over=is_over)
    else:
        fits = _fits_command(call, known, given, _result_of(raw) if is_over else None)
    if fits is not None:
        rows = [row for row in _rows(known) if fits(row[0], row[1])]
        if rows and not are_settings_changed(folder):
            _tell_first(call, raw, rows)


def _tell_first(call: Caller, raw: bytes, rows: list[list[str]]) -> None:
    """Tell the first of some cautions that the session does not know."""
    from agentx.kernel.places import tell_ages
    from agentx.surfaces.hooks.telling.output import NOTICE, tell_once
    from agentx.surfaces.hooks.telling.told import note_told

    session = session_of(raw[:_READ_BYTES_MAX])
    for _, _, learnt_in, doc_id, text in rows:
        if learnt_in == session:
            continue
        if note_told(call, session, [doc_id], again_after_start=True)[0]:
            lines = [NOTICE, tell_ages(text, call.at_ms)]
            tell_once(call, raw[:_READ_BYTES_MAX], "action", lines, [doc_id])
            return


def _rows(known: str) -> "Iterator[list[str]]":
    for line in known.split("\n"):
        columns = line.split("\t")
        if len(columns) == _COLUMNS and columns[3]:
            yield columns


def _fits_files(
    call: Caller, known: str, given: bytes, *, is_over: bool
) -> "Callable[[str, str], bool] | None":
    """Return what tells whether a caution is about a file that is changed; None where none is."""
    if is_over and call.harness not in ("gemini", "opencode"):
        return None  # it was told before
    files = _list_files(call, given)
    if not any(f"\t{path}\t" in known for path in files):
        return None
    return lambda kind, key: kind == "file" and key in files


def _fits_command(
    call: Caller, known: str, given: bytes, printed: bytes | None
) -> "Callable[[str, str], bool] | None":
    """Return what tells whether a caution is about a command; None where none is.

    `printed` is what came of it, None before it is run.
    """
    joined = join_commands(_first(given, _COMMANDS, _READ_BYTES_MAX))
    programs = {part.partition(" ")[0] for part in joined.split(JOINT)}
    # Most commands begin like none that is known, and that is seen at once.
    if not any(program and f"\t{program}" in known for program in programs):
        return None
    if printed is None:
        return lambda kind, key: is_known(kind, key, joined)
    has_failed = says_failure(call.harness, printed)

    def fits(kind: str, key: str) -> bool:
        program, _, fragment = key.partition(" ")
        if kind == "failure":
            is_same = program in programs and fragment.encode("utf-8") in printed
            return is_same and has_failed is not False
        return has_failed is True and is_known(kind, key, joined)

    return fits


def is_known(kind: str, key: str, joined: str) -> bool:
    """Tell whether commands hold one that begins as a caution says."""
    if kind == "command":
        return f"{JOINT}{key} " in joined
    return kind == "command-cut" and f"{JOINT}{key}" in joined


def says_failure(harness: str, printed: bytes) -> bool | None:
    """Tell whether a call failed, by what is known of it after; None where nothing says so."""
    if harness == "claude-code":
        return True  # it has an event of its own for calls that failed
    if harness == "gemini":
        return b"Exit Code: " in printed or b'"error"' in printed
    if harness == "opencode":
        return b'"failed":true' in printed
    return None


def _list_files(call: Caller, given: bytes) -> set[str]:
    """Return the files that a call changes, relative to the root of the repository."""
    named = [path] if (path := _first(given, _PATHS, _PATH_BYTES_MAX)) else []
    for key in _PATCHES:
        named += list_patched(text_at(given, key, _READ_BYTES_MAX))
    root = branch_of(call.cwd)[0] or call.cwd
    files = set()
    for path in named:
        whole = os.path.normpath(os.path.join(call.cwd, path))
        if whole.startswith(root + "/"):
            files.add(whole[len(root) + 1 :])
    return files


def _result_of(raw: bytes) -> bytes:
    """Return what is said of a result: both ends of it, where it is long."""
    begins = [at for key in _RESULTS if (at := raw.find(key)) >= 0]
    result = raw[min(begins, default=len(raw)) :]
    if len(result) <= 2 * _READ_BYTES_MAX:
        return result
    return result[:_READ_BYTES_MAX] + b"\n" + result[-_READ_BYTES_MAX:]


def _first(given: bytes, keys: tuple[bytes, ...], bytes_max: int) -> str:
    for key in keys:
        if text := text_at(given, key, bytes_max):
            return text
    return ""
