"""The format of an issue's file, `.agentx/issues/<number>.json`.

    {"number": 7, "title": "...", "body": "...", "labels": ["type:story"],
     "status": "Ready", "state": "open", "created": "2026-11-15T00:14:52.338Z",
     "updated": "...", "comments": [{"body": "...", "created": "..."}]}

Fields that this version does not know are kept when the file is written again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentx.kernel.clock import Millis, from_iso, to_iso
from agentx.kernel.errors import CorruptRecord
from agentx.work.model import Comment, Issue, IssueState, Status

Shape = dict[str, Any]


def to_shape(issue: Issue, before: Shape | None = None) -> Shape:
    """Return an issue as its file holds it, with what an earlier file held besides."""
    return {
        **(before or {}),
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "labels": list(issue.labels),
        "status": issue.status.value,
        "state": issue.state.value,
        "created": to_iso(issue.created_ms),
        "updated": to_iso(issue.updated_ms),
        "comments": [_comment_shape(comment) for comment in issue.comments],
    }


def from_shape(shape: Shape, path: Path) -> Issue:
    """Return the issue that a file holds.

    Raises: CorruptRecord naming the field.
    """
    number = _take(shape, "number", int, path)
    if str(number) != path.stem:
        raise _wrong(path, "number", f"is {number}", f"make it {path.stem}, as the file is named")
    return Issue(
        number=number,
        title=_take(shape, "title", str, path),
        body=_take(shape, "body", str, path, default=""),
        labels=tuple(str(label) for label in _take(shape, "labels", list, path, default=[])),
        status=_word(Status, shape, "status", path, Status.BACKLOG),
        state=_word(IssueState, shape, "state", path, IssueState.OPEN),
        created_ms=_time(shape, "created", path),
        updated_ms=_time(shape, "updated", path, default=shape.get("created")),
        comments=tuple(
            _comment(each, path) for each in _take(shape, "comments", list, path, default=[])
        ),
    )


def _comment_shape(comment: Comment) -> Shape:
    shape = {"body": comment.body, "created": to_iso(comment.created_ms)}
    return {**shape, "author": comment.author} if comment.author else shape


def _comment(shape: object, path: Path) -> Comment:
    if not isinstance(shape, dict):
        raise _wrong(path, "comments", "holds what is no comment", 'use {"body", "created"}')
    return Comment(
        body=_take(shape, "body", str, path),
        created_ms=_time(shape, "created", path),
        author=str(shape.get("author", "")),
    )


def _take(shape: Shape, field: str, kind: type, path: Path, default: Any = None) -> Any:
    value = shape.get(field, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        said = "is missing" if field not in shape else f"is {value!r:.40}"
        raise _wrong(path, field, said, f"make it {_KINDS[kind]}")
    return value


def _word(words: Any, shape: Shape, field: str, path: Path, default: Any) -> Any:
    try:
        return words(shape.get(field, default))
    except ValueError:
        choices = ", ".join(words)
        raise _wrong(path, field, f"is {shape[field]!r:.40}", f"one of: {choices}") from None


def _time(shape: Shape, field: str, path: Path, default: Any = None) -> Millis:
    value = shape.get(field, default)
    try:
        return from_iso(value)
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise _wrong(
            path, field, f"is {value!r:.40}", "make it a time such as 2026-11-15T00:14:52Z"
        ) from None


def _wrong(path: Path, field: str, said: str, mend: str) -> CorruptRecord:
    return CorruptRecord(f"{path}: {field} {said}", hint=mend)


_KINDS = {int: "a whole number", str: "a text", list: "a list"}
