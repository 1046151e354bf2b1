"""Goal: what the document of the memory's layout states is so, statement by statement.

Method: one run is told from plan to archive in a clone with real git; each test reads the files
that it left as another tool would, by name and field.
"""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentx.operations.runs.archive import archive_run
from agentx.operations.runs.context import run_context
from agentx.operations.runs.lane import merge_lane, open_lane
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.recover import pull_request
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import (
    add_task,
    record_event,
    record_verification,
    start_run,
    task_step,
    write_artifact,
)
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.model import Contract
from tests.support.repository import commit, git
from tests.support.run_clones import Clones

pytestmark = pytest.mark.promise("runs.layout")
PERSON = WhoCalls(via=Via.TERMINAL)
EXECUTOR, VERIFIER = Saying(actor="executor"), Saying(actor="verifier")
ONE, TWO = "TASK-001", "TASK-002"


class Story:
    """A run as its files tell it: while two lanes are open, before its end, and packed away."""

    def __init__(self, folder: Path) -> None:
        self.project = Clones(folder).clone("anna")
        self.root = self.project.root
        git(self.root, "config", "user.name", "anna")
        git(self.root, "config", "user.email", "anna@example.org")
        self.run_id = start_run(
            self.project, "Add e-mail validation to the user registration", actor="orchestrator"
        ).id
        self._plan()
        self._work()
        self.working = self._read()
        self.events = self._read_events()
        self.context = run_context(self.project, self.run_id, ONE, 20_000)
        self._end()
        self.ending = self._read()
        self.later = self._read_events()
        archive_run(self.project, self.run_id)

    @property
    def run(self) -> Path:
        return self.root / ".agent-memory" / "runs" / self.run_id

    def _plan(self) -> None:
        accept = ("rejects a@",)
        add_task(
            self.project, Saying(), Contract(title="Checker", files=("a.py",), acceptance=accept)
        )
        add_task(self.project, Saying(), Contract(title="Page", depends_on=()))
        for name in ("prd.md", "constitution.md", "plan.md"):
            write_artifact(self.project, Saying(actor="planner"), name, f"# {name}\nNever throw.\n")
        go_to_phase(self.project, Saying(), "next")

    def _work(self) -> None:
        self.lanes = [
            open_lane(self.project, Saying(actor="executor", task=task)) for task in (ONE, TWO)
        ]
        said = {"text": "Created the checker with a pattern"}
        task_step(self.project, Saying(actor="executor", task=ONE), "task-progressed", said)
        record_event(self.project, Saying(), "checkpoint-made", {"text": "half way"})
        asked = {"question": "which RFC?", "tried": ["read it"], "blocking": False}
        record_event(self.project, EXECUTOR, "escalation-raised", asked)

    def _end(self) -> None:
        for number, (lane, task) in enumerate(zip(self.lanes, (ONE, TWO), strict=True)):
            commit(Path(lane.folder), task, **{f"f{number}_py": "x = 1\n"})
            seen = ["rejects a@=tried it"]
            record_verification(self.project, Saying(actor="verifier", task=task), "PASSED", seen)
            assert lane.lane is not None
            merge_lane(self.project, Saying(lane=lane.lane.id))
        (asked,) = [each for each in self._read_events() if each["type"] == "escalation-raised"]
        answer = {"escalation": f"ESC-{asked['id'][-6:]}", "resolution": "the newest"}
        record_event(self.project, Saying(), "escalation-resolved", answer, caller=PERSON)
        for kind, text in (
            ("pattern", "Return a result instead of throwing"),
            ("decision", "Use the result type for validation"),
            ("tech-debt", "International addresses are not checked"),
            ("learning", "The registration has two entry points"),
        ):
            detail = {"kind": kind, "text": text, "evidence": ["a.py"], "files": ["a.py"]}
            record_event(self.project, Saying(), "candidate-proposed", detail)
        go_to_phase(self.project, Saying(), "next")
        record_verification(self.project, VERIFIER, "PASSED", ["tests=12 passed"])
        for _ in range(2):
            go_to_phase(self.project, Saying(), "next")
        pull_request(self.project, actor="orchestrator")
        go_to_phase(self.project, Saying(), "complete")

    def _read(self) -> dict[str, str]:
        files = (path for path in self.run.rglob("*") if path.is_file())
        return {str(path.relative_to(self.run)): path.read_text("utf-8") for path in files}

    def _read_events(self) -> list[dict[str, Any]]:
        lines = (
            line
            for path in sorted(self.run.rglob("*.jsonl"))
            for line in path.read_text().splitlines()
        )
        return sorted((json.loads(line) for line in lines), key=lambda each: each["id"])

    def page(self, name: str) -> Any:
        """Return a page of what lasts."""
        return yaml.safe_load((self.root / ".agent-memory" / "ltm" / name).read_text("utf-8"))


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(tmp_path_factory.mktemp("layout"))


