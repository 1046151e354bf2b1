"""The nouns of the room: a clarification, its thread and the ledger of an issue.

A clarification is what one agent wants to know of another, with everything that was said about it.
Nothing happens here: `facts` says what can, `protocol` what may, and `monitor` what must.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from agentx.clarification.ways import (
    FORGED,
    GITHUB,
    MEMORY,
    UNVERIFIED,
    is_brought,
    is_from_memory,
    is_missed,
    is_unverified_way,
    lets_go,
    name_comment,
)
from agentx.kernel.clock import Millis
from agentx.kernel.ids import UNMARKED, ClarificationId, IssueMark
from agentx.kernel.limits import CLARIFY_SLA_MINUTES_DEFAULT
from agentx.kernel.roles import HUB_ROLE, PERSON_ROLE, UNCONFIRMED
from agentx.kernel.values import field, frozen

PERSON, HUB = PERSON_ROLE, HUB_ROLE  # who speaks when it is no agent


class ClarificationStatus(StrEnum):
    """How far a clarification has come."""

    PENDING = "pending"
    ANSWERED = "answered"
    RESOLVED = "resolved"
    STALE = "stale"
    ESCALATED = "escalated"
    ABANDONED = "abandoned"


# The target has still to answer.
UNANSWERED = frozenset({ClarificationStatus.PENDING, ClarificationStatus.STALE})
# Somebody has still to do something: an agent, the asker, or a person.
ACTIVE = UNANSWERED | {ClarificationStatus.ANSWERED, ClarificationStatus.ESCALATED}


class EntryType(StrEnum):
    """What an entry of a thread is."""

    QUESTION = "question"
    ANSWER = "answer"
    RESOLUTION = "resolution"
    ESCALATION = "escalation"


_WORDS = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})


class Reason(StrEnum):
    """Why a person was called, or why a question was given up."""

    MAX_ROUNDS = "max-rounds"
    STALE = "stale"
    STUCK = "stuck"
    DEADLOCK = "deadlock"
    AGENT_ERROR = "agent-error"
    MANUAL = "manual"
    ISSUE_CLOSED = "issue-closed"
    ASKER_GONE = "asker-gone"


# After these the asker goes on with what is known; after the others it waits for the person.
ASKER_GOES_ON = frozenset({Reason.AGENT_ERROR, Reason.DEADLOCK})
UNASKED = "Not asked any more: "  # what a person is called for past the last round
ANSWERED, PARTIAL, UNKNOWN = "answered", "partial", "unknown"
STANDINGS = (ANSWERED, PARTIAL, UNKNOWN)
CONFIDENCES = ("low", "medium", "high")


@frozen
class AnswerWorth:
    """How good an answer is, as its speaker says; nothing where nothing was said of it."""

    standing: str = ""  # answered, partial, unknown
    confidence: str = ""  # low, medium, high
    remaining: str = ""  # what it leaves open: what a follow-up must ask


UNJUDGED = AnswerWorth()


@frozen
class Entry:
    """One entry of a thread. A late one arrived after the escalation and changed nothing."""

    round: int
    speaker: str
    type: EntryType
    body: str
    at_ms: Millis
    late: bool = False
    via: str = ""  # how it was said, where that is known
    worth: AnswerWorth = UNJUDGED
    uid: str = ""  # of what asks, and of a person's word: which event; the first is the thread's
    is_over: bool = False  # a person who had it before them said what holds, asked anew
    to_asked: str = ""  # of what came late: the uid of what it was said to, asked further since

    @property
    def doubt(self) -> str:
        """What is doubtful about who said it, in a word; nothing where nothing is."""
        # A role's words that nobody vouches for count, but where a person decides.
        if self.via == FORGED or (is_unverified_way(self.via) and (self.late or self.is_reserved)):
            return UNVERIFIED
        return UNCONFIRMED if (self.speaker, self.via) == (PERSON, UNCONFIRMED) else ""

    @property
    def is_reserved(self) -> bool:
        """Whether it is said in the name of a person, or of AgentX itself."""
        return self.speaker in (PERSON, HUB)

    @property
    def is_claim(self) -> bool:
        """Whether nobody vouches for it, and it changed nothing."""
        return self.late and self.doubt == UNVERIFIED

    @property
    def is_persons_word(self) -> bool:
        """Whether a person answered or decided, as far as anybody can tell."""
        return self.speaker == PERSON and self.type in _WORDS and self.doubt != UNVERIFIED

    @property
    def account(self) -> str:
        """Whose account on GitHub said it; nothing where it was said elsewhere."""
        via = name_comment(self.via)
        return via.removeprefix(GITHUB).partition("/")[0] if via.startswith(GITHUB) else ""

    @property
    def comment(self) -> int:
        """Which comment on GitHub said it; 0 where it was not, or nobody vouches for that."""
        named = self.via.rpartition("/")[2] if self.account and not is_brought(self.via) else ""
        return int(named) if named.isascii() and named.isdigit() else 0

    @property
    def source(self) -> str:
        """Where memory knew it from; nothing where somebody said it."""
        return self.via.removeprefix(MEMORY) if is_from_memory(self.via) else ""

    @property
    def proviso(self) -> str:
        """What must be told with who said it: what is doubtful, and where it was said."""
        where = f"{self.account} on GitHub" if self.account else ""
        source = f"from memory, {self.source}" if self.source else ""
        taken = "not taken" if is_missed(self.via) else ""
        doubt = self.doubt if not taken or is_brought(self.via) else ""
        return ", ".join(filter(None, (where, source, taken, doubt)))

    @property
    def speaker_shown(self) -> str:
        """Who said it, with what must be told of that: wherever words are shown."""
        return f"{self.speaker} ({self.proviso})" if self.proviso else self.speaker


def read_question(entry: Entry) -> str:
    """Return what an entry asks: a question, or a call for a person past the last round."""
    if entry.type is EntryType.QUESTION:
        return entry.body
    lines = entry.body.splitlines() if entry.type is EntryType.ESCALATION else ()
    return next((line.removeprefix(UNASKED) for line in lines if line.startswith(UNASKED)), "")


@frozen
class Retry:
    """The target was asked once more: when, who was asked in its place, and what came of it."""

    at_ms: Millis
    runner: str = ""
    outcome: str = ""  # answered, failed; nothing where nothing is known


@frozen
class OverruledWord:
    """What a person said otherwise than another one whose word stands."""

    entry: Entry
    by: str = ""  # what they are called, where that is known
    is_own: bool = False  # the reader's own


@frozen
class Clarification:
    """What one agent wants to know of another, and all that was said about it."""

    id: ClarificationId
    issue: int
    asker: str
    to: str
    topic: str
    blocking: bool
    status: ClarificationStatus = ClarificationStatus.PENDING
    round: int = 0
    rounds_max: int
    created_ms: Millis
    stale_after_ms: Millis
    resolved_ms: Millis | None = None
    thread: tuple[Entry, ...] = ()
    sla_minutes: int = CLARIFY_SLA_MINUTES_DEFAULT
    retries: int = 0
    retry: Retry | None = None
    went_stale: int = 0
    reason: Reason | None = None
    summary: str = ""
    uid: str = ""  # which question it is for good: its number may move when clones merge
    formerly: str = ""  # the name it had, and has still with its writer, where the number moved
    stem: str = ""  # of an offshoot: the thread that it was asked on
    issue_mark: IssueMark = UNMARKED  # the issue as it was when it was asked
    # Where people contradict each other, as who reads it knows them; no part of the ledger.
    overruled: tuple[OverruledWord, ...] = ()
    word_of: str = ""  # what the one is called whose word stands then
    issue_now: str = ""  # what became of its issue, where that is to be known; likewise
    decided_later: str = ""  # what a person said otherwise to the same, later; likewise
    decided_later_for: str = ""  # who asked that
    decided_meanwhile: str = ""  # the same of what waits, since it was asked; likewise
    stands_beside: str = ""  # the same of what waits, or was only let go, before that; likewise
    contested_by: str = ""  # what else speaks against what stands; likewise
    asked_on: str = ""  # of a matter: what its thread asked next (`watch.matters`); likewise
    begun_with: tuple[tuple[Entry, str], ...] = ()  # said before, with what is against it; likewise
    changed: tuple[tuple[Entry, str], ...] = ()  # replies changed since, and how; likewise
    goes_by: str = field(default="", compare=False)  # what commands take; likewise

    @property
    def exact(self) -> str:
        """A name of it that never means another."""
        return f"{self.id}@{self.uid}" if self.uid else self.id

    @property
    def typed(self) -> str:
        """The name that commands take, wherever one is offered."""
        return self.goes_by or self.id

    @property
    def is_active(self) -> bool:
        """Whether somebody has still to do something."""
        return self.status in ACTIVE

    @property
    def is_unanswered(self) -> bool:
        """Whether the target has still to answer."""
        return self.status in UNANSWERED

    @property
    def holds_its_asker(self) -> bool:
        """Whether the asker cannot go on: until an answer, or a person's resolution."""
        is_called = self.status is ClarificationStatus.ESCALATED
        is_held = is_called and self.reason not in ASKER_GOES_ON
        return self.blocking and (self.is_unanswered or is_held)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to decide or to answer."""
        is_asked = self.to == PERSON and self.is_unanswered
        return is_asked or self.status is ClarificationStatus.ESCALATED

    @property
    def waits_on(self) -> str:
        """Who has to say something before the asker goes on: a person, or who was asked."""
        return PERSON if self.waits_for_person else self.to

    @property
    def resolution(self) -> Entry | None:
        """What settled it, or None; also where it was settled, and is open again."""
        settled = [entry for entry in self.entries(EntryType.RESOLUTION) if not entry.late]
        return settled[-1] if settled and self.status is ClarificationStatus.RESOLVED else None

    @property
    def claim(self) -> Entry | None:
        """The last that a person is said to have said, where none has said anything."""
        further = (at for at, each in enumerate(self.thread) if each.late and read_question(each))
        said = self.thread[: next(further, None)]  # what does not count as asked is not answered
        claims = [each for each in said if each.is_claim and each.speaker == PERSON]
        is_said = any(entry.is_persons_word for entry in self.thread)
        return claims[-1] if claims and not is_said else None

    @property
    def was_decided_for_asker(self) -> bool:
        """Whether its asker has to hear how it was settled: by others, or as people disagree."""
        settled = self.resolution
        return settled is not None and (settled.speaker != self.asker or bool(self.contrary_words))

    @property
    def persons_word(self) -> Entry | None:
        """What a person said that stands, or None."""
        said = (each for each in (self.decision, self.answered) if each and self.is_own(each))
        return next((each for each in said if each.body and each.is_persons_word), None)

    def is_own(self, entry: Entry) -> bool:
        """Tell whether it was said here, and not on the thread that an offshoot grew from."""
        turns = (turn for turn, each in enumerate(self.thread) if each.uid == self.uid)
        first = next(turns, 0) if self.stem else 0
        return any(each is entry for each in self.thread[first:])

    @property
    def contrary_words(self) -> tuple[Entry, ...]:
        """What people said otherwise than what stands, to the same question."""
        said = [each for each in self.thread if each.is_persons_word]
        if not said[1:] or (word := self.persons_word) is None:
            return ()
        others = [each for each in said if each.body.split() != word.body.split()]
        to_same = (each for each in others if self.question_of(each) == self.question_of(word))
        return tuple(each for each in to_same if not self.lets_go(each))

    def lets_go(self, word: Entry) -> bool:
        """Tell whether a person only let a question go: that takes back nobody's word."""
        return word.speaker == PERSON and self.says_nothing(word)

    def says_nothing(self, word: Entry) -> bool:
        """Tell whether a word is none, or of those that are offered for letting go."""
        return lets_go(word.body, lambda: f"{self.topic}\n{self.question_of(word)}")

    def entries(self, kind: EntryType) -> tuple[Entry, ...]:
        """Return the entries of one type, in order."""
        return tuple(entry for entry in self.thread if entry.type is kind)

    @property
    def asked(self) -> tuple[Entry, ...]:
        """What was asked, in order; what was put too late, or by nobody knows whom, is not."""
        return tuple(entry for entry in self.entries(EntryType.QUESTION) if not entry.late)

    @property
    def question(self) -> str:
        """What was asked last."""
        asked = self.asked
        return asked[-1].body if asked else ""

    @property
    def asked_last(self) -> str:
        """What was asked last, also past the last round, where a person is called with it."""
        said = (read_question(entry) for entry in self.thread if not entry.late)
        return next((words for words in reversed([*said]) if words), self.question)

    def question_of(self, entry: Entry) -> str:
        """Return what was asked last when something was said, also past the last round."""
        asked = self.find_asked(entry)
        return self.question if asked is None else read_question(asked)

    def find_asked(self, entry: Entry) -> Entry | None:
        """Return the entry that asked it; None where the first did not come before."""
        at = next((turn for turn, each in enumerate(self.thread) if each is entry), 0)
        asked = [each for each in self.thread[:at] if not each.late and read_question(each)]
        meant = [each for each in asked if (each.uid or self.stem or self.uid) == entry.to_asked]
        return next(reversed(meant or asked), None)

    @property
    def answered(self) -> Entry | None:
        """The answer that stands, or None: the last that was there when it was settled.

        Who was asked is heard after a person was called, too. A person's word stands against an
        agent's that came late; what is said that a person said is none.
        """
        found, settled, is_over = None, self.resolution, False
        for entry in self.thread:
            if entry is settled:
                if entry.speaker == PERSON:
                    break
                is_over = True
            is_heard = entry.speaker == self.to != PERSON and not is_over
            is_heard &= found is None or not found.is_persons_word
            if entry.type is EntryType.ANSWER and (
                is_heard or entry.is_persons_word or not entry.late
            ):
                found = found if self._is_kept(found, entry) else entry
        return found

    def _is_kept(self, said: Entry | None, by: Entry) -> bool:
        """Tell whether an answer of a person's stands, as another only lets the question go."""
        if said is None or not (said.is_persons_word and by.is_persons_word):
            return False
        return self.lets_go(by) and not self.lets_go(said) and self._is_to_same(said, by)

    def _is_to_same(self, said: Entry, other: Entry) -> bool:
        """Tell whether two things were said to the same question, in whichever words it was put."""
        asked, again = self.question_of(said), self.question_of(other)
        if asked == again:
            return True
        from agentx.prose.same.wording import key_words  # noqa: PLC0415  seldom asked

        return key_words(self.topic, asked) == key_words(self.topic, again)

    @property
    def decision(self) -> Entry | None:
        """Whose words settled it: what was said then, else the answer that was taken; or None.

        What a person answered is what a role settles, whatever it says with it.
        """
        settled, answered = self.resolution, self.answered
        answered = answered if answered and self.is_own(answered) else None
        if settled is not None and self.lets_go(settled):
            # Who lets it go takes back nobody's word.
            said = (each for each in self.thread if each.is_persons_word and self.is_own(each))
            words = [
                each for each in said if not self.lets_go(each) and self._is_to_same(each, settled)
            ]
            sure = [each for each in words if not each.doubt]  # what is in doubt took none back
            taken = settled if settled.body else answered or settled
            return (sure or words or [taken])[-1]
        if settled is None or answered is None:
            return settled
        is_persons = answered.is_persons_word and settled.speaker != PERSON
        return answered if is_persons or not settled.body else settled

    @property
    def answer(self) -> str:
        """What was answered last, or nothing."""
        return "" if self.answered is None else self.answered.body


@frozen
class Ledger:
    """The clarifications of one issue, in the order they were asked."""

    issue: int
    clarifications: tuple[Clarification, ...] = ()
    faults: tuple[str, ...] = ()  # what could not be read, each harming only itself
    is_behind: bool = False  # its view does not say yet what its events do
    missing: tuple[str, ...] = ()  # of which questions git took lines out of the files; they count

    def __iter__(self) -> Iterator[Clarification]:
        return iter(self.clarifications)

    def find(self, clarification_id: str) -> Clarification | None:
        """Return one clarification by its name, or by the one it had, or None."""
        names = ((each, (each.id, each.formerly)) for each in self.clarifications)
        return next((each for each, known in names if clarification_id in known), None)


@frozen
class NewQuestion:
    """A question that an agent wants to put."""

    issue: int
    asker: str
    to: str
    topic: str
    question: str
    blocking: bool = True
    rounds_max: int | None = None
    issue_mark: IssueMark = UNMARKED
