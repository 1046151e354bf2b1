"""Clarifications of a project, opened: the room, and what the log hears of it and of the hub.

For others: `blocking_questions` for the ready queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path

from agentx.clarification.contested import find_untrusted
from agentx.clarification.events import LedgerLocked, LedgerReleased
from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.rendering import say_against, say_doubts
from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.naming.shown import ShownNames
from agentx.clarification.store.signed_lines import find_unheld
from agentx.clarification.store.survey import SeenLedgers, Survey
from agentx.clarification.store.vouching.doubts import EventDoubt
from agentx.clarification.store.vouching.overruled import name_overruled
from agentx.clarification.store.vouching.signers import find_askers, find_sayer, find_writer
from agentx.clarification.watch.awaiting import (
    find_untrusted_question,
    is_asked_further,
    is_to_be_answered,
)
from agentx.clarification.watch.begun import Tell, tell_against
from agentx.clarification.watch.gathered import GatheredQuestions, gather
from agentx.clarification.watch.inbox import inbox_among
from agentx.clarification.watch.later import contests_elsewhere, tell_in_doubt
from agentx.clarification.watch.matters import list_matters, list_standing
from agentx.clarification.watch.metrics import Metrics, metrics
from agentx.clarification.watch.repeated import keep_repeated, tell_repeated
from agentx.clarification.watch.taken import find_origin, find_source, tell_taken
from agentx.host.files.plain import is_folder
from agentx.host.git.facts import remote_url
from agentx.kernel.bus import Bus
from agentx.kernel.errors import AgentXError, CorruptRecord
from agentx.kernel.ids import digest, parse_clarification_name
from agentx.kernel.text import join_marks
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.project.trust.writers import Hand
from agentx.recall.limits import CLARIFY_INBOX_MAX
from agentx.wiring.heard.logged import make_logged_bus
from agentx.wiring.runners import role_texts
from agentx.wiring.trust.changed_replies import tell_changes
from agentx.wiring.trust.issue_marks import AskedIssues, tell_issues
from agentx.wiring.trust.keys import name_own_key, open_keyring, show_owner
from agentx.wiring.trust.lost_words import note_lost
from agentx.work.model import AgentState, AgentStatus
from agentx.work.port import OpenQuestion


def open_clarifications(project: Project, bus: Bus | None = None) -> Clarifications:
    """Open the ledgers of a project; what happens to them is logged."""
    told = make_logged_bus(project) if bus is None else bus

    def on_lock(file: str, agent: str, waited_ms: int, held_ms: int) -> None:
        told.tell(LedgerLocked(file=file, agent=agent, duration_ms=waited_ms))
        told.tell(LedgerReleased(file=file, agent=agent, duration_ms=held_ms))

    pen = make_pen(project)
    seen = find_seen(str(project.paths.ledgers), pen.signatures.stamp())
    store = LedgerStore(project.paths, project.clock, pen, on_lock, seen)
    return Clarifications(store, clock=project.clock, bus=told)


@lru_cache(maxsize=8)
def find_seen(place: str, trusted: str) -> SeenLedgers:
    """Return what this process read of a project's ledgers: one command opens them often."""
    del place, trusted
    return SeenLedgers()


def make_pen(project: Project) -> Pen:
    """Return with what this checkout writes questions."""
    hand = Hand(project.data, project.root, project.entropy)
    keyring = open_keyring(project, hand)

    def doubt(issue: int, doubted: EventDoubt) -> None:
        facts = {"question": doubted.question, "writer": doubted.writer, "via": doubted.why}
        record_act(project, AuditAct.UNVERIFIED, issue=issue, **facts)

    return Pen(
        writer=keyring.choose_writer,
        secret=lambda: hand.secret,
        signatures=keyring,
        doubt=doubt,
        lose=partial(note_lost, project),
        entropy=project.entropy,
        shown=find_shown(project),
        held=project.held_questions,
        common=project.trust.common,
    )


def find_shown(project: Project) -> ShownNames:
    """Return where it is kept what names of questions meant to this user here."""
    place = digest(str(project.root), size=8).hex()
    return ShownNames(project.store.shown, place, cache(partial(_find_clones, project)))


