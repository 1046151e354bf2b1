"""Say what is remembered and what is running."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from agentx.conversation.model import LIVE_HOURS_MAX, Session, SessionQuery
from agentx.host.files.notes import NoteFile, find_noted, look_at, look_below
from agentx.host.files.plain import exists, is_folder
from agentx.kernel.clock import HOUR_MS, Millis
from agentx.kernel.errors import UnavailableError, UnsafePath
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.values import frozen
from agentx.llm.settings import LlmSettings
from agentx.memory.port import Memory, MemoryStatus
from agentx.observations.settings import MemorySettings
from agentx.operations.capture.waiting import WaitingRecords, list_waiting
from agentx.operations.limits import LIVE_SESSIONS_SHOWN
from agentx.operations.upkeep.strangers import list_untrusted
from agentx.project.config import SettingFault
from agentx.project.project import Project, Rule
from agentx.project.roles.played import PlayedRole, decide_role
from agentx.search.model import IndexReport

if TYPE_CHECKING:
    from agentx.clarification.model import Clarification

Counted = TypeVar("Counted", int, str, "tuple[WaitingQuestion, ...]")

_HOOKS = "hooks"
_FILES = "settings files"  # that say which hooks are installed


@frozen
class WaitingQuestion:
    """A question that waits for a person."""

    id: str
    issue: int
    asker: str
    topic: str
    blocking: bool  # its asker cannot go on
    run: str = ""  # that asks it; then there is no issue


@frozen
class RoomsStatus:
    """What the rooms beside the log hold."""

    observations: int
    lessons: int
    questions_open: int
    questions_unread: int  # issues whose ledger cannot be read: nobody knows what waits there
    questions_yours: tuple[WaitingQuestion, ...]  # that wait for a person
    questions_contested: tuple[str, ...]  # what stands, and somebody said otherwise
    questions_answered: int  # of the open: a person has answered, and who asked goes on with that
    active_run: str

    @property
    def questions_between_agents(self) -> int:
        """How many of the open wait for an agent's word."""
        return self.questions_open - len(self.questions_yours) - self.questions_answered


@frozen
class ToldStatus:
    """What sessions were told, and what came of it."""

    lines: int  # how often a line was told
    things: int  # how many different things those were
    opened: int  # of those, how many somebody opened
    at_prompts: int = 0  # lines, of the last times
    at_actions: int = 0


@frozen
class StatusReply:
    """One look at the project's memory."""

    project_id: str
    root: str
    rule: str
    store: str
    memory: MemoryStatus
    indexes: IndexReport
    rooms: RoomsStatus
    hooks: tuple[str, ...]
    hooks_differing: tuple[str, ...]  # there, but not as this version has them
    waiting: tuple[WaitingRecords, ...]  # what lies in any spool, and why
    told: ToldStatus
    role: PlayedRole = PlayedRole()  # that is played here, and what says so
    live: tuple[Session, ...] = ()  # sessions that may be going on, newest first
    untrusted: tuple[str, ...] = ()  # what lies in the repository and is neither obeyed nor told
    passed_over: tuple[SettingFault, ...] = ()  # of the settings
    model_rests: str = ""  # why the model is not asked now
    git_refuses: str = ""  # the repository this folder lies in, and how to mend that
    editors: tuple[str, ...] = ()  # whose agents can ask; nothing of them is captured


def status(project: Project, memory: Memory) -> StatusReply:
    """Say what is remembered of this project, and what is running."""
    notes = NoteFile(project.store.notes, project.clock)
    hooks = _hooks(project, notes)
    return StatusReply(
        project_id=project.id,
        root=str(project.root),
        rule=project.identity.rule,
        store=str(project.store.root),
        memory=_look_at(project, memory),
        indexes=memory.index_report(),
        rooms=_rooms(project, notes),
        hooks=hooks.installed,
        hooks_differing=hooks.differing,
        waiting=list_waiting(project),
        told=_count_told(project),
        role=decide_role(project),
        live=list_live(memory, project.clock.now_ms()),
        untrusted=list_untrusted(project),
        passed_over=project.config.faults,
        model_rests=_explain_rest(project),
        git_refuses=_explain_refusal(project),
        editors=hooks.editors,
    )


