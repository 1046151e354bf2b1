"""Goal: agents carry an issue along its workflow, and it goes on wherever it was stopped.

Method: the real command, its agents in processes of their own, a scripted model on the loopback.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from agentx.operations.walking.asked import WalkDesk, WalkRequest
from agentx.operations.walking.turns import take_turn
from agentx.work.model import Step
from agentx.work.walk.model import WalkSpent
from tests.support.company import until
from tests.support.scripted_llm import Step as Says
from tests.support.scripted_llm import calls, says
from tests.support.terminal import converse_in
from tests.support.walk_play import Play, Told, walking

CHECK = "python3 -m unittest -q test_app.py"
TEST = (
    "import unittest\nfrom app import add\n\n\nclass Adds(unittest.TestCase):\n"
    "    def test_it(self):\n        self.assertEqual(add(2, 3), 5)\n"
)
MEND = {"path": "app.py", "old_text": "return a - b", "new_text": "return a + b"}
PRD = (
    "# PRD\n\n## Problem\n\nIt subtracts.\n\n## Users\n\nAll.\n\n## Requirements\n\nR1: it adds.\n"
    "\n## Out of scope\n\nMore.\n"
)
UX = "# UX\n\n## Users and tasks\n\nAll.\n\n## Flow\n\nCall it.\n\n## States\n\nOne.\n\n"
ADR = (
    "# ADR\n\n## Context\n\nA sum.\n\n## Options\n\nOne.\n\n## Decision\n\nPlus.\n\n"
    "## Consequences\n\nNone.\n"
)
REVIEW = "# Review\n\n## Requirements\n\nR1 is met.\n\n## Findings\n\nnone\n\n## Verdict\n\n"


def write(name: str, text: str) -> Says:
    return calls(("create_file", {"path": name, "content": text}))


def ask(to: str, question: str) -> Says:
    return calls(("request_clarification", {"to": to, "topic": "sums", "question": question}))


def play_product_manager(told: Told) -> Says:
    if told.is_question:
        return says("STATUS: resolved\nANSWER: Yes, negative ones too.\nCONFIDENCE: high")
    if "did not pass" in told.text and told.answered == 1:
        more = {
            "path": "docs/prd/PRD-1.md",
            "old_text": "More.\n",
            "new_text": "More.\n\n## Open questions\n\nnone\n",
        }
        return calls(("edit_file", more))
    return says("Written.") if told.answered else write("docs/prd/PRD-1.md", PRD)


def play_architect(told: Told) -> Says:
    if told.is_question:
        return says("STATUS: needs-human\nANSWER: The owner must say.\nCONFIDENCE: low")
    match told.answered:
        case 0:
            return ask("product-manager", "Does it add negative numbers, too?")
        case 1:
            return write("docs/adr/ADR-1.md", ADR)
        case _:
            return says("Decided: plus.")


def play_ux_designer(told: Told) -> Says:
    text = f"{UX}## Accessibility\n\nWords.\n"
    return says("Designed.") if told.answered else write("docs/ux/UX-1.md", text)


def play_engineer(told: Told) -> Says:
    if "sent the work back" in told.text:
        return says("Named.") if told.answered else write("NOTES.md", "It adds.\n")
    match told.answered:
        case 0:
            return ask("architect", "May add raise for text?")
        case 1:
            return calls(
                ("edit_file", MEND), ("create_file", {"path": "test_app.py", "content": TEST})
            )
        case _:
            return says("It adds now, and its test passes.")


def make_reviewer() -> Play:
    """Return who sends the work back once."""

    def play(told: Told) -> Says:
        if told.answered:
            return says("Reviewed.")
        if "NOTES.md" in told.text:
            old = {
                "path": "docs/reviews/REVIEW-1.md",
                "old_text": "Changes needed",
                "new_text": "Approved",
            }
            return calls(("edit_file", old))
        return write("docs/reviews/REVIEW-1.md", f"{REVIEW}Changes needed\n")

    return play


ROLES: dict[str, Play] = {
    "product-manager": play_product_manager,
    "architect": play_architect,
    "ux-designer": play_ux_designer,
    "engineer": play_engineer,
    "reviewer": make_reviewer(),
    "tester": lambda _told: says("I called it.\n\nVerdict: approved"),
}


def test_a_whole_feature_with_a_question_and_a_person_s_word(tmp_path: Path) -> None:
    with walking(tmp_path, ROLES, "type:feature", "needs:ux") as stage:
        code, reply, told = stage.walk("--check", CHECK)

        assert (code, reply["ended"]) == (6, "waits"), told
        assert reply["waits_for"] == ["CLR-1-002"]
        assert "not passed: docs/prd/PRD-1.md: the part `## open questions` is missing" in told
        stages = {each["id"]: each["stage"] for each in reply["steps"]}
        assert stages["architecture"] == stages["experience"] == "done"
        assert reply["status"] == "In Progress"
        assert "waits for a person" in reply["reason"]
        stage.type("clarify", "resolve", "CLR-1-002", "No, it may not.")

        code, reply, told = stage.walk("--check", CHECK)

        assert (code, reply["ended"], reply["status"]) == (0, "done", "Done"), told
        assert "[review] sent back" in told
        assert {each["stage"] for each in reply["steps"]} == {"done"}
        assert stage.git("status", "--porcelain") == ""
        subjects = stage.git("log", "--format=%s", "main..").splitlines()
        assert len(subjects) == 7  # who judges at the end changes nothing
        assert any("implement: Build it" in each for each in subjects)
        assert "return a + b" in stage.git("show", "HEAD:app.py")
        assert stage.llm.refused == []
        asked = [each.role for each in stage.llm.heard if each.is_question]
        assert asked == ["product-manager", "architect"]
        seen = [each.text for each in stage.llm.heard if each.role == "engineer"]
        assert any("No, it may not." in each for each in seen)
        assert "R1: it adds." in seen[0]  # what earlier steps wrote
        assert "> Decided: plus." in seen[0].replace("\\n", "\n")


def test_ctrl_c_stops_all_agents_and_it_goes_on(tmp_path: Path) -> None:
    def hang(told: Told) -> Says:
        return says("Late.", delay_ms=0 if "test_app" in told.text else 30_000)

    with walking(tmp_path, {"engineer": hang}) as stage:
        process = stage.begin("workflow", "run", "story", "--issue", "1", "--runner", "loop")
        until(lambda: bool(stage.llm.heard))
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)

        assert process.returncode == 130
        assert "stopped; to go on: agentx workflow run --issue 1 --runner loop" in err
        stage.llm.roles = {"engineer": lambda _told: says("Nothing was left to do.")}
        code, reply, told = stage.walk()
        assert (code, reply["status"]) == (0, "Done"), told
        assert told.count("engineer (loop) goes on") == 2  # its session is taken up
        assert len(stage.llm.heard) == 4


def test_a_terminal_of_any_width_shows_where_it_stands(tmp_path: Path) -> None:
    with walking(tmp_path, {}) as stage:
        for columns in (60, 80):
            words = ("workflow", "run", "--issue", "1", "--dry-run")
            code, screen = converse_in(stage.root, stage.environment, words, columns=columns)
            lines = screen.replace("\r", "").splitlines()

            assert code == 0
            assert any(line.startswith(" > implement") and "is next" in line for line in lines)
            assert max(map(len, lines)) <= columns
        assert stage.llm.heard == []


def test_what_keeps_an_agent_from_work_is_said(tmp_path: Path) -> None:
    with walking(tmp_path, {"engineer": lambda _told: says("Built.")}) as stage:
        stage.llm.stopping.set()
        code, _, told = stage.walk("--model", "m", "--tokens", "1")

        assert code == 5
        assert "stopped at its bound" in told
        project, told_here = stage.project, list[str]()
        desk = WalkDesk(
            project=project,
            request=WalkRequest(issue=1, runner="loop"),
            told=told_here.append,
            began_ms=project.clock.now_ms(),
            append=lambda _event: None,
            read=lambda: (),
        )
        step = Step(id="implement", title="Build it", agent="engineer")
        ended = take_turn(desk, step, "loop", ("agent", "resume", "none"), WalkSpent())
        assert (ended.ended, ended.session) == ("error", "")
        assert "there is no session" in ended.reason
        words = ("workflow", "run", "--issue", "1", "--json")
        code, out, _ = stage.run(*words, "--runner", "nobody")
        assert (code, "is not a runner" in out) == (2, True)
        code, out, _ = stage.run(*words, "--runner", "claude-code")
        assert (code, "claude" in out) == (6, True)
        stage.environment["AGENTX_AGENTS_COMMANDS"] = "python3"
        code, out, _ = stage.run(*words, "--runner", "loop")
        assert (code, "every program" in out) == (2, True)


def test_a_session_that_a_person_took_up_by_hand_is_heard_of(tmp_path: Path) -> None:
    reads = calls(("read_file", {"path": "app.py"}))

    def play(told: Told) -> Says:
        return says("Built.") if told.answered else reads

    with walking(tmp_path, {"engineer": play}) as stage:
        code, reply, _ = stage.walk("--turns", "1")
        assert (code, reply["ended"]) == (5, "stuck")
        assert stage.run("agent", "resume")[0] == 0

        code, reply, told = stage.walk()

        assert (code, reply["status"]) == (0, "Done"), told
        assert len([each for each in stage.llm.heard if each.role == "engineer"]) == 2


CLAUDE = """#!__PYTHON__ -SE
import json, os, subprocess, sys
prompt, home = sys.stdin.read(), os.environ["HOME"]
with open(os.path.join(home, "asked.txt"), "a") as log:
    log.write(prompt)
