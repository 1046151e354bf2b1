"""Issues on GitHub: the same verbs as for files, over the REST API.

Reading: pages are asked for with their tags, and answered from the last copy when GitHub
cannot be reached. Writing: what cannot be sent now is kept in the queue and sent, in
order, before anything newer. A new issue cannot wait: only GitHub can give it a number.

Law: nothing is posted twice. What is posted carries a hidden mark, and before a post is
repeated the mark is looked for. Two machines that looked at the same moment both post: then the
later of two equal comments is taken away again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError, InputError, NotFound, UnavailableError
from agentx.kernel.ids import Entropy, mint
from agentx.kernel.values import frozen
from agentx.work.model import Comment, Issue, NewIssue
from agentx.work.store.github.api import GithubApi
from agentx.work.store.github.mapping import (
    STATUS_PREFIX,
    PostedComment,
    comment_of,
    fields_of,
    issue_of,
    label_names,
    read_comment,
    status_label,
    unmark,
    with_label,
)
from agentx.work.store.github.queue import Outgoing, SendQueue

# An issue whose thread could not even be looked at; whoever mirrors threads takes it up again.
MIRROR = "mirror"

_NEWEST: dict[str, str | int] = {
    "sort": "created",
    "direction": "desc",
    "state": "all",
    "per_page": 20,
}


@frozen
class Post:
    """A comment with the mark by which it is known again."""

    mark: str
    body: str  # with the mark in it
    before: tuple[str, ...] = ()  # what a comment of an earlier release held, all of it

    def is_in(self, body: str) -> bool:
        """Tell whether a comment is this one."""
        if self.mark in body:
            return True
        return bool(self.before) and all(part in body for part in self.before)


@frozen
class Mirrored:
    """What a look at an issue's thread led to."""

    posted: int  # which GitHub has now
    new: int = 0  # which stood there not, nor waited
    offline: str = ""  # why the others wait


@frozen
class Sent:
    """What a catch-up did."""

    sent: int = 0
    waiting: int = 0
    refused: tuple[str, ...] = ()
    offline: str = ""  # why some wait


