"""Goal: an issue is carried on from any kill, and nothing is handed on, or committed, unasked.

Method: the verb in process on a real repository; agents are functions that write files.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.host.system import pid_alive
from agentx.kernel.errors import ConflictError, IllegalTransition, InvalidValue, NotFound
from agentx.operations.capture.loop_words import LoopWords, find_in_loops
from agentx.operations.upkeep.logs import logs
from agentx.operations.walking import waking
from agentx.operations.walking.asked import WalkBounds, WalkRequest
from agentx.operations.walking.walk import show_walk, walk_issue
from agentx.wiring.hub import open_issues
from agentx.wiring.keeping.facts import list_fact_files
from agentx.wiring.walking.walks import holding_walk, open_walk
from agentx.work.limits import WALK_TRIES_MAX
from agentx.work.model import Edit, Status
from agentx.work.store.walks import WalkFile
from agentx.work.walk.model import WalkEvent
from tests.support.company import until
from tests.support.crashing import Died
from tests.support.scripted_llm import KEY
from tests.support.trusting import trusted
from tests.support.walk_company import APPROVED, CHANGES, Act, company

pytestmark = pytest.mark.promise("walk.once")


def test_a_story_is_built_judged_and_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        reply = made.walk(workflow="story", checks=("grep -q 'a + b' app.py",))

        assert (reply.ended, reply.status) == ("done", "Done")
        assert made.woken == ["implement", "review", "validate"]
        assert made.subjects() == ["#1 implement: Build it, with its tests (engineer)"]
        assert (reply.tokens, reply.usd) == (300, 0.003)
        assert "> Built." in made.tasks[1]
        assert "- app.py" in made.tasks[1]
        told = {str(line) for line in logs(made.stage.project, limit=100)}
        assert all(
            any(kind in line for line in told)
            for kind in ("handoff-triggered", "validation-result")
        )


def test_an_issue_that_somebody_began_elsewhere_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        open_issues(made.stage.project).edit(1, Edit(status=Status.IN_PROGRESS))
        assert made.walk(workflow="story").ended == "done"

    said = "#1 is In Progress already, and nobody began implement here"
    assert [line.partition(":")[0] for line in made.told].count(said) == 1


def test_what_does_not_pass_goes_back_until_a_person_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        reply = made.walk(checks=("echo no such sum; exit 3",))

        assert (reply.ended, reply.status) == ("stuck", "In Progress")
        assert made.woken == ["implement"] * WALK_TRIES_MAX
        assert "no such sum" in made.tasks[1]
        assert "did not pass 3 times" in reply.reason
        assert made.subjects() == []
        assert made.walk().ended == "stuck"  # what must pass holds until a person names another
        assert made.walk(checks=("true",)).ended == "done"


def test_work_that_is_sent_back_is_done_again_and_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = iter([CHANGES, APPROVED, CHANGES, APPROVED, APPROVED])

    def judge(_root: Path, _task: str) -> str:
        return next(verdicts)

    with company(tmp_path, monkeypatch, {"reviewer": judge, "tester": judge}) as made:
        reply = made.walk()

        assert reply.ended == "done"
        again = ["implement", "review"]
        assert made.woken == [*again, *again, "validate", *again, "validate"]
        assert "sent the work back" in made.tasks[2]
        assert "> Verdict: changes needed" in made.tasks[2]


def test_nobody_is_sent_back_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with company(tmp_path, monkeypatch, {"reviewer": lambda *_: CHANGES}) as made:
        reply = made.walk()

        assert reply.ended == "stuck"
        assert "sent back 4 times" in reply.reason
        assert reply.status == "In Progress"


def test_who_judges_without_a_verdict_is_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = iter(["Fine, I think.", APPROVED])
    with company(tmp_path, monkeypatch, {"reviewer": lambda *_: next(said)}) as made:
        assert made.walk().ended == "done"
        assert made.woken == ["implement", "review", "review", "validate"]
        assert "no verdict was found" in made.tasks[2]


EVENTS = 3 * 4 + 3  # of three steps, and what a way begins and ends with


@pytest.mark.parametrize("before", [True, False])
def test_killed_at_any_event_it_goes_on_and_commits_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    append = WalkFile.append
    left = 0

    def strike(self: WalkFile, event: WalkEvent) -> None:
        nonlocal left
        left -= 1
        if left == 0 and before:
            raise Died
        append(self, event)
        if left == 0:
            raise Died

    monkeypatch.setattr(WalkFile, "append", strike)
    died = 0
    for times in range(1 if before else 2, EVENTS + before, 2):
        with company(tmp_path / str(times), monkeypatch) as made:
            left = times
            try:
                reply = made.walk()
            except Died:
                died += 1
                left = 0
                reply = made.walk()
            assert (reply.status, reply.ended) == ("Done", "done")
            assert len(made.subjects()) == 1
            assert made.stage.git("status", "--porcelain") == ""
            assert 3 <= len(made.woken) <= 4
    assert died >= 7


def test_documents_are_written_together_and_code_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2, timeout=60)

    def write(folder: str, *parts: str) -> Act:
        def act(root: Path, _task: str) -> str:
            path = root / "docs" / folder / f"{folder.upper()}-1.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"## {part}\n\nx\n\n" for part in parts), encoding="utf-8")
            if folder in ("ux", "adr"):
                both.wait()
            return "Written."

        return act

    acts = {
        "product-manager": write(
            "prd", "Problem", "Users", "Requirements", "Out of scope", "Open questions"
        ),
        "ux-designer": write("ux", "Users and tasks", "Flow", "States", "Accessibility"),
        "architect": write("adr", "Context", "Options", "Decision", "Consequences"),
    }
    with company(tmp_path, monkeypatch, acts, "type:feature", "needs:ux") as made:

        def review(root: Path, _task: str) -> str:
            path = root / "docs" / "reviews" / "REVIEW-1.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "## Requirements\n\nx\n\n## Findings\n\nx\n\n## Verdict\n\nApproved\n"
            path.write_text(text, encoding="utf-8")
            return "Reviewed."

        made.acts["reviewer"] = review
        reply = made.walk()

        assert (reply.ended, reply.status) == ("done", "Done")
        assert made.woken[3:] == ["implement", "review", "validate"]
        files = made.stage.git("log", "--format=", "--name-only", "main..").split()
        assert sorted(files) == [
            *("app.py", "docs/adr/ADR-1.md", "docs/prd/PRD-1.md"),
            *("docs/reviews/REVIEW-1.md", "docs/ux/UX-1.md"),
        ]


def test_work_in_rounds_goes_on_until_its_criteria_are_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = iter(["Half.\n\nCriteria: not met", "All.", "All.\n\nCriteria: met"])

    def write(root: Path, _task: str) -> str:
        path = root / "docs" / "criteria" / "CRITERIA-1.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("## Criteria\n\n1\n\n## How it is measured\n\nx\n", encoding="utf-8")
        return "Written."

    acts: dict[str, Act] = {"product-manager": write, "engineer": lambda *_: next(says)}
    with company(tmp_path, monkeypatch, acts, "type:feature", "needs:iteration") as made:
        reply = made.walk(workflow="iterative-loop")

        assert (reply.ended, reply.status) == ("done", "Done")
        assert made.woken == ["criteria", *["iterate"] * 3, "review", "validate"]
        assert "begin the next round" in made.tasks[2]
        assert "does not say whether the criteria are met" in made.tasks[3]


def test_a_reviewer_mends_nothing_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def review(root: Path, task: str) -> str:
        path = root / "docs" / "reviews" / "REVIEW-1.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "## Requirements\n\nx\n\n## Findings\n\nx\n\n## Verdict\n\nApproved\n"
        path.write_text(text, encoding="utf-8")
        mended = root / "mended.py"
        mended.unlink() if "put back" in task else mended.write_text("", encoding="utf-8")
        return "Reviewed."

    with company(tmp_path, monkeypatch, {"reviewer": review}, "type:feature") as made:
        made.stage.run("issue", "update", "1", "--status", "ready")
        reply = made.walk()

        assert reply.ended == "done"
        assert any(line.startswith("[architecture] counts as done") for line in made.told)
        assert made.woken == ["implement", "review", "review", "validate"]
        assert "put back what you changed besides docs/reviews/REVIEW-1.md" in made.tasks[2]


def test_nothing_of_a_person_s_is_committed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        (made.stage.root / "mine.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(ConflictError, match=r"not committed: mine\.txt"):
            made.walk()
        (made.stage.root / "mine.txt").unlink()
        made.stage.git("switch", "-q", "main")
        with pytest.raises(ConflictError, match="default branch"):
            made.walk()
        made.stage.git("switch", "-q", "--detach")
        with pytest.raises(ConflictError, match="no branch"):
            made.walk()
        assert made.woken == []


def test_it_goes_on_only_on_the_branch_where_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        made.walk(checks=("false",))
        made.stage.git("stash", "-q")
        made.stage.git("switch", "-q", "-c", "other")

        with pytest.raises(ConflictError, match="on the branch issue-1, not other"):
            made.walk()


def test_it_works_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with company(tmp_path, monkeypatch, git=False) as made:
        assert made.walk().ended == "done"


def test_at_a_bound_nobody_is_woken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with company(tmp_path, monkeypatch) as made:
        reply = made.walk(bounds=WalkBounds(tokens=150))

        assert (reply.ended, made.woken) == ("bound", ["implement", "review"])
        assert "tokens" in reply.reason
        assert made.walk().ended == "done"


def test_who_waits_is_not_asked_again_before_a_person_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        waits = {"ended": "waiting", "reason": "it waits", "waits_for": "CLR-1-001@x"}
        made.ended["engineer"] = waits
        reply = made.walk()

        assert (reply.ended, reply.waits_for) == ("waits", ("CLR-1-001",))
        assert made.woken == ["implement"]
        shown = show_walk(made.stage.project, WalkRequest(issue=1))
        assert shown.steps[0].doing == "waits for CLR-1-001"
        made.ended.clear()
        assert made.walk().ended == "done"


def test_what_it_is_asked_for_is_looked_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        with pytest.raises(InvalidValue, match="follows the workflow story"):
            made.walk(workflow="feature")
        with pytest.raises(InvalidValue, match="no optional step"):
            made.walk(optional=("review",))
        reply = made.walk(runner="")
        assert (reply.ended, made.woken) == ("stuck", [])
        assert "nobody plays engineer" in reply.reason
        project = made.stage.project
        for issue in (1, 2):  # another in the same folder, too
            with (
                holding_walk(project, issue),
                pytest.raises(ConflictError, match="another process"),
            ):
                made.walk()
        untrusted = replace(project, trust=replace_said(project.trust))
        with pytest.raises(InvalidValue, match="not trusted"):
            walk_issue(untrusted, WalkRequest(issue=1), made.told.append)


def replace_said(trust: Any) -> Any:
    class Untrusted:
        was_said = False

        def __getattr__(self, name: str) -> Any:
            return getattr(trust, name)

    return Untrusted()


def test_one_that_is_closed_is_not_carried_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        made.walk()
        with pytest.raises(IllegalTransition, match="#1 is closed"):
            made.walk()


def test_a_check_sees_no_key_and_leaves_nobody_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        left = tmp_path / "left"
        check = f"env; setsid sleep 61 & echo $! > {left}; exit 1"
        made.walk(checks=(check,))

        assert KEY not in made.tasks[1]
        assert "AGENTX_AGENT=agent-x" in made.tasks[1]
        until(lambda: not pid_alive(int(left.read_text("utf-8"))))


def test_an_agent_that_cannot_be_begun_stops_it_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:

        def fail(*_said: Any) -> WalkEvent:
            raise OSError(8, "no such program")

        monkeypatch.setattr(waking, "take_turn", fail)
        reply = made.walk()

        assert reply.ended == "stuck"
        assert "no such program" in reply.reason
        assert open_walk(made.stage.project, 1).read()[-1].ended == "error"


def test_what_agents_reported_is_named_when_it_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch, {"engineer": lambda *_: "We use MongoDB now."}) as made:
        made.walk(checks=("false",))
        wanted = LoopWords(query="mongodb")

        (quote,) = find_in_loops(made.stage.project, wanted)
        assert (quote.kind, quote.id) == ("way of an issue", "#1")
        assert "walks/1.jsonl" in quote.mend
        assert list(find_in_loops(made.stage.project, LoopWords(query="postgres"))) == []
        files = [each.name for each in list_fact_files(made.stage.project)]
        assert "walks/1.jsonl" in files  # an export carries it


OWN = """\
[[steps]]
id = "notes"
title = "Write notes"
agent = "engineer"
output = "./docs/NOTES-{issue}.md"
template = "docs/notes.md"
"""


def test_a_workflow_of_one_s_own_has_templates_of_one_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(root: Path, task: str) -> str:
        body = "said\n" if "is empty" in task else ""
        (root / "docs" / "NOTES-1.md").write_text(f"## Seen\n\n{body}", encoding="utf-8")
        return "Written."

    with company(tmp_path, monkeypatch, {"engineer": write}) as made:
        root = made.stage.root
        (root / ".agentx" / "workflows").mkdir()
        (root / ".agentx" / "workflows" / "story.toml").write_text(OWN, encoding="utf-8")
        made.stage.project = trusted(made.stage.project)
        with pytest.raises(NotFound, match=r"no template 'docs/notes\.md'"):
            made.walk()
        (root / "docs").mkdir()
        (root / "docs" / "notes.md").write_text("## Seen\n", encoding="utf-8")
        made.stage.git("add", "docs/notes.md")
        made.stage.git("commit", "-q", "-m", "template")

        assert made.walk().ended == "done"
        assert made.woken == ["notes", "notes"]
        assert made.stage.git("show", "--format=", "--name-only", "HEAD") == "docs/NOTES-1.md"


def test_an_issue_that_no_step_begins_with_yet_is_refused_before_the_way_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(tmp_path, monkeypatch) as made:
        open_issues(made.stage.project).edit(1, Edit(status=Status.BACKLOG))
        why = "#1 is Backlog: implement begins where it is Ready"

        with pytest.raises(IllegalTransition, match=why) as caught:
            made.walk()
        assert caught.value.hint == "agentx issue update 1 --status Ready"
        assert made.events() == ()
        request = WalkRequest(issue=1, runner="codex")
        assert why in show_walk(made.stage.project, request).reason
