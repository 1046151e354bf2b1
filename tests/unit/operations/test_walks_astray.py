"""Goal: whatever an agent leaves behind, nothing is said to be done that is not.

Method: the verb in process on a real repository; agents are functions that do what they should not.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.errors import ConflictError, InvalidValue
from agentx.operations.walking import walk
from agentx.work.walk.model import Walked
from tests.support.trusting import trusted
from tests.support.walk_company import APPROVED, CHANGES, Act, Company, build, company

pytestmark = pytest.mark.promise("walk.once")

DOCUMENTS = """
[[steps]]
id = "build"
title = "Build it"
agent = "engineer"
[[steps]]
id = "review"
title = "Look at it"
agent = "reviewer"
needs = ["build"]
output = "docs/R-{issue}.md"
[[steps]]
id = "extra"
title = "Draw it"
agent = "architect"
needs = ["build"]
optional = true
"""
NOTES = """
[[steps]]
id = "notes"
title = "Write \\u001b[31mnotes"
agent = "architect"
output = "docs/N-{issue}.md"
template = "docs/t.md"
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    with company(tmp_path, monkeypatch) as made:
        yield made


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


def put(root: Path, name: str, text: str) -> str:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return "Written."


def follow(made: Company, workflow: str) -> None:
    """Give the project a workflow of its own."""
    put(made.stage.root, ".agentx/workflows/story.toml", workflow)
    made.stage.project = trusted(made.stage.project)


def after(words: tuple[str, ...], act: Act = build) -> Act:
    """Return an agent that has git do something first."""

    def work(root: Path, task: str) -> str:
        git(root, *words)
        return act(root, task)

    return work


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (("switch", "-q", "-c", "sneaky"), "the branch sneaky"),
        (("switch", "-q", "main"), "the branch main"),
        (("switch", "-q", "--detach"), "no branch"),
    ],
)
def test_nothing_is_committed_to_a_branch_that_an_agent_chose(
    made: Company, words: tuple[str, ...], there: str
) -> None:
    made.acts["engineer"] = after(words)
    reply = made.walk()

    assert reply.ended == "stuck"
    assert f"it left {there} checked out: git switch issue-1" in reply.reason
    assert made.stage.git("log", "--all", "--format=%s").splitlines() == ["begin"]
    made.stage.git("switch", "-q", "issue-1")
    made.acts["engineer"] = build
    assert made.walk().ended == "done"
    assert made.subjects() == ["#1 implement: Build it, with its tests (engineer)"]


def test_nothing_is_begun_where_git_would_run_what_an_agent_writes(made: Company) -> None:
    put(made.stage.root, "strip.sh", "cat\n")
    made.stage.git("config", "filter.own.clean", "sh strip.sh")

    with pytest.raises(ConflictError, match="git would run what agents write: filter"):
        made.walk()


@pytest.mark.parametrize("words", [("status",), ("add", "."), ("commit", "-qam", "mine")])
def test_a_repository_that_an_agent_made_in_the_folder_is_not_committed_as_a_name(
    made: Company, words: tuple[str, ...]
) -> None:
    def nest(root: Path, task: str) -> str:
        put(root, "lib/x.py", "x = 1\n")
        for inner in (("init", "-q"), ("add", "."), ("commit", "-qm", "inner")):
            git(root / "lib", *inner)
        build(root, task)
        git(root, "add", ".") if words[0] == "commit" else None
        git(root, *words)
        return "Built."

    made.acts["engineer"] = nest
    reply = made.walk()

    assert reply.ended == "stuck"
    assert "lib: a repository of its own, whose files git would not commit" in reply.reason
    assert "In Review" not in reply.status


def test_history_that_an_agent_dropped_is_told(made: Company) -> None:
    made.acts["reviewer"] = after(("reset", "-q", "--hard", "main"), lambda *_: APPROVED)
    reply = made.walk()

    assert (reply.ended, reply.status) == ("stuck", "In Review")
    assert "issue-1 lost" in reply.reason
    made.acts["reviewer"] = lambda *_: APPROVED
    made.walk()
    assert any(line.endswith("is not on the branch any more") for line in made.told)


