"""Goal: what cannot happen is refused with the way out; what follows, follows.

Method: small states are built from events, and a happening is decided on each.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.errors import IllegalTransition, InvalidValue, LimitError, NotFound
from agentx.runs.limits import RUN_LANES_OPEN_MAX
from agentx.runs.model import Run
from agentx.runs.rules.catalogue import KINDS, kind_named
from agentx.runs.rules.decide import LANE_STEPS, TASK_STEPS, decide
from agentx.runs.rules.fold import fold
from agentx.runs.rules.graph import cycle_in, layers, ready
from agentx.runs.rules.lines import event_of, line_of
from tests.support.mutation import change_each
from tests.support.run_stories import RUN, event, happening

START = event(0, "run-started", title="t")


def _run(*events: object) -> Run:
    return fold(RUN, [START, *events])  # type: ignore[list-item]  # events only


def _kinds(run: Run, kind: str, **fields: object) -> list[str]:
    return [each.kind for each in decide(run, happening(kind, **fields))]  # type: ignore[arg-type]  # names and details


def test_a_phase_cannot_be_skipped_but_gone_back_to() -> None:
    planning = _run()
    verifying = _run(
        event(1, "phase-entered", phase="EXECUTION"),
        event(2, "phase-entered", phase="VERIFICATION"),
    )

    with pytest.raises(IllegalTransition, match="not next"):
        decide(planning, happening("phase-entered", phase="CLEANUP"))
    assert _kinds(planning, "phase-entered", phase="EXECUTION") == ["phase-entered"]
    assert _kinds(verifying, "phase-entered", phase="execution") == ["phase-entered"]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([event(2, "task-added", task="T", title="x")], "not done: T"),
        ([event(2, "lane-opened", lane="lane-1", branch="b")], "not merged: lane-1"),
    ],
)
def test_execution_ends_when_every_task_and_lane_did(events: list[object], reason: str) -> None:
    run = _run(event(1, "phase-entered", phase="EXECUTION"), *events)

    with pytest.raises(IllegalTransition, match=reason) as refused:
        decide(run, happening("phase-entered", phase="VERIFICATION"))
    assert '"REASON"` ' in f"{refused.value.hint} "  # without which giving up is refused


def test_a_failed_verification_holds_the_run_until_it_passes() -> None:
    story = [
        event(1, "task-added", task="T", title="x"),
        event(2, "task-completed", task="T"),
        event(3, "phase-entered", phase="VERIFICATION"),
        event(4, "verification-recorded", task="T", verdict="FAILED"),
    ]

    with pytest.raises(IllegalTransition, match="T: the last verdict is FAILED"):
        decide(_run(*story), happening("phase-entered", phase="CLEANUP"))
    passed = event(5, "verification-recorded", task="T", verdict="PASSED")
    assert _kinds(_run(*story, passed), "phase-entered", phase="CLEANUP") == ["phase-entered"]


def test_a_run_is_completed_from_its_last_phase_and_then_only_reopened() -> None:
    done = _run(event(1, "phase-entered", phase="PR_PREP"), event(2, "run-completed"))

    with pytest.raises(IllegalTransition, match="completed from PR_PREP"):
        decide(_run(), happening("run-completed"))
    with pytest.raises(IllegalTransition, match="is COMPLETED"):
        decide(done, happening("task-started", task="T"))
    assert _kinds(done, "run-reopened") == ["run-reopened"]
    assert _kinds(done, "note", text="one more thing") == ["note"]


def test_tasks_in_a_circle_are_refused_and_named() -> None:
    run = _run(
        event(1, "task-added", task="A", title="a"),
        event(2, "task-added", task="B", title="b", depends_on=["A"]),
    )

    with pytest.raises(InvalidValue, match="A -> B -> A"):
        decide(run, happening("task-revised", task="A", title="a", depends_on=["B"]))
    with pytest.raises(InvalidValue, match="C -> C"):
        decide(run, happening("task-added", task="C", title="c", depends_on=["C"]))
    with pytest.raises(NotFound, match="waits for Z"):
        decide(run, happening("task-added", task="C", title="c", depends_on=["Z"]))
    with pytest.raises(IllegalTransition, match="is there already"):
        decide(run, happening("task-added", task="A", title="again"))


def test_what_is_ready_waits_for_nothing_that_is_not_done() -> None:
    story = [
        event(1, "task-added", task="A", title="a"),
        event(2, "task-added", task="B", title="b", depends_on=["A"]),
        event(3, "task-added", task="C", title="c"),
    ]

    assert ready(_run(*story)) == ("A", "C")
    with pytest.raises(IllegalTransition, match="B waits for A"):
        decide(_run(*story), happening("task-started", task="B"))
    assert ready(_run(*story, event(4, "task-completed", task="A"))) == ("B", "C")


def test_a_long_chain_and_a_wide_graph_are_walked_without_recursion() -> None:
    chain = {f"T{n}": (f"T{n - 1}",) if n else () for n in range(5_000)}

    assert cycle_in(chain) == ()
    assert len(cycle_in(chain | {"T0": ("T4999",)})) == 5_001
    assert layers({"a": (), "b": (), "c": ("a", "b"), "d": ("nobody",)}) == (("a", "b"), ("c",))


def test_every_step_of_tasks_and_lanes_has_a_type() -> None:
    assert set(TASK_STEPS) | set(LANE_STEPS) <= set(KINDS)


def test_a_merged_lane_ends_its_task_and_its_conflict_a_failed_one_fails_it() -> None:
    story = [
        event(1, "task-added", task="T", title="x"),
        event(2, "lane-opened", lane="lane-1", task="T", branch="b"),
        event(3, "task-started", task="T", lane="lane-1"),
        event(4, "conflict-found", lane="lane-1", operation="merge", files=["a"]),
    ]

    assert _kinds(_run(*story), "lane-merged", lane="lane-1", commit="c") == [
        "lane-merged",
        "conflict-resolved",
        "task-completed",
    ]
    assert _kinds(_run(*story[:3]), "lane-failed", lane="lane-1", reason="r") == [
        "lane-failed",
        "task-failed",
    ]
    failed = _run(*story[:3], event(5, "lane-failed", lane="lane-1", reason="r"))
    assert _kinds(failed, "lane-retried", lane="lane-1") == ["lane-retried", "task-started"]
    with pytest.raises(IllegalTransition, match="is FAILED"):
        decide(failed, happening("lane-merged", lane="lane-1"))


def test_lanes_are_bounded_and_a_task_is_worked_on_in_one() -> None:
    task = event(1, "task-added", task="T", title="x")
    one = event(2, "lane-opened", lane="lane-1", task="T", branch="b")
    many = [event(n, "lane-opened", lane=f"l{n}", branch="b") for n in range(3, 3 + 64)]

    with pytest.raises(IllegalTransition, match="worked on in lane-1"):
        decide(_run(task, one), happening("lane-opened", lane="lane-2", task="T", branch="b"))
    assert len(many) == RUN_LANES_OPEN_MAX
    with pytest.raises(LimitError, match="64 lanes open"):
        decide(_run(*many), happening("lane-opened", lane="lane-2", branch="b"))


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("note", {}, "note needs text"),
        ("task-started", {}, "is about a task"),
        ("lane-finished", {}, "is about a lane"),
        ("note", {"text": "x", "actor": "../../etc"}, "cannot be an actor"),
        ("task-started", {"task": "../x"}, "cannot name a task"),
        ("lane-opened", {"lane": "a.lock", "branch": "b"}, "cannot name a lane"),
        ("phase-entered", {"phase": "LUNCH"}, "none of PLANNING"),
        ("note", {"text": "x" * 100_001}, "100,001 characters"),
        ("task-added", {"task": "T-1", "title": "x" * 301}, "at most 300 characters"),
        ("note", {"text": "x", "deep": {"a": {"b": {"c": {"d": {"e": 1}}}}}}, "too deeply"),
        ("artifact-written", {"name": "a/b", "text": "x"}, "cannot name an artifact"),
    ],
)
def test_a_wrong_event_is_refused_with_what_is_wrong(
    kind: str, fields: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        decide(_run(), happening(kind, **fields))  # type: ignore[arg-type]  # names and details


def test_types_are_understood_as_people_write_them() -> None:
    assert kind_named("TASK_STARTED") == kind_named("task.started") == "task-started"
    assert kind_named("task_created") == "task-added"
    with pytest.raises(InvalidValue) as error:
        kind_named("task-statred")
    assert "task-started" in error.value.hint


def test_every_type_is_written_and_read_back_the_same() -> None:
    samples = {"texts": ["a", "b"], "flag": True, "objects": [{"name": "n", "passed": True}]}
    for number, (kind, shape) in enumerate(KINDS.items()):
        detail = {
            name: str(field.choices[0])
            if field.choices
            else samples.get(field.type, "\U0001f600 x")
            for name, field in {**shape.needs, **shape.may}.items()
        }
        task = "T" if shape.of_task else ""
        made = replace(event(number, kind, task=task, lane="l"), detail=detail)

        assert event_of(line_of(made)) == made


def test_a_line_with_any_odd_value_is_read_or_refused_by_a_sentence() -> None:
    for kind in ("note", "task-planned", "verification-recorded", "run-started"):
        for odd in change_each(line_of(event(1, kind, text="seen", title="t", task="T"))):
            with suppress(InvalidValue):
                event_of(odd)


def test_the_formats_page_lists_every_type_with_its_fields() -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")

    for name, shape in KINDS.items():
        row = next(line for line in page.splitlines() if f"| `{name}` |" in line)
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[0] == shape.group
        assert cells[3:] == [", ".join(shape.needs) or "-", ", ".join(shape.may) or "-"]