asked = os.path.join(home, "asked")
if "You are the Engineer" in prompt and not os.path.exists(asked):
    open(asked, "w").close()
    subprocess.run(["__PYTHON__", "-m", "agentx.surfaces.cli.main", "clarify", "ask", "--issue",
        "1", "--from", "engineer", "--to", "human", "--topic", "t", "--question", "May it?"])
    text = "I wait for an answer."
elif "You are the Engineer" in prompt:
    open("app.py", "w").write("def add(a, b):\\n    return a + b\\n")
    text = "It adds."
else:
    text = "Looked at.\\n\\nVerdict: approved"
print(json.dumps({"type": "result", "subtype": "success", "result": text, "session_id": "s-1"}))
"""


def test_an_agent_cli_goes_the_way_too_and_waits_where_it_asked(tmp_path: Path) -> None:
    with walking(tmp_path, {}) as stage:
        program = tmp_path / "bin" / "claude"
        program.parent.mkdir()
        program.write_text(CLAUDE.replace("__PYTHON__", sys.executable), encoding="utf-8")
        program.chmod(0o755)
        stage.environment["PATH"] = f"{program.parent}:{stage.environment['PATH']}"
        words = ("workflow", "run", "--issue", "1", "--runner", "claude-code")
        code, out, err = stage.run(*words, "--check", "grep -q 'a + b' app.py")

        assert code == 6, err + out
        assert "waits: CLR-1-001 waits for human" in out
        told = (tmp_path / "asked.txt").read_text("utf-8")
        assert stage.run(*words)[0] == 6  # nobody is woken before it is answered
        assert (tmp_path / "asked.txt").read_text("utf-8") == told
        stage.type("clarify", "answer", "CLR-1-001", "It may.")
        code, out, err = stage.run(*words)

        assert (code, out.splitlines()[-1]) == (0, "done"), err
        assert stage.git("log", "-1", "--format=%s").startswith("#1 implement:")
        assert "> It adds." in (tmp_path / "asked.txt").read_text("utf-8")
