"""Which run is meant where none is named, and which lane and task of it.

Where somebody stands decides, then the one run in progress. Of several none is taken by chance: a
command that writes asks, and what only speaks of runs takes the newest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property

from agentx.kernel.errors import AgentXError, InvalidValue, NotFound
from agentx.kernel.ids import shorten_run
from agentx.kernel.text import compile_late, preview
from agentx.runs.choosing.place import LANE_VARIABLE, RUN_VARIABLE, WorkPlace
from agentx.runs.model import Lane, Run, RunEvent, RunStatus
from agentx.runs.rules.claim_lines import read_name
from agentx.runs.rules.decide import find_lane
from agentx.runs.rules.fold import fold
from agentx.runs.store.local.glimpsing import glimpse_status
from agentx.runs.store.run_store import RunStore

_NAMED_MAX = 4
_REASON_CHARS = 80
# Commands about a run, in a hint or behind others. What somebody wrote is quoted in them; whatever
# stands behind `--` or is run by `verify` is a command of theirs.
_ABOUT_RUN = compile_late(
    r"""agentx[ ]run[ ](?:(?P<verify>verify)\b|(?:archive|artifact|checkpoint|context|escalate|event
    |lane|phase|pr|propose|resume|show|task)\b)(?P<rest>(?:"[^"]*"|'[^']*'|[^`;()"'\n])*)(?=[`;)\n]|$)""",
    re.VERBOSE,
)
# Commands that take the run as their only word.
_NAMES_LAST = ("agentx run archive", "agentx run pr", "agentx run resume", "agentx run show")


def _say_who(event: RunEvent) -> str:
    name = event.owner or read_name(event, "person")
    of = f" of {name}" if name else ""
    return f"{event.actor}{of}" + (f" ({event.writer})" if event.writer and not of else "")


def _name_run(words: str, run_id: str) -> str:
    """Return words with the run's name in each command of them that takes one and has none."""
    short = shorten_run(run_id)

    def complete(found: re.Match[str]) -> str:
        command, rest = found[0], found["rest"]
        if run_id in rest or f" {short}" in rest or (" --run " in rest and not found["verify"]):
            return command
        if found["verify"]:
            return f"{command.removesuffix(rest)} --run {short}{rest}"
        return f"{command} {'' if command in _NAMES_LAST else '--run '}{short}"

    return _ABOUT_RUN.sub(complete, words)


