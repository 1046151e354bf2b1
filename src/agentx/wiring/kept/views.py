"""The views of one project's memory, put together in the order they catch up.

    toc --> lessons, observations --> search --> recalls --> digests

Who only reads the log imports nothing of this.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from agentx.conversation.contents import Contents
from agentx.conversation.model import is_lived
from agentx.conversation.store.feed import Feed
from agentx.host.files.plain import exists
from agentx.host.kv.port import KeyValue
from agentx.kernel.bus import Bus, HowFar
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.llm.settings import LlmSettings
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.limits import POLISH_SEGMENTS_MAX
from agentx.memory.local import ViewSet
from agentx.memory.port import Readable
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.project.settings import RecallSettings
from agentx.project.settlement import read_noted_role
from agentx.project.zone import project_zone
from agentx.views.digests import Digests
from agentx.views.documents.rooms import Rooms
from agentx.views.lesson_pages import LessonPages
from agentx.views.port import View
from agentx.views.recall_tally import RecallTally
from agentx.views.search_view import SearchView
from agentx.views.sessions.observer import Observer
from agentx.views.store import CaptureMarks
from agentx.views.toc_view import TocView
from agentx.wiring.rooms import searchable_rooms

if TYPE_CHECKING:
    from agentx.conversation.toc_model import Segment
    from agentx.lessons.service import Lessons
    from agentx.observations.model import Observation, SearchFilters
    from agentx.observations.service import Observations
    from agentx.recall.history.sources import HistorySources
    from agentx.recall.question.answer import Searched
    from agentx.views.sessions.ahead import SessionsAhead
    from agentx.views.sessions.capture import Judge


@frozen
class ViewSource:
    """What the views of one project are made from."""

    project: Project  # whose store it is, and whose rooms
    name: str  # of the project in it
    kv: KeyValue
    bus: Bus
    contents: Contents
    feed: Feed
    reader: Readable
    observations: Callable[[], Observations]
    ahead: Callable[[], SessionsAhead]

    @property
    def is_own(self) -> bool:
        """Tell whether it is the project whose folder is known here: others have no rooms."""
        return self.name == self.project.id


def open_views(source: ViewSource) -> ViewSet:
    """Return the views of a project and what answers from them."""
    project, contents = source.project, source.contents
    _drop_vectors(project)
    rooms = searchable_rooms(project) if source.is_own else Rooms()
    text = _index(source, rooms)
    observers = (_observer(source),) if source.is_own else ()
    recalled = project.store.recall_counts(source.name)
    following: tuple[View, ...] = (*observers, text, RecallTally(recalled, source.reader))
    if source.is_own:
        lessons = LessonPages(
            project.paths.lessons, partial(_lessons, project), lambda: project.trust.has_data
        )
        digests = open_digests(
            project,
            source.reader,
            _stamp(project, rooms),
            partial(_list_days, source.feed),
        )
        following = (lessons, *following, digests)
    return ViewSet(
        toc=TocView(contents),
        search=text,
        following=following,
        answer=_answer(source, text),
        polish=partial(_polish, source, observers),
        capture_due=partial(_capture_due, observers),
        ahead=source.ahead,
    )


def open_digests(
    project: Project,
    reader: Readable,
    stamp: Callable[[], str],
    news: Callable[[], str] = str,
) -> Digests:
    """Return the digests of a project; `stamp` and `news` change when what they are made from does.

    `news` does where there is only more to tell.
    """

    def write(made_from: str) -> int:
        from agentx.wiring.section import renew_digests  # noqa: PLC0415  only when there is news

        return renew_digests(project, reader, made_from)

    return Digests(store=project.store, clock=project.clock, stamp=stamp, news=news, write=write)


def _answer(source: ViewSource, text: SearchView) -> Callable[[SearchRequest], SearchReply]:
    # Only who asks a question waits for the import of what answers one.
    @cache
    def sources() -> tuple[Searched, HistorySources]:
        from agentx.recall.history.sources import HistorySources  # noqa: PLC0415  see above
        from agentx.recall.question.answer import Searched  # noqa: PLC0415  see above
        from agentx.recall.usage import RecallUsage  # noqa: PLC0415  see above

        zone = project_zone(source.project)
        searched = Searched(
            view=text,
            contents=source.contents,
            project=source.name,
            zone=zone,
            usage=RecallUsage(source.project.store.recall_counts(source.name)).now,
        )
        history = HistorySources(reader=source.reader, zone=zone)
        if source.is_own:
            own = source.project
            history = replace(
                history, ready=partial(_ready, own), learnt=partial(_list_learnt, own)
            )
        return searched, history

    def answer(request: SearchRequest) -> SearchReply:
        from agentx.recall.ask import ask  # noqa: PLC0415  see above

        return ask(*sources(), request)

    return answer


def _list_learnt(project: Project, filters: SearchFilters) -> tuple[Observation, ...]:
    """Return the observations that pass filters, newest first; none where they cannot be read."""
    from agentx.wiring.observations import open_observations  # noqa: PLC0415  few ask for a kind

    try:
        room = open_observations(project)
    except AgentXError:
        return ()
    try:
        found = room.store.search_by_filters(filters)
        return room.store.get_by_ids(each.id for each in found)
    except AgentXError:
        return ()
    finally:
        room.close()


def _drop_vectors(project: Project) -> None:
    """Take away what an earlier version kept to search by meaning: it would outlive forgetting."""
    folder = project.store.vector_index
    if folder.is_dir():
        import shutil  # noqa: PLC0415  once, after an upgrade

        shutil.rmtree(folder, ignore_errors=True)


def _index(source: ViewSource, rooms: Rooms) -> SearchView:
    project, name = source.project, source.name
    is_shared = project.store.root == project.data.unified_store.root
    return SearchView(
        source.feed,
        # Projects that share a store have an index each.
        folder=project.store.text_index / name if is_shared else project.store.text_index,
        project=name,
        clock=project.clock,
        rooms=rooms,
        lost=partial(_note_lost, project),
    )


def _note_lost(project: Project, entries: int) -> None:
    from agentx.capture.faults import Faults  # noqa: PLC0415  after damage only

    said = f"{entries:,} entries that were read before are gone"
    Faults(project.store.faults, project.clock).report(
        "the end of the log is gone", file=str(project.store.db), reason=said
    )


def _observer(source: ViewSource) -> Observer:
    project = source.project
    settings = project.config.section(MemorySettings)
    return Observer(
        source=source.feed,
        marks=CaptureMarks(source.kv, project.id),
        folder=lambda: project.observations,
        enabled=settings.enabled,
        issue=settings.issue,
        at_work=partial(_list_at_work, project),
        room=source.observations,
        judge=partial(_open_judge, project),
        with_imported=project.config.section(LlmSettings).imported,
        rebuild_words=partial(_rebuild_words, project),
        log=project.log,
        clock=project.clock,
        bus=source.bus,
        ahead=source.ahead,
    )


def _open_judge(project: Project) -> AbstractContextManager[Judge | None]:
    from agentx.wiring.models import model_judge  # noqa: PLC0415  only where there is something to judge

    return model_judge(project)


def _list_at_work(project: Project) -> list[tuple[str, int, Millis]]:
    """Return who began with an issue and has not ended."""
    from agentx.wiring.work import open_agents  # noqa: PLC0415  only a capture asks
    from agentx.work.model import AgentState  # noqa: PLC0415

    rest = (AgentState.IDLE, AgentState.DONE)
    return [
        (one.agent, one.issue, one.last_activity_ms)
        for one in open_agents(project).all()
        if one.state not in rest and one.issue is not None and one.last_activity_ms is not None
    ]


def _capture_due(observers: tuple[Observer, ...], told: HowFar) -> None:
    for observer in observers:
        observer.capture_due(told)


def _polish(source: ViewSource, observers: tuple[Observer, ...]) -> int:
    for observer in observers:
        observer.polish()
    with_imported = source.project.config.section(LlmSettings).imported

    def may_show(segment: Segment) -> bool:
        return with_imported or is_lived(segment.events)

    from agentx.wiring.models import model_writer  # noqa: PLC0415  only who has a model to ask

    with model_writer(source.project) as writer:
        if writer is None:
            return 0
        return source.contents.polish(writer, POLISH_SEGMENTS_MAX, may_show)


def _list_days(feed: Feed) -> str:
    return repr(feed.node_versions("toc:day:"))


def _stamp(project: Project, rooms: Rooms) -> Callable[[], str]:
    from agentx.wiring.section import open_stamp  # noqa: PLC0415  only for who writes digests

    asked, settings = open_stamp(project), _read_settings(project)
    return lambda: repr(
        (
            *(settings, project.trust.has_data, rooms.stamps(), _look_at_branches(project)),
            *(read_noted_role(project), asked()),
        )
    )


def _read_settings(project: Project) -> object:
    section = project.config.section
    # What hooks look actions up in names the files, so a file that was only touched counts too.
    return section(MemorySettings), section(RecallSettings), project.config.stamp


def _look_at_branches(project: Project) -> str:
    """Return what is checked out, and what branches look like once something was learnt on one."""
    common = project.trust.common
    if common is None:
        return ""
    from agentx.host.git.heads import list_checkouts, look_at_refs  # noqa: PLC0415  only in git

    is_bound = exists(project.store.branches)
    mark = look_at_refs(common, project.clock.now_ms()).mark if is_bound else ""
    return repr((mark, [each.branch for each in list_checkouts(common)]))


def _rebuild_words(project: Project) -> int:
    from agentx.wiring.observation_upkeep import rebuild_observation_words  # noqa: PLC0415  when asked

    return rebuild_observation_words(project)


def _ready(project: Project) -> tuple[str, ...]:
    from agentx.wiring.section import work_lines  # noqa: PLC0415  most questions ask for no work

    return work_lines(project)


def _lessons(project: Project) -> Lessons:
    from agentx.wiring.taught.lessons import open_lessons  # noqa: PLC0415  most projects have none

    return open_lessons(project)
