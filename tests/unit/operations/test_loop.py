"""Goal: the loop works on an issue from the verb to the file, and goes on wherever it ended.

Method: the verb in process on a real project, with each provider's own wire form on the loopback.
"""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.compaction import ContextCompactor
from agentx.agents.context_budget import ContextBudget
from agentx.agents.loop.store import session_file
from agentx.agents.loop.tools.files import FileWork
from agentx.agents.runners.scripted import Scripted, read_script
from agentx.clarification.model import NewQuestion
from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.files.atomic import replace_file
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Clock
from agentx.kernel.errors import (
    CorruptRecord,
    IllegalTransition,
    InvalidValue,
    NotFound,
    UnavailableError,
    UnsupportedVersion,
)
from agentx.operations.agents import loop
from agentx.operations.agents.assignment import RunRequest
from agentx.operations.agents.loop import list_sessions
from agentx.operations.agents.run import run_agent
from agentx.operations.questions import ask, settle
from agentx.operations.upkeep.asking import check_allowed
from agentx.operations.upkeep.health import Health
from agentx.operations.upkeep.logs import logs
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.observations import open_observations
from agentx.work.model import Edit, Status
from tests.support.crashing import Died
from tests.support.looping import staging
from tests.support.scripted_llm import calls, says

AGENT = WhoCalls(via=Via.AGENT, role="architect")
TYPING = WhoCalls(via=Via.TERMINAL)
STORY = ("type:story",)
MEND = {"path": "app.py", "old_text": "return a - b", "new_text": "return a + b"}


@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini"])
def test_an_issue_is_worked_on_until_its_agent_is_done(tmp_path: Path, provider: str) -> None:
    steps = (
        calls(("read_file", {"path": "app.py"}), text="Let me look."),
        calls(("edit_file", MEND)),
        says("It adds now."),
    )
    with staging(tmp_path, *steps, AGENTX_LLM_PROVIDER=provider) as stage:
        reply = stage.run()

        assert reply.report == "It adds now."
        assert (stage.root / "app.py").read_text("utf-8").endswith("return a + b\n")
        assert stage.llm.refused == []
        assert reply.loop is not None
        assert (reply.loop.ended, reply.loop.turns, reply.loop.calls) == ("text_response", 3, 2)
        assert reply.loop.changed == ("app.py",)
        assert reply.agent_status == "done"
        assert "def add" in stage.heard()
        saved = stage.saved()
        assert saved["meta"]["agentName"] == "engineer"
        assert [each["role"] for each in saved["messages"]] == [
            *("system", "user", "assistant", "tool", "assistant", "tool", "assistant")
        ]


def test_what_it_may_not_do_is_told_to_the_model_and_recorded(tmp_path: Path) -> None:
    steps = (
        calls(
            ("read_file", {"path": "../treasure"}),
            ("run_command", {"command": ["rm", "-rf", "."]}),
            ("run_command", {"command": ["echo", "hello there"]}),
        ),
        says("I may not."),
    )
    with staging(tmp_path, *steps) as stage:
        stage.run()

        told = stage.heard()
        assert "leads out of the project's folder" in told
        assert "not among the commands" in told
        assert "hello there\\nExit Code: 0" in told
        lines = stage.project.data.audit.read_text("utf-8").splitlines()
        records = [each for each in map(json.loads, lines) if each["event"] == "tool-called"]
        assert [(each["tool"], each["status"]) for each in records] == [
            ("read_file", "failed"),
            ("run_command", "begun"),
            ("run_command", "failed"),
            ("run_command", "begun"),
            ("run_command", "done"),
        ]
        assert records[-1]["command"] == "echo hello there"


