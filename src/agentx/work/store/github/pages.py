"""Pages of GitHub as they were last seen: for conditional requests, and for being offline.

A page that has not changed costs nothing of the rate limit when it is asked for with
the tag it came with. A page that cannot be fetched is answered from here. Each is a file
of its own; a file that cannot be read counts as not there, because it is only a copy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from agentx.host.files import json_text
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen
from agentx.work.limits import GITHUB_CACHE_PAGES_MAX


@frozen
class Page:
    """One answer: what it holds, where the next one is, and its tag."""

    body: Any
    next_url: str = ""
    tag: str = ""
    from_copy: bool = False  # GitHub could not be reached
    why: str = ""  # of a copy: why


class Pages(Protocol):
    """Where pages are kept."""

    def get(self, url: str) -> Page | None:
        """Return a page as it was last seen."""
        ...

    def put(self, url: str, page: Page) -> None:
        """Keep a page."""
        ...


class DiskPages:
    """Pages kept in the user's data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, url: str) -> Page | None:
        """Return a page as it was last seen."""
        try:
            shape = json_text.parse_json(self._path(url).read_bytes())
            if shape["url"] != url:
                return None
            return Page(body=shape["body"], next_url=str(shape["next"]), tag=str(shape["tag"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, url: str, page: Page) -> None:
        """Keep a page; a full disk is no reason to fail."""
        shape = {"url": url, "tag": page.tag, "next": page.next_url, "body": page.body}
        try:
            make_private_directory(self._folder)
            replace_file(self._path(url), json_text.line_of(shape))
            self._prune()
        except (OSError, UnavailableError):
            return

    def _prune(self) -> None:
        kept = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in kept[:-GITHUB_CACHE_PAGES_MAX]:
            path.unlink(missing_ok=True)

    def _path(self, url: str) -> Path:
        return self._folder / f"{digest(url).hex()}.json"
