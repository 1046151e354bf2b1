"""What AgentX may trust without being asked: what it wrote itself, where nobody had written.

    claim_private    the product makes `.agentx/` where neither it nor `.agent-memory/` stood
    claim_data       a verb that writes begins a repository's issues, runs or questions
    trust_written    a verb wrote a file that acts, and what it replaced was trusted or absent

What arrives later, by a pull, is not among it: data that git brought is told only after a person's
word, and a file acts only with the content it was trusted with.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agentx.host.files.plain import exists, remove
from agentx.host.git import facts as git
from agentx.kernel.clock import to_iso
from agentx.kernel.errors import AgentXError, ConflictError, UnavailableError, UnsafePath
from agentx.project.moves import find_original
from agentx.project.project import Project, name_after, open_project
from agentx.project.settlement import settle
from agentx.project.trust.marker import make_marker
from agentx.project.trust.record import TrustRecord


def claim_private(project: Project) -> bool:
    """Take the folders for this machine alone as ours, where nothing stood; tell whether they are.

    What cannot be noted is not claimed.
    """
    if project.trust.has_private:
        return True
    return project.trust.is_bare and _note(project, "capture", data=False, private=True)


def claim_data(project: Project, by: str) -> bool:
    """Take the repository's data as the user's, where there is none yet; tell whether it is.

    What cannot be noted is not claimed.
    """
    trust = project.trust
    if trust.has_data:
        return True
    is_private = trust.is_bare or trust.has_private
    return not trust.holds_data and _note(project, by, data=True, private=is_private)


def _note(project: Project, by: str, *, data: bool, private: bool) -> bool:
    try:
        write_record(project, by, data=data, private=private)
    except (UnavailableError, ConflictError, UnsafePath) as error:
        project.log.record("warning", "trust-not-noted", message=error.message)
        return False
    return True


def trust_written(project: Project, path: Path, content: bytes, by: str) -> None:
    """Trust what a verb of ours has written into a file that acts.

    Raises: UnavailableError, ConflictError.
    """
    write_record(project, by, acts={project.trust.name_of(path): content})


def may_write_acting(project: Project, path: Path) -> bool:
    """Tell whether a file that acts is absent or trusted: then what a verb writes there is too."""
    return not project.trust.exists(path) or project.trust.read_acting(path) is not None


def note_place(project: Project) -> None:
    """Keep where a project is, so that it is known again when it was moved.

    A folder without git is left as it is until something else of ours lies in it.

    Raises: UnavailableError, ConflictError.
    """
    if not project.root.is_dir():
        return  # moved under a daemon that does not know it yet
    record = project.trust.record()
    if record is None and project.trust.common is not None:
        write_record(project, "capture")
        with suppress(AgentXError):  # else its next drain does so
            settle(project)
    elif record is not None and record.root == str(project.root):
        if not record.kin and _has_history(project):
            write_record(project, record.by)
    elif record is not None and record.root != str(project.root):
        write_record(project, record.by)
        _part_from_next(project, record)


def _has_history(project: Project) -> bool:
    common = project.trust.common
    return common is not None and exists(common / "logs" / "HEAD")


def _part_from_next(project: Project, left: TrustRecord) -> None:
    """Give the repository that lies where this one was a name of its own: this one took its along.

    It was used there before this one was opened here, so it was taken for the same.
    """
    taken, place = project.identity.natural, Path(left.root)
    marker = project.trust.marker()
    if taken != name_after(place) or marker is None or project.environment.project_id:
        return
    for mark, record in project.trust.folder.list_marked():
        if mark != marker.mark and record.root == left.root and not record.natural:
            own = name_after(place, "again")
            named = own if record.project_id == taken else record.project_id
            project.trust.folder.write(mark, replace(record, natural=own, project_id=named))
            with suppress(AgentXError):  # else its next drain does so
                settle(open_project(place, project.environment))


def _part_from_original(project: Project) -> TrustRecord | None:
    """Give a copy a marker of its own; return what the original was trusted with, if it is one."""
    original = find_original(project.root, project.trust)
    if original is not None:
        project.trust.marker_path.unlink(missing_ok=True)
    return original


def write_record(
    project: Project,
    by: str,
    *,
    private: bool = False,
    data: bool = False,
    said: bool = False,
    acts: Mapping[str, bytes] | None = None,
    only_these: bool = False,
) -> TrustRecord:
    """Trust more of a project's repository than before; what is not named stays.

    With `only_these` no other file acts from now on.

    Raises: UnavailableError, ConflictError.
    """
    # Few commands trust anything, and locks take long to load.
    from agentx.host.locks.lock import locked  # noqa: PLC0415  see above

    trust = project.trust
    found = trust.marker()
    if found is not None and trust.record() is None and trust.folder.read(found.mark) is not None:
        remove(trust.marker_path)  # of another folder: this one gets its own
    before = _part_from_original(project) if trust.common is not None else None
    marker = make_marker(trust.marker_path, project.id, project.entropy)
    kept = {name: trust.folder.keep(marker.mark, text) for name, text in (acts or {}).items()}
    seen = trust.folder.read(marker.mark) or before
    kin = () if seen is None else seen.kin
    if not kin and trust.common is not None:
        kin = git.find_kin(project.root)
    with locked(trust.folder.path(marker.mark), owner="trust", clock=project.clock):
        known = trust.folder.read(marker.mark) or before
        natural = project.identity.natural
        record = TrustRecord(
            root=str(project.root),
            project_id=project.id,
            natural="" if natural == name_after(project.root) else natural,
            private=private or (known is not None and known.private),
            data=data or (known is not None and known.data),
            said=said or (known is not None and known.said),
            kin=kin,
            acts={**({} if known is None or only_these else known.acts), **kept},
            at=to_iso(project.clock.now_ms()),
            by=by,
        )
        trust.folder.write(marker.mark, record)
    return record
