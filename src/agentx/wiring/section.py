"""The recall section of a project: its sources opened, its notices and digests renewed.

Most projects use few rooms, and a session waits for this: a room is imported where something of
it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from agentx.host.files.plain import is_folder, look, read_bytes
from agentx.host.git.heads import has_branches
from agentx.kernel.errors import AgentXError, DataError, UnavailableError
from agentx.kernel.ids import digest
from agentx.kernel.places import (
    DIGESTS_STAMP,
    NOTICES_STAMP,
    SETTINGS_STAMP,
    find_change,
    stamp_questions,
)
from agentx.kernel.text import preview
from agentx.memory.found import KINDS, REPOSITORY_KINDS, SearchReply, SearchRequest
from agentx.memory.port import Readable
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.project.settings import RecallSettings
from agentx.project.settlement import is_settled, read_noted_role, settle
from agentx.project.trust.private import AGENT_STATUS
from agentx.project.zone import project_zone
from agentx.prose.sentences import ELLIPSIS
from agentx.recall.section.moment import Present
from agentx.recall.section.sources import About, Sources
from agentx.recall.section.standing import RunAnswer, Standing

if TYPE_CHECKING:
    from agentx.lessons.model import Lesson
    from agentx.observations.service import Observations
    from agentx.project.trust.keyring import Keyring
    from agentx.recall.section.learnt import Memories
    from agentx.wiring.bound.bounds import Bounds
    from agentx.wiring.observations import OpenObservations


Search = Callable[[SearchRequest], SearchReply]
_RUN_QUESTION_CHARS_MAX = 200
_REPLACED = 60  # of what was replaced, the newest: the newest days may still say it


@contextmanager
def section_sources(
    project: Project,
    reader: Readable | None = None,
    search: Search | None = None,
    *,
    may_wait: bool = False,
    kept: OpenObservations | None = None,
) -> Iterator[Sources]:
    """Open what a section is made from; without a memory, the rooms alone.

    `may_wait`: nobody is waiting for it, so git may take its time. `kept` is what whoever makes
    many sections leaves open.
    """
    rooms = _Rooms(project, may_wait=may_wait, kept=kept)
    if search is not None:
        is_told = project.trust.has_data
        search = _mark_found(project, search) if is_told else _leave_out_strangers(search)
    try:
        yield Sources(
            now=Present(now_ms=project.clock.now_ms(), zone=project_zone(project)),
            standing=rooms.standing,
            run=rooms.run,
            memories=rooms.list_memories,
            lessons=rooms.lessons,
            report=rooms.report,
            tokens_max=project.config.section(MemorySettings).tokens_told,
            untold=project.private.say_untold(),
            reader=reader,
            search=search,
        )
    finally:
        rooms.close()


def work_lines(project: Project) -> tuple[str, ...]:
    """Say which issues can be begun, a line each; cheap, and never asks the network."""
    rooms = _Rooms(project)
    try:
        return rooms.standing().work()
    finally:
        rooms.close()


def renew_notices(project: Project) -> None:
    """Bring every notice up to date; what cannot be told is logged, and holds nobody up."""
    from agentx.recall.section import notices  # noqa: PLC0415  only what changes something pays for it

    def gather() -> Sources:
        with section_sources(project) as sources:
            return sources

    try:
        if not is_settled(project):
            settle(project)  # so that the hook finds the notices
        statuses = project.private.place(AGENT_STATUS)
        stamp = open_stamp(project)
        notices.renew_notices(gather, project.paths, statuses, project.store, stamp)
    except AgentXError as error:
        project.log.record("warning", "notice-left-out", message=error.message)


def renew_digests(project: Project, reader: Readable, made_from: str = "") -> int:
    """Bring notices and digests up to date; return how many digests changed.

    Who has no time to end it leaves those that were made: whoever comes next makes the others, as
    long as `made_from`, and what was asked, is the same.
    """
    from agentx.recall.section.digests import prepare_digests  # noqa: PLC0415  only when there is news
    from agentx.recall.section.notices import put_bytes, put_text  # noqa: PLC0415  as above

    stamp = open_stamp(project)()  # first: what is said meanwhile is not in them
    renew_notices(project)
    with section_sources(project, reader, may_wait=True) as sources:
        role, here = read_noted_role(project), _list_checked_out(project)
        noted = digest(made_from, stamp.hex()).hex() if made_from else ""
        written = prepare_digests(sources, project.store, here, role, noted)
        put_bytes(project.store.digests / DIGESTS_STAMP, stamp)
        written += _renew_cautions(project, sources)
        put_bytes(project.store.digests / SETTINGS_STAMP, project.config.stamp)
        put_text(project.store.digests_begun, "")
    return written


def _renew_cautions(project: Project, sources: Sources) -> bool:
    """Bring up to date what hooks look actions up in; say whether it changed."""
    from agentx.recall.section.notices import put_text  # noqa: PLC0415  only when there is news
    from agentx.recall.telling.bar import bar_of  # noqa: PLC0415  as above
    from agentx.recall.telling.cautions import (  # noqa: PLC0415  as above
        CAUTIONS_LOOKED_AT,
        prepare_cautions,
    )

    bar, made = bar_of(project.config.section(RecallSettings).at_action), ""
    if bar is not None:
        found = sources.memories(About(), CAUTIONS_LOOKED_AT)
        known = found.weighed if found.tokens_max else ()
        made = prepare_cautions(known, replace(sources.now, is_prepared=True), bar)
    return put_text(project.store.cautions, made)


def _list_checked_out(project: Project) -> list[str]:
    """Return the branches of the working trees of a project, that of this one first."""
    from agentx.host.git.heads import list_checkouts, read_checkout  # noqa: PLC0415  only when there is news

    here, common = read_checkout(project.directory), project.trust.common
    found = (here, *(list_checkouts(common) if common is not None else ()))
    return [each.branch for each in found if each is not None]


def _leave_out_strangers(search: Search) -> Search:
    """Return a search that finds nothing of what came with the repository."""

    def answer(request: SearchRequest) -> SearchReply:
        wanted = request.kinds or KINDS
        own = tuple(kind for kind in wanted if kind not in REPOSITORY_KINDS)
        return search(replace(request, kinds=own)) if own else SearchReply(hits=())

    return answer


def _mark_found(project: Project, search: Search) -> Search:
    """Return a search that says what must be told with what it finds, before what it may cut."""
    if not (project.has_runs or any(map(is_folder, project.asked))):
        return search

    def answer(request: SearchRequest) -> SearchReply:
        from agentx.wiring.told.against import tell_against  # noqa: PLC0415  somebody asked something

        found = search(request)
        marks = tell_against(project, ((hit.kind, hit.doc_id) for hit in found.hits))
        told = (
            replace(hit, snippet=_put_before(hit.snippet, marks[hit.doc_id]))
            if hit.doc_id in marks
            else hit
            for hit in found.hits
        )
        return replace(found, hits=tuple(told)) if marks else found

    return answer


def _put_before(snippet: str, mark: str) -> str:
    """Return an excerpt with a mark in front; one that begins within a sentence still does."""
    begins = ELLIPSIS if snippet.startswith(ELLIPSIS) else ""
    return f"{begins}({mark}) {snippet.removeprefix(ELLIPSIS)}"


class _Rooms:
    """The rooms of a project, each opened when it is first asked."""

    def __init__(
        self, project: Project, *, may_wait: bool = False, kept: OpenObservations | None = None
    ) -> None:
        self._project = project
        self._kept = kept
        self._may_wait = may_wait
        self._may_tell = project.trust.has_data  # what came with a stranger's repository
        self._observed: Observations | None = None
        self._bounds: Bounds | None = None

    def close(self) -> None:
        if self._observed is not None and self._kept is None:
            self._observed.close()

    def report(self, error: AgentXError) -> None:
        self._project.log.record("warning", "recall-left-out", message=error.message)

    def standing(self) -> Standing:
        """Say how things stand; cheap, and never asks the network."""
        project = self._project
        if not self._may_tell:
            return self._own_questions()
        of_runs, run_answers = self._look_at_runs()
        work = replace(self._work(), of_runs=of_runs, run_answers=run_answers)
        if not any(map(is_folder, project.asked)):
            return work
        from agentx.clarification.watch.inbox import inbox_among  # noqa: PLC0415  somebody asked something
        from agentx.wiring.clarifications import (  # noqa: PLC0415  as above
            blocking_among,
            list_told,
            open_clarifications,
            tell_states,
        )

        survey = open_clarifications(project).survey()
        asked = tell_states(project, list_told(survey))
        return Standing(
            issues=work.issues,
            agents=work.agents,
            of_runs=work.of_runs,
            run_answers=work.run_answers,
            asked=asked,
            inbox=lambda who: inbox_among(asked, who),
            blocking=blocking_among(project, survey),
        )

    def _own_questions(self) -> Standing:
        """Say what the user's agents asked and were answered: the rest may be a stranger's."""
        if not any(map(is_folder, self._project.asked)):
            return Standing()
        from agentx.clarification.watch.inbox import inbox_among  # noqa: PLC0415  somebody asked something
        from agentx.wiring.told.inbox_lines import list_own_told  # noqa: PLC0415  as above

        asked = list_own_told(self._project)
        return Standing(asked=asked, inbox=lambda who: inbox_among(asked, who))

    def _look_at_runs(self) -> tuple[tuple[tuple[str, int], ...], tuple[RunAnswer, ...]]:
        """Return what runs ask the person, and what people answered lately."""
        if not self._project.has_runs:
            return (), ()
        from agentx.runs.rendering import tell_answered  # noqa: PLC0415  runs are there
        from agentx.wiring.runs import (  # noqa: PLC0415  as above
            list_answered_lately,
            list_asking_runs,
            list_run_questions,
        )

        asking = list_asking_runs(self._project)
        found = []
        for one in list_run_questions(self._project, asking):
            asked = preview(one.asked.question, _RUN_QUESTION_CHARS_MAX)
            says = f"{asked} -- the user decides in a terminal: {one.command}"
            found.append((says, one.asked.at_ms))
        answers = tuple(
            RunAnswer(
                id=each.id,
                stage=f"{each.id}:{len(each.answers) + len(each.claims)}",
                run_id=run.id,
                text=tell_answered(each),
                at_ms=each.resolved_ms or each.at_ms,
            )
            for run, each in list_answered_lately(self._project, asking)
        )
        return tuple(found), answers

    def _work(self) -> Standing:
        if not is_folder(self._project.paths.issues):
            return Standing()
        from agentx.wiring.work import is_github, issue_store, open_agents  # noqa: PLC0415  issues are there

        if is_github(self._project):
            return Standing()
        try:
            issues = issue_store(self._project).all(with_closed=False)
            return Standing(issues=issues, agents=open_agents(self._project).all())
        except (DataError, UnavailableError):
            return Standing()  # `doctor` and the commands say what is wrong; a session must begin

    def run(self) -> tuple[str, tuple[str, ...]]:
        if not (self._may_tell and self._project.has_runs):
            return "", ()
        from agentx.wiring.runs import active_run, digest_lines  # noqa: PLC0415  runs are there

        return active_run(self._project), digest_lines(self._project)

    def list_memories(self, about: About, limit: int) -> Memories:
        from agentx.recall.section.learnt import Memories, WeighedMemory  # noqa: PLC0415  observations are there

        if not is_folder(self._project.observations):
            return Memories()
        from agentx.observations.model import Recall, SearchFilters  # noqa: PLC0415  as above
        from agentx.observations.tidying.dropping import list_unsaid  # noqa: PLC0415  as above
        from agentx.observations.tidying.lists import list_parts  # noqa: PLC0415  as above
        from agentx.recall.section.taken_down import take_down  # noqa: PLC0415  as above
        from agentx.wiring.observations import open_observations  # noqa: PLC0415  as above
        from agentx.wiring.vouched.store import tell_other_issue  # noqa: PLC0415  as above

        if self._observed is None:
            kept, project = self._kept, self._project
            self._observed = kept.of(project) if kept is not None else open_observations(project)
        asked = Recall(agent=about.role, issue_number=about.issue or 0, context=about.context)
        best = self._observed.best(asked, limit)
        parts = [(part, score) for one, score in best for part in list_parts(one)]
        store = self._observed.store
        gone = store.search_by_filters(SearchFilters(superseded=True, limit=_REPLACED))
        found = Memories(
            weighed=tuple(
                WeighedMemory(
                    observation=one,
                    score=score,
                    is_of_issue=bool(about.issue) and one.issue_number == about.issue,
                    mark=tell_other_issue(store, one, about.issue),
                )
                for one, score in parts
            ),
            standing=self._observed.count_standing() + len(parts) - len(best),
            tokens_max=self._observed.tokens_max,
            replacing=frozenset(row.superseded_by for row in gone),
            taken_down=take_down(
                store.get_by_ids(row.id for row in gone),
                (one for one, _ in best if one.mended_ms),
                list_unsaid(store),
            ),
        )
        common = self._project.trust.common
        if common is None or not any(one.branch for one, _ in best) or not has_branches(common):
            return found
        from agentx.wiring.bound.bounds import Bounds  # noqa: PLC0415  most were learnt on no branch

        if self._bounds is None:
            self._bounds = Bounds(self._project, self._observed, may_wait=self._may_wait)
        return self._bounds.mark(found, about)

    def lessons(self, limit: int) -> Iterable[Lesson]:
        from agentx.lessons.paths import LessonNotes  # noqa: PLC0415  it is small

        looked = look(LessonNotes(self._project.store.root).vouched) is not None
        if not self._may_tell or (looked and not any(map(is_folder, self._project.taught))):
            return ()
        from agentx.wiring.taught.lessons import relevant_lessons  # noqa: PLC0415  lessons are there

        return relevant_lessons(self._project, limit=limit)


def open_stamp(project: Project) -> Callable[[], bytes]:
    """Return what says how it is now; where the keys lie is looked up once, git may be asked."""
    root = str(project.root)

    @cache
    def open_keys() -> Keyring:
        from agentx.wiring.trust.keys import open_keyring  # noqa: PLC0415  somebody asked something

        return open_keyring(project)

    def stamp() -> bytes:
        if not (project.has_runs or any(map(is_folder, project.asked))):
            return stamp_questions(root)
        # A reply that was changed since speaks against an answer, too.
        looked_at = (*open_keys().list_files(), project.store.github_changed)
        return stamp_questions(root, *map(str, looked_at))

    return stamp


def renew_late_notices(project: Project) -> None:
    """Bring notices up to date where hooks tell no answer before."""
    if are_notices_late(project):
        renew_notices(project)


def are_notices_late(project: Project) -> bool:
    """Tell whether hooks leave out answers, for something changed since notices were made."""
    try:
        noted = read_bytes(project.store.digests / NOTICES_STAMP)
    except OSError:
        noted = b""
    return bool(find_change(noted, str(project.root)))
