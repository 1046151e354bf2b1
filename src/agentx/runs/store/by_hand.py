"""What people changed by hand in the files of a run: found, and kept before it is written over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.documents.document import Fault
from agentx.host.documents.yaml_file import YAML
from agentx.host.files.atomic import replace_file
from agentx.host.files.merged_lines import has_merge_marks
from agentx.host.files.plain import exists, is_file, list_folder, read_bytes, read_text
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import digest
from agentx.runs.limits import RUN_ARTIFACT_CHARS_MAX
from agentx.runs.model import Contract, Happening, Run, RunEvent
from agentx.runs.pages.contracts import contract_of
from agentx.runs.pages.hand_edits import (
    is_known_contract,
    page_contract,
    read_artifact,
    read_log,
    read_task,
)
from agentx.runs.paths import RunPaths
from agentx.runs.rules.catalogue import name_checked
from agentx.runs.rules.fold import fold

MARKED = "git left conflict marks in it"


class ByHand:
    """The files of one run as people left them; what is kept aside is told in `remarks`."""

    def __init__(
        self, paths: RunPaths, remarks: list[str], gone: tuple[RunEvent, ...] = ()
    ) -> None:
        self._paths = paths
        self._remarks = remarks
        self._gone = gone  # events that a person took out: what they said on a page is no edit

    def find_changes(
        self, run: Run, events: Iterable[RunEvent]
    ) -> Iterator[tuple[Path | None, Happening | None]]:
        """Yield what became of files, each with what it says; nothing where that is no text."""
        if self._gone:
            events = (*events, *self._gone)
            run = fold(run.id, events)
        yield from self._find_laid_tasks(run)
        yield from self._find_edits(run, tuple(events))

    def keep(self, path: Path, found: bytes, why: str) -> None:
        """Copy aside what is about to be written over and cannot be taken in."""
        name = f"{path.parent.name}-{path.stem}-{digest(repr(found)).hex()[:8]}{path.suffix}"
        if not exists(self._paths.aside / name):
            replace_file(self._paths.aside / name, found)
        where = path.relative_to(self._paths.root)
        remark = f"{where} was changed by hand: {why}; yours is in aside/{name}"
        if remark not in self._remarks:
            self._remarks.append(remark)

    def keep_marked(self, path: Path, data: bytes) -> None:
        """Keep a page in which git left marks: what a person wrote between them is not lost."""
        with suppress(OSError):
            found = read_bytes(path)
            if found != data and has_merge_marks(found):
                self.keep(path, found, MARKED)

    def _find_edits(
        self, run: Run, events: tuple[RunEvent, ...]
    ) -> Iterator[tuple[Path | None, Happening | None]]:
        with suppress(OSError):
            for name in list_folder(self._paths.artifacts).files:
                path = self._paths.artifacts / name
                if path == self._paths.task_graph or path.name.startswith("."):
                    continue
                # What lies beside the artifacts and is none is not written over.
                ours = path if path.name in run.artifacts else None
                text = _text(path)
                if text is None and ours is not None:
                    yield ours, None
                said = None if text is None else read_artifact(run, path.name, text, events)
                if said is not None and text is not None and has_merge_marks(text.encode()):
                    said = None
                    if ours is not None:
                        yield ours, None
                if said is not None:
                    yield ours, said
        for task in tuple(run.tasks.values()):
            log = self._paths.work_log(task.id)
            text = _text(log)
            found = None if text is None else read_log(task, text)
            if found is not None and text is not None and has_merge_marks(text.encode()):
                yield log, None
            elif found is not None or (text is None and is_file(log)):
                yield log, found

    def _find_laid_tasks(self, run: Run) -> Iterator[tuple[Path | None, Happening | None]]:
        with suppress(OSError):
            for name in list_folder(self._paths.tasks).folders:
                task = run.tasks.get(name)
                if task is not None and task.born:
                    continue
                contract = self._contract_on_disk(name)
                said = None if contract is None else read_task(run, name, contract)
                if said is not None:
                    yield None, said

    def _contract_on_disk(self, task: str) -> Contract | None:
        try:
            name_checked(task, "a task")
        except InvalidValue:
            return None
        found = contract_file(self._paths.contract(task))
        return found or contract_file(self._paths.hand_contract(task))

    def is_edited(self, run: Run, events: Iterable[RunEvent], name: str, data: bytes) -> bool:
        """Tell whether a page that is made of a run holds, as it was once, what a person wrote."""
        if has_merge_marks(data):
            return True
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return True
        path = self._paths.root / name
        if path.name.startswith("contract"):
            contract = contract_in(text, path)
            known = (is_known_contract(contract, each) for each in run.tasks.values() if contract)
            return not any(known)
        if path.parent == self._paths.artifacts and path.name in run.artifacts:
            return read_artifact(run, path.name, text, events) is not None
        logs = (task for task in run.tasks.values() if path == self._paths.work_log(task.id))
        return any(read_log(task, text) is not None for task in logs)

    def keep_edited_contract(self, run: Run, path: Path, data: bytes) -> None:
        """Keep a contract that somebody changed: it does not hold, but is not lost."""
        try:
            found = read_bytes(path)
        except OSError:
            return
        if found == data:
            return
        if has_merge_marks(found):
            self.keep(path, found, MARKED)
            return
        contract = contract_file(path)
        if contract is not None and any(
            is_known_contract(contract, each) for each in run.tasks.values()
        ):
            return
        self.keep(path, found, "a contract is not, `agentx run task revise` makes a new version")


def contract_file(path: Path) -> Contract | None:
    """Return the contract in a file of YAML or Markdown; None when there is none."""
    text = _text(path)
    return None if text is None else contract_in(text, path)


def contract_in(text: str, path: Path) -> Contract | None:
    """Return the contract in the text of a file; None when there is none."""
    body = text.removeprefix("---\n").split("\n---\n", 1)[0] if text.startswith("---\n") else text
    fields = YAML.parse(body.encode("utf-8", "replace"))
    if not isinstance(fields, Fault):
        with suppress(InvalidValue):
            return contract_of(fields)
    return page_contract(text) if path.suffix == ".md" else None


def _text(path: Path) -> str | None:
    """Return a file as text; None when it is none, or too long to be a page."""
    try:
        return read_text(path, bytes_max=4 * RUN_ARTIFACT_CHARS_MAX)
    except (OSError, UnicodeDecodeError):
        return None
