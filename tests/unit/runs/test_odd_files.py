"""Goal: what people, merges and odd clocks leave in the files of a run is named and kept, and no
command breaks on it.

Method: runs on disk, with files as an editor, a merge or another clone left them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.host.documents.yaml_file import YAML
from agentx.host.files.atomic import replace_file
from agentx.host.files.merged_lines import read_lines
from agentx.kernel.errors import CorruptRecord, UnavailableError
from agentx.kernel.paths import ProjectPaths
from agentx.runs.limits import RUN_LANES_OPEN_MAX
from agentx.runs.pages.event_schema import write_schema
from agentx.runs.rules.catalogue import KINDS
from agentx.runs.store import event_files
from agentx.runs.store.archive import Archive
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Team, happening


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path / "shop", tmp_path / "store")


def _begin(team: Team) -> str:
    run_id = team.runs.start("add e-mail checks").id
    team.says(run_id, "task-added", task="TASK-001", title="Write b", goal="b")
    team.says(run_id, "task-progressed", task="TASK-001", text="began")
    team.says(run_id, "artifact-written", name="plan.md", text="# Plan\n")
    return run_id


@pytest.mark.promise("runs.recover")
def test_what_stands_between_conflict_marks_is_kept_aside_and_named(team: Team) -> None:
    run_id = _begin(team)
    paths = team.store.paths.run(run_id)
    files = {
        "manifest.yaml": paths.manifest,
        "contract.yaml": paths.contract("TASK-001"),
        "work-log.md": paths.work_log("TASK-001"),
        "plan.md": paths.artifacts / "plan.md",
        "task-graph.yaml": paths.task_graph,
        "index.yaml": team.store.paths.index,
    }
    made = {name: path.read_text() for name, path in files.items()}
    for name, path in files.items():
        marked = f"<<<<<<< HEAD\nprecious {name}\n=======\n{made[name]}>>>>>>> theirs\n"
        path.write_text(marked)

    told = team.runs.doing(run_id, lambda _desk: ())
    again = team.runs.doing(run_id, lambda _desk: ())

    kept = [*paths.aside.iterdir(), *team.store.paths.aside.iterdir()]
    for name, path in files.items():
        assert "<<<<<<<" not in path.read_text(), name
        assert any(f"precious {name}" in each.read_text() for each in kept), name
        assert any(name in remark and "conflict marks" in remark for remark in told.remarks), name
    assert told.run.artifacts["plan.md"].text == "# Plan\n"
    assert len(told.run.tasks["TASK-001"].log) == 1
    assert again.remarks == ()


def test_an_event_of_the_far_future_is_named_and_the_next_write_goes_on(team: Team) -> None:
    run_id = _begin(team)
    folder = team.store.paths.run(run_id).events() / "executor"
    line = json.loads(next(folder.glob("*.jsonl")).read_text().splitlines()[0])
    line |= {"type": "note", "detail": {"text": "from then"}}
    for number, at in enumerate(("9999-12-31T23:59:59.999Z", "2099-12-31T23:59:59.999Z")):
        odd = {**line, "at": at, "id": f"01M7N4HHXV718SZPEZ161GFX0{number}"}
        (folder / f"odd{number}.jsonl").write_text(json.dumps(odd) + "\n")

    team.says(run_id, "task-progressed", task="TASK-001", text="goes on")
    team.says(run_id, "task-progressed", task="TASK-001", text="and on")

    run, faults = team.runs.run(run_id)
    assert sorted(each.words for each in run.tasks["TASK-001"].log) == [
        "and on",
        "began",
        "goes on",
    ]
    assert ["too far in the future" in fault for fault in faults] == [True]


@pytest.mark.promise("runs.archive-whole")
def test_a_run_that_is_packed_and_has_late_events_is_both_together(team: Team) -> None:
    run_id = _begin(team)
    team.says(run_id, "run-failed", reason="enough")
    archive = Archive(ProjectPaths(team.root))
    archive.pack(run_id)
    archive.remove_folder(run_id)
    late = team.store.paths.run(run_id).events() / "verifier" / "late.jsonl"
    late.parent.mkdir(parents=True)
    line = {"v": 1, "id": "01M7N4HHXV718SZPEZ161GFX07", "at": "2026-12-02T10:00:00.000Z"}
    line |= {"run": run_id, "actor": "verifier", "type": "note", "detail": {"text": "late"}}
    late.write_text(json.dumps(line) + "\n")

    run, _ = team.runs.run(run_id)
    assert (run.title, str(run.status), run.events) == ("add e-mail checks", "FAILED", 6)
    assert [each.id for each in team.runs.all()] == [run_id]
    archive.pack(run_id)
    archive.remove_folder(run_id)
    archive.unpack(run_id)
    assert team.runs.run(run_id)[0].by_kind["note"] == 1
    archive.path(run_id).write_bytes(b"no archive")
    run, faults = team.runs.run(run_id)
    assert run.events == 6
    assert "not a whole archive" in faults[-1]
    with pytest.raises(CorruptRecord):
        archive.unpack(run_id)


@pytest.mark.promise("runs.archive-whole")
def test_a_run_is_laid_out_whole_or_not_at_all(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = _begin(team)
    archive, folder = Archive(ProjectPaths(team.root)), team.store.paths.run(run_id).root
    archive.pack(run_id)
    archive.remove_folder(run_id)

    def fill_up(path: Path, data: bytes) -> None:
        if path.suffix == ".jsonl":
            raise UnavailableError("no room left")
        replace_file(path, data)

    with monkeypatch.context() as full:
        full.setattr("agentx.runs.store.archive.replace_file", fill_up)
        with pytest.raises(UnavailableError):
            archive.unpack(run_id)
    assert not folder.exists()
    assert [path.name for path in archive.path(run_id).parent.iterdir()] == [f"{run_id}.tar.gz"]
    archive.unpack(run_id)
    assert team.runs.run(run_id)[0].title == "add e-mail checks"


@pytest.mark.promise("runs.archive-whole")
@pytest.mark.parametrize("cut", [2, 3])
def test_a_run_that_came_back_with_fewer_events_is_packed_again_with_all_of_them(
    team: Team, cut: int
) -> None:
    run_id = _begin(team)
    archive = Archive(ProjectPaths(team.root))
    files = list(team.store.paths.run(run_id).events().rglob("*.jsonl"))
    before = {file: file.read_bytes() for file in files}
    team.says(run_id, "task-completed", task="TASK-001")
    team.says(run_id, "run-failed", reason="enough")
    run, _ = team.runs.run(run_id)
    archive.pack(run_id)
    archive.remove_folder(run_id)
    # Another clone went on with what it had: its state of the same files comes back by a merge.
    for file, text in before.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(text.splitlines(keepends=True)[:cut]))

    for _ in range(2):
        archive.pack(run_id)
        archive.remove_folder(run_id)
        archive.unpack(run_id)
        assert team.runs.run(run_id)[0] == run
    assert not [name for name in archive.files(run_id) if name.endswith(".jsonl.before")]


@pytest.mark.parametrize("typed", ["$(touch x)", "a;id", "--exec=id", "a b", "`id`", "a\nb"])
def test_what_somebody_types_as_a_branch_or_a_commit_is_given_to_no_shell_and_no_git(
    team: Team, typed: str
) -> None:
    run_id = _begin(team)
    team.says(run_id, "branch-made", branch=typed)
    team.says(run_id, "lane-opened", lane="lane-001", branch=typed, commit=typed)
    team.says(run_id, "commit-made", commit=typed)

    run, _ = team.runs.run(run_id)

    shown = [run.git.work_branch, run.git.latest_commit]
    shown += [run.lanes["lane-001"].branch, run.lanes["lane-001"].commit]
    assert all(typed not in name for name in shown)
    assert run.git.base_branch == team.runs.git.base()[0]


def test_a_title_is_one_line_wherever_it_is_shown(team: Team) -> None:
    run_id = team.runs.start("two\nlines").id
    team.says(run_id, "task-added", task="TASK-001", title=" Write\n\n - [x] b \t")

    run, _ = team.runs.run(run_id)
    assert (run.title, run.tasks["TASK-001"].contract.title) == ("two lines", "Write - [x] b")


def test_fifty_lanes_are_open_at_once(tmp_path: Path) -> None:
    team = Team(repository(tmp_path / "shop", a_py="one = 1\n"), tmp_path / "store")
    run_id = team.runs.start("many").id
    # What a lane costs in git does not grow with their number: one is opened, the rest is said.
    names = [f"lane-{number:03}-0000" for number in range(1, 51)]
    said = [happening("lane-opened", lane=each, branch=f"agent/{run_id}/{each}") for each in names]
    team.runs.doing(run_id, lambda desk: desk.record(said))
    opened = team.lanes.open(run_id, actor="executor")
    commit(Path(opened.folder), "b", b_py="b\n")

    assert opened.lane is not None
    assert opened.lane.id.startswith("lane-051-")
    assert RUN_LANES_OPEN_MAX >= 60
    merged = team.lanes.merge(run_id, opened.lane.id, actor="executor")
    assert git(team.root, "show", f"agent/{run_id}/work:b.py") == "b"
    assert sum(lane.open for lane in merged.told.run.lanes.values()) == 50


@pytest.mark.promise("runs.schema")
def test_the_schema_file_says_what_every_event_is_checked_against() -> None:
    page = Path(__file__).parents[3] / "docs" / "agentic-event-schema.yaml"
    found = YAML.parse(page.read_bytes())

    assert found == write_schema()
    assert isinstance(found, dict)
    assert found["events"].keys() == KINDS.keys()
    for name, shape in KINDS.items():
        said = found["events"][name]
        assert (list(said["needs"]), list(said["may_have"])) == ([*shape.needs], [*shape.may])
        assert "" not in said["said_by"]


def test_a_file_of_events_is_read_again_where_it_is_another(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_files, "_TICK_MS", -60_000)  # all of them rest
    opened: list[Path] = []

    def read(file: Path) -> Iterator[tuple[int, bytes]]:
        opened.append(file)
        return read_lines(file)

    monkeypatch.setattr(event_files, "read_lines", read)
    run_id = _begin(team)
    first = team.store.read(run_id).events
    opened.clear()
    assert team.store.read(run_id).events == first
    assert opened == []

    files = event_files.event_files(team.store.paths.run(run_id))
    [file] = (each for each in files if b"began" in each.read_bytes())
    raw = file.read_bytes()
    replace_file(file, raw.replace(b"began", b"ended"))  # as long as before
    assert any(each.text("text") == "ended" for each in team.store.read(run_id).events)
    file.write_bytes(raw + raw.replace(b"began", b"later"))
    assert any(each.text("text") == "began" for each in team.store.read(run_id).events)
    file.unlink()
    assert len(team.store.read(run_id).events) < len(first)


def test_a_file_that_was_written_just_now_is_not_kept(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_files, "_TICK_MS", 60_000)
    run_id = _begin(team)
    assert team.store.read(run_id).events
    files = event_files.event_files(team.store.paths.run(run_id))
    [file] = (each for each in files if b"began" in each.read_bytes())

    file.write_bytes(file.read_bytes().replace(b"began", b"ended"))

    assert any(each.text("text") == "ended" for each in team.store.read(run_id).events)