class GithubIssues:
    """The issues of one repository."""

    def __init__(
        self, api: GithubApi, repository: str, queue: SendQueue, *, clock: Clock, entropy: Entropy
    ) -> None:
        self._api = api
        self._repository = f"/repos/{repository}"
        self._path = f"{self._repository}/issues"
        self._queue = queue
        self._clock = clock
        self._entropy = entropy
        self._offline = "another process sends just now"

    def create(self, new: NewIssue) -> Issue:
        """Keep a new issue; GitHub gives it its number.

        Raises: UnavailableError when GitHub cannot be reached.
        """
        mark = f"<!-- agentx:issue:{mint(self._clock.now_ms(), self._entropy)} -->"
        body = {
            "title": new.title,
            "body": f"{new.body}\n\n{mark}",
            "labels": [*new.labels, status_label(new.status)],
        }

        def find() -> Any:
            newest = self._api.get(self._path, _NEWEST)
            if newest.from_copy:
                raise UnavailableError(
                    "GitHub did not say whether it made the issue",
                    hint="look at `agentx issue list` before you try again",
                )
            return next((each for each in newest.body if mark in (each.get("body") or "")), None)

        made = self._api.send("POST", self._path, body, found=find)
        return issue_of(made if made is not None else find())

    def get(self, number: int) -> Issue:
        """Return one issue with its comments, and what waits to be sent.

        Raises: NotFound, UnavailableError.
        """
        issue = self._bare(number)
        comments = tuple(
            comment_of(each)
            for page in self._api.all_pages(f"{self._path}/{number}/comments")
            for each in page.body
        )
        return self._apply(replace(issue, comments=comments), self._queue.waiting())

    def all(self, *, with_closed: bool = True) -> tuple[Issue, ...]:
        """Return the issues by number, without their comments.

        Raises: UnavailableError.
        """
        wanted = {"state": "all" if with_closed else "open"}
        waiting = self._queue.waiting()
        found = {
            each["number"]: self._apply(issue_of(each), waiting)
            for page in self._api.all_pages(self._path, wanted)
            for each in page.body
            if "pull_request" not in each
        }
        issues = (found[number] for number in sorted(found))
        return tuple(issue for issue in issues if with_closed or issue.is_open)

    def change(self, number: int, decide: Callable[[Issue], Issue]) -> Issue:
        """Replace an issue by what `decide` makes of it, after a fresh look.

        Raises: NotFound, UnavailableError, and what `decide` raises.
        """
        self.catch_up()
        before = self.get(number)
        after = decide(before)
        fields = fields_of(before, after)
        if fields:
            self._submit(number, "edit", fields)
        # One label at a time: a list would undo what others set since the look.
        for label, wanted in _relabel(before, after):
            self._submit(number, "label", {"label": label, "wanted": wanted})
        return after

    def comment(self, number: int, body: str, *, author: str = "") -> Issue:
        """Add a comment.

        Raises: NotFound, UnavailableError.
        """
        self.catch_up()
        now = self._clock.now_ms()
        mark = f"<!-- agentx:comment:{mint(now, self._entropy)} -->"
        signed = f"**{author}**: {body}" if author else body
        self._bare(number)
        self._submit(number, "comment", {"mark": mark, "body": f"{signed}\n\n{mark}"})
        return self.get(number)

    def mirror(self, number: int, posts: Iterable[Post], labels: dict[str, bool]) -> Mirrored:
        """Post what is not there yet, make labels true.

        Raises: NotFound, UnavailableError when GitHub cannot be looked at.
        """
        self.catch_up()
        waiting = self._to_send()
        has = self._apply(self._bare(number), waiting).labels
        waits = {entry.body["mark"] for entry in waiting if entry.kind == "comment"}
        there = self.hear(number)
        new = [
            post
            for post in posts
            if post.mark not in waits and not any(post.is_in(each.body) for each in there)
        ]
        sent = [
            self._submit(number, "comment", {"mark": post.mark, "body": post.body}) for post in new
        ]
        for label, wanted in labels.items():
            if wanted != (label in has):
                self._submit(number, "label", {"label": label, "wanted": wanted})
        ours = [each.body for each in there if each.is_ours]
        if any(sent) or len(set(ours)) < len(ours):
            self._take_doubles_away(number)
        offline = "" if all(sent) else self._offline
        return Mirrored(posted=sum(sent), new=len(new), offline=offline)

    def is_mirrored(self, number: int, posts: Iterable[Post], labels: dict[str, bool]) -> bool:
        """Tell whether GitHub had everything when it was last looked at."""
        try:
            has = self._bare(number).labels
            pages = self._api.all_pages(f"{self._path}/{number}/comments")
            there = [read_comment(each).body for page in pages for each in page.body]
        except AgentXError:
            return False
        is_labelled = all(wanted == (label in has) for label, wanted in labels.items())
        return is_labelled and all(any(map(post.is_in, there)) for post in posts)

    def hear(self, number: int) -> tuple[PostedComment, ...]:
        """Return what is said on an issue now, oldest first.

        Raises: NotFound, UnavailableError when GitHub cannot be reached.
        """
        said: list[PostedComment] = []
        for page in self._api.all_pages(f"{self._path}/{number}/comments"):
            if page.from_copy:
                why = page.why or "cannot be reached"
                raise UnavailableError(f"GitHub {why}", hint="try again later")
            said.extend(map(read_comment, page.body))
        return tuple(sorted(said, key=lambda each: each.id))

    def acknowledge(self, comment_id: int) -> None:
        """Show whoever wrote a comment that it was taken; nothing where that is not possible."""
        path = f"{self._path}/comments/{comment_id}/reactions"
        with suppress(AgentXError):
            self._api.send("POST", path, {"content": "+1"}, found=dict)

    def _take_doubles_away(self, number: int) -> None:
        """Leave one of comments that are equal to the letter and ours, the first."""
        first: set[str] = set()
        for each in self.hear(number):
            if each.is_ours and each.body in first:
                with suppress(AgentXError):  # taken away just now, or not to be taken by this token
                    self._api.send("DELETE", f"{self._path}/comments/{each.id}")
            elif each.is_ours:
                first.add(each.body)

    def catch_up(self) -> Sent:
        """Send what waits, in order; stop at the first that cannot be sent now.

        What GitHub refuses for good is dropped, and said: it would hold up all that follows.
        """
        sent = 0
        refused: list[str] = []
        if not self._to_send():
            return Sent()
        with self._queue.sending() as mine:
            for entry in self._to_send() if mine else ():
                try:
                    self._send(entry)
                except UnavailableError as error:
                    self._offline = error.message
                    break
                except InputError as error:
                    if not self._is_there():
                        break
                    refused.append(f"#{entry.issue}: {error.message}")
                self._queue.note_sent(entry)
                sent += 1
        waiting = len(self._to_send())
        return Sent(
            sent=sent,
            waiting=waiting,
            refused=tuple(refused),
            offline=self._offline if waiting else "",
        )

    def _submit(self, number: int, kind: str, body: dict[str, Any]) -> bool:
        """Send something, or keep it until it can be sent; never before what waits already.

        Returns whether it was sent.
        """
        entry = self._queue.add(number, kind, body)
        with self._queue.sending() as mine:
            waiting = self._to_send() if mine else ()
            if not waiting or waiting[0].id != entry.id:
                return all(each.id != entry.id for each in self._to_send())
            try:
                self._send(entry)
            except UnavailableError as error:
                self._offline = error.message
                return False
            except AgentXError:
                self._queue.note_sent(entry)  # refused for good: it must not wait
                raise
            self._queue.note_sent(entry)
            return True

    def _is_there(self) -> bool:
        """Tell whether GitHub shows the repository: to a wrong token it says that there is none."""
        try:
            return not self._api.get(self._repository).from_copy
        except (NotFound, UnavailableError):
            return False

    def _to_send(self) -> tuple[Outgoing, ...]:
        return tuple(entry for entry in self._queue.waiting() if entry.kind != MIRROR)

    def _send(self, entry: Outgoing) -> None:
        path = f"{self._path}/{entry.issue}"
        match entry.kind:
            case "edit":
                self._api.send("PATCH", path, dict(entry.body))
            case "comment":
                mark = entry.body["mark"]
                # Perhaps it was posted, and the process died before it could say so.
                if not self._has(entry.issue, mark):
                    self._api.send(
                        "POST",
                        f"{path}/comments",
                        {"body": entry.body["body"]},
                        found=lambda: {} if self._has(entry.issue, mark) else None,
                    )
            case "label":
                self._label(path, str(entry.body["label"]), wanted=bool(entry.body["wanted"]))
            case other:
                raise NotFound(f"{other!r} cannot be sent: written by a newer AgentX")

    def _label(self, path: str, label: str, *, wanted: bool) -> None:
        if not wanted:
            self._unlabel(path, label)
            return
        # Adding a label that is there already changes nothing, so it may be repeated.
        there = self._api.send("POST", f"{path}/labels", {"labels": [label]}, found=lambda: None)
        if label.startswith(STATUS_PREFIX):
            for other in label_names(there):
                if other.startswith(STATUS_PREFIX) and other != label:
                    self._unlabel(path, other)

    def _unlabel(self, path: str, label: str) -> None:
        try:
            self._api.send("DELETE", f"{path}/labels/{quote(label, safe='')}")
        except NotFound:
            return  # it is gone, which was wanted

    def _bare(self, number: int) -> Issue:
        try:
            page = self._api.get(f"{self._path}/{number}")
        except NotFound:
            raise NotFound(
                f"there is no issue #{number}", hint="`agentx issue list` shows them"
            ) from None
        if "pull_request" in page.body:
            raise NotFound(f"#{number} is a pull request", hint="`agentx issue list` shows issues")
        return issue_of(page.body)

    def _has(self, number: int, mark: str) -> bool:
        return any(mark in each.body for each in self.hear(number))

    def _apply(self, issue: Issue, waiting: Iterable[Outgoing]) -> Issue:
        """Return an issue as it will be once what waits is sent."""
        now = self._clock.now_ms()
        for entry in waiting:
            if entry.issue == issue.number:
                issue = _after(issue, entry, Comment(body="", created_ms=now))
        return issue


