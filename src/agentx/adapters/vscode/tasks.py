"""The tasks of ours in a `tasks.json` that is somebody else's.

One is ours by both its label and the program that it starts: whoever gives a task of their own one
of these labels keeps it. What ours says besides what we write (a group, a key) is the user's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath

from agentx.adapters.settings.file import MCP_SERVER, is_blank
from agentx.adapters.settings.json_file import (
    Json,
    JsonText,
    Place,
    append_item,
    pretty,
    read_json,
    refuse,
    remove_item,
    replace_value,
)
from agentx.kernel.errors import InvalidValue

_VERSION = "2.0.0"
_TASKS: Place = ("tasks",)
# In place of the command, before it, or around it.
_STARTING = {"linux", "osx", "windows", "options", "dependsOn"}
_READY, _PAGE = "AgentX: what is ready", "AgentX: the page"


def list_tasks(program: str) -> list[dict[str, Json]]:
    """Return the tasks as they should be; where no folder is said, a task runs in the workspace's.

    As `process` no shell reads their words; without a matcher VS Code does not ask for one.
    """
    return [
        {
            "label": _READY,
            "type": "process",
            "command": program,
            "args": ["--no-pager", "ready"],
            "presentation": {"panel": "dedicated", "clear": True},
            "problemMatcher": [],
        },
        {
            "label": _PAGE,
            "type": "process",
            "command": program,
            "args": ["view"],
            "isBackground": True,
            "presentation": {"panel": "dedicated", "clear": True},
            "problemMatcher": [],
        },
    ]


def put_in(before: str | None, path: Path, program: str) -> str:
    """Return the text with both tasks, each once and up to date.

    Raises: CorruptRecord when the file does not parse, InvalidValue when it is of another version,
    or something else stands where the tasks go.
    """
    wanted = list_tasks(program)
    if before is None or is_blank(before):
        return pretty({"version": _VERSION, "tasks": wanted})
    document = read_json(before, path)
    if not isinstance(document.value, dict):
        raise refuse(document, (), "an object", {"version": _VERSION, "tasks": wanted})
    _require_version(document)
    if document.find(_TASKS) is None:
        return append_item(document, (), wanted, key="tasks").text
    if not isinstance(document.value["tasks"], list):
        raise refuse(document, _TASKS, "a list", {"tasks": wanted})
    for task in wanted:
        document = _with_task(document, task)
    return document.text


def take_out(before: str | None, path: Path) -> str | None:
    """Return the text without anything of ours; None when nothing else was in it.

    Raises: CorruptRecord when the file does not parse.
    """
    if before is None or MCP_SERVER not in before:
        return before
    document: JsonText | None = read_json(before, path)
    assert document is not None
    for place in reversed(_find_ours(document)):
        assert document is not None
        document = remove_item(document, place)
    if document is None:
        return None
    is_header = document.value == {"version": _VERSION} and not document.comments
    return None if is_header and document.text != before else document.text


def list_additions(text: str, path: Path) -> list[str]:
    """Return what our tasks say besides what we write that changes what they start.

    Raises: CorruptRecord when the file does not parse.
    """
    document = read_json(text, path)
    said = {key for place in _find_ours(document) for key in _value_at(document, place)}
    return sorted(said & _STARTING)


def is_our_task(entry: object) -> bool:
    """Tell whether a task is one of ours: it has the label, and starts AgentX."""
    if not isinstance(entry, Mapping) or entry.get("label") not in (_READY, _PAGE):
        return False
    command = entry.get("command")
    return isinstance(command, str) and PurePath(command).name == MCP_SERVER


def _with_task(document: JsonText, task: dict[str, Json]) -> JsonText:
    same = _find_labelled(document, task["label"])
    ours = [place for place in same if is_our_task(_value_at(document, place))]
    if same and not ours:
        raise InvalidValue(
            f"{document.path}: line {document.line(same[0])}: a task named {task['label']!r} is "
            "there and does not start AgentX",
            hint="rename it, then run the same command again",
        )
    for place in reversed(ours[1:]):
        without = remove_item(document, place)
        assert without is not None
        document = without
    if not ours:
        return append_item(document, _TASKS, task)
    found = _value_at(document, ours[0])
    # Keys that we do not write are the user's.
    brought = {**found, **task}
    return document if found == brought else replace_value(document, ours[0], brought)


def _require_version(document: JsonText) -> None:
    """See that the file is of the version that these tasks are written for."""
    version = document.value.get("version", _VERSION)
    if version != _VERSION:
        line = document.line(("version",))
        raise InvalidValue(
            f"{document.path}: line {line}: its version is {str(version)[:20]!r}, not {_VERSION}",
            hint="let VS Code bring the file up to date, then run the same command again",
        )


def _find_ours(document: JsonText) -> list[Place]:
    return [
        place
        for label in (_READY, _PAGE)
        for place in _find_labelled(document, label)
        if is_our_task(_value_at(document, place))
    ]


def _find_labelled(document: JsonText, label: str) -> list[Place]:
    listed = document.value.get("tasks") if isinstance(document.value, dict) else None
    entries = listed if isinstance(listed, list) else []
    return [
        (*_TASKS, at)
        for at, entry in enumerate(entries)
        if isinstance(entry, dict) and entry.get("label") == label
    ]


def _value_at(document: JsonText, place: Place) -> Json:
    found = document.find(place)
    assert found is not None, place
    return found.value
