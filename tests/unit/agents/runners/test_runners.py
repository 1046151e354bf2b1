"""Goal: whoever plays a role, an ask becomes one reply or one clear failure, in time.

Method: agent CLIs are small programs on a PATH of the test's own that print what the real
ones were recorded to print; a person sits at a pseudo-terminal.
"""

from __future__ import annotations

import json
import os
import pty
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.agents.limits import ROLE_TEXT_BYTES_MAX
from agentx.agents.roles.texts import RoleTexts
from agentx.agents.runners.agent_cli import DIALECTS, AgentCli
from agentx.agents.runners.cast import read_cast
from agentx.agents.runners.person import Person
from agentx.agents.runners.port import AnswerStanding, Ask, Runner, Wants
from agentx.agents.runners.scripted import Scripted, ScriptLine, read_script
from agentx.host.system import SystemClock
from agentx.kernel.capture import Harness
from agentx.kernel.errors import AgentUnavailable, InvalidValue
from agentx.kernel.roles import SHIPPED_ROLES
from tests.support.trusting import read_if_there

CLOCK = SystemClock()
ASK = Ask(
    role="architect", instructions="# A", question="Which one?", issue=7, time_limit_ms=20_000
)
FORM = "STATUS: partial\nANSWER: SQL\nREMAINING: region?"

# What each one prints for a reply, as recorded.
SAYS: dict[Harness, Callable[[str], str]] = {
    Harness.CLAUDE_CODE: lambda text: json.dumps(
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": text,
            "session_id": "s",
        }
    ),
    Harness.CODEX: lambda text: "\n".join(
        map(
            json.dumps,
            (
                {"type": "thread.started", "thread_id": "s"},
                {
                    "type": "item.completed",
                    "item": {"type": "agent_message", "text": "Let me see."},
                },
                {"type": "error", "message": "Reconnecting... 1/5"},
                {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
                {"type": "turn.completed", "usage": {}},
            ),
        )
    ),
    Harness.GEMINI: lambda text: (
        "Loaded cached credentials.\n"
        + json.dumps({"session_id": "s", "response": text, "stats": {}}, indent=2)
    ),
    Harness.OPENCODE: lambda text: "\n".join(
        map(
            json.dumps,
            (
                {"type": "step_start", "sessionID": "s", "part": {}},
                {"type": "text", "sessionID": "s", "part": {"text": "Let me see."}},
                {"type": "tool_use", "sessionID": "s", "part": {"tool": "read"}},
                {"type": "text", "sessionID": "s", "part": {"text": text}},
            ),
        )
    ),
}


def program(folder: Path, harness: Harness, script: str) -> AgentCli:
    """Put a program in the place of an agent CLI."""
    path = folder / DIALECTS[harness].program
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return AgentCli(
        harness,
        folder=folder,
        environment={"PATH": f"{folder}:/usr/bin:/bin", "CLAUDECODE": "1"},
        clock=CLOCK,
    )


def printing(folder: Path, harness: Harness, text: str) -> AgentCli:
    (folder / "out").write_text(text, "utf-8")
    return program(folder, harness, 'cat > asked; env > env; echo "$@" > args; cat out')


# --- agent CLIs -------------------------------------------------------------------------------


@pytest.mark.parametrize("harness", list(DIALECTS))
def test_an_agent_cli_is_given_all_on_stdin_and_its_reply_is_read(
    harness: Harness, tmp_path: Path
) -> None:
    runner = printing(tmp_path, harness, SAYS[harness](FORM))
    reply = runner.run(ASK)

    assert (reply.answer, reply.standing, reply.remaining) == (
        "SQL",
        AnswerStanding.PARTIAL,
        "region?",
    )
    assert (reply.runner, reply.session_id) == (harness.value, "s")
    assert "Which one?" in (tmp_path / "asked").read_text("utf-8")
    assert "Which one?" not in (tmp_path / "args").read_text("utf-8")
    around = (tmp_path / "env").read_text("utf-8").splitlines()
    assert "AGENTX_AGENT=architect" in around
    assert "CLAUDECODE=1" not in around


@pytest.mark.parametrize(
    ("harness", "answer", "work"),
    [
        (Harness.CLAUDE_CODE, "--disallowedTools", "acceptEdits"),
        (Harness.CODEX, "read-only", "workspace-write"),
        (Harness.GEMINI, "--approval-mode default", "auto_edit"),
        (Harness.OPENCODE, "--agent plan", "--agent build"),
    ],
)
def test_who_is_asked_may_read_and_who_works_may_write(
    harness: Harness, answer: str, work: str, tmp_path: Path
) -> None:
    runner = printing(tmp_path, harness, SAYS[harness]("Done."))
    runner.run(ASK)
    asked = (tmp_path / "args").read_text("utf-8")
    reply = runner.run(Ask(role="engineer", instructions="", question="Build", wants=Wants.WORK))

    assert answer in asked
    assert work in (tmp_path / "args").read_text("utf-8")
    assert reply.text == "Done."


