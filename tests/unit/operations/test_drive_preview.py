"""Goal: who looks before a run is driven is told what would be refused, and nothing is done.

Method: repositories with real git, each in a home of its own where no agent CLI is installed.
"""

from __future__ import annotations

from pathlib import Path

from agentx.operations.driving.asked import DriveRequest
from agentx.operations.driving.beginning import find_meant
from agentx.operations.driving.preview import plan_drive
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event, start_run
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.runs.model import ORCHESTRATOR
from agentx.wiring.runs import open_runs
from tests.support.repository import git, repository
from tests.support.trusting import trusted


def _open(folder: Path) -> Project:
    home = folder / "home"
    known = {"HOME": str(home), "PATH": "/usr/bin:/bin", "AGENTX_SPARE_SPOOL": str(folder / "s")}
    return open_project(repository(folder / "repo", a_py="a = 1\n"), read_environment(known))


def test_all_that_is_in_the_way_is_told_at_once(tmp_path: Path) -> None:
    project = _open(tmp_path)

    found = plan_drive(project, DriveRequest(title="A run", runners=("codex",))).in_the_way

    assert [line.partition(" (")[0] for line in found] == [
        f"{project.root} is not trusted: agents would run what lies there",
        "codex is not installed: no `codex` on the PATH",
        "nothing says when the work is done",
    ]


def test_a_runner_that_works_in_no_lane_and_none_at_all_are_told(tmp_path: Path) -> None:
    project = trusted(_open(tmp_path))

    for runners, what in (((), "nobody is named"), (("loop",), "'loop' does not work in lanes")):
        asked = DriveRequest(title="A run", runners=runners, checks=("true",))
        (line,) = plan_drive(project, asked).in_the_way
        assert what in line


def test_a_check_that_nobody_saw_is_told_before_the_run_is_driven(tmp_path: Path) -> None:
    project = trusted(_open(tmp_path))
    start_run(project, "A run", checks=("make test",), actor=ORCHESTRATOR)

    found = plan_drive(project, DriveRequest(runners=("codex",)))

    assert "the run asks for `make test`, which nobody approved" in found.in_the_way[-1]
    assert "--runner codex --approve-checks" in found.in_the_way[-1]
    run, _ = open_runs(project).run("")
    assert not run.turns


def test_who_types_the_title_once_more_means_the_run_that_is_not_over(tmp_path: Path) -> None:
    project = trusted(_open(tmp_path))
    assert find_meant(project, "Add e-mail checks") == ""
    older = start_run(project, "Add e-mail checks", actor=ORCHESTRATOR)
    start_run(project, "Another", actor=ORCHESTRATOR)

    assert find_meant(project, " add  e-mail Checks") == older.id
    assert find_meant(project, older.id[-4:]) == older.id[-4:]
    record_event(project, Saying(run_id=older.id), "run-failed", {"reason": "it was given up"})
    assert find_meant(project, "Add e-mail checks") == ""


def test_a_filter_that_lies_among_the_files_of_the_work_is_in_the_way(tmp_path: Path) -> None:
    """In a lane git would run the one that an agent wrote there, with all that the driver has."""
    project = trusted(_open(tmp_path))
    (project.root / "tools").mkdir()
    (project.root / "tools" / "strip.py").write_text("")
    for name, command in (
        ("filter.lfs.process", "git-lfs filter-process"),
        ("filter.mine.smudge", "/opt/mine/smudge --file %f"),
        ("filter.nb.clean", "python tools/strip.py %f"),
        ("filter.own.smudge", "tools/strip.py"),
        ("filter.nb1.clean", '"/usr/bin/python3.11" -m nbstripout'),
        ("filter.nb2.clean", "sh -c 'cat | python -X dev -sm tools.strip'"),
        ("filter.nb3.clean", "python -I -m nbstripout"),
        ("filter.nb4.clean", "/usr/bin/python3 -W ignore /opt/strip.py -m x"),
        ("filter.run1.smudge", "cat %f | npx prettier --parser go"),
        ("filter.run2.smudge", "indent -kr go"),
        ("merge.own.driver", "sh -c './merge %A'"),
        ("merge.up.driver", "../merge %A %O"),
    ):
        git(project.root, "config", name, command)
    asked = DriveRequest(title="A run", runners=("codex",), checks=("true",))

    found = [line for line in plan_drive(project, asked).in_the_way if "git would run" in line]

    named = [line.partition(" is `")[0].rpartition(" ")[2] for line in found]
    assert named == [
        *("filter.nb.clean", "filter.own.smudge", "filter.nb1.clean", "filter.nb2.clean"),
        *("filter.run1.smudge", "merge.own.driver", "merge.up.driver"),
    ]
