"""What is known of the jobs, on disk: it survives every process.

One JSON document, replaced as a whole under its lock. It is a memory of what went
on, not a fact to lose sleep over: one that does not parse is moved aside and said
so, a record that is damaged is left out, and the jobs start anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from agentx.daemon.scheduler.model import JobRecord
from agentx.host.documents.json_file import json_file
from agentx.kernel.clock import Clock
from agentx.kernel.errors import CorruptRecord

_log = logging.getLogger(__name__)

_VERSION = 1


class Registry:
    """The records of all jobs of one store."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = json_file(path, clock, owner="scheduler")

    def read(self) -> dict[str, JobRecord]:
        """Return the records by the names of their jobs.

        Raises: UnavailableError when the disk refuses.
        """
        try:
            return _records(self._file.read() or {})
        except CorruptRecord as error:
            _log.warning("%s; %s", error.message, error.hint)
            return {}

    def write(self, records: Iterable[JobRecord]) -> None:
        """Keep records; those of other jobs stay as they are.

        Raises: LockHeld, UnavailableError.
        """
        self._edit(lambda _known: records)

    def change(self, name: str, step: Callable[[JobRecord | None], JobRecord]) -> JobRecord:
        """Take one record a step further; nobody else changes it meanwhile.

        Raises: LockHeld, UnavailableError.
        """
        made: list[JobRecord] = []

        def take_step(known: dict[str, JobRecord]) -> Iterable[JobRecord]:
            made[:] = [step(known.get(name))]
            return made

        self._edit(take_step)
        return made[0]

    def _edit(self, edit: Callable[[dict[str, JobRecord]], Iterable[JobRecord]]) -> None:
        try:
            self._edit_once(edit)
        except CorruptRecord as error:
            # What did not parse lies aside now; the next edit begins with an empty document.
            _log.warning("%s; %s", error.message, error.hint)
            self._edit_once(edit)

    def _edit_once(self, edit: Callable[[dict[str, JobRecord]], Iterable[JobRecord]]) -> None:
        with self._file.editing() as document:
            jobs = document.get("jobs")
            document["version"] = _VERSION
            document["jobs"] = jobs if isinstance(jobs, dict) else {}
            for record in edit(_records(document)):
                document["jobs"][record.name] = _row(record)


def _records(document: dict[str, Any]) -> dict[str, JobRecord]:
    found: dict[str, JobRecord] = {}
    jobs = document.get("jobs")
    for name, row in jobs.items() if isinstance(jobs, dict) else ():
        try:
            found[name] = msgspec.convert({**row, "name": name}, JobRecord)
        except (msgspec.ValidationError, TypeError) as error:
            _log.warning("what was known of the job %s is damaged: %s; it starts anew", name, error)
    return found


def _row(record: JobRecord) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(record)
    del row["name"]
    return {key: value for key, value in row.items() if value not in (None, "")}
