"""Goal: a whole run through the commands, from the plan to the pull request.

Method: a small real repository; two lanes at once, one conflict, one interruption; several
processes that write to one run at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.house import House, processes_of


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    (made.project / "mail.py").write_text("def check(address):\n    return True\n")
    (made.project / "test_mail.py").write_text("from mail import check\n")
    made.git("add", ".")
    made.git("commit", "-q", "-m", "mail")
    yield made
    assert processes_of(made.home) == []


def _commit(house: House, folder: str, name: str, text: str) -> None:
    where = Path(folder)
    (where / name).write_text(text)
    house.git("add", ".", cwd=where)
    house.git("commit", "-q", "-m", f"change {name}", cwd=where)


def _planned(house: House) -> str:
    started = house.json("run", "start", "Add e-mail checks", "--description", "no bad addresses")
    run_id: str = started["run_id"]
    add = ("run", "task", "add")
    accept = ("--accept", "rejects a@")
    one = house.json(*add, "Write the checker", "--file", "mail.py", *accept)
    house.json(*add, "Write the page", "--file", "mail.py")
    house.json(*add, "Wire it in", "--after", "TASK-001", "--after", "TASK-002")
    assert one["task_id"] == "TASK-001"
    rules = house.project / "rules.md"
    rules.write_text("# Constitution\nNever throw.\n")
    house.agentx("run", "artifact", "constitution.md", str(rules))
    rules.unlink()
    house.agentx("run", "phase", "next")
    return run_id


@pytest.mark.promise("runs.whole")
def test_a_run_from_plan_to_pull_request_with_two_lanes_and_a_conflict(house: House) -> None:
    run_id = _planned(house)
    one = house.json("run", "lane", "open", "--task", "TASK-001", "--actor", "executor")
    two = house.json("run", "lane", "open", "--task", "TASK-002", "--actor", "executor")
    _commit(house, one["folder"], "mail.py", "def check(address):\n    return '@' in address\n")
    _commit(house, two["folder"], "mail.py", "def check(address):\n    return bool(address)\n")
    # From inside a lane the same run is meant.
    house.agentx("run", "task", "log", "TASK-001", "checks the @", cwd=Path(one["folder"]))

    unchecked = house.json("run", "lane", "merge", one["lane_id"], expect=3)
    seen = ("--verdict", "PASSED", "--check", "rejects a@=tried it", "--actor", "verifier")
    house.agentx("run", "verify", *seen, cwd=Path(one["folder"]))
    house.agentx("run", "lane", "merge", one["lane_id"])
    refused = house.json("run", "lane", "merge", two["lane_id"], expect=3)
    resumed = house.agentx("run", "resume")
    context = house.json("run", "context", "--task", "TASK-002", "--budget", "4000")
    too_little = house.json("run", "context", "--task", "TASK-002", "--budget", "20", expect=5)

    assert "rejects a@" in unchecked["error"]["message"]
    assert "conflicts in mail.py: it is not merged, " in refused["error"]["message"]
    assert "merge conflict" in resumed.stdout
    assert f"agentx run lane merge {two['lane_id']}" in resumed.stdout
    sources = [each["piece"]["source"] for each in context["pieces"]]
    assert sources[:3] == ["manifest.yaml", "tasks/TASK-002/contract", "artifacts/constitution.md"]
    assert {"mail.py", "test_mail.py"} <= set(sources)
    assert context["tokens"] <= 4_000
    assert too_little["error"]["code"] == "budget_exceeded"

    lane = Path(two["folder"])
    work = f"agent/{run_id}/work"
    with pytest.raises(Exception, match="git"):
        house.git("merge", "-q", work, cwd=lane)
    _commit(house, two["folder"], "mail.py", "def check(address):\n    return '@' in address[1:]\n")
    house.agentx("run", "lane", "merge", two["lane_id"])
    house.agentx("run", "task", "start", "TASK-003")
    house.agentx("run", "task", "done", "TASK-003", "called at sign-up")
    shown = house.agentx("run", "show").stdout
    assert "[>] EXECUTION" in shown
    assert "go on to VERIFICATION" in shown

    _commit(house, str(house.project), "other.py", "x = 1\n")
    house.agentx("run", "lane", "rebase")
    house.agentx("run", "phase", "VERIFICATION")
    house.agentx("run", "verify", "--verdict", "PASSED", "--check", "unit tests=12 passed")
    house.agentx("run", "propose", "check with [1:]", "--kind", "pattern", "--evidence", "mail.py")
    house.agentx("run", "phase", "next")
    house.agentx("run", "phase", "next")
    pr = house.json("run", "pr")
    house.agentx("run", "phase", "complete")
    done = house.json("run", "show", run_id)

    assert pr["ready"] is True
    assert pr["changes"]["files"] == ["mail.py"]
    assert "Write the checker" in pr["description"]
    assert (done["status"], done["phase"]) == ("COMPLETED", "PR_PREP")
    run = house.project / ".agent-memory" / "runs" / run_id
    assert (run / "pr" / "description.md").is_file()
    assert (run / "pr" / "promotion-candidate.yaml").is_file()
    assert house.git("merge-base", "--is-ancestor", "main", work) == ""
    assert house.git("branch", "--show-current") == "main"
    assert house.git("status", "--porcelain", "--", ":!.agent-memory") == ""
    _packed_and_recalled(house, run_id)


@pytest.mark.promise("runs.where-you-stand")
def test_where_somebody_stands_says_which_run_lane_and_task_are_meant(house: House) -> None:
    run_id = _planned(house)
    lane = house.json("run", "lane", "open", "--task", "TASK-001", "--actor", "executor")
    folder = Path(lane["folder"])
    other = house.json("run", "start", "Import prices")["run_id"]
    house.agentx("run", "task", "add", "Reader", "--run", other)
    (folder / "deep").mkdir()
    _commit(house, lane["folder"], "mail.py", "def check(address):\n    return '@' in address\n")

    asked = house.json("run", "task", "done", "TASK-001", expect=2)
    house.agentx("run", "verify", "--verdict", "PASSED", cwd=folder / "deep")
    done = house.json("run", "task", "done", cwd=folder / "deep")
    finished = house.json("run", "lane", "finish", cwd=folder)
    told = house.agentx("recall", cwd=folder).stdout
    house.agentx("run", "task", "start", "TASK-001", env={"AGENTX_RUN": other[-4:]})
    began = {"hook_event_name": "SessionStart", "session_id": "s-1", "cwd": str(folder)}
    house.hook(began, cwd=folder)
    house.agentx("sync")

    assert "2 runs are in progress" in asked["error"]["message"]
    assert (done["run_id"], done["task_id"]) == (run_id, "TASK-001")
    assert finished["lane_id"] == lane["lane_id"]
    assert f"here: TASK-001 in {lane['lane_id']}" in told
    assert "must hold: rejects a@" in told
    tasks = house.json("run", "show", other)["tasks"]
    assert [task["status"] for task in tasks] == ["IN_PROGRESS"]
    seen = house.json("run", "event", "--run", run_id)["events"]
    [attached] = [each for each in seen if each["kind"] == "session-attached"]
    assert (attached["lane"], attached["detail"]["session"]) == (lane["lane_id"], "s-1")
    [session] = [each for each in house.events() if each["event_type"] == "session_start"]
    assert session["metadata"]["run"] == run_id
    assert session["metadata"]["lane"] == lane["lane_id"]
    assert session["metadata"]["task"] == "TASK-001"


def _packed_and_recalled(house: House, run_id: str) -> None:
    """Pack the run away; the next one is told what it taught."""
    assert house.json("run", "clean")["archived"] == []  # it ended just now
    packed = house.json("run", "archive", run_id, "--promote", "all")
    folder = house.project / ".agent-memory"
    assert (folder / "archive" / f"{run_id}.tar.gz").is_file()
    assert not (folder / "runs" / run_id).exists()
    assert (packed["undecided"], packed["folders_kept"]) == (0, [])
    assert house.git("worktree", "list").count("\n") == 0, "only the user's own is left"
    assert f"agent/{run_id}/work" in house.git("branch", "--list", "agent/*")
    (pattern,) = house.json("ltm", "patterns")["lessons"]
    assert (pattern["text"], pattern["learned_from"]) == ("check with [1:]", [run_id])
    (measure,) = house.json("ltm", "metrics")["runs"]
    assert (measure["tasks_completed"], measure["files_changed"]) == (3, 1)

    house.json("run", "start", "More e-mail checks")
    house.json("run", "task", "add", "Check the domain", "--file", "mail.py")
    context = house.json("run", "context", "--task", "TASK-001", "--budget", "4000")
    assert any(each["piece"]["source"].startswith("PAT-001") for each in context["pieces"])
    # The lesson of the conflict may come after it: a lane's name has a "1" in it by chance.
    found, *_ = house.json("search", "check [1:]", "--kind", "lesson")["hits"]
    assert found["doc_id"] == "PAT-001"
    house.agentx("sync")
    assert "PAT-001" in house.agentx("recall").stdout
    _opened_by_id(house, run_id)
    _confirmed(house)
    house.agentx("run", "restore", run_id)
    assert house.json("run", "show", run_id)["status"] == "COMPLETED"


def _opened_by_id(house: House, run_id: str) -> None:
    """A lesson, and the packed run that taught it, are opened by id and traced to what was said."""
    (line,) = house.json("run", "list", "--archived")["archived"]
    assert (line["run_id"], line["status"]) == (run_id, "COMPLETED")
    refused = house.json("run", "show", run_id, expect=2)["error"]
    assert f"agentx run restore {run_id}" in refused["hint"]
    assert "check with [1:]" in house.agentx("show", "PAT-001").stdout
    assert "TASK-003 COMPLETED: Wire it in" in house.json("show", run_id)["text"]
    proof = house.json("why", "PAT-001")["rests_on"][0]
    assert (proof["id"], proof["text"]) == (run_id, "Add e-mail checks")
    (said,) = proof["rests_on"]
    assert "candidate-proposed: check with [1:]" in said["text"]


def _confirmed(house: House) -> None:
    """The next run says the same again: the lesson is believed more, and not kept twice."""
    before = house.json("ltm", "show", "PAT-001")["confidence"]
    house.agentx("run", "propose", "Check with [1:].", "--kind", "pattern", "--evidence", "x.py")
    house.agentx("run", "phase", "fail", "--reason", "out of time")
    packed = house.json("run", "archive", house.json("run", "show")["run_id"])
    (pattern,) = house.json("ltm", "patterns")["lessons"]
    assert packed["confirmed"] == ["PAT-001"]
    assert (before, pattern["confidence"]) == ("MEDIUM", "HIGH")
    assert len(pattern["learned_from"]) == 2


def test_many_processes_write_to_one_run_and_nothing_is_lost(house: House) -> None:
    run_id = house.json("run", "start", "busy")["run_id"]

    def say(number: int) -> dict[str, Any]:
        words = ("--actor", f"a{number % 3}", "--type", "NOTE", "--detail", f"text=n{number}")
        found: dict[str, Any] = house.json("run", "event", "--run", run_id, *words)
        return found

    with ThreadPoolExecutor(4) as pool:
        said = {each["event_id"] for each in pool.map(say, range(12))}
    shown = house.json("run", "show")
    listed = house.json("run", "list")["runs"]
    wrong = house.json("run", "event", "--type", "nonsense", expect=2)
    missing = house.json("run", "task", "start", "TASK-404", expect=2)

    assert len(said) == 12
    assert shown["by_kind"] == {"run-started": 1, "note": 12}
    assert shown["faults"] == []
    assert [(row["run_id"], row["active"]) for row in listed] == [(run_id, True)]
    assert wrong["error"]["code"] == "invalid_value"
    assert "agentx run task list" in missing["error"]["hint"]


@pytest.mark.promise("runs.kept-exchange")
def test_two_clones_exchange_a_run_that_no_checkout_loses(house: House) -> None:
    remote, other = house.root / "remote.git", house.root / "other"
    house.git("clone", "-q", "--bare", str(house.project), str(remote), cwd=house.root)
    house.git("remote", "add", "origin", str(remote))
    house.git("clone", "-q", str(remote), str(other), cwd=house.root)
    run_id = house.json("run", "start", "shared")["run_id"]
    house.json("run", "escalate", "which one?")
    house.agentx("trust", "--yes")
    refused = house.json("run", "sync", expect=3)
    assert "nobody agreed" in refused["error"]["message"]
    assert house.json("run", "sync", "--push")["is_pushed"]

    house.agentx("trust", "--yes", cwd=other)
    assert house.json("run", "sync", "--push", cwd=other)["taken_in"] == [run_id]
    house.git("checkout", "-q", "-b", "elsewhere", cwd=other)
    house.git("clean", "-fdxq", cwd=other)
    back = house.agentx("run", "show", cwd=other)
    assert f"{run_id} was brought back" in back.stderr
    assert "which one?" in back.stdout


@pytest.mark.promise("runs.claims")
@pytest.mark.promise("runs.lane-take")
def test_two_clones_begin_a_task_at_once_and_one_of_them_has_it(house: House) -> None:
    remote, other = house.root / "remote.git", house.root / "other"
    house.git("clone", "-q", "--bare", str(house.project), str(remote), cwd=house.root)
    house.git("remote", "add", "origin", str(remote))
    house.git("clone", "-q", str(remote), str(other), cwd=house.root)
    run_id = house.json("run", "start", "shared")["run_id"]
    for where in (house.project, other):
        house.agentx("trust", "--yes", cwd=where)
        house.json("run", "sync", "--push", cwd=where)
        house.json("run", "task", "add", "do it", cwd=where)
        house.json("run", "sync", "--push", cwd=where)

    def begin(where: Path) -> tuple[Path, Any]:
        done = house.json("run", "lane", "open", "--task", "TASK-001", expect=None, cwd=where)
        return where, done

    with ThreadPoolExecutor(2) as pool:
        begun = dict(pool.map(begin, (house.project, other)))
    lost = [where for where, done in begun.items() if "error" in done]
    assert len(lost) == 1, begun
    (won,) = begun.keys() - set(lost)
    assert "TASK-001" in begun[lost[0]]["error"]["message"]
    assert ", until " in begun[lost[0]]["error"]["message"]
    for where in (*lost, won, *lost):
        house.json("run", "sync", cwd=where)
    lane = begun[won]["lane_id"]
    for where in begun:
        assert _tasks(house, where)["TASK-001"]["lane"] == lane
    # Who lost has it as a person says so, with the commits that were pushed.
    _commit(house, begun[won]["folder"], "found.py", "x = 1\n")
    house.git("push", "-q", "origin", f"agent/{run_id}/{lane}", cwd=won)
    take = ("run", "lane", "take", lane)
    assert "held by" in house.json(*take, expect=None, cwd=lost[0])["error"]["message"]
    taken = house.json(*take, "--as-person", cwd=lost[0])
    assert (Path(taken["folder"]) / "found.py").exists()
    told = house.json("run", "sync", cwd=won)["remarks"]
    assert "is not yours" in told[0]


def _tasks(house: House, where: Path) -> dict[str, Any]:
    return {each["task_id"]: each for each in house.json("run", "show", cwd=where)["tasks"]}