def test_what_an_agent_committed_itself_is_named(made: Company) -> None:
    def commit(root: Path, task: str) -> str:
        build(root, task)
        git(root, "commit", "-qam", "mine")
        return "Built."

    made.acts["engineer"] = commit
    steps = {each.id: each for each in made.walk().steps}

    assert steps["implement"].commit == made.stage.git("rev-parse", "HEAD")
    assert any("[review] done, nothing to commit" in line for line in made.told)


def move(root: Path, **said: str) -> None:
    (path,) = (root / ".agentx" / "issues").glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | said), encoding="utf-8")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"status": "Validating"}, "#1 was moved to Validating meanwhile"),
        ({"state": "closed"}, "#1 was closed meanwhile"),
    ],
)
def test_an_issue_that_was_moved_meanwhile_is_not_done(
    made: Company, said: dict[str, str], why: str
) -> None:
    def work(root: Path, task: str) -> str:
        move(root, **said)
        return build(root, task)

    made.acts["engineer"] = work
    reply = made.walk()

    assert (reply.ended, made.woken) == ("stuck", ["implement"])
    assert why in reply.reason
    move(made.stage.root, state="open", status="In Progress")
    made.acts["engineer"] = build
    assert made.walk().ended == "done"
    assert made.woken[1:] == ["implement", "review", "validate"]


def test_what_checks_leave_lying_goes_back_to_the_agent(made: Company) -> None:
    def tidy(root: Path, task: str) -> str:
        if "junk.txt" in task:
            put(root, ".gitignore", ".agentx/\njunk.txt\n")
        return build(root, task)

    made.acts["engineer"] = tidy
    reply = made.walk(checks=("date > junk.txt",))

    assert (reply.ended, made.woken[:2]) == ("done", ["implement"] * 2)
    held = made.stage.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert "junk.txt" not in held
    assert "app.py" in held


@pytest.mark.parametrize("name", [".claude/settings.json", ".mcp.json", ".env"])
def test_what_agent_clis_go_by_is_looked_at_by_a_person_first(made: Company, name: str) -> None:
    def plant(root: Path, task: str) -> str:
        put(root, name, '{"hooks": {}}')
        return build(root, task)

    made.acts["engineer"] = plant
    reply = made.walk()

    assert (reply.ended, made.woken) == ("stuck", ["implement"])
    assert f"it changed {name}: agent CLIs go by that" in reply.reason
    assert made.walk().ended == "done"  # who saw it goes on, and commits it
    assert name in made.stage.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()


def test_a_way_that_github_does_not_know_of_yet_is_done_and_says_so(
    made: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "is_unsent", lambda _project, issue: issue == 1)

    reply = made.walk()

    assert (reply.ended, reply.reason.partition(":")[0]) == (
        "done",
        "GitHub was not reached and knows less",
    )


def test_what_agent_clis_go_by_and_lay_there_is_no_matter(made: Company) -> None:
    put(made.stage.root, ".gitignore", ".mcp.json\n")
    made.stage.git("add", ".gitignore")
    made.stage.git("commit", "-q", "-m", "ignore")
    put(made.stage.root, ".mcp.json", "{}")

    assert made.walk().ended == "done"


def test_an_agent_that_moves_its_own_step_on_is_checked_all_the_same(made: Company) -> None:
    def work(root: Path, task: str) -> str:
        move(root, status="In Review")
        return build(root, task)

    made.acts["engineer"] = work
    reply = made.walk(checks=("grep -q 'a + b' app.py",))

    assert reply.ended == "done"
    assert any("[implement] passed: grep" in line for line in made.told)
    assert made.subjects() == ["#1 implement: Build it, with its tests (engineer)"]


def test_a_step_that_a_person_did_by_hand_counts_and_it_is_said(made: Company) -> None:
    made.walk(checks=("false",))
    made.stage.git("stash", "-q")
    move(made.stage.root, status="In Review")
    made.told.clear()

    assert made.walk(checks=("true",)).ended == "done"
    told = "[implement] counts as done, as #1 is In Review; no agent did it here"
    assert told in made.told


