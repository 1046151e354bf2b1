"""Goal: what becomes of a settings file is told in few words that are true."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.adapters.port import FileEdit
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.settings.changes import find_hook_line, tell_change
from agentx.kernel.capture import Harness
from tests.support.setup_requests import request_in, write


def edit(before: str | None, after: str | None, name: str = "settings.json") -> FileEdit:
    return FileEdit(path=Path("/home/ada") / name, before=before, after=after)


@pytest.mark.parametrize("harness", Harness)
def test_what_is_put_in_is_what_is_taken_out(tmp_path: Path, harness: Harness) -> None:
    put = ADAPTERS[harness].edits(request_in(tmp_path, mcp=True))
    write(put)
    same = ADAPTERS[harness].edits(request_in(tmp_path, mcp=True))
    out = ADAPTERS[harness].edits(request_in(tmp_path, mcp=True, uninstall=True))

    came = [tell_change(one) for one in put]
    assert all(said.startswith("+ ") and said.endswith("(new)") for said in came)
    left = [said.replace("+", "-").replace("new", "file goes") for said in came]
    assert [tell_change(one) for one in out] == left
    assert {tell_change(one) for one in same} == {"nothing to do"}
    assert any(
        find_hook_line(one).endswith(f"--harness {harness}") or "||" in find_hook_line(one)
        for one in same
    )


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            '{"x": "/a/agentx-hook --harness codex"}',
            '{"x": "/b/agentx-hook --harness codex"}',
            "~ 1 hook",
        ),
        ('{"agentx": {"command": "/a"}}', '{"agentx": {"command": "/b"}}', "~ MCP server"),
        ('{"a": 1}', '{"a": 1, "allow": ["mcp__agentx__search", "mcp__agentx__get"]}', "+ 2 rules"),
        ('{"a": 1}', '{"a": 2}', "~ brought up to date"),
        ('{"a": 1}', '{"a": 1}', "nothing to do"),
    ],
)
def test_a_change_is_told_by_what_is_ours_in_it(before: str, after: str, says: str) -> None:
    assert tell_change(edit(before, after)) == says


def test_a_file_without_a_hook_of_ours_has_no_line() -> None:
    assert find_hook_line(edit(None, None)) == ""
    assert find_hook_line(edit('{"said": "agentx-hook"}', "")) == ""
    assert find_hook_line(edit("// agentx-hook", "", "agentx.js")) == ""
    assert find_hook_line(edit('a = "agentx-hook"\n', "", "config.toml")) == ""
    toml = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "/x/agentx-hook --harness codex"\n'
    assert find_hook_line(edit(toml, "", "config.toml")) == "/x/agentx-hook --harness codex"