def test_a_run_has_a_folder_of_its_own_with_the_named_files(story: Story) -> None:
    lane = story.lanes[0].lane
    assert lane is not None
    assert {
        "manifest.yaml",
        *(f"artifacts/{name}" for name in ("prd.md", "constitution.md", "plan.md")),
        "artifacts/task-graph.yaml",
        f"tasks/{ONE}/contract.yaml",
        f"tasks/{ONE}/work-log.md",
        f"tasks/{TWO}/contract.yaml",
        f"lanes/{lane.id}/manifest.yaml",
    } <= story.working.keys()
    assert {
        f"verification/{ONE}-verification.yaml",
        *(f"pr/{name}" for name in ("description.md", "checklist.md", "promotion-candidate.yaml")),
    } <= story.ending.keys()
    assert any(re.fullmatch(r"escalations/ESC-\w+\.yaml", name) for name in story.ending)


def test_the_name_of_a_run_is_date_time_slug_and_four_signs(story: Story) -> None:
    found = re.fullmatch(r"(\d{8})-(\d{4})-([a-z0-9]+(?:-[a-z0-9]+)*)-([a-z0-9]{4})", story.run_id)

    assert found is not None
    assert len(found[3]) <= 30
    assert found[3].startswith("add-e-mail-validation")


def test_the_manifest_is_the_way_into_a_run(story: Story) -> None:
    said = yaml.safe_load(story.working["manifest.yaml"])

    assert said["run_id"] == story.run_id
    assert {"created_at", "updated_at"} <= said.keys()
    assert said["task"]["title"].startswith("Add e-mail validation")
    assert {"description", "requester"} <= said["task"].keys()
    assert said["state"]["phase"] == "EXECUTION"
    assert said["state"]["status"] == "IN_PROGRESS"
    assert said["state"]["current_task"] in (ONE, TWO)
    assert said["phases"]["planning"]["status"] == "COMPLETED"
    assert "completed_at" in said["phases"]["planning"]
    assert said["phases"]["execution"]["tasks_total"] == 2
    assert said["phases"]["execution"]["tasks_completed"] == 0
    assert [said["phases"][name]["status"] for name in ("verification", "cleanup", "pr_prep")] == [
        "PENDING"
    ] * 3
    (lane, _) = said["active_lanes"]
    assert lane["task_id"] == ONE
    assert lane["branch"] == f"agent/{story.run_id}/{lane['lane_id']}"
    assert said["git"]["base_branch"] == "main"
    assert said["git"]["work_branch"].startswith(f"agent/{story.run_id}")
    assert said["git"]["latest_commit"]
    assert said["resume"]["last_event_id"] == story.events[-1]["id"]
    assert said["resume"]["recoverable"] is True
    assert "last_checkpoint" in said["resume"]


def test_events_are_lines_in_a_file_for_each_actor_and_stay_as_they_were(story: Story) -> None:
    files = [name for name in story.working if name.endswith(".jsonl")]

    assert all(
        re.fullmatch(r"(lanes/[^/]+/)?events/[a-z-]+/[\d-]+T[\d-]+Z[^/]*\.jsonl", name)
        for name in files
    )
    actors = {name.split("events/")[1].split("/")[0] for name in files}
    assert {"orchestrator", "executor", "planner"} <= actors
    assert all(
        len({json.loads(row)["actor"] for row in story.working[name].splitlines()}) == 1
        for name in files
    )
    # Append-only: what was there is there, byte for byte, at the beginning of what is.
    assert all(story.ending[name].startswith(story.working[name]) for name in files)
    assert all({"id", "type", "actor"} <= each.keys() for each in story.later)