def _explain_rest(project: Project) -> str:
    if not project.config.section(LlmSettings).provider:
        return ""
    from agentx.wiring.models import explain_rest  # noqa: PLC0415  only who has a model

    return explain_rest(project)


def _explain_refusal(project: Project) -> str:
    if project.identity.rule is not Rule.DIRECTORY:
        return ""
    from agentx.wiring.trust.git_refusal import find_git_refusal  # noqa: PLC0415  few folders

    refused = find_git_refusal(project)
    return "" if refused is None else f"{refused.message}; {refused.hint}"


def _look_at(project: Project, memory: Memory) -> MemoryStatus:
    found = memory.status()
    if exists(project.store.db):
        return found
    # Where no store was begun an empty one is read, which lies elsewhere and goes with the reader.
    return replace(found, log=replace(found.log, bytes_on_disk=0))


def list_live(memory: Memory, now_ms: Millis) -> tuple[Session, ...]:
    """Return the sessions that may be going on, newest first."""
    since_ms = Millis(max(now_ms - LIVE_HOURS_MAX * HOUR_MS, 0))
    found = memory.sessions(
        SessionQuery(since_ms=since_ms, limit=LIVE_SESSIONS_SHOWN, short_ids=True)
    )
    return tuple(one for one in found if one.is_live(now_ms))


def _count_told(project: Project) -> ToldStatus:
    path = project.store.recall_counts(project.id)
    if not exists(path):
        return ToldStatus(lines=0, things=0, opened=0)
    from agentx.views.recall_tally import list_tellings, recall_counts, use_counts  # noqa: PLC0415  once something was told

    counts, uses = recall_counts(path), use_counts(path)
    of_moment = Counter[str]()
    for one in list_tellings(path):
        of_moment[one.moment] += len(one.ids)
    return ToldStatus(
        lines=sum(each.count for each in counts.values()),
        things=len(counts),
        opened=sum(doc_id in uses for doc_id in counts),
        at_prompts=of_moment["prompt"],
        at_actions=of_moment["action"],
    )


@frozen(kw_only=False)
class _Hooks:
    """The agent CLIs that have hooks of ours, as they should be and otherwise; the editors."""

    installed: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()


def _hooks(project: Project, notes: NoteFile) -> _Hooks:
    """Return the agent CLIs whose hooks are installed; their files say whether that was noted."""
    homes = repr(project.environment.homes)
    beside = (sys.executable, homes, str(project.data.root), str(project.root))
    noted = notes.read(_FILES, look_at((), *beside))
    paths = noted if isinstance(noted, list) else []
    found = notes.read(_HOOKS, look_at(map(Path, paths), *beside)) if paths else None
    if isinstance(found, dict) and "editors" in found:  # an older version noted less
        return _Hooks(*(tuple(found[name]) for name in ("installed", "differing", "editors")))
    from agentx.operations.setup.installation import setup_inputs  # noqa: PLC0415  all that edits settings
    from agentx.operations.setup.installed import (  # noqa: PLC0415  as above
        list_differing,
        list_editor_files,
        list_editors,
        list_installed,
        list_settings_files,
    )

    inputs = setup_inputs(project)
    files = list_settings_files(project, inputs)
    files = (*files, *list_editor_files(project, inputs)) if files else ()
    look = look_at(files, *beside)
    editors = tuple(dict.fromkeys(each.title for each in list_editors(project, inputs)))
    hooks = _Hooks(list_installed(project, inputs), list_differing(project, inputs), editors)
    if files:
        notes.write(_FILES, look_at((), *beside), [str(file) for file in files])
        named = {"installed": hooks.installed, "differing": hooks.differing, "editors": editors}
        notes.write(_HOOKS, look, named)
    return hooks


