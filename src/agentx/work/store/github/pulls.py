"""Pull requests of a repository: the one of a branch is found, or opened once.

Whoever opens one may be killed before it is noted, and another machine may open it meanwhile: so
GitHub is asked first which there is for the branch, and again where an answer was lost.
"""

from __future__ import annotations

from typing import Any

from agentx.kernel.errors import InvalidValue, UnavailableError
from agentx.kernel.limits import ISSUE_BODY_CHARS_MAX, ISSUE_TITLE_CHARS_MAX
from agentx.kernel.text import call_nobody, cut, preview, printable
from agentx.redaction.redact import redact
from agentx.work.model import PullThere, SaidOnPull, WantedPull
from agentx.work.store.github.api import GithubApi
from agentx.work.store.github.pages import Page

_SAID_CHARS = 8_000
_FAILED = frozenset({"failure", "timed_out"})


class GithubPulls:
    """The pull requests of one repository."""

    def __init__(self, api: GithubApi, repository: str) -> None:
        self._api = api
        self._owner = repository.partition("/")[0]
        self._path = f"/repos/{repository}/pulls"

    def find(self, branch: str) -> PullThere | None:
        """Return the pull request of a branch: an open one, else the last.

        Raises: UnavailableError where GitHub does not say it now; NotFound, InvalidValue.
        """
        asked: dict[str, str | int] = {
            "head": f"{self._owner}:{branch}",
            "state": "all",
            "per_page": 100,
        }
        page = self._api.get(self._path, asked)
        if page.from_copy:
            raise UnavailableError(
                "GitHub did not say whether there is a pull request", hint="try again later"
            )
        rows = [each for each in page.body if _branch_of(each) == branch]
        rows.sort(key=lambda each: (each.get("state") == "open", each.get("number", 0)))
        return _read(rows[-1]) if rows else None

    def open(self, wanted: WantedPull) -> PullThere:
        """See that a branch has a pull request; one that was closed stays as it is.

        Raises: as `find`.
        """
        there = self.find(wanted.branch)
        if there is not None:
            return there
        body = {
            "title": preview(printable(wanted.title), ISSUE_TITLE_CHARS_MAX),
            "body": cut(call_nobody(printable(wanted.body)), ISSUE_BODY_CHARS_MAX - 1_000),
            "head": wanted.branch,
            "base": wanted.base,
        }
        try:
            made = self._api.send("POST", self._path, body, found=lambda: self.find(wanted.branch))
        except InvalidValue:
            there = self.find(wanted.branch)  # another machine was faster
            if there is None:
                raise
            return there
        return made if isinstance(made, PullThere) else _read(made, is_new=True)

    def list_said(self, number: int) -> tuple[SaidOnPull, ...]:
        """Return what people said of a pull request, in order; of apps nothing.

        Raises: as `find`.
        """
        issue = self._path.removesuffix("pulls") + "issues"
        places = (f"{self._path}/{number}/reviews", f"{self._path}/{number}/comments")
        rows = [
            (place.rpartition("/")[2], row)
            for place in (*places, f"{issue}/{number}/comments")
            for page in self._api.all_pages(place)
            for row in _fresh(page)
        ]
        return tuple(each for kind, row in rows if (each := _read_said(kind, row)) is not None)

    def list_failed(self, commit: str) -> tuple[SaidOnPull, ...]:
        """Return the checks of a commit that failed, with what they said.

        Raises: as `find`.
        """
        if not commit:
            return ()
        path = self._path.removesuffix("pulls") + f"commits/{commit}/check-runs"
        body = _fresh(self._api.get(path, {"per_page": 100}))
        rows = body.get("check_runs", []) if isinstance(body, dict) else []
        return tuple(_read_failed(row) for row in rows if row.get("conclusion") in _FAILED)


def _fresh(page: Page) -> Any:
    if page.from_copy:
        raise UnavailableError("GitHub did not say what is new there", hint="try again later")
    return page.body


def _read_said(kind: str, row: Any) -> SaidOnPull | None:
    user = row.get("user") or {}
    text = printable(str(row.get("body") or "")).strip()
    is_person = user.get("type") == "User" and not row.get("performed_via_github_app")
    if not text or not is_person:
        return None
    path = printable(str(row.get("path") or ""))
    line = row.get("line") or row.get("original_line")
    where = f"{path}:{line}" if path and line else path
    login = printable(str(user.get("login", "")))
    name = f"{kind}-{row.get('id')}"
    return SaidOnPull(id=name, author=login, text=cut(text, _SAID_CHARS), path=path, where=where)


def _read_failed(row: Any) -> SaidOnPull:
    output = row.get("output") or {}
    said = (output.get("title"), output.get("summary"), output.get("text"))
    text = "\n".join(str(each) for each in said if each) or "it failed and said nothing"
    name = preview(printable(str(row.get("name", ""))), 100)
    return SaidOnPull(
        id=f"check-{row.get('id')}",
        author="a check",
        text=cut(redact(printable(text)), _SAID_CHARS),
        where=name,
    )


def _branch_of(row: Any) -> str:
    head = row.get("head") if isinstance(row, dict) else None
    return str(head.get("ref", "")) if isinstance(head, dict) else ""


def _read(row: Any, *, is_new: bool = False) -> PullThere:
    number = row.get("number") if isinstance(row, dict) else None
    if not isinstance(number, int):
        raise UnavailableError("GitHub answered with no pull request", hint="try again later")
    url = printable(str(row.get("html_url") or row.get("url") or ""))
    return PullThere(
        number=number,
        url=preview(url, 300),
        is_open=row.get("state") == "open",
        is_merged=bool(row.get("merged_at")),
        is_new=is_new,
    )
