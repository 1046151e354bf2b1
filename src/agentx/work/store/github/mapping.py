"""An issue as GitHub holds it, and as we do.

GitHub knows open and closed; our status is a label, `status:in-progress`. What is closed
as completed is Done whatever its label says: people close issues on GitHub too. What is
closed as not planned was given up, and keeps the status it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentx.kernel.clock import Millis, from_iso
from agentx.kernel.errors import DataError, InvalidValue
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.work.model import Comment, Issue, IssueState, Status, parse_status

Shape = Mapping[str, Any]

STATUS_PREFIX = "status:"
_INSIDERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
OUR_MARK = "<!-- agentx:"
_MARK = compile_late(r"\n*<!-- agentx:[a-z-]+:[A-Za-z0-9:_-]+ -->\s*")


@frozen
class PostedComment:
    """A comment as it stands on GitHub."""

    id: int
    author: str
    body: str  # with its marks
    is_person: bool  # and no program's account
    is_edited: bool  # by whom is not told: anybody may who can write there
    is_insider: bool = False  # its author may write to the repository
    created_ms: Millis = Millis(0)

    @property
    def is_ours(self) -> bool:
        """Whether AgentX posted it, here or on another machine."""
        return self.body.lstrip().startswith(OUR_MARK)


def status_label(status: Status) -> str:
    """Return the label that stands for a status."""
    return STATUS_PREFIX + status.lower().replace(" ", "-")


def issue_of(shape: Shape, comments: tuple[Comment, ...] = ()) -> Issue:
    """Return an issue as we hold it.

    Raises: DataError when GitHub's answer is no issue.
    """
    try:
        names = label_names(shape["labels"])
        state = IssueState(shape["state"])
        closed = shape.get("closed_at") if state is IssueState.CLOSED else None
        return Issue(
            number=int(shape["number"]),
            title=str(shape["title"]),
            body=unmark(shape.get("body") or ""),
            labels=tuple(name for name in names if not name.startswith(STATUS_PREFIX)),
            status=_status(names, state, shape.get("state_reason")),
            state=state,
            created_ms=from_iso(shape["created_at"]),
            # What is said on a closed issue does not make it newer.
            updated_ms=from_iso(closed or shape["updated_at"]),
            comments=comments,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"GitHub's answer is no issue: {type(error).__name__} {error}",
            hint="check github.base_url",
        ) from None


def label_names(shapes: Any) -> list[str]:
    """Return the names of labels; GitHub gives them as objects, or as plain names."""
    return [str(each["name"]) if isinstance(each, dict) else str(each) for each in shapes or ()]


def comment_of(shape: Shape) -> Comment:
    """Return a comment as we hold it."""
    user = shape.get("user") or {}
    return Comment(
        body=unmark(str(shape.get("body") or "")),
        created_ms=_time(shape.get("created_at")),
        author=str(user.get("login", "")),
    )


def read_comment(shape: Shape) -> PostedComment:
    """Return a comment with what must be known before its words are believed.

    Raises: DataError when GitHub's answer is no comment.
    """
    user = shape.get("user") or {}
    try:
        known = int(shape["id"])
    except (KeyError, TypeError, ValueError):
        raise DataError("GitHub's answer is no comment", hint="check github.base_url") from None
    return PostedComment(
        id=known,
        author=str(user.get("login", "")),
        body=str(shape.get("body") or ""),
        is_person=user.get("type") == "User" and not shape.get("performed_via_github_app"),
        is_edited=shape.get("updated_at") != shape.get("created_at"),
        is_insider=shape.get("author_association") in _INSIDERS,
        created_ms=_time(shape.get("created_at")),
    )


def fields_of(before: Issue, after: Issue) -> dict[str, Any]:
    """Return what GitHub must be told to turn one into the other, besides the labels."""
    fields: dict[str, Any] = {}
    if after.title != before.title:
        fields["title"] = after.title
    if after.body != before.body:
        fields["body"] = after.body
    if after.state is not before.state:
        fields["state"] = after.state.value
        if after.is_open:
            fields["state_reason"] = "reopened"
        else:
            fields["state_reason"] = "completed" if after.status is Status.DONE else "not_planned"
    return fields


def with_label(issue: Issue, label: str, *, wanted: bool) -> Issue:
    """Return an issue after a label was put on it or taken off; of a status there is one."""
    if label.startswith(STATUS_PREFIX):
        return replace(issue, status=_name_status(label)) if wanted else issue
    others = tuple(each for each in issue.labels if each != label)
    return replace(issue, labels=(*others, label) if wanted else others)


def unmark(body: str) -> str:
    """Return a text without our hidden marks, as a person would see it."""
    return _MARK.sub("", body)


def _status(names: list[str], state: IssueState, reason: object) -> Status:
    if state is IssueState.CLOSED and reason != "not_planned":
        return Status.DONE
    said = next((name for name in names if name.startswith(STATUS_PREFIX)), "")
    status = _name_status(said)
    return Status.BACKLOG if status is Status.DONE else status


def _name_status(label: str) -> Status:
    try:
        return parse_status(label.removeprefix(STATUS_PREFIX)) if label else Status.BACKLOG
    except InvalidValue:
        return Status.BACKLOG


def _time(value: object) -> Millis:
    try:
        return from_iso(str(value))
    except ValueError:
        return Millis(0)
