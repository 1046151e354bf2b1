"""What may become of an issue: pure edits, the same for files and for GitHub.

Done closes an issue. Closing one that is not validated leaves its status as it was:
it was given up, not done. A closed issue does not change until it is opened again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.kernel.clock import Millis
from agentx.kernel.errors import IllegalTransition, InvalidValue
from agentx.kernel.limits import ISSUE_BODY_CHARS_MAX, ISSUE_TITLE_CHARS_MAX
from agentx.kernel.text import shows_something
from agentx.redaction.redact import redact
from agentx.work.labels import check_labels as checked_labels
from agentx.work.model import Edit, Issue, IssueState, NewIssue, Status
from agentx.work.statuses import move


def check_new(new: NewIssue) -> NewIssue:
    """Return a new issue as it may be kept: checked, and without secrets.

    Raises: InvalidValue.
    """
    if new.status not in (Status.BACKLOG, Status.READY):
        raise InvalidValue(
            f"a new issue cannot be {new.status}",
            hint=f"it begins as {Status.BACKLOG} or {Status.READY}",
        )
    return replace(
        new,
        title=check_title(new.title),
        body=check_body(new.body),
        labels=checked_labels(new.labels),
    )


def edit(issue: Issue, edit: Edit, *, at_ms: Millis) -> Issue:
    """Return an issue with a change made.

    Raises: InvalidValue, IllegalTransition.
    """
    if not issue.is_open:
        raise IllegalTransition(
            f"#{issue.number} is closed: cannot be changed",
            hint=f"agentx issue reopen {issue.number}",
        )
    status = issue.status if edit.status is None else move(issue.number, issue.status, edit.status)
    changed = replace(
        issue,
        title=issue.title if edit.title is None else check_title(edit.title),
        body=issue.body if edit.body is None else check_body(edit.body),
        labels=_labels(issue.labels, edit),
        status=status,
        state=IssueState.CLOSED if status is Status.DONE else issue.state,
    )
    return changed if changed == issue else replace(changed, updated_ms=at_ms)


def close(issue: Issue, *, at_ms: Millis) -> Issue:
    """Return an issue that no longer counts; one that was being validated is done."""
    if not issue.is_open:
        return issue
    status = Status.DONE if issue.status is Status.VALIDATING else issue.status
    return replace(issue, state=IssueState.CLOSED, status=status, updated_ms=at_ms)


def reopen(issue: Issue, *, at_ms: Millis) -> Issue:
    """Return a closed issue that counts again; one that was done begins anew."""
    if issue.is_open:
        return issue
    status = Status.BACKLOG if issue.status is Status.DONE else issue.status
    return replace(issue, state=IssueState.OPEN, status=status, updated_ms=at_ms)


def check_title(title: str) -> str:
    """Return a title on one line, without secrets.

    Raises: InvalidValue.
    """
    said = redact(" ".join(title.split()))
    if not shows_something(said):
        raise InvalidValue("an issue needs a title", hint="--title TEXT")
    if len(said) > ISSUE_TITLE_CHARS_MAX:
        raise InvalidValue(
            f"a title of {len(said):,} characters is too long",
            hint=f"at most {ISSUE_TITLE_CHARS_MAX}; the rest belongs into the body",
        )
    return said


def check_body(body: str) -> str:
    """Return a body or a comment without secrets.

    Raises: InvalidValue.
    """
    said = redact(body)
    if len(said) > ISSUE_BODY_CHARS_MAX:
        raise InvalidValue(
            f"a text of {len(said):,} characters is too long for an issue",
            hint=f"at most {ISSUE_BODY_CHARS_MAX:,}; put the rest into a file and name it",
        )
    return said


def check_comment(body: str) -> str:
    """Return a comment without secrets.

    Raises: InvalidValue.
    """
    if not shows_something(body):
        raise InvalidValue("a comment needs a text")
    return check_body(body)


def _labels(labels: Iterable[str], edit: Edit) -> tuple[str, ...]:
    gone = set(edit.remove_labels)
    kept = tuple(label for label in labels if label not in gone)
    # Only what is new is checked: labels that others gave an issue stay.
    added = checked_labels(edit.add_labels)
    together = tuple(dict.fromkeys((*kept, *added)))
    return checked_labels(together) if added else together
