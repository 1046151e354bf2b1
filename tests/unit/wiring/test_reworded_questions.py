"""Goal: of what people say to one question just one word is told unmarked, the last, however the
question was worded and whichever roles asked it, in memory, to who waits, and in every clone.

Method: two clones in one process, whose users trust each other; people say YES and NO in random
order to what several roles ask in several wordings, before and after the clones meet.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions import waiting as clarify_waiting
from agentx.operations.setup.writers import accept_repository, list_writers, trust_writer
from agentx.project.project import Project
from agentx.wiring.clarifications import inbox, open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, request
from tests.unit.wiring.test_colleagues_decisions import TYPING, clone_of, merge, tell

pytestmark = pytest.mark.promise("clarify.merge")

WORDINGS = (
    "Shall I drop the users table?",
    "Shall I drop the users table",
    "Should we drop users table?",
    "May I drop the `users` table?",
    "may we drop the users\nTABLE?",
)
ASKERS = ("engineer", "architect", "tester")


@pytest.fixture
def both(tmp_path: Path) -> tuple[Project, Project]:
    """Give two clones whose users trust each other."""
    ana, bob = (clone_of(tmp_path, name) for name in ("ana", "bob"))
    for each in (ana, bob):
        open_issues(each).create(NewIssue(title="Old tables", labels=("type:feature",)))
        open_clarifications(each).ask(request(issue=1, topic=f"of {each.root.parent.name}"), SCOPE)
    merge(ana, bob)
    for each in (ana, bob):
        accept_repository(each)
        [writer] = [one.writer for one in list_writers(each) if not one.own]
        trust_writer(each, writer, caller=TYPING)
    return ana, bob


def decide(project: Project, asker: str, question: str, said: str, *, topic: str = "Users") -> str:
    """Let a role ask a person, the person answer, and the role settle it; return its name."""
    wanted = request(issue=1, asker=asker, to=PERSON, topic=topic, question=question)
    name = open_clarifications(project).ask(wanted, SCOPE).id
    clarify_settle.answer(project, name, said, by=PERSON, caller=TYPING)
    clarify_settle.resolve(project, name, by=asker, caller=TYPING)
    return str(name)


def list_recalled(project: Project) -> list[str]:
    """Return what memory tells of it, each without whose word it is."""
    keep_decisions(project)
    lines = [line for line in tell(project) if line.startswith("Users: ")]
    return sorted(line.partition(". Decided")[0] for line in lines)


def list_waited(project: Project) -> dict[str, str]:
    """Return what each who waits is told was decided later, by what was said to it."""
    asked = [each for each in open_clarifications(project).ledger(1) if each.topic == "Users"]
    told = (clarify_waiting.wait(project, each.exact, wait_ms=0, told=print) for each in asked)
    return {each.answer: each.decided_later.partition(" (")[0] for each in told}


@pytest.mark.parametrize("seed", range(4))
def test_just_one_word_is_told_unmarked_whoever_asked_in_whichever_wording(
    both: tuple[Project, Project], seed: int
) -> None:
    chance, last = random.Random(seed), ""
    for turn in range(3):
        here = chance.choice(both)
        if turn == chance.randrange(3):
            merge(*both)
        for each in both:  # one after the other, whoever had seen what
            each.clock.sleep_ms(1_000)
        last = f"{chance.choice(('YES', 'NO'))} {turn}"
        decide(here, chance.choice(ASKERS), chance.choice(WORDINGS), last)
    merge(*both)

    for each in both:
        waited = list_waited(each)
        assert len(waited) == 3
        assert {said: mark for said, mark in waited.items() if mark != last} == {last: ""}
        assert list_recalled(each) == [f"Users: {last}"]


def test_what_is_asked_of_something_else_stands_beside_it(both: tuple[Project, Project]) -> None:
    ana, _ = both
    decide(ana, "engineer", "Shall I drop the users table?", "YES 1")
    ana.clock.sleep_ms(1_000)
    decide(ana, "architect", "Shall I drop the user table?", "NO 2")
    assert list_waited(ana) == {"YES 1": "", "NO 2": ""}
    assert list_recalled(ana) == ["Users: NO 2", "Users: YES 1"]


def test_who_has_not_heard_it_yet_is_told_what_was_decided_with_what_another_was_told_since(
    both: tuple[Project, Project],
) -> None:
    ana, _ = both
    wanted = request(issue=1, topic="Users", question=WORDINGS[0])
    first = open_clarifications(ana).ask(wanted, SCOPE).id
    clarify_settle.escalate(ana, first, caller=TYPING)
    clarify_settle.resolve(ana, first, "YES 1", by=PERSON, caller=TYPING)
    ana.clock.sleep_ms(1_000)
    last = decide(ana, "tester", WORDINGS[1], "NO 2")
    told = [each for each in inbox(ana, "engineer") if each.id == first]
    assert [each.decided_later for each in told] == [f"NO 2 ({last})"]
