"""What hooks have spooled, wherever they left it: whose it is, and why it waits.

Three kinds of places are looked at alike: the spool of this data folder, and the folders
that stand in for it when it cannot be written, which all homes of a user share. A folder that
cannot be drained is told with its reason, its records stay where they are, and all others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from agentx.capture import spool_record
from agentx.capture.limits import HEADER_BYTES_MAX
from agentx.host.files import plain
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import SpoolPaths, StorePaths
from agentx.kernel.values import frozen
from agentx.project.settlement import (
    SpoolBinding,
    SpoolOrigin,
    anchor,
    is_gone,
    list_folders,
    note_settled,
    read_lines,
    read_origin,
)


class Why(StrEnum):
    """Why records lie in a spool."""

    NEXT = "next"  # nobody has taken them yet
    OTHER_PROJECT = "other-project"  # they are another project's of this home
    OTHER_HOME = "other-home"  # they were written for another data folder
    HOME_GONE = "home-gone"  # so they were, and it is not there
    DIRECTORY_GONE = "directory-gone"  # their folder is gone, and was never settled
    FAULTY = "faulty"  # their folder cannot be drained
    EXCLUDED = "excluded"  # the user wants nothing of it: the next drain throws them away
    REFUSED = "refused"  # they could not be taken, and were moved aside


@frozen
class SpoolFolder:
    """The spool of one working directory that belongs to this store."""

    paths: SpoolPaths
    directory: str
    project: str
    role: str = ""  # that its sessions play unless they say otherwise


@frozen
class SpoolGroup:
    """Records that lie in one spool folder for one reason."""

    why: Why
    records: int
    folder: str  # where they lie
    directory: str  # that they came from, as far as it is known
    says: str = ""  # whom they wait for, or what is wrong


@frozen
class _Look:
    """One spool folder, and what was found out about it."""

    paths: SpoolPaths
    origin: SpoolOrigin
    why: Why
    says: str = ""
    project: str = ""
    role: str = ""


@frozen
class Spool:
    """Everything hooks have spooled for one store, wherever they left it."""

    own: Path  # the spool of this data folder
    fallbacks: tuple[Path, ...]
    store: StorePaths
    is_ours: Callable[[str], bool]  # a data folder that a record names
    bind: Callable[[SpoolOrigin, list[str]], SpoolBinding]
    is_excluded: Callable[[str, str], bool]  # a directory and its project

    def folders(self) -> Iterator[SpoolFolder]:
        """Yield the folders with something that waits for this store."""
        for look in self._looks():
            if look.why is Why.NEXT:
                yield SpoolFolder(
                    paths=look.paths,
                    directory=look.origin.directory,
                    project=look.project,
                    role=look.role,
                )

    def list_excluded(self) -> Iterator[Path]:
        """Yield the records of which the user wants nothing to be kept."""
        for look in self._looks():
            if look.why is Why.EXCLUDED:
                yield from list_records(look.paths)

    def waiting(self) -> int:
        """Count what hooks have left for this store and nobody has taken yet."""
        return sum(group.records for group in self.survey() if group.why is Why.NEXT)

    def survey(self) -> tuple[SpoolGroup, ...]:
        """Say of every record in every spool why it lies there."""
        return (*self._groups(), *self.list_refused())

    def list_refused(self) -> tuple[SpoolGroup, ...]:
        """Say what was moved aside, in every spool of this user."""
        return tuple(
            SpoolGroup(
                why=Why.REFUSED,
                records=count,
                folder=str(SpoolPaths(folder).refused),
                directory=read_origin(SpoolPaths(folder)).directory,
            )
            for root in (*self.fallbacks, self.own)
            for folder in list_folders(root)
            if (count := _count_aside(SpoolPaths(folder)))
        )

    def list_aside(self, project: str) -> Iterator[Path]:
        """Yield the records of a project that were moved aside."""
        for root in (*self.fallbacks, self.own):
            for folder in list_folders(root):
                paths = SpoolPaths(folder)
                with suppress(OSError):
                    aside = _list(paths.refused).files
                    look = self._look(paths) if aside else None
                    if look is not None and (look.why, look.project) == (Why.NEXT, project):
                        yield from (paths.refused / name for name in aside)

    def _groups(self) -> Iterator[SpoolGroup]:
        for look in self._looks():
            records = len(list_records(look.paths))
            told = {"folder": str(look.paths.root), "directory": look.origin.directory}
            if look.why is Why.FAULTY:
                yield SpoolGroup(why=look.why, records=records, says=look.says, **told)
                continue
            if records:
                yield SpoolGroup(why=look.why, records=records, says=look.says, **told)
            odd = _count(_list(look.paths.new)) - records
            if odd > 0:
                says = "they are no plain files"
                yield SpoolGroup(why=Why.FAULTY, records=odd, says=says, **told)

    def _looks(self) -> Iterator[_Look]:
        # The fallbacks first: a data folder that was moved is known there by notes that draining
        # its own spool writes anew.
        for root in (*self.fallbacks, self.own):
            yield from (_fault(link, "it is a symbolic link") for link in _links(root))
            for folder in list_folders(root):
                paths = SpoolPaths(folder)
                try:
                    if _count(_list(paths.new)):
                        yield self._look(paths)
                except OSError as error:
                    yield _fault(folder, error.strerror or str(error))

    def _look(self, paths: SpoolPaths) -> _Look:
        """Find out whose a folder is."""
        origin = read_origin(paths)
        if not origin.directory:
            origin = _find_origin(paths)
        if not origin.directory:
            return _fault(paths.root, "no record says where it came from")
        if origin.data and not self.is_ours(origin.data):
            why = Why.HOME_GONE if is_gone(Path(origin.data)) else Why.OTHER_HOME
            return _Look(paths=paths, origin=origin, why=why, says=origin.data)
        if self.is_excluded(origin.directory, origin.project):
            return _Look(paths=paths, origin=origin, why=Why.EXCLUDED)
        return self._settle(paths, origin)

    def _settle(self, paths: SpoolPaths, origin: SpoolOrigin) -> _Look:
        """Find out which store of this home a folder belongs to; note it where hooks look."""
        is_own = paths.root.parent == self.own
        try:
            binding = self.bind(origin, read_lines(paths.store) if is_own else [])
        except AgentXError as error:
            return _Look(paths=paths, origin=origin, why=Why.FAULTY, says=error.message)
        if is_own and not binding.is_gone:
            with suppress(
                AgentXError
            ):  # it serves hooks; the binding itself is made anew each time
                note_settled(paths, origin, binding)
        if self.is_excluded(origin.directory, binding.project):
            return _Look(paths=paths, origin=origin, why=Why.EXCLUDED)
        if binding.store == self.store.root:
            mine = {"project": binding.project, "role": binding.role}
            return _Look(paths=paths, origin=origin, why=Why.NEXT, **mine)
        why = Why.DIRECTORY_GONE if binding.is_gone else Why.OTHER_PROJECT
        return _Look(paths=paths, origin=origin, why=why, says=binding.project)


def list_records(paths: SpoolPaths) -> tuple[Path, ...]:
    """Return the files that wait in a spool folder, oldest first; nothing that is no plain file."""
    with suppress(OSError):
        return tuple(paths.new / name for name in _list(paths.new).files)
    return ()


def _find_origin(paths: SpoolPaths) -> SpoolOrigin:
    """Return the origin as a record names it: the note of it is not there."""
    for path in list_records(paths):
        with suppress(OSError), plain.open_to_read(path, ground=paths.root) as file:
            record = spool_record.parse(file.readline(HEADER_BYTES_MAX), path.name)
            if record.working_directory:
                return SpoolOrigin(
                    directory=anchor(record.working_directory),
                    project=record.project,
                    data=record.data,
                )
    return SpoolOrigin(directory="")


def _count_aside(paths: SpoolPaths) -> int:
    with suppress(OSError):
        return _count(_list(paths.refused))
    return 0


def _fault(folder: Path, says: str) -> _Look:
    paths = SpoolPaths(folder)
    return _Look(paths=paths, origin=read_origin(paths), why=Why.FAULTY, says=says)


def _links(root: Path) -> list[Path]:
    with suppress(OSError):
        return [root / name for name in plain.list_folder(root).refused]
    return []


def _list(folder: Path) -> plain.Listing:
    """Return what lies in a part of a spool folder, nothing where there is none.

    Raises: OSError when it cannot be read, is a link or no folder.
    """
    return plain.list_folder(folder, ground=folder.parent)


def _count(listing: plain.Listing) -> int:
    return len(listing.files) + len(listing.folders) + len(listing.refused)
