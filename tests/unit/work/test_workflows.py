"""Goal: a workflow that ships or that a team writes is read exactly, or refused with the mend.

Method: the shipped files are compared with what is specified of them; broken ones are
made from a sound one, and each problem must name its line and its field.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.roles import ROLES, SHIPPED_ROLES, role_name, speak_role
from agentx.work.model import Issue, IssueState, Problem, Stage, Status, Step, Workflow
from agentx.work.progress import output_of, stages, step_for, workflow_name
from agentx.work.store.toml_lines import TOP, field_lines
from agentx.work.store.workflow_file import read_workflow
from agentx.work.store.workflows import WorkflowFiles, list_shipped
from tests.support.trusting import read_if_there

SOUND = """\
name = "own"  # a comment with "quotes" and [brackets]
description = '''
[[steps]]
id = "not a step"
'''

[[steps]]
id = "plan"
agent = "pm"
output = "docs/PLAN-{issue}.md"

[[steps]]
id = "build"
agent = "engineer"
needs = [
  "plan",  # first
]
can_clarify = ["architect", "pm"]
"""
LAST = SOUND.count("\n") + 1


def read(text: str, name: str = "own") -> Workflow | tuple[Problem, ...]:
    return read_workflow(text, name=name, file="own.toml", roles=SHIPPED_ROLES)


def problems(text: str) -> tuple[Problem, ...]:
    found = read(text)
    assert isinstance(found, tuple), "it is sound"
    return found


def issue(**changes: object) -> Issue:
    now = Millis(0)
    given = {"number": 7, "title": "x", "created_ms": now, "updated_ms": now, **changes}
    return Issue(**given)  # type: ignore[arg-type]  # a test's short form


# --- what ships -------------------------------------------------------------------------------


def test_eight_workflows_ship_and_are_sound(tmp_path: Path) -> None:
    files = WorkflowFiles(tmp_path, SHIPPED_ROLES, read_if_there)

    assert set(list_shipped()) == {
        "epic",
        "feature",
        "story",
        "bug",
        "spike",
        "devops",
        "docs",
        "iterative-loop",
    }
    assert all(
        files.get(name).steps[-1].status_on_complete is Status.DONE for name in files.names()
    )


@pytest.mark.parametrize(
    ("workflow", "step", "asks", "rounds", "minutes", "blocking"),
    [
        ("feature", "architecture", {"product-manager"}, 3, 60, True),
        ("feature", "implement", {"architect", "product-manager"}, 3, 60, True),
        ("story", "implement", {"architect", "product-manager"}, 3, 60, True),
        ("bug", "fix", {"architect", "product-manager"}, 2, 30, False),
    ],
)
def test_the_scopes_that_are_specified_ship(
    tmp_path: Path,
    workflow: str,
    step: str,
    asks: set[str],
    rounds: int,
    minutes: int,
    blocking: bool,
) -> None:
    found = WorkflowFiles(tmp_path, SHIPPED_ROLES, read_if_there).get(workflow).step(step)

    assert found is not None
    assert set(found.can_clarify) == asks
    assert (found.clarify_max_rounds, found.clarify_sla_minutes) == (rounds, minutes)
    assert found.clarify_blocking_allowed is blocking


# --- reading ----------------------------------------------------------------------------------


def test_fields_that_are_left_out_have_the_specified_defaults() -> None:
    found = read(SOUND)
    assert isinstance(found, Workflow)
    plan, build = found.steps

    assert (plan.agent, plan.can_clarify, plan.clarify_sla_minutes) == ("product-manager", (), 30)
    assert (plan.clarify_blocking_allowed, plan.optional, plan.iterate) == (True, False, False)
    assert (build.needs, build.can_clarify) == (("plan",), ("architect", "product-manager"))
    assert build.clarify_max_rounds is None


@pytest.mark.promise("work.workflow-errors")
@pytest.mark.parametrize(
    ("line", "said", "field"),
    [
        ("clarify_max_rounds = 6", "is 6: must be 1 to 5", "clarify_max_rounds"),
        ("clarify_max_rounds = 0", "is 0: must be 1 to 5", "clarify_max_rounds"),
        ('clarify_max_rounds = "3"', "is a text: must be a whole number", "clarify_max_rounds"),
        ("clarify_sla_minutes = 0", "must be 1 to", "clarify_sla_minutes"),
        ('clarify_blocking_allowed = "no"', "must be true or false", "clarify_blocking_allowed"),
        ("can_clarfy = []", "is not a field", "can_clarfy"),
        ('condition = "label x"', "is not a condition", "condition"),
        ('status_on_start = "Doing"', "is not a status", "status_on_start"),
        ("max_iterations = 3", "needs iterate = true", "max_iterations"),
        ("optional = 1", "is a number: must be true or false", "optional"),
        ('title = ["a"]', "is a list: must be a text", "title"),
    ],
)
def test_a_problem_names_file_line_field_and_mend(line: str, said: str, field: str) -> None:
    (problem,) = problems(f"{SOUND}{line}\n")

    assert (problem.file, problem.line, problem.field) == ("own.toml", LAST, f"steps[2].{field}")
    assert said in problem.message
    assert problem.mend


@pytest.mark.parametrize(
    ("old", "new", "said", "at"),
    [
        ('agent = "engineer"', 'agent = "enginer"', "'enginer' is not a role", 14),
        ('agent = "engineer"', 'agent = "agent-x"', "routes and does no step", 14),
        ('agent = "engineer"\n', "", "agent is missing", 12),
        ('id = "build"', 'id = "plan"', "is taken by step 1", 13),
        ('id = "build"', 'id = "Build It"', "cannot be an id", 13),
        ('"plan",  # first', '"plann",', "'plann' is not a step", 15),
        ('id = "plan"', 'id = "plan"\nneeds = ["build"]', "wait for each other: plan, build", 9),
        ('"architect", "pm"', '"engineer"', "engineer cannot ask itself", 18),
        ('"architect", "pm"', '"architekt"', "'architekt' is not a role", 18),
        ('name = "own"', 'name = "other"', "the file is own.toml", 1),
        ('name = "own"', "name = own", "is not TOML", 1),
        ("needs = [\n", 'needs = "plan\n', "is not TOML", 15),
    ],
)
def test_every_problem_is_found_where_it_is(old: str, new: str, said: str, at: int) -> None:
    assert old in SOUND
    found = problems(SOUND.replace(old, new))

    assert any(said in f"{each.field.split('.')[-1]} {each.message}" for each in found), found
    assert at in [each.line for each in found]


def test_all_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    text = SOUND.replace('"pm"\noutput', '"x"\noutput') + "clarify_max_rounds = 9\nwhat = 1\n"

    assert [each.line for each in problems(text)] == [9, LAST, LAST + 1]
    assert problems("")[0].message == "has 0 steps: must be 1 to 100"


def test_the_cap_may_be_lowered_and_is_higher_only_where_nobody_waits() -> None:
    found = read(f"{SOUND}clarify_max_rounds = 6\nclarify_blocking_allowed = false\n")
    assert isinstance(found, Workflow)

    assert found.steps[1].clarify_max_rounds == 6
    lower = read(f"{SOUND}clarify_max_rounds = 2\n")
    assert isinstance(lower, Workflow)
    assert lower.steps[1].clarify_max_rounds == 2


@given(st.text(alphabet="[]{}\"'\\\n#= astep", max_size=60))
def test_no_text_is_an_unforeseen_error(text: str) -> None:
    read(text)
    read(SOUND + text)


def test_lines_are_found_behind_long_strings_and_lists() -> None:
    lines = field_lines(SOUND, "steps")

    assert lines[TOP, "description"] == 2
    assert (lines[0, "agent"], lines[1, ""], lines[1, "can_clarify"]) == (9, 12, 18)


# --- files ------------------------------------------------------------------------------------


def test_a_projects_own_file_takes_the_place_of_the_one_that_ships(tmp_path: Path) -> None:
    files = WorkflowFiles(tmp_path, SHIPPED_ROLES, read_if_there)
    (tmp_path / "story.toml").write_text('[[steps]]\nid = "one"\nagent = "tester"\n', "utf-8")
    (tmp_path / "mine.toml").write_text("[[steps]\n", "utf-8")
    (tmp_path / "bytes.toml").write_bytes(b'name = "x"\nid = "\xff"')

    assert [step.id for step in files.get("story").steps] == ["one"]
    with pytest.raises(InvalidValue, match=r"mine.toml, line 1: is not TOML"):
        files.get("mine")
    with pytest.raises(InvalidValue, match=r"bytes.toml, line 2: is not UTF-8"):
        files.get("bytes")
    with pytest.raises(NotFound) as unknown:
        files.get("storey")
    assert unknown.value.hint == "did you mean story?"
    for outside in ("../../etc/passwd", "..", "", "/etc/passwd"):
        with pytest.raises(NotFound):
            files.get(outside)


# --- where an issue stands --------------------------------------------------------------------


def where(found: Workflow, current: Issue, *files: str) -> dict[str, Stage]:
    return {each.step.id: each.stage for each in stages(found, current, lambda path: path in files)}


def test_steps_follow_status_and_files(tmp_path: Path) -> None:
    feature = WorkflowFiles(tmp_path, SHIPPED_ROLES, read_if_there).get("feature")
    fresh = where(feature, issue())
    written = where(feature, issue(labels=("needs:ux",)), "docs/prd/PRD-7.md")
    review = where(feature, issue(status=Status.IN_REVIEW))
    back = where(feature, issue(status=Status.IN_PROGRESS))

    assert [name for name, stage in fresh.items() if stage is Stage.NEXT] == ["requirements"]
    assert fresh["experience"] is Stage.SKIPPED
    assert [name for name, stage in written.items() if stage is Stage.NEXT] == [
        "experience",
        "architecture",
    ]
    assert (review["requirements"], review["implement"]) == (Stage.DONE, Stage.DONE)
    assert review["review"] is Stage.NEXT
    # A review that found fault sent it back: the work is work again.
    assert back["implement"] is Stage.NEXT
    assert set(where(feature, issue(state=IssueState.CLOSED)).values()) == {
        Stage.DONE,
        Stage.SKIPPED,
    }


def test_an_optional_step_is_offered_and_holds_nobody_up() -> None:
    found = read(SOUND.replace('agent = "pm"', 'agent = "pm"\noptional = true'))
    assert isinstance(found, Workflow)

    assert where(found, issue()) == {"plan": Stage.NEXT, "build": Stage.NEXT}


def test_an_agent_is_at_its_next_step() -> None:
    found = read(SOUND)
    assert isinstance(found, Workflow)
    stood = stages(found, issue(), lambda _path: False)
    step = step_for(found, "engineer", stood)

    assert step is not None
    assert step.id == "build"
    assert step_for(found, "tester", stood) is None
    assert output_of(found.steps[0], 7) == "docs/PLAN-7.md"


def test_the_type_of_an_issue_names_its_workflow() -> None:
    names = (*list_shipped(), "data-science")

    assert workflow_name(issue(labels=("type:bug",)), names) == "bug"
    assert workflow_name(issue(labels=("type:bug", "needs:iteration")), names) == "iterative-loop"
    assert workflow_name(issue(labels=("type:data-science",)), names) == "data-science"
    assert workflow_name(issue(labels=("type:testing",)), names) == "story"
    assert workflow_name(issue(), names) == "story"


# --- roles ------------------------------------------------------------------------------------


def test_roles_have_one_name_and_are_known_by_their_others() -> None:
    assert [role_name(said) for said in ("pm", "UX", "DevOps", "Product Manager", "tester")] == [
        "product-manager",
        "ux-designer",
        "devops-engineer",
        "product-manager",
        "tester",
    ]
    assert ROLES[0] == "product-manager"
    assert [speak_role(role) for role in ("ux-designer", "devops-engineer", "agent-x")] == [
        "UX Designer",
        "DevOps Engineer",
        "Agent X",
    ]
    with pytest.raises(InvalidValue, match="'arkitect' is not a role") as unknown:
        role_name("arkitect")
    assert "did you mean architect?" in unknown.value.hint


def test_a_step_has_every_field_that_is_specified() -> None:
    assert set(Step.__dataclass_fields__) >= {
        "id",
        "title",
        "agent",
        "needs",
        "optional",
        "condition",
        "status_on_start",
        "status_on_complete",
        "output",
        "template",
        "iterate",
        "max_iterations",
        "completion_criteria",
        "can_clarify",
        "clarify_max_rounds",
        "clarify_sla_minutes",
        "clarify_blocking_allowed",
    }
