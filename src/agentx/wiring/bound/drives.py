"""Who drives a run: one driver on this machine, one checkout among all.

A driver says so in an event that is pushed, and again as it works. Before it merges, pushes or
opens a pull request it looks once more: one that slept past its time, and whose run somebody else
took up, stops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from agentx.host.files.atomic import make_private_directory
from agentx.host.locks.flock import Flock
from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import AgentXError, ConflictError
from agentx.kernel.ids import shorten_run
from agentx.project.project import Project
from agentx.runs.claiming.telling import say_until
from agentx.runs.holding.settling import TaskClaim, say_holder, settle
from agentx.runs.limits import RUN_DRIVE_MS
from agentx.runs.model import ORCHESTRATOR, Happening, Run
from agentx.runs.paths import RunNotes
from agentx.runs.rules.driving import BEGAN, ENDED, HELD
from agentx.runs.store.event_files import look_at_event_files
from agentx.runs.store.local.followed import SeenRun, fold_followed
from agentx.wiring.bound.claims import reach
from agentx.wiring.runs import open_run_store, open_runs

_TRIES = 5
_SAME_MOMENT_MS = 1_000


class DriveLost(ConflictError):
    """Somebody else drives the run."""


class Drive:
    """The right to drive one run."""

    def __init__(self, project: Project, run_id: str) -> None:
        self._project = project
        self._run_id = run_id
        self._runs = open_runs(project)
        self._seen: SeenRun | None = None
        self._lock: Flock | None = None
        self._due_ms = 0  # when it is to be said again that it is driven

    @property
    def run(self) -> Run:
        """Where the run stands now; read anew only where its files were changed since."""
        # Several threads look: each by a house of its own, and all may take what one has seen.
        seen, store = self._seen, open_run_store(self._project)
        look = look_at_event_files(store.paths.run(self._run_id))
        stamp = store.stamp(self._run_id, look)  # first: more may come meanwhile
        if seen is None or seen.stamp != stamp:
            is_whole = look.files and not store.bring_back()
            found = store.read(self._run_id, look) if is_whole else store.events(self._run_id)
            run = fold_followed(self._run_id, found.events)
            self._seen = seen = SeenRun(run=run, stamp=stamp)
        return seen.run

    @property
    def checkout(self) -> str:
        """What this checkout is called."""
        return self._runs.own.checkout

    def find_rival(self) -> DriveLost | None:
        """Return that somebody else drives the run now; None where nobody does."""
        claim = self._see(self.run)
        is_theirs = claim is not None and claim.checkout != self._runs.own.known
        return self._refuse(claim) if is_theirs else None

    def take(
        self,
        said: dict[str, object],
        look: Callable[[], None] = lambda: None,
        *,
        is_taken: bool = False,
    ) -> tuple[str, ...]:
        """Drive the run from now on; return what is to be said of that.

        `look` refuses it as it is now, before it is taken from anybody.

        Raises: DriveLost, naming who drives it; as `look`.
        """
        path = RunNotes(self._project.store.root).driving(self._run_id)
        make_private_directory(path.parent)
        self._lock = Flock.claim(path)
        if self._lock is None:
            raise DriveLost(
                f"{shorten_run(self._run_id)} is driven on this machine already",
                hint="`agentx run show` tells what is done; end that driver first",
            )
        try:
            return self._begin(said, look, is_taken=is_taken)
        except BaseException:
            self._lock.release()
            self._lock = None
            raise

    def _begin(
        self, said: dict[str, object], look: Callable[[], None], *, is_taken: bool
    ) -> tuple[str, ...]:
        remarks: list[str] = []
        reach(self._project, remarks, "others learn by `agentx run sync` that it is driven")
        rival = self.find_rival()
        if rival is not None and not is_taken:
            raise rival
        look()
        taken = {"taken": True} if rival is not None else {}
        self._say(BEGAN, {**said, **self._word(), **taken})
        self.require()
        return tuple(remarks)

    def require(self) -> None:
        """See that the run is still driven from here, as far as a remote knows; say so anew.

        Raises: DriveLost.
        """
        exchange = reach(self._project, [])
        for _ in range(_TRIES):
            run, own = self.run, self._runs.own
            claim = settle(run.drives).claim
            if claim is None or claim.checkout != own.checkout:
                raise self._refuse(claim)
            self._due_ms = claim.until_ms - RUN_DRIVE_MS // 2
            if own.now_ms >= self._due_ms:
                self._say(HELD, self._word())
                self._due_ms = own.now_ms + RUN_DRIVE_MS // 2
            if exchange is None:
                return
            with suppress(AgentXError):
                if exchange.push():
                    return
                exchange.take_in()
                continue
            return  # it is not reached now: the next look tells

    def hold(self) -> None:
        """Say that the driver is at work still, where that is due, so that others learn it.

        Raises: DriveLost.
        """
        if self._runs.own.now_ms >= self._due_ms:
            self.require()

    def end(self, reason: str) -> None:
        """Leave the run to others."""
        with suppress(AgentXError):
            claim = settle(self.run.drives).claim
            if claim is not None and claim.checkout == self._runs.own.checkout:
                detail = {"driver": self._runs.own.checkout, "reason": reason}
                self._say(ENDED, detail)
                exchange = reach(self._project, [])
                if exchange is not None:
                    exchange.push()
        self.let_go()

    def let_go(self) -> None:
        """Leave the run to others on this machine."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _see(self, run: Run) -> TaskClaim | None:
        claim, own = settle(run.drives).claim, self._runs.own
        seen = None if claim is None else own.see(claim)
        return seen if seen is not None and seen.holds_at(own.now_ms) else None

    def _refuse(self, rival: TaskClaim | None) -> DriveLost:
        short = shorten_run(self._run_id)
        if rival is None:
            return DriveLost(
                f"{short} is not driven from here any more",
                hint=f"`agentx run drive {short}` takes it up again",
            )
        now_ms = self._runs.own.now_ms
        return DriveLost(
            f"{short} is driven by {say_holder(rival)}, {say_until(rival, now_ms)}",
            hint=f"wait, or take it over: agentx run drive {short} --take",
        )

    def _word(self) -> dict[str, object]:
        now_ms = self._runs.own.now_ms
        at_ms = max(now_ms, self.run.updated_ms + 1)
        until_ms = min(at_ms, now_ms + RUN_DRIVE_MS) + RUN_DRIVE_MS
        found = {"driver": self._runs.own.checkout, "until": to_iso(Millis(until_ms))}
        if at_ms - now_ms > _SAME_MOMENT_MS:
            found["said_at"] = to_iso(now_ms)
        return dict(found)

    def _say(self, kind: str, detail: Mapping[str, object]) -> None:
        person = self._runs.own.person
        more = {"person": person} if person and kind == BEGAN else {}
        said = Happening(kind=kind, actor=ORCHESTRATOR, detail={**detail, **more})
        self._runs.say(self._run_id, said)