def _find_clones(project: Project) -> tuple[Path, ...]:
    """Return where it is kept what the user was shown in any clone of a repository.

    Clones are known by what their repository is called in signatures, by where it came from, and
    by where it lies: another may have come from there.
    """
    common = project.trust.common  # which all worktrees share
    address = remote_url(project.root) if common is not None else None
    places = (str(common or ""), str(project.root))
    names = (*open_keyring(project).list_names(), address or "", *places)
    known = dict.fromkeys(digest(name, size=16).hex() for name in names if name)
    return tuple(project.data.shown / each for each in known)


def tell_unseen(project: Project, state: Clarification) -> str:
    """Return why the user must read what is asked before they answer it; nothing where they did.

    What no terminal of theirs showed may be another question than the one they read of elsewhere:
    it is asked further since another person answered, or nobody vouches for its words.
    """
    if not is_to_be_answered(state) or find_shown(project).find_told(state.issue, state.id):
        return ""
    said = [each for each in state.thread if each.is_persons_word]
    if said and is_asked_further(state, state.uid):
        store = LedgerStore(project.paths, project.clock, make_pen(project))
        sayer = find_sayer(state, said[-1], store.list_judged(state.issue, {state.uid}))
        if sayer != name_own_key(project):
            return "was asked further since another person answered"
    is_signed = bool(keep_signed(project, (state,)))
    return "" if is_signed else "was not shown in your inbox yet, and nobody vouches for its words"


def name_decider(project: Project, key: str) -> str:
    """Return what the owner of a key is called, as it may be told; nothing where nobody knows."""
    return show_owner(open_keyring(project), key)


