"""When the files of a project changed, as git and the disk tell it.

One question to git for all files, however many observations there are. A file counts as
changed when a commit changed it, or when it differs from the last commit; then its own time
on disk says when. Without git only that time is known, and it counts.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.files.plain import look
from agentx.host.git import facts as git
from agentx.kernel.clock import Millis
from agentx.views.limits import FILE_HISTORY_COMMITS_MAX


class GitFileHistory:
    """The history of one repository, read when it is first asked for."""

    def __init__(self, root: Path, *, since_ms: int) -> None:
        """Look at what happened since a time: before the oldest observation nothing counts."""
        self._root = root
        self._since_s = max(since_ms // 1000 - 1, 0)
        self._committed: dict[str, int] | None = None
        self._open: frozenset[str] = frozenset()
        self._has_git = False
        self._commits: dict[str, Millis | None] = {}

    def find_changed_ms(self, path: str) -> Millis | None:
        """Return when a file last changed; None when it is not known to have."""
        committed = self._read()
        on_disk = self._find_written_ms(path)
        at_s = committed.get(path)
        if not self._has_git:
            return on_disk
        if path in self._open:
            return on_disk if on_disk is not None else Millis(2**53)  # taken away, not yet told
        if at_s is None:
            return None
        # A commit records what was written before: who wrote it knew.
        if on_disk is not None and on_disk < at_s * 1000:
            return on_disk
        return Millis(at_s * 1000)

    def commit_ms(self, commit: str) -> Millis | None:
        """Return when a commit was made; None when there is no such commit."""
        if commit not in self._commits:
            at_s = git.commit_time(self._root, commit)
            self._commits[commit] = None if at_s is None else Millis(at_s * 1000)
        return self._commits[commit]

    def _read(self) -> dict[str, int]:
        if self._committed is None:
            found = git.last_changes(self._root, self._since_s, FILE_HISTORY_COMMITS_MAX)
            self._has_git = found is not None
            self._committed = found or {}
            self._open = git.list_uncommitted(self._root) or frozenset()
        return self._committed

    def _find_written_ms(self, path: str) -> Millis | None:
        try:
            seen = look(self._root / path, ground=self._root)
        except (OSError, ValueError):
            return None
        return None if seen is None else Millis(seen.st_mtime_ns // 1_000_000)