def test_a_task_has_its_contract_and_its_log(story: Story) -> None:
    contract = yaml.safe_load(story.working[f"tasks/{ONE}/contract.yaml"])

    assert (contract["task_id"], contract["title"]) == (ONE, "Checker")
    log = story.working[f"tasks/{ONE}/work-log.md"]
    assert log.startswith(f"# Work log of {ONE}\n")
    assert "Created the checker with a pattern" in log


def test_a_lane_has_its_state_its_task_its_events_and_a_branch(story: Story) -> None:
    lane = story.lanes[0].lane
    assert lane is not None
    below = [name for name in story.working if name.startswith(f"lanes/{lane.id}/")]

    assert any(name.startswith(f"lanes/{lane.id}/tasks/") for name in below)
    assert any(name.startswith(f"lanes/{lane.id}/events/") for name in below)
    assert git(story.root, "rev-parse", "--verify", f"agent/{story.run_id}/{lane.id}")


def test_what_is_pinned_local_and_on_demand_comes_in_that_order(story: Story) -> None:
    found = [(str(each.piece.tier), each.piece.source) for each in story.context.pieces]

    pinned = [source for tier, source in found if tier.upper() == "PINNED"]
    assert pinned == ["manifest.yaml", f"tasks/{ONE}/contract", "artifacts/constitution.md"]
    tiers = [tier.upper().replace("_", "-") for tier, _ in found]
    assert tiers == sorted(tiers, key=["PINNED", "TASK-LOCAL", "ON-DEMAND"].index)
    local = [source for tier, source in found if tier.upper().startswith("TASK")]
    assert f"tasks/{ONE}/work-log.md" in local
    assert "a.py" in local


def test_a_run_that_ended_leaves_what_it_taught_on_the_pages_that_last(story: Story) -> None:
    (pattern,) = story.page("patterns/code-patterns.yaml")["patterns"]
    assert re.fullmatch(r"PAT-\d{3}", pattern["id"])
    assert pattern["learned_from"] == [story.run_id]
    assert pattern["confidence"] in ("LOW", "MEDIUM", "HIGH")
    (debt,) = story.page("tech-debt/tech-debt-registry.yaml")["tech_debt"]
    assert re.fullmatch(r"TD-\d{3}", debt["id"])
    assert (debt["source_run"], debt["status"]) == (story.run_id, "OPEN")
    assert debt["priority"] in ("LOW", "MEDIUM", "HIGH")
    decisions = sorted((story.root / ".agent-memory/ltm/decisions").glob("ADR-0001-*.md"))
    text = decisions[0].read_text("utf-8")
    assert all(
        f"## {head}" in text for head in ("Status", "Context", "Decision", "Consequences", "Source")
    )
    assert story.run_id in text
    areas = story.root / ".agent-memory/ltm/learnings/area-learnings"
    assert any("two entry points" in path.read_text("utf-8") for path in areas.glob("*.yaml"))


def test_a_run_that_ended_is_counted(story: Story) -> None:
    said = story.page("metrics/run-metrics.yaml")

    (row,) = said["runs"]
    assert row["run_id"] == story.run_id
    assert (row["tasks_completed"], row["tasks_failed"], row["escalations"]) == (2, 0, 1)
    assert row["files_changed"] == 2
    assert row["verification_status"] == "PASSED"
    assert {"completed_at", "duration_minutes", "lines_added", "lines_removed"} <= row.keys()
    assert said["summary"]["total_runs"] == said["summary"]["successful_runs"] == 1
    assert said["summary"]["failed_runs"] == 0
    assert {"average_duration_minutes", "average_tasks_per_run"} <= said["summary"].keys()


def test_a_packed_run_is_one_file_that_the_index_names(story: Story) -> None:
    index = yaml.safe_load((story.root / ".agent-memory/index.yaml").read_text("utf-8"))["runs"]

    (row,) = index["archived"]
    assert row["run_id"] == story.run_id
    assert "archived_at" in row
    assert row["archive_path"] == f".agent-memory/archive/{story.run_id}.tar.gz"
    with tarfile.open(story.root / row["archive_path"]) as pack:
        assert any(name.endswith("manifest.yaml") for name in pack.getnames())
    assert not story.run.exists()
    assert story.run_id not in str([index.get("active"), index.get("completed")])