def _relabel(before: Issue, after: Issue) -> Iterator[tuple[str, bool]]:
    """Yield the labels that one issue has and the other has not, the status among them."""
    if after.status is not before.status:
        yield status_label(after.status), True
    for label in after.labels:
        if label not in before.labels:
            yield label, True
    for label in before.labels:
        if label not in after.labels:
            yield label, False


def _after(issue: Issue, entry: Outgoing, blank: Comment) -> Issue:
    match entry.kind:
        case "edit":
            shape = {
                "number": issue.number,
                "title": entry.body.get("title", issue.title),
                "body": entry.body.get("body", issue.body),
                "labels": [*issue.labels, status_label(issue.status)],
                "state": entry.body.get("state", issue.state),
                "state_reason": entry.body.get("state_reason"),
                "created_at": "1970-01-01T00:00:00Z",
                "updated_at": "1970-01-01T00:00:00Z",
            }
            made = issue_of(shape)
            return replace(
                made,
                created_ms=issue.created_ms,
                updated_ms=issue.updated_ms,
                comments=issue.comments,
            )
        case "comment":
            said = replace(blank, body=unmark(str(entry.body["body"])))
            return replace(issue, comments=(*issue.comments, said))
        case "label":
            label, wanted = str(entry.body["label"]), bool(entry.body["wanted"])
            return with_label(issue, label, wanted=wanted)
        case _:
            return issue
