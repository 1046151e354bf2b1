"""Goal: what is next on an issue's way follows from its events alone, and no bad output goes on.

Method: events by hand; documents as agents write them, and as they should not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentx.kernel.clock import Millis
from agentx.kernel.roles import SHIPPED_ROLES
from agentx.work.limits import WALK_SENT_BACK_MAX, WALK_TRIES_MAX
from agentx.work.model import Step, Workflow
from agentx.work.store.workflows import WorkflowFiles, list_shipped, read_template
from agentx.work.walk.model import Deed, StepVerdict, Walked, WalkEvent
from agentx.work.walk.outputs import find_faults, read_criteria, read_verdict
from agentx.work.walk.schedule import (
    cut_to_way,
    find_checks,
    find_due,
    list_at_work,
    list_shown,
    sum_spent,
)

pytestmark = pytest.mark.promise("walk.valid")

BUILD = Step(id="build", title="Build it", agent="engineer")
ROUNDS = Step(id="build", title="Build it", agent="engineer", iterate=True, max_iterations=2)


def event(kind: Walked, step: str = "build", **said: Any) -> WalkEvent:
    named = step if kind.startswith("step") else ""
    return WalkEvent(kind=kind, at_ms=Millis(1), step=named, **said)


JUDGE = Step(id="judge", title="Judge it", agent="reviewer", needs=("build",))
TWO = Workflow(name="two", description="", steps=(BUILD, JUDGE))
BEGAN = event(Walked.BEGAN)
SITTING = event(Walked.SITTING)
STEP_BEGAN = event(Walked.STEP_BEGAN)
DONE = event(Walked.STEP_ENDED)
PASSED = event(Walked.STEP_CHECKED)
FAILED = event(Walked.STEP_CHECKED, errors=("it is empty",))
AGAIN = event(Walked.STEP_CHECKED, is_again=True)
WAITS = event(Walked.STEP_ENDED, ended="waiting", reason="it waits", waits_for="CLR-1-001")


@pytest.mark.parametrize(
    ("events", "deed"),
    [
        ((), Deed.BEGIN),
        ((STEP_BEGAN,), Deed.RESUME),
        ((STEP_BEGAN, SITTING), Deed.RESUME),
        ((STEP_BEGAN, DONE), Deed.CHECK),
        ((STEP_BEGAN, DONE, SITTING), Deed.CHECK),
        ((STEP_BEGAN, DONE, PASSED), Deed.FINISH),
        ((STEP_BEGAN, DONE, PASSED, SITTING), Deed.FINISH),
        ((STEP_BEGAN, DONE, FAILED), Deed.RESUME),
        ((STEP_BEGAN, WAITS), Deed.STOP),
        ((STEP_BEGAN, WAITS, SITTING), Deed.RESUME),
        ((STEP_BEGAN, DONE, *[FAILED] * WALK_TRIES_MAX), Deed.STOP),
        ((STEP_BEGAN, DONE, *[FAILED] * WALK_TRIES_MAX, SITTING), Deed.RESUME),
        ((STEP_BEGAN, DONE, PASSED, event(Walked.STEP_DONE)), Deed.BEGIN),  # a person moved it
        ((STEP_BEGAN, DONE, PASSED, event(Walked.SENT_BACK)), Deed.BEGIN),
        (tuple([event(Walked.SENT_BACK)] * (WALK_SENT_BACK_MAX + 1)), Deed.STOP),
        ((*[event(Walked.SENT_BACK)] * (WALK_SENT_BACK_MAX + 1), SITTING), Deed.BEGIN),
        ((event(Walked.STEP_BEGAN, "other"),), Deed.BEGIN),
    ],
)
def test_what_is_next_follows_from_what_happened(events: tuple[WalkEvent, ...], deed: Deed) -> None:
    assert find_due(BUILD, (BEGAN, SITTING, *events)).deed is deed


def test_work_in_rounds_ends_where_its_criteria_are_met_or_it_may_go_on_no_more() -> None:
    once = (BEGAN, SITTING, STEP_BEGAN, DONE, AGAIN)

    assert find_due(ROUNDS, once).deed is Deed.RESUME
    over = find_due(ROUNDS, (*once, STEP_BEGAN, DONE, AGAIN))
    assert (over.deed, "2 rounds" in over.reason) == (Deed.STOP, True)
    assert find_due(ROUNDS, (*once, STEP_BEGAN, DONE, PASSED)).deed is Deed.FINISH


def test_a_way_that_ended_is_over_and_what_was_before_a_new_one_counts_no_more() -> None:
    before = (BEGAN, STEP_BEGAN, event(Walked.STEP_DONE))

    assert cut_to_way((*before, event(Walked.ENDED))) == ()
    assert cut_to_way((*before, BEGAN, SITTING)) == (BEGAN, SITTING)
    assert list_shown(TWO, before) == {"build": True, "judge": False}


def test_what_was_judged_is_not_done_where_it_was_sent_back() -> None:
    done = event(Walked.STEP_DONE)
    back = WalkEvent(kind=Walked.SENT_BACK, at_ms=Millis(1), step="judge")

    assert list_shown(TWO, (BEGAN, done, back)) == {"build": False, "judge": False}
    assert list_shown(TWO, (BEGAN, done, back, done))["build"]


@pytest.mark.parametrize(
    ("events", "is_at_work"),
    [
        ((STEP_BEGAN,), True),
        ((STEP_BEGAN, SITTING), True),  # killed
        ((STEP_BEGAN, DONE, SITTING), True),  # nobody looked at it yet
        ((STEP_BEGAN, DONE, PASSED, SITTING), True),
        ((STEP_BEGAN, DONE, FAILED), True),
        ((STEP_BEGAN, DONE, FAILED, SITTING), False),  # a person may have done it meanwhile
        ((STEP_BEGAN, WAITS, SITTING), False),
        ((STEP_BEGAN, DONE, PASSED, event(Walked.STEP_DONE)), False),
        ((STEP_BEGAN, event(Walked.SENT_BACK)), False),
    ],
)
def test_what_an_agent_has_in_hand_is_not_done(
    events: tuple[WalkEvent, ...], is_at_work: bool
) -> None:
    assert list_at_work((BEGAN, SITTING, *events)) == ({"build"} if is_at_work else set())


def test_what_must_pass_holds_until_something_else_is_named() -> None:
    named = event(Walked.SITTING, checks=("make test",))

    assert find_checks((BEGAN, named, SITTING)) == ("make test",)
    assert find_checks((BEGAN, named, event(Walked.SITTING, checks=("true",)))) == ("true",)


def test_a_session_that_went_on_is_counted_once() -> None:
    def ended(session: str, tokens: int) -> WalkEvent:
        return event(Walked.STEP_ENDED, session=session, tokens=tokens, micro_usd=tokens)

    spent = sum_spent((ended("a", 100), ended("b", 10), ended("a", 150)))

    assert (spent.tokens, spent.micro_usd) == (160, 160)


TEMPLATE = "# T\n\n## One\n\n<!-- say -->\n\n## Two\n\n<!-- say -->\n"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("# T\n\n## One\n\na\n\n## Two\n\nb\n", ()),
        ("# T\n\n## TWO ##\nb\n### Deep\n## one\na\n", ()),
        ("# T\n\n## One\n\n### Part\n\na\n\n## Two\n\n- b\n", ()),
        ("", ("it is empty",)),
        ("# T\n\n## One\n\na\n", ("the part `## two` is missing",)),
        (TEMPLATE, ("the part `## one` is empty", "the part `## two` is empty")),
        ("## One\na\n```\n## Two\nb\n```\n", ("the part `## two` is missing",)),
        ("One\n\nTwo\n", ("the part `## one` is missing", "the part `## two` is missing")),
    ],
)
def test_a_document_has_all_parts_of_its_template(text: str, faults: tuple[str, ...]) -> None:
    assert find_faults(text, TEMPLATE) == faults


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Verdict: approved", StepVerdict.APPROVED),
        ("## Verdict\n\n**Changes needed**: see 2.", StepVerdict.CHANGES),
        ("verdict: Approved\n\nlater\n\n- **Verdict:** changes needed", StepVerdict.CHANGES),
        ("My verdict is not approved yet.", None),
        ("```\nVerdict: approved\n```", None),
        ("## Verdict\n\nUnapproved", None),
        ("## Verdict\n\nApproved, or: Changes needed.", None),
        ("Verdict: not approved", None),
        ("<!-- Verdict: approved -->", None),
        ("", None),
    ],
)
def test_who_judges_says_so_in_a_line(text: str, verdict: StepVerdict | None) -> None:
    assert read_verdict(text) is verdict


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("Criteria: met", True),
        ("criteria: NOT met, 2 of 3", False),
        ("Criteria: met\nCriteria: not met", False),
        ("They are met.", None),
    ],
)
def test_who_works_in_rounds_says_whether_it_is_enough(text: str, is_met: bool | None) -> None:
    assert read_criteria(text) is is_met


def test_every_template_that_a_workflow_names_ships_and_is_not_passed_as_it_is(
    tmp_path: Path,
) -> None:
    named = set()
    files = WorkflowFiles(tmp_path, SHIPPED_ROLES, lambda _path: None)
    for name in list_shipped():
        named |= {step.template for step in files.get(name).steps if step.template}
    assert named >= {"prd", "adr", "review", "ux"}
    for name in (*named, "spec"):
        template = read_template(name)
        assert template, name
        assert find_faults(template, template), name
