"""How memories of one store are judged: few need it, and those of one look are of one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from agentx.kernel.ids import parse_clarification_id
from agentx.kernel.roles import PERSON_ROLE
from agentx.observations.ids import ID_PREFIX
from agentx.observations.model import Observation, ObservationIndex
from agentx.observations.port import ObservationStore
from agentx.project.project import Project
from agentx.wiring.vouched.judged import (
    may_be_persons,
    may_name_question,
    names_question,
    tell_row,
)
from agentx.wiring.vouched.outcomes import find_question
from agentx.wiring.vouched.persons_record import PersonsRecord

if TYPE_CHECKING:
    from agentx.wiring.trust.borne_out import BorneOut
    from agentx.wiring.vouched.witness import Witness

_LOOK_MS = 50  # within which what bears memories out is not looked at again
_MANY = 50  # of which it is worth to know what an earlier command found
_TURN_ROWS = 100  # that are judged together, where not all of them may be asked for


class Judging:
    """The memories of one store, as they may be told."""

    def __init__(self, plain: ObservationStore, project: Project, record: PersonsRecord) -> None:
        self._plain = plain
        self._project = project
        self._record = record
        self._told: dict[str, Observation] = {}  # as they were judged at the last look
        self._looked_ms = -_LOOK_MS

    @cached_property
    def witness(self) -> Witness:
        """What bears memories out; few projects have any that need it."""
        from agentx.wiring.vouched.witness import Witness  # noqa: PLC0415  see above

        return Witness(self._project, self._record, self._plain.get_by_id)

    @cached_property
    def borne_out(self) -> BorneOut:
        """What was judged before, by whichever command."""
        from agentx.wiring.trust.borne_out import BorneOut  # noqa: PLC0415  few need it, as above

        return BorneOut(self._project, lambda: self._record.stamp)

    def judge(self, found: Sequence[Observation]) -> tuple[Observation, ...]:
        """Return memories as they may be told, without those that are forgotten."""
        asked = [one for one in found if _is_in_question(one)]
        if not asked:
            return tuple(found)
        with self._one_moment():
            judged = self._tell_all(asked)
        gone = {one.id for one in asked if one.id not in judged}
        return tuple(judged.get(one.id, one) for one in found if one.id not in gone)

    def _tell_all(self, asked: Sequence[Observation]) -> dict[str, Observation]:
        known = self._list_borne_out(asked)
        left = [one for one in asked if one.id not in known]
        here = [one for one in left if not self.witness.is_forgotten(one)]
        judged = {one.id: self.witness.place(self.witness.judge(one)) for one in here}
        if len(asked) >= _MANY:
            self.borne_out.note(one for one in here if self._is_told_as_it_lies(one, judged))
        judged |= known
        self._told.update(judged)
        return judged

    def _list_borne_out(self, asked: Sequence[Observation]) -> dict[str, Observation]:
        """Return those that are known to be told as they lie; few are judged as quickly."""
        self.prepare(asked)
        return {one.id: one for one in asked if self.borne_out.holds(one)}

    def _is_told_as_it_lies(self, one: Observation, judged: Mapping[str, Observation]) -> bool:
        """Tell whether nothing but what is looked at has a say in how a memory is told."""
        name = find_question(one)
        if judged[one.id] != one or not name or self.witness.tell_issue(one):
            return False
        if not self.witness.could_read(one):
            return False
        if parse_clarification_id(name)[1] != one.issue_number:
            return False  # by hand: another ledger has the say
        return one.agent != PERSON_ROLE or self._record.bears_out(one)

    def prepare(self, found: Sequence[Observation]) -> None:
        """Look at what earlier commands found, where many are to be told."""
        if len(found) >= _MANY and self.borne_out.look():
            self.witness.look_again()  # what is noted is judged by no earlier look than that

    def is_borne_out(self, one: Observation) -> bool:
        """Tell whether a memory is known to be told as it lies: of its own issue, unmarked."""
        return self.borne_out.holds(one)

    def judge_rows(self, rows: Sequence[ObservationIndex]) -> tuple[ObservationIndex, ...]:
        """Return rows as they may be told; the text of those in question is looked at."""
        asked = [row.id for row in rows if may_be_persons(row) or may_name_question(row)]
        if not asked:
            return tuple(rows)
        with self._one_moment():
            new = (each for each in asked if each not in self._told and each.startswith(ID_PREFIX))
            found = self._plain.get_by_ids(new)
            in_question = [one for one in found if _is_in_question(one)]
            self._tell_all(in_question)
        plain = {one.id for one in found} - {one.id for one in in_question}
        gone = {each for each in asked if each not in self._told} - plain  # forgotten
        return tuple(tell_row(row, self._told.get(row.id)) for row in rows if row.id not in gone)

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """Look again first; what is then judged is of one moment, however long it takes."""
        self.look_again()
        begun_ms = self._project.clock.now_ms()
        yield
        self._looked_ms += max(0, self._project.clock.now_ms() - begun_ms)

    def judge_in_turn(self, rows: Sequence[ObservationIndex]) -> Iterator[ObservationIndex]:
        """Yield rows as they may be told; no more are judged than somebody asks for."""
        for at in range(0, len(rows), _TURN_ROWS):
            yield from self.judge_rows(rows[at : at + _TURN_ROWS])

    def look_again(self) -> None:
        """Look at what bears memories out, unless that was just now: one recall asks often."""
        now_ms = self._project.clock.now_ms()
        if not 0 <= now_ms - self._looked_ms < _LOOK_MS:
            self._looked_ms = now_ms
            self._told.clear()
            self.borne_out.look_again()
            self.witness.look_again()

    def expect_news(self) -> None:
        """Look at everything again with the next question: something is written."""
        self._looked_ms = -_LOOK_MS


def _is_in_question(one: Observation) -> bool:
    return may_be_persons(one) or names_question(one.content)
