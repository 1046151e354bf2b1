"""Whose words: what people typed is a prompt, and what machines said in their name never is.

Law: all of it is kept, with its kind; live and imported it is one event; and what an older
version took for something else is known as that for ever.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentx.adapters.port import Adapter
from agentx.adapters.registry import ADAPTERS
from agentx.agents.runners.port import Ask, Wants
from agentx.agents.runners.wording import prompt_of
from agentx.kernel.capture import Draft, EventType, Harness
from agentx.observations.extract import by_model
from tests.unit.adapters.recorded import (
    hook_call,
    identity,
    of_kind,
    said_by_machines,
    transcript,
    whole,
    written,
)

CC, CX = Harness.CLAUDE_CODE, Harness.CODEX
CLAUDE, CODEX = ADAPTERS[CC], ADAPTERS[CX]
TASK = (
    '<teammate-message teammate_id="team-lead" summary="go">\nFix the login.\n</teammate-message>'
)
DONE = (
    "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n"
    "<summary>Agent done</summary>\n<result>The cache is never cleared.</result>\n"
    "</task-notification>"
)
CONTINUED = "This session is being continued from a previous conversation that ran out of context."
SKILL = "Base directory for this skill: /home/dev/.claude/skills/deploy\n\n# Deploy"

ON_PROMPT = {
    Harness.CLAUDE_CODE: {"hook_event_name": "UserPromptSubmit", "prompt_id": "p1"},
    Harness.CODEX: {"hook_event_name": "UserPromptSubmit", "turn_id": "t1"},
    Harness.GEMINI: {"hook_event_name": "BeforeAgent"},
    Harness.COPILOT: {"hook_event_name": "UserPromptSubmit"},
}


def _submit(harness: Harness, text: str) -> tuple[Draft, ...]:
    payload = {"session_id": "s1", "cwd": "/p", "prompt": text, **ON_PROMPT[harness]}
    return ADAPTERS[harness].drafts(hook_call(harness, payload))


def _line(content: object, **fields: Any) -> dict[str, Any]:
    uuid = fields.pop("uuid", f"u-{json.dumps(content)}")
    at = "2026-11-15T10:00:00.000Z"
    message = {"role": "user", "content": content}
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": "s1",
        "timestamp": at,
        "message": message,
    } | (fields)


def _queue(operation: str, content: str = "") -> dict[str, Any]:
    return {"type": "queue-operation", "operation": operation, "content": content}


def _read(adapter: Adapter, path: Path, *lines: object) -> list[Draft]:
    found = adapter.read(transcript(adapter.harness, written(path / "s1.jsonl", lines), "s1"))
    return [draft for draft in whole(found) if draft.event_type is not EventType.SESSION_START]


def _prompts(drafts: list[Draft] | tuple[Draft, ...]) -> list[str]:
    return [draft.text for draft in of_kind(drafts, EventType.USER_MESSAGE)]


@pytest.mark.parametrize("harness", ON_PROMPT)
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[Request interrupted by user for tool use]", "interruption"),
        ("<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>", "interruption"),
        (CONTINUED, "continuation"),
        (SKILL, "skill"),
        ("<skill>\n<name>pdf</name>\nRead it.\n</skill>", "skill"),
        ("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nBe nice", "instructions"),
        ("<environment_context>\n<cwd>/p</cwd>\n</environment_context>", "instructions"),
        ("<user_instructions>\nBe nice\n</user_instructions>", "instructions"),
        ("<model_mismatch_warning>\nother\n</model_mismatch_warning>", "reminder"),
        ("Stop hook feedback:\n- run the tests", "hook"),
        (prompt_of(Ask(role="engineer", instructions="", question="Which port?")), "runner"),
        (
            prompt_of(
                Ask(role="engineer", instructions="", question="Do it", issue=4, wants=Wants.WORK)
            ),
            "runner",
        ),
    ],
)
def test_what_nobody_types_is_nobodys_prompt_in_any_agent_cli(
    harness: Harness, text: str, kind: str
) -> None:
    drafts = _submit(harness, text)

    assert _prompts(drafts) == []
    assert [told for told, _ in said_by_machines(drafts)] == [kind]
    assert drafts[0].text.split() == text.split(), "kept as it was"


def test_our_own_prompts_to_a_model_are_known_by_their_beginning() -> None:
    system = by_model.prompt_for(()).system

    assert [kind for kind, _ in said_by_machines(_submit(CC, system))] == ["runner"]


@pytest.mark.parametrize("harness", ON_PROMPT)
@pytest.mark.parametrize(
    "text",
    [
        "why does <system-reminder> show up in the log?",
        "<div>this is broken</div>",
        "fix [Request interrupted by user] being shown",
        "Add to AGENTS.md: instructions for the linter",
        "## How to answer\n\nmake this heading bold",
        '{"task": "do it"}',
        "/review 42",
        "\u4fee\u6b63\u3057\u3066",
    ],
)
def test_what_people_type_is_a_prompt_whatever_is_in_it(harness: Harness, text: str) -> None:
    assert [" ".join(said.split()) for said in _prompts(_submit(harness, text))] == [
        " ".join(text.split())
    ]


@pytest.mark.parametrize("text", [DONE, TASK, CONTINUED, SKILL, "<bash-input>ls</bash-input>"])
def test_it_is_one_event_live_and_imported(text: str, tmp_path: Path) -> None:
    live = _submit(CC, text)
    imported = _read(CLAUDE, tmp_path, _line(text, promptId="p1"))

    assert [identity(draft) for draft in live] == [identity(draft) for draft in imported]


def test_a_line_that_says_who_wrote_it_is_believed(tmp_path: Path) -> None:
    told = _read(
        CLAUDE,
        tmp_path,
        _line("<task-notification> is what I see", origin={"kind": "human"}),
        _line("[Request interrupted by user] what is that?", promptSource="typed"),
        _line("wake up", origin={"kind": "task-notification"}),
        _line("tick", promptSource="system"),
        _line("hidden", isVisibleInTranscriptOnly=True),
        _line("stopped", interruptedMessageId="m1"),
        _line("from the SDK", promptSource="sdk"),
        _line("asked by claude -p", turnOrigin="sdk"),
        _line("from whatever comes next", origin={"kind": "unheard-of"}),
    )

    assert _prompts(told) == [
        "<task-notification> is what I see",
        "[Request interrupted by user] what is that?",
        "from the SDK",
        "asked by claude -p",
        "from whatever comes next",
    ]
    assert said_by_machines(told) == [
        ("notification", "wake up"),
        ("notification", "tick"),
        ("reminder", "hidden"),
        ("interruption", "stopped"),
    ]


def test_what_the_lead_of_a_team_says_is_the_task_and_the_lead_its_sender(tmp_path: Path) -> None:
    (task,) = _submit(CC, TASK)
    (same,) = _read(CLAUDE, tmp_path, _line(TASK, promptId="p1"))

    assert _prompts([task, same]) == ["Fix the login."] * 2
    assert task.metadata["sender"] == "team-lead"
    assert identity(task) == identity(same)
    assert identity(task)[2] is EventType.NOTE  # as older versions knew it


def test_what_comes_back_to_the_lead_is_a_report_and_no_prompt(tmp_path: Path) -> None:
    report = TASK.replace("team-lead", "alice").replace("Fix the login.", "Login is fixed.")
    idle = TASK.replace("Fix the login.", '{"type":"idle_notification","from":"bob"}')
    assigned = TASK.replace(
        "Fix the login.", '{"type":"task_assignment","subject":"Login","description":"Fix it."}'
    )

    told = _read(CLAUDE, tmp_path, _line("go"), _line(report), _line(idle), _line(assigned))
    first = _read(CLAUDE, tmp_path / "other", _line(report))

    assert _prompts(told) == ["go", "Login\n\nFix it."]
    assert said_by_machines(told) == [("report", "Login is fixed."), ("notification", idle)]
    assert _prompts(first) == ["Login is fixed."], "a session begins with its task"


def test_a_report_of_a_task_is_told_with_all_its_words(tmp_path: Path) -> None:
    assert said_by_machines(_read(CLAUDE, tmp_path, _line(DONE))) == [("report", DONE)]


def test_a_command_for_claude_code_itself_is_no_prompt_and_its_words_are(tmp_path: Path) -> None:
    own = "<command-name>/{}</command-name>\n<command-message>x</command-message>\n"
    told = _read(
        CLAUDE,
        tmp_path,
        _line(own.format("clear") + "<command-args></command-args>"),
        _line(own.format("model") + "<command-args>opus</command-args>"),
        _line(own.format("plan") + "<command-args>use the new logos</command-args>"),
        _line("<command-message>review</command-message>\n<command-name>/review</command-name>"),
        _line([{"type": "text", "text": "You are an expert reviewer."}], isMeta=True),
    )

    assert _prompts(told) == ["/plan use the new logos", "/review"]
    assert said_by_machines(told) == [
        ("command", "/clear"),
        ("command", "/model opus"),
        ("skill", "You are an expert reviewer."),
    ]


def test_what_tasks_put_into_the_queue_is_not_taken_for_what_a_person_queued(
    tmp_path: Path,
) -> None:
    notice = '{"task_id":"b1","description":"git commit","task_type":"local_bash"}'
    told = _read(
        CLAUDE,
        tmp_path,
        _line("start"),
        _queue("enqueue", notice),
        _queue("enqueue", DONE),
        _queue("enqueue", "stop that"),
        _queue("remove"),
        _queue("dequeue"),
        _line(DONE),
        _queue("enqueue", "and then this"),
        _queue("remove"),
    )

    assert _prompts(told) == ["start", "stop that", "and then this"]
    assert said_by_machines(told) == [("notification", notice), ("report", DONE)]


def test_what_a_subagent_is_asked_later_is_no_prompt_of_a_person(tmp_path: Path) -> None:
    path = written(tmp_path / "agent-a1.jsonl", [_line("find it"), _line("and the callers")])
    told = whole(CLAUDE.read(transcript(CC, path, "s1")))

    assert _prompts(told) == []
    assert [(one.event_type.value, one.text) for one in told] == [
        ("subagent_start", "find it"),
        ("note", "and the callers"),
    ]
    assert identity(told[1])[2] is EventType.USER_MESSAGE  # as older versions knew it


def test_what_an_editor_puts_before_a_prompt_is_kept_apart(tmp_path: Path) -> None:
    text = (
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nfix it"
    )
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    meta = {"type": "session_meta", "payload": {"id": "s1"}}
    began = {"type": "event_msg", "payload": {"type": "task_started", "turn_id": "t1"}}

    live = _submit(CX, text)
    imported = _read(CODEX, tmp_path, meta, began, {"type": "response_item", "payload": item})

    assert _prompts(live) == ["fix it"]
    assert list(map(identity, live)) == list(map(identity, imported))
    assert said_by_machines(live)[0][0] == "reminder"


def test_files_that_a_prompt_refers_to_are_kept_apart() -> None:
    files = (
        "--- Content from referenced files ---\nContent from @a.py:\nx = 1\n--- End of content ---"
    )

    drafts = _submit(Harness.GEMINI, f"explain @a.py\n{files}")

    assert _prompts(drafts) == ["explain @a.py"]
    assert said_by_machines(drafts) == [("reminder", files)]