def test_no_secret_reaches_the_model_the_session_or_the_screen(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lz" * 3
    edit = {"path": "app.py", "old_text": "return a - b", "new_text": "K = '[REDACTED:key]'"}
    steps = (
        calls(("read_file", {"path": "conf.py"}), ("run_command", {"command": ["echo", secret]})),
        calls(("edit_file", edit)),
        says(f"It is {secret}."),
    )
    with staging(tmp_path, *steps) as stage:
        (stage.root / "conf.py").write_text(f"KEY = '{secret}'\n", encoding="utf-8")
        reply = stage.run()

        assert all(secret not in stage.heard(turn) for turn in range(3))
        assert "[REDACTED:" in stage.heard(1)
        assert "stands in the place of a secret" in stage.heard(2)
        assert secret not in json.dumps(stage.saved()) + reply.report + "".join(stage.seen)
        assert secret not in stage.project.data.audit.read_text("utf-8")
        assert "return a - b" in (stage.root / "app.py").read_text("utf-8")


def test_what_looks_like_a_secret_and_is_meant_for_a_file_gets_there(tmp_path: Path) -> None:
    line = "password = 'Zx9Qw8Er7Ty6Ui5Op4As3Df2'"
    create = {"path": "test_login.py", "content": f"{line}\n"}
    with staging(tmp_path, calls(("create_file", create)), says("Done.")) as stage:
        stage.run()

        assert (stage.root / "test_login.py").read_text("utf-8") == f"{line}\n"
        assert "Zx9Qw8" not in json.dumps(stage.saved()) + stage.heard()


def test_what_it_taught_is_kept_once_however_many_sittings_it_took(tmp_path: Path) -> None:
    said = "We decided to keep prices in cents, because floats lose some of them."
    steps = (
        calls(("edit_file", MEND), text=said),
        calls(("read_file", {"path": "app.py"})),
        says("Done: `app.py` adds now."),
    )
    with staging(tmp_path, *steps) as stage:
        stage.run(turns=1)
        stage.resume(turns=1)
        assert stage.resume().report.startswith("Done")

        with closing(open_observations(stage.project)) as room:
            kept = [each.content for each in room.store.get_by_issue(1)]
        assert len(kept) == len(set(kept))
        assert kept.count(said) == 1
        assert all("A person lets you go on" not in text for text in kept)


def test_a_repository_that_nobody_trusts_is_not_worked_in(tmp_path: Path) -> None:
    with staging(tmp_path, says("hello"), said=False) as stage:
        with pytest.raises(InvalidValue, match="not trusted") as caught:
            stage.run()

        assert "agentx trust" in caught.value.hint
        assert stage.llm.asked == []


@pytest.mark.parametrize(
    ("variables", "hint"),
    [
        ({"AGENTX_LLM_PROVIDER": ""}, "agentx config set --user llm.provider anthropic"),
        ({"AGENTX_LLM_PROVIDER": "claude-code"}, "llm.provider anthropic"),
        ({"ANTHROPIC_API_KEY": "", "AGENTX_LLM_BASE_URL": ""}, "export ANTHROPIC_API_KEY"),
    ],
)
def test_without_a_model_it_says_how_to_set_one(
    tmp_path: Path, variables: dict[str, Any], hint: str
) -> None:
    with staging(tmp_path, **variables) as stage:
        with pytest.raises(InvalidValue) as caught:
            stage.run()

        assert hint in caught.value.hint
        assert not (stage.root / ".agentx" / "sessions").exists()
        assert open_issues(stage.project).get(1).status is Status.READY


ASK = {"to": "architect", "topic": "Signs", "question": "Does add ever subtract?"}


def test_a_question_pauses_it_and_it_goes_on_with_the_answer(tmp_path: Path) -> None:
    steps = (calls(("request_clarification", ASK)), calls(("edit_file", MEND)), says("Done."))
    with staging(tmp_path, *steps) as stage:
        paused = stage.run()

        assert paused.loop is not None
        assert (paused.loop.ended, paused.loop.waits_for) == ("waiting", "CLR-1-001")
        assert "agentx agent resume" in paused.loop.next
        assert paused.agent_status == "blocked-clarification"
        again = stage.resume()  # nobody has answered
        assert again.loop is not None
        assert again.loop.ended == "waiting"
        assert len(stage.llm.asked) == 1

        settle.answer(stage.project, "CLR-1-001", "Never. It adds.", by="architect", caller=AGENT)
        done = stage.resume()

        assert done.report == "Done."
        assert "architect answers: Never. It adds." in stage.heard(1)
        ledger = open_clarifications(stage.project).ledger(1)
        assert [str(each.status) for each in ledger] == ["resolved"]
        assert done.agent_status == "done"
        assert stage.llm.refused == []


def test_a_question_to_a_person_is_decided_by_one(tmp_path: Path) -> None:
    steps = (calls(("request_clarification", ASK)), says("Done."))
    with staging(tmp_path, *steps) as stage:
        stage.run()
        settle.escalate(stage.project, "CLR-1-001", "They disagree", caller=AGENT)
        called = stage.resume()
        assert called.loop is not None
        assert called.loop.ended == "escalated"
        assert "waits for a person" in called.loop.reason

        settle.resolve(stage.project, "CLR-1-001", "It adds.", by="human", caller=TYPING)
        done = stage.resume()

        assert done.report == "Done."
        assert "It was decided: It adds." in stage.heard()


def test_whoever_plays_the_target_is_asked_at_once(tmp_path: Path) -> None:
    steps = (calls(("request_clarification", ASK)), says("Done."))
    script = tmp_path / "script.json"
    script.write_text('[{"answer": "It adds."}]', encoding="utf-8")
    with staging(tmp_path, *steps) as stage:
        player = Scripted(read_script(script))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ask, "find_player", lambda *_given, **_more: player)
            done = stage.run()

        assert done.report == "Done."
        assert "architect answers: It adds." in stage.heard()
        assert any("resolved. Continuing" in line for line in stage.seen)


