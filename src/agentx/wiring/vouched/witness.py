"""Whether memories that speak for a person, or say what a question came to, may be told as that.

Memories are files that anybody can write. So each such memory is held against what is known
elsewhere, whenever it is read:

    what a question came to   the ledger: it is told while the ledger says the same, and withheld
                              while the question is open again, or came to something else
    what a person had kept    the record of it (`persons_record`), word for word

Which question that is, the memory's id says: a merge may have given the name that it ends with to
another. It is told with the name that its question has now.

What neither bears out is nobody's: it is of `unverified`. Nothing is written for it, so that what
was withheld is told again as soon as the ledger says so: on another branch, or after a merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from itertools import chain
from operator import is_not

from agentx.clarification.contested import is_contested
from agentx.clarification.model import Clarification
from agentx.clarification.store.book import Pen
from agentx.clarification.store.files.stamps import look_at_ledger
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.vouching.forgetting import ForgottenNames
from agentx.clarification.watch.gathered import GatheredQuestions
from agentx.clarification.watch.later import (
    find_contesting_elsewhere,
    find_otherwise,
    find_repeated,
    is_come_to,
    tell_later,
)
from agentx.host.files.plain import is_file, is_folder, look
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.ids import parse_clarification_id
from agentx.kernel.roles import PERSON_ROLE, is_persons_name
from agentx.kernel.text import fold_text, preview
from agentx.observations.ids import parse_observation_id
from agentx.observations.labels import read_said
from agentx.observations.model import Observation
from agentx.observations.validity.reading import compare_observed
from agentx.project.project import Project
from agentx.project.trust.keyring import Keyring
from agentx.recall.known.answers import list_decisions, read_decision
from agentx.redaction.redact import redact
from agentx.wiring.clarifications import make_pen
from agentx.wiring.trust.changed_replies import tell_changes
from agentx.wiring.trust.issue_marks import AskedIssues
from agentx.wiring.trust.keys import open_keyring
from agentx.wiring.vouched.aged import withhold_aged
from agentx.wiring.vouched.outcomes import (
    UNVERIFIED,
    find_question,
    is_called,
    is_kept_redacted,
    is_outcome_of,
    is_word_of,
    list_ids,
    list_said,
    list_uids,
    rename_question,
)
from agentx.wiring.vouched.persons_record import PersonsRecord
from agentx.wiring.vouched.sayers import find_former, is_id_of, name_decision, says
from agentx.wiring.vouched.seen import States, find_seen_memories

_ASKED_ON_CHARS = 120


class Witness:
    """What bears out memories in one project."""

    def __init__(
        self,
        project: Project,
        record: PersonsRecord,
        find_memory: Callable[[str], Observation | None],
    ) -> None:
        self._project = project
        self._ledgers: LedgerStore | None = None
        self._keyring: Keyring | None = None
        self._seen = find_seen_memories(project)
        self._asked: dict[str, tuple[States, str, Clarification | None]] = {}
        self._record = record
        self._find_memory = find_memory
        self._stamps: dict[int, str] = {}
        self._is_asked = False  # whether anybody ever asked anything here
        self._is_changed = False  # whether any reply on GitHub was changed after it was taken
        self._issues = AskedIssues(project)
        self._numbers: dict[int, set[int | None]] = {}  # that issues of one number have now
        self._unread: set[int] = set()  # issues whose ledgers could not be read since the last look

    @cached_property
    def _pen(self) -> Pen:
        return make_pen(self._project)

    def look_again(self) -> None:
        """Look at the files again with the next memory: some time went by."""
        self._stamps.clear()
        self._issues = AskedIssues(self._project)
        self._numbers.clear()
        self._unread.clear()
        self._record.look_again()
        self._is_asked = any(map(is_folder, self._project.asked))
        self._is_changed = is_file(self._project.store.github_changed)

    def judge(self, one: Observation) -> Observation:
        """Return a memory as it may be told."""
        name, state = find_question(one), self._find_asked(one)
        name = name if state is None else str(state.id)
        if one.superseded_by:
            return self._judge(one, name, state)
        now = f"{self._record.stamp} {self._stamp_of(name) if name else ''}"
        known = self._seen.judged.get(one.id)
        if known is None or known[0] != now or known[1] != one:
            known = self._seen.judged[one.id] = (now, one, self._judge(one, name, state))
        return known[2]

    def place(self, one: Observation) -> Observation:
        """Return a memory with what its question is called now, and the number of its issue.

        That is 0 where the issue is not here. Also with what its thread asked next.
        """
        state = self._find_asked(one)
        if state is None:
            return one
        one, number = rename_question(one, str(state.id)), self._issues.find_number(state)
        if state.asked_on:
            one = replace(one, asked_on=preview(fold_text(state.asked_on), _ASKED_ON_CHARS))
        return one if number == one.issue_number else replace(one, issue_number=number or 0)

    def may_be_of(self, one: Observation, number: int) -> bool:
        """Tell whether the issue that a memory's question was asked of may have a number now."""
        name = find_question(one)
        if not (name and self._is_asked):
            return False
        try:
            return number in self._list_numbers(parse_clarification_id(name)[1])
        except (AgentXError, OSError):
            return False

    def _list_numbers(self, issue: int) -> set[int | None]:
        """Return which numbers the issues have of which questions of one number were asked."""
        if issue not in self._numbers:
            states = self._look(issue).values()
            self._numbers[issue] = {*map(self._issues.find_number, states)}
        return self._numbers[issue]

    def tell_issue(self, one: Observation) -> str:
        """Return of which issue a memory speaks, where another has the number of its question."""
        state = self._find_asked(one)
        return "" if state is None else self._issues.mark(state)

    def is_forgotten(self, one: Observation) -> bool:
        """Tell whether a memory says what a question came to that was forgotten, here or elsewhere.

        By the question's own id: another may have had its name. Only a line of somebody whose words
        count says that it was forgotten.
        """
        name = find_question(one)
        if not (name and self._is_asked):
            return False
        try:
            _, issue, number = parse_clarification_id(name)
            gone = self._gather_forgotten(issue)
            if not (gone.uids or gone.numbers):
                return False
            state = self._find_asked(one)
            if state is not None and is_called(one, state, read_decision(state)):
                return False
            return is_outcome_of(one, gone.uids) or (
                number in gone.numbers
                and is_kept_redacted(one)
                and self._is_redacted_of(one, name, gone.numbers[number])
            )
        except (AgentXError, OSError):
            return False

    def could_read(self, one: Observation) -> bool:
        """Tell whether the ledger that a memory is of could be read each time since the last look.

        What was judged while it could not holds for that once: its files look the same as before.
        """
        name = find_question(one)
        return not name or parse_clarification_id(name)[1] not in self._unread

    def _is_redacted_of(self, one: Observation, name: str, since_ms: Millis) -> bool:
        """Tell whether a memory is of the forgotten question that it names, and of no other.

        Its id is of words that it does not have any more. What another came to once was said at a
        moment at which something was said there.
        """
        at_ms = parse_observation_id(one.id).timestamp_ms
        return at_ms >= since_ms and not any(
            one.content.startswith(f"{redact(state.topic)}:")
            and (any(entry.at_ms == at_ms for entry in state.thread) or _may_mean(name, state))
            for state in self._look(parse_clarification_id(name)[1]).values()
        )

    def find_outcome(self, one: Observation) -> tuple[tuple[str, ...], Observation] | None:
        """Return the uids of the question that a memory says the outcome of, and what that is.

        What a person wrote anew is what the question came to, in their words.
        """
        state = self._find_asked(one)
        if state is None or not state.uid:
            return None
        now = read_decision(state)
        if now is None:
            return list_uids(state), one
        is_same = bool(one.mended_ms) or read_said(one.content) in list_said(now)
        is_now = is_id_of(one.id, state, now) or (is_same and is_word_of(one, now))
        return list_uids(state), now if is_now else one

    def find_outcome_by_id(self, name: str) -> tuple[tuple[str, ...], Observation] | None:
        """Return what a memory of this id says the outcome of, by the ledger alone."""
        if not self._is_asked:
            return None
        try:
            state = self._list_by_id(parse_observation_id(name).issue_number).get(name)
        except (AgentXError, OSError):
            return None
        decision = None if state is None else read_decision(state)
        return None if state is None or decision is None else (list_uids(state), decision)

    def _judge(self, one: Observation, name: str, state: Clarification | None) -> Observation:
        if one.agent != PERSON_ROLE and is_persons_name(one.agent):
            return _doubt(one, name)  # nobody is called so, but for who wants to be taken for one
        if one.agent != PERSON_ROLE and self._record.holds(one.id):
            return _doubt(one, name)  # it was a person's
        if one.agent != PERSON_ROLE:
            return self._judge_outcome(one, name, state) if name else one
        if one.superseded_by and not self._is_overruled(one):
            one = replace(one, superseded_by="")
        if name:
            return self._judge_decision(one, name, state)
        return one if self._record.bears_out(one) else replace(one, agent=UNVERIFIED)

    def _is_overruled(self, one: Observation) -> bool:
        """Tell whether who is said to have taken a person's memory back has the say in it."""
        try:
            by = self._find_memory(one.superseded_by)
        except InvalidValue:  # no memory's name
            return False
        return by is not None and compare_observed(one).may_fall_to(compare_observed(by))

    def _judge_outcome(
        self, one: Observation, name: str, state: Clarification | None
    ) -> Observation:
        """Return what somebody else than a person says that a question came to."""
        if state is None or one.superseded_by:
            return self._withhold_aged(one, name)
        if not one.content.startswith(f"{redact(state.topic)}:"):
            return one
        # What was written anew is theirs, unless a person has the say.
        is_theirs = one.mended_ms and not (state.to == PERSON_ROLE or state.persons_word)
        if is_theirs or not says(state, one):
            return one if is_theirs else replace(one, superseded_by=name)
        return self._withhold_earlier(one, state)

    def _judge_decision(
        self, one: Observation, name: str, state: Clarification | None
    ) -> Observation:
        """Return what a person is said to have decided."""
        is_borne_out = self._record.bears_out(one)
        if state is None:  # not asked on this branch, or nobody can read it
            return self._withhold_aged(one, name) if is_borne_out else _doubt(one, name)
        if says(state, one) and (is_borne_out or self._is_told_so(state, one)):
            return self._withhold_earlier(one, state)
        if not is_borne_out:
            return _doubt(one, name)
        if one.superseded_by or (one.mended_ms and not state.contrary_words):
            return one  # what a person wrote anew is theirs
        return replace(one, superseded_by=name)

    def _withhold_aged(self, one: Observation, name: str) -> Observation:
        """Return what a question came to that is not here, as long as no person decided it anew."""
        if not self._is_asked:
            return one
        try:
            return withhold_aged(one, self._gather((parse_clarification_id(name)[1],)))
        except (AgentXError, OSError):
            return one

    def _withhold_earlier(self, one: Observation, state: Clarification) -> Observation:
        """Return what a question came to, as long as no person decided it anew.

        What they said to that is kept of the question that they were asked.
        """
        others = self._gather((state.issue,))
        [told] = tell_changes(self._project, (state,), others) if self._is_changed else (state,)
        if is_contested(told) or find_contesting_elsewhere(state, others) is not None:
            one = replace(one, contested=True)
        if one.superseded_by or one.mended_ms:
            return one
        if state.asked_on and state.decided_later:  # in its own thread, which is not settled
            return replace(one, decided_later=state.decided_later)
        asked = self._gather(sorted(self._issues.list_numbers(state)))
        found = find_otherwise(state, asked)
        if found is not None and not is_come_to(*found):  # memory does not tell that
            [said] = tell_later((state,), asked)
            return replace(one, decided_later=said.decided_later)
        later = None if found is None else found[0]
        if later is None and not one.contested:
            later = find_repeated(state, asked)
        return one if later is None else replace(one, superseded_by=str(later.id))

    def _gather(self, issues: Iterable[int]) -> GatheredQuestions:
        """Return the questions of issues, gathered; each look at their files does it once."""
        numbers = tuple(issues)
        looks = tuple(map(self._look, numbers))
        known = self._seen.gathered.get(numbers)
        if known is None or any(map(is_not, known[0], looks)):
            states = chain.from_iterable(look.values() for look in looks)
            known = self._seen.gathered[numbers] = (looks, GatheredQuestions(states))
        return known[1]

    def _is_told_so(self, state: Clarification, one: Observation) -> bool:
        """Tell whether a memory says, word for word, who said it and what they were asked."""
        if self._ledgers is None or not one.content.startswith(one.summary.rstrip("\u2026")):
            return False
        judged = self._ledgers.list_judged(state.issue, {state.uid})
        decision = name_decision(self._project, state, judged)
        said = "" if decision is None else decision.content
        return rename_question(one, str(state.id)).content in (said, redact(said))

    def _find_asked(self, one: Observation) -> Clarification | None:
        """Return the question that a memory says the outcome of; None where none is here.

        What it came to, now or once, has the memory's id. Where none has, it is the one that the
        memory names.
        """
        name = find_question(one)
        if not (name and self._is_asked):
            return None
        try:
            _, issue, _ = parse_clarification_id(name)
            states = self._look(issue)
            known = self._asked.get(one.id)
            if known is None or known[0] is not states or known[1] != name:
                state = self._list_by_id(issue).get(one.id)
                state = state or find_former(one, states, states.get(name))
                known = self._asked[one.id] = (states, name, state)
            return known[2]
        except (AgentXError, OSError):
            return None

    def _list_by_id(self, issue: int) -> States:
        """Return the questions of an issue by the ids that memories of what they came to have."""
        states = self._look(issue)
        known = self._seen.by_id.get(issue)
        if known is None or known[0] is not states:
            asked = (state for state in states.values() if state.uid)
            decided = chain.from_iterable(map(list_decisions, asked))
            names = {
                name: state for state, decision in decided for name in list_ids(state, decision)
            }
            known = self._seen.by_id[issue] = (states, names)
        return known[1]

    def _gather_forgotten(self, issue: int) -> ForgottenNames:
        states = self._look(issue)
        known = self._seen.forgotten.get(issue)
        if known is None or known[0] is not states:
            try:
                gone = self._ledgers.gather_forgotten(issue) if self._ledgers else ForgottenNames()
            except (AgentXError, OSError):
                self._unread.add(issue)
                raise
            known = self._seen.forgotten[issue] = (states, gone)
        return known[1]

    def _find(self, name: str) -> Clarification | None:
        """Return a question as its ledger has it; None where it has none."""
        if not self._is_asked:
            return None
        try:
            _, issue, _ = parse_clarification_id(name)
            return self._look(issue).get(name)
        except (AgentXError, OSError):
            return None

    def _look(self, issue: int) -> States:
        if self._ledgers is None:
            self._ledgers = LedgerStore(self._project.paths, self._project.clock, self._pen)
        try:
            now = self._stamp(issue)
            seen = self._seen.read.get(issue)
            if seen is None or seen[0] != now:
                states = {str(state.id): state for state in self._ledgers.read(issue)}
                seen = self._seen.read[issue] = (now, states)
        except (AgentXError, OSError):
            self._unread.add(issue)
            raise
        return seen[1]

    def _stamp_of(self, name: str) -> str:
        try:
            issue, state = parse_clarification_id(name)[1], self._find(name)
            numbers = {issue} if state is None else self._issues.list_numbers(state)
            return " ".join(f"{number} {self._stamp(number)}" for number in sorted(numbers))
        except (AgentXError, OSError):
            return ""

    def _stamp(self, issue: int) -> str:
        """Return what changes when the ledger of an issue does, or whose words count."""
        if issue not in self._stamps:
            if self._keyring is None:
                self._keyring = open_keyring(self._project)
            self._stamps[issue] = f"{self._look_at(issue)} {self._keyring.stamp()}"
        return self._stamps[issue]

    def _look_at(self, issue: int) -> str:
        stamp = look_at_ledger(self._project.paths, issue, self._pen.held)
        changed = look(self._project.store.github_changed)
        seen = changed and (changed.st_ino, changed.st_size, changed.st_mtime_ns)
        return repr((stamp.looks, stamp.held, seen))


def _doubt(one: Observation, name: str) -> Observation:
    return replace(one, agent=UNVERIFIED, superseded_by=one.superseded_by or name)


def _may_mean(name: str, state: Clarification) -> bool:
    """Tell whether a name was a question's that does not say what it came to."""
    names = (str(state.id), state.formerly.partition("@")[0])
    return name in names and read_decision(state) is None
