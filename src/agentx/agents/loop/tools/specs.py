"""What the model may call: names, what each does, and what it takes.

The names and arguments are such that the rules which read sessions know edits and commands.
"""

from __future__ import annotations

from typing import Any

from agentx.agents.loop.limits import (
    LOOP_COMMAND_S_DEFAULT,
    LOOP_COMMAND_S_MAX,
    LOOP_LINES_SHOWN_MAX,
)
from agentx.llm.talk.port import ToolSpec

READ, LIST, SEARCH = "read_file", "list_files", "search_text"
EDIT, CREATE, RUN = "edit_file", "create_file", "run_command"
RECALL, ASK, DECIDE = "recall", "request_clarification", "record_decision"

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}


def _spec(name: str, about: str, needed: dict[str, Any], **more: Any) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": {**needed, **more},
        "required": list(needed),
        "additionalProperties": False,
    }
    return ToolSpec(name=name, about=about, schema=schema)


def _say(about: str, kind: dict[str, Any] = _TEXT) -> dict[str, Any]:
    return {**kind, "description": about}


FILE_TOOLS = (
    _spec(
        READ,
        f"Read a text file with line numbers, at most {LOOP_LINES_SHOWN_MAX} lines at once.",
        {"path": _say("The file, relative to the project's folder.")},
        first_line=_say("Where to begin; 1 if left out.", _COUNT),
        lines=_say("How many lines.", _COUNT),
    ),
    _spec(
        LIST,
        "List files and folders. A name that ends in / is a folder.",
        {"path": _say("The folder; . is the project's.")},
        deep={"type": "boolean", "description": "With all that lies below."},
    ),
    _spec(
        SEARCH,
        "Find a text in the files of the project; rows of file:line: text.",
        {"text": _say("What to find, as it stands there.")},
        path=_say("Only below this folder, or in this file."),
        ignore_case={"type": "boolean", "description": "Capitals or not."},
    ),
    _spec(
        EDIT,
        "Replace one text in a file by another. The old text must stand there exactly once: give "
        "enough of what is around it.",
        {
            "path": _say("The file."),
            "old_text": _say("What is to be replaced, word for word, with its indentation."),
            "new_text": _say("What takes its place."),
        },
    ),
    _spec(
        CREATE,
        "Write a new file. One that is there already is not touched: edit it.",
        {"path": _say("The file."), "content": _say("All that is to stand in it.")},
    ),
)

READING_TOOLS = tuple(each for each in FILE_TOOLS if each.name in (READ, LIST, SEARCH))

RUN_TOOL = _spec(
    RUN,
    "Run a program that the user allowed, in the project's folder, without a shell: no pipes, no "
    "variables, no wildcards. Output and exit code come back.",
    {
        "command": {
            "type": "array",
            "items": _TEXT,
            "description": "The program and its arguments, a word each.",
        }
    },
    seconds=_say(
        f"How long it may take: {LOOP_COMMAND_S_DEFAULT} if left out, "
        f"{LOOP_COMMAND_S_MAX} at most.",
        _COUNT,
    ),
)

MEMORY_TOOLS = (
    _spec(
        RECALL,
        "Recall what earlier sessions decided, changed, broke and learnt about something.",
        {"about": _say("What it is about, in words.")},
    ),
    _spec(
        DECIDE,
        "Record a decision for later sessions: one or two whole sentences with the reason.",
        {"decision": _say("What was decided, and why.")},
    ),
)

ASK_TOOL = _spec(
    ASK,
    "Ask another role, or a person (human), what you cannot go on without, and wait for it.",
    {
        "to": _say("The role: architect, product-manager, ...; human for a person."),
        "topic": _say("What it is about, in a few words."),
        "question": _say("The question, so that it can be answered alone."),
    },
    blocking={
        "type": "boolean",
        "description": "false: put the question and go on with what is known.",
    },
    follows=_say("The id of an answered question (CLR-...) that this one asks further."),
)
