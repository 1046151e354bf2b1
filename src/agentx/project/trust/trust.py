"""What may be believed of a repository: asked anew each time, for it may have changed meanwhile.

What *acts* (settings, workflows, the instructions of roles) is trusted file by file, by its
content. What is only *data* (issues, questions, runs, lessons) is trusted with its repository.
Where neither `.agentx/` nor `.agent-memory/` stands there is nothing to distrust.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

from agentx.host.files.disk import look_at
from agentx.host.files.plain import list_folder
from agentx.host.git import facts as git
from agentx.kernel.paths import ProjectPaths
from agentx.kernel.values import frozen
from agentx.project.trust.marker import Marker, marker_path, read_marker, read_small
from agentx.project.trust.record import (
    ACTING_FILE_BYTES_MAX,
    BroughtNote,
    TrustFolder,
    TrustRecord,
    hash_of,
)

_ACTING_FILES_MAX = 500
_OWN_MAX = 20  # as many branches as somebody goes between
_OF_GIT = (".gitignore", ".gitattributes")
_NO_DATA = ("config.toml", "workflows", "agents", "memory", "logs", "sessions")


class ActingState(StrEnum):
    """How a file that acts stands."""

    TRUSTED = "trusted"
    NEW = "new"
    CHANGED = "changed"  # since it was trusted
    UNREADABLE = "unreadable"  # a link, a device, or too large: it never acts


@frozen
class ActingFile:
    """A file of a repository that would act."""

    path: str  # below the root
    state: ActingState
    content: bytes = b""
    trusted: bytes | None = None  # what it held when it was trusted last


class Trust:
    """What one project is trusted with."""

    def __init__(self, root: Path, common: Path | None, folder: Path) -> None:
        self.paths = ProjectPaths(root)
        self.common = common
        self.folder = TrustFolder(folder)

    @property
    def marker_path(self) -> Path:
        """Where the project's marker lies, or would lie."""
        return marker_path(self.paths.root, self.common)

    def marker(self) -> Marker | None:
        """Return the project's marker."""
        return read_marker(self.marker_path)

    def record(self) -> TrustRecord | None:
        """Return what the user said of this repository; None for a stranger's."""
        marker = self.marker()
        record = None if marker is None else self.folder.read(marker.mark)
        if record is None or self.common is not None or record.root == str(self.paths.root):
            return record
        # Without git the marker lies among the files, and may have come with them: it is believed
        # where the folder was moved, not where another has it too.
        return None if os.path.lexists(record.root) else record

    @property
    def has_private(self) -> bool:
        """Whether the folders for this machine alone are ours, but for what git tracks in them."""
        record = self.record()
        return record is not None and record.private

    @property
    def has_data(self) -> bool:
        """Whether the data in the repository may be told.

        What a verb of ours began is the user's while all of it was made here: what a pull brings
        needs a person's word.
        """
        record = self.record()
        if record is None or not record.data:
            return False
        return record.said or not (self.holds_data and self._is_brought())

    def _is_brought(self) -> bool:
        """Tell whether data came by git from elsewhere; asked anew when git has done something."""
        marker = self.marker()
        if marker is None or self.common is None:
            return False
        seen = [look_at(self.common / name) for name in ("index", "logs/HEAD")]
        stamp: list[object] = [list(each or ()) for each in seen]
        noted = self.folder.read_brought(marker.mark)
        if noted.stamp == stamp:
            return noted.is_brought
        is_brought, own = False, noted.own
        if self._tracks_data():
            from agentx.host.git.made_here import is_made_here  # noqa: PLC0415  few have to ask git

            root, head = self.paths.root, git.commit(self.paths.root) or ""
            is_brought = not is_made_here(root, self.common, *self._folders, head=head, known=own)
            if head and not is_brought:
                own = (*(each for each in own if each != head), head)[-_OWN_MAX:]
        note = BroughtNote(stamp=stamp, is_brought=is_brought, own=own)
        self.folder.note_brought(marker.mark, note)
        return is_brought

    @property
    def _folders(self) -> tuple[str, str]:
        return self.paths.own.name, self.paths.run_memory.name

    def _tracks_data(self) -> bool:
        listed = [git.list_tracked(self.paths.root, folder) for folder in self._folders]
        # What git cannot say may be anything.
        return any(names is None or any(map(_is_data, names)) for names in listed)

    @property
    def was_said(self) -> bool:
        """Whether a person trusts the repository itself, and not only what AgentX keeps in it."""
        record = self.record()
        return record is not None and record.said

    @property
    def is_bare(self) -> bool:
        """Whether nothing lies in either of our two folders; git ships no empty one."""
        return not any(map(_holds_something, (self.paths.own, self.paths.run_memory)))

    @property
    def holds_data(self) -> bool:
        """Whether the repository has data, or files that act."""
        paths = self.paths
        data = (
            *(paths.issues, paths.questions, paths.ledgers, paths.agent_status),
            *(paths.run_memory, paths.settings, paths.workflows, paths.roles),
        )
        return any(map(os.path.lexists, data))

    def exists(self, path: Path) -> bool:
        """Tell whether something lies there, be it a link."""
        return os.path.lexists(path)

    def read_acting(self, path: Path) -> bytes | None:
        """Return the content of a file that may act as it stands; None for any other."""
        return self.make_reader()(path)

    def make_reader(self) -> Callable[[Path], bytes | None]:
        """Return `read_acting` for several files, by what the record says now."""
        record = self.record()
        acts = {} if record is None else record.acts

        def read(path: Path) -> bytes | None:
            wanted = acts.get(self.name_of(path))
            content = None if wanted is None else read_small(path, ACTING_FILE_BYTES_MAX)
            return content if content is not None and hash_of(content) == wanted else None

        return read

    def acting_files(self) -> tuple[ActingFile, ...]:
        """Return every file that would act, and how it stands."""
        marker, record = self.marker(), self.record()
        found = []
        for path in _find_acting(self.paths):
            name = self.name_of(path)
            wanted = record.acts.get(name) if record is not None else None
            content = read_small(path, ACTING_FILE_BYTES_MAX)
            if content is None:
                found.append(ActingFile(path=name, state=ActingState.UNREADABLE))
                continue
            trusted = None
            if wanted is None:
                state = ActingState.NEW
            elif hash_of(content) == wanted:
                state, trusted = ActingState.TRUSTED, content
            else:
                state = ActingState.CHANGED
                trusted = self.folder.read_kept(marker.mark, wanted) if marker is not None else None
            found.append(ActingFile(path=name, state=state, content=content, trusted=trusted))
        return tuple(found)

    def name_of(self, path: Path) -> str:
        """Return how a file is named in the record."""
        return path.relative_to(self.paths.root).as_posix()


def _is_data(name: str) -> bool:
    """Tell whether a tracked name is data: not git's own, nothing that acts or is never ours."""
    folder, *below = name.lower().split("/")
    if below and below[-1] in _OF_GIT:
        return False
    return not (folder == ".agentx" and below and below[0] in _NO_DATA)


def _holds_something(folder: Path) -> bool:
    try:
        found = list_folder(folder)
    except OSError:
        return True  # a link, or closed to us: nothing is known of it
    return bool(found.files or found.folders or found.refused)


def _find_acting(paths: ProjectPaths) -> Iterator[Path]:
    if os.path.lexists(paths.settings):
        yield paths.settings
    for folder, suffix in ((paths.workflows, ".toml"), (paths.roles, ".md")):
        try:
            held = list_folder(folder)
        except OSError:
            continue
        names = sorted(name for name in (*held.files, *held.refused) if name.endswith(suffix))
        yield from (folder / name for name in names[:_ACTING_FILES_MAX])
