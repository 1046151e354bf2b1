"""What questions came to that were forgotten elsewhere, taken out of the memory of this checkout.

A colleague's `forgotten` comes with a pull, one's own from another checkout. From then on the
witness tells nothing of it (`vouched.witness`); here its words go, with those that the user's
folder holds of the question.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, suppress

from agentx.clarification.limits import CLARIFY_MONITOR_LOCK_WAIT_MS
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.question_events import QuestionEvent
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import clarification_id
from agentx.observations.service import Observations
from agentx.observations.tidying.dropping import keep_unsaid
from agentx.project.project import Project
from agentx.wiring.clarifications import make_pen
from agentx.wiring.kept.logged import blank_logged
from agentx.wiring.observations import open_vouched, prepare_observations
from agentx.wiring.section import renew_notices
from agentx.wiring.vouched.store import VouchedStore


def take_out_forgotten(
    project: Project,
    room: Observations,
    store: VouchedStore,
    ledgers: LedgerStore,
    issues: Iterable[int],
) -> None:
    """Take out of memory for good, the archive too, what was forgotten of some issues' questions.

    The views of these, and what is held of them, are made again, also where memory has nothing.

    Raises: LockHeld, UnavailableError.
    """
    found = {issue: ledgers.gather_forgotten(issue) for issue in issues}
    asked = [issue for issue, names in found.items() if names.is_any]
    if not asked:
        return
    from agentx.wiring.keeping.tombstones import (  # noqa: PLC0415  what nobody forgot needs none
        bury_observations,
        bury_questions,
    )

    bury_questions(project, {issue: found[issue].lines for issue in asked})
    called = ((issue, number) for issue in asked for number in found[issue].numbers)
    blank_logged(project, {str(clarification_id(*each)) for each in called})
    for issue in asked:
        with suppress(AgentXError):  # the next look at the questions does it
            ledgers.renew(issue, wait_ms=CLARIFY_MONITOR_LOCK_WAIT_MS)
    store.witness.look_again()
    here = [one for issue in asked for one in store.plain.get_by_issue(issue)]
    olds = (one for one in store.plain.archive() if one.issue_number in asked)
    gone = [one for one in (*here, *olds) if store.witness.is_forgotten(one)]
    if gone:
        bury_observations(project, (one.id for one in gone))
        room.forget(dict.fromkeys(one.id for one in gone))
        renew_notices(project)


def note_forgotten(project: Project) -> None:
    """Note outside of the store which questions were forgotten: no copy brings them back.

    What cannot be read stands in the way of nobody: a restore may be what mends it.

    Raises: UnavailableError where it cannot be noted.
    """
    from agentx.wiring.keeping.tombstones import bury_questions  # noqa: PLC0415  as above

    ledgers = LedgerStore(project.paths, project.clock, make_pen(project))
    found: dict[int, tuple[QuestionEvent, ...]] = {}
    with suppress(AgentXError, OSError):
        for each in ledgers.stamps():
            with suppress(AgentXError, OSError):
                found[each.issue] = ledgers.gather_forgotten(each.issue).lines
    bury_questions(project, found)


def keep_removed(project: Project) -> None:
    """Know in a memory that was read back what was removed since: no capture keeps it anew.

    Raises: LockHeld, UnavailableError.
    """
    from agentx.wiring.keeping.tombstones import read_tombstones  # noqa: PLC0415  as above

    gone = read_tombstones(project).observations
    if gone:
        prepare_observations(project)
        with closing(open_vouched(project)) as store:
            keep_unsaid(store, gone)
