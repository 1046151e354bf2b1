"""What a tool was used for, whichever agent CLI it belongs to.

Agent CLIs name and shape their tools differently and change them without notice, so
nothing is assumed: a tool is known by a word in its name and by what its arguments hold.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late, without_recall
from agentx.kernel.values import frozen
from agentx.redaction.redact import redact

_SHELLS = compile_late(r"bash|shell|exec|terminal|command|powershell", re.IGNORECASE)
_WRITERS = compile_late(r"edit|write|patch|create|replace|insert", re.IGNORECASE)
_ASKERS = compile_late(r"ask_?user|question|user_?input", re.IGNORECASE)
_PLANNERS = compile_late(r"exit_?plan", re.IGNORECASE)
_DELEGATES = compile_late(
    r"\A(?:task|agent|dispatch_agent|delegate\w*|codebase_investigator)\Z", re.IGNORECASE
)
_NOT_FILES = compile_late(r"todo|memory|plan", re.IGNORECASE)
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file")
BEFORE = ("old_string", "oldString", "old_str", "old_text")
AFTER = ("new_string", "newString", "new_str", "new_text", "content", "file_text", "new_source")
_PATCHES = ("command", "input", "patch", "patchText", "diff")
_PATCH_FILE = compile_late(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_MOVED = compile_late(r"^\*\*\* Move to: (.+)$", re.MULTILINE)
# Gemini CLI tells the exit code in the words of the result.
_EXIT_LINE = compile_late(r"^Exit Code: (\d{1,3})$", re.MULTILINE)
_OUTPUT_MARK = compile_late(r"\A(?:Output: |Exit code \d+\n)")
_OUTPUT_TAIL = compile_late(r"\n(?:Exit Code: \d+|Process Group PGID: \d+|Background PIDs: [^\n]*)")
_REFUSED = compile_late(
    r"\A(?:The user doesn't want to proceed|User (?:rejected|declined|denied)"
    r"|Tool call rejected|\[?Request interrupted|Permission denied by user)"
)
# How a single answer is handed to the agent, before the answer itself.
_ANSWERED = compile_late(
    r"\A(?:the )?user (?:selected|responded|answered|chose|replied)(?: with)?: *", re.IGNORECASE
)
_USER_SAID = compile_late(r"the user said:\s*(.*)\Z", re.DOTALL | re.IGNORECASE)
_PRIVATE_PLACES = compile_late(
    r"\A(?:/tmp/|/private/|/var/folders/|~?/?.*/\.(?:claude|codex|gemini|config|cache)/)"
)
_HUNKS_READ_MAX = 200
_CHARS_READ_MAX = 60_000


class Use(Enum):
    """What a tool is for."""

    SHELL = "shell"
    EDIT = "edit"
    QUESTION = "question"
    PLAN = "plan"
    DELEGATE = "delegate"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)  # without slots: what every rule asks is worked out once
class ToolStep:
    """A call and what came back."""

    call: Turn
    result: Turn | None
    use: Use

    @cached_property
    def event_ids(self) -> tuple[str, ...]:
        """The events it is known from."""
        ids = (self.call.event_id, self.result.event_id if self.result else "")
        return tuple(dict.fromkeys(name for name in ids if name))

    @cached_property
    def command(self) -> str:
        """What was run."""
        return _command(self.call.arguments) if self.use is Use.SHELL else ""

    @cached_property
    def output(self) -> str:
        """What came back, without what the agent CLI put around it."""
        if self.result is None:
            return ""
        text = _OUTPUT_TAIL.sub("", _OUTPUT_MARK.sub("", self.result.text, count=1))
        return "" if text.strip() == "(empty)" else text

    @cached_property
    def exit_code(self) -> int | None:
        """How the command ended, where that is known."""
        if self.result is None:
            return None
        if self.result.exit_code is not None:
            return self.result.exit_code
        told = _EXIT_LINE.search(self.result.text)
        return int(told[1]) if told else None

    @cached_property
    def was_refused(self) -> bool:
        """Tell whether the user did not let it happen."""
        return self.result is not None and bool(_REFUSED.match(self.result.text))

    @cached_property
    def has_failed(self) -> bool:
        """Tell whether it ran and went wrong."""
        if self.result is None or self.was_refused:
            return False
        return bool(self.exit_code) or (self.exit_code is None and self.result.failed)

    @cached_property
    def is_running(self) -> bool:
        """Tell whether a command had not ended when the agent was told of it."""
        if self.use is not Use.SHELL or self.was_refused:
            return False
        return self.exit_code is None and not (self.result and self.result.failed)

    @cached_property
    def edits(self) -> tuple[FileChange, ...]:
        """What it did to files, where it took effect."""
        return tuple(_read_edits(self))

    @cached_property
    def words_of_user(self) -> str:
        """What the user said instead of letting it happen."""
        said = _USER_SAID.search(self.result.text) if self.result and self.was_refused else None
        return said[1].strip() if said else ""


@frozen
class FileChange:
    """What one step did to one file."""

    path: str  # relative to where the agent worked, if it is there
    added: tuple[str, ...]
    removed: tuple[str, ...]
    created: bool = False
    deleted: bool = False


def use_of(turn: Turn) -> Use:
    """Return what a call is for."""
    name = turn.tool
    by_name = ((_PLANNERS, Use.PLAN), (_ASKERS, Use.QUESTION), (_DELEGATES, Use.DELEGATE))
    for known, use in by_name:
        if known.search(name):
            return use
    writes = _WRITERS.search(name) and not _NOT_FILES.search(name) and _path(turn.arguments)
    if find_patch(turn.arguments) or (writes and not _SHELLS.search(name)):
        return Use.EDIT
    return Use.SHELL if _SHELLS.search(name) and _command(turn.arguments) else Use.OTHER


def read_path(turn: Turn) -> str:
    """Return the file that a call is about, as it was named."""
    return _path(turn.arguments)


def waits(turn: Turn) -> bool:
    """Tell whether a call waits for a command that was started before, as Codex does."""
    given = turn.arguments
    return isinstance(given, Mapping) and "session_id" in given and "chars" in given


def file_edits(step: ToolStep) -> tuple[FileChange, ...]:
    """Return what a step that took effect did to files of the project."""
    return step.edits


def _read_edits(step: ToolStep) -> Iterator[FileChange]:
    if step.use is not Use.EDIT or step.result is None or step.result.failed or step.was_refused:
        return
    patch = find_patch(step.call.arguments)
    if patch:
        yield from _read_patch(patch[:_CHARS_READ_MAX], step.call)
        return
    path = inside(_path(step.call.arguments), step.call)
    if path:
        yield _read_write(step, path)


def list_touched(step: ToolStep) -> tuple[str, ...]:
    """Return the files of the project that a step read or wrote."""
    patch = find_patch(step.call.arguments)
    if patch:
        return tuple(edit.path for edit in _read_patch(patch[:_CHARS_READ_MAX], step.call))
    path = inside(_path(step.call.arguments), step.call)
    return () if not path or path.startswith(("/", "~")) or "." not in path else (path,)


def inside(path: str, call: Turn) -> str:
    """Return a path relative to the repository; empty for a place that is not the project's."""
    plain = path.strip().replace("\\", "/")
    where = call.directory.rstrip("/")
    root = call.root.rstrip("/") or where
    if root and plain.startswith(root + "/"):
        return plain[len(root) + 1 :]
    if not plain or _PRIVATE_PLACES.match(plain):
        return ""
    below = where.removeprefix(root + "/") if where.startswith(root + "/") else ""
    if not below or plain.startswith(("/", "~")) or plain[1:2] == ":":
        return plain.removeprefix("./")
    joined = posixpath.normpath(f"{below}/{plain}")
    return "" if joined.startswith("../") else joined


