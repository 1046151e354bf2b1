"""What the user trusts, repository by repository: kept in the user's folder, never in theirs.

`trust/<mark>.json` says what is trusted of the repository with that marker; `trust/<mark>/` keeps
the trusted content of each file that acts, so that a change of it can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.json_text import line_of, page_of, parse_json
from agentx.kernel.errors import UnavailableError
from agentx.kernel.values import frozen
from agentx.project.trust.marker import read_small

# A record names each file that acts with its hash: so many make a long one, and no repository
# that a person can look through has more.
RECORD_BYTES_MAX = 1024 * 1024
# What acts is read by a person before it is trusted.
ACTING_FILE_BYTES_MAX = 256 * 1024
_SEEN_MAX = 8  # a command looks at the same record at every turn


@frozen
class TrustRecord:
    """What is trusted of one repository."""

    root: str
    project_id: str
    # The name that the project took along when it was moved; empty for that of its folder.
    natural: str = ""
    # The product made `.agentx/` here: what lies in its folders for this machine alone is ours.
    private: bool = False
    # A person's word: issues, questions, runs and lessons may be told, each with its author.
    data: bool = False
    # A person's word on the repository as a whole, said with `agentx trust`.
    said: bool = False
    # What tells the repository from another one that lies there later; empty where it had nothing.
    kin: tuple[str, ...] = ()
    acts: Mapping[str, str]  # path below the root -> hash of the content that may act
    at: str
    by: str  # the verb that wrote it


@frozen
class BroughtNote:
    """Whether data came by git, as was found when git's files were so."""

    stamp: list[object] | None = None
    is_brought: bool = False
    own: tuple[str, ...] = ()  # commits up to which all of it was made here, the last ones


class TrustFolder:
    """The records of one user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, mark: str) -> TrustRecord | None:
        """Return what is trusted of the repository with this marker; None for a stranger's."""
        return _record_of(read_small(self.path(mark), RECORD_BYTES_MAX))

    def write(self, mark: str, record: TrustRecord) -> None:
        """Keep a record.

        Raises: UnavailableError.
        """
        said = {name: getattr(record, name) for name in _NAMES}
        if record.natural:
            said["natural"] = record.natural
        if record.kin:
            said["kin"] = list(record.kin)
        replace_file(self.path(mark), page_of({**said, "acts": dict(record.acts)}))

    def remove(self, mark: str) -> bool:
        """Take a record and what was kept with it away; tell whether there was one.

        What the repository is called in our own signatures stays: they are ours still.
        """
        kept = self._folder / mark
        with suppress(OSError):
            for file in kept.iterdir():
                if file.name != _WRITERS:
                    file.unlink(missing_ok=True)
            kept.rmdir()
        was_there = self.path(mark).exists()
        self.path(mark).unlink(missing_ok=True)
        return was_there

    def keep(self, mark: str, content: bytes) -> str:
        """Keep what a file that acts holds; return its hash.

        Raises: UnavailableError.
        """
        name = hash_of(content)
        replace_file(self._folder / mark / name, content)
        return name

    def read_kept(self, mark: str, name: str) -> bytes | None:
        """Return the content with a hash, if it was kept and is still what it was."""
        raw = read_small(self._folder / mark / name, ACTING_FILE_BYTES_MAX)
        return raw if raw is not None and hash_of(raw) == name else None

    def read_brought(self, mark: str) -> BroughtNote:
        """Return what was noted last of what came by git."""
        raw = read_small(self._folder / mark / _BROUGHT, RECORD_BYTES_MAX)
        try:
            match None if raw is None else parse_json(raw):
                case [list(stamp), bool(is_brought), *rest]:
                    own = rest[0] if rest and isinstance(rest[0], list) else []
                    found = tuple(each for each in own if isinstance(each, str) and _is_id(each))
                    return BroughtNote(stamp=stamp, is_brought=is_brought, own=found)
                case _:
                    return BroughtNote()
        except ValueError:
            return BroughtNote()

    def note_brought(self, mark: str, note: BroughtNote) -> None:
        """Note whether data came by git, as of a stamp of it."""
        line = line_of([note.stamp, note.is_brought, list(note.own)])
        with suppress(UnavailableError):  # it only saves work
            replace_file(self._folder / mark / _BROUGHT, line)

    def writers(self, mark: str) -> Path:
        """Return where it stands whose words count in the repository with this marker."""
        return self._folder / mark / _WRITERS

    def proof_note(self, mark: str) -> Path:
        """Return where signatures are noted that hold."""
        return self._folder / mark / _PROVED

    @property
    def known_keys(self) -> Path:
        """Where it stands whose keys are trusted, repository by repository."""
        return self._folder / _KNOWN_KEYS

    def list_told(self) -> frozenset[str]:
        """Return the projects whose data may be told, by what was last seen of them."""
        told = set()
        for mark, record in self.list_marked():
            is_brought = not record.said and self.read_brought(mark).is_brought
            if record.data and not is_brought:
                told.add(record.project_id)
        return frozenset(told)

    def records(self) -> Iterator[TrustRecord]:
        """Yield every record."""
        for _, record in self.list_marked():
            yield record

    def list_marked(self) -> Iterator[tuple[str, TrustRecord]]:
        """Yield every record, with the marker it is of."""
        for path in sorted(self._folder.glob("*.json")):
            record = self.read(path.stem)
            if record is not None:
                yield path.stem, record

    def path(self, mark: str) -> Path:
        """Return where the record of a marker lies."""
        return self._folder / f"{mark}.json"


_BROUGHT = "brought.json"
_ID_CHARS = (40, 64)  # of a commit
_WRITERS = "writers.json"
_PROVED = "proved"
_KNOWN_KEYS = "repositories"
_NAMES = ("root", "project_id", "private", "data", "said", "acts", "at", "by")


def _is_id(text: str) -> bool:
    return len(text) in _ID_CHARS and not text.strip("0123456789abcdef")


def hash_of(content: bytes) -> str:
    """Return the hash by which content is known again."""
    from hashlib import sha256  # noqa: PLC0415  OpenSSL: most repositories have nothing to trust

    return sha256(content).hexdigest()


def _read_texts(given: object) -> tuple[str, ...]:
    return tuple(map(str, given)) if isinstance(given, list) else ()


@lru_cache(_SEEN_MAX)
def _record_of(raw: bytes | None) -> TrustRecord | None:
    try:
        said = {} if raw is None else parse_json(raw)
    except ValueError:
        return None
    match said:
        case {
            "root": str(root),
            "project_id": str(project_id),
            "private": bool(private),
            "data": bool(data),
            "acts": dict(acts),
            "at": str(at),
            "by": str(by),
        }:
            return TrustRecord(
                root=root,
                project_id=project_id,
                private=private,
                data=data,
                natural=str(said.get("natural") or ""),
                said=said.get("said") is True,
                kin=_read_texts(said.get("kin")),
                acts={str(path): str(name) for path, name in acts.items()},
                at=at,
                by=by,
            )
        case _:
            return None
