"""Workflows on disk: those that ship with AgentX, and a project's own in their place if trusted."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path

from agentx.host.files.disk import unreadable
from agentx.host.files.plain import list_folder
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.work.limits import WORKFLOW_FILE_BYTES_MAX
from agentx.work.model import Problem, Workflow
from agentx.work.store.workflow_file import read_workflow, refusal

SUFFIX = ".toml"


def list_shipped() -> tuple[str, ...]:
    """Return the names of the workflows that ship."""
    folder = resources.files("agentx.work") / "shipped"
    return tuple(
        sorted(
            each.name.removesuffix(SUFFIX)
            for each in folder.iterdir()
            if each.name.endswith(SUFFIX)
        )
    )


def list_templates() -> tuple[str, ...]:
    """Return the names of the templates that ship."""
    folder = resources.files("agentx.work") / "shipped" / "templates"
    return tuple(sorted(each.name.removesuffix(".md") for each in folder.iterdir()))


def read_template(name: str) -> str:
    """Return a template that ships; nothing for a name of none."""
    if name not in list_templates():
        return ""
    folder = resources.files("agentx.work") / "shipped" / "templates"
    return (folder / f"{name}.md").read_text("utf-8")


class WorkflowFiles:
    """The workflows of a project."""

    def __init__(
        self, folder: Path, roles: Iterable[str], read: Callable[[Path], bytes | None]
    ) -> None:
        self._folder = folder
        self._read = read  # None for a file that may not be used
        self._roles = tuple(roles)

    def names(self) -> tuple[str, ...]:
        """Return their names."""
        return tuple(sorted({*list_shipped(), *self.own_names()}))

    def own_names(self) -> tuple[str, ...]:
        """Return the names of the project's own."""
        try:
            found = list_folder(self._folder)
        except NotADirectoryError:
            return ()
        except OSError as error:
            raise unreadable(self._folder, error) from error
        return tuple(
            name.removesuffix(SUFFIX)
            for name in sorted((*found.files, *found.refused))
            if name.endswith(SUFFIX)
            and not name.startswith(".")
            and self._read(self._folder / name) is not None
        )

    def get(self, name: str) -> Workflow:
        """Return one workflow.

        Raises: NotFound, InvalidValue naming file, line and field.
        """
        found = self.read(name)
        if isinstance(found, Workflow):
            return found
        raise refusal(found)

    def read(self, name: str) -> Workflow | tuple[Problem, ...]:
        """Return one workflow, or everything that is wrong with its file.

        Raises: NotFound.
        """
        if name in self.own_names():
            path = self._folder / f"{name}{SUFFIX}"
            raw = self._read(path) or b""
            return read_workflow(_text(path, raw), name=name, file=str(path), roles=self._roles)
        if name not in list_shipped():
            near = difflib.get_close_matches(name, self.names(), n=1)
            raise NotFound(
                f"{name[:60]!r} is not a workflow",
                hint=f"did you mean {near[0]}?" if near else f"one of: {', '.join(self.names())}",
            )
        shipped = resources.files("agentx.work") / "shipped" / f"{name}{SUFFIX}"
        return read_workflow(
            shipped.read_text(encoding="utf-8"),
            name=name,
            file=f"{name}{SUFFIX} (ships with AgentX)",
            roles=self._roles,
        )


def _text(path: Path, raw: bytes) -> str:
    if len(raw) > WORKFLOW_FILE_BYTES_MAX:
        raise InvalidValue(
            f"{path}: {len(raw):,} bytes are too many for a workflow",
            hint=f"at most {WORKFLOW_FILE_BYTES_MAX:,}",
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InvalidValue(
            f"{path}, line {line}: is not UTF-8", hint="save the file as UTF-8"
        ) from error
