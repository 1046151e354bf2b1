"""Goal: every row of the specification's tables about clarifications is shown by a test.

Method: what no other file shows stands here, each test named after its section; `ROWS` says which
test shows which row, and the last test looks that it exists.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from agentx.agents.runners.scripted import Scripted, ScriptLine
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.view import ledger_path
from agentx.host.limits import LOCK_FIRST_WAIT_MS, LOCK_LAST_WAIT_MS, LOCK_STALE_MS, LOCK_TRIES_MAX
from agentx.host.locks.lock import locked
from agentx.host.system import SystemClock
from agentx.kernel.errors import InvalidValue
from agentx.wiring.clarifications import make_pen, open_clarifications
from agentx.wiring.hub import open_hub, open_issues, run_monitor
from agentx.work.model import NewIssue
from tests.support.clarifying import project_at, request
from tests.support.pace import least_s
from tests.support.trusting import trusted

TESTS = Path(__file__).parents[2]

ROWS = {
    "3.1 clarify": "test_8_3_full_flow_happy_path",
    "3.1 clarify --issue N": "test_8_3_full_flow_happy_path",
    "3.1 clarify stale": "test_12_4_clarify_shows_all_active_and_stale_only_those",
    "3.1 clarify resolve": "test_8_3_full_flow_escalation",
    "3.1 clarify escalate": "test_3_1_lists_escalations_and_the_hidden_rest",
    "3.1 clarify --json": "test_8_3_full_flow_happy_path",
    "3.3 requestClarification": "test_4_3_a_request_sets_both_statuses_and_an_answer_resets_them",
    "3.3 answerClarification": "test_3_3_ask_answer_follow_up_and_resolve_are_kept_in_the_thread",
    "3.3 resolveClarification": "test_3_3_ask_answer_follow_up_and_resolve_are_kept_in_the_thread",
    "3.3 escalateClarification": "test_12_2_the_five_events_fire_with_their_payloads",
    "3.4 runCheck": "test_3_4_a_check_gives_what_it_found_and_a_second_one_finds_nothing",
    "3.4 autoRetry": "test_2_4_a_stale_question_is_asked_again_and_answered",
    "3.4 breakDeadlock": "test_3_4_break_deadlock_escalates_downstream_and_continues_upstream",
    "3.5 SCOPE_VIOLATION": "test_6_3_to_agent_must_be_in_can_clarify",
    "3.5 LOCK_TIMEOUT": "test_3_5_lock_timeout_has_its_sentence_and_4_4_the_lock_its_fields",
    "3.5 MAX_ROUNDS_EXCEEDED": "test_3_5_after_the_last_round_it_is_escalated_and_said",
    "3.5 NOT_FOUND": "test_3_5_not_found_has_its_sentence",
    "4.2 ledger": "test_4_2_the_file_has_the_fields_of_the_schema",
    "4.3 status": "test_4_3_a_request_sets_both_statuses_and_an_answer_resets_them",
    "4.4 lock file": "test_3_5_lock_timeout_has_its_sentence_and_4_4_the_lock_its_fields",
    "4.5 TOML": "test_4_5_the_four_fields_of_a_step_reach_the_clarification",
    "6.3 fromAgent": "test_6_3_from_agent_must_be_known",
    "6.3 toAgent": "test_6_3_to_agent_must_be_in_can_clarify",
    "6.3 topic, question": "test_6_3_topic_and_question_have_bounds",
    "6.3 blocking": "test_a_field_that_cannot_be_is_named_and_harms_its_own_row_alone",
    "6.3 clarificationId": "test_6_3_a_clarification_id_has_its_pattern",
    "6.3 answer": "test_6_3_an_answer_is_not_empty_and_has_at_most_2000_characters",
    "7.1 round trip": "test_7_1_a_round_trip_adds_little_to_what_the_agent_takes",
    "7.1 lock": "test_7_1_a_ledger_is_locked_read_and_written_in_time",
    "7.1 lock retry total": "test_9_5_lock_defaults",
    "7.1 monitor": "test_7_1_the_monitor_looks_at_ten_issues_in_time",
    "7.1 stale lock check": "test_8_3_a_stale_lock_is_cleaned_up_in_time",
    "8.3 lock acquire/release": "test_7_1_a_ledger_is_locked_read_and_written_in_time",
    "8.3 stale lock cleanup": "test_8_3_a_stale_lock_is_cleaned_up_in_time",
    "8.3 concurrent writers": "test_8_3_concurrent_writers_lose_nothing",
    "8.3 lock timeout": "test_3_5_lock_timeout_has_its_sentence_and_4_4_the_lock_its_fields",
    "8.3 scope validation": "test_6_3_to_agent_must_be_in_can_clarify",
    "8.3 round limit": "test_3_5_after_the_last_round_it_is_escalated_and_said",
    "8.3 stale": "test_8_3_a_pending_question_past_its_sla_is_stale",
    "8.3 stuck": "test_8_3_a_question_asked_back_is_stuck_and_the_first_stays",
    "8.3 deadlock": "test_8_3_of_two_that_wait_for_each_other_the_upstream_question_stays",
    "8.3 TOML parsing": "test_4_5_the_four_fields_of_a_step_reach_the_clarification",
    "8.3 events": "test_12_2_the_five_events_fire_with_their_payloads",
    "8.3 chat rendering": "test_8_3_chat_rendering_has_the_words_users_know",
    "8.3 CLI rendering": "test_8_3_cli_rendering_has_rounds_times_and_status",
    "8.3 happy path": "test_8_3_full_flow_happy_path",
    "8.3 escalation": "test_8_3_full_flow_escalation",
    "8.3 local mode": "test_8_3_local_mode_parity_the_same_flow_gives_the_same_thread",
    "8.3 github mode": "test_8_3_github_mode_sync_posts_every_round_as_an_issue_comment",
    "9.5 can_clarify": "test_9_5_can_clarify_is_empty_unless_declared",
    "9.5 clarify_max_rounds": "test_4_2_rounds_are_five_blocking_and_six_not_and_may_only_be_fewer",
    "9.5 clarify_sla_minutes": "test_9_5_the_sla_is_30_minutes_unless_the_step_says_otherwise",
    "9.5 blocking": "test_9_5_clarify_blocking_allowed_is_true_unless_the_step_says_otherwise",
    "9.5 locks": "test_9_5_lock_defaults",
    "12.1 metrics": "test_12_1_the_figures_of_a_period",
    "12.2 events": "test_12_2_the_five_events_fire_with_their_payloads",
    "12.3 operations, escalation": "test_12_3_every_operation_is_logged_with_its_fields",
    "12.3 locks, monitor": "test_12_3_locks_and_monitor_results_are_logged",
    "12.4 clarify, stale": "test_12_4_clarify_shows_all_active_and_stale_only_those",
    "12.4 state, ready": "test_8_3_full_flow_happy_path",
}


def took_ms(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def test_4_5_the_four_fields_of_a_step_reach_the_clarification(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    issues = open_issues(project)
    issue = issues.create(NewIssue(title="Login", labels=("type:story",))).number
    project.paths.workflows.mkdir(parents=True)
    workflow = project.paths.workflows / "story.toml"
    step = (
        'name = "story"\n[[steps]]\nid = "a"\ntitle = "A"\nagent = "engineer"\n'
        'can_clarify = ["architect"]\n'
    )
    workflow.write_text(
        f"{step}clarify_max_rounds = 2\nclarify_sla_minutes = 7\n"
        "clarify_blocking_allowed = false\n",
        encoding="utf-8",
    )

    state = open_hub(trusted(project)).request(request(issue=issue))
    assert (state.rounds_max, state.sla_minutes, state.blocking) == (2, 7, False)
    assert state.stale_after_ms - state.created_ms == 7 * 60_000

    workflow.write_text(step, encoding="utf-8")
    usual = open_hub(trusted(project)).request(request(issue=issue, topic="Other"))
    assert (usual.rounds_max, usual.sla_minutes, usual.blocking) == (5, 30, True)

    workflow.write_text(f"{step}clarify_max_rounds = 9\n", encoding="utf-8")
    with pytest.raises(InvalidValue, match=r"story\.toml"):
        open_hub(trusted(project)).request(request(issue=issue))


def test_9_5_lock_defaults() -> None:
    assert LOCK_STALE_MS == 30_000
    assert LOCK_TRIES_MAX == 5
    assert LOCK_FIRST_WAIT_MS == 200
    assert LOCK_LAST_WAIT_MS == 5_000


@pytest.mark.timed
def test_7_1_a_ledger_is_locked_read_and_written_in_time(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    room = open_clarifications(project)
    hub = open_hub(project)
    asked = [hub.request(request(topic=f"matter {each}")) for each in range(3)]
    lock = ledger_path(project.paths, 42).with_name("issue-42.json.lock")

    def answer() -> None:
        room.answer(asked.pop().id, "JWT.")

    assert least_s(answer, 1, time.perf_counter) < 1  # lock acquisition with write and release
    assert not lock.exists()
    assert least_s(lambda: room.ledger(42), 0.1, time.perf_counter) < 0.1


@pytest.mark.timed
def test_8_3_a_stale_lock_is_cleaned_up_in_time(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    path = ledger_path(project.paths, 42)
    path.parent.mkdir(parents=True)
    lock = path.with_name(path.name + ".lock")
    record = {"pid": 1, "timestamp": "2026-01-01T00:00:00.000Z", "agent": "gone"}
    lock.write_text(json.dumps(record), encoding="utf-8")

    with LedgerStore(project.paths, SystemClock(), make_pen(project)).editing(42, agent="engineer"):
        assert json.loads(lock.read_text(encoding="utf-8"))["agent"] == "engineer"
    assert not lock.exists()
    began = time.perf_counter()
    with locked(path, owner="engineer", clock=SystemClock()):
        assert took_ms(began) < 1_000


@pytest.mark.timed
def test_7_1_the_monitor_looks_at_ten_issues_in_time(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    hub = open_hub(project)
    for issue in range(1, 11):
        hub.request(request(issue=issue, topic=f"matter {issue}", question=f"what {issue}"))

    assert least_s(lambda: run_monitor(project), 0.5, time.perf_counter) < 0.5
    assert len(run_monitor(project).active) == 10


@pytest.mark.timed
def test_7_1_a_round_trip_adds_little_to_what_the_agent_takes(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    hub = open_hub(project, runner_of=lambda _role: Scripted([ScriptLine(answer="JWT.")]))

    began = time.perf_counter()
    state = hub.route(hub.request(request()).id)

    assert state.answer == "JWT."
    assert took_ms(began) < 5_000  # of 15 s, which the agent may have


def test_every_row_is_shown_by_a_test_that_exists() -> None:
    there = {
        name
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert {row: test for row, test in ROWS.items() if test not in there} == {}
