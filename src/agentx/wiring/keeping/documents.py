"""Every document of a project, read as strictly as its format allows: JSON, TOML, SQLite, archives.

A document that no reader minds may still be damaged where nobody looks. What lies in `.agentx/`
and `.agent-memory/` may be edited by people, so only the format is judged, never the content.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import tomllib
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from agentx.host.files import plain
from agentx.host.files.json_text import line_number, parse_json
from agentx.host.files.plain import open_to_read, read_bytes
from agentx.kernel.errors import AgentXError
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.kernel.values import frozen
from agentx.observations.store.paths import ObservationPaths
from agentx.project.project import Project
from agentx.runs.limits import RUN_ARCHIVE_BYTES_MAX
from agentx.wiring.keeping.facts import base_of, list_fact_files

_ASIDE = ".corrupt-"
_BLOCK_BYTES = 1024 * 1024
_MEND = "mend the line it names, or bring the file back from a backup"
_BRING_BACK = "bring the file back from a backup; `agentx doctor --fix` goes on without it"
_REMADE = "it is made again by whoever needs it; `agentx doctor --fix` takes it away"


@frozen
class DamagedDocument:
    """A file that is not what its name says."""

    path: Path
    says: str
    mend: str
    is_view: bool = False  # of no worth of its own


def find_damaged_documents(project: Project) -> Iterator[DamagedDocument]:
    """Yield every document that cannot be read, facts first."""
    for file in list_fact_files(project):
        fault = _fault_of(file.path, base_of(project, file.place))
        if fault:
            says = f"{file.path}: {fault}"
            yield DamagedDocument(path=file.path, says=says, mend=_MEND)
    yield from _missing_observations(project)
    for path in _views(project):
        fault = _fault_of(path, None)
        if fault:
            says = f"{path}: {fault}"
            yield DamagedDocument(path=path, says=says, mend=_REMADE, is_view=True)


def _missing_observations(project: Project) -> Iterator[DamagedDocument]:
    """Yield the files of observations that the manifest names and that are gone."""
    paths = ObservationPaths(project.observations)
    try:
        said = parse_json(read_bytes(paths.manifest))
    except (OSError, ValueError, AgentXError):
        return
    entries = said.get("entries") if isinstance(said, dict) else None
    rows = entries if isinstance(entries, list) else []
    named = [each.get("issueNumber") for each in rows if isinstance(each, dict)]
    issues = [each for each in named if type(each) is int and 0 <= each <= ISSUE_NUMBER_MAX]
    for issue in sorted(set(issues)):
        path = paths.issue(issue)
        if not plain.exists(path):
            says = f"{path} is gone, with {issues.count(issue)} observations"
            yield DamagedDocument(path=path, says=says, mend=_BRING_BACK)


def _views(project: Project) -> Iterator[Path]:
    store = project.store
    yield store.import_cursors
    yield store.recall_counts(project.id)
    yield store.text_index / "rooms.json"
    for folder in (store.github_cache, store.observation_words):
        yield from sorted(folder.glob("*.json")) + sorted(folder.glob("*.db"))


def _fault_of(path: Path, ground: Path | None) -> str:
    """Say what is wrong with a file; nothing where it is well, gone, or was moved aside."""
    if _ASIDE in path.name:
        return ""
    name = path.name.removesuffix(".gz")
    judge = _JUDGES.get(".gz" if name != path.name else path.suffix)
    if judge is None:
        return ""
    try:
        return judge(path, ground)
    except FileNotFoundError:
        return ""
    except AgentXError as error:
        return error.message
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"


def _judge_json(path: Path, ground: Path | None) -> str:
    raw = read_bytes(path, ground=ground)
    try:
        raw.decode("utf-8")
        parse_json(raw)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return f"line {line} is not UTF-8"
    except ValueError as error:
        return f"line {line_number(raw, error)} is not JSON: {error}"
    return ""


def _judge_lines(path: Path, ground: Path | None) -> str:
    with open_to_read(path, ground=ground) as file:
        for number, line in enumerate(file, start=1):
            # One without an end is still being written, or its writer died: it was not promised.
            if not line.endswith(b"\n"):
                return ""
            try:
                line.decode("utf-8")
                parse_json(line)
            except ValueError:
                return f"line {number} is not JSON"
    return ""


def _judge_toml(path: Path, ground: Path | None) -> str:
    try:
        tomllib.loads(read_bytes(path, ground=ground).decode("utf-8"))
    except ValueError as error:
        return f"is not TOML: {error}"
    return ""


def _judge_packed(path: Path, ground: Path | None) -> str:
    try:
        with open_to_read(path, ground=ground) as file, gzip.open(file) as packed:
            if _holds_too_much(packed):
                return f"holds more than {RUN_ARCHIVE_BYTES_MAX:,} bytes"
            while packed.read(_BLOCK_BYTES):
                pass
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        return f"is not a whole archive: {error}"
    return ""


def _holds_too_much(packed: gzip.GzipFile) -> bool:
    """Tell whether an archive holds more than is ever read of one."""
    import tarfile  # noqa: PLC0415  only where a run was packed

    size = 0
    with suppress(tarfile.TarError), tarfile.open(fileobj=packed, mode="r|") as tar:
        for entry in tar:
            size += entry.size
            if size > RUN_ARCHIVE_BYTES_MAX:
                return True
    return False


def _judge_database(path: Path, ground: Path | None) -> str:
    open_to_read(path, ground=ground).close()
    # Where nothing can be written, what is written beside a database to read it cannot be either.
    how = "mode=ro" if os.access(path.parent, os.W_OK) else "immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{path}?{how}", uri=True)) as database:
            (said,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            if said != "ok":
                return f"is damaged: {said}"
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                quoted = table.replace('"', '""')
                for _ in database.execute(f'SELECT * FROM "{quoted}"'):  # noqa: S608  a name of its own
                    pass
    except sqlite3.Error as error:
        return f"is damaged: {error}"
    return ""


_JUDGES: dict[str, Callable[[Path, Path | None], str]] = {
    ".json": _judge_json,
    ".jsonl": _judge_lines,
    ".toml": _judge_toml,
    ".gz": _judge_packed,
    ".db": _judge_database,
}