def test_a_question_that_need_not_be_answered_does_not_pause_it(tmp_path: Path) -> None:
    steps = (calls(("request_clarification", {**ASK, "blocking": False})), says("Done."))
    with staging(tmp_path, *steps) as stage:
        assert stage.run().report == "Done."
        assert "go on with what is known" in stage.heard()


def test_who_was_killed_while_asking_finds_its_question_again(tmp_path: Path) -> None:
    steps = (calls(("request_clarification", ASK)), says("Done."))
    with staging(tmp_path, *steps) as stage:
        crash.arm(CrashPoint.LOOP_DONE, _die)
        with pytest.raises(Died):
            stage.run()
        settle.answer(stage.project, "CLR-1-001", "It adds.", by="architect", caller=AGENT)

        assert stage.resume().report == "Done."
        assert len(tuple(open_clarifications(stage.project).ledger(1))) == 1
        assert "It adds." in stage.heard()


def _die() -> None:
    crash.disarm()
    raise Died


def test_a_person_stops_it_and_lets_it_go_on_with_a_word(tmp_path: Path) -> None:
    steps = (calls(("edit_file", MEND)), says("Done."), says("And documented."))
    with staging(tmp_path, *steps) as stage:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(FileWork, "_edit", _interrupt)
            stopped = stage.run()

        assert stopped.loop is not None
        assert stopped.loop.ended == "aborted"
        assert stopped.agent_status == "stuck"
        done = stage.resume()
        assert "It may have been done" in stage.heard()
        assert "A person lets you go on" in stage.heard()
        with pytest.raises(IllegalTransition, match="is done"):
            stage.resume(done.session_id)
        more = stage.resume(done.session_id, "Document it.")
        assert more.report == "And documented."
        assert "Document it." in stage.heard()
        assert stage.llm.refused == []


def _interrupt(*_given: object) -> None:
    raise KeyboardInterrupt


def test_a_bound_stops_it_and_each_sitting_has_its_own(tmp_path: Path) -> None:
    steps = (
        calls(("read_file", {"path": "app.py"})),
        calls(("edit_file", MEND)),
        calls(("list_files", {"path": "."})),
        says("Done."),
    )
    with staging(tmp_path, *steps) as stage:
        first = stage.run(turns=1)
        assert first.loop is not None
        assert (first.loop.ended, first.loop.turns) == ("max_iterations", 1)
        assert [row.ended for row in list_sessions(stage.project)] == ["max_iterations"]
        second = stage.resume(turns=2)
        assert second.loop is not None
        assert (second.loop.ended, second.loop.turns) == ("max_iterations", 3)
        assert stage.resume().report == "Done."
        assert list_sessions(stage.project) == ()


def test_the_day_of_all_models_bounds_it_too(tmp_path: Path) -> None:
    with staging(tmp_path, says("Done."), AGENTX_LLM_DAILY_TOKENS_MAX="500") as stage:
        reply = stage.run()

        assert reply.loop is not None
        assert reply.loop.ended == "day_spent"
        assert stage.llm.asked == []


def test_what_it_decided_is_kept_and_recalled(tmp_path: Path) -> None:
    decision = "We keep prices in cents, because floats lose some."
    steps = (
        calls(("record_decision", {"decision": decision})),
        calls(("recall", {"about": "prices in cents"})),
        says("Done."),
    )
    with staging(tmp_path, *steps) as stage:
        stage.run()

        assert "prices in cents" in stage.heard().rpartition("tool_result")[2]
        with closing(open_observations(stage.project)) as room:
            kept = [each.content for each in room.store.get_by_issue(1)]
        assert [text for text in kept if "cents" in text] == [decision]


