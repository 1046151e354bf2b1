"""What data a repository holds, kind by kind, and who is named as its author.

For whoever is to trust it: a look from outside that opens no room, mends nothing, writes nothing
and believes nothing. What cannot be read is counted as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.files.below.walking import walk_files
from agentx.host.files.json_text import parse_json
from agentx.host.files.plain import list_folder, read_bytes
from agentx.kernel.paths import ProjectPaths
from agentx.kernel.values import frozen

_FILES_MAX = 2_000
_FILE_BYTES_MAX = 4 * 1024 * 1024
_DEPTH_MAX = 8
_AUTHORS_SHOWN = 8
_AUTHOR_CHARS_MAX = 40
_JSON, _LINES = (".json",), (".jsonl",)
_AUTHOR_KEYS = frozenset({"author", "from", "by", "agent", "actor", "speaker"})


@frozen
class Holding:
    """How much there is of one kind, and by whom."""

    kind: str
    count: int
    authors: tuple[str, ...] = ()
    unreadable: int = 0  # files


def list_holdings(paths: ProjectPaths) -> tuple[Holding, ...]:
    """Return what data lies in a repository; a kind that is not there is left out."""
    found = (
        _look("issues", paths.issues, _JSON, _one),
        _look_at_questions(paths),
        _look("agent states", paths.agent_status, _JSON, _one),
        _look("runs", paths.runs, _LINES, None),
        _look("archived runs", paths.run_memory / "archive", (), _one),
        _look("lessons", paths.lessons, _LINES, _of_kind("learnt")),
        _look("observations", paths.observations, _JSON + _LINES, _of_list("observations")),
    )
    return tuple(each for each in found if each.count or each.unreadable)


Count = Callable[[list[object]], int]


def _look_at_questions(paths: ProjectPaths) -> Holding:
    """Look at the events; at the ledgers where an earlier version kept nothing else."""
    found = _look("questions", paths.questions, _LINES, _of_kind("opened", "taken"))
    if found.count or found.unreadable:
        return found
    return _look("questions", paths.ledgers, _JSON, _of_list("clarifications"))


def _look(kind: str, place: Path, suffixes: tuple[str, ...], count: Count | None) -> Holding:
    total, unreadable, authors = 0, 0, dict[str, None]()
    for path in _find(place, suffixes):
        values = _values(path) if suffixes else [{}]
        if values is None:
            unreadable += 1
            continue
        total += 0 if count is None else count(values)
        authors.update(dict.fromkeys(_authors(values)))
    if count is None:
        with suppress(OSError):
            total = len(list_folder(place).folders)
    shown = tuple(authors)[:_AUTHORS_SHOWN]
    return Holding(kind=kind, count=total, authors=shown, unreadable=unreadable)


def _find(place: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of a kind, so many at most."""
    try:
        files = iter((place,)) if place.suffix in suffixes else walk_files(place)
        for count, path in enumerate(files):
            if count == _FILES_MAX:
                return
            if (path.suffix in suffixes or not suffixes) and path.name != "manifest.json":
                yield path
    except (OSError, RecursionError):
        return


def _values(path: Path) -> list[object] | None:
    """Return the JSON of a file, or of each of its lines; None for what cannot be read."""
    try:
        raw = read_bytes(path, bytes_max=_FILE_BYTES_MAX)
    except FileNotFoundError:
        return []
    except OSError:
        return None
    lines = raw.splitlines() if path.suffix == ".jsonl" else [raw]
    values = []
    for line in lines:
        try:
            values.append(parse_json(line))
        except ValueError:
            return None
    return values


def _authors(value: object, depth: int = 0) -> Iterator[str]:
    if depth > _DEPTH_MAX:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _AUTHOR_KEYS and isinstance(item, str) and item:
                yield item[:_AUTHOR_CHARS_MAX]
            else:
                yield from _authors(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _authors(item, depth + 1)


def _one(values: list[object]) -> int:
    return int(bool(values))


def _of_list(name: str) -> Count:
    def count(values: list[object]) -> int:
        lists = (value.get(name) for value in values if isinstance(value, dict))
        return sum(len(each) for each in lists if isinstance(each, list))

    return count


def _of_kind(*names: str) -> Count:
    def count(values: list[object]) -> int:
        found = (value for value in values if isinstance(value, dict))
        kinds = ((value.get("type"), value.get("kind")) for value in found)
        return sum(any(name in kind for name in names) for kind in kinds)

    return count