def name_overruling(project: Project, states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return questions with who said what, where people's words contradict each other.

    Also with what a person decided otherwise, asked the same anew, and with what speaks against the
    words that an offshoot begins with, that a thread had before it asked further, and that were
    taken from memory.
    """
    known = tuple(states)
    asked, tell = _look_around(project, known)
    known = tell_taken(tell_against(known, asked, tell), _read_sources(project, known))
    if not any(state.contrary_words for state in known):
        return known
    store = LedgerStore(project.paths, project.clock, make_pen(project))
    trusted = open_keyring(project).list_trusted()
    found = []
    for state in known:
        named = state
        if state.contrary_words:
            with suppress(CorruptRecord):
                events = store.list_judged(state.issue, {state.uid})
                named = name_overruled(state, events, trusted, partial(name_decider, project))
        found.append(named)
    return tuple(found)


def tell_states(project: Project, states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return questions as they are told, wherever that is: with all that speaks against what they
    came to, and with what became of their issues.
    """
    return tell_issues(project, name_overruling(project, states))


def tell_state(project: Project, state: Clarification) -> Clarification:
    """Return a question as it is told: with what speaks against it, and what became of its issue.

    Whoever is replied what a question came to is told just that, as who looks for it is. What was
    kept by then is no failure where that cannot be read.
    """
    try:
        return tell_states(project, (state,))[0]
    except (OSError, AgentXError) as error:
        project.log.record("warning", "clarification-untold", message=str(error))
        return replace(state, contested_by="what was said against it cannot be read here now")


def _look_around(
    project: Project, known: tuple[Clarification, ...]
) -> tuple[GatheredQuestions, Tell]:
    """Return all that was asked of the issues of questions, and what tells what speaks against."""
    places, questions = AskedIssues(project), open_clarifications(project)
    ledgers = list[Clarification]()
    for issue in {number for state in known for number in places.list_numbers(state)}:
        with suppress(CorruptRecord):
            ledgers += questions.ledger(issue)
    asked = gather(ledgers)
    again = gather(tell_changes(project, keep_repeated((*ledgers, *known)), asked))
    return asked, lambda some: tell_changes(project, tell_repeated(some, again), asked)


def _read_sources(
    project: Project, known: tuple[Clarification, ...]
) -> dict[str, tuple[Clarification, ...]]:
    """Return, by who took them, the questions whose words were taken from memory: the matters of
    each and itself, with what speaks against it."""
    room, found = open_clarifications(project), dict[str, Clarification]()
    for state in known:
        if name := find_source(state):
            with suppress(AgentXError):  # no question, or nobody can read it
                ledger = room.ledger(parse_clarification_name(name)[1])
                if (origin := find_origin(state, ledger)) is not None:
                    found[state.uid] = origin
    if not found:
        return {}
    _, tell = _look_around(project, tuple(found.values()))
    return {uid: tuple(tell((*list_matters(one), one))) for uid, one in found.items()}


def role_named(project: Project, text: str) -> str:
    """Return a role's one name.

    Raises: InvalidValue.
    """
    return role_texts(project).name_role(text)


def speaker_named(project: Project, text: str) -> str:
    """Return who speaks: a role's one name, the person, or nobody in particular.

    Raises: InvalidValue.
    """
    return text if text in {"", PERSON} else role_named(project, text)


def blocking_questions(project: Project) -> dict[int, tuple[OpenQuestion, ...]]:
    """Return, for each issue whose agent cannot go on, what it waits for, oldest first."""
    return blocking_among(project, open_clarifications(project).survey())


def blocking_among(project: Project, survey: Survey) -> dict[int, tuple[OpenQuestion, ...]]:
    """Return the same of clarifications that are at hand."""
    asked = AskedIssues(project)
    # Nobody knows what waits in a ledger that cannot be read, so all of it does.
    found: dict[int, tuple[OpenQuestion, ...]] = {
        issue: (OpenQuestion(id=f"issue-{issue}.json", to=PERSON, is_unread=True),)
        for issue in survey.closed
    }
    for state in survey.active:
        issue = asked.find_number(state) if state.holds_its_asker else None
        if issue is not None:
            question = OpenQuestion(id=state.id, to=state.waits_on)
            found[issue] = (*found.get(issue, ()), question)
    return found


def find_hold(project: Project, role: str, issue: int) -> OpenQuestion | None:
    """Return what holds a role on an issue where no status of it can be relied on; or None.

    Nobody knows what waits in a ledger that cannot be read. In a repository that is not trusted,
    what the user's own agents asked still waits.
    """
    if not any(map(is_folder, project.asked)):
        return None
    survey = open_clarifications(project).survey()
    if issue in survey.closed:
        return blocking_among(project, survey)[issue][0]
    if project.trust.has_data:
        return None
    asked = AskedIssues(project)
    held = [one for one in list_held(survey, role) if asked.find_number(one) == issue]
    signed = keep_signed(project, held)
    return OpenQuestion(id=signed[0].id, to=signed[0].waits_on) if signed else None


def hold_status(project: Project, status: AgentStatus, issue: int | None = None) -> AgentStatus:
    """Return a status as it is told: whom a question holds is not at work, whatever was noted.

    `issue` is what it works on, where that is not noted.
    """
    at = status.issue if issue is None else issue
    is_at_work = status.state is AgentState.WORKING and at is not None
    if not is_at_work or (hold := find_hold(project, status.agent, at or 0)) is None:
        return status
    blocked = AgentState.BLOCKED_CLARIFICATION
    return replace(status, state=blocked, clarification_id=hold.id, waiting_on=hold.to)


def list_held(survey: Survey, role: str) -> list[Clarification]:
    """Return what holds a role, by what it asked."""
    return [one for one in survey.active if one.asker == role and one.holds_its_asker]


def inbox(project: Project, who: str) -> tuple[Clarification, ...]:
    """Return what a role, or the person, has to see to."""
    known = list_told(open_clarifications(project).survey())
    return inbox_among(tell_states(project, known), who)


def list_overruled(project: Project) -> tuple[Clarification, ...]:
    """Return what was decided lately otherwise than the person who reads it had said; it stands."""
    found = name_overruling(project, list_told(open_clarifications(project).survey()))
    standing = (state for state in found if not state.decided_later)
    return tuple(state for state in standing if any(each.is_own for each in state.overruled))


def list_untrusted(project: Project) -> tuple[Clarification, ...]:
    """Return the threads on which a writer who is not trusted asks the person further."""
    found = list_told(open_clarifications(project).survey())
    return tuple(state for state in found if find_untrusted_question(state) is not None)


def list_contested(project: Project) -> Iterator[tuple[Clarification, str]]:
    """Yield on what a writer who is not trusted has said otherwise than what stands, and who.

    What a person has decided anew is over, unless it contests that too. Also, of nobody, on what a
    person's word is in doubt and says otherwise than a sure one to the same.
    """
    questions = open_clarifications(project)
    look = cache(lambda issue: gather(questions.ledger(issue)))
    told = [each for one in list_told(questions.survey()) for each in list_standing(one)]
    found = tuple(state for state in told if find_untrusted(state) is not None)
    for state in told:
        doubtful = None if state in found else tell_in_doubt(state, look(state.issue))
        if doubtful is not None:
            yield doubtful, ""
    if not found:
        return
    store = LedgerStore(project.paths, project.clock, make_pen(project))
    for state in name_overruling(project, found):
        if state.decided_later and not contests_elsewhere(state, look(state.issue)):
            continue
        writer, word = "", find_untrusted(state)
        with suppress(CorruptRecord):
            judged = store.list_judged(state.issue, {state.uid})
            writer = "" if word is None else find_writer(state, word, judged)
        yield state, writer


def keep_signed(project: Project, states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return those of some questions that the user, or a writer whom the user trusts, asked."""
    store = LedgerStore(project.paths, project.clock, make_pen(project))
    signed: dict[int, dict[str, str]] = {}
    kept = []
    for state in states:
        if state.issue not in signed:
            try:
                signed[state.issue] = find_askers(store.list_judged(state.issue))
            except CorruptRecord:
                signed[state.issue] = {}
        if state.uid in signed[state.issue]:
            kept.append(state)
    return tuple(kept)


def mark_questions(project: Project, names: Iterable[str]) -> dict[str, str]:
    """Return what must be told with some questions, by their names.

    That is what speaks against what stands, and of which issue it was asked where another has its
    number by now. What was written or trusted since a question was indexed counts.
    """
    asked, room, found = AskedIssues(project), open_clarifications(project), list[Clarification]()
    for name in dict.fromkeys(names):
        with suppress(AgentXError):  # gone since it was found, or nobody can read it
            found.append(room.find(name))
    marks = {
        str(state.id): join_marks(say_doubts(state), say_against(state), asked.mark(state))
        for state in name_overruling(project, found)
    }
    return {name: mark for name, mark in marks.items() if mark}


def list_unheld(project: Project, issue: int | None = None) -> tuple[str, ...]:
    """Return the questions, of one issue or of all, of which git could still take lines back."""
    pen, names = make_pen(project), list[str]()
    store = LedgerStore(project.paths, project.clock, pen)
    issues = (stamp.issue for stamp in store.stamps()) if issue is None else (issue,)
    for each in issues:
        with suppress(CorruptRecord):
            ledger = store.read(each)  # who looks holds what can be held
            loose = find_unheld(project.paths, pen, project.clock, each)
            names += (state.id for state in ledger if {state.uid, state.stem} & loose)
    return tuple(names)


def list_told(survey: Survey) -> tuple[Clarification, ...]:
    """Return everything that somebody may have to be told of: what is open, what was decided."""
    return (*survey.active, *survey.decided)


def list_unread(project: Project) -> tuple[str, ...]:
    """Return of which issues nobody knows what waits, to be said."""
    return tuple(tell_unread(open_clarifications(project).survey()))


def tell_unread(survey: Survey) -> Iterator[str]:
    """Yield the same of ledgers that are at hand."""
    for issue in survey.closed[:CLARIFY_INBOX_MAX]:
        yield f"the questions of issue {issue} cannot be read, and still wait: agentx doctor"


def ledgers_aside(project: Project) -> tuple[Path, ...]:
    """Return the damaged ledgers that were moved aside and wait for somebody to mend them."""
    return LedgerStore(project.paths, project.clock, make_pen(project)).list_moved_aside()


def clarification_metrics(project: Project, *, start_ms: int, end_ms: int) -> Metrics:
    """Count what was asked in a stretch of time, for a digest."""
    ledgers = open_clarifications(project).ledgers()
    states = (state for ledger in ledgers for state in ledger)
    return metrics(states, start_ms=start_ms, end_ms=end_ms)