def test_an_answer_comes_after_more_than_is_kept(tmp_path: Path) -> None:
    line = json.dumps({"type": "user", "x": "y" * 1_000_000})
    (tmp_path / "line").write_text(f"{line}\n", "utf-8")
    (tmp_path / "out").write_text(SAYS[Harness.CLAUDE_CODE]("Done."), "utf-8")
    many = "for i in 1 2 3 4 5 6; do for j in 1 2 3 4 5 6; do cat line; done; done; cat out"

    reply = program(tmp_path, Harness.CLAUDE_CODE, many).run(ASK)

    assert reply.text == "Done."


def test_what_was_used_up_without_an_answer_is_told(tmp_path: Path) -> None:
    message = {"id": "m", "model": "claude-x", "usage": {"input_tokens": 900, "output_tokens": 5}}
    said = [{"type": "assistant", "message": {**message, "id": name}} for name in ("m", "m", "n")]
    spent: list[tuple[int, str]] = []
    ask = replace(ASK, spent=lambda usage, model: spent.append((usage.tokens, model)))

    with pytest.raises(AgentUnavailable, match="said nothing"):
        printing(tmp_path, Harness.CLAUDE_CODE, "\n".join(map(json.dumps, said))).run(ask)

    assert spent == [(1_810, "claude-x")]