class WhichRun:
    """Chooses among the runs of a project."""

    def __init__(self, store: RunStore, find_place: Callable[[], WorkPlace]) -> None:
        self._store = store
        self._find_place = find_place

    @cached_property
    def _place(self) -> WorkPlace:
        return self._find_place()  # late: most who have a run's name never ask

    def list_going(self) -> tuple[str, ...]:
        """Return the runs that are not over, newest first. Cheap: it believes the manifests."""
        return tuple(run_id for run_id in self._store.ids() if self._is_going(run_id))

    def _is_going(self, run_id: str) -> bool:
        said = glimpse_status(self._store.paths.run(run_id))
        if said:
            return said in (RunStatus.IN_PROGRESS, RunStatus.BLOCKED)
        return not self._store.look(run_id).over

    def find_meant(self) -> str:
        """Return the run that is meant where none is named; nothing where that is not clear."""
        if self._place.run:
            with suppress(NotFound):
                return self._find(self._place.run)
        going = self.list_going()
        return going[0] if len(going) == 1 else ""

    def active(self) -> str:
        """Return the run to speak of where none is named: what is meant, else the newest."""
        meant = self.find_meant()
        return meant if meant and self._is_going(meant) else next(iter(self.list_going()), "")

    def choose_shown(self) -> str:
        """Return the run to speak of; one that the environment names must be there.

        Raises: NotFound.
        """
        if self._place.run and self._place.is_said:
            return self._find(self._place.run, f"{RUN_VARIABLE}: ")
        return self.active()

    def choose_lane(self, lane: str) -> str:
        """Return the lane that is meant: the one that is named, or that somebody stands in.

        Raises: InvalidValue.
        """
        if lane or self._place.lane:
            return lane or self._place.lane
        raise InvalidValue(
            "it is not said which lane is meant",
            hint="`agentx run show` lists them; "
            f"in the folder of one, or with {LANE_VARIABLE}, it need not be named",
        )

    def find_lane(self, run: Run) -> Lane | None:
        """Return the lane that somebody stands in, if it is one of a run."""
        with suppress(NotFound, InvalidValue):
            return find_lane(run, self._place.lane) if self._place.lane else None
        return None

    def find_task(self, run: Run) -> str:
        """Return the task of the lane that somebody stands in, or that the environment names."""
        lane = self.find_lane(run)
        return self._place.task or ("" if lane is None else lane.task)

    def complete(self, command: str, run: Run) -> str:
        """Return a command about a run as it can be typed: with its name, where that is needed."""
        return self.completing(run)(command)

    def completing(self, run: Run) -> Callable[[str], str]:
        """Return what completes commands about a run; which run is meant is found once."""
        is_meant = self.find_meant() == run.id and not run.over

        return lambda command: command if is_meant else _name_run(command, run.id)

    @contextmanager
    def naming(self, run_id: str) -> Iterator[str]:
        """Choose a run; name it in the commands that a refusal of something about it offers, where
        without a name another would be meant.

        Raises: as `choose`.
        """
        name = self.choose(run_id)
        try:
            yield name
        except AgentXError as error:
            if self.find_meant() != name:
                error.hint = _name_run(error.hint, name)
            raise

    def choose(self, run_id: str) -> str:
        """Return the run that is meant: by its id, the end of it, or where somebody stands.

        Raises: NotFound, InvalidValue.
        """
        if run_id:
            return self._find(run_id)
        if self._place.run:
            return self._find(self._place.run, f"{RUN_VARIABLE}: " * self._place.is_said)
        going = self.list_going()
        if len(going) == 1:
            return going[0]
        if going:
            raise self._ask_which(going)
        raise self._tell_ended()

    def _tell_ended(self) -> NotFound:
        """Return that no run is going on, with who ended the last one and how it is taken up."""
        start = '`agentx run start "TITLE"` begins'
        last = max(self._list_ended(), key=lambda each: each[0].ended_ms or 0, default=None)
        if last is None:
            return NotFound("no run is going on", hint=f"{start} one; `--run` names one")
        ended, again = self._say_end(*last)
        return NotFound(f"no run is going on: {ended}", hint=f"{again}; {start} another")

    def say_end(self, run_id: str) -> tuple[str, str]:
        """Return who ended a run, how and why, and what takes it up again; nothing of others.

        Raises: UnavailableError.
        """
        events = self._store.read(run_id).events
        run = fold(run_id, events)
        return self._say_end(run, events) if events and run.over else ("", "")

    def _say_end(self, run: Run, events: tuple[RunEvent, ...]) -> tuple[str, str]:
        ends = (each for each in reversed(events) if each.kind in ("run-completed", "run-failed"))
        who = next((_say_who(each) for each in ends), "somebody")
        why = f": {preview(run.outcome_reason, _REASON_CHARS)}" if run.outcome_reason else ""
        again = f"`agentx run event --type run-reopened --run {shorten_run(run.id)}`"
        is_packed = run.id not in self._store.ids()
        first = f"`agentx run restore {run.id}` lays it out; then " if is_packed else ""
        doubt = ", says a writer whom you do not trust" if run.doubted_end is not None else ""
        return (
            f"{who} ended {run.id}: {run.status}{why}{doubt}",
            f"{first}{again} takes it up again, its lanes keep their commits",
        )

    def _list_ended(self) -> Iterator[tuple[Run, tuple[RunEvent, ...]]]:
        """Yield the newest runs, of those that are packed away as well, with their events."""
        packed = (str(line["run_id"]) for line in self._store.index.list_archived()[:_NAMED_MAX])
        for name in dict.fromkeys((*self._store.ids()[:_NAMED_MAX], *packed)):
            with suppress(AgentXError, OSError):
                events = self._store.read(name).events
                if events:
                    yield fold(name, events), events

    def _ask_which(self, going: tuple[str, ...]) -> InvalidValue:
        named = ", ".join(going[:_NAMED_MAX])
        more = f" and {len(going) - _NAMED_MAX} more" if len(going) > _NAMED_MAX else ""
        return InvalidValue(
            f"{len(going)} runs are in progress, and it is not said which is meant: {named}{more}",
            hint=f"name it: `--run {shorten_run(going[0])}`, or {RUN_VARIABLE}; "
            "in the folder of a lane it is the lane's",
        )

    def _find(self, run_id: str, said_by: str = "") -> str:
        ids = self._store.ids()
        if run_id in ids:
            return run_id
        near = [name for name in ids if name.endswith(f"-{run_id}")]
        if len(near) == 1:
            return near[0]
        packed = self._list_packed(run_id)
        if len(packed) == 1:
            raise NotFound(
                f"{said_by}{packed[0]} is packed away",
                hint=f"lay it out: `agentx run restore {packed[0]}`",
            )
        raise NotFound(
            f"{said_by}{run_id[:80]}: no such run", hint="`agentx run list` shows the runs"
        )

    def _list_packed(self, run_id: str) -> list[str]:
        return [
            line["run_id"]
            for line in self._store.index.list_archived()
            if run_id == line["run_id"] or line["run_id"].endswith(f"-{run_id}")
        ]

    def choose_packed(self, run_id: str) -> str:
        """Return the run that is meant among those that are packed away; another as it is named.

        Raises: InvalidValue where several are.
        """
        packed = self._list_packed(run_id)
        if len(packed) > 1:
            raise InvalidValue(
                f"{run_id} means {len(packed)} runs that are packed away",
                hint=f"say which: {', '.join(packed[:_NAMED_MAX])}",
            )
        return packed[0] if packed else run_id

    def choose_to_see(self, run_id: str) -> str:
        """Return the run that somebody wants to see: when none goes on, the last one.

        Raises: as `chosen`.
        """
        ids = () if run_id or self._place.run else self._store.ids()
        return self.choose(run_id) if not ids or self.list_going() else max(ids)
