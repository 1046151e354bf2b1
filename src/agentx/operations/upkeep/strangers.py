"""What of a repository is not trusted, and what of its settings was passed over: a line each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import is_folder
from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import digest
from agentx.project.config import SettingFault
from agentx.project.project import Project
from agentx.project.trust.marker import read_small
from agentx.project.trust.trust import ActingState

SHOW_TRUST = "agentx trust --show"

_SAYS = {
    ActingState.NEW: "is not trusted, so it does not act",
    ActingState.CHANGED: "changed since it was trusted, so it no longer acts",
    ActingState.UNREADABLE: "is no plain file of a sensible size, so it never acts",
}
_FILES_NAMED = 5  # a repository may bring hundreds: `trust --show` has them all
_NOTE_BYTES_MAX = 1_024


def list_untrusted(project: Project) -> tuple[str, ...]:
    """Return what lies in the repository and is neither obeyed nor told."""
    if project.trust.is_bare:
        return ()
    return (*_list_acting(project), *_list_data(project), *_list_tracked(project))


def list_news(project: Project) -> tuple[SettingFault, ...]:
    """Return what of the settings was passed over, once: nothing until it is something else."""
    faults = project.config.faults
    if not faults:
        return ()
    note = project.store.root / "settings-told"
    said = digest(*(fault.says for fault in faults)).hex().encode()
    if read_small(note, _NOTE_BYTES_MAX) == said:
        return ()
    if is_folder(project.store.root):
        with suppress(UnavailableError):  # said twice then
            replace_file(note, said)
    return faults


def _list_acting(project: Project) -> Iterator[str]:
    files = [each for each in project.trust.acting_files() if each.state is not ActingState.TRUSTED]
    for file in files[:_FILES_NAMED]:
        yield f"{file.path} {_SAYS[file.state]}"
    if len(files) > _FILES_NAMED:
        yield f"and {len(files) - _FILES_NAMED:,} more files that do not act"


def _list_data(project: Project) -> Iterator[str]:
    if not project.private.has_untold():
        return
    # Only who has something to list waits for it.
    from agentx.project.trust.holdings import list_holdings  # noqa: PLC0415  see above

    left_out = set()
    if project.trust.has_private or "memory" in project.private.list_tracked():
        left_out = {"observations"}
    kinds = [
        f"{held.kind}: {held.count:,}"
        for held in list_holdings(project.paths)
        if held.kind not in left_out and (held.kind == "observations" or not project.trust.has_data)
    ]
    if kinds:
        yield f"not trusted, so not told: {', '.join(kinds)}"


def _list_tracked(project: Project) -> Iterator[str]:
    for name in project.private.list_tracked():
        yield f".agentx/{name} is tracked by git, so it is never taken for yours"