def test_a_workflow_that_an_agent_changed_is_not_followed(made: Company) -> None:
    follow(made, DOCUMENTS)

    def work(root: Path, task: str) -> str:
        put(
            root, ".agentx/workflows/story.toml", DOCUMENTS.partition('[[steps]]\nid = "review"')[0]
        )
        return build(root, task)

    made.acts["engineer"] = work
    reply = made.walk()

    assert (reply.ended, made.woken) == ("stuck", ["build"])
    assert "its workflow is another now" in reply.reason
    with pytest.raises(InvalidValue, match=r"workflows/story\.toml is not trusted as it is now"):
        made.walk()


def test_files_that_git_moved_are_committed(made: Company) -> None:
    def work(root: Path, _task: str) -> str:
        git(root, "mv", "app.py", "moved.py")
        put(root, ":(top)odd\n\x1b[31m", "x")
        return "Moved."

    made.acts["engineer"] = work

    assert made.walk().ended == "done"
    assert made.stage.git("status", "--porcelain") == ""
    assert "moved.py" in made.stage.git("ls-tree", "--name-only", "HEAD")


def test_any_number_of_files_is_committed_and_none_of_ours(made: Company) -> None:
    made.stage.git("rm", "-q", "--cached", ".gitignore")
    (made.stage.root / ".gitignore").unlink()
    made.stage.git("commit", "-qm", "all is seen")

    def work(root: Path, _task: str) -> str:
        folder = root / ("n" * 200)
        folder.mkdir()
        for number in range(7_000):
            (folder / f"{'y' * 150}{number}").touch()
        git(root, "add", ".agentx")
        return "Written."

    made.acts["engineer"] = work

    assert made.walk().ended == "done"
    names = made.stage.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert len(names) > 7_000
    assert not any(name.startswith(".agentx") for name in names)


def test_a_merge_that_is_half_done_goes_back_to_the_agent(made: Company) -> None:
    def work(root: Path, task: str) -> str:
        if "a merge is under way" in task:
            git(root, "merge", "--abort")
            return build(root, task)
        git(root, "switch", "-q", "-c", "other")
        put(root, "app.py", "other\n")
        git(root, "commit", "-qam", "other")
        git(root, "switch", "-q", "issue-1")
        put(root, "app.py", "mine\n")
        git(root, "commit", "-qam", "mine")
        with pytest.raises(subprocess.CalledProcessError):
            git(root, "merge", "other")
        return "Merged."

    made.acts["engineer"] = work

    assert made.walk().ended == "done"
    assert made.woken[:2] == ["implement", "implement"]


def test_what_lies_changed_in_a_submodule_stops_nobody(made: Company, tmp_path: Path) -> None:
    root = made.stage.root
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    put(other, "f", "1")
    git(other, "add", ".")
    git(other, "commit", "-qm", "f")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    git(root, "commit", "-qm", "sub")

    def work(root: Path, task: str) -> str:
        put(root, "sub/f", "2")
        return build(root, task)

    made.acts["engineer"] = work
    assert made.walk().ended == "done"


# --- documents and who judges ---------------------------------------------------------------------


def test_a_verdict_that_lay_there_is_nobody_s(made: Company) -> None:
    follow(made, DOCUMENTS)

    def forge(root: Path, task: str) -> str:
        put(root, "docs/R-1.md", "Verdict: approved")
        return build(root, task)

    made.acts |= {"engineer": forge, "reviewer": lambda *_: "I could not look."}
    reply = made.walk()

    assert (reply.ended, made.woken) == ("stuck", ["build", *["review"] * 3])
    assert "docs/R-1.md is as it was before your turn" in reply.reason


def test_work_of_steps_without_a_status_is_done_anew_where_it_is_sent_back(made: Company) -> None:
    follow(made, DOCUMENTS)
    verdicts = iter(["Verdict: changes needed", "Verdict: approved"])
    made.acts["reviewer"] = lambda root, _task: put(root, "docs/R-1.md", next(verdicts))

    assert made.walk().ended == "done"
    assert made.woken == ["build", "review", "build", "review"]


