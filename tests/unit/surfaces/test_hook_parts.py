"""Goal: the parts of the hook decide rightly: who calls, where, and whether a session begins.

Method: plain calls of the functions; the files of git are written by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.operations.setup.programs.hook_launcher import launcher_text
from agentx.surfaces.hooks.capture import harness_of, is_session_start, working_directory
from agentx.surfaces.hooks.checkout import branch_at, branch_of
from agentx.surfaces.hooks.cleaning import clean
from agentx.surfaces.hooks.payload import session_of
from agentx.surfaces.hooks.telling.output import announcement
from tests.support.secrets import corpus


@pytest.mark.parametrize(
    ("arguments", "harness"),
    [
        (["--harness", "codex"], "codex"),
        (["--harness=claude-code"], "claude-code"),
        (["--verbose", "--harness", "my-own-2"], "my-own-2"),
        ([], "unknown"),
        (["--harness"], "unknown"),
        (["--harness", ""], "unknown"),
        (["--harness", "../../etc"], "unknown"),
        (["--harness", "a/b"], "unknown"),
        (["--harness", "Codex"], "unknown"),
        (["--harness", "x" * 41], "unknown"),
        (["codex"], "unknown"),
    ],
)
def test_the_harness_is_the_one_that_the_command_names(arguments: list[str], harness: str) -> None:
    assert harness_of(arguments) == harness


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        (b'{"cwd": "/w/gone"}', "/w/gone"),
        (b'{"cwd": "gone"}', "/"),
        (b'{"cwd": ["/w"]}', "/"),
        (b"[", "/"),
        (b"[" * 100_000, "/"),
    ],
)
def test_a_working_directory_that_was_removed_is_the_one_that_the_payload_names(
    payload: bytes, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("PWD", ".")

    assert working_directory("codex", payload) == place


def test_the_working_directory_is_the_project_where_the_agent_cli_tells_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/src/../src/app")
    monkeypatch.setenv("GEMINI_PROJECT_DIR", "/src/other")

    assert working_directory("claude-code") == "/src/app"
    assert working_directory("gemini") == "/src/other"
    assert working_directory("codex") == str(tmp_path)

    monkeypatch.delenv("CLAUDE_PROJECT_DIR")
    assert working_directory("claude-code") == str(tmp_path)


@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize(
    ("harness", "payload", "starts"),
    [
        ("claude-code", {"session_id": "s", "hook_event_name": "SessionStart"}, True),
        ("codex", {"hook_event_name": "SessionStart", "source": "compact"}, True),
        ("gemini", {"hook_event_name": "SessionStart", "source": "resume"}, True),
        ("opencode", {"id": "e", "type": "session.created", "properties": {}}, True),
        ("opencode", {"hook": "event", "payload": {"type": "session.created"}}, True),
        ("copilot", {"sessionId": "s", "timestamp": 1, "cwd": "/", "source": "new"}, True),
        ("copilot", {"sessionId": "s", "toolName": "x", "source": "new"}, False),
        ("claude-code", {"hook_event_name": "Stop", "message": "SessionStart"}, False),
        (
            "claude-code",
            {"hook_event_name": "PostToolUse", "x": {"hook_event_name": "SessionStart"}},
            False,
        ),
        (
            "claude-code",
            {"prompt": '"hook_event_name": "SessionStart"', "hook_event_name": "Stop"},
            False,
        ),
        ("opencode", {"type": "session.idle"}, False),
        ("codex", {"source": "startup", "sessionId": "s"}, False),
        ("claude-code", {}, False),
    ],
)
def test_a_session_start_is_known_without_parsing(
    harness: str, payload: dict[str, object], starts: bool, compact: bool
) -> None:
    raw = json.dumps(payload, separators=(",", ":") if compact else (", ", ": ")).encode()

    assert is_session_start(harness, raw) is starts


def test_the_session_is_read_from_the_payload() -> None:
    assert session_of(b'{"a": 1, "session_id" : "c27a-1"}') == "c27a-1"
    assert session_of(b'{"sessionID":"ses_1"}') == "ses_1"
    assert session_of(b'{"session_id": null}') == ""
    assert session_of(b'{"session_id": "a\\"b"}') == ""
    assert session_of(b'{"session_id": "' + b"x" * 300 + b'"}') == ""
    assert session_of(b"") == ""


# --- git --------------------------------------------------------------------------------------


def test_the_branch_is_read_from_the_working_tree_and_its_subfolders(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/feature/x\n", encoding="utf-8")
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert branch_of(str(tmp_path)) == (str(tmp_path), "feature/x")
    assert branch_of(str(tmp_path / "a" / "b")) == (str(tmp_path), "feature/x")


def test_the_branch_of_a_worktree_is_its_own(tmp_path: Path) -> None:
    git = tmp_path / "main" / ".git" / "worktrees" / "w"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/w\n", encoding="utf-8")
    tree = tmp_path / "w"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: ../main/.git/worktrees/w\n", encoding="utf-8")

    assert branch_of(str(tree)) == (str(tree), "w")


def test_a_detached_head_and_a_place_without_git_have_no_branch(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("3f786850e387550fdab836ed7e6dc881de23001b\n")

    assert branch_of(str(tmp_path)) == (str(tmp_path), "")
    assert branch_of("/") == ("", "")
    assert branch_of("/nowhere/at/all\0") == ("", "")


def test_the_branch_is_that_of_the_directory_that_the_payload_names(tmp_path: Path) -> None:
    for name in ("main", "w"):
        (tmp_path / name / ".git").mkdir(parents=True)
        head = tmp_path / name / ".git" / "HEAD"
        head.write_text(f"ref: refs/heads/{name}\n", encoding="utf-8")
    main = str(tmp_path / "main")
    said = json.dumps({"session_id": "s", "cwd": str(tmp_path / "w"), "prompt": '"cwd":"/x"'})

    assert branch_at(said.encode(), main) == "w"
    assert branch_at(b'{"prompt": "in \\"cwd\\": \\"/x\\""}', main) == "main"
    for odd in (b"", b'"cwd"', b'"cwd":', b'"cwd":"', b'"cwd": 3', b'"cwd":"rel/x"', b'"cwd":null'):
        assert branch_at(odd, main) == "main"
    assert branch_at(b'{"cwd":"/nowhere\\u0000"}', main) == "main"


def test_a_branch_that_may_hold_a_secret_or_is_too_long_is_not_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    head = tmp_path / ".git" / "HEAD"
    for name in (f"feature/{corpus()[0].text}", "x" * 251):
        head.write_text(f"ref: refs/heads/{name}\n", encoding="utf-8")
        assert branch_at(b"", str(tmp_path)) == ""


# --- what is printed --------------------------------------------------------------------------

_CAPS = {"claude-code": 10_000, "codex": 7_500, "gemini": 10_000, "copilot": 10_240}


def _context(harness: str, printed: bytes) -> str:
    reply = json.loads(printed)
    if harness == "opencode":
        assert set(reply) == {"context"}
        text = reply["context"]
    elif harness == "copilot":
        assert set(reply) == {"additionalContext"}
        text = reply["additionalContext"]
    else:
        assert set(reply) == {"hookSpecificOutput"}
        assert reply["hookSpecificOutput"]["hookEventName"] == "SessionStart"
        text = reply["hookSpecificOutput"]["additionalContext"]
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini", "copilot", "opencode"])
@given(st.lists(st.text(max_size=300), max_size=120))
def test_what_is_printed_is_within_the_cap_and_closes_its_fence(
    harness: str, lines: list[str]
) -> None:
    digest = "\n".join((RECALL_OPEN, *lines, RECALL_CLOSE))

    printed, told = announcement(harness, digest)
    text = _context(harness, printed)

    assert len(printed if harness in {"codex", "copilot"} else printed.decode()) <= _CAPS.get(
        harness, 10_000
    )
    assert text.startswith(RECALL_OPEN)
    assert text.rstrip().endswith(RECALL_CLOSE)
    assert text.split("\n")[:told] == digest.split("\n")[:told]
    if text != digest:
        assert "lines left out" in text


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini", "copilot", "opencode"])
def test_a_digest_that_fits_is_printed_as_it_is(harness: str) -> None:
    digest = f'{RECALL_OPEN}\n- "a" \\ b\t日本 👍 \u202bשלום\u202c\n{RECALL_CLOSE}\n'

    assert _context(harness, announcement(harness, digest)[0]) == digest


def test_one_endless_line_is_rather_not_printed_than_cut_inside() -> None:
    assert announcement("codex", "x" * 100_000) == (b"", 0)


def test_an_unknown_agent_cli_is_told_nothing() -> None:
    assert announcement("somebody", "text") == (b"", 0)


# --- the slow path ----------------------------------------------------------------------------


def test_long_texts_are_cut_in_the_middle_and_the_cut_is_marked() -> None:
    text = "head " + "x" * (3 * EVENT_TEXT_CHARS_MAX) + " tail"

    payload, cut = clean(json.dumps({"tool_response": {"stdout": text, "n": 1}}).encode())
    kept = json.loads(payload)["tool_response"]

    assert cut
    assert kept["n"] == 1
    assert len(kept["stdout"]) <= EVENT_TEXT_CHARS_MAX
    assert kept["stdout"].startswith("head ")
    assert kept["stdout"].endswith(" tail")
    assert "characters cut by agentx" in kept["stdout"]


@pytest.mark.parametrize("at", [0.749, 0.75, 0.7501, 0.9])
def test_a_secret_at_the_edge_of_a_cut_does_not_survive_by_halves(at: float) -> None:
    secret = corpus()[0]
    before = round(EVENT_TEXT_CHARS_MAX * at) - 60
    text = "y " * (before // 2) + secret.text + " z" * EVENT_TEXT_CHARS_MAX

    payload, cut = clean(json.dumps({"a": text}).encode())

    assert cut
    assert secret.secret[:8].encode() not in payload


def test_private_text_that_is_longer_than_what_is_kept_leaves_nothing() -> None:
    text = "a <private>" + "q7" * EVENT_TEXT_CHARS_MAX + "</private> b"

    payload, _ = clean(json.dumps({"a": text}).encode())

    assert json.loads(payload) == {"a": "a [REDACTED:private] b"}


def test_a_large_payload_that_does_not_parse_is_cut_as_a_text() -> None:
    raw = b'{"a": "' + b"x" * (2 * EVENT_TEXT_CHARS_MAX)

    payload, cut = clean(raw)

    assert cut
    assert len(payload) <= EVENT_TEXT_CHARS_MAX
    assert payload.startswith(b'{"a": "xxx')


def test_a_small_payload_that_does_not_parse_is_kept() -> None:
    assert clean(b'\xff\x00{"a": [') == (b'\xff\x00{"a": [', False)


# --- the launcher -----------------------------------------------------------------------------


def test_the_launcher_quotes_its_paths() -> None:
    text = launcher_text("/opt/it's here/python", "/opt/$HOME/main.py")

    assert text.startswith("#!/bin/sh\n")
    assert "python='/opt/it'\\''s here/python'\n" in text
    assert "main='/opt/$HOME/main.py'\n" in text
    assert text.endswith("exit 0\n")
