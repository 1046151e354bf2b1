"""Tool calls and their results, as people read them and as later views need them.

A call's text says in a line what was asked; a result's text is what came back. The
structured form of both is kept in the metadata, without the parts that are the text
already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentx.adapters.scene import Scene
from agentx.adapters.shapes import (
    child,
    entry,
    images_in,
    json_text,
    limit_id,
    objects,
    text_of,
    word,
)
from agentx.kernel.capture import Draft, EventType, text_print
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.redaction.redact import redact_value

# What a tool is mostly about, the most telling first.
_SUBJECTS = (
    "command",
    "cmd",
    "file_path",
    "filePath",
    "notebook_path",
    "pattern",
    "query",
    "path",
    "url",
    "skill",
    "subject",
    "prompt",
    "plan",
    "description",
    "question",
)
_EXIT_CODE = compile_late(r"\A(?:Error: )?Exit code:? (-?\d{1,10})\b")
_PATCHED = compile_late(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE)
_REPEATED = frozenset({"content", "oldString", "newString", "prompt"})
_SHELLS = ("bash", "sh", "zsh")


@frozen
class ToolUse:
    """One use of a tool. Without an id it is known by its name and arguments."""

    name: str
    arguments: Any = None
    call_id: str = ""

    def draft_call(self, scene: Scene, **metadata: Any) -> Draft:
        """Return the call."""
        return scene.draft(
            EventType.TOOL_CALL,
            call_text(self.name, self.arguments),
            source_id=self.call_id,
            fingerprint=self.fingerprint,
            tool_name=self.name,
            tool_input=self.arguments,
            tool_use_id=self.call_id,
            files=list_patched_files(self.arguments),
            **metadata,
        )

    def draft_result(self, scene: Scene, text: str, response: object, **metadata: Any) -> Draft:
        """Return the result: its words, and its structured form if it has one."""
        return scene.draft(
            EventType.TOOL_RESULT,
            text,
            source_id=self.call_id,
            fingerprint=self.fingerprint,
            tool_name=self.name,
            tool_use_id=self.call_id,
            tool_response=_drop_bulk(response),
            **metadata,
        )

    @property
    def fingerprint(self) -> str:
        """Return what tells this use from others when the agent CLI gives no id."""
        if self.call_id:
            return ""
        return text_print(self.name.lower(), json_text(redact_value(self.arguments)))


def tool_of(payload: Mapping[str, Any]) -> ToolUse:
    """Return the use of a tool that a hook payload tells, by the names that most have for it."""
    return ToolUse(
        name=word(payload, "tool_name"),
        arguments=payload.get("tool_input"),
        call_id=limit_id(payload.get("tool_use_id")),
    )


def call_text(name: str, arguments: object) -> str:
    """Return a call in a line: the tool, and what it is about."""
    title = name or "tool"
    files = list_patched_files(arguments)
    if files:
        return f"{title}: {', '.join(files)}"
    if isinstance(arguments, str):
        return f"{title}: {arguments}"
    for subject in _SUBJECTS:
        said = _command(entry(arguments, subject))
        if said:
            where = word(arguments, "path") if subject in ("pattern", "query") else ""
            return f"{title}: {said} in {where}" if where else f"{title}: {said}"
    questions = [word(item, "question") for item in objects(entry(arguments, "questions"))]
    if any(questions):
        return f"{title}: {' / '.join(filter(None, questions))}"
    # By their names, which tell more than their text does: a hook has done so already.
    return f"{title}: {json_text(redact_value(arguments))}" if arguments else title


def result_text(response: object) -> str:
    """Return the words of a tool's structured response."""
    if not isinstance(response, Mapping):
        return text_of(response) or _pictures(response) or _plain(response)
    if "stdout" in response or "stderr" in response:
        parts = (word(response, "stdout"), word(response, "stderr"))
        return "\n".join(part for part in parts if part)
    if isinstance(response.get("structuredPatch"), list) and word(response, "filePath"):
        return _patch_text(response)
    content = entry(response, "content", "llmContent", "output", "result", "text", "message")
    file = child(response, "file")
    return (
        text_of(content)
        or _pictures(content)
        or word(file, "content", "filePath")
        or _names(response.get("filenames"))
        or word(response, "error")
        or _plain(response)
    )


def exit_code(text: str) -> int | None:
    """Return the exit code that the first line of a failed command's text gives."""
    found = _EXIT_CODE.match(text)
    return int(found.group(1)) if found else None


def list_patched_files(arguments: object) -> list[str]:
    """Return the files that a patch in the arguments touches: `Update File a.py`."""
    patch = (
        arguments if isinstance(arguments, str) else word(arguments, "command", "input", "patch")
    )
    if "*** Begin Patch" not in patch:
        return []
    return [f"{verb} {path.strip()}" for verb, path in _PATCHED.findall(patch)]


def shell_command(argv: object) -> str:
    """Return what an argument list runs: of `bash -lc CMD` the CMD."""
    if not isinstance(argv, list) or not all(isinstance(part, str) for part in argv):
        return ""
    if len(argv) == 3 and argv[0].rpartition("/")[2] in _SHELLS and argv[1] in ("-lc", "-c"):
        return str(argv[2])
    return " ".join(argv)


def _command(value: object) -> str:
    return value if isinstance(value, str) else shell_command(value)


def _pictures(content: object) -> str:
    count = images_in(content)
    return f"[{count} image{'s' if count > 1 else ''}]" if count else ""


def _names(names: object) -> str:
    return (
        "\n".join(name for name in names if isinstance(name, str))
        if isinstance(names, list)
        else ""
    )


def _plain(response: object) -> str:
    return json_text(redact_value(response)) if response not in (None, "", [], {}) else ""


def _patch_text(response: Mapping[str, Any]) -> str:
    lines = [f"{word(response, 'type') or 'update'}: {word(response, 'filePath')}"]
    for hunk in objects(response.get("structuredPatch")):
        before = f"-{hunk.get('oldStart')},{hunk.get('oldLines')}"
        after = f"+{hunk.get('newStart')},{hunk.get('newLines')}"
        lines.append(f"@@ {before} {after} @@")
        changed = hunk.get("lines")
        if isinstance(changed, list):
            lines.extend(line for line in changed if isinstance(line, str))
    return "\n".join(lines)


def _drop_bulk(response: object) -> object:
    """Drop from a response the long parts that are its text, or its call's arguments, already."""
    if not isinstance(response, dict):
        return None
    structured = {key: value for key, value in response.items() if key not in _REPEATED}
    file = structured.get("file")
    if isinstance(file, dict):
        structured["file"] = {key: value for key, value in file.items() if key not in _REPEATED}
    return structured