def answers(step: ToolStep) -> tuple[tuple[str, str], ...]:
    """Return what the user was asked, and the answers, each with the words of its option."""
    if step.result is None or step.was_refused:
        return ()
    offered = dict(_options(step.call.arguments))
    told = step.result.response.get("answers")
    pairs = re.findall(r'"([^"]{4,400})"\s*=\s*"([^"]{1,400})"', step.result.text)
    if isinstance(told, Mapping) and told:
        pairs = [(str(asked), str(said)) for asked, said in told.items()]
    if pairs:
        return tuple((asked, offered.get(said, said)) for asked, said in pairs)
    asked = _question(step.call.arguments)
    said = _ANSWERED.sub("", step.result.text.strip(), count=1)
    return ((asked, offered.get(said, said)),) if asked and 0 < len(said) <= 300 else ()


def plan_of(step: ToolStep) -> str:
    """Return the plan that a step asked the user to approve."""
    given = step.call.arguments
    plan = given.get("plan") if isinstance(given, Mapping) else None
    if not isinstance(plan, str) and step.result is not None:
        plan = step.result.response.get("plan")
    return redact(without_recall(plan)).strip() if isinstance(plan, str) else ""


# --- the shapes of arguments ----------------------------------------------------------------


def _command(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, Mapping):
        for name in ("command", "cmd", "script"):
            value = arguments.get(name)
            if isinstance(value, str) and value.strip():
                return value
            if isinstance(value, list | tuple) and value:
                return " ".join(str(part) for part in value[2:] or value)
    return ""