def _rooms(project: Project, notes: NoteFile) -> RoomsStatus:
    """Count what the rooms hold; one that is not there costs nothing."""
    told = project.trust.has_data

    def count(folder: Path | None, room: Callable[[], Counted], nothing: Counted) -> Counted:
        try:
            return room() if folder is None or is_folder(folder) else nothing
        except (UnsafePath, UnavailableError):
            return nothing  # `doctor` names what is in the way

    has_lessons = told and any(map(is_folder, project.taught))
    asked, contested, unread = _questions(project)
    has_told_runs = told and project.has_runs
    of_runs = count(None, lambda: _list_of_runs(project), ()) if has_told_runs else ()
    return RoomsStatus(
        observations=count(project.observations, lambda: _observations(project, notes), 0),
        lessons=count(None, lambda: _lessons(project), 0) if has_lessons else 0,
        questions_open=len(asked) + len(of_runs),
        questions_unread=unread,
        questions_yours=(*_list_yours(asked), *of_runs),
        questions_contested=contested,
        questions_answered=_count_answered(asked),
        active_run=count(None, lambda: _run(project), "") if has_told_runs else "",
    )


def _observations(project: Project, notes: NoteFile) -> int:
    def count() -> int:
        from agentx.wiring.observations import open_observations  # noqa: PLC0415  a room that is empty costs nothing

        with closing(open_observations(project)) as room:
            return room.stats().total_observations

    backend = project.config.section(MemorySettings).backend
    look = look_below(project.observations, beside=backend)
    return int(find_noted(notes, "observations", look, count))


def _lessons(project: Project) -> int:
    from agentx.wiring.taught.lessons import open_lessons  # noqa: PLC0415  as above

    known = open_lessons(project).read().known
    return sum(lesson.is_active for lesson in known.lessons.values())


def _run(project: Project) -> str:
    from agentx.wiring.runs import active_run  # noqa: PLC0415  as above

    return active_run(project)


def _list_of_runs(project: Project) -> tuple[WaitingQuestion, ...]:
    from agentx.wiring.runs import list_run_questions  # noqa: PLC0415  as above

    return tuple(
        WaitingQuestion(
            id=one.asked.id,
            issue=0,
            asker=one.asked.actor,
            topic=one.asked.question,
            blocking=one.asked.blocking,
            run=one.run_id,
        )
        for one in list_run_questions(project)
    )


def _questions(project: Project) -> tuple[tuple[Clarification, ...], tuple[str, ...], int]:
    """Return what is asked, what is contested, and of how many issues that cannot be read.

    In a repository that is not trusted that is what the user, or who they trust, signed.
    """
    try:
        if not any(map(is_folder, project.asked)):
            return (), (), 0
        from agentx.wiring.clarifications import (  # noqa: PLC0415  as above
            keep_signed,
            list_contested,
            open_clarifications,
        )

        survey = open_clarifications(project).survey()
        if project.trust.has_data:
            contested = tuple(str(state.id) for state, _ in list_contested(project))
            return survey.active, contested, len(survey.closed)
        return keep_signed(project, survey.active), (), len(survey.closed)
    except UnsafePath:
        return (), (), 0  # `doctor` names what is in the way


def _count_answered(asked: tuple[Clarification, ...]) -> int:
    if not asked:
        return 0
    from agentx.clarification.watch.inbox import is_left_to_asker  # noqa: PLC0415  as above

    return sum(map(is_left_to_asker, asked))


def _list_yours(asked: tuple[Clarification, ...]) -> tuple[WaitingQuestion, ...]:
    if not asked:
        return ()
    from agentx.clarification.watch.inbox import inbox_among  # noqa: PLC0415  as above

    return tuple(
        WaitingQuestion(
            id=state.id,
            issue=state.issue,
            asker=state.asker,
            topic=state.topic,
            blocking=state.holds_its_asker,
        )
        for state in inbox_among(asked, PERSON_ROLE)
    )
