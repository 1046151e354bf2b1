"""The tools of Claude Code: what each is asked, what it answers, and what the model reads.

The answer in a hook (`tool_response`) and in the transcript (`toolUseResult`) is the same.
"""

from __future__ import annotations

import re
from typing import assert_never

from agentx.demo.sample.likeness import Payload, hexes, in_project, letters
from agentx.demo.sample.script import (
    Action,
    Choice,
    Find,
    Patch,
    PlanShown,
    Read,
    Search,
    Shell,
    Write,
    whole,
)
from agentx.demo.sample.timeline import Delegated, ToolCall
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

MODEL = "claude-opus-4-8"

_COMMITTED = compile_late(r"^\[(\S+)(?: \(root-commit\))? ([0-9a-f]{7})\] ", re.MULTILINE)


@frozen
class Native:
    """One tool call in Claude Code's words."""

    name: str
    request: Payload
    response: Payload
    text: str  # what the model reads
    error: str = ""  # for a command that failed
    refusal: str = ""  # for what the person did not allow


def tool_id(key: str) -> str:
    """Return the id of a tool call."""
    return "toolu_01" + letters(22, "tool", key)


def agent_id(step: Delegated) -> str:
    """Return the id of a sub-agent."""
    return "a" + hexes(16, "agent", step.key)


def native_call(call: ToolCall) -> Native:
    """Return a tool call in Claude Code's words."""
    return _native(call.action, call.key, call.done_ms - call.at_ms)


def _native(action: Action, key: str, took_ms: int) -> Native:  # noqa: PLR0911  a table
    match action:
        case Shell():
            return _bash(action)
        case Patch():
            return _edit(action)
        case Write():
            return _write(action)
        case Read():
            return _read(action)
        case Search():
            return _grep(action)
        case Find():
            return _glob(action, took_ms)
        case PlanShown():
            return _plan(action, key)
        case Choice():
            return _question(action)
        case _:
            assert_never(action)


def _bash(action: Shell) -> Native:
    output = whole(action.output)
    response: Payload = {
        "stdout": output,
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
    }
    commit = _COMMITTED.search(output)
    if commit:
        made = {"sha": commit[2], "kind": "committed", "branch": commit[1]}
        response["gitOperation"] = {"commit": made}
    return Native(
        name="Bash",
        request={"command": whole(action.command), "description": action.why},
        response=response,
        text=output or "(Bash completed with no output)",
        error=f"Exit code {action.exit}\n{output}".rstrip() if action.exit else "",
    )


def _edit(action: Patch) -> Native:
    path = in_project(action.path)
    hunk = {
        "oldStart": action.line,
        "oldLines": sum(not line.startswith("+") for line in action.hunk),
        "newStart": action.line,
        "newLines": sum(not line.startswith("-") for line in action.hunk),
        "lines": list(action.hunk),
    }
    return Native(
        name="Edit",
        request={
            "file_path": path,
            "old_string": action.old,
            "new_string": action.new,
            "replace_all": False,
        },
        response={
            "filePath": path,
            "oldString": action.old,
            "newString": action.new,
            "originalFile": None,
            "structuredPatch": [hunk],
            "userModified": False,
            "replaceAll": False,
        },
        text=f"The file {path} has been updated successfully.",
    )


def _write(action: Write) -> Native:
    path, content = in_project(action.path), whole(action.text) + "\n"
    return Native(
        name="Write",
        request={"file_path": path, "content": content},
        response={
            "type": "create",
            "filePath": path,
            "content": content,
            "structuredPatch": [],
            "originalFile": None,
            "userModified": False,
        },
        text=f"File created successfully at: {path}",
    )


def _read(action: Read) -> Native:
    path, content = in_project(action.path), whole(action.text)
    rows = content.split("\n")
    request: Payload = {"file_path": path}
    if action.of:
        request |= {"offset": action.line, "limit": len(rows)}
    return Native(
        name="Read",
        request=request,
        response={
            "type": "text",
            "file": {
                "filePath": path,
                "content": content,
                "numLines": len(rows),
                "startLine": action.line,
                "totalLines": action.of or len(rows),
            },
        },
        text="\n".join(f"{number:6}\t{row}" for number, row in enumerate(rows, action.line)),
    )


def _grep(action: Search) -> Native:
    output = whole(action.output)
    request: Payload = {"pattern": action.pattern, "output_mode": "content", "-n": True}
    if action.where:
        request["path"] = in_project(action.where)
    return Native(
        name="Grep",
        request=request,
        response={
            "mode": "content",
            "numFiles": 0,
            "filenames": [],
            "content": output,
            "numLines": len(output.splitlines()),
        },
        text=output or "No matches found",
    )


def _glob(action: Find, took_ms: int) -> Native:
    files = [in_project(path) for path in action.files]
    return Native(
        name="Glob",
        request={"pattern": action.pattern},
        response={
            "filenames": files,
            "durationMs": took_ms,
            "numFiles": len(files),
            "truncated": False,
        },
        text="\n".join(files) or "No files found",
    )


def _plan(action: PlanShown, key: str) -> Native:
    text = whole(action.text)
    path = f"{in_project('.claude/plans')}/{hexes(12, 'plan', key)}.md"
    return Native(
        name="ExitPlanMode",
        request={"plan": text, "planFilePath": path},
        response={"plan": text, "isAgent": False, "filePath": path},
        text="User has approved your plan. You can now start coding.",
        refusal=action.refused,
    )


def _question(action: Choice) -> Native:
    options = [{"label": each.label, "description": each.description} for each in action.options]
    question = {
        "question": action.question,
        "header": action.header,
        "options": options,
        "multiSelect": False,
    }
    return Native(
        name="AskUserQuestion",
        request={"questions": [question]},
        response={"questions": [question], "answers": {action.question: action.answer}},
        text=f'User has answered your questions: "{action.question}"="{action.answer}".',
    )


def delegation(step: Delegated) -> Native:
    """Return a sub-agent's work as the tool call that it is for its parent."""
    calls = sum(isinstance(inner, ToolCall) for inner in step.steps)
    return Native(
        name="Agent",
        request={"description": step.why, "prompt": step.prompt, "subagent_type": step.kind},
        response={
            "status": "completed",
            "prompt": step.prompt,
            "agentId": agent_id(step),
            "content": [{"type": "text", "text": step.reply}],
            "resolvedModel": MODEL,
            "totalDurationMs": step.replied_ms - step.at_ms,
            "totalTokens": 9_000 + 40 * len(step.reply),
            "totalToolUseCount": calls,
        },
        text=step.reply,
    )
