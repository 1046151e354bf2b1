"""Keep, remove, merge and move observations."""

from __future__ import annotations

from contextlib import closing

from agentx.clarification.model import PERSON
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import InvalidValue
from agentx.kernel.roles import HUB_ROLE, is_persons_name
from agentx.kernel.text import shows_something
from agentx.kernel.values import frozen
from agentx.observations.ids import agent_name
from agentx.observations.model import Category, CompactionResult, Migrated, Observation
from agentx.observations.tidying.parting import part_persons
from agentx.project.project import Project
from agentx.project.roles.caller import find_caller
from agentx.project.roles.played import decide_role
from agentx.recall.section.notices import leave_out
from agentx.views.sessions.checkouts import find_checked_out
from agentx.wiring.observation_upkeep import move_observations
from agentx.wiring.observations import BACKENDS, open_observations, prepare_observations
from agentx.wiring.trust.persons_word import guard_persons, require_person
from agentx.wiring.vouched.store import is_missing


@frozen
class NewObservation:
    """What somebody wants remembered."""

    text: str
    agent: str
    issue: int = 0
    category: str = Category.KEY_FACT
    files: tuple[str, ...] = ()
    session_id: str = ""
    by_mcp: bool = False


@frozen
class MergeReply:
    """What a compaction did, over all issues."""

    issues: int
    before: int
    after: int
    archived: int
    merged: tuple[str, ...]


@frozen
class RemoveReply:
    """Where what was removed may stand still."""

    exports: tuple[str, ...] = ()  # files written before, which nobody can reach from here
    copies: tuple[str, ...] = ()  # what a restore or a mending put aside


def memory_add(project: Project, draft: NewObservation) -> Observation:
    """Keep one observation; return it as it was kept.

    Raises: InvalidValue, LockHeld, UnavailableError.
    """
    if not shows_something(draft.text):
        raise InvalidValue("there is nothing to remember", hint="say what was decided or found out")
    agent = _name_author(project, draft)
    prepare_observations(project)
    with closing(open_observations(project)) as room:
        return room.add(
            draft.text,
            agent=agent,
            issue=draft.issue,
            category=_category(draft.category),
            files=draft.files,
            session_id=draft.session_id,
            learnt_on=find_checked_out(str(project.directory)),
        )


def _name_author(project: Project, draft: NewObservation) -> str:
    """Return who says it: the role that is named or played, else a person, an agent, a script."""
    caller = find_caller(project, by_mcp=draft.by_mcp)
    said = draft.agent.strip() or caller.role or decide_role(project).role
    said = "" if agent_name(said) == HUB_ROLE else said  # nobody is called so
    if said and is_persons_name(said):
        require_person(
            project, f"this as {PERSON}", hint="agentx memory add", caller=caller, about="memory"
        )
    return said or (PERSON if caller.is_person else "agent" if caller.is_agent else "script")


def memory_remove(project: Project, observation_id: str) -> RemoveReply:
    """Take one observation away for good: no copy that is restored here brings it back.

    Raises: NotFound, InvalidValue; NotThePerson for an agent, where a person said it.
    """
    from agentx.wiring.keeping.export import list_exports, list_set_aside  # noqa: PLC0415  as below
    from agentx.wiring.keeping.tombstones import bury_observations  # noqa: PLC0415  who removes

    with closing(open_observations(project)) as room:
        if is_missing(room.store, observation_id):
            hint = f"agentx memory remove {observation_id}"
            what = f"what becomes of {observation_id}, which a person said"
            require_person(project, what, hint=hint, about=observation_id)
            bury_observations(project, (observation_id,))
            room.store.remove(observation_id)
        else:
            found = room.get(observation_id)[0]
            guard_persons(project, room.store, found, "remove")
            bury_observations(project, (found.id, *found.sources))
            room.remove(found.id)
            leave_out(project.store, found.id)
    return RemoveReply(exports=list_exports(project), copies=list_set_aside(project))


def memory_compact(
    project: Project,
    *,
    issue: int | None = None,
    older_than_days: int | None = None,
    told: HowFar = unheard,
) -> MergeReply:
    """Merge related observations that are old; their originals go to the archive."""
    before_ms = None
    if older_than_days is not None:
        before_ms = project.clock.now_ms() - older_than_days * DAY_MS
    results: list[CompactionResult] = []
    with closing(open_observations(project)) as room:
        part_persons(room.store)
        issues = tuple(room.store.issues()) if issue is None else (issue,)
        for done, each in enumerate(issues):
            told(done, len(issues))
            results += room.compact((each,), before_ms=before_ms)
    return MergeReply(
        issues=len(results),
        before=sum(each.before for each in results),
        after=sum(each.after for each in results),
        archived=sum(len(each.archived) for each in results),
        merged=tuple(new.id for each in results for new in each.merged),
    )


def memory_migrate(project: Project, to: str, told: HowFar = unheard) -> Migrated:
    """Move every observation to the other kind of store, verified before it is used.

    Raises: InvalidValue, ConflictError, CorruptRecord; NotThePerson for an agent.
    """
    hint = f"agentx memory migrate --to {to}"
    require_person(project, "where memory is kept", hint=hint, about="memory migrate")
    if to not in BACKENDS:
        raise InvalidValue(f"{to!r} is no way to keep observations", hint=" or ".join(BACKENDS))
    return move_observations(project, to, told)


def _category(word: str) -> Category:
    try:
        return Category(word)
    except ValueError:
        raise InvalidValue(
            f"{word!r} is no category", hint=f"one of {', '.join(Category)}"
        ) from None