@pytest.mark.parametrize(
    ("harness", "out", "said"),
    [
        (
            Harness.CLAUDE_CODE,
            json.dumps({"type": "result", "is_error": True, "result": "Invalid API key"}),
            "Invalid API key",
        ),
        (
            Harness.CODEX,
            json.dumps({"type": "turn.failed", "error": {"message": "stream closed"}}),
            "stream closed",
        ),
        (Harness.GEMINI, json.dumps({"error": {"message": "quota"}}), "quota"),
        (
            Harness.OPENCODE,
            json.dumps({"type": "error", "error": {"name": "E", "data": {"message": "no model"}}}),
            "no model",
        ),
        (
            Harness.CLAUDE_CODE,
            json.dumps({"type": "result", "subtype": "error_max_turns", "is_error": False}),
            "error_max_turns",
        ),
        (Harness.CODEX, json.dumps({"type": "turn.completed"}), "it said nothing"),
        (Harness.CODEX, "It is SQL.", "it said nothing"),
        (Harness.CLAUDE_CODE, json.dumps({"type": "result", "result": ""}), "it said nothing"),
        (Harness.CLAUDE_CODE, "", "it said nothing"),
    ],
)
def test_a_failure_that_is_reported_is_one(
    harness: Harness, out: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(AgentUnavailable, match=said):
        printing(tmp_path, harness, out).run(ASK)


@pytest.mark.parametrize("harness", [Harness.CLAUDE_CODE, Harness.GEMINI])
def test_an_answer_in_plain_words_is_one(harness: Harness, tmp_path: Path) -> None:
    assert printing(tmp_path, harness, "It is SQL.\n").run(ASK).answer == "It is SQL."


def test_a_bad_end_is_a_failure_and_says_no_secret(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 8
    runner = program(tmp_path, Harness.CODEX, f"echo 'bad key {secret}' >&2; exit 3")

    with pytest.raises(AgentUnavailable, match=r"failed \(exit code 3\): bad key") as failed:
        runner.run(ASK)
    assert secret not in failed.value.message


def test_what_takes_too_long_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentx.host.program.PROGRAM_KILL_GRACE_MS", 200)
    runner = program(
        tmp_path, Harness.GEMINI, "trap '' TERM; sleep 300 & echo $! > child; echo $$ > self; wait"
    )
    began = time.monotonic()

    with pytest.raises(AgentUnavailable, match=r"gave no answer within 0.3 s"):
        runner.run(Ask(role="tester", instructions="", question="?", time_limit_ms=300))
    assert time.monotonic() - began < 60
    for name in ("child", "self"):
        pid = int((tmp_path / name).read_text("utf-8"))
        assert _gone(pid), f"{name} is still there"


def test_a_child_left_behind_does_not_hold_up_the_reply(tmp_path: Path) -> None:
    (tmp_path / "out").write_text(SAYS[Harness.CODEX]("Done."), "utf-8")
    runner = program(tmp_path, Harness.CODEX, "sleep 300 & echo $! > child; cat out")
    began = time.monotonic()

    assert runner.run(ASK).answer == "Done."
    assert time.monotonic() - began < 60
    assert _gone(int((tmp_path / "child").read_text("utf-8")))


def test_output_without_end_is_cut_and_a_deaf_program_is_no_fault(tmp_path: Path) -> None:
    runner = program(tmp_path, Harness.CLAUDE_CODE, "head -c 40000000 /dev/zero | tr '\\0' 'x'")
    long = Ask(role="tester", instructions="y" * 3_000_000, question="?", time_limit_ms=30_000)

    assert len(runner.run(long).answer) == 32 * 1024 * 1024


def test_a_cli_that_is_not_installed_is_said(tmp_path: Path) -> None:
    runner = AgentCli(
        Harness.OPENCODE, folder=tmp_path, environment={"PATH": str(tmp_path)}, clock=CLOCK
    )

    with pytest.raises(AgentUnavailable, match="opencode is not installed"):
        runner.run(ASK)


def _gone(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


# --- a person ---------------------------------------------------------------------------------


def test_a_person_at_the_terminal_is_asked(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def sit() -> None:
        while b"single dot" not in b"".join(shown):
            shown.append(os.read(ours, 4096))
        os.write(ours, "Nimm SQL \u2705\nzwei\n.\n".encode())

    sitting = threading.Thread(target=sit)
    sitting.start()
    ask = Ask(
        role="architect",
        instructions="",
        question="Which \x1b[31mone?",
        asked_by="engineer",
        time_limit_ms=10_000,
    )
    reply = Person(CLOCK, lambda: os.dup(theirs)).run(ask)
    sitting.join(60)
    os.close(ours)
    os.close(theirs)

    assert (reply.answer, reply.runner) == ("Nimm SQL \u2705\nzwei", "person")
    text = b"".join(shown).decode()
    assert "[Engineer asks Architect]" in text
    assert "\x1b[31m" not in text


def test_nobody_there_and_nobody_answering_are_no_answer(tmp_path: Path) -> None:
    def no_terminal() -> int:
        raise OSError

    with pytest.raises(AgentUnavailable, match="no terminal"):
        Person(CLOCK, no_terminal).run(ASK)
    ours, theirs = pty.openpty()
    late = Ask(role="architect", instructions="", question="?", time_limit_ms=50)
    with pytest.raises(AgentUnavailable, match=r"nobody answered within 0.05 s"):
        Person(CLOCK, lambda: os.dup(theirs)).run(late)
    os.write(ours, b".\n")
    with pytest.raises(AgentUnavailable, match="gave no answer"):
        Person(CLOCK, lambda: os.dup(theirs)).run(ASK)
    os.close(ours)
    os.close(theirs)


# --- a script ---------------------------------------------------------------------------------


def test_a_script_answers_in_order_and_by_what_is_asked(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    entries = [
        {"role": "pm", "answer": "for the shop"},
        {"role": "architect", "contains": "DATABASE", "answer": "SQL", "status": "needs-human"},
        {"fails": "overloaded"},
        {"answer": "last"},
    ]
    script.write_text(json.dumps(entries), "utf-8")
    runner: Runner = Scripted(read_script(script))

    def asked(role: str, question: str) -> str:
        return runner.run(Ask(role=role, instructions="", question=question)).answer

    assert asked("architect", "Which database?") == "SQL"
    with pytest.raises(AgentUnavailable, match="overloaded"):
        asked("tester", "anything")
    assert [asked("tester", "x"), asked("tester", "x")] == ["last", "last"]
    assert asked("product-manager", "For whom?") == "for the shop"
    with pytest.raises(AgentUnavailable, match="the script has no answer of tester"):
        Scripted([ScriptLine(role="pm", answer="x")]).run(
            Ask(role="tester", instructions="", question="?")
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no script"),
        ("[" * 100_000, "is no script"),
        ("{}", "a list was expected"),
        ("[7]", "entry 1 is no object"),
        ('[{"role": "pm"}]', "entry 1 has no answer"),
        ('[{"answer": "x"}, {"answer": "x", "state": 1}]', "entry 2 has 'state'"),
        ('[{"answer": "x", "status": "fine"}]', "has the status 'fine'"),
    ],
)
def test_a_broken_script_says_where(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(text, "utf-8")

    with pytest.raises(InvalidValue, match=said):
        read_script(tmp_path / "s.json")


# --- who plays whom ---------------------------------------------------------------------------


def test_the_setting_says_who_plays_whom() -> None:
    cast = read_cast("claude-code, architect=codex, pm = person")

    assert [cast.player_of(role) for role in ("engineer", "architect", "product-manager")] == [
        "claude-code",
        "codex",
        "person",
    ]
    assert read_cast("").player_of("engineer") == ""
    with pytest.raises(InvalidValue, match="'rm -rf /' is not a runner"):
        read_cast("engineer=rm -rf /")


# --- roles ------------------------------------------------------------------------------------


def test_nine_roles_ship_and_a_projects_own_text_wins(tmp_path: Path) -> None:
    roles = RoleTexts(tmp_path, read_if_there)
    assert len(SHIPPED_ROLES) == 9
    assert all(len(roles.text(role)) > 500 for role in SHIPPED_ROLES)
    (tmp_path / "architect.md").write_text("Our own.", "utf-8")
    (tmp_path / "poet.md").write_text("Rhyme.", "utf-8")
    (tmp_path / "Not A Role.md").write_text("x", "utf-8")

    assert [roles.text("architect"), roles.text("poet")] == ["Our own.", "Rhyme."]
    assert roles.names()[-1] == "poet"
    assert roles.name_role("devops") == "devops-engineer"
    (tmp_path / "poet.md").write_text("x" * (ROLE_TEXT_BYTES_MAX + 1), "utf-8")
    with pytest.raises(InvalidValue, match="too many for a role"):
        roles.text("poet")
    with pytest.raises(InvalidValue, match="is not a role"):
        roles.text("../../etc/passwd")
