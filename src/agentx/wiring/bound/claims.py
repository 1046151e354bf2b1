"""What is held here, brought together with a remote: claimed there before work begins.

reach      what others pushed is taken in, what is held here is brought there
holding    around a verb that begins work: the claim is pushed first; who was faster holds it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from agentx.kernel.errors import AgentXError, IllegalTransition, UnavailableError
from agentx.kernel.text import name_some
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.runs.choosing.place import Aim
from agentx.runs.claiming.done_twice import list_done_twice
from agentx.runs.claiming.telling import list_lost, tell_lost
from agentx.runs.limits import RUN_CLAIM_WAIT_MS
from agentx.runs.model import Happening, Run, RunEvent
from agentx.runs.paths import WORK_FOLDER
from agentx.runs.rendering import say_doubted_end
from agentx.runs.replies import Told
from agentx.runs.rules.gates import list_unwanted
from agentx.runs.store.git_exchange import RunExchange, find_remote
from agentx.runs.taking.claim_work import ClaimWork, WantedClaim
from agentx.wiring.bound.run_branch import open_exchange
from agentx.wiring.runs import open_runs

_TRIES = 5
_SYNC = "agentx run sync"
_AGREE = f"{_SYNC} --push"
_BEGINS = ("task-started", "task-retried")
_ENDS = ("task-completed", "task-failed", "task-blocked", "task-dropped", "task-reopened")


class Meeting:
    """What an exchange with a remote means for who works here."""

    def __init__(self, project: Project) -> None:
        self._runs = open_runs(project)
        self._work = ClaimWork(self._runs)
        self._before = dict(self._look())
        self._remarks: list[str] = []

    def _look(self) -> Iterator[tuple[str, Run]]:
        for run_id in self._runs.which.list_going():
            yield run_id, self._runs.run(run_id)[0]

    def prepare(self, exchange: RunExchange) -> None:
        """Yield what was claimed and never pushed; note how far the lanes came that are here.

        Raises: UnavailableError, LockHeld.
        """
        for run_id in self._runs.which.list_going():
            if exchange.is_ahead():
                self._yield_cut_short(run_id, exchange)
            self._work.note_lanes(run_id)

    def _yield_cut_short(self, run_id: str, exchange: RunExchange) -> None:
        said = dict(self._work.list_for_remote(self._runs.run(run_id)[0]))
        for event_id in exchange.list_unknown(run_id, frozenset(said)) if said else ():
            task = said[event_id]
            with exchange.claiming(run_id, task) as is_cut_short:
                if is_cut_short:  # else it is on its way
                    self._work.yield_claim(run_id, task, event_id)
                    self._remarks.append(
                        f"{task} is not yours: what claimed it was cut short before "
                        f"{exchange.remote.name} knew of it; begin it again"
                    )

    def tell(self) -> tuple[str, ...]:
        """Return what is not as it was for who works here: what they lost, what is renamed."""
        now_ms = self._runs.clock.now_ms()
        remarks = [*self._remarks]
        going = dict(self._look())
        remarks += self._list_ended(run for name, run in self._before.items() if name not in going)
        for run_id, run in going.items():
            before = self._before.get(run_id)
            if before is None:
                continue
            own = self._runs.own.known
            known = {task.born for task, _ in list_lost(before, own)}
            for task, lost in list_lost(run, own):
                if task.born not in known:
                    remarks.append(tell_lost(run, task, lost, now_ms))
            unwanted = {lane.born for lane, _ in list_unwanted(before, own)}
            for lane, why in list_unwanted(run, own):
                if lane.born not in unwanted:
                    remarks.append(f"{why}; {lane.id} stays with its commits")
            if run.doubted_end not in (None, before.doubted_end):
                remarks.append(f"{run_id}: {say_doubted_end(run)}")
            remarks += self._list_twice(before, run)
            remarks += _list_renamed(before, run)
        return tuple(remarks)

    def _list_ended(self, runs: Iterable[Run]) -> Iterator[str]:
        """Yield which runs others ended in which a lane is open here."""
        own = self._runs.own.known
        for run in runs:
            lanes = [each.id for each in run.lanes.values() if each.open and each.checkout == own]
            ended, again = self._runs.which.say_end(run.id) if lanes else ("", "")
            if ended:
                yield f"{ended}; {name_some(lanes)} of yours is open in it: {again}"

    def _list_twice(self, before: Run, after: Run) -> Iterator[str]:
        """Yield which tasks were done here and are done elsewhere, too, as is known by now."""
        own, work = self._runs.own.known, self._runs.git.folder(after.id, WORK_FOLDER)
        known = {(each.task.born, each.lanes) for each in list_done_twice(before)}
        for done in list_done_twice(after):
            is_own = any(lane.checkout == own for lane in done.lanes)
            if is_own and (done.task.born, done.lanes) not in known:
                yield f"{done.says}; {done.say_ways(str(work))}: `{done.command}`"


def _list_renamed(before: Run, after: Run) -> Iterator[str]:
    for born, name in before.births.items():
        now = after.births.get(born, name)
        if now != name and (name in before.tasks or name in before.lanes):
            yield f"{name} is called {now} now: another clone had one of that name first"


def reach(project: Project, remarks: list[str], alone: str = "") -> RunExchange | None:
    """Take in what others pushed; return the exchange by which more may be pushed.

    `alone` is said where runs are shared and that is not possible now.
    """
    exchange = None
    with suppress(AgentXError):  # no remote, runs with the code, a repository that is not trusted
        find_remote(project.root)  # first: where there is none, nothing is begun
        exchange = open_exchange(project)
    if exchange is None or not (exchange.is_agreed() or exchange.is_known()):
        return None  # nobody shares runs there
    exchange.wait_ms = RUN_CLAIM_WAIT_MS
    meeting = Meeting(project)
    why = ""
    try:
        exchange.take_in()
        meeting.prepare(exchange)
    except AgentXError as error:
        why = _shorten(error)
    else:
        remarks += meeting.tell()
        if not exchange.is_agreed():
            why = f"nobody agreed yet to push runs to {exchange.remote.name}"
            # What others did is seen: they see nothing of what is done here.
            is_told = _SYNC in alone or not alone
            alone = alone.replace(_SYNC, _AGREE) if is_told else f"`{_AGREE}` lets others see this"
    if why and alone:
        remarks.append(f"{why}; {alone}")
    return None if why else exchange


def _shorten(error: AgentXError) -> str:
    if isinstance(error, UnavailableError):
        return error.message.partition(":")[0]
    return f"{error.message}: {error.hint}" if error.hint else error.message


@contextmanager
def holding(
    project: Project, aim: Aim, probe: Happening, caller: WhoCalls | None = None
) -> Iterator[list[str]]:
    """Hold a task at the remote while work on it begins; gives what is to be said of that.

    Raises: NotFound, IllegalTransition where somebody else holds it, or was faster; as `probe` is
        refused.
    """
    remarks: list[str] = []
    work = ClaimWork(open_runs(project, caller=caller))
    exchange = reach(project, remarks, say_alone(aim.task))
    with _telling(remarks):
        if exchange is None:
            yield remarks
            return
        run, task = work.find_task(aim.run_id, aim.task)
        is_new = not work.is_own(task)
        if is_new:
            probe = replace(probe, task=task.id)
            wanted = WantedClaim(run_id=run.id, task=task.id, actor=probe.actor, probe=probe)
            remarks += claim_there(work, exchange, wanted, remarks).remarks
        try:
            yield remarks
        except (AgentXError, KeyboardInterrupt):
            if is_new:
                with suppress(AgentXError):
                    work.release(run.id, task.id, actor=probe.actor, reason="it was not begun")
                    exchange.push()
            raise
    with suppress(AgentXError):  # the rest is brought there by the next exchange
        exchange.push()


def claim_there(
    work: ClaimWork, exchange: RunExchange | None, wanted: WantedClaim, remarks: list[str]
) -> Told:
    """Claim a task, at the remote too where it is reached; what is to be said of that is added.

    Raises: as `ClaimWork.claim`; IllegalTransition, naming who was faster; ConflictError, LockHeld.
    """
    if exchange is None:
        return work.claim(wanted)
    with exchange.claiming(wanted.run_id, wanted.task):
        told = work.claim(replace(wanted, is_shared=True))
        push_claim(work, exchange, told.added[0], remarks)
    return told


def push_claim(work: ClaimWork, exchange: RunExchange, said: RunEvent, remarks: list[str]) -> None:
    """Push a claim; where somebody was faster, or it is cut short, it is yielded.

    Raises: IllegalTransition, naming who holds the task; ConflictError, LockHeld.
    """
    try:
        for _ in range(_TRIES):
            if exchange.push():
                exchange.note_claimed(said.id)
                return
            exchange.take_in()
            faster = work.check_faster(said.run, said.task, said.id)
            if faster is not None:
                raise faster
        why = _shorten(exchange.give_up())
    except UnavailableError as error:
        why = _shorten(error)
    except IllegalTransition:
        work.release(said.run, said.task, actor=said.actor, claim_id=said.id)
        with suppress(AgentXError):
            exchange.push()
        raise
    except (AgentXError, KeyboardInterrupt):
        with suppress(AgentXError):  # else the next exchange yields it
            work.release(said.run, said.task, actor=said.actor, claim_id=said.id)
        raise
    # What no remote took is no claim there: it is said again for here alone.
    work.release(said.run, said.task, actor=said.actor, claim_id=said.id)
    work.claim(WantedClaim(run_id=said.run, task=said.task, actor=said.actor))
    remarks.append(f"{why}; {say_alone(said.task)}")


def say_alone(task: str) -> str:
    """Return that no remote knows of a claim yet."""
    return f"{task or 'the task'} is claimed here only, until `{_SYNC}`"


@contextmanager
def _telling(remarks: list[str]) -> Iterator[None]:
    """Add what an exchange found to a refusal: it is told once, and would be lost with it."""
    found = [each for each in remarks if f"`{_SYNC}" not in each]
    try:
        yield
    except AgentXError as error:
        error.hint = "; ".join(word for word in (error.hint, *found) if word)
        raise


@contextmanager
def meeting_others(project: Project) -> Iterator[list[str]]:
    """Know what others pushed before work ends, and let them know that it did."""
    remarks: list[str] = []
    exchange = reach(project, remarks, f"others learn this by `{_SYNC}`")
    with _telling(remarks):
        yield remarks
    if exchange is not None:
        with suppress(AgentXError):  # the next exchange brings it there
            exchange.push()


def begins_work(kind: str) -> bool:
    """Tell whether an event begins work on a task."""
    return kind in _BEGINS


def ends_work(kind: str) -> bool:
    """Tell whether an event ends work on a task, says that it cannot go on or ended too soon."""
    return kind in _ENDS


def bring_renewal(project: Project, told: Told) -> Told:
    """Bring a claim that work renewed to the remote; nothing is said where that is not possible."""
    is_renewed = any("until" in event.detail for event in told.added)
    return _bring(project, told) if is_renewed else told


def bring_words(project: Project, told: Told) -> Told:
    """Bring what a person is asked, or answered, to the remote once it is said.

    Not before: what others answered meanwhile nobody here has seen.
    """
    return _bring(project, told, f"others learn this by `{_SYNC}`")


def _bring(project: Project, told: Told, alone: str = "") -> Told:
    remarks: list[str] = []
    exchange = reach(project, remarks, alone)
    if exchange is not None:
        with suppress(AgentXError):  # the next exchange brings it there
            exchange.push()
    return replace(told, remarks=(*told.remarks, *remarks))
