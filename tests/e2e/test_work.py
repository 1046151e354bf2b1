"""Goal: a person and scripts make issues, see what is ready, and let agents work on them.

Method: the real commands in a throw-away home; GitHub is a server on loopback.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.github_server import REPOSITORY, TOKEN, GithubServer
from tests.support.house import House

ROOT = Path(__file__).parents[2]


def failure(house: House, *arguments: str, code: int, **more: Any) -> dict[str, str]:
    """Return the error that a command gives as JSON."""
    done = house.agentx(*arguments, "--json", expect=code, **more)
    error = json.loads(done.stdout)["error"]
    assert isinstance(error, dict)
    return error


@pytest.mark.promise("work.unique-numbers")
def test_sixteen_processes_make_sixteen_issues_with_sixteen_numbers(house: House) -> None:
    def make(count: int) -> int:
        number = house.json("issue", "create", "--title", f"n {count}")["number"]
        assert isinstance(number, int)
        return number

    assert house.json("issue", "list")["issues"] == []
    # A holder that was killed with the lock is in nobody's way.
    lock = house.project / ".agentx" / "state" / "issue-numbers"
    lock.parent.mkdir(parents=True, exist_ok=True)
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.fault.host_child", "hold", str(lock)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    child.communicate(timeout=60)
    assert lock.with_name("issue-numbers.lock").exists()
    with ThreadPoolExecutor(16) as pool:
        numbers = list(pool.map(make, range(16)))

    assert sorted(numbers) == list(range(1, 17))
    titles = [issue["title"] for issue in house.json("issue", "list")["issues"]]
    assert sorted(titles) == sorted(f"n {count}" for count in range(16))
    assert not list((house.project / ".agentx").rglob("*.lock"))


def test_an_issue_goes_from_an_idea_to_done(house: House) -> None:
    first = house.json("issue", "create", "--title", "Pick \u2705", "--label", "type:story")
    body = "## Dependencies\nBlocked-by: #1"
    house.json("issue", "create", "--title", "Use it", "--body", body, "--status", "ready")

    assert (first["number"], first["status"], first["type"]) == (1, "Backlog", "story")
    assert house.json("ready") == {"ready": [], "blocked": [], "cycles": [], "inbox": []}
    blocked = house.agentx("deps", "2", "--json", expect=3)
    assert json.loads(blocked.stdout)["open_blockers"] == [1]
    error = failure(house, "issue", "update", "1", "--status", "done", code=3)
    assert (error["code"], error["message"]) == (
        "illegal_transition",
        "#1 is Backlog: cannot become Done",
    )
    house.json("issue", "update", "1", "--status", "ready", "--label", "priority:p0")
    assert [issue["number"] for issue in house.json("ready")["ready"]] == [1]
    assert [step["id"] for step in house.json("workflow", "next", "1")["next"]] == ["implement"]

    script = house.root / "script.json"
    script.write_text('[{"role": "engineer", "answer": "Built it."}, {"answer": "Fine."}]', "utf-8")
    scripted = ("--runner", "scripted", "--script", str(script))
    ran = house.json("agent", "run", "engineer", "--issue", "1", *scripted)
    assert (ran["report"], ran["step"], ran["issue_status"]) == (
        "Built it.",
        "implement",
        "In Review",
    )
    states = {each["agent"]: each["status"] for each in house.json("state")["agents"]}
    assert states == {"engineer": "done"}
    house.json("agent", "run", "reviewer", "--issue", "1", *scripted)
    done = house.json("agent", "run", "tester", "--issue", "1", *scripted)

    assert done["issue_status"] == "Done"
    assert house.agentx("deps", "2").stdout.startswith("#2 is not blocked")
    digest = house.json("digest")
    assert [issue["number"] for issue in digest["done"]] == [1]
    assert {each["agent"] for each in digest["agents"]} == {"engineer", "reviewer", "tester"}
    assert digest["clarifications"]["total"] == 0
    told = [json.loads(line) for line in house.agentx("logs", "--json").stdout.splitlines()]
    assert "agent-completed" in json.dumps(told)


def test_wrong_requests_say_what_to_do(house: House) -> None:
    folder = house.project / ".agentx" / "workflows"
    folder.mkdir(parents=True)
    (folder / "story.toml").write_text('[[steps]]\nid = "x"\nagent = "enginer"\n', "utf-8")
    house.json("trust", "--yes")
    house.json("issue", "create", "x")

    assert failure(house, "issue", "show", "9", code=2)["message"] == "there is no issue #9"
    assert (
        "did you mean type:story"
        in (failure(house, "issue", "create", "x", "--label", "type:stroy", code=2)["hint"])
    )
    error = failure(house, "workflow", "next", "1", code=2)
    assert "story.toml, line 3: steps[1].agent: 'enginer' is not a role" in error["message"]
    checked = house.agentx("workflow", "check", "--json", expect=2)
    assert [each["line"] for each in json.loads(checked.stdout)["problems"]] == [3]
    (folder / "story.toml").unlink()
    error = failure(house, "agent", "run", "engineer", "--issue", "1", code=2)
    assert error["message"] == "nobody plays engineer"
    error = failure(house, "agent", "run", "engineer", "--issue", "1", "--runner", "codex", code=6)
    assert (error["code"], house.json("state")["agents"]) == ("agent_unavailable", [])
    assert (
        failure(house, "digest", "--week", "2026-W60", code=2)["message"] == "2026 has no week 60"
    )
    config = house.project / ".agentx" / "config.toml"
    config.write_text('[agents]\nrunner = "codex"\n', "utf-8")
    house.json("trust", "--yes")
    (passed,) = house.json("config")["passed_over"]
    assert "a repository may not set it" in passed["says"]
    assert "agentx config set --here agents.runner" in passed["mend"]


def test_in_github_mode_the_same_commands_speak_to_github(house: House) -> None:
    with GithubServer().serving() as server:
        env = {
            "AGENTX_WORK_MODE": "github",
            "AGENTX_GITHUB_REPOSITORY": REPOSITORY,
            "AGENTX_GITHUB_BASE_URL": server.url,
            "AGENTX_GITHUB_NOTIFY": "ada,bob",
        }
        error = failure(house, "issue", "list", code=2, env=env)
        assert "GitHub mode needs a token" in error["message"]
        env["GITHUB_TOKEN"] = TOKEN

        def there(*arguments: str) -> Any:
            return json.loads(house.agentx(*arguments, "--json", env=env).stdout)

        there("issue", "create", "--title", "Pick", "--label", "type:story", "--status", "ready")
        assert [issue["number"] for issue in there("ready")["ready"]] == [1]
        asked = (
            "--from",
            "engineer",
            "--to",
            "architect",
            "--topic",
            "store",
            "--question",
            "Which?",
        )
        question = there("clarify", "ask", "--issue", "1", *asked)
        house.agentx("clarify", "escalate", question["id"], "nobody knows", env=env)
        for _ in range(2):
            there("issue", "sync")

    bodies = [each["body"] for each in server.comments[1]]
    assert len(bodies) == 2
    assert "Which?" in bodies[0]
    assert "cc @ada @bob" in bodies[1]
    labels = {label["name"] for label in server.issues[1]["labels"]}
    assert labels == {"type:story", "status:ready", "clarification:active"}
    assert TOKEN not in house.agentx("logs").stdout
