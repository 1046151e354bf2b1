"""Goal: two lines that run the same are known as the same, and no line makes a hook fail.

Method: lines as people and agents write them, and random ones.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.adapters.hook_actions import JOINT, is_editor, is_shell, join_commands, list_patched
from agentx.adapters.hook_output import shape_at


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("make  test", ["make test"]),
        ("cd /w/shop && make test 2>&1 | tail -5", ["make test", "tail -5"]),
        ("CI=1 FOO=bar npm run build; npm test", ["npm run build", "npm test"]),
        ("make test > /tmp/log 2>&1", ["make test > /tmp/log"]),
        ("echo 'a && b' && ls", ["echo 'a && b'", "ls"]),
        ('git commit -m "one; two"\ngit push', ['git commit -m "one; two"', "git push"]),
        ("sleep 5 & wait", ["sleep 5", "wait"]),
        (r"echo a\;b", [r"echo a\;b"]),
        ("x=3", []),
        ("cd /w", []),
        ("", []),
        (" ;; && | ", []),
    ],
)
def test_a_line_is_taken_apart_into_what_it_runs(line: str, commands: list[str]) -> None:
    joined = join_commands(line)

    assert joined == (JOINT + "".join(f"{each}{JOINT}" for each in commands) if commands else "")


@given(st.text(alphabet="ab '\"\\&|;\n><$=`\u00e9\U0001f30a", max_size=60))
def test_any_line_is_taken_apart_and_stays_what_it_is(line: str) -> None:
    joined = join_commands(line)

    assert not joined or (joined.startswith(JOINT) and joined.endswith(JOINT))
    for part in joined.split(JOINT):
        assert join_commands(part) in ("", f"{JOINT}{part}{JOINT}") or any(
            sign in part for sign in "'\"`\\<>&|;"
        )


def test_a_line_of_a_megabyte_costs_no_more_than_its_beginning() -> None:
    assert len(join_commands("echo a; " * 200_000)) < 10_000


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: b c.md\n*** End Patch"

    assert list_patched(patch) == ["src/a.py", "b c.md"]
    assert list_patched("*** Update File: src/a.py") == []


def test_tools_are_known_by_their_names_in_every_agent_cli() -> None:
    assert all(map(is_shell, ("Bash", "bash", "run_shell_command", "exec_command")))
    assert all(map(is_editor, ("Edit", "Write", "apply_patch", "replace", "write_file")))
    assert not any(map(is_editor, ("Read", "Grep", "read_file", "")))


def test_only_an_agent_cli_that_takes_text_in_is_told_something() -> None:
    assert shape_at("copilot", "preToolUse") is None
    assert shape_at("unknown", "PreToolUse") is None
    assert shape_at("codex", 'x","permissionDecision":"allow') is None
    for harness in ("claude-code", "codex", "gemini"):
        before, after = shape_at(harness, "PreToolUse") or (b"", b"")
        assert b"permission" not in before + after