def test_a_full_context_is_compacted_and_told_of(tmp_path: Path) -> None:
    long = "\n".join(f"line {number} of what is there" for number in range(700))
    names = [f"f{number}.txt" for number in range(12)]
    steps = (*(calls(("read_file", {"path": name})) for name in names), says("Done."))
    with staging(tmp_path, *steps) as stage:
        for name in names:
            (stage.root / name).write_text(long + name, encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "ContextCompactor", _small_context)
            done = stage.run()

        assert done.report == "Done."
        assert stage.llm.refused == []
        assert stage.saved()["meta"]["compacted"] is True
        told = list(logs(stage.project, limit=100, event="context-compacted"))
        assert len(told) >= 2
        assert any("context-compacted" in line for line in stage.seen)
        assert "Mend add" in stage.heard()
        assert len(stage.heard()) < 200_000


def _small_context(bus: Bus, clock: Clock) -> ContextCompactor:
    return ContextCompactor(bus, clock, ContextBudget(40_000))


def test_a_session_that_cannot_be_read_is_moved_aside_and_named(tmp_path: Path) -> None:
    with staging(tmp_path, calls(("edit_file", MEND)), says("Done.")) as stage:
        stage.run(turns=1)
        (path,) = (stage.root / ".agentx" / "sessions").glob("*.json")
        whole = path.read_text("utf-8")
        path.write_text(whole[:-200], encoding="utf-8")
        with pytest.raises(CorruptRecord, match="is not JSON"):
            stage.resume(path.stem)
        assert [each.read_text("utf-8") for each in path.parent.glob("*.corrupt-*")] == [
            whole[:-200]
        ]
        path.write_text(whole.replace('"version": 1', '"version": 9'), encoding="utf-8")
        with pytest.raises(UnsupportedVersion):
            stage.resume(path.stem)
        for name in ("../x", "engineer-x", ""):
            with pytest.raises(NotFound):
                stage.resume(name or "engineer-01KJQ00000000000000000000B")


def test_who_watches_sees_which_session_is_at_work_or_was_last(tmp_path: Path) -> None:
    steps = (*(calls(("list_files", {"path": "."})) for _ in range(4)), says("Done."))
    with staging(tmp_path, *steps) as stage:
        stage.run()
        state = json.loads((stage.root / ".agentx/state/loop-state.json").read_text("utf-8"))

    assert (state["active"], state["status"], state["iteration"]) == (False, "text_response", 5)


