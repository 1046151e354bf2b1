"""Goal: runs are on a branch of their own before a command returns, and no checkout loses them.

Method: real git in a real folder; switches, cleans, resets, deletions and kills, then a look.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.runs.settings import BRANCH
from tests.support.kept_runs import Kept
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Killed, Team, killed


@pytest.fixture
def team(tmp_path: Path) -> Kept:
    return Kept(repository(tmp_path / "shop", a_py="a = 1\n"), tmp_path / "store")


@pytest.fixture(autouse=True)
def _nothing_armed() -> Iterator[None]:
    yield
    crash.disarm()


def _begin(team: Kept) -> str:
    run = team.runs.start("keep me").id
    team.says(run, "task-added", task="TASK-001", title="do it")
    team.says(run, "escalation-raised", question="which?", blocking=True)
    return run


def _ids(team: Kept, run: str) -> list[str]:
    return [event.id for event in team.runs.events(run)]


def test_every_command_has_committed_and_touched_nothing_of_the_persons(team: Kept) -> None:
    (team.root / "a.py").write_text("a = 2\n", "utf-8")
    (team.root / "b.py").write_text("b = 1\n", "utf-8")
    git(team.root, "add", "b.py")
    before = [git(team.root, *words) for words in (("status", "--short"), ("rev-parse", "HEAD"))]
    index = (team.root / ".git/index").read_bytes()

    run = _begin(team)

    assert int(git(team.root, "rev-list", "--count", BRANCH)) == 3
    assert all(name.startswith(f".agent-memory/runs/{run}/events/") for name in team.kept())
    held = b"".join(git(team.root, "show", f"{BRANCH}:{name}").encode() for name in team.kept())
    assert all(each.encode() in held for each in _ids(team, run))
    assert (team.root / ".git/index").read_bytes() == index
    # Also no file that a pull of what others committed there would stop at.
    after = [git(team.root, *words) for words in (("status", "--short"), ("rev-parse", "HEAD"))]
    assert [set(each.splitlines()) for each in after] == [set(each.splitlines()) for each in before]
    assert not git(team.root, "fsck", "--strict")


def _lose_by(team: Kept, how: str, run: str) -> None:
    match how:
        case "clean":
            git(team.root, "clean", "-fdxq")
        case "folder":
            shutil.rmtree(team.root / ".agent-memory")
        case "runs":
            shutil.rmtree(team.store.paths.run(run).root)
        case "turned back":
            file = next((team.store.paths.run(run).events() / "executor").iterdir())
            file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:1]))
        case _:
            for file in team.store.paths.run(run).events().rglob("*.jsonl"):
                file.write_bytes(b"")


@pytest.mark.promise("runs.kept")
@pytest.mark.parametrize("how", ["clean", "folder", "runs", "turned back", "emptied"])
def test_what_a_checkout_loses_is_brought_back(team: Kept, how: str) -> None:
    run = _begin(team)
    ids, manifest = _ids(team, run), team.store.paths.run(run).manifest.read_bytes()
    _lose_by(team, how, run)

    told = team.store.bring_back()

    assert told == (f"{run} was brought back from the branch {BRANCH}",)
    assert _ids(team, run) == ids
    assert team.store.paths.run(run).manifest.read_bytes() == manifest
    assert team.store.bring_back() == ()
    assert [each.status for each in team.runs.list_asking()] == ["BLOCKED"]


def test_switching_and_resetting_lose_nothing(team: Kept) -> None:
    run = _begin(team)
    ids = _ids(team, run)
    git(team.root, "switch", "-qc", "other")
    commit(team.root, "elsewhere", c_py="c = 1\n")
    git(team.root, "clean", "-fdq")
    git(team.root, "switch", "-q", "main")
    git(team.root, "checkout", "-q", ".")
    git(team.root, "reset", "-q", "--hard")

    assert _ids(team, run) == ids
    assert team.tell(run) == ()
    assert len(_ids(team, run)) == len(ids) + 1


def test_a_kill_right_after_the_commit_and_a_lost_folder_hold_up_nothing(team: Kept) -> None:
    run = _begin(team)
    for _ in range(2):
        crash.arm(CrashPoint.RUN_KEPT, killed)
        with pytest.raises(Killed):
            team.says(run, "note", text="the last words")
        crash.disarm()
    ids = _ids(team, run)
    git(team.root, "clean", "-fdxq")

    assert team.tell(run) == ()
    git(team.root, "clean", "-fdxq")

    assert _ids(team, run)[:-1] == ids


@pytest.mark.parametrize(
    "point", [CrashPoint.RUN_EVENTS_WRITTEN, CrashPoint.RUN_VIEW_WRITTEN, CrashPoint.RUN_KEPT]
)
def test_a_kill_before_the_commit_loses_nothing(team: Kept, point: CrashPoint) -> None:
    run, other = _begin(team), team.runs.start("another").id
    crash.arm(point, killed)
    with pytest.raises(Killed):
        team.says(run, "note", text="the last words")
    crash.disarm()
    ids = _ids(team, run)

    team.says(other, "note", text="somebody else goes on")
    shutil.rmtree(team.root / ".agent-memory")

    assert _ids(team, run) == ids


def test_a_branch_of_the_persons_own_is_left_alone(team: Kept) -> None:
    git(team.root, "branch", BRANCH)
    tip = git(team.root, "rev-parse", BRANCH)
    run = team.runs.start("mine").id

    told = team.tell(run)

    assert git(team.root, "rev-parse", BRANCH) == tip
    assert "has other files than AgentX keeps there" in told[0]
    git(team.root, "branch", "-m", BRANCH, "theirs")
    assert team.tell(run) == ()
    assert team.kept()


def test_a_branch_with_a_page_alone_is_ours_where_the_page_is(team: Kept) -> None:
    _begin(team)
    assert team.store.kept is not None
    ours = f"{git(team.root, 'show', f'{BRANCH}:README.md')}\n"
    git(team.root, "checkout", "-q", "--orphan", "page")
    for text, is_ours in ((ours, True), ("# What our agents remember\n", False)):
        git(team.root, "rm", "-rfq", "--ignore-unmatch", ".")
        (team.root / "README.md").write_text(text, encoding="ascii")
        git(team.root, "add", "README.md")
        git(team.root, "commit", "-qm", "a page")

        assert team.store.kept.looks_ours(git(team.root, "rev-parse", "page")) is is_ours


def test_what_somebody_brought_is_taken_in_by_a_persons_word_alone(
    team: Kept, tmp_path: Path
) -> None:
    _begin(team)
    theirs = git(team.root, "rev-parse", BRANCH)
    root = repository(tmp_path / "clone", b_py="b = 1\n")
    git(root, "fetch", "-q", str(team.root), f"{BRANCH}:{BRANCH}")
    here = Kept(root, tmp_path / "other")
    mine = here.runs.start("mine").id

    assert here.runs.ids() == (mine,)
    assert git(root, "rev-parse", BRANCH) == theirs
    assert "say `agentx trust`" in here.tell(mine)[0]

    trusted = Kept(root, tmp_path / "other", said=True)
    assert trusted.tell(mine) == ()
    assert len(trusted.runs.ids()) == 2
    assert git(root, "merge-base", "--is-ancestor", theirs, BRANCH) == ""


def test_where_code_tracks_runs_they_stay_there(team: Kept, tmp_path: Path) -> None:
    run = Team(team.root, tmp_path / "store").runs.start("as before").id
    git(team.root, "add", ".agent-memory")
    git(team.root, "commit", "-qm", "runs")
    git(team.root, "switch", "-q", "--orphan", "other")

    assert team.runs.start("on another branch").id
    assert git(team.root, "branch", "--list", BRANCH) == ""

    git(team.root, "switch", "-qf", "main")
    over = Kept(team.root, tmp_path / "store", wanted=BRANCH)
    assert over.tell(run) == ()
    assert any(run in name for name in over.kept())


@pytest.mark.parametrize("state", ["unborn", "detached", "sha256", "packed"])
def test_odd_repositories_keep_runs_too(tmp_path: Path, state: str) -> None:
    root = tmp_path / "odd"
    if state in ("unborn", "sha256"):
        root.mkdir()
        words = ("--object-format=sha256",) if state == "sha256" else ()
        git(root, "init", "-q", "-b", "main", *words)
    else:
        repository(root, a_py="a = 1\n")
    if state == "detached":
        git(root, "switch", "-q", "--detach")
    team = Kept(root, tmp_path / "store")
    run = _begin(team)
    if state == "packed":
        git(root, "pack-refs", "--all")
        git(root, "gc", "-q")
    team.says(run, "note", text="on")
    ids = _ids(team, run)
    shutil.rmtree(root / ".agent-memory")

    assert _ids(team, run) == ids


def test_a_branch_that_is_deleted_or_checked_out_is_told(team: Kept) -> None:
    run = _begin(team)
    git(team.root, "branch", "-D", BRANCH)
    assert team.tell(run) == ()
    assert len(team.kept()) == 2

    git(team.root, "switch", "-q", BRANCH)
    tip = git(team.root, "rev-parse", "HEAD")
    (told,) = team.tell(run)
    assert "checked out" in told
    assert git(team.root, "rev-parse", BRANCH) == tip


def test_a_branch_that_somebody_emptied_keeps_all_again(team: Kept) -> None:
    run, other = _begin(team), team.runs.start("another").id
    ids = [_ids(team, each) for each in (run, other)]
    first = git(team.root, "rev-list", "--max-parents=0", BRANCH)
    git(team.root, "update-ref", f"refs/heads/{BRANCH}", first)  # all but the first commit

    assert team.tell(run) == ()
    assert {name.split("/")[2] for name in team.kept()} == {run, other}
    shutil.rmtree(team.root / ".agent-memory")
    assert _ids(team, run)[:3] == ids[0]
    assert _ids(team, other) == ids[1]


def test_no_program_of_the_repository_runs(team: Kept, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for name in ("reference-transaction", "post-commit", "pre-commit", "post-index-change"):
        hook = team.root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n", "utf-8")
        hook.chmod(0o755)
    for key in ("core.fsmonitor", "filter.x.clean", "gpg.program", "core.alternateRefsCommand"):
        git(team.root, "config", key, f"touch {ran}")
    git(team.root, "config", "core.hooksPath", ".git/hooks")
    git(team.root, "config", "commit.gpgSign", "true")
    (team.root / ".gitattributes").write_text("*.jsonl filter=x\n", "utf-8")

    run = _begin(team)
    shutil.rmtree(team.root / ".agent-memory")

    assert len(_ids(team, run)) == 3
    assert not ran.exists()


def test_of_a_branch_only_facts_are_laid_out_and_no_links(team: Kept, tmp_path: Path) -> None:
    run = _begin(team)
    folder = team.root / "made"
    git(team.root, "worktree", "add", "-q", str(folder), BRANCH)
    memory = folder / ".agent-memory"
    events = memory / "runs" / run / "events"
    (events / "executor" / "link.jsonl").symlink_to("/etc/passwd")
    (events / "evil").symlink_to("/etc")
    for name in ("runs/x/events/a/b.jsonl", "runs/a.jsonl", "archive/x.tar.gz", "aside/.hidden"):
        (memory / name).parent.mkdir(parents=True, exist_ok=True)
        (memory / name).write_text("no\n", "utf-8")
    (memory / "runs" / run / "manifest.yaml").write_text("state: evil\n", "utf-8")
    commit(folder, "by hand")
    git(team.root, "worktree", "remove", str(folder))
    trusted = Kept(team.root, tmp_path / "store", said=True)

    assert trusted.tell(run) == ()
    names = {path.name for path in (team.root / ".agent-memory").rglob("*")}
    assert not names & {"link.jsonl", "evil", "b.jsonl", "a.jsonl", "x.tar.gz", ".hidden"}
    assert b"evil" not in team.store.paths.run(run).manifest.read_bytes()


def test_where_git_cannot_be_written_runs_stay_in_the_folder(team: Kept, tmp_path: Path) -> None:
    run = _begin(team)
    # A branch that leads to another would have that one written.
    git(team.root, "update-ref", "-d", f"refs/heads/{BRANCH}")
    git(team.root, "symbolic-ref", f"refs/heads/{BRANCH}", "refs/heads/unborn")
    assert "leads to another branch" in team.tell(run)[0]
    git(team.root, "symbolic-ref", "--delete", f"refs/heads/{BRANCH}")
    # Nor can it stand below a branch of that name.
    git(team.root, "branch", f"{BRANCH}/mine", "main")
    (told,) = team.tell(run)
    assert "not on the branch" in told
    assert f"git has no branch {BRANCH} beside {BRANCH}/mine (git branch -m" in told
    assert len(_ids(team, run)) == 5
    git(team.root, "branch", "-D", f"{BRANCH}/mine")
    assert team.tell(run) == ()

    (tmp_path / "gone").mkdir()
    shutil.rmtree(team.root / ".git")
    (told,) = team.tell(run)
    assert "not on the branch" in told
    assert len(_ids(team, run)) == 7


def test_a_link_in_the_folder_is_not_followed(team: Kept, tmp_path: Path) -> None:
    run = _begin(team)
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text("hidden\n", "utf-8")
    folder = team.store.paths.run(run).root
    (folder / "artifacts").mkdir(exist_ok=True)
    (folder / "artifacts" / "key.md").symlink_to(secret / "key.md")
    (team.root / ".agent-memory" / "aside").symlink_to(secret)

    team.tell(run)

    assert "hidden" not in git(team.root, "log", "-p", BRANCH)


def test_a_setting_takes_runs_back_to_the_code(team: Kept, tmp_path: Path) -> None:
    exclude = team.root / ".git/info/exclude"
    before = exclude.read_text("utf-8")
    run = _begin(team)
    assert exclude.read_text("utf-8") != before

    again = Kept(team.root, tmp_path / "store", wanted="code")
    tip = git(team.root, "rev-parse", BRANCH)

    assert again.tell(run) == ()
    assert git(team.root, "rev-parse", BRANCH) == tip
    assert exclude.read_text("utf-8") == before
    assert ".agent-memory/runs/" in git(team.root, "status", "--short", "-uall")
