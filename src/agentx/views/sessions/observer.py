"""What sessions teach, as a view of the log: captured when they are due, taken away with them.

The observations are opened when the first session is due, and the rules of extraction are
loaded then: most commands need neither. What goes wrong is noted and never stands in the way
of the log or the other views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.conversation.model import Event, is_lived
from agentx.conversation.store.feed import Feed
from agentx.host.files.logfile import LogFile
from agentx.host.files.plain import is_folder
from agentx.kernel.bus import Bus, HowFar, unheard
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import AgentXError
from agentx.search.model import ViewStatus
from agentx.views.limits import CAPTURE_QUIET_MS, MODEL_EXTRACTION_SESSIONS_MAX
from agentx.views.port import Gone, View
from agentx.views.store import CaptureMarks, is_due

if TYPE_CHECKING:
    from agentx.observations.service import Observations
    from agentx.views.sessions.ahead import SessionsAhead
    from agentx.views.sessions.capture import Judge, Observing


@dataclass(kw_only=True)
class Observer(View):
    """Keeps the observations of a project up to date with its sessions."""

    name = "observations"

    source: Feed
    marks: CaptureMarks
    folder: Callable[[], Path]
    enabled: bool
    issue: int  # where nothing says which
    at_work: Callable[[], Iterable[tuple[str, int, Millis]]]  # agent, issue, since when
    room: Callable[[], Observations]
    judge: Callable[[], AbstractContextManager[Judge | None]]  # None without a model
    with_imported: bool  # whether the model is shown what was imported
    rebuild_words: Callable[[], int]
    log: LogFile
    clock: Clock
    bus: Bus
    ahead: Callable[[], SessionsAhead] | None = None

    @cached_property
    def _observing(self) -> Observing:
        from agentx.views.sessions.capture import AtWork, Observing, Rules  # noqa: PLC0415  all rules of extraction
        from agentx.views.sessions.checkouts import look_at_branches  # noqa: PLC0415  as above

        rules = Rules(
            clock=self.clock,
            bus=self.bus,
            issue=self.issue,
            look_at=look_at_branches,
            at_work=lambda: [AtWork(agent=a, issue=i, since_ms=at) for a, i, at in self.at_work()],
            ahead=None if self.ahead is None else self.ahead(),
        )
        return Observing(self.source, self.marks, self.room, rules)

    def catch_up(self, told: HowFar = unheard) -> int:  # noqa: ARG002  a pass is short
        """Capture the sessions that are due; return how many observations came of it."""
        if not (self.enabled and self._has_work()):
            return 0
        try:
            return self._observing.catch_up().observations
        except AgentXError as error:
            self.log.record("warning", "memory-capture-failed", message=error.message)
            return 0

    def _has_work(self) -> bool:
        """Tell, without the rules of extraction, whether anything is new or due."""
        if self.marks.sequence() != self.source.newest_sequence():
            return True
        return self.count_due() > 0

    def capture_due(self, told: HowFar = unheard) -> None:
        """Capture every session that is over, pass by pass; `told` is heard between two."""
        self.catch_up()
        left = total = self.count_due()
        while left:
            told(total - left, total)
            self.catch_up()
            before, left = left, self.count_due()
            if left == before:  # nobody can capture them now
                return

    def count_due(self) -> int:
        """Return how many sessions are over and not captured yet."""
        if not self.enabled:
            return 0
        now_ms = self.clock.now_ms()
        return sum(is_due(one, now_ms, CAPTURE_QUIET_MS) for _, one in self.marks.waiting())

    def polish(self) -> int:
        """Let the model, if one is set, look at captured sessions; return how many it did."""
        if not self.enabled:
            return 0
        with self.judge() as judge:
            if judge is None:
                return 0

            def may_show(events: Sequence[Event]) -> bool:
                return self.with_imported or is_lived(events)

            try:
                return self._observing.polish(
                    judge, MODEL_EXTRACTION_SESSIONS_MAX, may_show=may_show
                )
            except AgentXError as error:
                self.log.record("warning", "model fell back", reason=error.message)
                return 0

    @contextmanager
    def forget(self, gone: Gone) -> Iterator[None]:
        """Take away what was captured of sessions; what is left of them is captured anew after."""
        self.catch_up()  # what was begun is finished first: only then is it known what to take away
        is_kept = is_folder(self.folder())
        with self._observing.forgetting(gone.session_ids, whole=gone.whole, is_kept=is_kept):
            yield

    def rebuild(self, told: HowFar = unheard) -> int:  # noqa: ARG002
        """Make the words of the observations anew; what sessions taught stays, it is a fact now."""
        return self.rebuild_words()

    def status(self) -> ViewStatus:
        """Say how many sessions have news."""
        return ViewStatus(ready=self.enabled, entries_left=sum(1 for _ in self.marks.waiting()))