def test_git_is_not_shown_its_sessions(tmp_path: Path) -> None:
    with staging(tmp_path, says("Done."), git=True) as stage:
        stage.run()
        shown = subprocess.run(
            ["git", "-C", str(stage.root), "status", "--porcelain", "-uall"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert "app.py" in shown
    assert "sessions" not in shown


def test_it_answers_for_a_role_and_changes_nothing(tmp_path: Path) -> None:
    steps = (
        calls(("request_clarification", ASK)),
        calls(("read_file", {"path": "app.py"}), ("edit_file", MEND)),  # the architect, who reads
        says("STATUS: resolved\nANSWER: Never: see `app.py`."),
        says("Done."),
    )
    with staging(tmp_path, *steps, AGENTX_AGENTS_RUNNER="loop") as stage:
        done = run_agent(
            stage.project, RunRequest(role="engineer", issue=1), stage._memory, stage.seen.append
        )

        assert (done.runner, done.report) == ("loop", "Done.")
        assert "there is no tool 'edit_file'" in stage.heard(2)
        assert "architect answers: Never: see `app.py`." in stage.heard()
        assert "return a - b" in (stage.root / "app.py").read_text("utf-8")
        assert len(list((stage.root / ".agentx" / "sessions").glob("*.json"))) == 1
        assert stage.llm.refused == []


@pytest.mark.parametrize("how", [{"delay_ms": 300_000}, {"drip_ms": 200, "drips_head": True}])
def test_a_model_that_hangs_holds_no_sitting_beyond_its_time(
    tmp_path: Path, how: dict[str, Any]
) -> None:
    with staging(tmp_path, says("late", **how), says("It adds now."), clock=False) as stage:
        began = time.monotonic()
        reply = stage.run(time_limit_ms=1_000)

        assert time.monotonic() - began < 50
        assert reply.loop is not None
        assert reply.loop.ended == "max_time"
        assert "minutes are over, before a reply came" in reply.loop.reason
        assert reply.loop.tokens > 0  # it may have been charged for
        assert "agentx agent resume" in reply.loop.next
        assert stage.resume().report == "It adds now."


def test_who_is_asked_on_the_way_takes_no_longer_than_the_sitting(tmp_path: Path) -> None:
    ask = {"to": "architect", "topic": "t", "question": "Does add ever subtract?"}
    steps = (calls(("request_clarification", ask)), says("late", delay_ms=300_000))
    with staging(tmp_path, *steps, clock=False, AGENTX_AGENTS_RUNNER="architect=loop") as stage:
        began = time.monotonic()
        reply = stage.run(time_limit_ms=1_500)

        assert time.monotonic() - began < 50
        assert reply.loop is not None
        assert reply.loop.ended == "waiting"
        assert reply.loop.waits_for == "CLR-1-001"


def test_who_begins_is_told_where_a_command_may_be_any(tmp_path: Path) -> None:
    with staging(tmp_path, says("Done."), AGENTX_AGENTS_COMMANDS="git, make test") as stage:
        stage.run()

        assert [line for line in stage.seen if "any program, or send files: `git`" in line]
        (check,) = check_allowed(stage.project)
        assert (check.health, "`git`" in check.says) == (Health.NOTE, True)


def test_what_would_allow_every_program_is_refused_and_found(tmp_path: Path) -> None:
    with staging(tmp_path, says("Done."), AGENTX_AGENTS_COMMANDS="python3") as stage:
        with pytest.raises(InvalidValue, match="every program"):
            stage.run()

        (check,) = check_allowed(stage.project)
        assert check.health is Health.WRONG


def test_a_disk_that_fills_up_on_the_way_leaves_a_session_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (calls(("edit_file", MEND)), says("It adds now."))
    with staging(tmp_path, *steps) as stage:
        real, left = replace_file, [4]

        def fill_up(path: Path, content: bytes, *more: Any, **named: Any) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise UnavailableError("No space left on device", hint="free some disk space")
            real(path, content, *more, **named)

        monkeypatch.setattr(f"{session_file.__name__}.replace_file", fill_up)
        with pytest.raises(UnavailableError, match="No space left"):
            stage.run()

        assert f"to go on: agentx agent resume {stage.saved()['meta']['sessionId']}" in stage.seen
        assert stage.resume().report == "It adds now."


def test_a_question_that_is_asked_again_takes_no_longer_than_the_sitting(tmp_path: Path) -> None:
    ask = {"to": "architect", "topic": "t", "question": "Does add ever subtract?"}
    steps = (calls(("request_clarification", ask)), says("late", delay_ms=300_000))
    with staging(tmp_path, *steps, clock=False, AGENTX_AGENTS_RUNNER="architect=loop") as stage:
        stage.run(time_limit_ms=1_000)
        began = time.monotonic()
        reply = stage.resume(time_limit_ms=1_000)

        assert time.monotonic() - began < 50
        assert reply.loop is not None
        assert reply.loop.ended == "waiting"


def test_who_writes_a_document_is_told_which_parts_it_has(tmp_path: Path) -> None:
    with staging(tmp_path, says("Done.")) as stage:
        labels = Edit(status=Status.BACKLOG, add_labels=("type:feature",), remove_labels=STORY)
        open_issues(stage.project).edit(1, labels)
        request = RunRequest(role="product-manager", issue=1, runner="loop")
        run_agent(stage.project, request, stage._memory, stage.seen.append)

        assert "## Out of scope" in stage.heard()
        assert "docs/prd/PRD-1.md" in stage.heard()


def test_an_answer_that_a_person_gave_otherwise_since_is_told_so_and_left_open(
    tmp_path: Path,
) -> None:
    person = {**ASK, "to": "human"}
    steps = (calls(("request_clarification", person)), says("Done."))
    with staging(tmp_path, *steps) as stage:
        stage.run()
        settle.answer(stage.project, "CLR-1-001", "Yes, drop it", caller=TYPING)
        topic, question = str(ASK["topic"]), str(ASK["question"])
        anew = NewQuestion(issue=1, asker="tester", to="human", topic=topic, question=question)
        ask.ask(stage.project, anew, told=stage.seen.append)
        settle.answer(stage.project, "CLR-1-002", "No, never", caller=TYPING)

        assert stage.resume().report == "Done."
        heard = stage.heard()
        assert "answers: Yes, drop it (later decided otherwise: No, never (CLR-1-002))" in heard
        assert "It is not settled: ask a person (to: human) before you rely on it." in heard
        assert [str(each.status) for each in open_clarifications(stage.project).ledger(1)] == [
            "answered",
            "answered",
        ]