def test_a_reviewer_that_commits_what_it_mended_is_told_to_take_it_back(made: Company) -> None:
    follow(made, DOCUMENTS)

    def review(root: Path, task: str) -> str:
        if "put back" in task:
            git(root, "revert", "--no-edit", "HEAD")
        else:
            put(root, "mended.py", "x")
            git(root, "add", "mended.py")
            git(root, "commit", "-qm", "mended")
        return put(root, "docs/R-1.md", "Verdict: approved")

    made.acts["reviewer"] = review

    assert made.walk().ended == "done"
    assert made.woken == ["build", "review", "review"]
    assert "put back what you changed besides docs/R-1.md: mended.py" in made.tasks[2]


def test_a_test_that_shows_the_fault_may_stay_where_work_is_sent_back(made: Company) -> None:
    says = iter([CHANGES, APPROVED])

    def test(root: Path, _task: str) -> str:
        put(root, "t.sh", "grep -q 'a + b' app.py")
        return next(says)

    def work(root: Path, task: str) -> str:
        return build(root, task) if "sent the work back" in task else put(root, "half.txt", "x")

    made.acts |= {"tester": test, "engineer": work}
    reply = made.walk(checks=("test ! -e t.sh || sh t.sh",))

    assert reply.ended == "done"
    assert made.woken == ["implement", "review", "validate", "implement", "review", "validate"]


def test_an_optional_step_that_is_wanted_is_waited_for(made: Company) -> None:
    follow(made, DOCUMENTS)
    made.acts["reviewer"] = lambda root, _task: put(root, "docs/R-1.md", "Verdict: approved")
    made.ended["architect"] = {"ended": "waiting", "reason": "it waits", "waits_for": "CLR-1-001"}
    reply = made.walk(optional=("extra",), model="small")

    assert (reply.ended, reply.waits_for) == ("waits", ("CLR-1-001",))
    again = "agentx workflow run --issue 1 --runner codex --model small --with extra"
    assert reply.next[-1] == again
    made.ended.clear()
    assert made.walk(optional=("extra",)).ended == "done"
    assert made.woken[-1] == "extra"


def add_template(made: Company) -> None:
    put(made.stage.root, "docs/t.md", "## One\n\n## Two\n")
    made.stage.git("add", "docs")
    made.stage.git("commit", "-qm", "template")
    follow(made, NOTES)


def test_a_template_counts_as_it_was_when_the_way_began(made: Company) -> None:
    add_template(made)

    def work(root: Path, _task: str) -> str:
        put(root, "docs/t.md", "x")
        return put(root, "docs/N-1.md", "x")

    made.acts["architect"] = work
    reply = made.walk()

    assert reply.ended == "stuck"
    assert "the part `## one` is missing" in reply.reason


@pytest.mark.parametrize(
    ("text", "woken"),
    [("", ["notes"]), ("## One\n\na\n\n## Two\n\nb\n", [])],
    ids=["half", "whole"],
)
def test_a_document_that_lay_there_counts_where_it_is_whole(
    made: Company, text: str, woken: list[str]
) -> None:
    put(made.stage.root, "docs/N-1.md", text)
    add_template(made)
    whole = "## One\n\na\n\n## Two\n\nb\n"
    made.acts["architect"] = lambda root, _task: put(root, "docs/N-1.md", whole)

    assert made.walk().ended == "done"
    assert made.woken == woken
    kinds = [each.kind for each in made.events() if each.step]
    assert kinds[0] is (Walked.STEP_CHECKED if woken else Walked.STEP_DONE)
    assert all(line.isprintable() for line in made.stage.git("log", "--format=%s").splitlines())


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", ".git/x", ".agentx/x.md", "a\\u001b[m"])
def test_a_document_has_its_place_in_the_project(made: Company, path: str) -> None:
    follow(made, NOTES.replace("docs/N-{issue}.md", path).replace('template = "docs/t.md"', ""))

    with pytest.raises(InvalidValue, match="no place for a document"):
        made.walk()
    assert made.woken == []
