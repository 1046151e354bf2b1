"""Trust a repository, look at what that would mean, or take it back.

What acts is trusted with the content that was shown, and not with what a file holds a moment
later. What is only data is trusted with its repository.
"""

from __future__ import annotations

import difflib
from dataclasses import replace

from agentx.host.files.plain import remove_tree
from agentx.kernel.paths import ProjectPaths
from agentx.kernel.values import frozen
from agentx.operations.setup.writers import WriterView, accept_repository, list_writers
from agentx.project.audit import AuditAct, record_act
from agentx.project.claims import write_record
from agentx.project.project import Project, open_project
from agentx.project.trust.holdings import Holding, list_holdings
from agentx.project.trust.record import TrustRecord
from agentx.project.trust.trust import ActingFile, ActingState
from agentx.wiring.keeping.adopting import adopt_private
from agentx.wiring.runs import open_kept
from agentx.wiring.section import renew_notices
from agentx.wiring.trust.git_refusal import require_git
from agentx.wiring.trust.keys import open_keyring
from agentx.wiring.trust.persons_word import require_person

_DIFF_LINES_MAX = 2_000


@frozen
class ActingView:
    """A file that acts, as a person is shown it."""

    path: str
    state: str
    text: str  # what it holds; what changed, where it was trusted before and that is no longer


@frozen
class TrustReply:
    """What is trusted of a repository, and what is not."""

    root: str
    marker: str  # where it lies, or would lie
    data_trusted: bool
    at: str  # when something was last trusted; empty for never
    by: str
    acting: tuple[ActingView, ...]
    data: tuple[Holding, ...]
    never_ours: tuple[str, ...]  # private folders that git tracks
    writers: tuple[WriterView, ...] = ()  # of questions
    runs: tuple[str, ...] = ()  # branches of remotes with runs that are taken in once it is trusted
    adopted: int = 0  # observations of ours that moved into the repository's folder

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to trust."""
        untrusted = [each for each in self.acting if each.state in _ASKED]
        return not untrusted and (self.data_trusted or not self.data)


_ASKED = (ActingState.NEW, ActingState.CHANGED)


def look_at_trust(project: Project) -> tuple[TrustReply, tuple[ActingFile, ...]]:
    """Return what is trusted of a project's repository and what would be; and the files shown."""
    trust, record = project.trust, project.trust.record()
    files = trust.acting_files()
    tracked = project.private.list_tracked()
    reply = TrustReply(
        root=str(project.root),
        marker=str(trust.marker_path),
        data_trusted=trust.has_data,
        at=record.at if record is not None and _trusts(record) else "",
        by=record.by if record is not None and _trusts(record) else "",
        acting=tuple(_view(file) for file in files),
        data=_list_data(project.paths, tracked, is_ours=trust.has_private),
        never_ours=tracked,
        writers=list_writers(project),
        runs=_list_runs_elsewhere(project),
    )
    return reply, files


def require_person_to_trust(project: Project) -> None:
    """Refuse an agent that would trust a repository.

    Raises: NotThePerson.
    """
    require_person(project, "what may be trusted", hint="agentx trust", about="trust")


def give_trust(project: Project, files: tuple[ActingFile, ...]) -> TrustReply:
    """Trust a repository: these files with this content, and its data.

    Raises: UnavailableError, also for a repository that git refuses: nothing would be known of it
        by its marker; ConflictError; NotThePerson for an agent.
    """
    require_person_to_trust(project)
    require_git(project)
    acts = {file.path: file.content for file in files if file.state is not ActingState.UNREADABLE}
    write_record(project, "trust", private=True, data=True, said=True, acts=acts, only_these=True)
    adopted = adopt_private(project)
    accept_repository(project)
    record_act(project, AuditAct.TRUSTED, acts=sorted(acts))
    _renew(project)
    reply, _ = look_at_trust(project)
    return replace(reply, adopted=adopted)


def revoke_trust(project: Project) -> bool:
    """Make a repository a stranger's again; tell whether it was trusted.

    Raises: NotThePerson for an agent: what waits for a person would be hidden from them;
        UnavailableError, LockHeld.
    """
    require_person_to_trust(project)
    marker = project.trust.marker()
    open_keyring(project).withdraw_all()
    was_trusted = marker is not None and project.trust.folder.remove(marker.mark)
    if was_trusted:
        record_act(project, AuditAct.REVOKED)
        # What hooks print was prepared while it was trusted; what may be told is prepared anew.
        remove_tree(project.store.digests)
        _renew(project)
    return was_trusted


def _renew(project: Project) -> None:
    """Prepare what hooks find, by the settings that are trusted now."""
    renew_notices(open_project(project.directory, project.environment))


def _trusts(record: TrustRecord) -> bool:
    """Tell whether a record says more than where the repository is."""
    return record.private or record.data or bool(record.acts)


def _list_data(
    paths: ProjectPaths, tracked: tuple[str, ...], *, is_ours: bool
) -> tuple[Holding, ...]:
    """Return the data that trust is about: observations are, where they are not ours anyway."""
    return tuple(
        each
        for each in list_holdings(paths)
        if each.kind != "observations" or not (is_ours or "memory" in tracked)
    )


def _list_runs_elsewhere(project: Project) -> tuple[str, ...]:
    kept = None if project.trust.was_said else open_kept(project)
    return () if kept is None else kept.list_ahead()


def _view(file: ActingFile) -> ActingView:
    text = file.content.decode("utf-8", "replace")
    if file.state is ActingState.CHANGED and file.trusted is not None:
        text = _tell_change(file.trusted.decode("utf-8", "replace"), text)
    elif file.state is ActingState.TRUSTED:
        text = ""
    return ActingView(path=file.path, state=file.state, text=text)


def _tell_change(before: str, now: str) -> str:
    """Return what changed, line by line; all that stands there now, where that would be longer.

    Never a part of it: whoever agrees has been shown what will act.
    """
    # By the ends of lines that files have: other separators are part of what is compared.
    old, new = before.split("\n"), now.split("\n")
    if max(len(old), len(new)) > _DIFF_LINES_MAX:
        return now
    return "\n".join(difflib.unified_diff(old, new, "trusted", "now", lineterm=""))