def _path(arguments: object) -> str:
    if isinstance(arguments, Mapping):
        for name in _PATHS:
            value = arguments.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def find_patch(arguments: object) -> str:
    """Return the patch that a call was given, as Codex writes it; empty where there is none."""
    if isinstance(arguments, Mapping):
        given = [arguments.get(name) for name in _PATCHES]
    else:
        given = [arguments]
    for text in given:
        if isinstance(text, str) and "*** Begin Patch" in text:
            return text
    return ""


def _question(arguments: object) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    asked = arguments.get("question") or arguments.get("prompt")
    return asked.strip() if isinstance(asked, str) else ""


def _options(arguments: object) -> Iterator[tuple[str, str]]:
    """Yield the options of every question by their labels, with what was said of them."""
    asked = arguments.get("questions") if isinstance(arguments, Mapping) else None
    for question in asked if isinstance(asked, list | tuple) else ():
        options = question.get("options") if isinstance(question, Mapping) else None
        for option in options if isinstance(options, list | tuple) else ():
            if not isinstance(option, Mapping):
                continue
            label, more = option.get("label"), option.get("description")
            if isinstance(label, str) and isinstance(more, str) and more.strip():
                yield label, f"{label}: {more.strip()}"


def _read_patch(patch: str, call: Turn) -> Iterator[FileChange]:
    heads = list(_PATCH_FILE.finditer(patch))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        body = patch[head.end() : after.start() if after else len(patch)]
        moved = _MOVED.search(body)
        path = inside(moved[1] if moved else head[1], call)
        if path:
            added, removed = _sides(body.split("\n"))
            yield FileChange(
                path=path,
                added=added,
                removed=removed,
                created=head[0].startswith("*** Add"),
                deleted=head[0].startswith("*** Delete"),
            )


def _read_write(step: ToolStep, path: str) -> FileChange:
    result = step.result
    hunks = result.response.get("structuredPatch") if result else None
    if isinstance(hunks, list) and hunks:
        lines: list[str] = []
        for hunk in hunks[:_HUNKS_READ_MAX]:
            told = hunk.get("lines") if isinstance(hunk, Mapping) else None
            lines += [line for line in told or () if isinstance(line, str)]
        added, removed = _sides(lines)
        return FileChange(path=path, added=added, removed=removed)
    arguments = step.call.arguments
    before, after = _texts(arguments, BEFORE), _texts(arguments, AFTER)
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    kept = set(old) & set(new)
    return FileChange(
        path=path,
        added=tuple(line for line in new if line not in kept),
        removed=tuple(line for line in old if line not in kept),
        created=not before and result is not None and "creat" in result.text.lower(),
    )


def _texts(arguments: object, names: tuple[str, ...]) -> str:
    """Return the texts of some arguments, also where they are in a list of edits."""
    if not isinstance(arguments, Mapping):
        return ""
    listed = arguments.get("edits")
    sources = [arguments, *(listed if isinstance(listed, list) else ())]
    texts = [
        value
        for source in sources
        if isinstance(source, Mapping)
        for name in names
        if isinstance(value := source.get(name), str) and value
    ]
    return "\n".join(texts)[:_CHARS_READ_MAX]


def _sides(lines: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    added = tuple(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++"))
    removed = tuple(
        line[1:] for line in lines if line.startswith("-") and not line.startswith("---")
    )
    return added, removed
